// The ways out: accept, cancel, drop, restore, reopen, export; nothing is lost by any of them (J30; 07, 24 and 26).

import { type Test, t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

/** A repository whose agent leaves a git-ignored file beside its work, and so many Jobs of it in review. */
async function reviewed(t: Test, count: number): Promise<{ box: Sandbox; repo: Repo; ids: readonly string[] }> {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      { write: 'build.log', text: 'log\n' },
      { write: 'one.txt', text: '{job}\n' },
      { commit: 'First half' },
      { write: 'two.txt', text: '{job}\n' },
      { handoff: '# Handoff\n\nDone, since it was asked for.\n', commit: false },
      { commit: 'Second half' },
    ],
  });
  const repo = await box.repository({
    remote: 'bare',
    agents: [agent],
    files: { '.gitignore': '*.log\n' },
    config: 'plan: false\nchecks:\n  - { name: test, run: test -f two.txt }\n',
  });
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await repo.add(`work ${at}`));
  await repo.owl('run', '--all');
  return { box, repo, ids };
}

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const keptAs = async (repo: Repo, id: string, subject: RegExp): Promise<string> => {
  const lines = (await repo.git('log', '--format=%P %s', `refs/owl/keep/${id}`)).split('\n');
  return (
    lines
      .find((line) => subject.test(line))
      ?.split(' ')
      .find((_, at) => at === 1) ?? ''
  );
};

t.test('J30, 07.26: uncommitted work is refused, with --force kept first; accept and reopen', async (t) => {
  const { repo, ids } = await reviewed(t, 2);
  const [id = '', other = ''] = ids;
  const { worktree, branch, tip } = await show(repo, id);
  const place = repo.box.open(worktree);
  place.write('one.txt', 'changed\n');
  place.write('new.txt', 'new\n');
  const before = await place.untouched();
  for (const verb of ['accept', 'merge', 'cancel', 'drop']) {
    const refused = (await repo.owlFails(4, verb, id, '--json')).json();
    t.match(refused.error, { code: 'uncommitted', message: /new\.txt.*--force keeps it first/ }, verb);
    t.match(refused.error.next, [`git owl diff ${id} --worktree`], 'the next command only looks');
    await repo.owlFails(4, verb, id, '--dry-run');
  }
  t.match((await repo.owlFails(4, 'verify', id)).stderr, /--force keeps it first/);
  repo.box.same(t, before, await place.untouched(), 'nothing was touched');
  const left = other === '' ? '' : (await show(repo, other)).worktree;
  repo.box.open(left).write('one.txt', 'mine\n');
  await repo.owl('verify', other, '--force');
  t.match(await show(repo, other), { state: 'review', verified: 'current' }, 'verified without it');
  t.equal(await repo.git('show', `${await keptAs(repo, other, /wip before verify/)}:one.txt`), 'mine');

  const dry = await repo.owl('accept', id, '--force', '--dry-run');
  t.match(
    dry.stderr,
    /the base has not moved[\s\S]*not kept: build\.log/,
    'what will go, and that the base has not moved',
  );
  repo.box.same(t, before, await place.untouched());
  const accepted = await repo.owl('accept', id, '--force', '--request-id', 'a1');
  t.match(accepted.stderr, /the base has not moved[\s\S]*build\.log/);
  t.match(await show(repo, id), { state: 'done', merged: null, worktree: null });
  t.equal(repo.exists(worktree), false, 'the worktree is gone');
  t.equal(await repo.oid(`refs/heads/${branch}`), tip, 'the branch is not');
  const wip = await keptAs(repo, id, /wip before accept/);
  t.same([await repo.git('show', `${wip}:one.txt`), await repo.git('show', `${wip}:new.txt`)], ['changed', 'new']);

  t.match(
    (await repo.owl('accept', id, '--request-id', 'a1')).stdout,
    /as answered before/,
    '01: the first result again',
  );
  t.match((await repo.owlFails(4, 'accept', other, '--request-id', 'a1', '--json')).json().error, {
    code: 'request-reused',
  });
  t.match((await repo.owlFails(4, 'accept', id)).stderr, /is done/, 'a refused move names the state that it found');
  t.match((await repo.owl('reopen', id, '--dry-run')).stdout, /would be open again/);
  t.equal((await show(repo, id)).state, 'done');
  await repo.owl('reopen', id);
  t.match(await show(repo, id), { state: 'review', verified: 'current' });
  await repo.owl('merge', id);
  t.equal(await repo.git('show', 'main:one.txt'), id);
});

t.test('J30, 07.26: cancel removes nothing; drop removes all and keeps the tip; restore brings it back', async (t) => {
  const { repo, ids } = await reviewed(t, 2);
  const [id = '', second = ''] = ids;
  const { worktree, branch, tip } = await show(repo, id);
  const place = repo.box.open(worktree);
  place.write('new.txt', 'new\n');
  t.match((await repo.owl('cancel', id, '--force', '--dry-run')).stdout, /would be cancelled/);
  t.equal((await show(repo, id)).state, 'review');
  await repo.owl('cancel', id, '--force');
  t.match(await show(repo, id), { state: 'cancelled', worktree });
  t.equal(place.read('new.txt'), 'new\n', 'nothing was taken out of the tree');
  t.equal(
    await repo.git('show', `${await keptAs(repo, id, /wip before cancel/)}:new.txt`),
    'new',
    'and it is kept, too',
  );
  const events = (await repo.owl('events', '--json')).json().data.items.length;
  await repo.owl('cancel', id, '--force');
  t.equal(
    (await repo.owl('events', '--json')).json().data.items.length,
    events,
    '01: the state it has already: no write',
  );
  t.match((await repo.owlFails(4, 'restore', id)).stderr, /cancelled, not dropped/);
  t.match((await repo.owlFails(4, 'merge', id)).stderr, /is cancelled/);
  await repo.owl('reopen', id);
  t.match(await show(repo, id), { state: 'pending' });

  // A place that git owl cannot use is left exactly as it is; cancel, which removes nothing, is still a way out.
  const broken = await show(repo, second);
  await repo.box.open(broken.worktree).git('checkout', '-q', '--detach');
  const astray = (await repo.owlFails(4, 'drop', second, '--json')).json().error;
  t.match(astray, { code: 'workspace', next: [`git -C ${broken.worktree} switch ${broken.branch}`] });
  t.match((await repo.owl('cancel', second)).stdout, /reopened it begins anew \(drop and restore keep the review\)/);
  await repo.box.open(broken.worktree).git('checkout', '-q', broken.branch);
  await repo.git('worktree', 'add', '-qf', repo.box.path('elsewhere'), broken.branch);
  const elsewhere = (await repo.owlFails(4, 'drop', second, '--json')).json();
  t.match(elsewhere.error, { code: 'refused', message: /checked out in .*elsewhere/ });
  t.equal(await repo.oid(`refs/heads/${broken.branch}`), broken.tip);
  await repo.git('worktree', 'remove', repo.box.path('elsewhere'));

  const dry = await repo.owl('drop', id, '--force', '--dry-run');
  t.match([dry.stdout, dry.stderr].join(''), /would be dropped[\s\S]*build\.log/);
  t.equal(await repo.oid(`refs/heads/${branch}`), tip);
  const dropped = (await repo.owl('drop', id, '--force', '--request-id', 'd1', '--json')).json().data;
  t.match(dropped, { state: 'cancelled', kept: tip, ignored: ['build.log'] });
  t.equal(repo.exists(worktree), false);
  t.equal(await repo.oid(`refs/heads/${branch}`), '');
  t.match((await repo.owl('drop', id, '--request-id', 'd1')).stdout, /as answered before/);
  t.match((await repo.owlFails(4, 'reopen', id, '--json')).json().error.next, [`git owl restore ${id}`]);
  await repo.git('reflog', 'expire', '--expire=all', '--all');
  await repo.git('gc', '-q', '--prune=now');
  t.equal(
    await repo.git('show', `${await keptAs(repo, id, /wip before drop/)}:new.txt`),
    'new',
    'what was uncommitted',
  );

  t.match((await repo.owl('restore', id, '--dry-run')).stdout, /would come back/);
  t.equal(await repo.oid(`refs/heads/${branch}`), '', 'a dry run makes no branch');
  await repo.git('branch', branch, 'main');
  t.match((await repo.owlFails(4, 'restore', id)).stderr, /is taken/);
  await repo.git('branch', '-qD', branch);
  await repo.owl('restore', id, '--request-id', 'r1');
  t.match((await repo.owl('restore', id, '--request-id', 'r1')).stdout, /as answered before/);
  t.match(await show(repo, id), { state: 'pending', tip }, 'in the state that it had');
  t.equal(await repo.oid(`refs/heads/${branch}`), tip);
});

t.test('J9, J19, J30: an agent that left its branch: said where, and drop --force keeps all of it', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      { git: ['checkout', '-q', '-b', 'other'] },
      { write: 'one.txt', text: 'one\n' },
      { commit: 'Beside the branch' },
      { write: 'two.txt', text: 'two\n' },
    ],
  });
  const repo = await box.repository({ agents: [agent], config: 'plan: false\n' });
  const id = await repo.add('leave the branch');
  await repo.owlFails(4, 'run');
  t.match(await show(repo, id), { reason: { code: 'escaped' }, history: [{ notes: [/other/, /./, /is on refs/] }] });
  await repo.owl('retry', id);
  const run = await repo.owlFails(4, 'run');
  const { branch, worktree, reason } = await show(repo, id);
  t.match(reason, { code: 'wrong-branch' });
  const back = `git -C "$(git owl worktree ${id})" switch ${branch}`;
  t.match(run.stderr, `hint: ${back}\n`, 'the way back is said');
  const where = await repo.owl('worktree', id);
  t.equal(where.stdout, `${worktree}\n`);
  t.match(where.stderr, /is on refs\/heads\/other, not on/);
  t.match((await repo.owlFails(4, 'verify', id, '--json')).json().error.next, [/switch/]);
  t.match((await repo.owlFails(4, 'drop', id)).stderr, /--force keeps its commits first/);
  t.equal(repo.exists(worktree), true);
  const strayed = await repo.oid('refs/heads/other');
  await repo.owl('drop', id, '--force', '--dry-run');
  t.equal(repo.exists(worktree), true, 'a dry run removes nothing');
  await repo.owl('drop', id, '--force');
  t.equal(repo.exists(worktree), false);
  await repo.git('branch', '-qD', 'other');
  await repo.git('reflog', 'expire', '--expire=all', '--all');
  await repo.git('gc', '-q', '--prune=now');
  t.equal(await keptAs(repo, id, /commits outside the branch before drop/), strayed, 'its commits are kept');
  t.equal(await repo.git('show', `${await keptAs(repo, id, /wip before drop/)}:two.txt`), 'two', 'and the rest');
  await repo.owl('restore', id);
  await repo.owl('worktree', id, '--ensure');
  t.equal(await box.open(worktree).git('branch', '--show-current'), branch, 'restored, it has a worktree again');
});

t.test('J8, J30, J31, M2: a branch of the user that bears the name of a job is left alone', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', diligent('one.txt'))] });
  const id = await repo.add('--no-plan', '--slug', 'mine', 'take a name');
  const ref = `refs/heads/owl/${id}/mine`;
  await repo.git('branch', `owl/${id}/mine`);
  await repo.commit('Elsewhere', { 'other.txt': 'other\n' });
  const theirs = await repo.oid(ref);
  await repo.owlFails(4, 'run', id);
  t.match(await show(repo, id), { state: 'blocked', reason: { code: 'name-taken' }, tip: null });
  for (const words of [
    ['export', id, 'away'],
    ['diff', id],
    ['handoff', id],
    ['worktree', id, '--ensure'],
  ])
    await repo.owlFails(3, ...words);
  await repo.owl('drop', '--force', id);
  t.equal(await repo.oid(ref), theirs, 'drop left it');
  await repo.owl('gc');
  t.equal(await repo.oid(ref), theirs, 'gc left it');
  await repo.owl('restore', id);
  t.match(await show(repo, id), { state: 'blocked', tip: null });
  t.equal(await repo.oid(ref), theirs);
});

t.test('J30: export makes a branch of the own of the user, without the Handoff, and pushes nothing', async (t) => {
  const { repo, ids } = await reviewed(t, 1);
  const [id = ''] = ids;
  const before = await repo.untouched(['refs/heads/tabs', 'refs/heads/tabs-one']);
  const there = await repo.remoteGit('for-each-ref');
  await repo.owl('export', id, 'tabs', '--dry-run');
  t.equal(await repo.oid('refs/heads/tabs'), '');
  const exported = (await repo.owl('export', id, 'tabs', '--request-id', 'e1', '--json')).json().data;
  t.match(exported, { state: 'review', exported: { ref: 'refs/heads/tabs', commits: 2 } });
  t.equal(
    await repo.git('log', '--format=%s <%ae>', 'main..tabs'),
    'Second half <ada@example.com>\nFirst half <ada@example.com>',
  );
  t.equal(await repo.git('diff', '--name-only', 'main', 'tabs'), 'one.txt\ntwo.txt');
  t.match((await repo.owl('export', id, 'tabs', '--request-id', 'e1')).stdout, /as answered before/);
  t.match((await repo.owlFails(4, 'export', id, 'tabs', '--squash', '--request-id', 'e1', '--json')).json().error, {
    code: 'request-reused',
  });
  await repo.owl('export', id, 'tabs-one', '--squash');
  t.equal(await repo.git('log', '--format=%s', 'main..tabs-one'), 'work 0');
  t.equal(await repo.oid('tabs^{tree}'), await repo.oid('tabs-one^{tree}'));
  t.match((await repo.owlFails(4, 'export', id, 'tabs')).stderr, /exists already/);
  t.match((await repo.owlFails(4, 'export', id, 'tabs/more')).stderr, /impossible/);
  for (const name of ['owl/mine', 'refine/mine'])
    t.match((await repo.owlFails(4, 'export', id, name, '--json')).json().error, { code: 'reserved-name' });
  await repo.owlFails(2, 'export', id, 'no..name');
  repo.box.same(t, before, await repo.untouched(['refs/heads/tabs', 'refs/heads/tabs-one']));
  t.equal(await repo.remoteGit('for-each-ref'), there, 'nothing is pushed');

  // What did not pass is not verified work.
  const place = repo.box.open((await show(repo, id)).worktree);
  await place.git('rm', '-q', 'two.txt');
  await place.git('commit', '-q', '-m', 'Break it');
  t.match((await repo.owlFails(6, 'export', id, 'broken')).stderr, /moved since it was verified/);
  await repo.owlFails(6, 'verify', id);
  t.match((await repo.owlFails(6, 'export', id, 'broken', '--json')).json().error, { code: 'not-accepted' });
  t.equal(await repo.oid('refs/heads/broken'), '');
  const forced = await repo.owl('export', id, 'broken', '--force');
  t.match(forced.stdout, /not verified/);
  t.match(forced.stderr, /next: git push origin broken/, 'what can be pasted');
});

t.test(
  '07.24, 07.26: what fails is not merged and loses nothing; a live Run is not dropped, and ends by cancel',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      cases: [
        {
          when: 'fail',
          execute: [
            { write: 'half.txt', text: 'half\n' },
            { commit: 'Half' },
            { write: 'draft.txt', text: 'draft\n' },
            { exit: 1 },
          ],
        },
        {
          when: 'stay',
          execute: [{ write: 'live.txt', text: 'live\n' }, { reach: 'live' }, { sleep: 120_000 }],
        },
      ],
      ...diligent(),
    });
    const repo = await box.repository({ agents: [agent], config: 'plan: false\nexecution: { auto_merge: true }\n' });
    const main = await repo.oid('refs/heads/main');
    const failed = await repo.add('fail', '--ttl', '1');
    await repo.owlFails(8, 'run');
    const shown = await show(repo, failed);
    t.match(shown, { state: 'blocked', closure: 'blocked', ttl: 0 }, '11: blocked stays blocked with no Runs left');
    t.equal(box.open(shown.worktree).read('draft.txt'), 'draft\n', 'the worktree survives with its uncommitted file');
    t.equal(await repo.git('show', `${await keptAs(repo, failed, /wip of run 1/)}:draft.txt`), 'draft');
    t.match((await repo.owlFails(4, 'merge', failed)).stderr, /is blocked/);
    t.match((await repo.owlFails(4, 'retry', failed)).stderr, /no Runs left/);
    t.match((await repo.owlFails(4, 'accept', failed)).stderr, /is blocked/);

    const live = await repo.add('stay');
    const running = repo.start('run', live);
    await agent.reached('live', 60_000);
    t.match((await repo.owlFails(4, 'drop', live, '--force', '--json')).json().error, { code: 'is-live' });
    t.match((await repo.owlFails(4, 'accept', live)).stderr, /is active/);
    await repo.owl('cancel', live);
    await running.wait();
    const pids = agent.seen().map(({ pid }) => pid);
    t.notOk(
      box.processes().some(({ pid }) => pids.includes(pid)),
      'its agent is ended',
    );
    const cancelled = await show(repo, live);
    t.match(cancelled, { state: 'cancelled', worktree: String });
    t.equal(box.open(cancelled.worktree).read('live.txt'), 'live\n');
    t.equal(
      await repo.git('show', `${await keptAs(repo, live, /wip of run 1/)}:live.txt`),
      'live',
      'and what it had is kept',
    );
    await repo.owl('drop', live, '--force');
    t.equal(repo.exists(cancelled.worktree), false);
    t.equal(await repo.oid('refs/heads/main'), main, 'nothing landed');
  },
);
