// What came by sync is data, not authority (05, S10): this clone remembers which work, proofs and policy it did not make itself.
// Noted before the state moves, so that a kill in between forgets nothing. No record can say this of itself.

import type { Oid } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { newTree } from '../../git/objects.js';
import { digestOf } from '../../state/canonical.js';
import { decodeJob } from '../../state/codec.js';
import { decodeGoal } from '../../state/goal-codec.js';
import { loadRoot } from '../../state/guard.js';
import { type Area, recordPath, type WorkKind, workPath } from '../../state/layout.js';
import { lookUp } from '../../state/objects.js';
import type { StoreEnv } from '../../state/store-env.js';
import { compareStates, unitOf } from '../../state/three-way.js';
import type { Workbench } from '../workbench.js';

interface ForeignWork {
  /** Its occurrence when it came: a decision made here since is this clone's own. */
  readonly at: string;
  /** Digest of a verification that came with it; null: none did. */
  readonly proof: string | null;
  /** It came with a wish to be merged by itself. */
  readonly merge: boolean;
}

interface ForeignNote {
  readonly work: Readonly<Record<string, ForeignWork>>;
  readonly evidence: readonly string[];
}

const NOTE = 'foreign';
const NONE: ForeignNote = { work: {}, evidence: [] };

export interface Foreign {
  /** It runs here only by name: made, or put into the queue, elsewhere, and nobody has decided about it here since. */
  waits(work: Pick<Job, 'id' | 'occurrence'>): boolean;
  /** The Job with no more authority than it has here: a proof from elsewhere counts for nothing, nor does its wish to be merged. */
  stripped(job: Job, policy: Pick<Policy, 'execution' | 'sync'>): Job;
  /** Evidence with who ran it as this clone knows it: what came by sync says anything of itself (`clone` is empty then). */
  attributed(evidence: readonly Evidence[]): readonly Evidence[];
}

export async function loadForeign(bench: Pick<Workbench, 'notes'>): Promise<Foreign> {
  const { work, evidence } = (await bench.notes.read<ForeignNote>(NOTE))?.value ?? NONE;
  const known = new Set(evidence);
  const of = (id: string): ForeignWork | undefined => (Object.hasOwn(work, id) ? work[id] : undefined);
  return {
    waits: (unit) => of(unit.id)?.at === occurrenceOf(unit),
    stripped: (job, { execution, sync }) => {
      const found = of(job.id);
      if (found === undefined) return job;
      const theirs = job.verification !== null && !sync.trust && found.proof === digestOf(job.verification);
      const never = found.merge && !execution.auto_merge;
      return {
        ...job,
        verification: theirs ? null : job.verification,
        auto_merge: never ? false : found.merge && job.auto_merge === true ? null : job.auto_merge,
      };
    },
    attributed: (all) => all.map((one) => (known.has(one.id) ? { ...one, clone: '' } : one)),
  };
}

const occurrenceOf = ({ occurrence }: Pick<Job | Goal, 'occurrence'>): string =>
  `${occurrence.number} ${occurrence.decision}`;

/** Notes what of `next` the state `ours` (null: none) does not have. `own`: ids of work that this clone itself published. */
export async function noteForeign(
  bench: Workbench,
  env: StoreEnv,
  states: { readonly ours: Oid | null; readonly next: Oid; readonly own: ReadonlySet<string> },
): Promise<void> {
  const arrived = await whatArrives(env, states);
  if (arrived.gone.length === 0 && arrived.evidence.length === 0 && Object.keys(arrived.work).length === 0) return;
  for (;;) {
    const before = await bench.notes.read<ForeignNote>(NOTE);
    const { work, evidence } = before?.value ?? NONE;
    const gone = new Set(arrived.gone);
    const kept = Object.fromEntries(Object.entries(work).filter(([id]) => !gone.has(id)));
    const merged = Object.entries(arrived.work).map(([id, one]) => [id, joined(kept[id], one)] as const);
    const next: ForeignNote = {
      work: { ...kept, ...Object.fromEntries(merged) },
      evidence: [...new Set([...evidence, ...arrived.evidence])].sort(),
    };
    if (await bench.notes.write(NOTE, next, before?.oid ?? 'absent')) return;
  }
}

/** What came before still came from elsewhere. */
const joined = (before: ForeignWork | undefined, now: ForeignWork): ForeignWork => ({
  at: now.at,
  proof: now.proof ?? before?.proof ?? null,
  merge: now.merge || before?.merge === true,
});

interface Arrived {
  readonly work: Readonly<Record<string, ForeignWork>>;
  readonly evidence: readonly string[];
  /** Closed there: nothing of it runs. */
  readonly gone: readonly string[];
}

async function whatArrives(
  env: StoreEnv,
  { ours, next, own }: { readonly ours: Oid | null; readonly next: Oid; readonly own: ReadonlySet<string> },
): Promise<Arrived> {
  const { objects } = env;
  const empty = newTree(objects.format, []);
  if (ours === null) await env.engine.write([empty]);
  const [mine, theirs] = [ours === null ? empty.oid : await loadRoot(objects, ours), await loadRoot(objects, next)];
  const differences = await compareStates(objects, { ours: mine, theirs, bases: [] });
  const work: Record<string, ForeignWork> = {};
  const evidence: string[] = [];
  const gone: string[] = [];
  const units = new Set<string>();
  for (const { key, ours: old, theirs: now } of differences) {
    const unit = unitOf(key);
    if (unit === null || own.has(unit.split('/')[2] ?? '')) continue;
    const proof = /\/evidence\/([^/]+)\.json$/.exec(key)?.[1];
    if (proof !== undefined && now !== null && now.oid !== old?.oid) evidence.push(proof);
    units.add(unit);
  }
  const now = env.clock.now();
  for (const unit of units) {
    const [folder, , id = ''] = unit.split('/');
    const kind: WorkKind = folder === 'goals' ? 'goal' : 'job';
    const read = async (root: Oid): Promise<Version | null> => readVersion(env, root, { kind, id, now });
    const [old, fresh] = [await read(mine), await read(theirs)];
    if (fresh === null || fresh.area === 'closed') {
      if (fresh !== null) gone.push(id);
      continue;
    }
    const claimed = fresh.claim !== null && fresh.claim !== old?.claim;
    if (old !== null && !claimed && old.decides === fresh.decides && (!fresh.queued || old.queued)) continue;
    work[id] = {
      at: occurrenceOf(fresh.record),
      proof: fresh.proof === old?.proof ? null : fresh.proof,
      merge: fresh.merge !== null && fresh.merge !== old?.merge,
    };
  }
  return { work, evidence, gone };
}

interface Version {
  readonly area: Area;
  readonly record: Job | Goal;
  /** Digest of all that decides what an agent is told, and where it works. */
  readonly decides: string;
  readonly queued: boolean;
  /** The Run that has it; null: none. */
  readonly claim: string | null;
  readonly proof: string | null;
  /** What it wishes of merging; null: nothing. */
  readonly merge: string | null;
}

async function readVersion(
  env: StoreEnv,
  root: Oid,
  { kind, id, now }: { readonly kind: WorkKind; readonly id: string; readonly now: number },
): Promise<Version | null> {
  const { objects } = env;
  for (const area of ['open', 'closed'] as const) {
    const path = recordPath(kind, area, id);
    const entry = await lookUp(objects, root, path);
    if (entry === null) continue;
    const part = async (name: string): Promise<string | null> =>
      (await lookUp(objects, root, `${workPath(kind, area, id)}/${name}`))?.oid ?? null;
    const place = { path, id, area, now };
    if (kind === 'job') {
      const row = decodeJob(place, await objects.blob(entry.oid));
      if (row.kind !== 'found') return null;
      const { record: job } = row;
      const { agent, account, base, from, mode, auto_merge, feedback, prefix, slug, restart, verification } = job;
      const told = [
        await part('prompt'),
        agent,
        account,
        base,
        from,
        mode,
        auto_merge,
        feedback,
        prefix,
        slug,
        restart,
      ];
      return {
        area,
        record: job,
        decides: digestOf([...told, verification]),
        queued: job.state === 'pending',
        claim: job.claim?.run ?? null,
        proof: verification === null ? null : digestOf(verification),
        merge: auto_merge === true || mode !== null ? digestOf([auto_merge, mode]) : null,
      };
    }
    const row = decodeGoal(place, await objects.blob(entry.oid));
    if (row.kind !== 'found') return null;
    const { record: goal } = row;
    return {
      area,
      record: goal,
      decides: digestOf([await part('rounds'), goal.target, goal.wish, goal.allow_guarded]),
      queued: goal.status === 'todo',
      claim: goal.claim?.run ?? null,
      proof: null,
      merge: null,
    };
  }
  return null;
}
