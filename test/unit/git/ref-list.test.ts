// Refs and checkouts read from their files: what Git itself says of them, and no process for it (10, P6).

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Oid, RefName } from '../../../src/domain/git.js';
import { openRepository } from '../../../src/git/open.js';
import { parseWorktrees } from '../../../src/git/parse/worktrees.js';
import { listWorktrees } from '../../../src/git/worktree.js';
import { opened } from '../../fixtures/opened.js';
import { sandbox } from '../../fixtures/sandbox.js';

t.test('P6: refs are listed as Git lists them, loose and packed, without a process', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const asked: string[] = [];
  const variables = box.env();
  const repository = await openRepository({
    cwd: repo.dir,
    variables,
    trace: (line) => asked.push(line.args[0] ?? ''),
  });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  const main = (await repo.oid('main')) as Oid;
  await repo.commit('second', { 'b.txt': 'b\n' });
  const second = (await repo.oid('main')) as Oid;
  const same = async (what: string): Promise<void> => {
    for (const prefix of ['refs/', 'refs/heads/', 'refs/tags/', 'refs/owl/', 'refs/none/']) {
      const rows = await repo.git('for-each-ref', '--format=%(objectname) %(refname)', prefix);
      const found = await engine.list(prefix);
      t.same(found.map((row) => `${row.oid} ${row.ref}`).join('\n'), rows, `${what}: ${prefix}`);
    }
  };
  for (const name of ['refs/heads/a/b', 'refs/heads/ä', 'refs/tags/v1', 'refs/owl/keep/x', 'refs/owl/local/y/z'])
    await repo.git('update-ref', name, main);
  await repo.git('tag', '-a', 'annotated', '-m', 'peeled in packed-refs');
  asked.length = 0;
  await same('loose');
  await repo.git('pack-refs', '--all');
  await same('packed');
  await repo.git('update-ref', 'refs/heads/a/b', second);
  await repo.git('update-ref', '-d', 'refs/owl/keep/x');
  await repo.git('update-ref', 'refs/heads/new', second);
  await same('mixed');
  t.equal(await engine.resolve('refs/heads/a/b' as RefName), second, 'loose before packed');
  t.equal(await engine.resolve('refs/tags/v1' as RefName), main);
  t.equal(await engine.resolve('refs/heads/none' as RefName), null);
  t.equal(await engine.resolve('refs/heads/a' as RefName), null);
  t.equal(await engine.resolve('refs/heads/ä' as RefName), main);
  await repo.git('symbolic-ref', 'refs/heads/also', 'refs/heads/new');
  await repo.git('symbolic-ref', 'refs/heads/packed-too', 'refs/tags/v1');
  await repo.git('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
  await same('symbolic ones are followed');
  t.same(asked, [], 'no process was started');
  await repo.git('symbolic-ref', 'refs/heads/twice', 'refs/heads/also');
  await same('also twice');
  writeFileSync(join(repo.dir, '.git/packed-refs'), `${second} refs/heads/cut`);
  await t.rejects(engine.resolve('refs/heads/cut' as RefName), { code: 'git-failed' }, 'a file that was cut off');
});

t.test('P6: more loose refs than are read one by one are listed too', async (t) => {
  const repo = await (await sandbox(t)).repository();
  const repository = await opened(t, repo);
  const main = (await repo.oid('main')) as Oid;
  const folder = join(repo.dir, '.git/refs/owl/many');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 700; at += 1) writeFileSync(join(folder, `n${at}`), `${main}\n`);
  t.equal((await (await repository.engine()).list('refs/owl/many/')).length, 700);
});

t.test('P6: our own refs are moved by one process, and a move that is refused ends nothing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const asked: string[] = [];
  const repository = await openRepository({
    cwd: repo.dir,
    variables: box.env(),
    trace: (line) => asked.push(line.args.join(' ')),
  });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  const main = (await repo.oid('main')) as Oid;
  await repo.commit('second', { 'b.txt': 'b\n' });
  const second = (await repo.oid('main')) as Oid;
  const ref = (name: string) => `refs/owl/local/${name}` as RefName;
  asked.length = 0;
  const made = await Promise.all(
    ['a', 'b', 'c'].map((name) => engine.swap({ ref: ref(name), old: 'absent', new: main }, 'x')),
  );
  t.same(
    made.map(({ kind }) => kind),
    ['moved', 'moved', 'moved'],
  );
  t.equal((await engine.swap({ ref: ref('a'), old: main, new: second }, 'x')).kind, 'moved');
  t.equal((await engine.swap({ ref: ref('b'), old: main, new: 'absent' }, 'x')).kind, 'moved');
  t.same(asked, [], 'none of them has a process of its own');
  t.same(await engine.swap({ ref: ref('a'), old: main, new: second }, 'x'), { kind: 'lost', found: second });
  t.equal((await engine.swap({ ref: ref('a'), old: second, new: main }, 'x')).kind, 'moved', 'a new one is started');
  t.equal(await repo.oid(ref('a')), main);
  t.equal(await repo.oid(ref('c')), main);
  t.equal(await engine.resolve(ref('b')), null);
});

t.test('P6: checkouts are listed as `git worktree list` does, without a process', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const asked: string[] = [];
  const repository = await openRepository({
    cwd: repo.dir,
    variables: box.env(),
    trace: (line) => asked.push(line.args[0] ?? ''),
  });
  t.teardown(() => repository.close());
  const at = (name: string): string => box.path(name);
  await repo.git('worktree', 'add', '-q', '-b', 'zeta', at('a folder'));
  await repo.git('worktree', 'add', '-q', '--detach', at('detached'));
  await repo.git('worktree', 'add', '-q', '-b', 'gone', at('gone'));
  await repo.git('worktree', 'add', '-q', '-b', 'locked', at('locked'));
  await repo.git('worktree', 'lock', '--reason', 'on a stick', at('locked'));
  await repo.git('worktree', 'add', '-q', '-b', 'bare-lock', at('lock2'));
  await repo.git('worktree', 'lock', at('lock2'));
  rmSync(at('gone'), { recursive: true });
  const same = async (what: string): Promise<void> => {
    const listed = parseWorktrees(await repo.git('worktree', 'list', '--porcelain', '-z'));
    const found = await listWorktrees(repository);
    t.same(
      found.map(({ admin: _admin, main: _main, ...rest }) => rest),
      listed.map(({ prunable: _prunable, ...rest }) => rest),
      what,
    );
    t.equal(found[0]?.admin, repository.commonDir);
    t.same(
      found.map(({ main }) => main),
      found.map((_, index) => index === 0),
    );
  };
  asked.length = 0;
  await same('several');
  await repo.git('-C', at('a folder'), 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
  await same('an unborn branch');
  t.same(asked, [], 'no process was started');
  writeFileSync(join(repo.dir, '.git/refs/heads/zeta'), 'garbage\n');
  await repo.git('-C', at('a folder'), 'symbolic-ref', 'HEAD', 'refs/heads/zeta');
  t.equal((await listWorktrees(repository)).length, 6, 'a damaged branch hides none');
  renameSync(join(repo.dir, '.git/worktrees/detached/gitdir'), join(repo.dir, '.git/worktrees/detached/away'));
  t.equal((await listWorktrees(repository)).length, 5, 'a registration without a place is passed over');
});
