// Checkouts of ours: admission (G8), making and removing them so that a kill at any moment is survived (G9, M3, M4).

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { admit } from '../../../src/app/workspace/admit.js';
import { cleanliness } from '../../../src/app/workspace/cleanliness.js';
import { createWorkspace, ensureWorkspace } from '../../../src/app/workspace/create.js';
import { freshCheckout } from '../../../src/app/workspace/fresh.js';
import { worktreePath } from '../../../src/app/workspace/path.js';
import { removeWorkspace } from '../../../src/app/workspace/remove.js';
import type { RefusalCode } from '../../../src/app/workspace/types.js';
import type { Oid } from '../../../src/domain/git.js';
import { type Checkouts, checkouts, type Job } from '../../fixtures/checkouts.js';
import { takeFolder } from '../../fixtures/folder.js';

const FILES = { 'README.md': '# Example\n', 'src/a.txt': 'one\n', '.gitignore': '*.log\nnode_modules/\n' };

const expected = (job: Job) => ({ kind: 'branch', ref: job.ref }) as const;
const place = (job: Job) => ({ id: job.id, path: job.path, expected: expected(job) });

/** Refused with this code, and neither the place nor the Git folder of the repository has changed by a byte. */
async function refuses(t: Test, ground: Checkouts, job: Job, code: RefusalCode): Promise<void> {
  const look = () => [takeFolder(job.path), takeFolder(join(ground.repo.dir, '.git'))];
  const before = look();
  const found = await admit(ground, place(job));
  t.match(found, { kind: 'refused', code });
  if (found.kind === 'refused') {
    t.notOk(found.message.endsWith('.'), 'a sentence without period');
    t.ok(
      found.next.length > 0 && !found.next.some((line) => /--force|reset --hard|clean|rm /.test(line)),
      'says what to do',
    );
  }
  t.same(look(), before, 'byte-identical');
  t.match(await ensureWorkspace(ground, job.request), { kind: 'refused' }, 'nothing is made instead');
  t.same(look(), before, 'byte-identical after an attempt to make it');
  t.match(await removeWorkspace(ground, place(job)), { kind: 'refused' }, 'and it is not removed');
  t.same(look(), before, 'byte-identical after an attempt to remove it');
}

t.test('G7: worktrees lie outside the working tree, no two repositories or ids in one path', async (t) => {
  const ground = await checkouts(t);
  const path = await ground.path('k3x9qp');
  t.match(path, /\/git-owl\/repo-[0-9a-f]{10}\/k3x9qp$/);
  t.not(path, await ground.path('k3x9qq'));
  const other = await checkouts(t);
  t.not(dirname(path), dirname(await other.path('k3x9qp')));
  const inside = { environment: ground.environment, repository: ground.repository, id: 'k3x9qp' };
  for (const worktrees of [join(ground.repo.dir, 'trees'), 'relative/trees']) {
    await t.rejects(worktreePath({ ...inside, policy: { worktrees } }), { code: 'configuration' });
  }
  t.equal(
    dirname(dirname(await worktreePath({ ...inside, policy: { worktrees: '~/trees' } }))),
    join(ground.box.home, 'trees'),
  );
});

t.test('G8: a registered checkout is admitted, also by an alias of its path', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  t.equal(job.tree.read('src/a.txt'), 'one\n');
  t.equal(await job.tree.git('status', '--porcelain'), '');
  t.equal(await job.tree.git('symbolic-ref', 'HEAD'), job.ref);
  t.match(await admit(ground, place(job)), { kind: 'admitted', workspace: { path: job.path, branch: job.ref } });
  const alias = ground.box.path('alias');
  symlinkSync(dirname(job.path), alias);
  const found = await admit(ground, { ...place(job), path: join(alias, job.id) });
  t.match(found, { kind: 'admitted', workspace: { path: job.path } });
  const again = await ensureWorkspace(ground, { ...job.request, path: join(alias, job.id) });
  t.match(again, { kind: 'admitted', made: false });
  const exact = { kind: 'commit', oid: job.workspace.head } as const;
  t.match(await admit(ground, { ...place(job), expected: exact }), { kind: 'admitted' });
  const another = { kind: 'commit', oid: 'a'.repeat(40) as Oid } as const;
  t.match(await admit(ground, { ...place(job), expected: another }), { kind: 'refused', code: 'wrong-commit' });
});

t.test('G8, 07.35, 07.9: every other place is refused, untouched, with what to do', async (t) => {
  const cases: Record<string, readonly [RefusalCode, (ground: Checkouts, job: Job) => Promise<void> | void]> = {
    'the place is a symbolic link': [
      'symlink',
      (_ground, job) => {
        renameSync(job.path, `${job.path}-moved`);
        symlinkSync(`${job.path}-moved`, job.path);
      },
    ],
    'the place is a file': [
      'not-a-folder',
      (_ground, job) => {
        rmSync(job.path, { recursive: true });
        writeFileSync(job.path, 'file\n');
      },
    ],
    'the folder was removed and made again': [
      'replaced',
      (_ground, job) => {
        const link = readFileSync(join(job.path, '.git'));
        rmSync(job.path, { recursive: true });
        mkdirSync(job.path);
        writeFileSync(join(job.path, '.git'), link);
      },
    ],
    'the folder was copied': [
      'replaced',
      async (ground, job) => {
        renameSync(job.path, `${job.path}-moved`);
        await ground.repo.git('-c', `alias.copy=!cp -a "${job.path}-moved" "${job.path}"`, 'copy');
      },
    ],
    'its .git file is gone': ['replaced', (_ground, job) => rmSync(join(job.path, '.git'))],
    'git init inside, after .git was removed': [
      'replaced',
      async (ground, job) => {
        rmSync(join(job.path, '.git'));
        await ground.box.open(job.path).git('init', '--quiet');
      },
    ],
    'its .git points to another repository': [
      'replaced',
      async (ground, job) => {
        const other = await ground.box.repository();
        writeFileSync(join(job.path, '.git'), `gitdir: ${other.dir}/.git\n`);
      },
    ],
    'its .git is a link': [
      'replaced',
      (ground, job) => {
        renameSync(join(job.path, '.git'), ground.box.path('git-file'));
        symlinkSync(ground.box.path('git-file'), join(job.path, '.git'));
      },
    ],
    'the backlink was rewritten': [
      'backlink',
      (ground, job) => writeFileSync(join(job.workspace.admin, 'gitdir'), `${ground.box.path('elsewhere')}/.git\n`),
    ],
    'the Git folder names another repository': [
      'backlink',
      async (ground, job) => {
        const other = await ground.box.repository();
        writeFileSync(join(job.workspace.admin, 'commondir'), `${other.dir}/.git\n`);
      },
    ],
    'the Git folder is another one of the same name': [
      'replaced',
      (_ground, job) => writeFileSync(join(job.workspace.admin, 'owl-mark'), 'another'),
    ],
    'a person locked it': ['locked', async (ground, job) => void (await ground.repo.git('worktree', 'lock', job.path))],
    'core.worktree in its own configuration': [
      'configuration',
      (ground, job) =>
        writeFileSync(join(job.workspace.admin, 'config.worktree'), `[core]\n\tworktree = ${ground.box.home}\n`),
    ],
    'a filter in its own configuration': [
      'configuration',
      (_ground, job) =>
        writeFileSync(join(job.workspace.admin, 'config.worktree'), '[filter "x"]\n\tclean = touch /tmp/x\n'),
    ],
    'another branch': [
      'wrong-branch',
      async (_ground, job) => void (await job.tree.git('checkout', '--quiet', '-b', `mine-${job.id}`)),
    ],
    'a branch whose name ends alike': [
      'wrong-branch',
      async (_ground, job) => void (await job.tree.git('checkout', '--quiet', '-b', `x/owl/${job.id}/work`)),
    ],
    'a detached HEAD': [
      'wrong-branch',
      async (_ground, job) => void (await job.tree.git('checkout', '--quiet', '--detach')),
    ],
    'a merge in progress': [
      'operation',
      async (_ground, job) => {
        await diverge(job);
        await job.tree.gitFails('merge', '--quiet', `other-${job.id}`);
      },
    ],
    'a cherry-pick in progress': [
      'operation',
      async (_ground, job) => {
        await diverge(job);
        await job.tree.gitFails('cherry-pick', `other-${job.id}`);
      },
    ],
    'a revert in progress': [
      'operation',
      async (_ground, job) => {
        await job.tree.commit('two', { 'src/a.txt': 'two\n' });
        await job.tree.commit('three', { 'src/a.txt': 'three\n' });
        await job.tree.gitFails('revert', '--no-edit', 'HEAD~1');
      },
    ],
    'a rebase in progress': [
      'operation',
      async (_ground, job) => {
        await diverge(job);
        await job.tree.gitFails('rebase', '--quiet', `other-${job.id}`);
      },
    ],
    'an am in progress': [
      'operation',
      async (ground, job) => {
        await diverge(job);
        const patch = ground.box.path('patch');
        writeFileSync(patch, `${await job.tree.git('format-patch', '--stdout', '-1', `other-${job.id}`)}\n`);
        await job.tree.gitFails('am', '--quiet', patch);
      },
    ],
    'a bisect in progress': [
      'operation',
      async (_ground, job) => {
        await job.tree.git('bisect', 'start');
        await job.tree.git('checkout', '--quiet', job.ref.slice('refs/heads/'.length));
      },
    ],
  };
  const ground = await checkouts(t, { files: FILES });
  for (const [number, [name, [code, change]]] of Object.entries(cases).entries()) {
    await t.test(name, async (t) => {
      const job = await ground.job(`k3x9q${'abcdefghijklmnopqrstuvwxyz'[number]}`);
      await change(ground, job);
      await refuses(t, ground, job, code);
    });
  }
});

/** The Job's branch and `other` change the same line. */
async function diverge(job: Job): Promise<void> {
  const other = `other-${job.id}`;
  await job.tree.git('branch', other);
  await job.tree.commit('ours', { 'src/a.txt': 'ours\n' });
  const ours = job.ref.slice('refs/heads/'.length);
  await job.tree.git('checkout', '--quiet', other);
  await job.tree.commit('theirs', { 'src/a.txt': 'theirs\n' });
  await job.tree.git('checkout', '--quiet', ours);
}

t.test('G8: a matching branch in the primary checkout, or in a foreign worktree, is not ownership', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  await ground.repo.git('checkout', '--quiet', '-b', 'owl/k3x9qp/work');
  ground.repo.write('src/a.txt', 'staged\n');
  await ground.repo.git('add', 'src/a.txt');
  const before = await ground.repo.untouched();
  const request = {
    id: 'k3x9qp',
    path: await ground.path('k3x9qp'),
    branch: 'refs/heads/owl/k3x9qp/work' as never,
    commit: (await ground.repo.oid('HEAD')) as Oid,
  };
  t.match(await ensureWorkspace(ground, request), { kind: 'refused', code: 'branch-open' });
  ground.box.same(t, before, await ground.repo.untouched());

  await ground.repo.git('worktree', 'add', '--quiet', '-b', 'owl/k3x9qq/work', await ground.path('k3x9qq'));
  const foreign = {
    ...request,
    id: 'k3x9qq',
    path: await ground.path('k3x9qq'),
    branch: 'refs/heads/owl/k3x9qq/work' as never,
  };
  const folder = takeFolder(foreign.path);
  t.match(await ensureWorkspace(ground, foreign), { kind: 'refused', code: 'not-ours' });
  t.match(await removeWorkspace(ground, { ...foreign, expected: { kind: 'branch', ref: foreign.branch } }), {
    kind: 'refused',
  });
  t.same(takeFolder(foreign.path), folder);

  // Also while our own checkout has it open: whatever moves the branch would move that one, or leave it behind.
  const job = await ground.job('k3x9qr');
  const sole = { ...place(job), expected: { kind: 'sole-branch', ref: job.ref } } as const;
  t.match(await admit(ground, sole), { kind: 'admitted' });
  const elsewhere = ground.box.path('elsewhere');
  await ground.repo.git('worktree', 'add', '--quiet', '--force', elsewhere, 'owl/k3x9qr/work');
  const files = takeFolder(elsewhere);
  t.match(await admit(ground, sole), { kind: 'refused', code: 'branch-open' });
  t.match(await ensureWorkspace(ground, job.request), { kind: 'refused', code: 'branch-open' });
  t.match(await admit(ground, place(job)), { kind: 'admitted' }, 'it is still ours to look at');
  t.same(takeFolder(elsewhere), files);
  // Detached in the middle of what will come back to it.
  const tree = ground.box.open(elsewhere);
  await tree.git('checkout', '--quiet', '--detach');
  writeFileSync(join(await tree.git('rev-parse', '--absolute-git-dir'), 'BISECT_START'), 'owl/k3x9qr/work\n');
  t.match(await admit(ground, sole), { kind: 'refused', code: 'branch-open' });
});

t.test('07.11: the folder of a new worktree exists already: refused by name, left alone', async (t) => {
  const ground = await checkouts(t);
  const path = await ground.path('k3x9qp');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'mine.txt'), 'mine\n');
  await ground.repo.git('branch', 'owl/k3x9qp/work');
  const commit = (await ground.repo.oid('main')) as Oid;
  const made = await createWorkspace(ground, {
    id: 'k3x9qp',
    path,
    branch: 'refs/heads/owl/k3x9qp/work' as never,
    commit,
  });
  t.match(made, { kind: 'refused', code: 'not-ours' });
  t.ok(made.kind === 'refused' && made.message.includes(path));
  t.same(readdirSync(path), ['mine.txt']);
  t.equal((await ground.repo.git('worktree', 'list')).split('\n').length, 1);
});

t.test('G9: a missing checkout is made again from its branch; a locked or ambiguous one is not', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  rmSync(job.path, { recursive: true });
  t.match(await admit(ground, place(job)), { kind: 'missing' });
  t.match(await ensureWorkspace(ground, job.request), { kind: 'admitted', made: true });
  t.equal(job.tree.read('src/a.txt'), 'one\n');
  t.equal((await ground.repo.git('worktree', 'list')).split('\n').length, 2, 'the stale registration went, by name');

  await ground.repo.git('worktree', 'lock', '--reason', 'on a stick', job.path);
  rmSync(job.path, { recursive: true });
  t.match(await ensureWorkspace(ground, job.request), { kind: 'refused', code: 'locked' });
  await ground.repo.git('worktree', 'unlock', job.path);

  t.match(await ensureWorkspace(ground, job.request), { kind: 'admitted' });
  await job.tree.git('checkout', '--quiet', '--detach');
  await job.tree.commit('only here', { 'src/a.txt': 'two\n' });
  rmSync(job.path, { recursive: true });
  t.match(await ensureWorkspace(ground, job.request), { kind: 'refused', code: 'holds-work' }, 'its HEAD holds work');
});

t.test('G9: killed at any moment, the next call finishes what was begun', async (t) => {
  const points = ['workspace.before-add', 'workspace.after-add', 'workspace.before-note', 'workspace.after-note'];
  for (const point of points) {
    await t.test(point, async (t) => {
      const ground = await checkouts(t, { files: FILES });
      await ground.repo.git('branch', 'owl/k3x9qp/work');
      const commit = await ground.repo.oid('main');
      const request = { id: 'k3x9qp', path: await ground.path('k3x9qp'), branch: 'refs/heads/owl/k3x9qp/work', commit };
      const killed = await ground.drive({ step: 'ensure', ...request }, point);
      t.equal(killed.signal, 'SIGKILL');
      const again = await ground.drive({ step: 'ensure', ...request });
      t.match(again.json(), { kind: 'admitted' }, again.stderr);
      t.equal(await ground.box.open(request.path).git('status', '--porcelain'), '');
      t.equal((await ground.repo.git('worktree', 'list')).split('\n').length, 2);
    });
  }
  await t.test('with an empty folder left, and with Git itself killed', async (t) => {
    const ground = await checkouts(t, { files: FILES });
    await ground.repo.git('branch', 'owl/k3x9qp/work');
    const request = {
      id: 'k3x9qp',
      path: await ground.path('k3x9qp'),
      branch: 'refs/heads/owl/k3x9qp/work',
      commit: await ground.repo.oid('main'),
    };
    await ground.drive({ step: 'ensure', ...request }, 'workspace.before-add');
    mkdirSync(request.path, { recursive: true });
    t.match((await ground.drive({ step: 'ensure', ...request })).json(), { kind: 'admitted' });
    await ground.drive({
      step: 'remove',
      id: request.id,
      path: request.path,
      expected: { kind: 'branch', ref: request.branch },
    });
    await ground.drive({ step: 'ensure', ...request }, 'workspace.after-add');
    const admin = join(ground.repo.dir, '.git', 'worktrees', 'k3x9qp');
    writeFileSync(join(admin, 'locked'), 'initializing');
    t.match((await ground.drive({ step: 'ensure', ...request })).json(), { kind: 'admitted' });
    t.notOk(existsSync(join(admin, 'locked')));
  });
});

t.test('M4: clean is what no commit lacks', async (t) => {
  const ground = await checkouts(t, { files: { ...FILES, 'b.txt': 'b\n', 'c.txt': 'c\n' } });
  const job = await ground.job('k3x9qp');
  const look = () => cleanliness(ground.repository, job.workspace);
  t.match(await look(), { clean: true, submodulesProvenClean: false });

  await ground.repo.git('config', 'status.showUntrackedFiles', 'no');
  job.tree.write('new file.txt', 'new\n');
  t.match(await look(), { clean: false, untracked: ['new file.txt'] });
  job.tree.remove('new file.txt');

  await job.tree.git('update-index', '--assume-unchanged', 'b.txt');
  await job.tree.git('update-index', '--skip-worktree', 'c.txt');
  t.match(await look(), { clean: true }, 'hidden and not changed');
  job.tree.write('b.txt', 'B\n');
  job.tree.write('c.txt', 'C\n');
  const index = readFileSync(join(job.workspace.admin, 'index'));
  t.match(await look(), { clean: false, modified: ['b.txt', 'c.txt'] });
  t.same(readFileSync(join(job.workspace.admin, 'index')), index, 'a look writes nothing');
  job.tree.write('b.txt', 'b\n');
  job.tree.remove('c.txt');
  t.match(await look(), { clean: true }, 'an absent skip-worktree file is a sparse checkout');

  job.tree.write('src/a.txt', 'staged\n');
  await job.tree.git('add', 'src/a.txt');
  t.match(await look(), { clean: false, modified: ['src/a.txt'] });
  job.tree.write('src/a.txt', 'one\n');
  t.match(await look(), { clean: false, modified: ['src/a.txt'] }, 'staged only');
  await job.tree.git('reset', '--quiet');

  job.tree.write('trace.log', 'ignored\n');
  job.tree.write('node_modules/dep/index.js', 'ignored\n');
  t.match(await look(), { clean: true, ignored: ['node_modules/', 'trace.log'] });
  await job.tree.git('init', '--quiet', join(job.path, 'node_modules/dep'));
  t.match(await look(), { clean: false, nested: ['node_modules/dep'] }, 'an ignored nested repository');
  rmSync(join(job.path, 'node_modules/dep/.git'), { recursive: true });
  mkdirSync(join(job.path, 'src/.git'));
  t.match(await look(), { clean: false, nested: ['src'] }, 'one in a tracked folder');
});

t.test('M4: a filter of a nested repository never runs', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  await job.tree.git('init', '--quiet', join(job.path, 'sub'));
  const nested = ground.box.open(join(job.path, 'sub'));
  await nested.commit('inside', { 'f.txt': 'f\n', '.gitattributes': '* filter=evil\n' });
  await nested.git('config', 'filter.evil.clean', `touch ${ground.box.path('ran')}; cat`);
  await nested.git('config', 'core.fsmonitor', `touch ${ground.box.path('ran')}`);
  nested.write('f.txt', 'changed\n');
  await job.tree.git('add', 'sub');
  rmSync(ground.box.path('ran'), { force: true });
  const state = await cleanliness(ground.repository, job.workspace);
  t.match(state, { clean: false });
  t.notOk(existsSync(ground.box.path('ran')));
});

t.test("M3, M4: removal is Git's own, without force", async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  job.tree.write('work.txt', 'work\n');
  t.match(await removeWorkspace(ground, place(job)), { kind: 'unclean', state: { untracked: ['work.txt'] } });
  t.ok(existsSync(join(job.path, 'work.txt')));
  job.tree.remove('work.txt');

  await ground.repo.git('worktree', 'lock', '--reason', 'mine', job.path);
  t.match(await removeWorkspace(ground, place(job)), { kind: 'refused', code: 'locked' });
  await ground.repo.git('worktree', 'unlock', job.path);

  job.tree.write('trace.log', 'ignored\n');
  const second = await ground.job('k3x9qq');
  t.match(await removeWorkspace(ground, place(job)), { kind: 'removed', ignored: ['trace.log'] });
  t.notOk(existsSync(job.path));
  t.ok(existsSync(dirname(job.path)), 'another worktree is still there');
  t.equal(await ground.notes.read('worktrees/k3x9qp'), null);
  t.equal(await ground.repo.oid(job.ref), job.workspace.head, 'the branch stays');
  t.match(await removeWorkspace(ground, place(second)), { kind: 'removed' });
  t.notOk(existsSync(dirname(job.path)), 'the empty folder above goes');
  t.match(await removeWorkspace(ground, place(second)), { kind: 'missing' });
});

t.test('07.46: a file written between the look and the removal survives', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  await ground.repo.git('config', 'status.showUntrackedFiles', 'no');
  const killed = await ground.drive({ step: 'remove', ...place(job) }, 'workspace.before-remove');
  t.equal(killed.signal, 'SIGKILL');
  job.tree.write('late.txt', 'late\n');
  const again = await ground.drive({ step: 'remove', ...place(job) });
  t.match(again.json(), { kind: 'unclean', state: { untracked: ['late.txt'] } });
  t.equal(job.tree.read('late.txt'), 'late\n');
});

t.test('M3: a removal that was killed half-way is finished, and what is new in it survives', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  await ground.drive({ step: 'remove', ...place(job) }, 'workspace.before-remove');
  rmSync(join(job.path, '.git'));
  rmSync(join(job.path, 'src'), { recursive: true });
  const done = await ground.drive({ step: 'remove', ...place(job) });
  t.match(done.json(), { kind: 'removed' }, done.stderr);
  t.notOk(existsSync(job.path));
  const after = await ground.drive({ step: 'ensure', ...job.request });
  t.match(after.json(), { kind: 'admitted' });
  await ground.drive({ step: 'remove', ...place(job) }, 'workspace.after-remove');
  t.match((await ground.drive({ step: 'remove', ...place(job) })).json(), { kind: 'missing' });
  t.equal(await ground.notes.read('worktrees/k3x9qp'), null);
});

t.test('G7: a sparse checkout of the user is taken over, and is clean', async (t) => {
  const ground = await checkouts(t, { files: { ...FILES, 'docs/d.txt': 'd\n' } });
  await ground.repo.git('sparse-checkout', 'set', 'src');
  const job = await ground.job('k3x9qp');
  t.match(await cleanliness(ground.repository, job.workspace), { clean: true });
  t.match(await admit(ground, place(job)), { kind: 'admitted' });
});

t.test('J27: a fresh checkout is exactly its commit and goes with what checks left in it', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const job = await ground.job('k3x9qp');
  const { workspace, dispose } = await freshCheckout(ground, { commit: job.workspace.head, name: job.id });
  t.equal(workspace.branch, null);
  t.equal(dirname(workspace.path), dirname(job.path));
  writeFileSync(join(workspace.path, 'output.txt'), 'made by a check\n');
  t.equal(await dispose(), null);
  t.notOk(existsSync(workspace.path));
  t.notOk((await ground.repo.git('worktree', 'list')).includes('fresh-'));

  const second = await freshCheckout(ground, { commit: job.workspace.head, name: job.id });
  await ground.box.open(second.workspace.path).commit('made by a check', { 'src/a.txt': 'two\n' });
  t.match(await second.dispose(), /is at [0-9a-f]+, not at/);
  t.ok(statSync(second.workspace.path).isDirectory(), 'commits are work and stay');
  t.ok(basename(second.workspace.path).startsWith('fresh-'));
});

t.test('G8: no hook of the user runs while a checkout is made, changed or removed', async (t) => {
  const ground = await checkouts(t, { files: FILES });
  const ran = ground.box.path('ran');
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit']) {
    ground.repo.write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${ran}\n`);
    await ground.repo.git('-c', `alias.x=!chmod +x .git/hooks/${hook}`, 'x');
  }
  rmSync(ran, { force: true });
  const commit = (await ground.repo.oid('main')) as Oid;
  const { dispose } = await freshCheckout(ground, { commit, name: 'k3x9qp' });
  t.equal(await dispose(), null);
  t.notOk(existsSync(ran), existsSync(ran) ? readFileSync(ran, 'utf8') : '');
});
