// Names of closed Goals are retired, here and on the remote, and no commit is lost by it (M7 to M11; 07.47 to 07.50).

import { rmSync } from 'node:fs';
import { type Test, t } from 'tap';
import type { Goal } from '../../src/domain/goal.js';
import { acted, everything, gc, HOUR, killedAt } from '../fixtures/gc.js';
import { serveHttp, serveSsh } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { both, type Closed, closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const KEPT = ['none', 'none'] as const;
const says = (reason: string, result = 'none'): readonly string[] =>
  KEPT.map((action) => `${action} ${reason} ${result}`);
const RETIRED = ['retire goal-closed done', 'retire goal-closed done'];

t.test(
  'M7, M8, M10: names of closed Goals that the target has go on both sides; every other one stays, said why',
  async (t) => {
    const { repo, first, tip, plant, plantSkill, branch, share, there, here, later } = await closedGoals(t);
    for (const [id, status] of [
      ['done', 'done'],
      ['gone', 'cancelled'],
      ['dead', 'deleted'],
      ['lone', 'done'],
      ['fail', 'failed'],
      ['view', 'review'],
      ['work', 'implement'],
    ] as const) {
      await plant(id, status, { round: id === 'done' ? 12 : 1 });
      await branch(`refine/${id}/round-1`, first);
    }
    await plant('late', 'done', { closed: '2024-05-06T11:30:00Z' });
    await branch('refine/late/round-1', first);
    await branch('refine/done/round-12', tip);
    await branch('refine/done/round-13', first);
    await branch('refine/done/skill-abc_1', first);
    await branch('refine/done/skill-nobodys', first);
    await plantSkill('done', 'abc_1');
    const lone = await repo.git('commit-tree', '-m', 'lone', '-p', tip, `${tip}^{tree}`);
    await repo.git('push', '-q', '--force', 'origin', `${lone}:refs/heads/refine/lone/round-1`);
    await repo.git('update-ref', 'refs/heads/refine/lone/round-1', lone);
    const odd = [
      'refine/done/round-0',
      'refine/done/round-01',
      'refine/done/round-2/more',
      'refine/done/rounds-1',
      'refine/x',
    ];
    for (const name of odd) await branch(name, first);
    await branch('refine/none/round-1', first);
    await share();
    const untouched = await repo.untouched();
    const before = await everything(repo);
    const plan = await gc(repo, '--dry-run');
    t.same(await everything(repo), before, 'a dry run writes nothing');
    t.same(both(plan, 'refine/done/round-1'), ['retire goal-closed planned', 'retire goal-closed planned']);
    const items = await gc(repo);
    for (const name of ['done/round-1', 'done/round-12', 'done/skill-abc_1', 'gone/round-1', 'dead/round-1']) {
      t.same(both(items, `refine/${name}`), RETIRED, name);
      t.same([await here(`refine/${name}`), await there(`refine/${name}`)], ['', '']);
    }
    const [onRemote] = items.filter(
      (item) => item.subject === 'refs/heads/refine/done/round-1' && item.kind === 'remote-branch',
    );
    t.match(onRemote, {
      remote: 'origin',
      guarantee: 'fenced',
      detail: /one step with refs\/heads\/main at [0-9a-f]+ and refine\/state/,
    });
    t.same(both(items, 'refine/done/skill-nobodys'), says('other-name'), 'no registration says it is ours');
    t.same(both(items, 'refine/done/round-13'), says('other-name'), 'of no Round that is recorded: it is somebody’s');
    t.same([await here('refine/done/round-13'), await there('refine/done/round-13')], [first, first]);
    t.same(both(items, 'refine/lone/round-1'), says('unique-commits'));
    t.same([await here('refine/lone/round-1'), await there('refine/lone/round-1')], [lone, lone]);
    for (const id of ['fail', 'view', 'work']) t.same(both(items, `refine/${id}/round-1`), says('open-goal'), id);
    t.same(both(items, 'refine/late/round-1'), says('not-yet'));
    for (const name of odd) t.same(both(items, name), says('malformed-name'), name);
    t.same(
      both(items, 'refine/none/round-1'),
      ['report no-record none', 'report no-record none'],
      'absence is not evidence',
    );
    for (const id of ['fail', 'view', 'work', 'late', 'none']) t.ok(await there(`refine/${id}/round-1`), id);
    t.match(await repo.git('log', '-1', '--format=%B', 'refine/state'), /^gc: 10 names retired\n/);
    const after = await repo.untouched();
    t.same({ ...after, refs: null, reflogs: null }, { ...untouched, refs: null, reflogs: null });
    t.same(acted(await gc(repo)), []);
    later(HOUR);
    t.same(both(await gc(repo), 'refine/late/round-1'), RETIRED);
  },
);

/** One Goal that is done, with a Round's branch on both sides and the state shared. */
async function oneDone(t: Test, change: Partial<Goal> = {}): Promise<Closed> {
  const ground = await closedGoals(t);
  await ground.plant('other', 'todo');
  await ground.plant('done', 'done', change);
  await ground.branch('refine/done/round-1', ground.first);
  await ground.share();
  return ground;
}

t.test('07.47: a fresh clone, a stale one, one without a remote in sight, a remote that takes nothing', async (t) => {
  const { repo, first, there, plant, share } = await oneDone(t);
  const fresh = await repo.clone('fresh');
  await fresh.git('branch', '--no-track', 'refine/done/round-1', first);
  const kept = async (at: Repo, reasons: readonly string[]) => {
    const items = await gc(at);
    t.same(both(items, 'refine/done/round-1'), reasons);
    t.ok(items.filter((item) => item.subject.endsWith('/done/round-1')).every((item) => item.detail !== ''));
    t.equal(await at.oid('refs/heads/refine/done/round-1'), first);
    t.equal(await there('refine/done/round-1'), first);
  };
  await kept(fresh, ['report no-record none', 'report no-record none']);

  const stale = await repo.clone('stale');
  await stale.git('branch', '--no-track', 'refine/done/round-1', first);
  await stale.git('update-ref', 'refs/heads/refine/state', 'refs/remotes/origin/refine/state~1');
  await kept(stale, ['report no-record none', 'report no-record none']);
  await stale.git('update-ref', 'refs/heads/refine/state', 'refs/remotes/origin/refine/state');
  await plant('done', 'review');
  await share();
  await kept(stale, says('state-differs'));
  await kept(repo, says('open-goal'));
  await plant('done', 'done');
  await repo.git('push', '-q', '--force', 'origin', 'refine/state~1:refs/heads/refine/state');
  await kept(repo, says('state-differs'));
  await share();

  const url = await repo.git('remote', 'get-url', 'origin');
  await repo.git('remote', 'set-url', 'origin', `${url}.away`);
  const offline = await gc(repo);
  t.same(both(offline, 'refine/done/round-1'), ['none remote-unseen none', 'no item'], 'what is there is not known');
  await repo.git('remote', 'set-url', 'origin', url);
  await repo.git('remote', 'set-url', '--push', 'origin', `${url}.away`);
  await kept(repo, says('no-push', 'kept'));
  await repo.git('config', '--unset', 'remote.origin.pushurl');
  t.same(both(await gc(repo), 'refine/done/round-1'), RETIRED, 'and then it goes');
});

t.test('07.47, M8: a remote without a state is judged by what this clone knows', async (t) => {
  const { repo, first, plant, branch, there } = await closedGoals(t);
  await plant('done', 'done');
  await plant('view', 'review');
  await branch('refine/done/round-1', first);
  await branch('refine/view/round-1', first);
  const items = await gc(repo);
  t.same(both(items, 'refine/done/round-1'), RETIRED);
  t.same(both(items, 'refine/view/round-1'), says('open-goal'));
  t.equal(await there('refine/view/round-1'), first);
});

t.test('M7: without a remote, names go in one step with the local target and the state', async (t) => {
  const { repo, first, tip, plant, branch, here } = await closedGoals(t, {});
  await plant('done', 'done');
  await plant('lone', 'done');
  const lone = await repo.git('commit-tree', '-m', 'lone', '-p', tip, `${tip}^{tree}`);
  await branch('refine/done/round-1', first);
  await branch('refine/lone/round-1', lone);
  const items = await gc(repo);
  t.same(both(items, 'refine/done/round-1'), ['retire goal-closed done', 'no item']);
  t.match(items, [{ guarantee: 'local' }]);
  t.same(both(items, 'refine/lone/round-1'), ['none unique-commits none', 'no item']);
  t.equal(await here('refine/lone/round-1'), lone);
  t.equal(await here('refine/done/round-1'), '');
});

for (const transport of ['ssh', 'http'] as const) {
  t.test(`M8: behind the fence over ${transport}`, async (t) => {
    const { box, repo, there } = await oneDone(t);
    const { url } = transport === 'ssh' ? serveSsh(box, repo.bare) : await serveHttp(t, box, repo.bare);
    await repo.git('remote', 'set-url', 'origin', url);
    const items = await gc(repo);
    t.same(both(items, 'refine/done/round-1'), RETIRED);
    t.match(
      items.find((item) => item.kind === 'remote-branch'),
      { guarantee: 'fenced' },
    );
    t.equal(await there('refine/done/round-1'), '');
  });
}

t.test(
  '07.50, M9: a branch that is checked out loses only its remote name; a stopped rebase counts; locks are honoured',
  async (t) => {
    const { box, repo, first, branch, here, there } = await oneDone(t, { round: 4 });
    for (const number of [2, 3, 4]) await branch(`refine/done/round-${number}`, first);
    await repo.git('worktree', 'add', '-q', box.path('users'), 'refine/done/round-1');
    await repo.git('worktree', 'add', '-q', box.path('gone'), 'refine/done/round-2');
    await repo.git('worktree', 'lock', '--reason', 'on a stick', box.path('gone'));
    rmSync(box.path('gone'), { recursive: true });
    await repo.git('worktree', 'add', '-q', box.path('rebasing'), 'refine/done/round-3');
    await repo.gitFails('-C', box.path('rebasing'), 'rebase', '--root', '--exec', 'false');
    await repo.gitFails('-C', box.path('rebasing'), 'symbolic-ref', 'HEAD');
    const items = await gc(repo);
    for (const number of [1, 2, 3]) {
      const name = `refine/done/round-${number}`;
      t.same(both(items, name), ['none checked-out none', RETIRED[1]], name);
      t.same([await here(name), await there(name)], [first, '']);
    }
    t.same(both(items, 'refine/done/round-4'), RETIRED);
    t.notOk(
      (await repo.git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/refine/done')) !== '',
      'nothing to push back by',
    );
  },
);

t.test('00.1, M9: killed before and after each step, the next gc goes on', async (t) => {
  const ground = await closedGoals(t);
  const { repo, first, there, here } = ground;
  const points = [
    'retire.before-probe',
    'retire.after-probe',
    'retire.before-remote',
    'retire.after-remote',
    'retire.before-here',
    'retire.after-here',
  ];
  for (const [index] of points.entries()) {
    await ground.plant(`goal${index}`, 'done');
    await ground.branch(`refine/goal${index}/round-1`, first);
  }
  await ground.share();
  const reached = await killedAt(repo, 'retire.before-probe', 'gc');
  t.ok(reached);
  t.equal(await there('refine/goal0/round-1'), first);
  for (const point of points.slice(1)) {
    t.ok(await killedAt(repo, point, 'gc'), point);
    await ground.branch('refine/goal1/round-1', first);
  }
  t.same(acted(await gc(repo)).length > 0, true);
  for (const [index] of points.entries()) {
    const name = `refine/goal${index}/round-1`;
    t.same([await here(name), await there(name)], ['', ''], name);
  }
  t.same(acted(await gc(repo)), []);
});
