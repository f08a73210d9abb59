// `sync --take`: a person says which version of a contested record counts (05, S3).

import { OwlError } from '../../domain/errors.js';
import type { StandingMerge } from '../../domain/side-merge.js';
import { loadRoot } from '../../state/guard.js';
import { STATE_REF } from '../../state/layout.js';
import { type ContestedWork, loadContested, settleSides } from '../../state/take-side.js';
import { updateState } from '../../state/update.js';
import type { Workbench } from '../workbench.js';
import { withFamily } from './family.js';
import { chosenSide, staysBeside } from './sides.js';

export interface TakeRequest {
  /** `local`, `remote`, or the name of a version. */
  readonly take: string;
  /** Id of a Job or Goal, or a unique prefix; null: all that is contested. */
  readonly record: string | null;
}

export interface SettledRecord {
  readonly id: string;
  readonly side: string;
  /** A merge that another version knew and this one does not: it stays on its target. */
  readonly stays?: StandingMerge;
}

/** What is contested in the state here. */
export async function contestedHere(bench: Workbench): Promise<readonly ContestedWork[]> {
  const env = await bench.store.env();
  const tip = await env.engine.resolve(STATE_REF);
  return tip === null ? [] : loadContested(env, await loadRoot(env.objects, tip));
}

/** Chosen in one write; nothing contested: nothing. `--dry-run`: what would be. Throws OwlError `refused`, `unknown-id`, and what the store throws. */
export async function settleContested(bench: Workbench, request: TakeRequest): Promise<readonly SettledRecord[]> {
  const env = await bench.store.env();
  let chosen: readonly SettledRecord[] = [];
  const choose = async (contested: readonly ContestedWork[]): Promise<readonly SettledRecord[]> => {
    const { record, take } = request;
    const named = contested.filter(({ id }) => record === null || id.startsWith(record));
    const sides = named.map(async (work) => ({ id: work.id, side: await chosenSide(bench, work, take) }));
    const settled = await withFamily(bench, contested, await Promise.all(sides));
    return settled.map((one) => withStanding(contested, one));
  };
  const foreseen = await choose(await contestedHere(bench));
  if (foreseen.length === 0 || bench.dryRun) return foreseen;
  const content = { verb: 'sync --take', ...request };
  const updated = await updateState<readonly SettledRecord[]>(
    env,
    {
      step: 'sync',
      request: bench.requestId === undefined ? undefined : { id: bench.requestId, content },
      from: async (snapshot) => {
        chosen = await choose(await loadContested(env, snapshot.root));
        return settleSides(env, snapshot, new Map(chosen.map(({ id, side }) => [id, side])));
      },
    },
    async (tx) => {
      if (chosen.length > 0) tx.event({ event: 'state.settled', subject: saySettled(chosen) });
      return chosen;
    },
  );
  return updated.result;
}

function withStanding(contested: readonly ContestedWork[], one: SettledRecord): SettledRecord {
  const work = contested.find(({ id }) => id === one.id);
  const stays = work === undefined ? null : staysBeside(work, one.side);
  return stays === null ? one : { ...one, stays };
}

const saySettled = (chosen: readonly SettledRecord[]): string =>
  chosen.map(({ id, side }) => `${id}: version ${side} counts`).join('; ');

/** Exactly one id for `--record`. Throws OwlError `unknown-id`, `ambiguous-id`, `refused`. */
export async function namedRecord(bench: Workbench, text: string): Promise<string> {
  const contested = await contestedHere(bench);
  const found = contested.filter(({ id }) => id.startsWith(text));
  const [one, other] = found;
  if (other !== undefined)
    throw new OwlError('ambiguous-id', `${text} could be ${found.map(({ id }) => id).join(' or ')}`, {
      next: ['git owl sync --dry-run'],
    });
  if (one !== undefined) return one.id;
  throw new OwlError('refused', `${text} is not contested`, {
    preserved: ['nothing was changed'],
    next: ['git owl sync --dry-run'],
  });
}
