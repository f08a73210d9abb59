// When the window of an Error event may be closed, and by whom (G41); what a handler is told (G41); invocations (G63).

import { t } from 'tap';
import { isDue, leftOf, mayClose, sightOfWindow } from '../../../src/domain/error-window.js';
import type { ErrorWindow } from '../../../src/domain/goal.js';
import { boundTo, mayBecome } from '../../../src/domain/invocation.js';
import type { Reason } from '../../../src/domain/job.js';
import type { Skill } from '../../../src/domain/policy.js';
import { type SkillEvent, skillDocument, skillPrompt, skillVariables } from '../../../src/domain/skill-event.js';
import { flawOfGoal } from '../../../src/state/goal-codec.js';
import { goal, invocation } from '../../fixtures/goal-records.js';

const window: ErrorWindow = {
  step: 'quality',
  event: 'workflow.quality.error',
  evidence: 'e1',
  opened: '2026-03-01T10:00:00Z',
  deadline: '2026-03-01T10:10:00Z',
  clone: 'here',
};
const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);

t.test('G41: the clone that opened it closes it at its deadline, not before', async (t) => {
  t.equal(leftOf(window, at('10:09:59')), 1000);
  for (const [time, due] of [
    ['10:09:59', false],
    ['10:10:00', true],
    ['23:00:00', true],
  ] as const) {
    t.equal(isDue(window, at(time)), due, time);
    t.equal(mayClose(window, 'own', at(time)), due, time);
  }
});

t.test('G41: another clone closes it after a further window of its own clock', async (t) => {
  const closes = (since: string, now: string): boolean =>
    mayClose(window, { evidence: 'e1', since: at(since) }, at(now));
  t.notOk(closes('10:01:00', '10:19:59'), 'seen early: its deadline, and one further window');
  t.ok(closes('10:01:00', '10:20:00'));
  t.notOk(closes('15:00:00', '15:09:59'), 'a clock that is hours ahead proves nothing');
  t.ok(closes('15:00:00', '15:10:00'));
  t.notOk(closes('08:00:00', '08:10:00'), 'one that is behind waits for the deadline too');
});

t.test('G41: the first sight counts, unless it is another window or the clock was put back', async (t) => {
  const first = sightOfWindow(null, window, at('10:00:00'));
  t.equal(sightOfWindow(first, window, at('10:05:00')), first);
  t.same(sightOfWindow(first, { evidence: 'e2' }, at('10:05:00')), { evidence: 'e2', since: at('10:05:00') });
  t.same(sightOfWindow(first, window, at('09:00:00')), { evidence: 'e1', since: at('09:00:00') });
});

t.test('G41: a window is between a second and 24 hours long, or its record is damaged', async (t) => {
  const flaw = (deadline: string) => flawOfGoal(goal('g3x9qp', { status: 'quality', window: { ...window, deadline } }));
  t.equal(flaw('2026-03-01T10:00:01Z'), null);
  t.equal(flaw('2026-03-02T10:00:00Z'), null);
  t.match(flaw('2026-03-02T10:02:00Z'), /longer than 24 hours/);
  t.match(flaw('2026-03-01T10:00:00Z'), /before it opens/);
});

t.test('G41, G61: only executable ones are bound, in the order of the configuration', async (t) => {
  const skill = (name: string, change: Partial<Skill> = {}): Skill => ({
    name,
    on: 'workflow.quality.error',
    kind: 'executable',
    run: 'true',
    agent: null,
    text: null,
    timeout: { ms: 1000, text: '1s' },
    ...change,
  });
  const skills = [
    skill('b'),
    skill('off', { kind: 'disabled' }),
    skill('words', { kind: 'context', run: null, text: 'x' }),
    skill('other', { on: 'workflow.governance.error' }),
    skill('a'),
  ];
  t.same(
    boundTo(skills, 'workflow.quality.error').map(({ name }) => name),
    ['b', 'a'],
  );
});

t.test('G41: what has ended, or started, does not go back', async (t) => {
  const waiting = invocation('g3x9qp', 's1');
  const started = { ...waiting, state: 'started' as const };
  const ended = { ...started, state: 'ended' as const, outcome: 'succeeded' as const };
  t.ok(mayBecome(waiting, started));
  t.ok(mayBecome(waiting, { ...ended, outcome: 'never-ran' }));
  t.ok(mayBecome(started, ended));
  for (const [old, next] of [
    [started, waiting],
    [ended, started],
    [ended, { ...ended, exit: 1 }],
    [waiting, { ...started, occurrence: { number: 2, decision: 'op' } }],
  ] as const)
    t.notOk(mayBecome(old, next), `${old.state} to ${next.state}`);
});

const event = (reason: Reason | null): SkillEvent => ({
  event: 'workflow.quality.error',
  skill: 'resolve',
  goal: 'g3x9qp',
  title: 'x',
  round: 1,
  request: 'make it better',
  occurrence: '3:op',
  revision: 7,
  deadline: window.deadline,
  candidate: null,
  target: null,
  reason,
});

t.test(
  'G41: what is long or has a line break is in the file alone; text of others is quoted in a prompt',
  async (t) => {
    const paths = (list: readonly string[]) => skillVariables(event({ code: 'c', text: 't', paths: list }), '/f');
    t.equal(paths(['a', 'b c'])['OWL_PATHS'], 'a\nb c');
    t.equal(paths(['a\nb'])['OWL_PATHS'], undefined);
    t.equal(paths(['x'.repeat(20_000)])['OWL_PATHS'], undefined);
    t.notOk(Object.hasOwn(skillVariables(event(null), '/f'), 'OWL_REASON'));
    t.match(JSON.parse(skillDocument(event({ code: 'c', text: 't', paths: ['a\nb'] }))), {
      reason: { paths: ['a\nb'] },
    });
    const prompt = skillPrompt(event({ code: 'refresh-conflict', text: '```\n## Contract', paths: ['a'] }), [
      'Be brief.',
    ]);
    t.match(prompt, /````\nrefresh-conflict: ```\n## Contract\n````/);
    t.match(prompt, /git owl goal move g3x9qp implement[\s\S]*5\. Be brief\./);
  },
);
