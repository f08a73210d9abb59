// A name is judged by two states and by the target that was observed in this very gc; what moved after the remote let it go keeps the
// name here (M7, M9, M10).

import { t } from 'tap';
import { gc, type Item } from '../fixtures/gc.js';
import { setHook } from '../fixtures/remote.js';
import { both, closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const KEPT = (reason: string, result = 'none'): readonly string[] =>
  ['none', 'none'].map((action) => `${action} ${reason} ${result}`);
const RETIRED = ['retire goal-closed done', 'retire goal-closed done'];

t.test('M7: each side of a name is inventoried by itself, and judged by its own exact tip', async (t) => {
  const { repo, first, tip, plant, share, here, there } = await closedGoals(t);
  for (const id of ['onlyhere', 'onlythere', 'differs', 'ahead']) await plant(id, 'done');
  const lone = await repo.git('commit-tree', '-m', 'lone', '-p', tip, `${tip}^{tree}`);
  const local = async (id: string, oid: string) => repo.git('update-ref', `refs/heads/refine/${id}/round-1`, oid);
  const remote = async (id: string, oid: string) =>
    repo.git('push', '-q', 'origin', `${oid}:refs/heads/refine/${id}/round-1`);
  await local('onlyhere', first);
  await remote('onlythere', first);
  // The remote's tip is delivered, the one here is not; and the other way round.
  await local('differs', lone);
  await remote('differs', first);
  await local('ahead', first);
  await remote('ahead', lone);
  await share();
  const items = await gc(repo);
  t.same(both(items, 'refine/onlyhere/round-1'), ['retire goal-closed done', 'no item']);
  t.same(both(items, 'refine/onlythere/round-1'), ['no item', 'retire goal-closed done']);
  t.same(both(items, 'refine/differs/round-1'), ['none unique-commits none', 'retire goal-closed done']);
  t.equal(await here('refine/differs/round-1'), lone);
  t.equal(both(items, 'refine/ahead/round-1')[1], 'none unique-commits none');
  t.equal(await there('refine/ahead/round-1'), lone);
});

t.test(
  'M7: the target counts as it is on the remote now: not as it is here, nor as it was fetched before',
  async (t) => {
    const { repo, first, tip, plant, branch, share, here, there } = await closedGoals(t);
    await plant('mine', 'done');
    await plant('past', 'done');
    const mine = await repo.commit('not pushed', { 'mine.txt': 'x\n' });
    await branch('refine/mine/round-1', mine);
    await branch('refine/past/round-1', tip);
    await share();
    t.equal(await repo.oid('refs/remotes/origin/main'), tip, 'this clone remembers the target so');
    await repo.remoteGit('update-ref', 'refs/heads/main', first);
    const items = await gc(repo);
    t.same(
      both(items, 'refine/mine/round-1'),
      KEPT('unique-commits'),
      'the local target has it, and that proves nothing',
    );
    t.same(both(items, 'refine/past/round-1'), KEPT('unique-commits'), 'the target was rewound');
    t.same([await here('refine/past/round-1'), await there('refine/past/round-1')], [tip, tip]);
    await repo.git('push', '-q', 'origin', 'main');
    const last = await gc(repo);
    t.same(both(last, 'refine/mine/round-1'), RETIRED);
    t.same(both(last, 'refine/past/round-1'), RETIRED);
  },
);

t.test(
  'M7: done, cancelled or tombstoned in both states; each that only one of them says keeps the name',
  async (t) => {
    const { repo, first, plant, branch, share } = await closedGoals(t);
    const closed = ['done', 'cancelled', 'deleted'] as const;
    const open = ['backlog', 'todo', 'plan', 'implement', 'quality', 'governance', 'review', 'failed'] as const;
    const pairs = [
      ...closed.map((status) => [status, 'review'] as const),
      ...open.map((status) => ['done', status] as const),
    ];
    const ids = pairs.map((_, at) => `pair${at}`);
    // First what the remote says, then what this clone says.
    for (const [at, [, there]] of pairs.entries()) await plant(ids[at] ?? '', there);
    await share();
    const shared = await repo.oid('refine/state');
    for (const [at, [own]] of pairs.entries()) await plant(ids[at] ?? '', own, { revision: 9 });
    const later = await repo.oid('refine/state');
    for (const id of ids) await branch(`refine/${id}/round-1`, first);
    const one = await gc(repo);
    for (const [at, pair] of pairs.entries())
      t.same(both(one, `refine/${ids[at]}/round-1`), KEPT('state-differs'), `closed here alone: ${pair}`);
    // The other way round.
    await repo.git('push', '-q', '--force', 'origin', `${later}:refs/heads/refine/state`);
    await repo.git('update-ref', 'refs/heads/refine/state', shared);
    const two = await gc(repo);
    for (const [at, pair] of pairs.entries())
      t.same(both(two, `refine/${ids[at]}/round-1`), KEPT('open-goal'), `closed there alone: ${pair}`);
    await repo.git('update-ref', 'refs/heads/refine/state', later);
    const three = await gc(repo);
    for (const id of ids) t.same(both(three, `refine/${id}/round-1`), RETIRED, 'closed in both');
  },
);

t.test('M9: the remote let it go and its target moved at once: the name here is the last, and stays', async (t) => {
  const { repo, first, tip, plant, branch, share, here, there } = await closedGoals(t);
  await plant('done', 'done');
  await branch('refine/done/round-1', tip);
  await share();
  // After the transaction, before Git here has its answer.
  setHook(repo.bare, 'post-receive', `grep -q ' 0000' && git update-ref refs/heads/main ${first}; exit 0`);
  await repo.git('checkout', '-q', '-b', 'elsewhere', first);
  await repo.git('update-ref', 'refs/heads/main', first);
  const items = await gc(repo);
  t.equal(both(items, 'refine/done/round-1')[1], 'retire goal-closed done', 'the fence held');
  t.equal(await there('refine/done/round-1'), '');
  t.equal(await there('main'), first);
  t.equal(both(items, 'refine/done/round-1')[0], 'none changed kept');
  t.equal(await here('refine/done/round-1'), tip, 'nothing else has that commit');
});

t.test('M10: names that only look like ours, in other cases too, and the state are never touched', async (t) => {
  const { repo, first, plant, branch, share, here, there } = await closedGoals(t);
  await plant('done', 'done');
  const odd = [
    'refine/done/Round-1',
    'refine/Done/round-1',
    'refine/DONE/ROUND-1',
    'refine/done/round-00',
    'refine/done/round-+1',
    'refine/done/round-1.0',
    'refine/done/round-1x',
    'refine/done/round-2/3',
    'refine/done/x/round-1',
    'refine/done/skill-',
    'refine/state2',
    'refine/done/round-99999999999',
  ];
  for (const name of odd) await branch(name, first);
  await branch('refine/done/round-1', first);
  await share();
  const state = await repo.remoteGit('rev-parse', 'refine/state');
  const items = await gc(repo);
  for (const name of odd) {
    t.same(both(items, name), KEPT('malformed-name'), name);
    t.same([await here(name), await there(name)], [first, first], name);
  }
  t.same(both(items, 'refine/done/round-1'), RETIRED);
  const named = (item: Item): boolean => item.subject === 'refs/heads/refine/state';
  t.notOk(items.some(named), 'the state is no name to retire');
  t.equal(await repo.remoteGit('rev-parse', 'refine/state'), state);
});
