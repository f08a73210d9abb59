// The state store on real repositories, with every engine: what a change leaves, what is damaged, what is refused (01, Writes).

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Oid, RefName } from '../../src/domain/git.js';
import type { Engine } from '../../src/git/engine.js';
import { newBlob, newCommit, newTree } from '../../src/git/objects.js';
import { openRepository } from '../../src/git/open.js';
import { expireMonths, foldKept } from '../../src/state/archive.js';
import { canonical } from '../../src/state/canonical.js';
import { checkState } from '../../src/state/fsck.js';
import { indexPath, recordPath, shardOf } from '../../src/state/layout.js';
import { createNotes } from '../../src/state/notes.js';
import { takeTurn } from '../../src/state/queue.js';
import { repairState } from '../../src/state/repair.js';
import { createStore, openEnv } from '../../src/state/store.js';
import { systemIds } from '../../src/system/ids.js';
import { addJob, job, NOW, run, testClock, testEnvironment } from '../fixtures/records.js';
import { sandbox } from '../fixtures/sandbox.js';
import { BRANCH, ground, KEEP, KINDS, STATE } from '../fixtures/store-ground.js';

t.setTimeout(900_000);

for (const kind of KINDS) {
  t.test(`on ${kind.title}`, async (t) => {
    t.test('01 Writes: one commit a change, readable by plain Git, with its index', async (t) => {
      const { store, repo, sound } = await ground(t, kind);
      await store.update({}, async (tx) => {
        addJob(tx, job('k3x9qp'), 'make the parser\naccept tabs');
        addJob(tx, job('m4m4m4', { state: 'review', position: 'a1' }));
        tx.putRun(run('r1', 'm4m4m4', 1));
      });
      t.equal(await repo.git('rev-list', '--count', STATE), '2');
      t.equal(
        await repo.git('log', '-1', '--format=%(trailers:key=Owl-Open,valueonly,separator=)', STATE),
        '1 pending 1 review',
      );
      t.equal(await repo.git('log', '-1', '--format=%an', STATE), 'Ada Tester');
      t.equal(
        await repo.git('show', `${STATE}:open/jobs/${shardOf('k3x9qp')}/k3x9qp/prompt`),
        'make the parser\naccept tabs',
      );
      t.match(JSON.parse(await repo.git('show', `${STATE}:${recordPath('job', 'open', 'k3x9qp')}`)), {
        id: 'k3x9qp',
        state: 'pending',
      });
      const index = (await repo.git('show', `${STATE}:${indexPath('job', shardOf('k3x9qp'))}`)).split('\n');
      t.equal(index[0], await repo.git('rev-parse', `${STATE}:open/jobs/${shardOf('k3x9qp')}`));
      t.same(
        (await (await store.snapshot()).openJobs()).map((one) => one.id),
        ['k3x9qp', 'm4m4m4'],
      );
      await sound(t);
    });

    t.test('01 Writes: pins come before the state, the moves after it, and no intent stays', async (t) => {
      const { store, repo, head, engine, sound } = await ground(t, kind);
      await store.update({}, async (tx) => addJob(tx, job('k3x9qp')));
      const change = () =>
        store.update({}, async (tx) => {
          tx.putJob(job('k3x9qp', { tip: head, revision: 2 }));
          tx.keep({ job: 'k3x9qp', commit: head, subject: 'tip before replay of run 3' });
          tx.keep({
            job: 'k3x9qp',
            commit: null,
            subject: 'log of run 2',
            files: new Map([
              ['log', Buffer.from([1, 0, 255])],
              ['checks/té st', Buffer.from('ok')],
            ]),
          });
          tx.move({ ref: BRANCH, old: 'absent', new: head }, 'cut');
          tx.event({ event: 'job.edited', subject: 'x', job: 'k3x9qp' });
        });
      t.match(await change(), { refused: [] });
      t.equal(await repo.oid(BRANCH), head);
      t.same(await store.intents(), []);
      const links = await store.kept('k3x9qp');
      t.same(
        links.map((link) => [link.subject, link.kept]),
        [
          ['log of run 2', null],
          ['tip before replay of run 3', head],
        ],
      );
      const log = links[0]?.link as Oid;
      t.same(await store.keptFile(log, 'log'), Buffer.from([1, 0, 255]));
      t.same(await store.keptFile(log, 'checks/té st'), Buffer.from('ok'));
      t.equal(await store.keptFile(log, 'absent'), null);
      const tip = await engine.resolve(KEEP);
      t.match(await change(), { refused: [] }, 'the same again: the branch stands at its new value');
      t.equal(await engine.resolve(KEEP), tip, 'the same pins again are nothing');
      await t.rejects(
        store.update({}, async (tx) =>
          tx.keep({ job: 'k3x9qp', commit: 'f'.repeat(head.length) as Oid, subject: 'gone' }),
        ),
        { code: 'unreadable-object' },
      );
      await sound(t);
    });

    t.test('01 Writes: a ref at neither its old nor its new value is kept and reported', async (t) => {
      const { store, repo, head, add } = await ground(t, kind);
      await add();
      const other = await repo.commit('other');
      await repo.git('update-ref', BRANCH, other);
      const updated = await store.update({}, async (tx) => {
        tx.move({ ref: BRANCH, old: 'absent', new: head }, 'cut');
        tx.event({ event: 'job.edited', subject: 'x' });
      });
      t.match(updated.refused, [{ found: other, update: { ref: BRANCH, new: head }, message: /left alone/ }]);
      t.equal(await repo.oid(BRANCH), other);
      t.same(await store.intents(), []);
    });

    t.test('07.30: one record damaged or newer, the rest works and fsck explains', async (t) => {
      const { store, deps, plant, add } = await ground(t, kind);
      for (const id of ['k3x9qp', 'm4m4m4', 'n5n5n5', 'p6p6p6']) await add(id);
      await plant(recordPath('job', 'open', 'k3x9qp'), '{"schema":1,');
      await plant(recordPath('job', 'open', 'm4m4m4'), canonical({ ...job('m4m4m4'), schema: 2 }));
      const now = await store.snapshot();
      t.match(await now.job('k3x9qp'), { kind: 'damaged', why: 'not JSON' });
      t.match(await now.job('m4m4m4'), { kind: 'newer', schema: 2, writer: /./ });
      t.same(
        (await now.openJobs()).map((one) => one.id),
        ['n5n5n5', 'p6p6p6'],
      );
      t.same((await now.damages()).map((damage) => damage.kind).sort(), ['damaged', 'newer']);
      await store.update({}, async (tx) => {
        tx.putJob(job('n5n5n5', { title: 'goes on', revision: 2 }));
        tx.event({ event: 'job.edited', subject: 'x' });
      });
      const put = (id: string) =>
        store.update({}, async (tx) => {
          tx.putJob(job(id));
          tx.event({ event: 'job.edited', subject: 'x' });
        });
      await t.rejects(put('k3x9qp'), { code: 'damaged-state', exit: 9 });
      await t.rejects(put('m4m4m4'), { code: 'newer-state', exit: 9 });
      const findings = await checkState(deps);
      t.match(
        findings.find((finding) => finding.where === recordPath('job', 'open', 'k3x9qp')),
        { severity: 'error', kind: 'record', next: /git log/ },
      );
      t.match(
        findings.find((finding) => finding.where === recordPath('job', 'open', 'm4m4m4')),
        { severity: 'error', kind: 'look' },
      );
      const repaired = await repairState(deps, { records: true });
      t.match(await (await store.snapshot()).job('k3x9qp'), {
        kind: 'found',
        record: { title: 'work of k3x9qp', revision: 2 },
      });
      t.same(
        repaired.left.map((finding) => finding.where),
        [recordPath('job', 'open', 'm4m4m4')],
        'what is newer is left alone',
      );
      t.equal((await store.events())[0]?.event, 'state.repaired');
    });

    t.test('01 Records: an index that is false is never believed, and is derived again', async (t) => {
      const { store, deps, plant, add, sound, repo } = await ground(t, kind);
      await add();
      const path = indexPath('job', shardOf('k3x9qp'));
      const lie = (tree: string) => `${tree}\n${JSON.stringify(job('k3x9qp', { title: 'forged' }))}\n`;
      for (const text of [lie('0'.repeat(40)), 'nonsense', '', null]) {
        await plant(path, text);
        t.match(await (await store.snapshot()).openJobs(), [{ title: 'work of k3x9qp' }], JSON.stringify(text));
      }
      const tree = await repo.git('rev-parse', `${STATE}:open/jobs/${shardOf('k3x9qp')}`);
      await plant(path, `${tree}\n{"id":"k3x9qp"}\n`);
      t.match(
        await (await store.snapshot()).openJobs(),
        [{ title: 'work of k3x9qp' }],
        'a row that is no record is not believed',
      );
      await plant('index/counts.json', '{"jobs":{"tree":null,"counts":{"review":7}}}');
      t.same(await (await store.snapshot()).openCounts(), { pending: 1 });
      await plant(path, lie(tree));
      t.match(await checkState(deps), [
        { where: 'index/counts.json', kind: 'derived' },
        { where: path, kind: 'derived' },
      ]);
      t.same((await repairState(deps, { records: false })).left, []);
      t.match(await (await store.snapshot()).openJobs(), [{ title: 'work of k3x9qp' }]);
      await sound(t);
    });

    t.test('M12: what closed Jobs keep is folded, found, brought back, and expires only when it may', async (t) => {
      const { store, repo, head, deps, clock, add, engine, worker, sound } = await ground(t, kind);
      const env = await openEnv(deps);
      await add();
      await add('m4m4m4');
      const settle = (id: string, state: 'done' | 'review', revision: number) =>
        store.update({}, async (tx) => {
          tx.putJob(job(id, { state, revision, closed: state === 'done' ? clock.timestamp() : null }));
          tx.event({ event: 'job.accepted', subject: 'x' });
        });
      for (const id of ['k3x9qp', 'm4m4m4']) {
        await store.update({}, async (tx) => tx.keep({ job: id, commit: head, subject: `tip of ${id}` }));
      }
      await settle('k3x9qp', 'done', 2);
      const killed = await worker(['fold', '2024-05', 'k3x9qp', 'm4m4m4'], { OWL_FAIL_AT: 'archive.after-append' });
      t.equal(killed.signal, 'SIGKILL');
      t.equal((await store.kept('k3x9qp')).length, 1, 'killed between the two: in both places, told once');
      t.match(await foldKept(env, ['k3x9qp', 'm4m4m4', 'zzzz'], '2024-05'), [
        { job: 'm4m4m4', outcome: 'not-closed' },
        { job: 'zzzz', outcome: 'nothing-kept' },
        { job: 'k3x9qp', outcome: 'folded' },
      ]);
      t.equal(await engine.resolve(KEEP), null);
      t.match(await store.kept('k3x9qp'), [{ subject: 'tip of k3x9qp', kept: head }]);
      t.equal(
        await repo.git('rev-list', '--count', '--first-parent', 'refs/owl/archive/2024-05'),
        '2',
        'once, on its anchor',
      );
      await sound(t);

      await settle('k3x9qp', 'review', 3);
      t.ok(await engine.resolve(KEEP), 'reopening brings it back');
      await settle('k3x9qp', 'done', 4);
      clock.set('2024-08-02T09:00:00Z');
      await settle('m4m4m4', 'done', 2);
      await foldKept(env, ['k3x9qp', 'm4m4m4'], '2024-05');
      const keep = 90 * 24 * 3600 * 1000;
      t.match(await expireMonths(env, keep), [{ month: '2024-05', outcome: 'too-young' }]);
      clock.set('2024-09-15T09:00:00Z');
      t.match(await expireMonths(env, keep, { dryRun: true }), [{ gone: ['k3x9qp'], movedOn: ['m4m4m4'] }]);
      t.ok(await engine.resolve('refs/owl/archive/2024-05' as RefName), 'a dry run moves nothing');
      t.match(await expireMonths(env, keep), [
        { month: '2024-05', outcome: 'expired', gone: ['k3x9qp'], movedOn: ['m4m4m4'] },
      ]);
      t.same(await store.kept('k3x9qp'), []);
      t.match(await store.kept('m4m4m4'), [{ subject: 'tip of m4m4m4', kept: head }]);
      await sound(t);
    });
  });
}

t.test('01 Writes: an intent of a live owner is its own business; one that nobody can see is reported', async (t) => {
  const { store, repo, repository, engine, head, add } = await ground(t);
  await add();
  const tip = (await engine.resolve(STATE)) as Oid;
  const plant = async (op: string, owner: object, commit: Oid = tip) => {
    const moves = [{ ref: `refs/heads/owl/${op}/x`, old: 'absent', new: head, why: 'cut' }];
    const blob = newBlob(engine.format, canonical({ schema: 1, kind: 'intent', op, commit, from: null, owner, moves }));
    await engine.write([blob]);
    await engine.swap({ ref: `refs/owl/local/intents/${op}` as RefName, old: 'absent', new: blob.oid }, 'test');
  };
  const me = await testEnvironment().process();
  await plant('live', me);
  await plant('elsewhere', { ...me, host: 'other', namespace: 'pid:[1]' });
  await plant('rebooted', { ...me, boot: 'another boot' });
  await plant('reused', { ...me, start: '1' });
  const never = newCommit(engine.format, {
    tree: newTree(engine.format, []).oid,
    parents: [tip],
    author: 'x <x@y> 1 +0000',
    committer: 'x <x@y> 1 +0000',
    message: 'never pushed\n',
  });
  await engine.write([newTree(engine.format, []), never]);
  await plant('void', { ...me, start: '1' }, never.oid);
  await plant('pruned', { ...me, start: '1' }, 'e'.repeat(40) as Oid);
  const garbage = newBlob(engine.format, '{"schema":1}');
  await engine.write([garbage]);
  await repo.git('update-ref', 'refs/owl/local/intents/garbage', garbage.oid);

  const said = await store.recover();
  t.equal(said.length, 6, said.join('\n'));
  t.same((await store.intents()).map((intent) => intent.op).sort(), ['elsewhere', 'live']);
  for (const [op, moved] of [
    ['live', false],
    ['elsewhere', false],
    ['rebooted', true],
    ['reused', true],
    ['void', false],
    ['pruned', false],
  ] as const) {
    t.equal(await repo.oid(`refs/heads/owl/${op}/x`), moved ? head : '', op);
  }
  const findings = await checkState({
    repository,
    clock: testClock(),
    ids: systemIds(),
    environment: testEnvironment(),
  });
  t.match(
    findings.filter((finding) => finding.where.startsWith('refs/owl/local/')).map((finding) => finding.where),
    ['refs/owl/local/intents/elsewhere', 'refs/owl/local/intents/garbage'],
  );
});

t.test(
  '01 Writes: a lock in the way of a move is waited for, then told, then the next command makes the move',
  async (t) => {
    const { store, repo, head, add } = await ground(t);
    await add();
    const lock = join(repo.dir, '.git/refs/heads/owl/k3x9qp/work.lock');
    await repo.git('update-ref', 'refs/heads/owl/k3x9qp/other', head);
    writeFileSync(lock, '');
    const updated = await store.update({}, async (tx) => {
      tx.move({ ref: BRANCH, old: 'absent', new: head }, 'cut');
      tx.event({ event: 'job.edited', subject: 'x' });
    });
    t.match(updated.refused, [{ found: 'absent', message: /held.*next command/ }]);
    t.equal((await store.intents()).length, 1);
    rmSync(lock);
    t.match(await store.recover(), [/finished now/]);
    t.equal(await repo.oid(BRANCH), head);
    t.same(await store.intents(), []);
  },
);

t.test('07.29: a lock that somebody left is named, nothing is changed, and it is not removed', async (t) => {
  const { store, repo, add, head } = await ground(t);
  await add();
  const before = await repo.refs();
  const left = join(repo.dir, '.git/refs/heads/refine/state.lock');
  writeFileSync(left, '');
  await t.rejects(add('m4m4m4'), { code: 'busy', exit: 7, message: /state\.lock/ });
  t.same(await repo.refs(), before);
  t.ok(existsSync(left));
  rmSync(left);
  const packed = join(repo.dir, '.git/packed-refs.lock');
  writeFileSync(packed, '');
  const updated = await store.update({}, async (tx) => {
    tx.move({ ref: BRANCH, old: 'absent', new: head }, 'cut');
    tx.event({ event: 'job.edited', subject: 'x' });
  });
  t.same(updated.refused, []);
  t.equal(await repo.oid(BRANCH), head, 'what needs no packed-refs goes on');
  t.ok(existsSync(packed));
  rmSync(packed);
  await add('m4m4m4');
});

t.test('01 Writes: writers that meet stand in line in order, and one that was killed is passed over', async (t) => {
  const { engine, repo, deps, add, worker } = await ground(t);
  await add();
  const env = await openEnv(deps);
  const me = await testEnvironment().process();
  const line = [
    { token: 'killed', owner: { ...me, start: '1' } },
    { token: 'elsewhere', owner: { ...me, namespace: 'pid:[1]' } },
  ];
  const blob = newBlob(engine.format, canonical({ schema: 1, kind: 'queue', line }));
  await engine.write([blob]);
  await repo.git('update-ref', 'refs/owl/local/queue', blob.oid);
  const began = performance.now();
  const first = takeTurn(env, env.clock.elapsed() + 60_000);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const order: string[] = [];
  const second = takeTurn(env, env.clock.elapsed() + 60_000).then(async (turn) => {
    order.push('second');
    await turn.release();
  });
  const turn = await first;
  t.ok(performance.now() - began > 9_000, 'a place that nobody can prove dead counts for ten seconds');
  order.push('first');
  t.ok(turn.waited);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await turn.release();
  await second;
  t.same(order, ['first', 'second']);
  t.same(JSON.parse(await repo.git('cat-file', 'blob', 'refs/owl/local/queue')).line, []);
  t.equal((await worker(['add', 'a', '1'])).code, 0);
});

t.test('01 Refs: names that a branch blocks are refused by name, before anything is written', async (t) => {
  for (const [name, ref] of [
    ['refine', 'refs/heads/refine'],
    ['owl', 'refs/heads/owl'],
    ['refine', 'refs/remotes/origin/refine'],
    ['owl', 'refs/remotes/origin/owl'],
  ] as const) {
    const { repo, add, head } = await ground(t);
    await repo.git('update-ref', ref, head);
    const before = await repo.refs();
    await t.rejects(add(), { code: 'name-blocked', exit: 4, message: new RegExp(`branch ${name}\\b`) }, ref);
    t.same(await repo.refs(), before);
  }
  const { repo, add, head, deps } = await ground(t);
  await add();
  await repo.git('update-ref', 'refs/heads/owl', head);
  const later = createStore(deps).update({}, async (tx) => addJob(tx, job('m4m4m4')));
  await t.rejects(later, { code: 'name-blocked' }, 'also when it came later');
});

t.test('01 Writes: a refine/state that is not ours is refused and not touched', async (t) => {
  const { repo, add, head, store, deps } = await ground(t);
  await repo.git('update-ref', STATE, head);
  await t.rejects(add(), { code: 'foreign-state', exit: 9, message: /refs\/heads\/refine\/state/ });
  await t.rejects(store.snapshot(), { code: 'foreign-state' });
  t.match(await checkState(deps), [{ where: STATE, severity: 'error' }]);
  t.equal(await repo.oid(STATE), head);
});

t.test('01, S8: a damaged or newer meta stops writing, and reading what is known works', async (t) => {
  for (const [text, code] of [
    ['{', 'damaged-state'],
    ['{"schema":9,"kind":"meta","writer":"9.0.0"}', 'newer-state'],
  ] as const) {
    const { plant, add, store } = await ground(t);
    await add();
    await plant('meta.json', text);
    await t.rejects(add('m4m4m4'), { code, exit: 9 });
    const now = await store.snapshot();
    t.equal((await now.openJobs()).length, 1);
    await t.rejects(now.meta(), { code });
  }
});

t.test('01 Writes: state that cannot be read is never taken for state that was never made', async (t) => {
  const { repo, add, store } = await ground(t);
  await add();
  const tip = await repo.oid(STATE);
  rmSync(join(repo.dir, '.git/objects', tip.slice(0, 2), tip.slice(2)));
  await t.rejects(add('m4m4m4'), { code: 'damaged-state', exit: 9 });
  await t.rejects(store.snapshot(), { code: 'damaged-state' });
  writeFileSync(join(repo.dir, '.git', STATE), 'not an id\n');
  await t.rejects(add('m4m4m4'), { code: 'unreadable-object' });
  t.ok(existsSync(join(repo.dir, '.git', STATE)));
});

t.test('07.30: a record whose object is missing is damaged; its neighbours are there', async (t) => {
  const { repo, add, store, deps } = await ground(t);
  await add();
  await add('m4m4m4');
  const blob = await repo.oid(`${STATE}:${recordPath('job', 'open', 'k3x9qp')}`);
  rmSync(join(repo.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const now = await store.snapshot();
  t.match(await now.job('k3x9qp'), { kind: 'damaged' });
  t.equal((await now.job('m4m4m4')).kind, 'found');
  t.match(
    (await checkState(deps)).map((finding) => finding.where),
    [recordPath('job', 'open', 'k3x9qp')],
  );
});

t.test('01 Reading: with GIT_QUARANTINE_PATH reading works and writing is refused', async (t) => {
  const { repo, add } = await ground(t);
  await add();
  const variables = { ...repo.box.env(), GIT_QUARANTINE_PATH: join(repo.dir, 'quarantine') };
  const repository = await openRepository({ cwd: repo.dir, variables });
  t.teardown(() => repository.close());
  const deps = { repository, clock: testClock(), ids: systemIds(), environment: testEnvironment() };
  const store = createStore(deps);
  t.equal((await (await store.snapshot()).openJobs()).length, 1);
  await t.rejects(
    store.update({}, async (tx) => addJob(tx, job('m4m4m4'))),
    { code: 'quarantine', exit: 4 },
  );
  await t.rejects(store.recover(), { code: 'quarantine' });
  await t.rejects(createNotes(repository).write('x', 1, 'absent'), { code: 'quarantine' });
});

t.test('07.31: the state does not care about the checkout: dirty, detached, bare, unborn', async (t) => {
  const { repo, add, store } = await ground(t);
  const before = await repo.untouched([STATE]);
  await repo.git('checkout', '--quiet', '--detach');
  repo.write('README.md', 'dirty\n');
  await add();
  t.equal((await (await store.snapshot()).openJobs()).length, 1);
  t.equal(repo.read('README.md'), 'dirty\n');
  t.ok(before);
  const box = await sandbox(t);
  for (const init of [['--bare'], []]) {
    const empty = await box.repository({ init, unborn: true });
    const repository = await openRepository({ cwd: empty.dir, variables: box.env() });
    const other = createStore({ repository, clock: testClock(), ids: systemIds(), environment: testEnvironment() });
    await other.update({}, async (tx) => addJob(tx, job('k3x9qp')));
    t.equal((await (await other.snapshot()).openJobs()).length, 1, `init ${init.join(' ')}`);
    await repository.close();
  }
});

t.test(
  '01 Writes: no state commit is signed or runs a hook, and without an identity there is a fixed one',
  async (t) => {
    const { repo, add } = await ground(t);
    await repo.git('config', 'commit.gpgSign', 'true');
    await repo.git('config', 'gpg.program', '/nonexistent');
    for (const hook of ['reference-transaction', 'pre-commit', 'commit-msg', 'post-commit', 'prepare-commit-msg']) {
      const path = join(repo.dir, '.git/hooks', hook);
      writeFileSync(path, `#!/bin/sh\ntouch '${repo.dir}/hook-ran'\nexit 1\n`, { mode: 0o755 });
    }
    await add();
    t.notOk(existsSync(join(repo.dir, 'hook-ran')));
    writeFileSync(join(repo.box.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n');
    const repository = await openRepository({ cwd: repo.dir, variables: repo.box.env() });
    t.teardown(() => repository.close());
    const store = createStore({ repository, clock: testClock(), ids: systemIds(), environment: testEnvironment() });
    await store.update({}, async (tx) => addJob(tx, job('m4m4m4')));
    t.equal(
      await repo.git('log', '-1', '--format=%an <%ae> %aI', STATE),
      `git-owl <git-owl@localhost> ${NOW.replace('Z', '+00:00')}`,
    );
  },
);

t.test('10 P4, P5: what a list and a write read grows with open work of one folder, not with history', async (t) => {
  const { store, engine, repository, add } = await ground(t);
  const ids = Array.from({ length: 400 }, (_, at) => `c${String(at).padStart(5, '0')}`);
  await store.update({}, async (tx) => {
    for (const id of ids) addJob(tx, job(id, { state: 'done', closed: NOW }));
  });
  await add();
  await add('m4m4m4');
  let read = 0;
  const counting: Engine = {
    ...engine,
    read: (oid) => {
      read += 1;
      return engine.read(oid);
    },
    readMany: (oids) => {
      read += oids.length;
      return engine.readMany(oids);
    },
  };
  const fresh = () =>
    createStore({
      repository: { ...repository, engine: async () => counting },
      clock: testClock(),
      ids: systemIds(),
      environment: testEnvironment(),
    });
  t.equal((await (await fresh().snapshot()).openJobs()).length, 2);
  t.ok(read <= 12, `a list of 2 open among 400 closed reads ${read} objects`);
  read = 0;
  await fresh().update({}, async (tx) => addJob(tx, job('n5n5n5')));
  t.ok(read <= 25, `a write reads ${read} objects`);
});
