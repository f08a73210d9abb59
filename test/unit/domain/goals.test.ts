// The transition table of Goals, and who of them may start now (03; 11, Goals).

import fc from 'fast-check';
import { t } from 'tap';
import { EXIT, isOwlError } from '../../../src/domain/errors.js';
import { evidenceOrder } from '../../../src/domain/evidence.js';
import type { Oid } from '../../../src/domain/git.js';
import { CLOSED_GOALS, type Goal, type GoalStatus } from '../../../src/domain/goal.js';
import {
  FRESH_ROUND,
  GOAL_TABLE,
  type GoalEvent,
  goalMayHappen,
  lacking,
  moveGoal,
  nextGoalEvents,
  retryStep,
} from '../../../src/domain/goal-machine.js';
import { type GoalQueueFacts, scheduleUnits } from '../../../src/domain/goal-queue.js';
import { exitOfGoal, type GoalReasonCode, goalReason } from '../../../src/domain/goal-reasons.js';
import { takenPlaces, type Wait } from '../../../src/domain/queue.js';
import { evidence, feature, goal, roundJob } from '../../fixtures/goal-records.js';
import { job, NOW, oidOf } from '../../fixtures/records.js';

const STATUSES = Object.keys(GOAL_TABLE) as GoalStatus[];
const VERBS: readonly GoalEvent[] = ['move', 'round', 'retry', 'approve', 'decline', 'cancel', 'reopen'];

t.test('03: the transition table', (t) => {
  const lines = STATUSES.flatMap((status) =>
    Object.entries(GOAL_TABLE[status]).map(([event, to]) => `${status} --${event}--> ${to.join(' | ')}`),
  );
  t.matchSnapshot(lines.join('\n'));
  t.end();
});

t.test('03, G53: every status has a way out, cancel works from any that is not terminal', (t) => {
  for (const status of STATUSES) {
    const out = VERBS.filter((verb) => (GOAL_TABLE[status][verb] ?? []).some((to) => to !== status));
    t.ok(out.length > 0, `${status}: ${out.join(', ')}`);
    t.equal(goalMayHappen(status, 'cancel'), !CLOSED_GOALS.has(status));
  }
  t.end();
});

t.test('01: every other status is a new occurrence, and the same one writes nothing', (t) => {
  const any = fc
    .constantFrom(...STATUSES)
    .chain((status) =>
      fc
        .constantFrom(...nextGoalEvents(status))
        .chain((event) => fc.constantFrom(...(GOAL_TABLE[status][event] ?? [])).map((to) => ({ status, event, to }))),
    );
  fc.assert(
    fc.property(any, ({ status, event, to }) => {
      const before = goal('g3x9qp', { status, claim: null, chain: 3 });
      const after = moveGoal(before, { event, to, op: 'other', at: NOW });
      const decided = after.occurrence.decision === 'other';
      return (
        after.status === to &&
        after.revision === before.revision + 1 &&
        (to === status || decided) &&
        after.occurrence.number === before.occurrence.number + (decided ? 1 : 0) &&
        (after.closed !== null) === CLOSED_GOALS.has(to)
      );
    }),
  );
  for (const status of STATUSES) {
    const same = goal('g3x9qp', { status });
    t.equal(moveGoal(same, { event: 'move', to: status, op: 'other', at: NOW }), same);
  }
  t.end();
});

t.test('03: what is not in the table is refused, naming the status that was found', (t) => {
  try {
    moveGoal(goal('g3x9qp', { status: 'todo' }), { event: 'move', to: 'done', op: 'o', at: NOW });
    t.fail('it was accepted');
  } catch (error) {
    t.ok(isOwlError(error, 'wrong-state'));
    t.match(error, { message: /goal g3x9qp is todo; .*backlog/, next: ['git owl goal approve g3x9qp'] });
  }
  t.end();
});

t.test('G42: a decision clears what belonged to the step before it', (t) => {
  const failed = goal('g3x9qp', {
    status: 'failed',
    reason: { code: 'merge-conflict', text: 'x' },
    failed_in: 'governance',
  });
  const moved = moveGoal(failed, { event: 'retry', to: 'quality', op: 'o', at: NOW });
  t.match(moved, { status: 'quality', reason: null, failed_in: null, window: null, claim: null });
  t.end();
});

t.test('11: retry takes the first step whose evidence is not valid for the current Candidate', (t) => {
  const pair = { base: oidOf('a'), tip: oidOf('b') };
  const passed = { status: 'passed', candidate: pair } as const;
  const other = { status: 'passed', candidate: { ...pair, tip: oidOf('c') } } as const;
  const facts = { planned: true, quality: null, governance: null };
  t.equal(retryStep({ candidate: null }, { ...facts, planned: false }), 'plan');
  t.equal(retryStep({ candidate: null }, facts), 'implement');
  const held = { candidate: { id: 'c1', ...pair } };
  t.equal(retryStep(held, facts), 'quality');
  t.equal(retryStep(held, { ...facts, quality: other }), 'quality', 'it is of another Candidate');
  t.equal(retryStep(held, { ...facts, quality: { ...passed, status: 'findings' } }), 'quality');
  t.equal(retryStep(held, { ...facts, quality: passed }), 'governance');
  t.end();
});

t.test('G42: what a status needs before a person can choose it', (t) => {
  const base = { ref: 'refs/heads/main', oid: 'a'.repeat(40) as Oid };
  const started = goal('g3x9qp', { status: 'failed', base });
  t.equal(lacking(goal('g3x9qp', { round: 0 }), 'todo'), null, 'it waits there, and says why');
  t.match(lacking(goal('g3x9qp'), 'implement'), /never started/);
  t.equal(lacking(started, 'implement'), null);
  t.match(lacking(started, 'quality'), /no candidate/);
  const candidate = { id: 'c1', base: base.oid, tip: base.oid };
  t.match(lacking({ ...started, candidate }, 'governance'), /not passed quality/);
  t.equal(lacking({ ...started, candidate, gates: { quality: 'e1', governance: null } }, 'governance'), null);
  t.match(lacking({ ...started, ...FRESH_ROUND }, 'quality'), /never started/);
  t.end();
});

t.test('G40, 06: conflicts of every kind keep their names and have one exit status', (t) => {
  const exit = (code: GoalReasonCode) => exitOfGoal({ status: 'failed', reason: goalReason(code, 'x') });
  for (const code of ['refresh-conflict', 'merge-conflict', 'stale-candidate', 'target-moved', 'lineage'] as const)
    t.equal(exit(code), EXIT.conflict, code);
  t.equal(exit('governance-findings'), EXIT.notAccepted);
  t.equal(exit('declined-by-server'), EXIT.refused);
  t.equal(exitOfGoal({ status: 'failed', reason: { code: 'checks-failed', text: 'x' } }), EXIT.notAccepted);
  t.equal(exitOfGoal({ status: 'governance', reason: goalReason('lease-held', 'x') }), EXIT.busy);
  t.equal(exitOfGoal({ status: 'review', reason: null }), EXIT.ok);
  t.end();
});

t.test('G13, 06: evidence of one second is in the order of the steps, of each Round', (t) => {
  const types = ['forward', 'refresh', 'quality', 'governance', 'integration', 'reconciliation', 'revert'] as const;
  const at = '2026-01-01T00:00:00Z';
  const all = [
    evidence('g3x9qp', 'zz', { type: 'governance', at: '2025-12-31T23:59:59Z' }),
    ...types.map((type, index) => evidence('g3x9qp', `e${9 - index}`, { type, at })),
    evidence('g3x9qp', 'aa', { type: 'forward', round: 2, at }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (mixed) => {
      t.strictSame(
        mixed.sort(evidenceOrder).map(({ id }) => id),
        all.map(({ id }) => id),
      );
    }),
    { numRuns: 20 },
  );
  t.end();
});

const NOTHING: GoalQueueFacts = { features: [], empty: new Set(), needed: new Map(), left: new Map() };
const ELIGIBLE: Wait = { kind: 'eligible' };

const order = (
  goals: readonly Goal[],
  jobs: Parameters<typeof scheduleUnits>[1] = [],
  facts: Partial<GoalQueueFacts> = {},
): readonly string[] =>
  scheduleUnits(goals, jobs, { ...NOTHING, ...facts }).map((unit) =>
    unit.wait.kind === 'waits' ? `${unit.id}: ${unit.wait.why}` : `${unit.id} ${unit.wait.kind}`,
  );

t.test('G2: a Goal without a non-empty Round is never eligible and holds no place', (t) => {
  const [a, b, c] = ['aaaa', 'bbbb', 'cccc'].map((id, at) => goal(id, { feature: 'ffff', position: `a${at}` })) as [
    Goal,
    Goal,
    Goal,
  ];
  t.same(order([{ ...a, round: 0 }, b, c], [], { empty: new Set(['bbbb']) }), [
    'aaaa: it has no round: there is nothing it is asked for',
    'bbbb: it has no round: there is nothing it is asked for',
    'cccc eligible',
  ]);
  t.end();
});

t.test('G3: in a Feature the next one starts when the one before is in review or closed; a failed one blocks', (t) => {
  const place = (id: string, position: string, status: GoalStatus) => goal(id, { feature: 'ffff', position, status });
  t.same(order([place('aaaa', 'a0', 'implement'), place('bbbb', 'a1', 'todo'), place('cccc', 'a2', 'todo')]), [
    'aaaa not-queued',
    'bbbb: goal aaaa, before it in its feature, is implement',
    'cccc: goal aaaa, before it in its feature, is implement',
  ]);
  t.same(order([place('aaaa', 'a0', 'review'), place('bbbb', 'a1', 'todo'), place('cccc', 'a2', 'todo')]), [
    'aaaa not-queued',
    'bbbb eligible',
    'cccc: goal bbbb, before it in its feature, is todo',
  ]);
  t.same(order([place('aaaa', 'a0', 'failed'), place('bbbb', 'a1', 'todo'), goal('cccc', { position: 'a2' })]), [
    'aaaa not-queued',
    'bbbb: goal aaaa, before it in its feature, failed',
    'cccc eligible',
  ]);
  t.end();
});

t.test('G3: a Feature takes its place in the queue, and its Goals theirs in it', (t) => {
  const features = [feature('ffff', { position: 'a3' }), feature('eeee', { position: 'a1' })];
  const goals = [
    goal('aaaa', { position: 'a2' }),
    goal('bbbb', { position: 'a0', feature: 'ffff' }),
    goal('cccc', { position: 'a9', feature: 'eeee' }),
  ];
  t.same(order(goals, [{ job: job('jjjj', { position: 'a0' }), wait: ELIGIBLE }], { features }), [
    'jjjj eligible',
    'cccc eligible',
    'aaaa eligible',
    'bbbb eligible',
  ]);
  t.end();
});

t.test('G3, 11: priority is a gate; Jobs count as medium, review and failed do not gate', (t) => {
  const jobs = [{ job: job('jjjj'), wait: ELIGIBLE }];
  const low = goal('llll', { priority: 'low' });
  t.same(order([low, goal('hhhh', { priority: 'high' })], jobs), [
    'hhhh eligible',
    'jjjj: goal hhhh has a higher priority (high)',
    'llll: goal hhhh has a higher priority (high)',
  ]);
  t.same(order([low], jobs), ['jjjj eligible', 'llll: job jjjj has a higher priority (medium)']);
  t.same(order([low, goal('hhhh', { priority: 'high', status: 'quality' })]), [
    'hhhh not-queued',
    'llll: goal hhhh has a higher priority (high)',
  ]);
  t.same(order([low], [{ job: job('jjjj', { state: 'active' }), wait: { kind: 'not-queued' } }]), [
    'jjjj not-queued',
    'llll: job jjjj has a higher priority (medium)',
  ]);
  for (const status of ['review', 'failed', 'backlog'] as const)
    t.same(order([low, goal('hhhh', { priority: 'high', status })]), ['hhhh not-queued', 'llll eligible']);
  t.same(
    order([low], [{ job: roundJob('rrrr', 'gggg'), wait: ELIGIBLE }]),
    ['llll eligible'],
    'a Job of a Round is none',
  );
  t.end();
});

t.test('G3: needs', (t) => {
  const one = goal('aaaa', { needs: ['nnnn'] });
  const why = (status: GoalStatus | 'unknown') => order([one], [], { needed: new Map([['nnnn', status]]) })[0];
  t.equal(why('review'), 'aaaa eligible');
  t.equal(why('done'), 'aaaa eligible');
  t.equal(why('quality'), 'aaaa: needs nnnn, which is quality');
  t.equal(why('failed'), 'aaaa: needs nnnn, which failed');
  t.match(why('cancelled'), /goal edit \w+ --needs none/);
  t.match(why('unknown'), /unknown here/);
  t.end();
});

t.test('03: what nobody carries goes on before new work; a window, a limit and a live Run keep it waiting', (t) => {
  const low = goal('llll', { status: 'quality', priority: 'low', position: 'a9' });
  const fresh = goal('ffff', { position: 'a0' });
  const left = new Map<string, string | null>([['llll', null]]);
  t.same(order([fresh, low], [], { left }), ['llll eligible', 'ffff eligible']);
  const first = goal('hhhh', { priority: 'high', position: 'a1' });
  t.same(
    order([fresh, low, first], [], { left }),
    ['llll eligible', 'hhhh eligible', 'ffff: goal hhhh has a higher priority (high)'],
    'what was begun is not gated, and a lower one that was begun gates nobody',
  );
  t.same(order([low], [], { left: new Map([['llll', 'not before noon']]) }), ['llll: not before noon']);
  t.same(order([low]), ['llll not-queued'], 'somebody carries it');
  const window = {
    step: 'quality' as const,
    event: 'workflow.quality.error',
    evidence: 'e',
    opened: NOW,
    deadline: NOW,
    clone: 'c',
  };
  t.match(order([{ ...low, window }], [], { left }), [/a handler has until/]);
  t.end();
});

t.test('J4: a Goal with the Run of its Round takes one place, a dead claim none', (t) => {
  const claim = (pid: number) => ({
    run: `r${pid}`,
    host: 'h',
    boot: 'b',
    namespace: 'n',
    pid,
    start: '1',
    since: NOW,
  });
  const jobs = [
    { id: 'jjjj', state: 'active', claim: claim(1), goal: null },
    { id: 'rrrr', state: 'active', claim: claim(2), goal: 'gggg' },
    { id: 'oooo', state: 'active', claim: claim(3), goal: 'qqqq' },
    { id: 'pppp', state: 'pending', claim: null, goal: null },
  ] as const;
  const goals = [
    { id: 'gggg', claim: claim(2) },
    { id: 'qqqq', claim: null },
    { id: 'dead', claim: claim(9) },
  ];
  const gone = ({ pid }: { pid: number }) => pid === 9;
  t.equal(takenPlaces({ jobs, goals }, gone, null), 3);
  t.equal(takenPlaces({ jobs, goals }, gone, 'gggg'), 2, 'its own place is no hindrance');
  t.equal(
    takenPlaces({ jobs, goals }, () => false, null),
    4,
  );
  t.end();
});
