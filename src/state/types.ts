// What the state store offers to workflows: a snapshot to read, a transaction to change (01, "Writes").

import type { EventDraft, StateEvent } from '../domain/events.js';
import type { Oid, RefName } from '../domain/git.js';
import type { Candidate, Evidence, Feature, Goal, Round } from '../domain/goal.js';
import type { Invocation } from '../domain/invocation.js';
import type { Job, Run } from '../domain/job.js';
import type { NewObject, RefUpdate } from '../git/engine.js';
import type { ContestedRecord } from './contested.js';
import type { Chain } from './layout.js';
import type { StoreEnv } from './store-env.js';

/** `unknown`: absent without a tombstone, "unknown here". `damaged` and `newer` are never taken for absent (01). */
export type Loaded<T> =
  | { readonly kind: 'found'; readonly record: T }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'deleted'; readonly at: string }
  | {
      readonly kind: 'damaged';
      readonly path: string;
      readonly why: string;
      /** Nothing is broken: two clones decided differently, and a person is to settle it (S3). */
      readonly contested?: ContestedRecord;
    }
  | { readonly kind: 'newer'; readonly path: string; readonly schema: number; readonly writer: string | null };

export interface Meta {
  readonly schema: 1;
  readonly kind: 'meta';
  /** Id of this repository's state: state that belongs to another one is refused (S9). */
  readonly repository: string;
  readonly created: string;
  /** Version of the program that wrote it. */
  readonly writer: string;
}

export interface Damage {
  readonly path: string;
  readonly kind: 'damaged' | 'newer' | 'contested';
  readonly why: string;
}

/** All of it is of one commit of `refine/state`, or of no state at all (`tip` null: never made). */
export interface Snapshot {
  readonly tip: Oid | null;
  meta(): Promise<Meta | null>;
  job(id: string): Promise<Loaded<Job>>;
  prompt(id: string): Promise<string | null>;
  /** In queue order, the Jobs of Rounds among them. Damaged records are left out here and told by `damages`. */
  openJobs(): Promise<readonly Job[]>;
  closedJobs(): Promise<readonly Job[]>;
  /** All ids known here, open, closed and deleted, without reading records: from tree names. */
  jobIds(): Promise<readonly string[]>;
  /** By number. */
  runs(job: string): Promise<readonly Run[]>;
  run(job: string, run: string): Promise<Loaded<Run>>;
  goal(id: string): Promise<Loaded<Goal>>;
  /** In queue order; as `openJobs`. */
  openGoals(): Promise<readonly Goal[]>;
  closedGoals(): Promise<readonly Goal[]>;
  /** As `jobIds`. Ids are unique over Jobs, Goals and Features. */
  goalIds(): Promise<readonly string[]>;
  /** By number. */
  rounds(goal: string): Promise<readonly Round[]>;
  /** Oldest first. */
  candidates(goal: string): Promise<readonly Candidate[]>;
  evidence(goal: string): Promise<readonly Evidence[]>;
  /** Of its Skills and Error handlers, oldest first. */
  invocations(goal: string): Promise<readonly Invocation[]>;
  feature(id: string): Promise<Loaded<Feature>>;
  /** In their order. */
  features(): Promise<readonly Feature[]>;
  damages(): Promise<readonly Damage[]>;
  /** Open Jobs by state, but those of Rounds, and open Goals by `goal-<status>`, from two small blobs; only what there is. */
  openCounts(): Promise<Readonly<Record<string, number>>>;
}

/** Something kept alive in `refs/owl/keep/<job or goal>`: appended before the state commit; the same commit and subject again is nothing. */
export interface Pin {
  /** Id of a Job or a Goal. */
  readonly job: string;
  /** `candidates`: in `refs/owl/candidates/<goal>`; `putCandidate` does that by itself. */
  readonly chain?: Chain | undefined;
  /** The kept commit, second parent; null when only the tree is kept (log, prompt). */
  readonly commit: Oid | null;
  /** What it is, one line: `tip before replay of run 3`, `wip of run 2`, `log of run 2`, `dropped tip`. */
  readonly subject: string;
  /** Files of the link's tree, for logs and prompts. Path -> bytes. */
  readonly files?: ReadonlyMap<string, Buffer> | undefined;
}

export interface Tx extends Snapshot {
  /** Operation id of this change: goes into `Owl-Op`, intents and occurrences. The same in every attempt of the loop. */
  readonly op: string;
  /** Now, RFC 3339 in UTC; the same in every attempt. */
  readonly now: string;
  putJob(job: Job): void;
  /** Those that this change has put so far, each beside its record as it was; null: there was none. */
  changedJobs(): Promise<readonly { readonly before: Job | null; readonly after: Job }[]>;
  putPrompt(job: string, text: string): void;
  putRun(run: Run): void;
  /** Removes a record and leaves a tombstone, for ever. */
  bury(job: string): void;
  /** Opening, closing and revision as for Jobs; the whole subtree moves. */
  putGoal(goal: Goal): void;
  putRound(round: Round): void;
  /** Never changes again; base and tip are pinned. */
  putCandidate(candidate: Candidate): void;
  /** Never changes again, but the status of one that is `begun` or `unknown`. */
  putEvidence(evidence: Evidence): void;
  /** Only goes on: waiting, started, ended. */
  putInvocation(invocation: Invocation): void;
  putFeature(feature: Feature): void;
  buryGoal(goal: string): void;
  /** Moves a ref after the state commit, under an intent (01). */
  move(update: RefUpdate, why: string): void;
  /** Kept before the state commit. */
  keep(pin: Pin): void;
  /** Objects to write (and flush) together with the state. */
  write(objects: readonly NewObject[]): void;
  /** What the commit says; the last call counts. A change that puts nothing and says nothing makes no commit. */
  event(draft: EventDraft): void;
}

export interface UpdateOptions {
  /** Idempotency key of the caller (`--request-id`). */
  readonly request?: { readonly id: string; readonly content: unknown } | undefined;
  /** Operation id, when a workflow chose it before (for several steps of one operation). */
  readonly op?: string | undefined;
  /** Fail-point prefix, such as `add`: the store calls `failpoint('add.before-state')` and so on. */
  readonly step?: string | undefined;
}

export interface Updated<T> {
  readonly result: T;
  /** The state commit; null when nothing had to change. */
  readonly commit: Oid | null;
  /** True when a `--request-id` was answered from its first result, without any further effect. */
  readonly repeated: boolean;
  /** Refs that stood at neither old nor new value and were left alone (01). */
  readonly refused: readonly {
    readonly update: RefUpdate;
    readonly found: Oid | 'absent' | 'unknown';
    readonly message: string;
  }[];
}

export interface KeptLink {
  /** The chain commit itself. */
  readonly link: Oid;
  readonly kept: Oid | null;
  readonly subject: string;
  readonly time: number;
  readonly tree: Oid;
}

/** One intent under `refs/owl/local/intents/<op>` (01): void unless its state commit is in this clone's history. */
export interface Intent {
  readonly op: string;
  readonly ref: RefName;
  readonly owner: {
    readonly host: string;
    readonly boot: string;
    readonly namespace: string;
    readonly pid: number;
    readonly start: string;
  };
  readonly moves: readonly (RefUpdate & { readonly why: string })[];
  /** The state commit that makes it valid. */
  readonly commit: Oid;
  /** The state that commit was made on; null: it made the state. */
  readonly from: Oid | null;
}

export interface StateStore {
  /** What it reads and writes with, for archive, retirement and the like: what was read already is not read again. */
  env(): Promise<StoreEnv>;
  snapshot(): Promise<Snapshot>;
  /** As a snapshot's, without loading what reads records: for shell prompts. */
  openCounts(): Promise<Readonly<Record<string, number>>>;
  /**
   * Applies a change inside the compare-and-swap loop: it is called again on a newer state when another writer won.
   * `change` decides only from what it reads through `tx`; what it throws ends the update and nothing is written.
   * Throws OwlError `busy`, `damaged-state`, `newer-state`, `foreign-state`, `quarantine`, `name-blocked`, `request-reused`, `storage`.
   */
  update<T>(options: UpdateOptions, change: (tx: Tx) => Promise<T>): Promise<Updated<T>>;
  /** Finishes or voids intents whose owner is proven dead; called by writing commands first. Returns one sentence for each. */
  recover(): Promise<readonly string[]>;
  intents(): Promise<readonly Intent[]>;
  /** Newest first; `chain`: `keep` where it is left out. */
  kept(job: string, chain?: Chain): Promise<readonly KeptLink[]>;
  /** A file of a link's tree (`log`, `prompt`, `checks/<name>`), or null. */
  keptFile(link: Oid, path: string): Promise<Buffer | null>;
  events(options?: {
    readonly limit?: number;
    readonly job?: string;
    readonly goal?: string;
    readonly since?: Oid;
  }): Promise<readonly StateEvent[]>;
}

/** Facts about this clone only: `refs/owl/local/<name>` holds a blob with canonical JSON. */
export interface LocalNotes {
  read<T>(name: string): Promise<{ readonly oid: Oid; readonly value: T } | null>;
  /** Compare-and-swap: `old` is the value that was read, or `absent`. Returns false when it was lost. */
  write(name: string, value: unknown, old: Oid | 'absent'): Promise<boolean>;
  remove(name: string, old: Oid): Promise<boolean>;
  list(prefix: string): Promise<readonly { readonly name: string; readonly oid: Oid }[]>;
  /** Deletes what was removed while the packed refs were locked. */
  tidy(): Promise<void>;
}
