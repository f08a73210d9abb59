// Finding the repository from wherever a command is called, and saying why there is none.

import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { openRepository } from '../../../src/git/open.js';
import type { Repository } from '../../../src/git/repository.js';
import { type Sandbox, sandbox } from '../../fixtures/sandbox.js';

async function open(t: Test, box: Sandbox, cwd: string, variables: Record<string, string> = {}): Promise<Repository> {
  const repository = await openRepository({ cwd, variables: { ...box.env(), ...variables } });
  t.teardown(() => repository.close());
  return repository;
}

t.test('01: the same repository from a subfolder, a linked worktree, a link to it, and its Git folder', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const gitDir = join(repo.dir, '.git');
  mkdirSync(join(repo.dir, 'a/b'), { recursive: true });
  symlinkSync(repo.dir, box.path('link'));
  const tree = box.path('tree');
  await repo.git('worktree', 'add', '--quiet', '-b', 'owl/x/y', tree);
  mkdirSync(join(tree, 'c'));
  const same = {
    commonDir: gitDir,
    mainWorkTree: repo.dir,
    bare: false,
    shallow: false,
    format: 'sha1',
    head: await repo.oid('HEAD'),
  };
  t.match(await open(t, box, repo.dir), { ...same, gitDir, workTree: repo.dir });
  t.match(await open(t, box, join(repo.dir, 'a/b')), { ...same, gitDir, workTree: repo.dir });
  t.match(await open(t, box, box.path('link', 'a')), { ...same, gitDir, workTree: repo.dir });
  for (const dir of [tree, join(tree, 'c')])
    t.match(await open(t, box, dir), { ...same, gitDir: join(gitDir, 'worktrees/tree'), workTree: tree });
  t.match(await open(t, box, gitDir), { ...same, gitDir, workTree: null });
  await (await open(t, box, tree)).git.text(['rev-parse', 'HEAD']);
});

t.test('01: bare, unborn, SHA-256, shallow, partial, grafts, quarantine are facts', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const plain = {
    bare: false,
    shallow: false,
    format: 'sha1',
    grafts: false,
    partial: false,
    reftable: false,
    quarantine: false,
  };
  t.match(await open(t, box, repo.dir), plain);
  t.match(await open(t, box, repo.bare), {
    ...plain,
    bare: true,
    workTree: null,
    mainWorkTree: null,
    gitDir: repo.bare,
    commonDir: repo.bare,
  });
  const tree = box.path('of-bare');
  await repo.remoteGit('worktree', 'add', '--quiet', tree, 'main');
  t.match(await open(t, box, tree), { commonDir: repo.bare, workTree: tree, mainWorkTree: null });
  t.match(await open(t, box, (await box.repository({ unborn: true })).dir), { ...plain, head: null });
  t.match(await open(t, box, (await box.repository({ init: ['--object-format=sha256'] })).dir), {
    ...plain,
    format: 'sha256',
    head: /^[0-9a-f]{64}$/,
  });
  await repo.commit('second', { x: 'x' });
  await repo.git('clone', '--quiet', '--depth=1', `file://${repo.dir}`, box.path('shallow'));
  t.match(await open(t, box, box.path('shallow')), { ...plain, shallow: true });
  await repo.git('config', 'uploadpack.allowFilter', 'true');
  await repo.git('clone', '--quiet', '--filter=blob:none', `file://${repo.dir}`, box.path('partial'));
  t.match(await open(t, box, box.path('partial')), { ...plain, partial: true });
  mkdirSync(join(repo.dir, '.git/info'), { recursive: true });
  writeFileSync(join(repo.dir, '.git/info/grafts'), `${await repo.oid('HEAD')}\n`);
  t.match(await open(t, box, repo.dir), { ...plain, grafts: true });
  t.match(await open(t, box, repo.dir, { GIT_QUARANTINE_PATH: '/x' }), { quarantine: true });
});

t.test('scenario 20: called from every kind of hook and from an alias, it is the right repository', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const gitDir = join(repo.dir, '.git');
  const tree = box.path('tree');
  await repo.git('worktree', 'add', '--quiet', '-b', 'side', tree);
  const linked = join(gitDir, 'worktrees/tree');
  const other = await box.repository({ name: 'other' });
  mkdirSync(join(repo.dir, 'sub'));
  mkdirSync(join(tree, 'sub'));
  const main = { commonDir: gitDir, gitDir, workTree: repo.dir, mainWorkTree: repo.dir };
  const side = { commonDir: gitDir, gitDir: linked, workTree: tree, mainWorkTree: repo.dir };
  const index = { GIT_INDEX_FILE: '.git/index', GIT_PREFIX: '' };
  t.match(await open(t, box, repo.dir, index), main, 'commit hook of the main checkout');
  t.match(
    await open(t, box, tree, { GIT_DIR: linked, GIT_INDEX_FILE: join(linked, 'index') }),
    side,
    'commit hook of a linked one',
  );
  t.match(await open(t, box, join(tree, 'sub'), { GIT_DIR: linked }), side, 'a hook that went into a subfolder');
  t.match(await open(t, box, join(repo.dir, 'sub'), { GIT_DIR: '../.git' }), main, 'with a relative GIT_DIR');
  t.match(await open(t, box, gitDir, { GIT_DIR: '.' }), { commonDir: gitDir, gitDir }, 'post-receive');
  t.match(await open(t, box, repo.dir, { GIT_DIR: gitDir, GIT_WORK_TREE: '.' }), main, '`git --work-tree`');
  t.match(
    await open(t, box, other.dir, { GIT_DIR: gitDir, GIT_WORK_TREE: repo.dir }),
    main,
    'GIT_DIR beats the folder',
  );
  t.match(await open(t, box, repo.dir, { GIT_CONFIG_PARAMETERS: "'user.name=x'" }), main, 'alias with -c');
  const found = await open(t, box, tree, { GIT_DIR: linked, GIT_INDEX_FILE: '/nonexistent' });
  t.equal(await found.git.text(['rev-parse', '--git-dir']), gitDir, 'and its children are told outright');
  // The real thing: a hook that prints what it was given, and an alias.
  const seen = box.path('seen');
  writeFileSync(join(gitDir, 'hooks/pre-commit'), `#!/bin/sh\nenv >'${seen}'; pwd >>'${seen}.cwd'\n`, { mode: 0o755 });
  for (const [dir, expected] of [
    [repo.dir, main],
    [tree, side],
  ] as const) {
    await repo.git('-C', dir, 'commit', '--quiet', '--allow-empty', '-a', '-m', 'x', {
      env: { GIT_AUTHOR_DATE: box.nextDate() },
    });
    const lines = readFileSync(seen, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('GIT_'));
    const given = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const cwd = readFileSync(`${seen}.cwd`, 'utf8').trim().split('\n').at(-1) ?? '';
    t.ok(given['GIT_INDEX_FILE'], 'Git did set something');
    t.match(await open(t, box, cwd, given), expected);
  }
});

t.test('06: what is no repository, and what Git does not trust or know', async (t) => {
  const box = await sandbox(t);
  const outside = box.path('outside');
  mkdirSync(outside);
  await t.rejects(open(t, box, outside), { code: 'not-a-repository', exit: 3 });
  await t.rejects(open(t, box, box.path('nowhere')), { code: 'not-a-repository' });
  await t.rejects(open(t, box, outside, { GIT_DIR: outside }), { code: 'not-a-repository' });
  writeFileSync(join(outside, '.git'), 'gitdir: /nonexistent/.git/worktrees/x\n');
  await t.rejects(open(t, box, outside), { code: 'not-a-repository' }, 'a worktree whose repository is gone');

  const future = await box.repository({ name: 'future' });
  await future.git('config', 'core.repositoryFormatVersion', '1');
  await future.git('config', 'extensions.fromTheFuture', 'true');
  await t.rejects(open(t, box, future.dir), { code: 'repository-format', exit: 9, message: /fromthefuture/i });

  await t.test('foreign owner', { skip: process.getuid?.() !== 0 && 'only root can give a folder away' }, async (t) => {
    const foreign = await box.repository({ name: 'foreign folder' });
    for (const path of [foreign.dir, join(foreign.dir, '.git')]) chownSync(path, 12_345, 12_345);
    await t.rejects(open(t, box, foreign.dir), {
      code: 'repository-format',
      message: /another user/,
      next: [`git config --global --add safe.directory '${foreign.dir}'`],
    });
    await foreign.git('config', '--global', '--add', 'safe.directory', foreign.dir, { cwd: '..' });
    t.match(await open(t, box, foreign.dir), { workTree: foreign.dir }, 'what it advises helps');
  });
});

t.test('06: a Git that is too old or missing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const real = (await repo.git('--exec-path')).replace(/\/[^/]*\/git-core$/, '');
  t.ok(real);
  box.executable(
    'git',
    `#!/bin/sh\nif [ "$1" = version ] || [ "$1" = --version ]; then echo git version 2.20.1; else exec /usr/bin/git "$@"; fi\n`,
  );
  await t.rejects(open(t, box, repo.dir), {
    code: 'git-too-old',
    exit: 9,
    message: /2\.20\.1/,
    data: { found: '2.20.1', needed: '2.38.0' },
  });
  box.executable('git', '#!/bin/sh\nexec /usr/bin/git "$@"\n');
  t.match(await open(t, box, repo.dir), { workTree: repo.dir }, 'a wrapper around a good one is good');
  rmSync(join(box.dir, 'bin/git'));
  await t.rejects(open(t, box, repo.dir, { PATH: box.path('empty') }), { code: 'git-missing', exit: 9 });
});

t.test('01: one process opens it', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const calls: string[] = [];
  const repository = await openRepository({
    cwd: repo.dir,
    variables: box.env(),
    trace: ({ args }) => calls.push(String(args[0])),
  });
  const engine = await repository.engine();
  const head = await engine.resolve('refs/heads/main' as never);
  await engine.read(head as Oid);
  await repository.close();
  t.same(calls, ['rev-parse']);
});

t.test("01: the identity is Git's, or a fixed one, never a failure", async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  t.match(await (await open(t, box, repo.dir)).identity(), {
    author: /^Ada Tester <ada@example\.com> \d+ [+-]\d{4}$/,
    committer: /^Ada Tester <ada@example\.com> \d+ [+-]\d{4}$/,
    configured: true,
  });
  const given = {
    GIT_AUTHOR_NAME: 'Author',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_DATE: '1700000000 +0130',
  };
  t.match(await (await open(t, box, repo.dir, given)).identity(), {
    author: /^Author <a@example\.com> /,
    committer: /^Ada .* 1700000000 \+0130$/,
  });
  writeFileSync(join(box.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n');
  t.match(await (await open(t, box, repo.dir)).identity(), {
    author: /^git-owl <git-owl@localhost> \d+ \+0000$/,
    committer: /^git-owl <git-owl@localhost> \d+ \+0000$/,
    configured: false,
  });
  t.ok(existsSync(realpathSync(repo.dir)));
});
