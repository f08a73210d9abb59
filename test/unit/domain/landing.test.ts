// May a Job land, by itself or by hand (J27, J28, J32)?

import fc from 'fast-check';
import { t } from 'tap';
import { isOwlError } from '../../../src/domain/errors.js';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import type { CheckResult, Closure, Job, JobState, Verification } from '../../../src/domain/job.js';
import {
  autoMergeOf,
  checkMergeByHand,
  decideAutoMerge,
  needsVerifying,
  verifiedState,
} from '../../../src/domain/landing.js';
import { JOB_TABLE } from '../../../src/domain/machine.js';
import type { Policy } from '../../../src/domain/policy.js';
import { job, NOW } from '../../fixtures/records.js';

const oid = (digit: string): Oid => digit.repeat(40) as Oid;
const [BASE, TIP, OTHER] = [oid('a'), oid('b'), oid('c')];
const STATES = Object.keys(JOB_TABLE) as JobState[];
const CHECK: CheckResult = { name: 'test', run: 'true', status: 'passed', exit: 0, ms: 1, digest: '0' };
const CHECKED: Verification = { tip: TIP, base: BASE, config: BASE, passed: true, checks: [CHECK], at: NOW };

type Rules = Pick<Policy, 'checks' | 'modes' | 'execution'>;
const rules = (auto_merge: boolean, docs: boolean | null = null): Rules => ({
  checks: [{ name: 'test', run: 'true', timeout: { ms: 1, text: '1ms' }, expect: 'success' }],
  modes: { docs: { auto_merge: docs } },
  execution: { auto_merge, publish: false, agents_may_add: false },
});
const ready = (change: Partial<Job> = {}): Job =>
  job('abcd', {
    state: 'review',
    phase: 'execute',
    closure: 'resolved',
    onto: { ref: 'refs/remotes/origin/main', oid: BASE },
    tip: TIP,
    verification: CHECKED,
    ...change,
  });

t.test('J27, J32: the opt-in is the option, then the mode, then the execution, each either way', (t) => {
  const on = (change: Partial<Job>, execution: boolean, docs: boolean | null): readonly [boolean, string] => {
    const found = autoMergeOf(ready(change), rules(execution, docs));
    return [found.on, found.from];
  };
  t.same(on({}, false, null), [false, 'execution.auto_merge']);
  t.same(on({}, true, null), [true, 'execution.auto_merge']);
  t.same(on({ mode: 'docs' }, true, null), [true, 'execution.auto_merge'], 'a mode that says nothing');
  t.same(on({ mode: 'docs' }, true, false), [false, 'modes.docs.auto_merge']);
  t.same(on({ mode: 'docs' }, false, true), [true, 'modes.docs.auto_merge']);
  t.match(on({ mode: 'docs', auto_merge: false }, true, true), [false, /option/]);
  t.match(on({ mode: 'docs', auto_merge: true }, false, false), [true, /option/]);
  t.match(on({ mode: 'gone' }, true, null), [false, /gone/], 'a mode that is not configured any more lands nothing');
  t.end();
});

t.test('J32: only what is resolved, verified at this tip and undegraded is merged by itself', (t) => {
  t.same(decideAutoMerge(ready(), rules(true), TIP), { kind: 'land' });
  const left = (change: Partial<Job>, why: RegExp, tip = TIP): void =>
    void t.match(decideAutoMerge(ready(change), rules(true), tip), { kind: 'leave', why });
  left({ degraded: true }, /degraded/);
  left({ goal: 'g123', round: 1 }, /goal g123/);
  left({ no_change: 'nothing to do' }, /nothing had to change/);
  left({ verification: null }, /no checks/);
  left({ verification: { ...CHECKED, checks: [] } }, /no checks/);
  left({ verification: { ...CHECKED, passed: false } }, /void/);
  left({}, /void/, OTHER);
  const closures = fc.constantFrom<Closure | null>('resolved', 'blocked', 'escalated', 'exhausted', null);
  fc.assert(
    fc.property(fc.constantFrom(...STATES), closures, (state, closure) => {
      const lands = decideAutoMerge(ready({ state, closure, auto_merge: true }), rules(true), TIP).kind === 'land';
      return lands === (state === 'review' && closure === 'resolved');
    }),
  );
  t.end();
});

t.test('J32: by hand: a Job in review that is resolved, or one that was accepted and not merged', (t) => {
  const refused = (change: Partial<Job>): string => {
    try {
      checkMergeByHand(ready(change));
      return '';
    } catch (error) {
      if (!isOwlError(error)) throw error;
      return `${error.code} -> ${error.next.join()}`;
    }
  };
  t.equal(refused({}), '');
  t.equal(refused({ verification: null }), '', 'also one with no checks configured');
  t.equal(refused({ state: 'done' }), '');
  t.equal(refused({ closure: 'blocked' }), 'refused -> git owl verify abcd');
  t.equal(refused({ degraded: true }), 'refused -> git owl verify abcd');
  t.equal(refused({ no_change: 'nothing to do' }), 'refused -> git owl accept abcd');
  t.equal(refused({ goal: 'g123' }), 'refused -> git owl show g123', 'a Round is integrated by its Goal');
  const merged = {
    by: 'owl',
    ref: branchRef('main'),
    before: null,
    after: OTHER,
    commits: 1,
    files: 1,
    at: NOW,
  } as const;
  t.equal(refused({ state: 'done', merged }), 'wrong-state -> git owl show abcd');
  for (const state of STATES.filter((one) => one !== 'review' && one !== 'done'))
    t.match(refused({ state }), /^wrong-state/, state);
  t.end();
});

t.test('J28: a verification is void when either tip moves', (t) => {
  t.equal(verifiedState(ready(), TIP, BASE), 'current');
  t.equal(verifiedState(ready(), OTHER, BASE), 'void');
  t.equal(verifiedState(ready(), TIP, OTHER), 'void');
  t.equal(verifiedState(ready({ verification: null }), TIP, BASE), 'none');
  t.equal(verifiedState(ready({ verification: { ...CHECKED, passed: false } }), TIP, BASE), 'none');
  t.equal(verifiedState(ready({ verification: { ...CHECKED, checks: [] } }), TIP, BASE), 'none');
  t.end();
});

t.test('J34: what is not verified at exactly this tip and base is verified again before it lands', (t) => {
  const again = (change: Partial<Job>, at: { tip?: Oid; base?: Oid } = {}, policy: Rules = rules(false)): boolean =>
    needsVerifying(ready(change), { tip: TIP, base: BASE, ...at }, policy);
  const none = { ...rules(false), checks: [] };
  t.equal(again({}), false);
  t.equal(again({}, { tip: OTHER }), true);
  t.equal(again({}, { base: OTHER }), true);
  t.equal(again({ verification: { ...CHECKED, passed: false } }), true);
  t.equal(again({ verification: { ...CHECKED, base: OTHER } }), true);
  t.equal(again({ verification: null }), true, 'checks that came since');
  t.equal(again({ verification: { ...CHECKED, checks: [] } }), true, 'checks that the user added since');
  t.equal(again({ verification: null }, {}, none), false, 'no checks at all: "not verified"');
  t.equal(again({ verification: null }, { base: OTHER }, none), true, 'replayed all the same');
  t.equal(again({}, { tip: OTHER }, none), true, 'checks that went since do not verify another tip');
  t.end();
});
