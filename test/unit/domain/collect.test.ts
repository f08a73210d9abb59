// What `gc` decides from facts: nothing goes without its whole proof, and every answer has a reason from the list (04).

import fc from 'fast-check';
import { t } from 'tap';
import { inHalves } from '../../../src/app/retire/halves.js';
import { type Item, isOpen, type Limits, type RecordFacts } from '../../../src/domain/collect.js';
import { decideOther } from '../../../src/domain/collect-foreign.js';
import { decideName, type NameFacts, type SharedRecord } from '../../../src/domain/collect-names.js';
import { COLLECT_REASONS } from '../../../src/domain/collect-reasons.js';
import { type BranchFacts, decideBranch, decideKept, decideMonth } from '../../../src/domain/collect-refs.js';
import { decideRoundPlace, type RoundPlace } from '../../../src/domain/collect-round.js';
import { decideReview, decideScratch } from '../../../src/domain/collect-scratch.js';
import { decideFresh, decideJobPlace, type JobPlace, type PlaceLook } from '../../../src/domain/collect-worktree.js';
import { durationOf } from '../../../src/domain/duration.js';
import { branchRef } from '../../../src/domain/git.js';
import { AUTOMATED, GOAL_STATUSES, type GoalStatus } from '../../../src/domain/goal.js';
import type { Job, JobState } from '../../../src/domain/job.js';
import { JOB_TABLE } from '../../../src/domain/machine.js';
import { parseGoalBranch } from '../../../src/domain/names.js';
import { goal } from '../../fixtures/goal-records.js';
import { job, NOW, oidOf } from '../../fixtures/records.js';

const gc = {
  hibernate_after: durationOf('1h'),
  review_after: durationOf('7d'),
  keep: durationOf('90d'),
  unfenced: false,
};
const at = (hours: number, hibernate: Limits['gc']['hibernate_after'] = gc.hibernate_after): Limits => ({
  now: Date.parse(NOW) + hours * 3_600_000,
  gc: { ...gc, hibernate_after: hibernate },
});
const later = new Date(Date.parse(NOW) + 2 * 3_600_000).toISOString();
const REF = branchRef('owl/k3x9qp/work');
const STATES = Object.keys(JOB_TABLE) as readonly JobState[];
const closed = (state: JobState): Partial<Job> => ({
  state,
  closed: state === 'done' || state === 'cancelled' ? NOW : null,
});
const found = (change: Partial<Job>, live = false): RecordFacts => ({ kind: 'job', job: job('k3x9qp', change), live });
const merged = {
  by: 'owl',
  ref: branchRef('main'),
  before: oidOf('1'),
  after: oidOf('2'),
  commits: 1,
  files: 1,
  at: NOW,
} as const;
const dropped = { state: 'review', tip: oidOf('3'), at: NOW } as const;
const CLEAN: PlaceLook = { kind: 'admitted', unfinished: [], ownRefs: [], inside: [], reachable: true };
const place = (record: RecordFacts, look: PlaceLook = CLEAN, landed = false): JobPlace => ({
  id: 'k3x9qp',
  path: '/w/k3x9qp',
  record,
  look,
  landed,
});
const said = (item: Item): string => `${item.action} ${item.reason}`;

t.test(
  'M1: a clean checkout goes with a done or dropped Job at once, with a cancelled or deleted one after a while',
  async (t) => {
    t.equal(said(decideJobPlace(place(found(closed('done'))), at(0))), 'remove-worktree job-done');
    t.equal(
      said(decideJobPlace(place(found({ ...closed('cancelled'), dropped })), at(0))),
      'remove-worktree job-dropped',
    );
    t.equal(said(decideJobPlace(place(found(closed('cancelled'))), at(0.9))), 'none not-yet');
    t.equal(said(decideJobPlace(place(found(closed('cancelled'))), at(1))), 'remove-worktree job-inactive');
    t.equal(
      said(decideJobPlace(place(found(closed('cancelled'))), at(0, { ms: 0, text: '0' }))),
      'remove-worktree job-inactive',
    );
    t.equal(said(decideJobPlace(place(found(closed('cancelled'))), at(9999, 'never'))), 'none never');
    t.equal(said(decideJobPlace(place({ kind: 'deleted', at: NOW }), at(0.5))), 'none not-yet');
    t.equal(said(decideJobPlace(place({ kind: 'deleted', at: NOW }), at(2))), 'remove-worktree job-inactive');
    t.equal(said(decideJobPlace(place({ kind: 'unknown' }), at(9999))), 'report no-record', 'absence is not evidence');
    t.equal(said(decideJobPlace(place({ kind: 'unreadable', why: 'x' }), at(9999))), 'none damaged-record');
    t.equal(
      said(decideJobPlace(place(found({ state: 'review' }), CLEAN, true), at(0))),
      'remove-worktree landed',
      'J31',
    );
  },
);

t.test('M2, M4, M6: what protects a checkout, and what is told of it', async (t) => {
  const done = found(closed('done'));
  const cases: readonly (readonly [PlaceLook, string])[] = [
    [{ ...CLEAN, unfinished: ['a.txt'] }, 'report uncommitted'],
    [{ ...CLEAN, ownRefs: ['refs/worktree/x'] }, 'report own-refs'],
    [{ ...CLEAN, reachable: false }, 'report unique-commits'],
    [{ ...CLEAN, inside: ['7 vi'] }, 'none in-use'],
    [{ ...CLEAN, inside: null }, 'remove-worktree job-done'],
    [{ kind: 'refused', code: 'operation', message: 'm' }, 'report operation'],
    [{ kind: 'refused', code: 'locked', message: 'm' }, 'none locked'],
    [{ kind: 'refused', code: 'detached', message: 'm' }, 'none detached'],
    [{ kind: 'refused', code: 'wrong-branch', message: 'm' }, 'none other-branch'],
    [{ kind: 'refused', code: 'not-ours', message: 'm' }, 'none not-ours'],
    [{ kind: 'refused', code: 'symlink', message: 'm' }, 'none ambiguous'],
    [{ kind: 'refused', code: 'backlink', message: 'm' }, 'none ambiguous'],
    [{ kind: 'refused', code: 'busy', message: 'm' }, 'none busy'],
    [{ kind: 'failed', message: 'm' }, 'none inspection-failed'],
    [{ kind: 'missing', holds: null, mounted: true }, 'remove-worktree stale-registration'],
    [{ kind: 'missing', holds: null, mounted: false }, 'none not-there'],
    [{ kind: 'missing', holds: 'something was staged in it', mounted: true }, 'report holds-work'],
    [{ kind: 'half-made', step: 'making' }, 'remove-worktree half-made'],
  ];
  for (const [look, expected] of cases)
    t.equal(said(decideJobPlace(place(done, look), at(0))), expected, JSON.stringify(look));
  const cancelled = found(closed('cancelled'));
  t.equal(
    said(decideJobPlace(place(cancelled, { ...CLEAN, inside: null }), at(2))),
    'none inspection-failed',
    '11: kept',
  );
  const open = found({ state: 'review' });
  t.equal(said(decideJobPlace(place(open), at(0))), 'none open-job');
  t.equal(said(decideJobPlace(place(open, { ...CLEAN, unfinished: ['a'] }), at(0))), 'report uncommitted');
  t.equal(said(decideJobPlace(place(open, { kind: 'missing', holds: null, mounted: true }), at(0))), 'none made-again');
  t.equal(
    said(decideJobPlace(place(found({ state: 'active' }, true), { kind: 'not-looked' }), at(0))),
    'none live-run',
  );
});

t.test('M5: the checkout of a Round hibernates outside the automated statuses', async (t) => {
  const ofGoal = (status: GoalStatus, live = false): RecordFacts => ({
    kind: 'goal',
    goal: goal('g7x2', { status }),
    live,
  });
  const round = (of: RecordFacts, look: PlaceLook = CLEAN, change: Partial<Job> = {}): RoundPlace => ({
    ...place(found({ state: 'review', goal: 'g7x2', round: 1, ...change }), look),
    goal: of,
  });
  for (const status of GOAL_STATUSES) {
    const expected = AUTOMATED.has(status) ? 'none automated' : 'remove-worktree goal-inactive';
    t.equal(said(decideRoundPlace(round(ofGoal(status)), at(9999))), expected, status);
    t.not(decideRoundPlace(round(ofGoal(status)), at(0.9)).action, 'remove-worktree');
    t.not(decideRoundPlace(round(ofGoal(status), CLEAN, { updated: later }), at(2)).action, 'remove-worktree');
    t.not(decideRoundPlace(round(ofGoal(status)), at(9999, 'never')).action, 'remove-worktree');
  }
  const failed = ofGoal('failed');
  t.equal(
    said(decideRoundPlace(round(failed), at(0, { ms: 0, text: '0' }))),
    'remove-worktree goal-inactive',
    'at once',
  );
  t.equal(said(decideRoundPlace(round(ofGoal('failed', true)), at(9999))), 'none live-run', 'a registered claim');
  t.equal(said(decideRoundPlace(round(failed, { ...CLEAN, inside: ['7 vi'] }), at(9999))), 'none in-use');
  t.equal(said(decideRoundPlace(round(failed, { ...CLEAN, inside: null }), at(9999))), 'none inspection-failed');
  t.equal(said(decideRoundPlace(round(failed, { ...CLEAN, unfinished: ['a'] }), at(9999))), 'report uncommitted');
  t.equal(said(decideRoundPlace(round(failed, { ...CLEAN, unfinished: ['a'] }), at(0))), 'report uncommitted', 'M2');
  t.equal(said(decideRoundPlace(round({ kind: 'unknown' }), at(9999))), 'report no-record', 'absence is not evidence');
  for (const [item, what] of [
    [decideRoundPlace(round(failed), at(0.9)), 'its Goal is in no automated status, and for long enough'],
    [decideRoundPlace(round(ofGoal('quality')), at(9999)), 'its Goal is in no automated status, and for long enough'],
    [decideJobPlace(place(found(closed('review'))), at(9999)), 'its Job is closed, and for long enough'],
  ] as const)
    t.same(item.proof.at(-1), { what, holds: false }, '--explain says what lacks');
  t.equal(said(decideRoundPlace(round({ kind: 'deleted', at: NOW }), at(9999))), 'remove-worktree goal-inactive');
});

const ofAnyJob: fc.Arbitrary<RecordFacts> = fc
  .constantFrom(...STATES)
  .map((state) => found(closed(state), state === 'active'));

const ofAnyGoal: fc.Arbitrary<RecordFacts> = fc.record({
  kind: fc.constant('goal' as const),
  goal: fc.constantFrom(...GOAL_STATUSES).map((status) => goal('abcd', { status })),
  live: fc.boolean(),
});

t.test('M10: only exact names are ours', async (t) => {
  const kinds = ['abcd/round-1', 'abcd/round-120', 'abcd/skill-x_1'].map(
    (name) => parseGoalBranch(`refine/${name}`)?.kind,
  );
  t.same(kinds, ['round', 'round', 'skill']);
  for (const name of [
    'abcd/round-0',
    'abcd/round-01',
    'abcd/round-1/x',
    'abcd/round-',
    'abc/round-1',
    'Abcd/round-1',
    'state/round-1',
    'abcd',
    'abcd/skill-',
    'abcd/round-1x',
    'abcd/Round-1',
  ])
    t.same(parseGoalBranch(`refine/${name}`), { kind: 'other' }, name);
  t.equal(parseGoalBranch('owl/abcd/round-1'), null);
});

t.test('M7, M9, M10: whatever the facts, a name goes only with its whole proof', async () => {
  const deleted: RecordFacts = { kind: 'deleted', at: NOW };
  const facts = fc.record<NameFacts>({
    remote: fc.constantFrom(null, 'origin'),
    ref: fc.constant(branchRef('refine/abcd/round-1')),
    oid: fc.constant(oidOf('1')),
    name: fc.constantFrom<NameFacts['name']>(
      { kind: 'round', goal: 'abcd', round: 1 },
      { kind: 'round', goal: 'abcd', round: 7 },
      { kind: 'job', job: 'k3x9qp' },
      { kind: 'other' },
    ),
    named: fc.boolean(),
    own: fc.oneof(
      ofAnyGoal,
      ofAnyJob,
      fc.constantFrom<RecordFacts>(deleted, { kind: 'unknown' }, { kind: 'unreadable', why: 'x' }),
    ),
    shared: fc.oneof(
      ofAnyGoal,
      ofAnyJob,
      fc.constantFrom<SharedRecord>(deleted, { kind: 'unknown' }, { kind: 'none' }, { kind: 'unseen', why: 'x' }),
    ),
    target: fc.constantFrom<NameFacts['target']>(
      { kind: 'seen', remote: 'origin', ref: branchRef('main'), oid: oidOf('2') },
      { kind: 'unseen', why: 'x' },
      { kind: 'other-remote', remote: 'fork' },
    ),
    contained: fc.constantFrom('yes', 'no', 'unknown'),
    unsure: fc.constant('x'),
    openIn: fc.constantFrom(null, '/w'),
    remoteKeeps: fc.boolean(),
  });
  const isClosed = (one: SharedRecord): boolean =>
    one.kind === 'deleted' ||
    (one.kind === 'goal' && !one.live && ['done', 'cancelled'].includes(one.goal.status)) ||
    (one.kind === 'job' && !one.live && ['done', 'cancelled'].includes(one.job.state));
  fc.assert(
    fc.property(facts, fc.constantFrom(0.5, 2), (one, hours) => {
      const may =
        ((one.name.kind === 'round' && (one.own.kind !== 'goal' || one.name.round <= one.own.goal.round)) ||
          (one.name.kind === 'job' && one.named)) &&
        isClosed(one.own) &&
        (one.shared.kind === 'none' || isClosed({ ...one.shared, live: false } as SharedRecord)) &&
        hours > 1 &&
        one.target.kind === 'seen' &&
        one.contained === 'yes' &&
        (one.remote !== null || (one.openIn === null && !one.remoteKeeps));
      const item = decideName(one, at(hours));
      return (item.action === 'retire') === may && (item.proof.every(({ holds }) => holds) || !may);
    }),
  );
});

t.test('11: what is in the way of many is found by halving, with a bound', async (t) => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const why = { reason: 'declined', detail: 'x' } as const;
  let calls = 0;
  const outcome = await inHalves(numbers, 32, async (some) => {
    calls += 1;
    return some.includes(17) ? { kind: 'refused', why } : { kind: 'done' };
  });
  t.same(
    [...outcome].filter(([, how]) => how !== 'done'),
    [[17, why]],
  );
  t.equal(outcome.size, 100);
  t.ok(calls <= 16);
  calls = 0;
  const none = await inHalves(numbers, 32, async () => {
    calls += 1;
    return { kind: 'refused', why };
  });
  t.equal(calls, 32, 'and no more');
  t.ok(none.size === 100 && [...none.values()].every((how) => how === why));
  const stopped = await inHalves(numbers, 32, async (some) =>
    some.length > 99 ? { kind: 'settled', items: new Map([[3, 'done' as const]]) } : { kind: 'stop', why },
  );
  t.same([stopped.get(3), stopped.get(4), stopped.size], ['done', why, 100]);
});

t.test('M3, M6: checkouts of the user and folders in our place are never touched', async (t) => {
  const users = { kind: 'registered', path: '/u', isState: false, locked: null, detached: false, there: true } as const;
  const cases = [
    [users, 'none standalone'],
    [{ ...users, isState: true, locked: '' }, 'none state-checkout'],
    [{ ...users, locked: 'mine', there: false }, 'none locked'],
    [{ ...users, there: false }, 'none not-there'],
    [{ ...users, detached: true }, 'none detached'],
    [{ kind: 'folder', path: '/w/x' }, 'none not-ours'],
  ] as const;
  for (const [other, expected] of cases) t.equal(said(decideOther(other)), expected);
});

t.test('M1: temporary checkouts go with their process, unless somebody committed in them', async (t) => {
  const fresh = { id: 'fresh-x', path: '/w/fresh-x', look: CLEAN } as const;
  t.equal(said(decideFresh({ ...fresh, owner: 'gone' })), 'remove-worktree process-gone');
  t.equal(said(decideFresh({ ...fresh, owner: 'alive' })), 'none in-use');
  t.equal(said(decideFresh({ ...fresh, owner: 'unknown' })), 'none busy');
  t.equal(
    said(decideFresh({ ...fresh, owner: 'gone', look: { ...CLEAN, reachable: false } })),
    'report unique-commits',
  );
  t.equal(
    said(decideFresh({ ...fresh, owner: 'gone', look: { kind: 'half-made', step: 'making' } })),
    'remove-worktree half-made',
  );
});

const BRANCH: BranchFacts = {
  ref: REF,
  id: 'k3x9qp',
  record: found({ ...closed('done'), merged }),
  named: REF,
  heldBy: 'kept',
  openIn: null,
  ahead: null,
};

t.test('M1, M2: branches', async (t) => {
  t.equal(said(decideBranch(BRANCH)), 'delete-branch job-done');
  t.equal(
    said(decideBranch({ ...BRANCH, record: found({ ...closed('cancelled'), dropped }) })),
    'delete-branch job-dropped',
  );
  t.equal(said(decideBranch({ ...BRANCH, heldBy: null })), 'report unique-commits');
  t.equal(said(decideBranch({ ...BRANCH, openIn: '/u' })), 'none checked-out');
  t.equal(said(decideBranch({ ...BRANCH, named: branchRef('owl/k3x9qp/other') })), 'none other-name');
  t.equal(said(decideBranch({ ...BRANCH, record: found(closed('done')) })), 'none accepted-branch');
  t.equal(
    said(decideBranch({ ...BRANCH, record: found({ ...closed('done'), merged: { ...merged, by: 'hand' } }) })),
    'none accepted-branch',
    'J31: as after accept',
  );
  t.equal(said(decideBranch({ ...BRANCH, record: found(closed('cancelled')) })), 'none cancelled-branch');
  t.equal(said(decideBranch({ ...BRANCH, record: found({ state: 'review' }) })), 'none open-job');
  t.equal(said(decideBranch({ ...BRANCH, record: { kind: 'unknown' }, named: null, ahead: 2 })), 'report no-record');
  t.equal(
    said(decideBranch({ ...BRANCH, record: { kind: 'deleted', at: NOW }, named: null })),
    'report unique-commits',
  );
});

t.test('M12, J36: what is kept, months, scratch, review', async (t) => {
  const kept = { ref: branchRef('x'), id: 'k3x9qp', record: found(closed('done')), published: 'not-needed' } as const;
  t.equal(said(decideKept(kept, '2024-05')), 'fold closed-work');
  t.equal(said(decideKept({ ...kept, published: 'yes' }, '2024-05')), 'fold closed-work');
  t.equal(said(decideKept({ ...kept, published: 'no' }, '2024-05')), 'none not-published');
  t.equal(said(decideKept({ ...kept, published: 'unknown' }, '2024-05')), 'none not-published');
  t.equal(said(decideKept({ ...kept, record: { kind: 'deleted', at: NOW } }, '2024-05')), 'fold closed-work');
  t.equal(said(decideKept({ ...kept, record: { kind: 'unknown' } }, '2024-05')), 'report no-record');
  const month = { ref: 'refs/owl/archive/2024-01', gone: ['a'], movedOn: [] } as const;
  t.equal(said(decideMonth({ ...month, outcome: 'expired' })), 'expire older-than-keep');
  t.match(decideMonth({ ...month, outcome: 'too-young' }), {
    reason: 'too-young',
    detail: /ended less than gc\.keep ago/,
  });
  t.match(decideMonth({ ...month, outcome: 'not-ended' }), { reason: 'too-young', detail: 'the month has not ended' });
  const scratch = { kind: 'scratch', subject: '/s', id: 'r', job: null, used: 'no' } as const;
  t.equal(said(decideScratch({ ...scratch, run: 'settled' })), 'remove-scratch run-settled');
  t.equal(said(decideScratch({ ...scratch, run: 'unsettled' })), 'none live-run');
  t.equal(said(decideScratch({ ...scratch, run: 'none' })), 'report no-record');
  t.equal(said(decideScratch({ ...scratch, run: 'unreadable' })), 'report damaged-record');
  t.equal(said(decideScratch({ ...scratch, run: 'output' })), 'remove-scratch left-output');
  t.equal(said(decideScratch({ ...scratch, run: 'output', used: 'yes' })), 'none in-use');
  t.equal(said(decideScratch({ ...scratch, run: 'output', used: 'unknown' })), 'none inspection-failed');
  t.equal(decideReview(job('k3x9qp', { state: 'review' }), REF, at(7 * 24)), null);
  t.match(decideReview(job('k3x9qp', { state: 'review' }), REF, at(7 * 24 + 1)), {
    action: 'report',
    reason: 'waits-for-review',
  });
  t.equal(decideReview(job('k3x9qp', { state: 'blocked' }), REF, at(9999)), null);
});

const record: fc.Arbitrary<RecordFacts> = fc.oneof(
  fc
    .record({
      state: fc.constantFrom(...STATES),
      live: fc.boolean(),
      isMerged: fc.constantFrom(null, 'owl', 'hand'),
      isDropped: fc.boolean(),
    })
    .map(({ state, live, isMerged, isDropped }) =>
      found(
        {
          ...closed(state),
          merged: isMerged === null ? null : { ...merged, by: isMerged as 'owl' | 'hand' },
          dropped: isDropped && state === 'cancelled' ? dropped : null,
        },
        live && state === 'active',
      ),
    ),
  fc.constant<RecordFacts>({ kind: 'deleted', at: NOW }),
  fc.constant<RecordFacts>({ kind: 'unknown' }),
  fc.constant<RecordFacts>({ kind: 'unreadable', why: 'x' }),
);
const look: fc.Arbitrary<PlaceLook> = fc.oneof(
  fc.record({
    kind: fc.constant('admitted' as const),
    unfinished: fc.array(fc.string(), { maxLength: 2 }),
    ownRefs: fc.array(fc.string(), { maxLength: 1 }),
    inside: fc.option(fc.array(fc.string(), { maxLength: 1 })),
    reachable: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('missing' as const), holds: fc.option(fc.string()), mounted: fc.boolean() }),
  fc.record({ kind: fc.constant('half-made' as const), step: fc.constantFrom('making' as const, 'removing' as const) }),
  fc.record({ kind: fc.constant('refused' as const), code: fc.string(), message: fc.string() }),
  fc.record({ kind: fc.constant('failed' as const), message: fc.string() }),
);

t.test('00.1, M4: whatever the facts, what is removed has its whole proof; what lacks one says what', async () => {
  const sound = (item: Item): boolean =>
    item.reason in COLLECT_REASONS &&
    (item.action === 'none' || item.action === 'report' || item.proof.every((proof) => proof.holds));
  fc.assert(
    fc.property(record, look, fc.boolean(), fc.integer({ min: 0, max: 5 }), (facts, seen, landed, hours) => {
      const item = decideJobPlace(place(facts, seen, landed), at(hours));
      if (!sound(item)) return false;
      if (item.action !== 'remove-worktree') return item.action === 'none' || item.action === 'report';
      const whole = seen.kind === 'half-made' || (seen.kind === 'missing' && seen.holds === null && seen.mounted);
      const clean =
        seen.kind === 'admitted' &&
        seen.unfinished.length + seen.ownRefs.length === 0 &&
        seen.reachable &&
        !seen.inside?.length;
      const over = facts.kind === 'deleted' || (facts.kind === 'job' && (landed || !isOpen(facts)));
      return (whole || clean) && over;
    }),
  );
  fc.assert(
    fc.property(
      record,
      fc.option(fc.constant('kept')),
      fc.option(fc.constant('/u')),
      fc.boolean(),
      (facts, heldBy, openIn, own) => {
        const item = decideBranch({ ...BRANCH, record: facts, heldBy, openIn, named: own ? REF : null });
        if (!sound(item)) return false;
        return (
          item.action !== 'delete-branch' ||
          (heldBy !== null && openIn === null && own && facts.kind === 'job' && !isOpen(facts))
        );
      },
    ),
  );
  fc.assert(
    fc.property(record, fc.constantFrom('yes', 'no', 'unknown', 'not-needed'), (facts, published) => {
      const item = decideKept({ ref: REF, id: 'k3x9qp', record: facts, published }, '2024-05');
      if (!sound(item)) return false;
      return item.action !== 'fold' || (facts.kind !== 'unknown' && facts.kind !== 'unreadable' && !isOpen(facts));
    }),
  );
});
