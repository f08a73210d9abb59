// Writers of the state that race, are killed, and run beside Git's own housekeeping (01, Writes; 07.28, 07.29).

import t from 'tap';
import { BRANCH, ground, KINDS, STATE } from '../fixtures/store-ground.js';

t.setTimeout(900_000);

for (const kind of KINDS) {
  t.test(`on ${kind.title}`, async (t) => {
    t.test('07.29: kill -9 at each step of a change, and the next command makes it whole', async (t) => {
      const points =
        kind.engine !== 'plumbing'
          ? ['before-state', 'after-state', 'after-move']
          : [
              'before-objects',
              'before-pins',
              'after-pin',
              'after-pins',
              'after-intent',
              'before-state',
              'after-state',
              'before-move',
              'after-move',
              'after-clear',
            ];
      for (const point of points) {
        const { store, repo, head, worker, add, sound } = await ground(t, kind);
        await add();
        const before = await repo.oid(STATE);
        const killed = await worker(['move', head, 'operation'], { OWL_FAIL_AT: `test.${point}` });
        t.equal(killed.signal, 'SIGKILL', `${point}: ${killed.stderr}`);
        const counted = (await repo.oid(STATE)) !== before;
        t.equal(
          counted,
          points.indexOf(point) >= points.indexOf('after-state'),
          `${point}: the state commit alone decides`,
        );
        const [one, two] = await Promise.all([worker(['recover']), worker(['recover'])]);
        t.equal(one.code, 0, one.stderr);
        t.equal(two.code, 0, two.stderr);
        t.same(await store.intents(), [], `${point}: no intent is left`);
        t.equal(await repo.oid(BRANCH), counted ? head : '', `${point}: the branch follows the state`);
        t.equal(await repo.oid('refs/owl/shared/k3x9qp'), counted ? head : '');
        t.match(await (await store.snapshot()).job('k3x9qp'), { record: { tip: counted ? head : null } });
        await sound(t);
        if (counted) continue;
        const again = await worker(['move', head, 'operation']);
        t.equal(again.code, 0, again.stderr);
        t.equal(await repo.oid(BRANCH), head);
        t.equal((await store.kept('k3x9qp')).length, 1, `${point}: kept once`);
        await sound(t);
      }
    });

    t.test('07.28: writers at once beside gc, prune and pack-refs: nothing lost, fsck clean', async (t) => {
      const { repo, store, worker, add, sound } = await ground(t, kind);
      await add('shared');
      let busy = true;
      const housekeeping = (async () => {
        while (busy) {
          await repo.gitResult('gc', '--quiet', '--prune=now');
          await repo.gitResult('pack-refs', '--all');
        }
      })();
      const results = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => worker(['add', letter, '6'])));
      busy = false;
      await housekeeping;
      for (const result of results) t.equal(result.code, 0, result.stderr);
      const now = await store.snapshot();
      t.match(await now.job('shared'), { record: { runs: 24 } });
      t.equal((await now.openJobs()).length, 25);
      t.equal(await repo.git('rev-list', '--count', STATE), '26');
      await sound(t);
    });
  });
}

t.test('07.28: sixteen processes with fifty changes each: none lost, none twice, fsck clean', async (t) => {
  const { repo, store, worker, add, sound } = await ground(t, { title: '', engine: undefined, init: [] });
  await add('shared');
  const letters = [...'abcdefghijkmnopq'];
  const results = await Promise.all(letters.map((letter) => worker(['add', letter, '50'])));
  for (const result of results) t.equal(result.code, 0, result.stderr);
  const now = await store.snapshot();
  t.match(await now.job('shared'), { record: { runs: 800, revision: 801 } });
  t.equal((await now.openJobs()).length, 801);
  t.equal(await repo.git('rev-list', '--count', STATE), '802');
  t.equal((await store.events({ limit: 1 }))[0]?.open['pending'], 801);
  t.match(
    JSON.parse((await repo.git('cat-file', 'blob', 'refs/owl/local/queue')) || '{}'),
    { line: [] },
    'nobody stands in line',
  );
  await sound(t);
});
