// One look at the configured remote: its branches and the state that it has; what is missing is fetched (M7).

import { isOwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import { ROUND_PREFIX } from '../../domain/names.js';
import { fetchObjects } from '../../git/fetch.js';
import { lookAtRefs } from '../../git/push.js';
import { STATE_REF } from '../../state/layout.js';
import { loadStateAt } from '../../state/load-state.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import type { Snapshot } from '../../state/types.js';
import type { Ground } from '../collect/inventory.js';
import { prefixesInUse } from '../collect/look-refs.js';
import { resolveTarget } from '../goal/target.js';
import { idIn } from './job-names.js';

export type RemoteSeen =
  /** Nothing is published, or nothing of ours is known that could lie there. `landing`: the branch that Goals land on by default. */
  | { readonly kind: 'none'; readonly landing: string | null }
  | { readonly kind: 'unseen'; readonly name: string; readonly landing: string; readonly why: string }
  | {
      readonly kind: 'seen';
      readonly name: string;
      readonly landing: string;
      /** Are Goals integrated there? */
      readonly publish: boolean;
      /** Of branches of Jobs, longest first. */
      readonly prefixes: readonly string[];
      /** Its branches. */
      readonly refs: ReadonlyMap<RefName, Oid>;
      /** Those below `refine/`, sorted. */
      readonly rows: readonly { readonly ref: RefName; readonly oid: Oid }[];
      /** Null: it has none. */
      readonly state:
        | { readonly kind: 'read'; readonly oid: Oid; readonly snapshot: StateSnapshot }
        | { readonly kind: 'unseen'; readonly why: string }
        | null;
    };

const BELOW = 'refs/heads/refine/';

export const fetchTimeout = ({ bench }: Pick<Ground, 'bench'>): number | undefined =>
  Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;

/** `here`: are there branches of ours in this clone? The remote is asked only where something of ours may lie there. */
export async function seeRemote(
  ground: Ground,
  own: Snapshot,
  here: { readonly goals: boolean; readonly jobs: boolean },
): Promise<RemoteSeen> {
  const { bench, policy } = ground;
  const landing = await landingOf(ground);
  if (landing === null || landing.remote === null) return { kind: 'none', landing: landing?.name ?? null };
  const { remote: name, publish } = landing;
  const engine = await bench.repository.engine();
  const prefixes = await prefixesInUse(own, policy);
  const tracked = (await engine.list(`refs/remotes/${name}/`)).map(({ ref }) =>
    ref.slice(`refs/remotes/${name}/`.length),
  );
  const below = (prefix: string): boolean => tracked.some((branch) => branch.startsWith(prefix));
  const goals = publish && (here.goals || below(ROUND_PREFIX) || (await own.goalIds()).length > 0);
  const jobs = here.jobs || prefixes.some(below);
  if (!goals && !jobs) return { kind: 'none', landing: landing.name };
  bench.progress.step(`looking at the branches of ${name}`);
  const looked = await lookAtRefs(bench.repository, {
    remote: name,
    refs: ['refs/heads/*'],
    timeout: fetchTimeout(ground),
  });
  if (looked.kind === 'failed')
    return { kind: 'unseen', name, landing: landing.name, why: `${name}: ${looked.reason}` };
  const rows = [...looked.refs].filter(([ref]) => ref.startsWith(BELOW)).map(([ref, oid]) => ({ ref, oid }));
  const ours = rows.length > 0 || [...looked.refs.keys()].some((ref) => idIn(ref, prefixes)?.ours === true);
  const oid = looked.refs.get(STATE_REF) ?? null;
  const state = oid === null || !(ours || here.goals || here.jobs) ? null : await readState(ground, name, oid, own);
  return { kind: 'seen', name, landing: landing.name, publish, prefixes, refs: looked.refs, rows, state };
}

async function landingOf({ bench }: Ground): Promise<Awaited<ReturnType<typeof resolveTarget>>['landing'] | null> {
  try {
    return (await resolveTarget(bench, { target: null, remote: null })).landing;
  } catch (error) {
    // A repository without a commit, say.
    if (!isOwlError(error)) throw error;
    return null;
  }
}

async function readState(
  ground: Ground,
  remote: string,
  oid: Oid,
  own: Snapshot,
): Promise<Extract<RemoteSeen, { kind: 'seen' }>['state']> {
  const unseen = (why: string) => ({
    kind: 'unseen' as const,
    why: `the state on ${remote} could not be read: ${why}`,
  });
  const missing = await fetchMissing(ground, remote, new Map([[STATE_REF, oid]]));
  if (missing !== null) return unseen(missing);
  try {
    const snapshot = await loadStateAt(ground.env, oid);
    const [theirs, ours] = [await snapshot.meta(), await own.meta()];
    if (ours !== null && theirs?.repository !== ours.repository) return unseen('it is the state of another repository');
    return { kind: 'read', oid, snapshot };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return unseen(error.message);
  }
}

/** Null: all of them are here. */
export async function fetchMissing(
  ground: Ground,
  remote: string,
  wanted: ReadonlyMap<RefName, Oid>,
): Promise<string | null> {
  const { repository } = ground.bench;
  const engine = await repository.engine();
  const missing = async (): Promise<readonly RefName[]> => {
    const rows = [...wanted];
    const there = await engine.exists(rows.map(([, oid]) => oid));
    return rows.filter((_, at) => there[at] !== true).map(([ref]) => ref);
  };
  const refs = await missing();
  if (refs.length === 0) return null;
  const whole = refs.includes(STATE_REF);
  const why = await fetchObjects(repository, { remote, refs, whole, timeout: fetchTimeout(ground) });
  if (why !== null) return why;
  const [still] = await missing();
  return still === undefined ? null : `${still} moved meanwhile`;
}
