// The tip of a Job on its way between clones: what another clone went on with is the work, and no older branch is taken for it (J8; 05, S1, S4).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks: []\n';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;
const branchOf = async (repo: Repo, id: string) =>
  repo.git('for-each-ref', '--format=%(refname)', `refs/heads/owl/${id}`);

/** Each Run adds a file of its own. */
const ground = async (box: Sandbox): Promise<readonly [Repo, Repo, string]> => {
  const agent = box.agent('worker', {
    execute: [{ sh: 'echo "$OWL_RUN" > "run-$OWL_RUN.txt"' }, { commit: 'Write run {number}' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  const other = await repo.clone('other');
  const id = await repo.add('write it');
  await repo.owl('run', '--claim-remote', id);
  await sync(repo);
  return [repo, other, id];
};

/** A second Run, on a base that moved meanwhile: its tip does not descend from the first one. */
const again = async (repo: Repo, id: string, ...args: string[]): Promise<string> => {
  await repo.colleague('the base moves', { 'other.txt': 'x\n' });
  await repo.owl('retry', id, '-m', 'more');
  await repo.owl('run', id, ...args);
  await repo.owl('sync');
  return (await show(repo, id)).tip;
};

t.test(
  'J8, S1: a branch that is older than the record follows it, with its worktree; what it held is kept',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other, id] = await ground(box);
    t.same((await sync(other)).tips, [id]);
    const old = (await show(other, id)).tip;
    const place = (await other.owl('worktree', id, '--ensure')).stdout.trim();
    const tip = await again(repo, id, '--claim-remote');
    t.not(tip, old);
    t.same((await sync(other)).tips, [id], 'it followed');
    const branch = await branchOf(other, id);
    t.equal(await other.oid(branch), tip);
    t.equal(await other.git('-C', place, 'status', '--porcelain'), '', 'the worktree is clean, at the new tip');
    t.equal(await other.git('-C', place, 'rev-parse', 'HEAD'), tip);
    const kept = await other.git('log', '--format=%P %s', `refs/owl/keep/${id}`);
    t.match(kept, new RegExp(`${old} tip before that of another clone`));
    t.same((await sync(other)).tips, []);
    // What a person takes off the branch by hand after that is theirs again.
    await other.git('-C', place, 'reset', '-q', '--hard', 'HEAD~1');
    t.same((await sync(other)).tips, [], 'an older value that nobody sent is no stale one');
  },
);

t.test(
  'J8: what is not to be had is said by every verb, and no older branch is merged, verified or gone on with',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other, id] = await ground(box);
    await sync(other);
    const before = [await other.oid('main'), await other.oid(await branchOf(other, id))];
    await repo.remoteGit('config', 'receive.hideRefs', 'refs/owl');
    const tip = await again(repo, id);
    t.not(await repo.remoteGit('for-each-ref', '--format=%(objectname)', 'refs/owl/shared'), tip);
    await sync(other);
    for (const verb of ['review', 'diff', 'merge', 'verify']) {
      const { stderr } = await other.owlFails(3, verb, id);
      t.match(stderr, /in another clone .*git owl sync there publishes them/, verb);
      t.match(stderr, /git owl sync/, verb);
    }
    t.match((await other.owlFails(3, 'export', id, 'mine')).stderr, /in another clone/);
    t.equal((await show(other, id)).tip, tip, 'what is shown is what the record says');
    await other.owl('retry', id);
    t.match((await other.owlFails(3, 'run', id, '--json')).json().error, { code: 'missing-commit' });
    t.match(await show(other, id), { state: 'pending', runs: 2 }, 'no Run is spent');
    t.same([await other.oid('main'), await other.oid(await branchOf(other, id))], before, 'nothing moved');
  },
);

t.test('J8: a worktree with work in it, and a branch with commits of its own, stay, and that is said', async (t) => {
  const box = await sandbox(t);
  const [repo, other, id] = await ground(box);
  await sync(other);
  const place = (await other.owl('worktree', id, '--ensure')).stdout.trim();
  const branch = await branchOf(other, id);
  const old = await other.oid(branch);
  other.write(`${place}/mine.txt`, 'mine\n');
  const tip = await again(repo, id, '--claim-remote');
  t.match((await other.owl('sync')).stderr, /has work that is not committed/);
  t.match((await other.owlFails(4, 'merge', id)).stderr, /has work that is not committed/);
  t.equal(await other.oid(branch), old);
  await other.git('-C', place, 'add', '.');
  await other.git('-C', place, 'commit', '-q', '-m', 'mine');
  const mine = await other.oid(branch);
  const { stderr } = await other.owlFails(4, 'merge', id);
  t.match(stderr, /has commits of its own/);
  t.match(stderr, /git log --oneline/);
  t.equal(await other.oid(branch), mine, 'left as it is');
  // On top of the other clone's work it is a further commit like any other.
  await other.git('-C', place, 'rebase', '-q', '--onto', tip, old);
  await other.owl('merge', id);
  t.match(await show(other, id), { state: 'done' });
  t.equal(await other.git('show', 'main:mine.txt'), 'mine');
});

t.test('S7: a runner that has a worktree of an earlier Run goes on from the tip of the other runner', async (t) => {
  const box = await sandbox(t);
  const [repo, other, id] = await ground(box);
  await sync(other);
  await again(other, id, '--claim-remote');
  await repo.owl('sync');
  await repo.owl('retry', id, '-m', 'still more');
  t.match((await repo.owl('run', '--claim-remote', id, '--json')).jsonLines()[0].data, { state: 'review', runs: 3 });
  const files = await repo.git('ls-tree', '--name-only', (await show(repo, id)).tip);
  t.equal(files.split('\n').filter((name) => name.startsWith('run-')).length, 3, 'the work of all three Runs');
  t.notMatch(await repo.git('log', '--format=%s', (await show(repo, id)).tip), /Uncommitted work/);
  // A commit by hand between two Runs is not taken off the branch by a claim.
  const place = (await repo.owl('worktree', id, '--ensure')).stdout.trim();
  repo.write(`${place}/mine.txt`, 'mine\n');
  await repo.git('-C', place, 'add', '.');
  await repo.git('-C', place, 'commit', '-q', '-m', 'mine');
  await repo.owl('retry', id, '-m', 'and more');
  await repo.owl('run', '--claim-remote', id);
  t.match(await repo.git('ls-tree', '--name-only', (await show(repo, id)).tip), /mine\.txt/);
});

t.test('S4: one Job that two clones ran without a claim is contested, and neither result is lost', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { execute: [{ sh: 'pwd > a.txt' }, { commit: 'Write a' }] });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  const id = await repo.add('write it');
  await sync(repo);
  const other = await repo.clone('other');
  await sync(other);
  for (const clone of [repo, other]) await clone.owl('run', id);
  const [mine, theirs] = [(await show(repo, id)).tip, (await show(other, id)).tip];
  t.not(mine, theirs);
  await sync(repo);
  t.match((await other.owlFails(5, 'sync', '--json')).json().error, { code: 'contested' });
  await repo.owlFails(5, 'sync');
  await repo.owlFails(5, 'merge', id);
  t.equal(await repo.oid(await branchOf(repo, id)), mine);
  t.equal(await other.oid(await branchOf(other, id)), theirs);
  t.equal((await repo.records(new RegExp(`${id}/runs/`))).length, 2, 'both Runs are known');
  await sync(repo, '--take', 'remote', '--record', id);
  await sync(other);
  t.match(await show(other, id), { state: 'review', tip: theirs });
  t.match((await repo.owlFails(3, 'merge', id)).stderr, /in another clone/, 'its own older work is not merged for it');
  await other.owl('merge', id);
  await other.git('push', '-q', 'origin', 'main');
  await other.owl('sync');
  await repo.owl('sync');
  t.match(await show(repo, id), { state: 'done' });
  t.equal(await repo.oid(await branchOf(repo, id)), mine, 'what was made here is still here');
});
