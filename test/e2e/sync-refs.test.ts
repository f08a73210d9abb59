// The refs of open work go along with the state, and those of closed work are folded into the archive on the remote (05, S1; 01, Refs).

import { t } from 'tap';
import { addGoal, advanceTo, GATED, showGoal, WORK } from '../fixtures/goals.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks: []\n';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;
const there = async (repo: Repo, prefix: string): Promise<string[]> =>
  (await repo.remoteGit('for-each-ref', '--format=%(refname)', prefix)).split('\n').filter(Boolean);
const MONTH = /^refs\/owl\/archive\/[0-9]{4}-[0-9]{2}$/;

const ground = async (box: Sandbox): Promise<readonly [Repo, string]> => {
  const agent = box.agent('worker', {
    execute: [{ sh: 'echo "$OWL_RUN" > "run-$OWL_RUN.txt"' }, { commit: 'Write run {number}' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  return [repo, await repo.add('write it')];
};

t.test(
  'S1: the tip of a Job that is shared stays the one of its record: a push that failed is made up for',
  async (t) => {
    const box = await sandbox(t);
    const [repo, id] = await ground(box);
    const shared = `refs/owl/shared/${id}`;
    setHook(repo.bare, 'update', `case "$1" in refs/owl/shared/*) echo later; exit 1;; esac\nexit 0`);
    t.match((await repo.owl('run', '--claim-remote', id)).stderr, /was not shared/);
    t.same(await there(repo, 'refs/owl/shared'), []);
    setHook(repo.bare, 'update', 'exit 0');
    t.same((await sync(repo)).shared, [shared]);
    t.equal(await repo.remoteGit('rev-parse', shared), (await show(repo, id)).tip);
    // A Run without a claim, of a Job that others see.
    await repo.owl('retry', id, '-m', 'more');
    await repo.owl('run', id);
    t.same((await sync(repo)).shared, [shared]);
    t.equal(await repo.remoteGit('rev-parse', shared), (await show(repo, id)).tip);
    const other = await repo.clone('other');
    t.same((await sync(other, '--dry-run')).tips, [id], 'foreseen, from the state that the clone brought');
    t.same(await other.git('for-each-ref', 'refs/heads/owl'), '');
    t.same((await sync(other)).tips, [id]);
    t.same((await sync(other)).shared, [], 'a clone that only knows it sends nothing');
    // So does a Job that was run without one from the start; one that only waits has nothing to share.
    const own = await repo.add('mine');
    await repo.owl('run', own);
    await repo.add('waits');
    t.same((await sync(repo)).shared, [`refs/owl/shared/${own}`]);
  },
);

t.test('S1: a tip that no record speaks of yet is left alone', async (t) => {
  const box = await sandbox(t);
  const [repo, id] = await ground(box);
  await repo.owl('run', '--claim-remote', id);
  const other = await repo.clone('other');
  await sync(other);
  // The other runner has sent its tip, and its state is still to come.
  const next = await other.git('commit-tree', '-p', 'origin/main', '-m', 'of another runner', 'origin/main^{tree}');
  await other.git('push', '-q', '--force', 'origin', `${next}:refs/owl/shared/${id}`);
  await sync(repo);
  t.equal(await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`), next);
});

t.test(
  'S1: closing folds the shared tip into the archive and takes the name in the same push, never before',
  async (t) => {
    const box = await sandbox(t);
    const [repo, id] = await ground(box);
    const [open, late] = [await repo.add('stays open'), await repo.add('closed later')];
    for (const one of [id, open, late]) await repo.owl('run', '--claim-remote', one);
    const tips = new Map<string, string>();
    for (const one of [id, open, late]) tips.set(one, (await show(repo, one)).tip);
    await repo.owl('accept', id);
    t.same((await there(repo, 'refs/owl/shared')).length, 3, 'the state is not on the remote yet');
    // The archive is declined: no name goes.
    setHook(repo.bare, 'update', 'case "$1" in refs/owl/archive/*) exit 1;; esac\nexit 0');
    t.match((await repo.owl('sync')).stderr, /is not folded yet/);
    t.same((await there(repo, 'refs/owl/shared')).length, 3);
    setHook(repo.bare, 'update', 'exit 0');
    t.same((await sync(repo)).folded, [`refs/owl/shared/${id}`]);
    const [archive = '', ...more] = await there(repo, 'refs/owl/archive');
    t.match(archive, MONTH);
    t.same(more, []);
    await repo.remoteGit('merge-base', '--is-ancestor', tips.get(id) ?? '', archive);
    t.equal(await repo.git('for-each-ref', `refs/owl/shared/${id}`), '');
    t.match(await repo.git('for-each-ref', '--format=%(refname)', 'refs/owl/archive'), MONTH, 'here too');
    await repo.git('merge-base', '--is-ancestor', tips.get(id) ?? '', archive);
    t.same((await sync(repo)).folded, []);

    // Now that the archive is there: one atomic push, and a kill on either side of it loses nothing.
    const other = await repo.clone('other');
    await sync(other);
    await other.owl('cancel', late);
    await sync(other, '--dry-run');
    await other.owl('sync', { fails: 'any', env: { OWL_FAIL_AT: 'sync.before-fold' } });
    t.ok((await there(repo, 'refs/owl/shared')).includes(`refs/owl/shared/${late}`));
    await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
    await other.owl('sync', { fails: 'any', env: { OWL_FAIL_AT: 'sync.between-fold' } });
    t.ok((await there(repo, 'refs/owl/shared')).includes(`refs/owl/shared/${late}`), 'a server without atomic pushes');
    await repo.remoteGit('merge-base', '--is-ancestor', tips.get(late) ?? '', archive);
    t.same((await sync(other)).folded, [`refs/owl/shared/${late}`]);
    await repo.remoteGit('config', '--unset', 'receive.advertiseAtomic');
    t.same(await there(repo, 'refs/owl/shared'), [`refs/owl/shared/${open}`]);
    for (const clone of [repo, other]) {
      await sync(clone);
      t.same((await clone.owl('fsck', '--json')).json().data.findings, []);
    }
    // What only this clone keeps, such as logs, never travels.
    const files = await repo.remoteGit('ls-tree', '-r', '--name-only', archive);
    t.same(
      files.split('\n').filter((path) => !path.endsWith('.shared')),
      [],
    );
    await repo.owl('accept', open);
    t.same((await sync(repo)).folded, [`refs/owl/shared/${open}`], 'in one push');
    for (const tip of tips.values()) await repo.remoteGit('merge-base', '--is-ancestor', tip, archive);
    t.equal(await repo.remoteGit('fsck', '--connectivity-only', '--no-dangling'), '');
  },
);

t.test(
  'S1, 01: with sync.rounds the Candidates and the branch of a Round travel; without it their ids alone',
  async (t) => {
    for (const rounds of [false, true]) {
      const box = await sandbox(t);
      const agent = box.agent('worker', WORK);
      const config = `${GATED}sync: { rounds: ${rounds} }\n`;
      const repo = await box.repository({ remote: 'bare', agents: [agent], config });
      const other = await repo.clone('other');
      const id = await addGoal(repo, 'write it');
      await advanceTo(repo, id, 'governance');
      await sync(repo);
      const { candidate } = await showGoal(repo, id);
      const refs = [`refs/heads/refine/${id}/round-1`, `refs/owl/candidates/${id}`];
      t.same(
        [...(await there(repo, `refs/heads/refine/${id}`)), ...(await there(repo, 'refs/owl'))].sort(),
        rounds ? refs : [],
      );
      await sync(other);
      t.same((await showGoal(other, id)).candidate, candidate);
      t.equal((await other.gitResult('cat-file', '-e', candidate.tip)).code === 0, rounds);
      if (!rounds) {
        t.match((await other.owlFails(3, 'export', id, 'mine')).stderr, /in another clone/);
        continue;
      }
      t.equal(await other.oid(refs[0] as string), candidate.tip);
      t.match((await other.owl('diff', id)).stdout, /work\.txt/);
      await other.owl('export', id, 'mine');
      // Another clone carries it to its end, and its names are folded once it is closed.
      await other.owl('goal', 'advance', id);
      t.match(await showGoal(other, id), { status: 'review' });
      await other.owl('goal', 'approve', id);
      t.same((await sync(other)).folded, [refs[1]]);
      const [archive = ''] = await there(repo, 'refs/owl/archive');
      await repo.remoteGit('merge-base', '--is-ancestor', candidate.tip, archive);
      await sync(repo);
      t.match(await showGoal(repo, id), { status: 'done' });
    }
  },
);

t.test(
  'S7: with sync.wip what a Run left uncommitted goes along, and is committed where somebody goes on',
  async (t) => {
    for (const wip of [false, true]) {
      const box = await sandbox(t);
      const left = [
        { write: 'left.txt', text: 'left\n' },
        { handoff: '# Handoff\n\nbytes of a Run that failed\n', commit: false },
        { exit: 1 },
      ];
      const went = [
        { expect: { files: { 'left.txt': wip ? 'left\n' : null } } },
        { write: 'b.txt' },
        { commit: 'Write b' },
      ];
      const agent = box.agent('worker', { execute: [left, went] });
      const config = `${CONFIG}sync: { wip: ${wip} }\n`;
      const repo = await box.repository({ remote: 'bare', agents: [agent], config });
      const id = await repo.add('write it');
      await repo.owl('run', '--claim-remote', id, { fails: 'any' });
      const { tip } = await show(repo, id);
      const shared = await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`);
      t.equal(shared === tip, !wip);
      if (wip) t.equal(await repo.remoteGit('rev-parse', `${shared}^1`), tip, 'right on top of the tip');
      t.same((await sync(repo)).shared, [], 'and stays so');
      const other = await repo.clone('other');
      t.same((await sync(other)).tips, [id]);
      t.equal(await other.oid((await other.git('for-each-ref', '--format=%(refname)', 'refs/heads/owl')).trim()), tip);
      await other.owl('retry', id, '-m', 'go on');
      t.match((await other.owl('run', '--claim-remote', id, '--json')).jsonLines()[0].data, {
        state: 'review',
        runs: 2,
      });
      const done = (await show(other, id)).tip;
      t.equal((await other.gitResult('cat-file', '-e', `${done}:left.txt`)).code === 0, wip);
      t.notMatch(await other.git('show', `${done}:.coding-owl/HANDOFF.md`), /bytes of a Run that failed/);
      t.equal(await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`), done);
    }
  },
);

t.test('S1: leases and claims are fetched, and never pushed', async (t) => {
  const box = await sandbox(t);
  const [repo, id] = await ground(box);
  await repo.owl('run', '--claim-remote', id);
  const other = await repo.clone('other');
  await sync(other);
  const claim = `refs/owl/claims/${id}`;
  t.equal(await other.oid(claim), await repo.remoteGit('rev-parse', claim));
  const mine = await other.git('hash-object', '-w', '--stdin', { input: 'no claim\n' });
  await other.git('update-ref', `${claim}x`, mine);
  await other.git('update-ref', 'refs/owl/leases/local-0123456789', mine);
  await sync(other);
  t.same(await there(repo, 'refs/owl/claims'), [claim]);
  t.same(await there(repo, 'refs/owl/leases'), []);
});
