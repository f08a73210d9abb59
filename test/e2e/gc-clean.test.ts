// What "clean" means before a checkout goes, and that nothing it holds goes with it (M4, M5; 00.1).

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { gc, ground, HOUR, killedAt, of, type Reviewed, said } from '../fixtures/gc.js';
import { plant } from '../fixtures/goal-store.js';
import type { RepositoryOptions } from '../fixtures/repository.js';

t.setTimeout(600_000);

/** A repository with Jobs whose checkouts are due, so that only what lies in them can keep them. */
async function due(t: Test, options: RepositoryOptions = {}) {
  const all = await ground(t, options);
  const accepted = async <const N extends readonly string[]>(...titles: N) => {
    const jobs = await all.reviewed(...titles);
    for (const job of jobs as readonly Reviewed[]) await killedAt(all.repo, 'accept.before-worktree', 'accept', job.id);
    return jobs;
  };
  /** Git in the checkout of a Job. */
  const inside = (job: Reviewed, ...words: string[]): Promise<string> => all.repo.git('-C', job.path, ...words);
  return { ...all, accepted, inside };
}

t.test('M4: files of submodules are hashed by us: whatever hides work in one, the checkout stays', async (t) => {
  const { box, repo, accepted, inside } = await due(t);
  await box.open(box.home).git('config', '--global', 'protocol.file.allow', 'always');
  const library = await box.repository({ name: 'library', files: { 'lib.txt': 'lib\n', '.gitignore': '*.log\n' } });
  await repo.git('submodule', '--quiet', 'add', '--name', 'lib', `file://${library.dir}`, 'lib');
  await repo.commit('with a submodule');
  const jobs = await accepted(
    'clean',
    'bare',
    'edited',
    'assumed',
    'untracked',
    'ignored',
    'deleted',
    'commit',
    'stash',
  );
  const [clean, bare, edited, assumed, untracked, ignored, deleted, commit, stash] = jobs;
  for (const job of jobs) if (job !== bare) await inside(job, 'submodule', '--quiet', 'update', '--init');
  for (const key of ['submodule.lib.ignore', 'diff.ignoreSubmodules']) await repo.git('config', key, 'all');
  const lib = (job: Reviewed, name: string): string => join(job.path, 'lib', name);
  const inLib = (job: Reviewed, ...words: string[]): Promise<string> => repo.git('-C', join(job.path, 'lib'), ...words);
  writeFileSync(lib(edited, 'lib.txt'), 'lIb\n');
  await inLib(assumed, 'update-index', '--assume-unchanged', 'lib.txt');
  writeFileSync(lib(assumed, 'lib.txt'), 'mine\n');
  await inLib(untracked, 'config', 'status.showUntrackedFiles', 'no');
  writeFileSync(lib(untracked, 'new.txt'), 'mine\n');
  writeFileSync(lib(ignored, 'trace.log'), 'mine\n');
  rmSync(lib(deleted, 'lib.txt'));
  await inLib(commit, 'commit', '-q', '--allow-empty', '-m', 'only here');
  writeFileSync(lib(stash, 'lib.txt'), 'mine\n');
  await inLib(stash, 'stash', '--quiet');

  const items = await gc(repo);
  for (const [at, job] of [edited, assumed, untracked, ignored, deleted, commit, stash].entries()) {
    const item = of(items, 'worktree', job.id);
    t.equal(said(item), 'report uncommitted none', `${at}`);
    t.match(item?.detail, /uncommitted work: lib/);
    t.ok(existsSync(lib(job, '.git')));
  }
  t.equal(readFileSync(lib(assumed, 'lib.txt'), 'utf8'), 'mine\n');
  for (const job of [clean, bare]) {
    t.equal(said(of(items, 'worktree', job.id)), 'remove-worktree job-done done', 'proven clean, or never filled');
    t.notOk(existsSync(job.path));
  }
});

t.test('M4: a repository inside is unfinished work, ignored or not; ignored files are not', async (t) => {
  const { repo, accepted, inside } = await due(t);
  writeFileSync(join(repo.dir, '.git/info/exclude'), 'ignored/\n*.log\n');
  const jobs = await accepted('nested', 'ignored', 'bare', 'linked', 'output');
  const [nested, ignored, bare, linked, output] = jobs;
  await repo.git('init', '-q', join(nested.path, 'deep/er/inner'));
  await repo.git('init', '-q', join(ignored.path, 'ignored/inner'));
  await repo.git('init', '-q', '--bare', join(bare.path, 'ignored/inner.git'));
  await inside(linked, 'worktree', 'add', '-q', '-b', 'inner', join(linked.path, 'ignored/inner'));
  mkdirSync(join(output.path, 'ignored/deep'), { recursive: true });
  writeFileSync(join(output.path, 'ignored/deep/out.txt'), 'output\n');
  writeFileSync(join(output.path, 'trace.log'), 'output\n');
  const items = await gc(repo);
  for (const job of [nested, ignored, bare, linked]) {
    t.equal(said(of(items, 'worktree', job.id)), 'report uncommitted none');
    t.match(of(items, 'worktree', job.id)?.detail, /inner/);
  }
  t.ok(existsSync(join(bare.path, 'ignored/inner.git/HEAD')));
  t.equal(said(items.find(({ subject }) => subject.endsWith('ignored/inner'))), 'none standalone none');
  const gone = of(items, 'worktree', output.id);
  t.equal(said(gone), 'remove-worktree job-done done');
  t.match(gone?.detail, /git-ignored files went with it: ignored\/, trace\.log/, 'M5: and is said to have gone');
  t.notOk(existsSync(output.path));
});

t.test('M2, M4: in the middle of an operation, with nothing else in it, a checkout stays', async (t) => {
  const { repo, accepted, inside } = await due(t);
  const jobs = await accepted('merge', 'cherry-pick', 'revert', 'bisect', 'rebase', 'am');
  const [merge, pick, revert, bisect, rebase, am] = jobs;
  await repo.git('commit', '-q', '--allow-empty', '-m', 'empty');
  const other = await repo.oid('main');
  await inside(merge, 'merge', '-q', '--no-commit', '-s', 'ours', 'main');
  await repo.gitFails('-C', pick.path, 'cherry-pick', 'main');
  await inside(revert, 'commit', '-q', '--allow-empty', '-m', 'nothing');
  await inside(revert, 'revert', '--no-commit', 'HEAD');
  await inside(bisect, 'bisect', 'start');
  await repo.gitFails('-C', rebase.path, 'rebase', '-q', '--exec', 'false', 'main');
  await repo.gitFails('-C', am.path, 'am', '-q', { input: 'From: a <a@b>\nSubject: x\n\n---\nno patch\n' });
  const heads = [
    [merge, 'MERGE_HEAD'],
    [pick, 'CHERRY_PICK_HEAD'],
    [revert, 'REVERT_HEAD'],
    [bisect, 'BISECT_LOG'],
    [rebase, 'rebase-merge/head-name'],
    [am, 'rebase-apply/applying'],
  ] as const;
  const items = await gc(repo);
  for (const [job, file] of heads) {
    t.equal(await inside(job, 'status', '--porcelain'), '', `${file}: its files are clean`);
    const item = of(items, 'worktree', job.id);
    t.equal(said(item), 'report operation none', file);
    t.match(item?.detail, /in the middle of an? (?:merge|cherry-pick|revert|bisect|rebase|am)/);
    t.ok(existsSync(await inside(job, 'rev-parse', '--path-format=absolute', '--git-path', file)), `${file} is there`);
  }
  t.equal(await inside(merge, 'rev-parse', 'MERGE_HEAD'), other);
  t.notOk(
    items.some(({ kind, action }) => kind === 'worktree' && action !== 'report'),
    'and nothing else is said of any',
  );
  await inside(merge, 'merge', '--abort');
  t.equal(said(of(await gc(repo), 'worktree', merge.id)), 'remove-worktree job-done done', 'once it is over, it goes');
});

t.test('M4, M6: HEAD is on a branch or kept before a checkout goes, also where its folder is gone', async (t) => {
  const { repo, accepted, inside, reviewed, later } = await due(t);
  const jobs = await accepted('detached', 'own commit', 'other branch', 'gone', 'gone in a rebase', 'gone and staged');
  const [detached, own, branch, gone, rebase, staged] = jobs;
  const commit = async (job: Reviewed): Promise<string> => {
    await inside(job, 'commit', '-q', '--allow-empty', '-m', `only in ${job.id}`);
    return inside(job, 'rev-parse', 'HEAD');
  };
  await inside(detached, 'checkout', '-q', '--detach');
  await inside(own, 'checkout', '-q', '--detach');
  const alone = [await commit(own)];
  await inside(branch, 'checkout', '-q', '-b', 'another');
  await inside(gone, 'checkout', '-q', '--detach');
  alone.push(await commit(gone));
  await repo.gitFails('-C', rebase.path, 'rebase', '-q', '--force-rebase', '--exec', 'false', 'HEAD~1');
  alone.push(await commit(rebase));
  writeFileSync(join(staged.path, 'staged.txt'), 'mine\n');
  await inside(staged, 'add', 'staged.txt');
  for (const job of [gone, rebase, staged]) rmSync(job.path, { recursive: true });

  // Records that are tombstones say nothing of a branch: there the commit alone counts.
  const buried = await reviewed('on its branch', 'its own commit', 'kept');
  const [plain, lone, kept] = buried;
  for (const job of [lone, kept]) await inside(job, 'checkout', '-q', '--detach');
  alone.push(await commit(lone));
  await repo.git('update-ref', `refs/owl/keep/${kept.id}`, await commit(kept));
  await plant(t, repo, (tx) => {
    for (const job of buried) tx.bury(job.id);
  });
  later(2 * HOUR);

  const items = await gc(repo);
  const says = (job: Reviewed): string => said(of(items, 'worktree', job.id));
  t.equal(says(detached), 'none detached none');
  t.equal(says(own), 'none detached none');
  t.equal(says(branch), 'none other-branch none');
  t.equal(says(gone), 'report holds-work none');
  t.equal(says(rebase), 'report holds-work none');
  t.equal(says(staged), 'report holds-work none');
  t.equal(says(plain), 'remove-worktree job-inactive done');
  t.equal(says(lone), 'report unique-commits none');
  t.equal(says(kept), 'remove-worktree job-inactive done');
  const list = await repo.git('worktree', 'list', '--porcelain');
  for (const oid of alone) t.ok(list.includes(`HEAD ${oid}`), 'the registration that holds it is there still');
  await repo.git('gc', '--quiet', '--prune=now');
  for (const oid of alone) t.equal(await repo.git('cat-file', '-t', oid), 'commit');
});
