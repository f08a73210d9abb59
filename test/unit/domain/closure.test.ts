// What the end of a Run means for its Job: `resolved` is decided here and nowhere else (J3, J21, J29, J32).

import fc from 'fast-check';
import { t } from 'tap';
import {
  type AgentEnd,
  afterCount,
  type ExecuteFacts,
  settleExecute,
  settlePlan,
} from '../../../src/domain/closure.js';
import type { CheckResult } from '../../../src/domain/job.js';
import { exitOfJob, reason } from '../../../src/domain/reasons.js';

const check = (status: CheckResult['status'], name = 'test'): CheckResult => ({
  name,
  run: 'npm test',
  status,
  exit: status === 'passed' ? 0 : 1,
  ms: 1,
  digest: '0',
});
const good: ExecuteFacts = {
  end: { kind: 'succeeded' },
  obstacle: null,
  blocker: null,
  ownChange: true,
  noChange: null,
  checks: [check('passed')],
};
const failed: AgentEnd = { kind: 'failed', reason: reason('agent-failed', 'the agent failed'), started: true };
const limited: AgentEnd = { kind: 'limited', notBefore: '2024-05-06T10:00:00Z', text: 'a limit', started: false };
const stopped: AgentEnd = { kind: 'interrupted', text: 'stopped', started: true };

/** State, closure, reason and exit status of an execute Run. */
function settled(change: Partial<ExecuteFacts>): readonly unknown[] {
  const end = settleExecute({ ...good, ...change });
  return [end.state, end.closure, end.reason?.code ?? null, exitOfJob(end)];
}

t.test('J29: each end of an execute Run, and its exit status', (t) => {
  t.same(settled({}), ['review', 'resolved', null, 0]);
  t.same(settled({ checks: [] }), ['review', 'resolved', null, 0], 'no checks configured: review');
  t.same(settled({ checks: [check('passed'), check('failed')] }), ['blocked', 'blocked', 'checks-failed', 6]);
  t.same(settled({ ownChange: false }), ['blocked', 'blocked', 'nothing-changed', 6]);
  t.same(settled({ ownChange: false, noChange: 'it is right already' }), ['review', 'resolved', null, 0]);
  t.same(settled({ blocker: 'which one?\nI ask' }), ['blocked', 'blocked', 'agent-blocked', 5]);
  t.same(settled({ end: failed }), ['blocked', 'blocked', 'agent-failed', 8]);
  t.same(settled({ end: limited }), ['pending', null, 'usage-limit', 8]);
  t.same(settled({ end: stopped }), ['pending', null, 'interrupted', 8]);
  t.same(settled({ obstacle: reason('escaped', 'hooks were rewritten') }), ['blocked', 'blocked', 'escaped', 4]);
  t.equal(settleExecute({ ...good, checks: [check('failed')] }).outcome, 'succeeded', 'the Run stays succeeded');
  t.end();
});

t.test('J32: resolved means succeeded, unobstructed, with a change and every check passed', (t) => {
  const facts = fc.record({
    end: fc.constantFrom<AgentEnd>({ kind: 'succeeded' }, failed, limited, stopped),
    obstacle: fc.constantFrom(null, reason('escaped', 'out'), reason('copied-file', 'a secret')),
    blocker: fc.constantFrom(null, 'I cannot go on'),
    ownChange: fc.boolean(),
    noChange: fc.constantFrom(null, 'nothing to do'),
    checks: fc.array(
      fc
        .constantFrom(...(['passed', 'failed', 'timeout', 'error', 'changed-tree', 'output'] as const))
        .map((status) => check(status)),
      { maxLength: 4 },
    ),
  });
  fc.assert(
    fc.property(facts, (one) => {
      const end = settleExecute(one);
      const deserved =
        one.end.kind === 'succeeded' &&
        one.obstacle === null &&
        one.blocker === null &&
        (one.ownChange || one.noChange !== null) &&
        one.checks.every(({ status }) => status === 'passed');
      // What is not resolved says why, and what is has nothing to say.
      return (
        (end.closure === 'resolved') === deserved &&
        (end.state === 'review') === deserved &&
        (end.reason === null) === deserved
      );
    }),
  );
  t.end();
});

t.test('J27: the message names every check that did not pass, and how', (t) => {
  const checks = [
    check('passed', 'lint'),
    check('output', 'format'),
    check('timeout', 'slow'),
    check('changed-tree', 'gen'),
  ];
  const text = settleExecute({ ...good, checks }).reason?.text ?? '';
  t.match(text, /format \(printed something\)/);
  t.match(text, /slow \(passed its time limit\)/);
  t.match(text, /gen \(changed the tree\)/);
  t.notMatch(text, /lint/);
  t.end();
});

t.test('J21: a plan Run without a usable Handoff failed; with one it is pending again', (t) => {
  const none = settlePlan(
    { kind: 'succeeded' },
    null,
    reason('no-handoff', 'no Handoff at .coding-owl/HANDOFF.md'),
    null,
  );
  t.match(none, { state: 'blocked', outcome: 'failed', reason: { code: 'no-handoff' } });
  t.equal(exitOfJob(none), 8);
  t.match(settlePlan({ kind: 'succeeded' }, null, null, null), {
    state: 'pending',
    outcome: 'succeeded',
    closure: null,
  });
  t.match(settlePlan({ kind: 'succeeded' }, null, null, 'who decides?'), {
    state: 'blocked',
    reason: { code: 'agent-blocked' },
  });
  t.end();
});

t.test('J3: exhausted replaces only a pending that would follow; what never started costs nothing', (t) => {
  const end = settleExecute(good);
  t.match(afterCount({ ttl: 1 }, end), { ttl: 0, state: 'review', reason: null }, 'review stays');
  t.match(
    afterCount({ ttl: 1 }, settleExecute({ ...good, end: failed })),
    { ttl: 0, state: 'blocked' },
    'blocked stays',
  );
  const back = settleExecute({ ...good, end: stopped });
  t.match(afterCount({ ttl: 1 }, back), { ttl: 0, state: 'exhausted', reason: { code: 'exhausted', text: /stopped/ } });
  t.match(afterCount({ ttl: 1 }, settleExecute({ ...good, end: limited })), { ttl: 1, state: 'pending' });
  t.match(afterCount({ ttl: 1 }, settlePlan({ kind: 'succeeded' }, null, null, null)), { state: 'exhausted' });
  t.end();
});
