// Goals, their parts and Features in the state store, on real repositories with every engine (01, Records; 03).

import t from 'tap';
import type { Oid, RefName } from '../../src/domain/git.js';
import { CLOSED_GOALS } from '../../src/domain/goal.js';
import { foldKept } from '../../src/state/archive.js';
import { canonical } from '../../src/state/canonical.js';
import { checkState } from '../../src/state/fsck.js';
import { partPath, recordPath } from '../../src/state/layout.js';
import { repairState } from '../../src/state/repair.js';
import { resolveJobId, resolveWorkId } from '../../src/state/resolve-id.js';
import { openEnv } from '../../src/state/store.js';
import type { StateStore, Tx } from '../../src/state/types.js';
import { candidate, evidence, feature, goal, invocation, round, roundJob } from '../fixtures/goal-records.js';
import { addJob, job } from '../fixtures/records.js';
import { ground, KINDS, STATE } from '../fixtures/store-ground.js';

t.setTimeout(900_000);

const G = 'g3x9qp';
const PINS = `refs/owl/candidates/${G}` as RefName;

const write = (store: StateStore, change: (tx: Tx) => Promise<void> | void) =>
  store.update({}, async (tx) => {
    await change(tx);
    tx.event({ event: 'goal.edited', subject: 'x', goal: G });
  });

for (const kind of KINDS) {
  t.test(`on ${kind.title}`, async (t) => {
    t.test('01: a Goal, its Rounds, Candidates and Evidence lie apart, and are read back', async (t) => {
      const { store, repo, head, sound, engine } = await ground(t, kind);
      const tip = (await repo.commit('work')) as Oid;
      await write(store, async (tx) => {
        tx.putGoal(goal(G, { status: 'quality', candidate: { id: 'c1', base: head, tip } }));
        tx.putRound(round(G));
        tx.putRound(round(G, 2));
        tx.putCandidate(candidate(G, 'c1', { base: head, tip }));
        tx.putEvidence(evidence(G, 'e1', { candidate: { base: head, tip } }));
        tx.putFeature(feature('f4f4f4'));
        tx.putGoal(goal('h4h4h4', { position: 'a1' }));
        tx.putRound(round('h4h4h4'));
        tx.putJob(roundJob('r5r5r5', G));
        tx.putPrompt('r5r5r5', 'do it');
        addJob(tx, job('k3x9qp', { state: 'review' }));
        t.same(
          (await tx.openGoals()).map((one) => one.id),
          [G, 'h4h4h4'],
        );
        t.same(await tx.openCounts(), { review: 1, 'goal-quality': 1, 'goal-todo': 1 });
      });
      const now = await store.snapshot();
      t.match(await now.goal(G), { kind: 'found', record: { status: 'quality' } });
      t.same(
        (await now.rounds(G)).map((one) => one.number),
        [1, 2],
      );
      t.match(await now.candidates(G), [{ id: 'c1', tip }]);
      t.match(await now.evidence(G), [{ id: 'e1', status: 'passed' }]);
      t.match(await now.features(), [{ id: 'f4f4f4' }]);
      t.match(await now.job('r5r5r5'), { kind: 'found', record: { goal: G } });
      t.same(
        await now.openCounts(),
        { review: 1, 'goal-quality': 1, 'goal-todo': 1 },
        'the Job of a Round is not counted',
      );
      t.equal(
        await repo.git('log', '-1', '--format=%(trailers:key=Owl-Open,valueonly,separator=)', STATE),
        '1 review 1 goal-todo 1 goal-quality',
      );
      t.same((await store.events({ goal: G })).length, 1);
      t.same(
        await repo
          .git('show', `${STATE}:open/goals/${recordPath('goal', 'open', G).split('/')[2]}/${G}/rounds/1.json`)
          .then((text) => JSON.parse(text).number),
        1,
      );
      const kept = await store.kept(G, 'candidates');
      t.same(
        kept.map((link) => link.kept),
        [tip, head],
        'base and tip of a Candidate are pinned',
      );
      t.equal(await engine.resolve(`refs/owl/keep/${G}` as RefName), null);
      await sound(t);
    });

    t.test(
      'G53: closing carries the whole subtree, and reopening brings archived pins back before it does',
      async (t) => {
        const { store, repo, head, sound, engine, deps } = await ground(t, kind);
        const tip = (await repo.commit('work')) as Oid;
        await write(store, (tx) => {
          tx.putGoal(goal(G));
          tx.putRound(round(G));
          tx.putCandidate(candidate(G, 'c1', { base: head, tip }));
          tx.keep({ job: G, commit: null, subject: 'outputs', files: new Map([['log', Buffer.from('x')]]) });
        });
        const closed = goal(G, { status: 'cancelled', revision: 2, closed: '2024-05-06T09:00:00Z' });
        await write(store, (tx) => tx.putGoal(closed));
        let now = await store.snapshot();
        t.same(await now.openGoals(), []);
        t.same(
          (await now.closedGoals()).map((one) => one.id),
          [G],
        );
        t.same((await now.rounds(G)).length, 1);
        t.same(await now.openCounts(), {});
        const names = [G, `${G}.candidates`];
        t.same(
          (await foldKept(await openEnv(deps), names, '2024-05')).map((one) => one.outcome),
          ['folded', 'folded'],
        );
        t.equal(await engine.resolve(PINS), null);
        t.same(
          (await store.kept(G, 'candidates')).map((link) => link.kept),
          [tip, head],
          'read from the archive',
        );
        await sound(t);
        await write(store, (tx) => tx.putGoal(goal(G, { status: 'backlog', revision: 3 })));
        t.not(await engine.resolve(PINS), null);
        t.not(await engine.resolve(`refs/owl/keep/${G}` as RefName), null);
        now = await store.snapshot();
        t.same((await now.candidates(G)).length, 1);
        t.notOk(CLOSED_GOALS.has((await now.openGoals())[0]?.status ?? 'done'));
        await sound(t);
      },
    );

    t.test('G41, G63: an invocation only goes on, and is read back in the order of the configuration', async (t) => {
      const { store, sound } = await ground(t, kind);
      const first = invocation(G, 'zz1', { skill: 'first' });
      await write(store, (tx) => {
        tx.putGoal(goal(G));
        tx.putRound(round(G));
        tx.putInvocation(invocation(G, 'aa2', { skill: 'second', order: 1 }));
        tx.putInvocation(first);
      });
      t.match(await (await store.snapshot()).invocations(G), [{ skill: 'first' }, { skill: 'second' }]);
      const started = { ...first, state: 'started' as const, started: first.recorded };
      await write(store, (tx) => tx.putInvocation(started));
      for (const wrong of [first, { ...started, skill: 'other' }, { ...started, clone: 'other' }])
        await t.rejects(
          write(store, (tx) => tx.putInvocation(wrong)),
          { code: 'defect' },
        );
      const ended = { ...started, state: 'ended' as const, outcome: 'succeeded' as const, exit: 0 };
      await write(store, (tx) => tx.putInvocation({ ...ended, ended: first.recorded }));
      await t.rejects(
        write(store, (tx) => tx.putInvocation(started)),
        { code: 'defect' },
      );
      await sound(t);
    });

    t.test('01: Candidates and Evidence are never overwritten, but a status that was not settled', async (t) => {
      const { store, repo, head } = await ground(t, kind);
      const tip = (await repo.commit('work')) as Oid;
      const begun = evidence(G, 'e1', { type: 'integration', status: 'begun' });
      await write(store, (tx) => {
        tx.putGoal(goal(G));
        tx.putRound(round(G));
        tx.putCandidate(candidate(G, 'c1', { base: head, tip }));
        tx.putEvidence(begun);
      });
      await t.rejects(
        write(store, (tx) => tx.putCandidate(candidate(G, 'c1', { base: head, tip: head }))),
        { code: 'defect' },
      );
      await write(store, (tx) => tx.putEvidence({ ...begun, status: 'unknown' }));
      await t.rejects(
        write(store, (tx) => tx.putEvidence({ ...begun, status: 'done', clone: 'other' })),
        { code: 'defect' },
        'nothing else of it changes',
      );
      await write(store, (tx) => tx.putEvidence({ ...begun, status: 'done' }));
      await t.rejects(
        write(store, (tx) => tx.putEvidence({ ...begun, status: 'void' })),
        { code: 'defect' },
      );
      t.match(await (await store.snapshot()).evidence(G), [{ status: 'done' }]);
      await t.rejects(
        write(store, (tx) => tx.putRound(round('n5n5n5'))),
        { code: 'defect' },
        'a Round of no Goal',
      );
      await t.rejects(
        write(store, (tx) => tx.putCandidate(candidate(G, 'c2', { base: head, tip: 'e'.repeat(head.length) as Oid }))),
        { code: 'unreadable-object' },
        'a commit that is not here cannot be pinned',
      );
    });

    t.test('01: one id over all kinds, and a prefix finds both', async (t) => {
      const { store, sound } = await ground(t, kind);
      await write(store, (tx) => {
        tx.putGoal(goal(G));
        tx.putRound(round(G));
        addJob(tx, job('g4g4g4'));
      });
      await t.rejects(
        write(store, (tx) => addJob(tx, job(G))),
        { code: 'defect' },
      );
      await t.rejects(
        write(store, (tx) => tx.putGoal(goal('g4g4g4'))),
        { code: 'defect' },
      );
      let now = await store.snapshot();
      t.same(await resolveWorkId(now, 'g3'), { id: G, of: 'goal' });
      t.same(await resolveWorkId(now, 'G4g'), { id: 'g4g4g4', of: 'job' });
      await t.rejects(resolveWorkId(now, 'g'), { code: 'ambiguous-id', data: { matches: [G, 'g4g4g4'] } });
      await t.rejects(resolveJobId(now, 'g3'), { code: 'unknown-id', message: /is a goal/ });
      await write(store, (tx) => tx.buryGoal(G));
      now = await store.snapshot();
      t.match(await now.goal(G), { kind: 'deleted' });
      t.same(await now.job(G), { kind: 'unknown' });
      t.same(await now.rounds(G), []);
      t.same(await resolveWorkId(now, 'g3x'), { id: G, of: 'goal' });
      await t.rejects(
        write(store, (tx) => tx.putGoal(goal(G))),
        { code: 'wrong-state' },
        'a tombstone is for ever',
      );
      await sound(t);
    });

    t.test('01: a damaged part hides no other, fsck tells it and repair puts it back', async (t) => {
      const { store, deps, plant, sound } = await ground(t, kind);
      await write(store, (tx) => {
        for (const id of [G, 'h4h4h4']) {
          tx.putGoal(goal(id));
          tx.putRound(round(id));
          tx.putEvidence(evidence(id, 'e1'));
        }
        tx.putFeature(feature('f4f4f4'));
      });
      const evidencePath = partPath('open', G, 'evidence', 'e1');
      await plant(recordPath('goal', 'open', 'h4h4h4'), '{');
      await plant(evidencePath, canonical({ ...evidence(G, 'other') }));
      await plant('features/f4f4f4.json', 'no');
      await plant('index/goal-counts.json', '{}');
      const now = await store.snapshot();
      t.match(await now.goal('h4h4h4'), { kind: 'damaged' });
      t.same(
        (await now.openGoals()).map((one) => one.id),
        [G],
      );
      t.same(await now.evidence(G), []);
      const where = (await checkState(deps)).map((one) => one.where).sort();
      t.same(
        where,
        ['features/f4f4f4.json', 'index/goal-counts.json', recordPath('goal', 'open', 'h4h4h4'), evidencePath].sort(),
      );
      await t.rejects(
        write(store, (tx) => tx.putGoal(goal('h4h4h4'))),
        { code: 'damaged-state' },
      );
      t.same((await repairState(deps, { records: true })).left, []);
      t.match(await (await store.snapshot()).goal('h4h4h4'), { kind: 'found', record: { revision: 2 } });
      await sound(t);
    });
  });
}
