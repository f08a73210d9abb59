// When a Candidate may be replayed onto a target that moved, and each reason why not (G20, G21).

import t from 'tap';
import { GOAL_REASONS } from '../../../src/domain/goal-reasons.js';
import { REASONS } from '../../../src/domain/reasons.js';
import {
  flawOfRefreshed,
  type RefreshFacts,
  type ResultFacts,
  whyCurrent,
  whyNotRefreshed,
} from '../../../src/domain/refresh.js';
import { oidOf } from '../../fixtures/records.js';

const [BASE, TIP, TARGET, MERGE] = [oidOf('a'), oidOf('b'), oidOf('c'), oidOf('d')];
const CANDIDATE = { base: BASE, tip: TIP };
const target = { ref: 'refs/heads/main', oid: TARGET };
const facts = (change: Partial<RefreshFacts> = {}): RefreshFacts => ({
  candidate: CANDIDATE,
  target,
  branch: 'refine/g1/round-1',
  at: TIP,
  place: { kind: 'clean' },
  baseExists: true,
  baseInTip: 'ancestor',
  baseInTarget: 'ancestor',
  merges: [],
  shared: [BASE],
  undone: false,
  ...change,
});

t.test('G20: not moved, or contained: one look and nothing else', (t) => {
  t.equal(whyCurrent(CANDIDATE, { ...target, oid: BASE }, false), 'not-moved');
  t.equal(whyCurrent(CANDIDATE, target, true), 'contained');
  t.equal(whyCurrent(CANDIDATE, target, false), null);
  t.end();
});

t.test('G20: each unmet condition has its own diagnostic', (t) => {
  t.equal(whyNotRefreshed(facts()), null);
  t.equal(whyNotRefreshed(facts({ shared: [MERGE] })), null, 'the target has the first commits of the line');
  const cases: readonly (readonly [string, Partial<RefreshFacts>, RegExp])[] = [
    ['base-missing', { baseExists: false }, /recorded base aaaaaaaaaa/],
    ['stale-candidate', { at: MERGE }, /is at dddddddddd, not at the Candidate/],
    ['stale-candidate', { at: null }, /is not there/],
    ['workspace', { place: { kind: 'refused', message: 'it is replaced' } }, /it is replaced/],
    ['unclean', { place: { kind: 'dirty', paths: ['a', 'b'] } }, /uncommitted work: a, b/],
    ['lineage', { baseInTip: 'not-ancestor' }, /not an ancestor/],
    ['unknown-history', { baseInTip: 'unknown' }, /descends from its base/],
    ['not-linear', { merges: [MERGE] }, /not linear: it has a merge commit \(dddddddddd\)/],
    ['target-rewound', { baseInTarget: 'not-ancestor' }, /does not descend/],
    ['unknown-history', { baseInTarget: 'missing' }, /descends from the base/],
    ['unknown-history', { shared: 'unknown' }, /share/],
    ['merged-elsewhere', { shared: [TIP] }, /did not bring them/],
    ['ambiguous', { shared: [MERGE], undone: true }, /ambiguous/],
    ['ambiguous', { shared: [] }, /ambiguous/],
    ['ambiguous', { shared: [BASE, MERGE] }, /ambiguous/],
  ];
  for (const [code, change, text] of cases) {
    t.match(whyNotRefreshed(facts(change)), { code, text }, `${code} ${text}`);
    t.ok(code in GOAL_REASONS || code in REASONS, `${code} is registered`);
  }
  t.end();
});

t.test('G21: what was made is looked at again: a line from the target, and not empty', (t) => {
  const made: ResultFacts = {
    target,
    tip: MERGE,
    targetInTip: 'ancestor',
    merges: [],
    commits: 2,
    made: 2,
    onlyHandoff: false,
  };
  t.equal(flawOfRefreshed(made), null);
  t.match(flawOfRefreshed({ ...made, onlyHandoff: true }), { code: 'empty-refresh' });
  t.match(flawOfRefreshed({ ...made, tip: TARGET }), { code: 'empty-refresh' });
  for (const targetInTip of ['not-ancestor', 'missing', 'unknown'] as const)
    t.match(flawOfRefreshed({ ...made, targetInTip }), { code: 'lineage' });
  t.match(flawOfRefreshed({ ...made, merges: [TIP] }), { code: 'not-linear' });
  t.match(flawOfRefreshed({ ...made, commits: 3 }), { code: 'not-linear' });
  t.end();
});
