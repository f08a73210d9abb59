// Uncommitted work of a Job's worktree, and what a worktree is furnished with (J10, J15, J16b, J19).

import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { compareWithNow, observeRepository } from '../../../src/app/watch-repository.js';
import { cleanliness } from '../../../src/app/workspace/cleanliness.js';
import { commitAll } from '../../../src/app/workspace/commit-all.js';
import { copyFiles } from '../../../src/app/workspace/copy-files.js';
import { removeLeftLocks } from '../../../src/app/workspace/left-locks.js';
import { readWorkFile } from '../../../src/app/workspace/read-file.js';
import { removeWorkspace } from '../../../src/app/workspace/remove.js';
import { restoreTree } from '../../../src/app/workspace/restore.js';
import { snapshotWip } from '../../../src/app/workspace/snapshot.js';
import { initialiseSubmodules } from '../../../src/app/workspace/submodules.js';
import type { Oid } from '../../../src/domain/git.js';
import { cwdInside } from '../../../src/system/processes.js';
import { checkouts } from '../../fixtures/checkouts.js';
import { takeFolder } from '../../fixtures/folder.js';
import { eventually, start } from '../../fixtures/process.js';

const HANDOFF = '.coding-owl/HANDOFF.md';
const FILES = {
  'README.md': '# Example\n',
  'a.txt': 'one\n',
  'b.txt': 'b\n',
  [HANDOFF]: 'committed\n',
  '.gitignore': '*.log\n.env\n',
};
const COMMIT = { message: 'Uncommitted work\n', exclude: [HANDOFF], signing: 'never' } as const;

t.test('J10: uncommitted work becomes one commit on the branch, without the Handoff', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  const odd = 'odd "name\nline \u00e9.txt';
  job.tree.write('a.txt', 'two\n');
  job.tree.remove('b.txt');
  job.tree.write(odd, 'new\n');
  job.tree.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(job.path, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(job.path, 'link'));
  job.tree.write(HANDOFF, 'not committed\n');
  await job.tree.git('add', HANDOFF);
  job.tree.write('trace.log', 'ignored\n');
  const before = await ground.repo.untouched();
  const result = await commitAll(ground, job.workspace, COMMIT);
  t.match(result, { kind: 'committed', files: 5, notes: [] });
  const tip = await ground.repo.oid(job.ref);
  t.equal(result.kind === 'committed' && result.tip, tip);
  t.equal(await ground.repo.git('rev-parse', `${tip}^`), job.workspace.head);
  t.equal(await ground.repo.git('show', `${tip}:${HANDOFF}`), 'committed');
  const listed = await ground.repo.git(
    '-c',
    'core.quotePath=false',
    'diff-tree',
    '-r',
    '-z',
    '--name-status',
    `${tip}^`,
    tip,
  );
  t.same(listed.split('\0').filter(Boolean), ['M', 'a.txt', 'D', 'b.txt', 'A', 'link', 'A', odd, 'A', 'run.sh']);
  t.match(await ground.repo.git('ls-tree', tip, 'run.sh', 'link'), /^120000 .*link\n100755 .*run\.sh$/s);
  t.equal(await job.tree.git('status', '--porcelain'), ` M ${HANDOFF}`, 'its uncommitted bytes stay in the tree');
  t.equal(job.tree.read(HANDOFF), 'not committed\n');
  ground.box.same(t, before, await ground.repo.untouched());
  t.match(await commitAll(ground, job.workspace, COMMIT), { kind: 'nothing' });
});

t.test('J10: what is hidden from Git is committed all the same, and no hook runs', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  await ground.repo.git('config', 'status.showUntrackedFiles', 'no');
  await job.tree.git('update-index', '--assume-unchanged', 'a.txt');
  job.tree.write('a.txt', 'two\n');
  job.tree.write('new.txt', 'new\n');
  const ran = ground.box.path('ran');
  for (const hook of ['pre-commit', 'post-commit', 'post-index-change', 'reference-transaction']) {
    ground.repo.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${ran}\nexit 1\n`);
    chmodSync(join(ground.repo.dir, '.git/hooks', hook), 0o755);
  }
  t.match(await commitAll(ground, job.workspace, COMMIT), { kind: 'committed', files: 2 });
  t.notOk(existsSync(ran));
});

t.test('J10: more than the bound is not committed; the largest paths are named', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  job.tree.write('big.bin', Buffer.alloc(50_000_001));
  job.tree.write('small.txt', 'small\n');
  const before = takeFolder(job.workspace.admin);
  t.match(await commitAll(ground, job.workspace, COMMIT), {
    kind: 'too-much',
    paths: ['big.bin', 'small.txt'],
    files: 2,
    bytes: 50_000_007,
  });
  t.same(takeFolder(job.workspace.admin), before);
  job.tree.remove('big.bin');
  for (let number = 0; number < 3; number += 1) job.tree.write(`many/${number}.txt`, `${number}\n`);
  const limits = { bytes: 1_000, files: 3 };
  t.match(await commitAll(ground, job.workspace, { ...COMMIT, limits }), { kind: 'too-much', files: 4 });
  t.match(await commitAll(ground, job.workspace, { ...COMMIT, limits: { ...limits, files: 4 } }), {
    kind: 'committed',
  });
});

t.test('J15: a copied file, under whatever name, and a stray gitlink are never committed', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  ground.repo.write('.env', 'SECRET=1\n');
  const job = await ground.job('k3x9qp');
  const { copied } = await copyFiles(ground.repository, job.workspace, {
    base: job.workspace.head,
    patterns: ['.env'],
  });
  t.match(copied, [{ path: '.env' }]);
  await job.tree.git('add', '--force', '.env');
  job.tree.write('renamed.txt', 'SECRET=1\n');
  job.tree.write('empty.txt', '');
  await job.tree.git('init', '--quiet', join(job.path, 'nested'));
  await ground.box.open(join(job.path, 'nested')).commit('inside', { 'f.txt': 'f\n' });
  await job.tree.git('add', 'nested');
  const result = await commitAll(ground, job.workspace, { ...COMMIT, base: job.workspace.head, copied });
  t.match(result, { kind: 'committed', withheld: ['.env', 'renamed.txt'], left: ['nested'] });
  t.equal(await ground.repo.git('diff-tree', '-r', '--name-only', 'main', job.ref), 'empty.txt');
  t.ok(existsSync(join(job.path, 'nested/f.txt')));
});

t.test('J10: a kill around the move of the branch loses nothing', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  job.tree.write('a.txt', 'two\n');
  job.tree.write('new.txt', 'new\n');
  const step = { step: 'commit', place: job.request, commit: COMMIT };
  await ground.drive(step, 'commit.before-move');
  t.equal(await ground.repo.oid(job.ref), job.workspace.head);
  await ground.drive({ step: 'resume' });
  await ground.drive(step, 'commit.after-move');
  const tip = await ground.repo.oid(job.ref);
  t.not(tip, job.workspace.head);
  await ground.drive({ step: 'resume' });
  t.match((await ground.drive(step)).json(), { kind: 'nothing' });
  t.equal(await ground.repo.oid(job.ref), tip, 'committed once');
  t.equal(await job.tree.git('status', '--porcelain'), '');
});

t.test('J10, J19: a held index lock stops, and what a killed agent left of it goes', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  job.tree.write('a.txt', 'two\n');
  writeFileSync(join(job.workspace.admin, 'index.lock'), '');
  t.match(await commitAll(ground, job.workspace, COMMIT), { kind: 'locked' });
  const lock = join(job.workspace.admin, 'index.lock');
  t.ok(existsSync(lock));
  const held = openSync(lock, 'r');
  t.same(await removeLeftLocks(job.workspace), [], 'somebody has it open');
  closeSync(held);
  const worker = start({ command: 'sleep', args: ['60'], cwd: job.path, env: ground.box.env() });
  await eventually(() => cwdInside(job.path).length > 0);
  t.same(await removeLeftLocks(job.workspace), [], 'somebody works there');
  worker.kill('SIGKILL');
  await worker.wait();
  t.same(await removeLeftLocks(job.workspace), [lock]);
  t.match(await commitAll(ground, job.workspace, COMMIT), { kind: 'committed' });
});

t.test('J19: a snapshot has everything, staged versions too, and touches nothing', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  t.match(await snapshotWip(ground.repository, job.workspace), { kind: 'nothing' });
  job.tree.write('a.txt', 'staged\n');
  await job.tree.git('add', 'a.txt');
  job.tree.write('a.txt', 'working\n');
  job.tree.write('new.txt', 'new\n');
  job.tree.write(HANDOFF, 'half written\n');
  const before = takeFolder(job.path);
  const index = readFileSync(join(job.workspace.admin, 'index'));
  const wip = await snapshotWip(ground.repository, job.workspace, { message: 'wip of run 1' });
  if (wip.kind !== 'taken') return t.fail('no snapshot');
  t.same(takeFolder(job.path), before);
  t.same(readFileSync(join(job.workspace.admin, 'index')), index);
  t.equal(await ground.repo.git('show', `${wip.commit}:a.txt`), 'working');
  t.equal(await ground.repo.git('show', `${wip.commit}:${HANDOFF}`), 'half written');
  t.equal(await ground.repo.git('show', `${wip.commit}^2:a.txt`), 'staged');
  t.equal(await ground.repo.git('rev-parse', `${wip.commit}^`), job.workspace.head);
});

t.test('11: what a check changed is taken back once it is kept, and nothing else', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  job.tree.write('a.txt', 'by a check\n');
  job.tree.remove('b.txt');
  job.tree.write('output/new.txt', 'new\n');
  job.tree.write('trace.log', 'ignored\n');
  await job.tree.git('add', '--intent-to-add', 'output/new.txt');
  const wip = await snapshotWip(ground.repository, job.workspace);
  if (wip.kind !== 'taken') return t.fail('no snapshot');
  const request = { kept: wip.commit, commit: job.workspace.head };
  job.tree.write('late.txt', 'late\n');
  t.match(await restoreTree(ground, job.workspace, request), { kind: 'changed' });
  t.equal(job.tree.read('a.txt'), 'by a check\n');
  job.tree.remove('late.txt');
  t.match(await restoreTree(ground, job.workspace, request), { kind: 'restored' });
  t.equal(await job.tree.git('status', '--porcelain'), '');
  t.equal(job.tree.read('a.txt'), 'one\n');
  t.equal(job.tree.read('b.txt'), 'b\n');
  t.notOk(existsSync(join(job.path, 'output')));
  t.equal(job.tree.read('trace.log'), 'ignored\n');
});

t.test('J15: ignored files of the user are copied, never over a file and never through a link', async (t) => {
  const base = {
    '.gitignore': '.env\n*.local\nvault/\n',
    '.worktreeinclude': '# comment\n*.local\n',
    'README.md': '#\n',
  };
  const ground = await checkouts(t, { files: base });
  const outside = ground.box.path('outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.local'), 'outside\n');
  ground.repo.write('.env', 'A=1\n');
  chmodSync(join(ground.repo.dir, '.env'), 0o600);
  ground.repo.write('deep/er/x.local', 'deep\n');
  ground.repo.write('there.local', 'mine\n');
  ground.repo.write('vault/key', 'not asked for\n');
  ground.repo.write('untracked.txt', 'not ignored\n');
  symlinkSync(join(outside, 'secret.local'), join(ground.repo.dir, 'link.local'));
  ground.repo.write('planted/y.local', 'planted\n');
  const job = await ground.job('k3x9qp');
  job.tree.write('there.local', "the worktree's\n");
  symlinkSync(outside, join(job.path, 'planted'));
  const patterns = ['.env', 'untracked.txt'];
  const result = await copyFiles(ground.repository, job.workspace, { base: job.workspace.head, patterns });
  t.same(
    result.copied.map(({ path }) => path),
    ['.env', 'deep/er/x.local'],
  );
  t.equal(job.tree.read('.env'), 'A=1\n');
  t.equal(statSync(join(job.path, '.env')).mode & 0o777, 0o600);
  t.equal(job.tree.read('there.local'), "the worktree's\n");
  t.notOk(existsSync(join(job.path, 'link.local')));
  t.same(takeFolder(outside).length, 2, 'nothing was written through the link');
  t.equal(result.notes.filter((note) => note.includes('symbolic link')).length, 2);
  const again = await copyFiles(ground.repository, job.workspace, { base: job.workspace.head, patterns });
  t.same(again.copied, result.copied, 'a second time they are still known');
  t.same(
    await copyFiles(ground.repository, job.workspace, {
      base: (await ground.repo.commit('none', { '.worktreeinclude': '' })) as Oid,
      patterns: [],
    }),
    { copied: [], notes: [] },
  );
});

t.test('J21: a file of the worktree is read without following a link', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  t.match(await readWorkFile(job.workspace, HANDOFF), { kind: 'file', data: Buffer.from('committed\n') });
  t.same(await readWorkFile(job.workspace, 'no/such'), { kind: 'absent' });
  t.same(await readWorkFile(job.workspace, '.coding-owl'), { kind: 'not-a-file' });
  t.same(await readWorkFile(job.workspace, 'a.txt/below'), { kind: 'not-a-file' });
  rmSync(join(job.path, '.coding-owl'), { recursive: true });
  mkdirSync(ground.box.path('outside'));
  writeFileSync(ground.box.path('outside/HANDOFF.md'), 'outside\n');
  symlinkSync(ground.box.path('outside'), join(job.path, '.coding-owl'));
  t.same(await readWorkFile(job.workspace, HANDOFF), { kind: 'not-a-file' });
});

t.test(
  "J15, M4: submodules come from the base's .gitmodules, leave the configuration alone, and are proven clean",
  async (t) => {
    const ground = await checkouts(t, { files: FILES });
    await ground.box.open(ground.box.home).git('config', '--global', 'protocol.file.allow', 'always');
    const library = await ground.box.repository({ name: 'library', files: { 'lib.txt': 'lib\n' } });
    await ground.repo.git('submodule', '--quiet', 'add', '--name', 'lib', `file://${library.dir}`, 'lib');
    await ground.repo.commit('with a submodule');
    await ground.repo.git('submodule', '--quiet', 'deinit', '--force', 'lib');
    const config = ground.repo.read('.git/config');
    const job = await ground.job('k3x9qp');
    const done = await initialiseSubmodules(ground.repository, job.workspace, job.workspace.head);
    t.match(done, { kind: 'done', paths: ['lib'], notes: [] });
    t.equal(job.tree.read('lib/lib.txt'), 'lib\n');
    t.equal(ground.repo.read('.git/config'), config, "the user's configuration is the same");
    const look = () => cleanliness(ground.repository, job.workspace);
    t.match(await look(), { clean: true, submodulesProvenClean: true });
    const place = { id: job.id, path: job.path, expected: { kind: 'branch', ref: job.ref } } as const;

    job.tree.write('lib/new.txt', 'new\n');
    t.match(await look(), { clean: false, submodules: [{ path: 'lib', why: /new\.txt/ }] });
    t.match(await removeWorkspace(ground, place), { kind: 'unclean' });
    job.tree.remove('lib/new.txt');
    job.tree.write('lib/lib.txt', 'lIb\n');
    t.match(await look(), { clean: false, submodules: [{ why: /lib\.txt/ }] });
    job.tree.write('lib/lib.txt', 'lib\n');
    const inside = ground.box.open(join(job.path, 'lib'));
    await inside.git('checkout', '--quiet', '-b', 'mine');
    t.match(await look(), { clean: true }, 'a branch at a commit that the remote has');
    await inside.commit('only here', { 'lib.txt': 'two\n' });
    t.match(await look(), { clean: false });
    await inside.git('checkout', '--quiet', '--detach', 'HEAD~1');
    t.match(
      await look(),
      { clean: false, submodules: [{ why: /refs\/heads\/mine/ }] },
      'a commit that only its branch holds',
    );
    await inside.git('branch', '--quiet', '-D', 'mine');
    t.match(await removeWorkspace(ground, place), { kind: 'removed' });
    t.notOk(existsSync(job.path));
  },
);

t.test('J15: other URLs, and rows that the branch changed, are not followed', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const library = await ground.box.repository({ name: 'library', files: { 'lib.txt': 'lib\n' } });
  await ground.repo.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    '--name',
    'lib',
    `file://${library.dir}`,
    'lib',
  );
  const base = (await ground.repo.commit('with a submodule')) as Oid;
  const job = await ground.job('k3x9qp');
  // What the repository itself says about protocols does not count.
  await ground.repo.git('config', 'protocol.file.allow', 'always');
  t.match(await initialiseSubmodules(ground.repository, job.workspace, base), {
    kind: 'done',
    paths: [],
    notes: [/only https/],
  });
  await ground.repo.git('config', '--file', '.gitmodules', 'submodule.lib.url', 'ext::sh -c touch% x');
  const evil = (await ground.repo.commit('evil')) as Oid;
  t.match(await initialiseSubmodules(ground.repository, job.workspace, evil), {
    kind: 'done',
    paths: [],
    notes: [/only https/],
  });
  t.same(await initialiseSubmodules(ground.repository, job.workspace, (await ground.repo.oid('HEAD~2')) as Oid), {
    kind: 'done',
    paths: [],
    notes: [],
  });
});

t.test('J16b: what changed outside while it ran, and what only the agent can have done', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  await ground.repo.git('branch', 'other');
  await ground.repo.git('checkout', '--quiet', '--detach');
  const watch = async (change: () => Promise<unknown> | unknown) => {
    const request = { branch: job.ref, admin: job.workspace.admin };
    const before = await observeRepository(ground.repository, request);
    await change();
    return (await compareWithNow(ground.repository, before, request)).differences;
  };
  t.same(await watch(() => job.tree.commit('work', { 'a.txt': 'two\n' })), [], 'its own work');
  t.same(await watch(() => ground.repo.git('status')), [], 'a refresh of the index');
  t.match(await watch(() => ground.repo.git('config', 'core.editor', 'vi')), [{ kind: 'config', escaped: false }]);
  t.match(
    await watch(async () => {
      await ground.repo.write('a.txt', 'staged\n');
      await ground.repo.git('add', 'a.txt');
    }),
    [
      { kind: 'checkout', escaped: false },
      { kind: 'file', what: /a\.txt$/, escaped: false },
    ],
    'an entry of the index, and a file',
  );
  await ground.repo.git('reset', '--quiet', '--hard');
  t.match(await watch(() => ground.repo.write('.git/hooks/post-commit', '#!/bin/sh\n')), [
    { kind: 'file', what: /post-commit$/ },
  ]);
  t.match(await watch(() => ground.repo.write('.git/info/exclude', '*\n')), [{ kind: 'file' }]);
  t.match(await watch(() => ground.repo.git('tag', 'main')), [
    { kind: 'ref', what: 'refs/tags/main', before: null, escaped: false },
  ]);
  t.match(await watch(() => ground.repo.git('merge', '--quiet', '--ff-only', job.ref)), [
    { kind: 'checkout', escaped: false },
  ]);
  const escaped = await watch(async () => {
    await job.tree.git('checkout', '--quiet', 'other');
    await job.tree.commit('on another branch', { 'b.txt': 'two\n' });
    await job.tree.git('checkout', '--quiet', job.ref.slice('refs/heads/'.length));
  });
  t.match(escaped, [{ kind: 'ref', what: 'refs/heads/other', escaped: true }]);
  t.same(await watch(() => ground.repo.git('update-ref', 'refs/owl/keep/x', 'main')), [], 'what this program moves');
});
