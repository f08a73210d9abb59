// What every workflow is given: one repository, its state, the clock, and a way to say what is going on.

import type { Context } from '../context.js';
import { loadRemoteSettings, type RemoteSettings } from '../git/remote.js';
import type { Repository } from '../git/repository.js';
import { askOnTerminal } from '../output/ask.js';
import type { Progress } from '../output/progress.js';
import type { LocalNotes, StateStore } from '../state/types.js';
import type { Clock } from '../system/clock.js';
import type { Environment } from '../system/environment.js';
import type { Ids } from '../system/ids.js';
import type { ResolvedBase } from './base.js';

/** The claim that work goes on under (S7). */
export interface Fence {
  /** Goes into the record of what is claimed here: of two clones that both did, the later claim counts. */
  readonly token: number;
  /** Asked before a Run is settled: false where it was lost, then its result moves nothing. */
  holds(): Promise<boolean>;
}

export interface Workbench {
  readonly repository: Repository;
  readonly store: StateStore;
  readonly notes: LocalNotes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly requestId: string | undefined;
  /** Asks a person yes or no on a terminal; null where nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  /** `--trust` was given. */
  readonly trust: boolean;
  readonly dryRun: boolean;
  /** Names of bases that were resolved by this process: a remote is asked for its default branch once. */
  readonly bases: Map<string, Promise<ResolvedBase>>;
  /** What the configuration says of remotes, read once by this process. */
  readonly remotes: () => Promise<RemoteSettings>;
  /** Set under a claim on a remote. */
  readonly fence?: Fence | undefined;
  /** Told of each Skill or handler that starts: who it is of, and its marker (J18). */
  readonly onSkill?: ((started: { readonly id: string; readonly run: string }) => void) | undefined;
  /** What is going on, live; silent under -q. */
  readonly progress: Progress;
  /** One line of narration for stderr; silent under -q. */
  readonly say: (line: string) => void;
}

/** For the record of what is taken, or settled, under a claim on a remote. */
export const tokenOf = ({ fence }: Pick<Workbench, 'fence'>): { readonly token?: number } =>
  fence === undefined ? {} : { token: fence.token };

/** Opens repository and state. Throws what `context.repository()` and `context.store()` throw. */
export async function openWorkbench(context: Context): Promise<Workbench> {
  const repository = await context.repository();
  const store = await context.store();
  let remotes: Promise<RemoteSettings> | undefined;
  const bench: Workbench = {
    repository,
    store: {
      ...store,
      update: async (options, change) =>
        (await import('./skill/note-due.js')).updateNoting(bench, (noting) => store.update(options, noting), change),
    },
    notes: await context.notes(),
    clock: context.clock,
    ids: context.ids,
    environment: context.environment,
    signal: context.signal,
    requestId: context.options.requestId,
    ask: context.streams.interactive ? (question) => askOnTerminal(context.streams, question) : null,
    trust: context.options.trust,
    dryRun: context.options.dryRun,
    bases: new Map(),
    remotes: () => (remotes ??= loadRemoteSettings(repository)),
    progress: context.streams.progress,
    say: (line) => context.streams.progress.note(line),
  };
  return bench;
}
