// Branches of Rounds that the remote does not have go there in one push with a commit on the state that says so. A name that another clone
// retired since that state was read is not made again by a late push: the state has moved by then (M10).

import { branchName, type Oid, type RefName, shortRef } from '../../domain/git.js';
import { parseGoalBranch, workOf } from '../../domain/names.js';
import { lookAtRefs, type PushUpdate, pushedAll, pushRefs } from '../../git/push.js';
import { closedSince } from '../../state/archive.js';
import { STATE_REF } from '../../state/layout.js';
import { commitOnto } from '../../state/onto.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { takeState } from './exchange.js';

const TRIES = 3;

/** `state`: what the remote has, as just looked at. Returns the names that are there now. What did not go stays for the next sync, and that is said. */
export async function sendNewRounds(
  bench: Workbench,
  remote: string,
  { state, updates }: { readonly state: Oid | undefined; readonly updates: readonly PushUpdate[] },
): Promise<readonly RefName[]> {
  let at = state;
  let left = updates;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    left = await ofOpenGoals(bench, left);
    if (left.length === 0) return [];
    if (at === undefined || !(await isTakenIn(bench, at))) return stays(bench, remote, 'its state moved meanwhile');
    const env = await bench.store.env();
    const commit = await commitOnto(env, {
      tip: at,
      op: bench.ids.operation(),
      event: { event: 'round.sent', subject: saySent(left, remote), ...only(left) },
      change: async () => {},
    });
    await failpoint('sync.before-rounds');
    const withState = [{ ref: STATE_REF, old: at, new: commit }, ...left];
    const whole = await pushRefs(bench.repository, { remote, updates: withState, atomic: true });
    await failpoint('sync.after-rounds');
    if (pushedAll(whole)) {
      await takeState(bench, remote);
      return left.map(({ ref }) => ref);
    }
    // A host that takes no atomic push retires no name either.
    if (whole.refs.every(({ status }) => status === 'unanswered')) return sendAlone(bench, remote, left);
    if (whole.refs.every(({ status }) => status !== 'moved')) return stays(bench, remote, whole.why ?? 'it said no');
    await takeState(bench, remote);
    const look = await lookAtRefs(bench.repository, { remote, refs: [STATE_REF, ...left.map(({ ref }) => ref)] });
    if (look.kind === 'failed') return stays(bench, remote, look.reason);
    at = look.refs.get(STATE_REF);
    left = left.filter(({ ref }) => !look.refs.has(ref));
  }
  return stays(bench, remote, 'its state moves all the time');
}

async function sendAlone(
  bench: Workbench,
  remote: string,
  updates: readonly PushUpdate[],
): Promise<readonly RefName[]> {
  const { refs, why } = await pushRefs(bench.repository, { remote, updates });
  if (why !== null) stays(bench, remote, why);
  return refs.filter(({ status }) => status === 'done' || status === 'there').map(({ ref }) => ref);
}

function stays(bench: Workbench, remote: string, why: string): readonly [] {
  bench.say(`not all branches of rounds went to ${remote}: ${why}`);
  return [];
}

const goalOf = ({ ref }: PushUpdate): string => {
  const name = parseGoalBranch(branchName(ref) ?? '');
  return name === null ? '' : (workOf(name) ?? '');
};

async function ofOpenGoals(bench: Workbench, updates: readonly PushUpdate[]): Promise<readonly PushUpdate[]> {
  const snapshot = await bench.store.snapshot();
  const open: PushUpdate[] = [];
  for (const update of updates) if ((await closedSince(snapshot, goalOf(update))) === null) open.push(update);
  return open;
}

/** Was the Goals' being open read from a state that has this one in it? */
async function isTakenIn(bench: Workbench, state: Oid): Promise<boolean> {
  const engine = await bench.repository.engine();
  const ours = await engine.resolve(STATE_REF);
  if (ours === null || (await engine.exists([state]))[0] !== true) return false;
  return (await engine.isAncestor(state, ours)) === 'ancestor';
}

function only(updates: readonly PushUpdate[]): { readonly goal?: string } {
  const goals = new Set(updates.map(goalOf));
  return goals.size === 1 ? { goal: [...goals][0] as string } : {};
}

function saySent(updates: readonly PushUpdate[], remote: string): string {
  const [first] = updates;
  return updates.length === 1 && first !== undefined
    ? `goal ${goalOf(first)}: ${shortRef(first.ref)} goes to ${remote}`
    : `${updates.length} branches of rounds go to ${remote}`;
}
