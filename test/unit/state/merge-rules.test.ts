// Both sides of two states changed one piece of work: what counts (05, S2 to S4; 07.51).

import t from 'tap';
import type { Evidence, Goal } from '../../../src/domain/goal.js';
import { moveGoal } from '../../../src/domain/goal-machine.js';
import type { Job, Run } from '../../../src/domain/job.js';
import { moveJob } from '../../../src/domain/machine.js';
import { canonical } from '../../../src/state/canonical.js';
import { parseContested } from '../../../src/state/contested.js';
import { sha256 } from '../../../src/state/layout.js';
import type { UnitSide } from '../../../src/state/merge/files.js';
import { mergeEvidence, mergeInvocations, mergeRuns } from '../../../src/state/merge/parts.js';
import { mergeUnit } from '../../../src/state/merge/unit.js';
import { mergeGoals, mergeJobs } from '../../../src/state/merge/work.js';
import { evidence, goal, invocation } from '../../fixtures/goal-records.js';
import { job, NOW, oidOf, run } from '../../fixtures/records.js';

const claim = (id: string) => ({ run: id, host: 'h', boot: 'b', namespace: 'n', pid: 7, start: '1', since: NOW });
const move = (
  before: Job,
  event: Parameters<typeof moveJob>[1]['event'],
  to: Job['state'],
  change: Partial<Job> = {},
) => moveJob(before, { event, to, op: `op-${event}`, at: NOW }, change);
const edit = (before: Job, change: Partial<Job>): Job => ({ ...before, ...change, revision: before.revision + 1 });

const pending = job('abcd', { labels: ['old', 'stays'], ttl: 10 });
const active = move(pending, 'claim', 'active', { claim: claim('r1'), runs: 1, last_run: 'r1' });
const review = move(active, 'settle', 'review', { claim: null, tip: oidOf('1'), ttl: 9 });

/** Both ways round: the order of the sides never matters. */
function both(base: Job, ours: Job, theirs: Job): Job | null {
  const merged = mergeJobs(ours, theirs, [base]);
  t.same(mergeJobs(theirs, ours, [base]), merged, 'the same the other way round');
  return merged;
}

t.test('07.51, S2: far-apart fields of one record', async (t) => {
  const ours = edit(pending, { title: 'better', labels: ['stays', 'mine'], ttl: 13 });
  const theirs = edit(edit(pending, { owner: 'bob' }), { labels: ['old', 'stays', 'yours'], ttl: 11 });
  t.match(both(pending, ours, theirs), {
    title: 'better',
    owner: 'bob',
    labels: ['mine', 'stays', 'yours'],
    ttl: 14,
    revision: 4,
    state: 'pending',
  });
  const extended = edit(pending, { ttl: 15 });
  t.match(both(pending, review, extended), { state: 'review', ttl: 14, tip: oidOf('1'), runs: 1 }, 'a Run and --ttl');
});

t.test('07.51, S2: the same field, in two ways, is contested; in one way it is equal', async (t) => {
  t.equal(both(pending, edit(pending, { title: 'one' }), edit(pending, { title: 'two' })), null);
  t.match(both(pending, edit(pending, { title: 'one', ttl: 11 }), edit(pending, { title: 'one' })), { title: 'one' });
  t.equal(mergeJobs(pending, edit(pending, { title: 'other' }), []), null, 'never one: not two versions of one');
});

t.test('07.51, S4: cancel against settle, start against start, decision against settlement', async (t) => {
  const cancelled = move(active, 'cancel', 'cancelled', { claim: null });
  const merged = both(active, review, cancelled);
  t.match(
    merged,
    { state: 'cancelled', claim: null, tip: oidOf('1'), ttl: 9 },
    'cancel wins; what the Run did is known',
  );
  const numbers = [review.occurrence.number, cancelled.occurrence.number];
  t.equal(merged?.occurrence.number, Math.max(...numbers) + 1);
  t.equal(merged?.revision, Math.max(review.revision, cancelled.revision) + 1);
  t.not(merged?.occurrence.decision, cancelled.occurrence.decision, 'a worker of either side is superseded');

  const other = move(pending, 'claim', 'active', { claim: claim('r2'), runs: 1, last_run: 'r2' });
  t.equal(both(pending, active, other), null, 'two Runs');
  t.match(both(pending, cancelled, move(pending, 'cancel', 'cancelled')), { state: 'cancelled' }, 'the same decision');

  const blocked = move(active, 'settle', 'blocked', { claim: null });
  const accepted = move(review, 'accept', 'done');
  const retried = move(review, 'retry', 'pending', { feedback: ['more'] });
  t.equal(both(review, accepted, retried), null, 'two decisions');
  t.match(both(review, accepted, move(review, 'cancel', 'cancelled')), { state: 'cancelled' });
  t.match(both(review, move(review, 'block', 'blocked'), accepted), { state: 'done' }, 'automatic yields');
  t.match(both(review, retried, move(review, 'retry', 'pending', { feedback: ['and tests'] })), {
    state: 'pending',
    feedback: ['and tests', 'more'],
  });
  t.equal(both(active, review, blocked), null, 'two settlements');
  const ran = (id: string, tip: string): Job =>
    move(move(pending, 'claim', 'active', { claim: claim(id), runs: 1, last_run: id }), 'settle', 'review', {
      claim: null,
      tip: oidOf(tip),
      onto: { ref: 'refs/heads/main', oid: oidOf('9') },
    });
  t.equal(both(pending, ran('r1', '1'), ran('r2', '2')), null, 'two Runs that both ended well, each with its own work');
  t.equal(both(review, edit(accepted, { tip: oidOf('3') }), edit(accepted, { tip: oidOf('4') })), null, 'two results');
  const gone = move(active, 'cancel', 'cancelled', { claim: null });
  const there: Job = { ...gone, tip: oidOf('2'), occurrence: { ...gone.occurrence, decision: 'of another clone' } };
  t.match(both(pending, { ...gone, tip: oidOf('1') }, there), { state: 'cancelled' });

  const closed = move(pending, 'cancel', 'cancelled');
  const reopened = move(closed, 'reopen', 'pending');
  t.equal(both(closed, reopened, move(reopened, 'cancel', 'cancelled')), null, 'cancel does not win over reopen');
});

t.test('S4: clocks decide nothing: whenever each side was written, the same one counts', async (t) => {
  const accepted = move(review, 'accept', 'done');
  const pairs: readonly (readonly [Job, Job, Job])[] = [
    [active, review, move(active, 'cancel', 'cancelled', { claim: null })],
    [review, move(review, 'block', 'blocked'), accepted],
    [review, accepted, move(review, 'retry', 'pending')],
    [review, accepted, { ...accepted, occurrence: { ...accepted.occurrence, decision: 'of another clone' } }],
    [pending, edit(pending, { title: 'one' }), edit(pending, { title: 'two' })],
    [pending, edit(pending, { title: 'one' }), edit(pending, { owner: 'bob' })],
    [pending, { ...active, token: 1 }, { ...active, token: 2, claim: claim('r2'), last_run: 'r2' }],
  ];
  const written = (side: Job, at: string): Job => ({ ...side, updated: at, closed: side.closed === null ? null : at });
  const decided = (merged: Job | null) => merged && { ...merged, updated: null, closed: merged.closed !== null };
  const times = ['1999-01-01T00:00:00Z', NOW, '2099-01-01T00:00:00Z'];
  for (const [number, [base, ours, theirs]] of pairs.entries()) {
    const expected = decided(mergeJobs(ours, theirs, [base]));
    for (const one of times)
      for (const other of times) {
        const merged = mergeJobs(written(ours, one), written(theirs, other), [base]);
        t.same(decided(merged), expected, `${number}: ${one} and ${other}`);
      }
  }
});

t.test('07.53, S7: of two that went on under claims, the later claim counts, and its worker goes on', async (t) => {
  const under = (before: Job, token: number, name: string): Job =>
    move(before, 'claim', 'active', {
      claim: claim(name),
      token,
      runs: before.runs + 1,
      last_run: name,
      agent: name,
      account: null,
    });
  const first = under(pending, 1, 'r1');
  const second = under(pending, 2, 'r2');
  t.match(both(pending, first, second), {
    state: 'active',
    token: 2,
    last_run: 'r2',
    claim: { run: 'r2' },
    agent: 'r2',
  });
  t.same(both(pending, first, second)?.occurrence, second.occurrence, 'it is not superseded');
  const settled = move(first, 'settle', 'review', { claim: null, tip: oidOf('1'), ttl: 9 });
  const gone = move(first, 'settle', 'pending', { claim: null });
  const done = move(second, 'settle', 'review', { claim: null, tip: oidOf('2'), ttl: 9 });
  for (const late of [first, settled, gone]) {
    t.match(both(pending, late, second), { state: 'active', claim: { run: 'r2' }, occurrence: second.occurrence });
    t.match(both(pending, late, done), { state: 'review', tip: oidOf('2'), token: 2, last_run: 'r2' });
  }
  t.match(both(pending, active, done), { tip: oidOf('2') }, 'a Run without any claim has no say against one');
  t.match(both(pending, done, move(pending, 'cancel', 'cancelled')), { state: 'cancelled' }, 'a person has');
  t.equal(both(pending, done, under(pending, 2, 'r3')), null, 'one token twice is contested');
  const [started, taken] = [3, 4].map((token) =>
    moveGoal(
      goal('abcd'),
      { event: 'start', to: 'plan', op: `op-${token}`, at: NOW },
      { claim: claim(`s${token}`), token },
    ),
  ) as [Goal, Goal];
  t.match(mergeGoals(started, taken, [goal('abcd')]), { token: 4, claim: { run: 's4' } });
  const arrived: Goal = { ...started, status: 'review', claim: null, integration: 'e1' };
  t.match(mergeGoals(arrived, taken, [goal('abcd')]), { status: 'review', integration: 'e1' }, 'what arrived is there');

  const files = (record: Job, ran: Run) => side({ 'job.json': record, prompt: 'do it', [`runs/${ran.id}.json`]: ran });
  const late = run('r1', 'abcd', 1, { outcome: 'succeeded', ended: NOW });
  const won = run('r2', 'abcd', 1, { outcome: 'succeeded', ended: NOW });
  const merged = asSide(ask(files(settled, late), files(done, won), side({ 'job.json': pending, prompt: 'do it' })));
  const superseded = (name: string) =>
    JSON.parse(texts.get(merged.files.get(`runs/${name}.json`) ?? '') ?? '').superseded;
  t.same([superseded('r1'), superseded('r2')], [true, false], 'what came too late is kept as that');
});

t.test('07.51, S4: start against reassign', async (t) => {
  const todo: Goal = goal('abcd');
  const step = (event: 'start' | 'edit' | 'advance', to: Goal['status'], change: Partial<Goal> = {}) =>
    moveGoal(todo, { event, to, op: `op-${event}`, at: NOW }, change);
  const started = step('start', 'plan', { claim: claim('s1'), base: { ref: 'refs/heads/main', oid: oidOf('1') } });
  const reassigned = step('edit', 'todo', { owner: 'bob' });
  const merged = mergeGoals(started, reassigned, [todo]);
  t.match(merged, { status: 'todo', owner: 'bob', claim: null, base: null, occurrence: { number: 3 } });
  t.same(mergeGoals(reassigned, started, [todo]), merged);
  t.match(mergeGoals({ ...todo, owner: 'bob', revision: 2 }, { ...todo, priority: 'high', revision: 2 }, [todo]), {
    owner: 'bob',
    priority: 'high',
  });
  t.match(mergeGoals(started, moveGoal(todo, { event: 'cancel', to: 'cancelled', op: 'c', at: NOW }), [todo]), {
    status: 'cancelled',
    claim: null,
  });
});

t.test('S2: Runs and Evidence become more definite, and what is definite twice is contested', async (t) => {
  const live = run('r1', 'abcd', 1);
  const settled: Run = { ...live, outcome: 'succeeded', ended: NOW };
  const gone: Run = { ...live, outcome: 'interrupted', ended_by: 'gone', ended: NOW };
  t.equal(mergeRuns(live, settled), settled);
  t.equal(mergeRuns(gone, settled), settled);
  t.equal(mergeRuns(settled, { ...settled, outcome: 'failed' }), null);
  const begun: Evidence = evidence('abcd', 'e1', { status: 'begun' });
  t.match(mergeEvidence(begun, { ...begun, status: 'done' }), { status: 'done' });
  t.equal(mergeEvidence({ ...begun, status: 'passed' }, { ...begun, status: 'findings' }), null);
});

const texts = new Map<string, string>();
const store = (value: unknown): string => {
  const text = typeof value === 'string' ? value : canonical(value);
  const oid = sha256(text).slice(0, 40);
  texts.set(oid, text);
  return oid;
};
const side = (files: Readonly<Record<string, unknown>>, dead: unknown = null): UnitSide => ({
  files: new Map(Object.entries(files).map(([path, value]) => [path, store(value)])),
  dead: dead === null ? null : store(dead),
});
const ask = (ours: UnitSide, theirs: UnitSide, ...bases: UnitSide[]) => {
  const question = {
    kind: 'job' as const,
    id: 'abcd',
    text: (oid: string) => texts.get(oid) ?? '',
    now: Date.parse(NOW),
  };
  const answer = mergeUnit({ ...question, ours, theirs, bases, last: null });
  t.same(
    mergeUnit({ ...question, ours: theirs, theirs: ours, bases, last: null }),
    answer,
    'the order does not matter',
  );
  return answer;
};
const asSide = (answer: ReturnType<typeof ask>): UnitSide => ({
  files: new Map(
    [...answer.files].flatMap(([path, put]) =>
      put === null ? [] : [[path, 'text' in put ? store(put.text) : put.oid] as const],
    ),
  ),
  dead: answer.dead,
});

t.test(
  'S3: what is contested is there as data, with the same report id, and settled on one side it is settled',
  async (t) => {
    const base = side({ 'job.json': pending, prompt: 'do it' });
    const ours = side({ 'job.json': edit(pending, { title: 'one' }), prompt: 'do it' });
    const theirs = side({ 'job.json': edit(pending, { title: 'two' }), prompt: 'do it' });
    const answer = ask(ours, theirs, base);
    t.equal(answer.contested?.report, ask(ours, theirs, base).contested?.report);
    const merged = asSide(answer);
    const record = parseContested(texts.get(merged.files.get('job.json') ?? '') ?? '');
    t.same(record, answer.contested);
    t.same(
      record?.sides.map((name) => merged.files.get(`sides/${name}/job.json`)).sort(),
      [ours, theirs].map((one) => one.files.get('job.json')).sort(),
      'both are there, byte for byte',
    );
    const chosen = ask(merged, side({ 'job.json': edit(pending, { title: 'one' }), prompt: 'do it' }), merged);
    t.equal(chosen.contested, null);
    t.equal([...chosen.files].filter(([path, put]) => path.startsWith('sides/') && put !== null).length, 0);

    const third = ask(merged, side({ 'job.json': edit(pending, { title: 'three' }), prompt: 'do it' }), base);
    t.equal(third.contested?.sides.length, 3, 'a third version joins the two');
    const more = ask(merged, asSide(third), base);
    t.same(more.contested?.sides, third.contested?.sides, 'two contested versions are all their sides');

    const prompts = ask(
      side({ 'job.json': edit(pending, { revision: 2 }), prompt: 'do this' }),
      side({ 'job.json': edit(pending, { revision: 2 }), prompt: 'do that' }),
      base,
    );
    t.ok(prompts.contested, 'no text is ever merged');
  },
);

t.test('07.51: delete against edit', async (t) => {
  const grave = { schema: 1, kind: 'tombstone', id: 'abcd', of: 'job', at: NOW, op: 'x' };
  const base = side({ 'job.json': pending, prompt: 'do it' });
  const deleted = side({}, grave);
  t.match(ask(deleted, base, base), { contested: null, dead: deleted.dead }, 'what nobody touched is deleted');
  const edited = side({ 'job.json': edit(pending, { title: 'one' }), prompt: 'do it' });
  const answer = ask(deleted, edited, base);
  t.equal(answer.contested?.sides.length, 2);
  t.equal(answer.dead, null);
  t.ok([...answer.files].some(([path, put]) => /^sides\/.*\/tombstone\.json$/.test(path) && put !== null));
  t.ok(answer.files.get('prompt'), 'nothing of it is lost');
  t.match(ask(deleted, side({}, { ...grave, op: 'y' }), base), { contested: null }, 'deleted twice is deleted');
});

t.test('S2: several common ancestors', async (t) => {
  const [one, two, three] = ['one', 'two', 'three'].map((title) => side({ 'job.json': edit(pending, { title }) }));
  if (one === undefined || two === undefined || three === undefined) return;
  const answer = ask(one, three, one, two);
  t.same(asSide(answer).files.get('job.json'), three.files.get('job.json'), 'as any of them has it: unchanged');
  t.ok(ask(three, side({ 'job.json': edit(pending, { title: 'four' }) }), one, two).contested);
});

t.test(
  '05 S2, G63: of an invocation the side that went on counts, and two that were only bound are told apart',
  async (t) => {
    const waiting = invocation('g3x9qp', 's1');
    const started = { ...waiting, state: 'started' as const };
    t.match(mergeInvocations(waiting, started), { state: 'started' });
    t.match(mergeInvocations(started, waiting), { state: 'started' });
    t.equal(mergeInvocations(started, { ...started, exit: 1 }), null, 'contested');
    const there = { ...waiting, clone: 'there' };
    t.same(mergeInvocations(waiting, there), mergeInvocations(there, waiting), 'in either order');
  },
);
