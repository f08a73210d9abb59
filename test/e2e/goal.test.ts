// A Goal from the queue to review: its Round's Runs, gates on exactly one Candidate, one merge under the lease (03; 07.33 to 07.41).

import { t } from 'tap';
import {
  addGoal as add,
  GATED as CONFIG,
  evidenceOf as evidence,
  onRemote,
  showGoal as show,
  WORK,
} from '../fixtures/goals.js';
import { setHook } from '../fixtures/remote.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const STATE = 'refs/heads/refine/state';

t.test('G4, G5, G11 to G13, G30 to G35, G51, 07.33, 07.41: from the queue to done, over a remote', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  const start = await onRemote(repo);
  // The user is elsewhere, with commits of their own and unfinished work.
  await repo.git('checkout', '-q', '-b', 'develop');
  await repo.commit('Mine', { 'mine.txt': 'mine\n' });
  repo.write('mine.txt', 'dirty\n');
  const before = await repo.untouched(['refs/heads/main', 'refs/remotes/origin/main']);
  const id = await add(repo, 'write it');
  for (const [at, status] of ['plan', 'implement', 'quality', 'governance'].entries()) {
    await repo.owl('goal', 'advance', id, '--step');
    t.match(await show(repo, id), { status }, `one status at a time: ${status}`);
    if (at > 0) continue;
    t.match(
      await repo.git('worktree', 'list'),
      /^[^\n]*$/,
      'durably in plan, and no worktree before there is a place for it',
    );
    t.equal(
      await repo.git('for-each-ref', 'refs/heads/refine/'),
      await repo.git('for-each-ref', STATE),
      'nor a branch',
    );
  }
  const proven = await show(repo, id);
  t.equal(proven.base.oid, start, 'the Round stands on the target, not on what is checked out');
  t.equal(await repo.git('merge-base', 'develop', proven.candidate.tip), start, 'and has none of the user’s commits');
  t.equal(await onRemote(repo), start, 'nothing is published before governance');
  await repo.owl('goal', 'advance', id);
  const done = await show(repo, id);
  t.match(done, { status: 'review', reason: null });
  t.same(
    [evidence(done, 'quality'), evidence(done, 'governance'), evidence(done, 'integration')],
    [['passed'], ['passed'], ['done']],
  );
  const main = await onRemote(repo);
  t.equal(await onRemote(repo, 'main^1'), start, 'two parents, also where a fast-forward would do');
  t.equal(await onRemote(repo, 'main^2'), done.candidate.tip);
  t.equal(await onRemote(repo, `refine/${id}/round-1`), done.candidate.tip, 'the Candidate’s branch went along');
  t.equal(await repo.remoteGit('diff', '--name-only', 'main^1', 'main'), 'work.txt', 'without the Handoff');
  t.match(
    await repo.remoteGit('log', '-1', '--format=%B', 'main'),
    new RegExp(`Owl-Goal: ${id}\nOwl-Round: 1\nOwl-Candidate: ${done.candidate.tip}\nOwl-Lease-Token: 1`),
  );
  t.equal(await repo.oid('refs/heads/main'), main, 'the local branch follows');
  box.same(t, before, await repo.untouched(['refs/heads/main', 'refs/remotes/origin/main']));
  await repo.owl('goal', 'approve', id);
  t.match(await show(repo, id), { status: 'done' });
  t.equal(await onRemote(repo), main, 'approving merges nothing');
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
  t.equal((await repo.git('for-each-ref', 'refs/owl/local/publish', 'refs/owl/local/intents')) === '', true);
});

t.test(
  'G14, G31, G43: findings of quality and of governance fail the Goal, are kept, and retry goes on from there',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [
        [{ write: 'work.txt', text: 'bad\n' }, { write: 'forbidden.txt', text: 'x\n' }, { commit: 'First' }],
        [
          {
            expect: {
              prompt: [
                'check quality:style exit 1',
                '\\$ ! cat work. \\| grep bad\nbad\n',
                '- quality:style: `! cat work. \\| grep bad`',
                '- governance:rules: `test ! -f forbidden.txt`',
              ],
            },
          },
          { write: 'work.txt', text: 'good\n' },
          { commit: 'Second' },
        ],
        [
          { expect: { prompt: ['check governance:rules exit 1', '\\$ test ! -f forbidden.txt\n'] } },
          { remove: 'forbidden.txt' },
          { commit: 'Third' },
        ],
      ],
    });
    const repo = await box.repository({ remote: 'bare', agents: [agent], config: `plan: false\n${CONFIG}` });
    const start = await onRemote(repo);
    const id = await add(repo, 'write it');
    const first = await repo.owlFails(6, 'goal', 'advance', id, '--json');
    t.match(first.json(), { ok: false, error: { code: 'quality-findings' } });
    const failed = await show(repo, id);
    t.match(failed, { status: 'failed', reason: { code: 'quality-findings', text: /style/ } });
    t.same(evidence(failed, 'quality'), ['findings']);
    await repo.owl('goal', 'move', id, 'implement');
    await repo.owlFails(6, 'goal', 'advance', id);
    const second = await show(repo, id);
    t.match(second, { status: 'failed', reason: { code: 'governance-findings', text: /rules/ } });
    t.same(evidence(second, 'quality'), ['findings', 'passed'], 'the failed proof stands');
    await repo.owl('goal', 'move', id, 'implement');
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review' });
    t.equal(await onRemote(repo, 'main^1'), start);
    t.equal(await repo.remoteGit('show', 'main:work.txt'), 'good');
  },
);

t.test(
  'G20, G22, G23, G40, 07.37: the target moves: a refresh is proven again, a conflict stops and keeps all',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      remote: 'bare',
      agents: [box.agent('worker', WORK)],
      config: `plan: false\n${CONFIG}`,
    });
    const id = await add(repo, 'write it');
    for (let at = 0; at < 4; at += 1) await repo.owl('goal', 'advance', id, '--step');
    const before = await show(repo, id);
    t.match(before, { status: 'governance' });
    const pushed = await repo.colleague('Beside', { 'beside.txt': 'x\n' });
    await repo.owl('goal', 'advance', id);
    const after = await show(repo, id);
    t.match(after, { status: 'review' });
    t.equal(after.candidate.base, pushed, 'replayed onto the target as it is');
    t.same(evidence(after, 'quality'), ['passed', 'passed'], 'and proven again under the lease');
    t.equal(await onRemote(repo, 'main^1'), pushed);
    t.match(await repo.git('log', '--format=%s', `refs/owl/candidates/${id}`), /./, 'the old Candidate stays pinned');
    t.equal(await repo.git('cat-file', '-t', before.candidate.tip), 'commit');

    const clash = await add(repo, 'clash');
    for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', clash, '--step');
    const candidate = await show(repo, clash);
    await repo.colleague('Clash', { 'work.txt': 'theirs\n' });
    const main = await onRemote(repo);
    const stopped = await repo.owlFails(5, 'goal', 'advance', clash, '--json');
    t.match(stopped.json(), { error: { code: 'refresh-conflict', message: /work\.txt/ } });
    t.match(await show(repo, clash), {
      status: 'failed',
      reason: { code: 'refresh-conflict', paths: ['work.txt'] },
      candidate: { tip: candidate.candidate.tip },
    });
    t.equal(
      await repo.oid(`refs/heads/refine/${clash}/round-1`),
      candidate.candidate.tip,
      'branch and Candidate are as they were',
    );
    t.equal(await onRemote(repo), main);
  },
);

t.test('G32, G34, 07.38: a push that the server declines publishes nothing, and is said', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: `plan: false\n${CONFIG}`,
  });
  const start = await onRemote(repo);
  const id = await add(repo, 'write it');
  setHook(repo.bare, 'update', 'case "$1" in refs/heads/main) echo protected branch >&2; exit 1;; esac');
  const declined = await repo.owlFails(4, 'goal', 'advance', id, '--json');
  t.match(declined.json(), { ok: false, error: { code: 'declined-by-server' } });
  t.match(await show(repo, id), { status: 'failed', reason: { code: 'declined-by-server' } });
  t.equal(await onRemote(repo), start);
  t.equal(await repo.oid('refs/heads/main'), start, 'nothing here moved either');
});

t.test('G32, 07.39: killed around the push, the next command finds what arrived; merged once', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: `plan: false\n${CONFIG}`,
  });
  const points = [
    'goal.after-start',
    'goal.before-candidate',
    'goal.after-candidate',
    'goal.before-proof',
    'goal.after-proof',
    'integrate.before-begin',
    'integrate.after-begin',
    'publish.before-push',
    'publish.after-push',
    'integrate.before-settle',
    'integrate.after-settle',
  ];
  for (const point of points) {
    const start = await onRemote(repo);
    const id = await add(repo, `survive ${point}`);
    const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
    t.equal(killed.signal, 'SIGKILL', `${point} is reached ${killed.stderr}`);
    let now = await show(repo, id);
    for (let at = 0; at < 4 && now.status !== 'review'; at += 1) {
      await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_LEASE_LENGTH: '500' } });
      now = await show(repo, id);
    }
    t.equal(now.status, 'review', `${point}: it comes to review ${now.reason?.text ?? ''}`);
    t.equal(await onRemote(repo, 'main^1'), start, `${point}: merged once`);
    t.match(await show(repo, id), { integration: { status: 'done' } });
    t.match((await repo.owl('fsck', '--json')).json(), { ok: true }, `${point}: the state is sound`);
  }
});

t.test(
  'G31, G32, G33: without a remote the target moves by compare-and-swap; with no gate nothing is integrated',
  async (t) => {
    const box = await sandbox(t);
    const agents = [box.agent('worker', WORK)];
    const repo = await box.repository({ agents, config: `plan: false\n${CONFIG}` });
    const start = await repo.oid('main');
    const id = await add(repo, 'write it');
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review', target: { publish: false } });
    t.equal(await repo.oid('main^1'), start);
    t.match(repo.read('work.txt'), /^work of/, 'the checkout of the target follows');
    t.equal(await repo.git('status', '--porcelain'), '');
  },
);

t.test('03, G5: a Goal lands on goals.target where nothing else was said, as `goal add` says', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    agents: [box.agent('worker', WORK)],
    config: `plan: false\ngoals: { target: release }\n${CONFIG}`,
  });
  await repo.git('branch', 'release');
  const main = await repo.oid('main');
  const added = await repo.owl('goal', 'add', 'write it', '--request', 'please', '--queue');
  t.match(added.stderr, /land on release/);
  const id = added.stdout.trim();
  await repo.owl('goal', 'advance', id);
  t.match(await show(repo, id), { status: 'review', target: { name: 'release' } });
  t.equal(await repo.oid('release^1'), main);
  t.equal(await repo.oid('main'), main, 'the default base has not moved');
});
