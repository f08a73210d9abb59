// Branches of closed Jobs, here and where somebody pushed them, are retired with the same care as those of Rounds (M10).

import { t } from 'tap';
import { acted, everything, gc, HOUR, killedAt } from '../fixtures/gc.js';
import { setHook } from '../fixtures/remote.js';
import { both, closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const says = (reason: string, result = 'none'): readonly string[] =>
  ['none', 'none'].map((action) => `${action} ${reason} ${result}`);
const RETIRED = ['retire job-closed done', 'retire job-closed done'];

t.test(
  'M10: branches of closed Jobs that their base has go on both sides, every other one stays, said why',
  async (t) => {
    const { repo, first, tip, plantJob, branch, share, here, there, later } = await closedGoals(t);
    const lone = await repo.git('commit-tree', '-m', 'lone', '-p', tip, `${tip}^{tree}`);
    await plantJob('accepted');
    await plantJob('cancelled', { state: 'cancelled' });
    await plantJob('byhand', { merged: null, tip, prefix: 'mine/too/' });
    await plantJob('inreview', { state: 'review' });
    await plantJob('unmerged', { tip: lone as never });
    await plantJob('givenup', { state: 'cancelled', tip: lone as never });
    await plantJob('lately', { closed: '2024-05-06T11:30:00Z' });
    await plantJob('renamed', { slug: 'other' });
    const at = {
      accepted: first,
      cancelled: first,
      inreview: first,
      unmerged: lone,
      givenup: lone,
      lately: first,
      renamed: first,
    };
    for (const [id, oid] of Object.entries(at)) await branch(`owl/${id}/work`, oid);
    await branch('mine/too/byhand/work', tip);
    await branch('owl/nobody/work', first);
    await branch('feature/login/form', first);
    await branch('owl/accepted/work/more', first).catch(() => undefined);
    await share();
    const untouched = await repo.untouched();
    const before = await everything(repo);
    const plan = await gc(repo, '--dry-run');
    t.same(await everything(repo), before, 'a dry run writes nothing');
    t.same(both(plan, 'owl/accepted/work'), ['retire job-closed planned', 'retire job-closed planned']);

    const items = await gc(repo);
    for (const name of ['owl/accepted/work', 'owl/cancelled/work', 'mine/too/byhand/work']) {
      t.same(both(items, name), RETIRED, name);
      t.same([await here(name), await there(name)], ['', ''], name);
    }
    t.match(
      items.find((item) => item.kind === 'remote-branch' && item.subject === 'refs/heads/owl/accepted/work'),
      {
        job: 'accepted',
        remote: 'origin',
        guarantee: 'fenced',
        detail: /one step with refs\/heads\/main at [0-9a-f]+ and refine\/state/,
      },
    );
    t.same(both(items, 'owl/unmerged/work'), says('accepted-branch'));
    t.same(both(items, 'owl/givenup/work'), says('cancelled-branch'));
    t.same(both(items, 'owl/inreview/work'), says('open-job'));
    t.same(both(items, 'owl/lately/work'), says('not-yet'));
    t.same(both(items, 'owl/renamed/work'), ['none other-name none', 'no item'], "on the remote it is somebody else's");
    t.same(both(items, 'owl/nobody/work'), ['report no-record none', 'no item'], 'absence is not evidence');
    t.same(both(items, 'feature/login/form'), ['no item', 'no item']);
    for (const id of ['unmerged', 'givenup', 'inreview', 'lately', 'renamed', 'nobody'])
      t.ok((await here(`owl/${id}/work`)) !== '' && (await there(`owl/${id}/work`)) !== '', id);
    t.match(await repo.git('log', '-1', '--format=%B', 'refine/state'), /^gc: 6 names retired\n/);
    const after = await repo.untouched();
    t.same({ ...after, refs: null, reflogs: null }, { ...untouched, refs: null, reflogs: null });
    t.same(acted(await gc(repo)), []);

    const [, lacking] = await gc(repo, '--explain', 'owl/unmerged/work');
    t.match(lacking?.proof.at(-1), { what: /^refs\/heads\/main at [0-9a-f]+ has its tip$/, holds: false });
    later(HOUR);
    t.same(both(await gc(repo), 'owl/lately/work'), RETIRED);
  },
);

t.test('M8, M10: the base is rewound in the request, the Job is opened again before it; both sides stay', async (t) => {
  const { repo, first, tip, plantJob, branch, share, here, there } = await closedGoals(t);
  const name = 'owl/accepted/work';
  await plantJob('accepted', { tip });
  await branch(name, tip);
  await share();
  const hook = `test "$#" = 0 && grep -q ' 0000' || exit 0; unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES;`;
  setHook(repo.bare, 'pre-receive', `${hook} git update-ref refs/heads/main ${first}`);
  t.same(both(await gc(repo), name), says('changed', 'kept'));
  t.same([await here(name), await there(name), await there('main')], [tip, tip, first]);
  setHook(repo.bare, 'pre-receive', 'exit 0');
  t.same(both(await gc(repo), name), says('accepted-branch'), 'the base that is seen has it no more');
  await repo.remoteGit('update-ref', 'refs/heads/main', tip);

  await plantJob('accepted', { tip, state: 'pending', phase: 'plan', planned: true, revision: 2 });
  t.same(both(await gc(repo), name), says('open-job'));
  await plantJob('accepted', { tip, revision: 3 });
  await repo.git('push', '-q', '--force', 'origin', 'refine/state~1:refs/heads/refine/state');
  t.same(both(await gc(repo), name), says('state-differs'), 'another clone opened it again');
  await share();
  for (const point of ['retire.before-remote', 'retire.after-remote', 'retire.before-here', 'retire.after-here'])
    t.ok((await killedAt(repo, point, 'gc')) || point !== 'retire.before-remote', point);
  await gc(repo);
  t.same([await here(name), await there(name)], ['', '']);
});

t.test('M9, M10: checked out, unreachable, without a remote, other remotes', async (t) => {
  const { box, repo, first, plantJob, branch, share, here, there } = await closedGoals(t);
  for (const id of ['openhere', 'simple']) {
    await plantJob(id);
    await branch(`owl/${id}/work`, first);
  }
  await plantJob('forked', { onto: { ref: 'refs/remotes/fork/main', oid: first } });
  await branch('owl/forked/work', first);
  await share();
  await repo.git('remote', 'add', 'fork', box.path('nowhere.git'));
  await repo.git('worktree', 'add', '-q', box.path('users'), 'owl/openhere/work');
  const url = await repo.git('remote', 'get-url', 'origin');
  await repo.git('remote', 'set-url', 'origin', `${url}.away`);
  t.same(both(await gc(repo), 'owl/simple/work'), ['none remote-unseen none', 'no item']);
  await repo.git('remote', 'set-url', 'origin', url);
  const items = await gc(repo);
  t.same(both(items, 'owl/openhere/work'), ['none checked-out none', RETIRED[1]]);
  t.same(both(items, 'owl/simple/work'), RETIRED);
  t.same(both(items, 'owl/forked/work'), says('other-remote'));
  t.same([await here('owl/openhere/work'), await there('owl/openhere/work')], [first, '']);

  const alone = await closedGoals(t, {});
  await alone.plantJob('accepted');
  await alone.branch('owl/accepted/work', alone.first);
  const [only] = await gc(alone.repo);
  t.match(only, {
    subject: 'refs/heads/owl/accepted/work',
    action: 'retire',
    reason: 'job-closed',
    guarantee: 'local',
  });
  t.equal(await alone.here('owl/accepted/work'), '');
});
