// Both sides of two states changed one Goal, or a Round of it: what counts (05, S2 to S4; G32, G35).

import t from 'tap';
import type { Goal } from '../../../src/domain/goal.js';
import { FRESH_ROUND, moveGoal } from '../../../src/domain/goal-machine.js';
import { moveJob } from '../../../src/domain/machine.js';
import { loadRoot } from '../../../src/state/guard.js';
import { indexAnew } from '../../../src/state/index-anew.js';
import { STATE_REF } from '../../../src/state/layout.js';
import { mergeRounds } from '../../../src/state/merge/parts.js';
import { mergeGoals, mergeJobs } from '../../../src/state/merge/work.js';
import { openEnv } from '../../../src/state/store.js';
import { goal, round } from '../../fixtures/goal-records.js';
import { job, memory, NOW, oidOf } from '../../fixtures/records.js';

const by = (
  event: Parameters<typeof moveGoal>[1]['event'],
  to: Goal['status'],
  before: Goal,
  change: Partial<Goal> = {},
): Goal => moveGoal(before, { event, to, op: `op-${event}-${before.revision}`, at: NOW }, change);

const todo = goal('abcd');
const started = by('start', 'plan', todo, { token: 3, base: { ref: 'refs/heads/main', oid: oidOf('1') } });
const judged = {
  candidate: { id: 'c1', base: oidOf('1'), tip: oidOf('2') },
  gates: { quality: 'q1', governance: 'g1' },
};
const governed = by('advance', 'governance', { ...started, status: 'quality' }, judged);
const merged = by('advance', 'review', governed, { integration: 'e1' });

/** Both ways round: the order of the sides never matters. */
function both(ours: Goal, theirs: Goal, base = todo): Goal | null {
  const found = mergeGoals(ours, theirs, [base]);
  t.same(mergeGoals(theirs, ours, [base]), found, 'the same the other way round');
  return found;
}

t.test('S4: cancelled on both sides is one decision, whatever came before it on either', async (t) => {
  const early = by('cancel', 'cancelled', todo);
  const late = by('cancel', 'cancelled', governed);
  t.match(both(early, late), { status: 'cancelled', candidate: judged.candidate, token: 3, integration: null });
  t.match(both(early, by('cancel', 'cancelled', merged)), { status: 'cancelled', integration: 'e1' });
  const other = by('cancel', 'cancelled', merged, { integration: 'e2' });
  t.equal(both(by('cancel', 'cancelled', merged), other), null, 'two different merges are for a person');

  const pending = job('abcd');
  const cancel = { event: 'cancel', to: 'cancelled', op: 'op', at: NOW } as const;
  const gone = moveJob(pending, cancel);
  const ran = moveJob({ ...pending, token: 2, runs: 1, tip: oidOf('2'), phase: 'execute' }, { ...cancel, op: 'other' });
  t.match(mergeJobs(gone, ran, [pending]), { state: 'cancelled', tip: oidOf('2'), token: 2, runs: 1 });
  t.same(mergeJobs(gone, ran, [pending]), mergeJobs(ran, gone, [pending]));
  const dropped = { ...gone, dropped: { at: NOW, tip: null } as never };
  t.equal(mergeJobs(dropped, ran, [pending]), null, 'dropped is more than cancelled');
});

t.test('G35, S4: cancelled on one side and merged on the other: cancelled, and the merge is known', async (t) => {
  const found = both(by('cancel', 'cancelled', todo), merged);
  t.match(found, {
    status: 'cancelled',
    integration: 'e1',
    candidate: judged.candidate,
    base: merged.base,
    claim: null,
  });
  t.not(found?.closed, null);
  const declined = by('decline', 'todo', merged, { ...FRESH_ROUND, round: 2 });
  t.match(both(by('cancel', 'cancelled', declined), { ...merged, labels: ['x'] }, merged), {
    round: 2,
    integration: null,
  });

  const pending = job('abcd');
  const gone = moveJob(pending, { event: 'cancel', to: 'cancelled', op: 'op', at: NOW });
  const landed = { by: 'merge', at: NOW, commit: oidOf('5') } as never;
  const done = {
    ...pending,
    state: 'done' as const,
    merged: landed,
    revision: 2,
    closed: NOW,
    occurrence: { number: 2, decision: 'm' },
  };
  t.match(mergeJobs(gone, done, [pending]), { state: 'cancelled', merged: { commit: oidOf('5') } }, 'of a Job too');
});

t.test('G32, S4: merged on one side, while a person spoke of that very Round on the other', async (t) => {
  const edited = by('edit', 'todo', todo, { owner: 'bob' });
  t.match(both(edited, merged), { status: 'review', owner: 'bob', integration: 'e1' }, 'an edit leaves it in review');
  t.equal(both(by('move', 'backlog', todo), merged), null, 'another place is for a person');
  const again = by('round', 'todo', { ...todo, status: 'failed' }, { ...FRESH_ROUND, round: 2 });
  t.match(both(again, merged), { status: 'todo', round: 2 }, 'a new Round goes on from the target as it is');
  t.match(both(edited, started), { status: 'todo', owner: 'bob' }, 'what is not merged yields');
});

t.test('S2: what a Round asks for is apart from the Job that does it', async (t) => {
  const base = round('abcd');
  const asked = { ...base, request: 'something else' };
  const begun = { ...base, job: 'jaaa', left_out: ['x'] };
  t.same(mergeRounds(asked, begun, [base]), { ...base, ...begun, request: 'something else' });
  t.same(mergeRounds(begun, asked, [base]), mergeRounds(asked, begun, [base]));
  t.equal(mergeRounds(asked, { ...base, request: 'or this' }, [base]), null, 'asked for in two ways');
  t.equal(mergeRounds(begun, { ...base, job: 'jbbb' }, [base]), null, 'two Jobs');
  t.equal(mergeRounds(round('abcd', 2), round('abcd', 2, { request: 'x' }), []), null, 'two Rounds of one number');
});

t.test(
  '01, S2: a state that has no Jobs, or no open Goals any more, has the index that other clones derive of it',
  async (t) => {
    const { store, engine, deps } = memory();
    const env = await openEnv(deps);
    const put = (next: Goal) =>
      store.update({}, async (tx) => {
        tx.putGoal(next);
        tx.event({ event: 'goal.edited', subject: 'changed', goal: next.id });
      });
    for (const next of [todo, by('cancel', 'cancelled', todo)]) {
      await put(next);
      const tip = engine.refs.get(STATE_REF);
      if (tip === undefined) return t.fail('there is a state');
      const root = await loadRoot(env.objects, tip);
      t.equal((await indexAnew(env, root, Date.parse(NOW))).root, root, next.status);
    }
  },
);
