// The target of a Goal moves: before it starts, while its gates run, and between the last look and the push (G5, G6, G20 to G23, G33,
// G34; 07.34, 07.36, 07.37, 07.42).

import { type Test, t } from 'tap';
import { addGoal, door, evidenceOf, onRemote, rival, showGoal } from '../fixtures/goals.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CHECKS = 'plan: false\nchecks: [{ name: test, run: "ls *.txt" }]\n';
const GATES = `${CHECKS}quality: { checks: [{ name: style, run: "true" }] }\n`;

const forwardOf = async (repo: Repo, id: string): Promise<string> =>
  (await showGoal(repo, id)).evidence.find((one: { type: string }) => one.type === 'forward').reason.code;

t.test(
  'G5, G6, G33, 07.34: the local branch of the target is behind, diverged, or dirty on the same file',
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      cases: [{ when: 'read-me', execute: [{ write: 'README.md', text: 'by {job}\n' }, { commit: 'README' }] }],
      execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Write' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [worker], config: GATES });

    const pushed = await repo.colleague('Theirs', { 'theirs.txt': 'theirs\n' });
    repo.write('mine.txt', 'untracked\n');
    const behind = await addGoal(repo, 'behind');
    await repo.owl('goal', 'advance', behind);
    t.equal(await forwardOf(repo, behind), 'forwarded');
    t.match(await showGoal(repo, behind), { status: 'review', base: { oid: pushed } });
    t.equal(await repo.oid('refs/heads/main'), await onRemote(repo), 'the local branch followed both times');
    t.equal(repo.read('theirs.txt'), 'theirs\n', 'and its checkout');
    t.equal(await repo.git('status', '--porcelain'), '?? mine.txt');

    const mine = await repo.commit('Mine', { 'mine.txt': 'mine\n' });
    await repo.colleague('Again', { 'theirs.txt': 'again\n' });
    const base = await onRemote(repo);
    const before = await repo.untouched();
    const diverged = await addGoal(repo, 'diverged');
    const done = await repo.owl('goal', 'advance', diverged);
    t.match(done.stderr, /main here has commits that origin does not/);
    t.equal(await forwardOf(repo, diverged), 'diverged');
    t.match(await showGoal(repo, diverged), { status: 'review', base: { oid: base } });
    box.same(t, before, await repo.untouched());
    t.equal(await repo.oid('refs/heads/main'), mine);
    t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'mine.txt'), '', 'the local branch lends no commit');

    await repo.git('reset', '-q', '--hard', 'origin/main');
    repo.write('README.md', 'mine\n');
    repo.write('.gitignore', '*.log\n');
    await repo.git('add', '.gitignore');
    const dirty = await addGoal(repo, 'the read-me');
    const start = await onRemote(repo);
    const kept = await repo.untouched();
    const waits = await repo.owl('goal', 'advance', dirty);
    t.match(waits.stderr, /main here follows later/);
    t.match(await showGoal(repo, dirty), { status: 'review' });
    t.equal(await onRemote(repo, 'main^1'), start);
    box.same(t, kept, await repo.untouched(), 'neither the local branch nor its checkout moved');
    t.match((await repo.owl('status')).stdout, /main/);
    await repo.git('checkout', '-q', '--', 'README.md');
    const later = await addGoal(repo, 'later');
    t.equal(await repo.oid('refs/heads/main'), await onRemote(repo), 'the next writing command brings both up');
    t.match(repo.read('README.md'), /^by/);
    t.equal(await repo.git('status', '--porcelain'), 'A  .gitignore', 'what the user staged stays staged');
    t.match(await showGoal(repo, later), { status: 'todo' });
  },
);

t.test('G20, G23, 07.36: the agent merged the target into its branch: "not linear", everything kept', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    execute: [
      { write: 'own.txt', text: 'x\n' },
      { commit: 'Own' },
      { reach: 'merge' },
      { await: 'merge' },
      { git: ['merge', '--quiet', '--no-edit', 'refs/remotes/origin/main'] },
      { write: 'more.txt', text: 'x\n' },
      { commit: 'More' },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: GATES });
  const id = await addGoal(repo, 'write it');
  const running = repo.start('goal', 'advance', id, '--json');
  await worker.reached('merge', 100_000);
  const pushed = await repo.colleague('Theirs', { 'theirs.txt': 'theirs\n' });
  await repo.git('fetch', '-q', 'origin');
  worker.release('merge');
  const ended = await running.wait();
  t.equal(ended.code, 5, ended.stderr);
  t.match(ended.json().error, { code: 'not-linear', message: /is not linear: it has a merge commit/ });
  const goal = await showGoal(repo, id);
  t.match(goal, { status: 'failed', reason: { code: 'not-linear' } });
  t.equal(await repo.oid(`refs/heads/${goal.branch}`), goal.candidate.tip);
  t.equal(await repo.git('log', '-1', '--format=%s', goal.candidate.tip), 'More');
  t.equal(await onRemote(repo), pushed, 'nothing was published');
  // To judge the same Candidate again finds the same: what is proposed is what may help.
  const verbs = goal.proposals.map(({ verb }: { verb: string }) => verb.replace('git owl ', ''));
  t.match(verbs, [`goal move ${id} implement`, /^goal round \S+ "<what to do>" --from 1$/, `review ${id}`]);
  t.equal(verbs.length, 3);
  const { worktree } = (await repo.owl('show', goal.history[0].job, '--json')).json().data;
  t.equal(box.open(worktree).read('more.txt'), 'x\n');
  t.equal(await box.open(worktree).git('status', '--porcelain'), '');
});

t.test('G13, G34, 07.37, 07.42: the target moves while a gate runs, and inside the hooks of the remote', async (t) => {
  const box = await sandbox(t);
  const quality = door(box, 'quality');
  const governance = door(box, 'governance');
  const worker = box.agent('worker', { execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Write' }] });
  const config = `${CHECKS}quality: { checks: [{ name: style, run: "${quality.command}" }] }
governance: { checks: [{ name: rules, run: "${governance.command}" }] }\n`;
  const repo = await box.repository({ remote: 'bare', agents: [worker], config });
  const move = async (to: string) => repo.remoteGit('update-ref', 'refs/heads/main', to);

  /** Of a Goal that stopped, since the target was at `to` when its merge came: nothing of it is there, and it goes on from there. */
  const stopped = async (
    t: Test,
    id: string,
    to: string,
    ended: { code: number | null; stdout: string; stderr: string },
  ) => {
    t.equal(ended.code, 5, ended.stderr);
    t.match(JSON.parse(ended.stdout).error, { code: 'target-moved', message: /moved before the merge arrived/ });
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'failed', integration: null, reason: { code: 'target-moved' } });
    t.equal(await onRemote(repo), to, 'the remote has what the other one pushed');
    t.equal(await repo.remoteGit('for-each-ref', `refs/heads/refine/${id}`), '', 'and nothing of ours');
    t.equal(await repo.oid(`refs/heads/${goal.branch}`), goal.candidate.tip);
    t.match((await repo.owl('lease', '--json')).json().data.items, [{ target: 'main', state: 'free' }]);
    t.same(evidenceOf(goal, 'integration'), ['void']);
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/publish'), '');
    await repo.owl('retry', id);
    await repo.owl('goal', 'advance', id);
    const after = await showGoal(repo, id);
    t.match(after, { status: 'review', candidate: { base: to } });
    t.equal(await onRemote(repo, 'main^1'), to, 'merged once, onto what was there');
    t.same(evidenceOf(after, 'integration'), ['void', 'done']);
  };

  await t.test('while quality runs: brought up to date and proven again under the lease', async (t) => {
    const id = await addGoal(repo, 'quality');
    quality.shut();
    const running = repo.start('goal', 'advance', id);
    await quality.reached();
    const to = await repo.colleague('Beside', { 'beside.txt': 'x\n' });
    quality.open();
    t.equal((await running.wait()).code, 0);
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'review', candidate: { base: to } });
    t.same([evidenceOf(goal, 'quality'), evidenceOf(goal, 'governance')], [['passed', 'passed'], ['passed']]);
    t.equal(await onRemote(repo, 'main^1'), to);
  });

  await t.test('while governance runs', async (t) => {
    const id = await addGoal(repo, 'governance');
    governance.shut();
    const running = repo.start('goal', 'advance', id, '--json');
    await governance.reached();
    const to = await rival(repo);
    await move(to);
    governance.open();
    await stopped(t, id, to, await running.wait());
  });

  for (const hook of ['pre-receive', 'update'] as const) {
    await t.test(`inside ${hook} of the remote, between the last look and the push`, async (t) => {
      const id = await addGoal(repo, hook);
      const to = await rival(repo);
      const mine = hook === 'update' ? 'test "$1" = refs/heads/main' : 'grep -q refs/heads/main';
      const clean = 'env -u GIT_QUARANTINE_PATH -u GIT_OBJECT_DIRECTORY -u GIT_ALTERNATE_OBJECT_DIRECTORIES';
      setHook(repo.bare, hook, `${mine} && ${clean} git update-ref refs/heads/main ${to}\nexit 0`);
      const ended = await repo.owl('goal', 'advance', id, '--json', { fails: 'any' });
      setHook(repo.bare, hook, 'exit 0');
      await stopped(t, id, to, ended);
    });
  }

  await t.test('after the last look was answered: an upload-pack that moves it', async (t) => {
    const id = await addGoal(repo, 'upload-pack');
    const to = await rival(repo);
    // Governance is over when the door is shut no more: whoever looks then is told what was, and finds it moved.
    const wrapper = box.executable(
      'mover',
      `#!/bin/sh\ngit-upload-pack "$@"\nstatus=$?\ntest -e '${box.path('armed')}' && git -C '${repo.bare}' update-ref refs/heads/main ${to}\nexit $status\n`,
    );
    await repo.git('config', 'remote.origin.uploadpack', wrapper);
    governance.shut();
    const running = repo.start('goal', 'advance', id, '--json');
    await governance.reached();
    repo.write(box.path('armed'), '');
    governance.open();
    const ended = await running.wait();
    await repo.git('config', '--unset', 'remote.origin.uploadpack');
    await stopped(t, id, to, ended);
  });

  await t.test('after the push, in post-receive: it is merged; rewound, it cannot be approved', async (t) => {
    const id = await addGoal(repo, 'post-receive');
    const start = await onRemote(repo);
    const on = `grep -q refs/heads/main && git update-ref refs/heads/main`;
    const top = `$(git commit-tree -p main -m Top main^{tree})`;
    setHook(repo.bare, 'post-receive', `${on} "${top}"\nexit 0`);
    await repo.owl('goal', 'advance', id);
    setHook(repo.bare, 'post-receive', 'exit 0');
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'review' });
    t.equal(await onRemote(repo, 'main^^1'), start, 'somebody built on it at once');
    t.equal(await onRemote(repo, 'main^'), goal.integration.merge);
    const merged = await onRemote(repo);
    await move(start);
    t.match((await repo.owlFails(4, 'goal', 'approve', id)).stderr, /is not in refs\/remotes\/origin\/main/);
    await move(merged);
    await repo.owl('goal', 'approve', id);
    const state = await repo.oid('refs/heads/refine/state');
    await repo.owl('goal', 'approve', id);
    t.equal(await repo.oid('refs/heads/refine/state'), state, 'approved twice is once');
    t.equal(await onRemote(repo), merged);
  });
});
