// What lands and how it is found again (J30, J31, J34), and looking: diff, log, blob, branch names.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import { blobAt, treeEntries } from '../../../src/git/blob.js';
import { branchConflicts, checkedOutAt } from '../../../src/git/branch.js';
import { changedFiles, diffText } from '../../../src/git/diff.js';
import { exportBranch } from '../../../src/git/export.js';
import { findLanded, type Landed } from '../../../src/git/landed.js';
import { commitLog } from '../../../src/git/log.js';
import { landingCommit, mergeTrees, stripPath } from '../../../src/git/merge.js';
import { openRepository } from '../../../src/git/open.js';
import { patchDigest, splitPatches } from '../../../src/git/parse/patches.js';
import type { Repository } from '../../../src/git/repository.js';
import { parseReverts } from '../../../src/git/reverts.js';
import { opened } from '../../fixtures/opened.js';
import type { Repo, RepositoryOptions } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';

/** Twenty lines that differ, so that a difference has one reading. */
const numbers = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, index) => `${change[index + 1] ?? index + 1}\n`).join('');

interface Ground {
  readonly repo: Repo;
  readonly repository: Repository;
  readonly base: Oid;
  oid(name: string): Promise<Oid>;
}

/** `main` with one commit; a branch `job` on it, which is checked out. */
async function ground(t: Test, options: RepositoryOptions = {}): Promise<Ground> {
  const box = await sandbox(t);
  const repo = await box.repository(options);
  const base = (await repo.oid('main')) as Oid;
  await repo.git('checkout', '--quiet', '-b', 'job');
  const oid = async (name: string) => (await repo.oid(name)) as Oid;
  return { repo, repository: await opened(t, repo), base, oid };
}

/** Does something on `main` without leaving the branch. */
async function onMain<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  await repo.git('checkout', '--quiet', 'main');
  const result = await work();
  await repo.git('checkout', '--quiet', 'job');
  return result;
}

t.test('J34: the landing commit has two parents and the verified tree, the Handoff aside', async (t) => {
  const { repo, repository, base, oid } = await ground(t, { files: { 'a.txt': 'a\n' } });
  await repo.commit('plan', { [HANDOFF]: 'plan\n' });
  await repo.commit('work', { 'a.txt': 'changed\n', 'deep/b.txt': 'b\n' });
  const tip = await oid('job');
  const refs = await repo.refs();
  const before = await repo.untouched();
  const identity = await repository.identity();
  const request = {
    base,
    tip,
    message: 'Merge job k3x9qp: grüße',
    identity,
    signing: 'never',
    handoffPath: HANDOFF,
  } as const;
  const landing = await landingCommit(repository, request);
  t.equal(await repo.git('log', '-1', '--format=%P', landing.commit), `${base} ${tip}`);
  t.equal(await repo.git('log', '-1', '--format=%B', landing.commit), 'Merge job k3x9qp: grüße\n');
  t.equal(await repo.git('rev-parse', `${landing.commit}^{tree}`), landing.tree);
  t.same(
    (await repo.git('ls-tree', '-r', '--name-only', landing.tree)).split('\n'),
    ['a.txt', 'deep/b.txt'],
    'the empty folder went too',
  );
  t.match(landing, { files: 2, commits: 2 });
  t.same(await repo.refs(), refs);
  repo.box.same(t, before, await repo.untouched());
  await repo.git('fsck', '--strict', '--no-dangling');

  await t.test('the version of the base stays where it has one', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'main', base);
    const inherited = (await repo.commit('a Handoff of old', {
      [HANDOFF]: 'old\n',
      '.coding-owl/rules': 'x\n',
    })) as Oid;
    await repo.git('checkout', '--quiet', '-B', 'job');
    repo.remove(HANDOFF);
    await repo.commit('work', { 'c.txt': 'c\n' });
    await repo.git('rm', '--quiet', '--cached', HANDOFF);
    await repo.git('commit', '--quiet', '-m', 'without');
    const again = await landingCommit(repository, { ...request, base: inherited, tip: await oid('job') });
    t.equal(await repo.git('show', `${again.tree}:${HANDOFF}`), 'old');
    t.equal(again.files, 1);
  });
  await t.test('a tip without the base is refused', async (t) => {
    const elsewhere = await onMain(repo, () => repo.commit('elsewhere'));
    await t.rejects(landingCommit(repository, { ...request, base: elsewhere as Oid }), { code: 'refused' });
  });
});

t.test('J35: mergeTrees tells a conflict by its paths and resolves the Handoff', async (t) => {
  const { repo, repository, oid } = await ground(t, { files: { 'a.txt': 'a\n' } });
  await repo.commit('mine', { 'a.txt': 'mine\n', [HANDOFF]: 'mine\n' });
  await onMain(repo, () => repo.commit('theirs', { 'b.txt': 'b\n', [HANDOFF]: 'theirs\n' }));
  const clean = await mergeTrees(repository, { ours: await oid('main'), theirs: await oid('job'), handoff: HANDOFF });
  t.equal(clean.kind, 'clean');
  if (clean.kind === 'clean') t.equal(await repo.git('show', `${clean.tree}:${HANDOFF}`), 'mine');
  t.match(await mergeTrees(repository, { ours: await oid('main'), theirs: await oid('job') }), {
    kind: 'conflict',
    paths: [HANDOFF],
  });
  await onMain(repo, () => repo.commit('theirs', { 'a.txt': 'theirs\n' }));
  const clash = await mergeTrees(repository, { ours: await oid('main'), theirs: await oid('job'), handoff: HANDOFF });
  t.match(clash, { kind: 'conflict', paths: ['a.txt'] });
});

t.test('J30: export makes the commits without the Handoff, or one of them', async (t) => {
  const { repo, repository, base, oid } = await ground(t);
  await repo.commit('plan', { [HANDOFF]: 'plan\n' });
  await repo.git('commit', '--quiet', '--allow-empty', '--author=Grace <grace@example.com>', '-m', 'nothing');
  await repo.commit('one\n\nbody', { 'a.txt': 'a\n', [HANDOFF]: 'more\n' });
  await repo.commit('two', { 'b.txt': 'b\n' });
  const identity = await repository.identity();
  const request = { base, tip: await oid('job'), handoffPath: HANDOFF, identity, signing: 'never' } as const;
  const all = await exportBranch(repository, request);
  t.equal(all.commits, 2);
  t.equal(await repo.git('log', '--format=%s', `${base}..${all.tip}`), 'two\none');
  t.equal(await repo.git('diff', '--name-only', base, all.tip), 'a.txt\nb.txt');
  const one = await exportBranch(repository, { ...request, squash: 'All of it\n\nbody' });
  t.equal(one.commits, 1);
  t.equal(await repo.git('log', '-1', '--format=%P %s', one.tip), `${base} All of it`);
  t.equal(await repo.git('rev-parse', `${one.tip}^{tree}`), await repo.git('rev-parse', `${all.tip}^{tree}`));
  // Work that merged its base is complete in either form.
  await onMain(repo, () => repo.commit('newer', { 'c.txt': 'c\n' }));
  await repo.git('merge', '--quiet', '--no-edit', 'main');
  await repo.commit('three', { 'd.txt': 'd\n' });
  const merged = await exportBranch(repository, { ...request, base: await oid('main'), tip: await oid('job') });
  t.equal(await repo.git('diff', '--name-only', 'main', merged.tip), 'a.txt\nb.txt\nd.txt');
  t.equal(merged.commits, 2);
  t.same(await exportBranch(repository, { ...request, tip: base }), { tip: base, commits: 0 });
});

t.test('stripPath rewrites nested trees', async (t) => {
  const { repo, repository, oid } = await ground(t, {
    files: { 'x/y/z': 'z\n', 'x/y/k': 'k\n', 'x-y': '1\n', 'x.y': '2\n' },
  });
  const tree = await stripPath(repository, await oid('job'), 'x/y/z');
  t.same((await repo.git('ls-tree', '-r', '--name-only', tree)).split('\n'), ['x-y', 'x.y', 'x/y/k']);
  const none = await stripPath(repository, await stripPath(repository, tree, 'x/y/k'), 'x-y');
  t.equal(await repo.git('ls-tree', '-r', '--name-only', none), 'x.y');
  t.equal(await stripPath(repository, none, 'not/there'), none);
  const blob = (await repo.oid('job:x-y')) as Oid;
  const put = await stripPath(repository, none, 'ä/ö', { mode: '100755', oid: blob });
  t.match(await repo.git('-c', 'core.quotePath=false', 'ls-tree', '-r', put), /^100755 blob \w+\tä\/ö$/m);
  await repo.git('fsck', '--strict', '--no-dangling');
});

t.test('J31, 07.25: work is found on its base however it came there', async (t) => {
  const { repo, repository, base, oid } = await ground(t, {
    files: { 'a.txt': numbers(), 'logo.bin': Buffer.from([0, 1, 2, 3]) },
  });
  const find = async (tip = 'job'): Promise<Landed> =>
    findLanded(repository, { base, tip: await oid(tip), target: await oid('main'), handoffPath: HANDOFF });
  const reset = async (): Promise<void> =>
    onMain(repo, async () => void (await repo.git('reset', '--quiet', '--hard', base)));
  const land = async (...commands: readonly string[][]): Promise<void> =>
    onMain(repo, async () => {
      for (const words of commands) await repo.git(...words);
    });

  await t.test('never a branch without a change of its own', async (t) => {
    t.same(await find(), { kind: 'no', because: 'no-change' });
    await repo.commit('plan', { [HANDOFF]: 'plan\n' });
    t.same(await find(), { kind: 'no', because: 'no-change' });
    await land(['merge', '--quiet', '--no-ff', '--no-edit', 'job']);
    t.same(await find(), { kind: 'no', because: 'no-change' });
    await reset();
  });
  await repo.commit('one', { 'one.txt': '1\n', 'a.txt': numbers({ 1: 'x' }) });
  await repo.commit('two', { 'two.txt': '2\n' });
  t.same(await find(), { kind: 'no', because: 'not-found' });

  await t.test('a merge', async (t) => {
    await land(['merge', '--quiet', '--no-ff', '--no-edit', 'job']);
    t.same(await find(), { kind: 'ancestor' });
    await onMain(repo, () => repo.commit('later', { 'one.txt': 'changed again\n' }));
    t.same(await find(), { kind: 'ancestor' });
    await land(['revert', '--no-edit', 'HEAD'], ['revert', '--no-edit', '-m', '1', 'HEAD~2']);
    t.same(await find(), { kind: 'no', because: 'reverted' });
    await land(['revert', '--no-edit', 'HEAD']);
    t.same(await find(), { kind: 'ancestor' }, 'a revert of the revert brings it back');
    await reset();
    await land(['merge', '--quiet', '--ff-only', 'job'], ['revert', '--no-edit', 'HEAD']);
    t.same(await find(), { kind: 'no', because: 'reverted' });
    await reset();
  });
  await t.test('a squash, with the Handoff or without, also after further changes', async (t) => {
    await onMain(repo, () => repo.commit('before', { 'b.txt': 'b\n' }));
    await land(['merge', '--quiet', '--squash', 'job'], ['commit', '--quiet', '-m', 'squashed']);
    const squashed = await oid('main');
    t.same(await find(), { kind: 'squash', commit: squashed });
    await onMain(repo, () => repo.commit('later', { 'one.txt': 'changed again\n', 'a.txt': 'rewritten\n' }));
    t.same(await find(), { kind: 'squash', commit: squashed });
    await land(['revert', '--no-edit', 'HEAD'], ['revert', '--no-edit', squashed]);
    t.same(await find(), { kind: 'no', because: 'reverted' });
    await reset();
    await land(
      ['merge', '--quiet', '--squash', 'job'],
      ['reset', '--quiet', HANDOFF],
      ['commit', '--quiet', '-m', 'squashed'],
      ['clean', '-qfd'],
    );
    t.match(await find(), { kind: 'squash' });
    await reset();
  });
  await t.test('a squash together with other work', async (t) => {
    await onMain(repo, async () => {
      await repo.git('merge', '--quiet', '--squash', 'job');
      await repo.commit('squashed and edited', { 'a.txt': numbers({ 1: 'x', 20: 'y' }) });
    });
    t.same(await find(), { kind: 'squash', commit: null });
    await reset();
  });
  await t.test('a rebase merge', async (t) => {
    await onMain(repo, () => repo.commit('before', { 'b.txt': 'b\n' }));
    await land(['cherry-pick', 'job~2', 'job~1', 'job']);
    t.same(await find(), { kind: 'patch-ids' });
    await onMain(repo, () => repo.commit('later', { 'one.txt': 'changed again\n', 'a.txt': 'rewritten\n' }));
    t.same(await find(), { kind: 'patch-ids' });
    await reset();
    await land(['cherry-pick', 'job~2', 'job~1']);
    t.same(await find(), { kind: 'no', because: 'not-found' }, 'only half of it');
    await reset();
  });
  await t.test('another change of the same binary file is another change', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'job', base);
    await repo.commit('logo', { 'logo.bin': Buffer.from([0, 9, 9, 9]) });
    await onMain(repo, () => repo.commit('their logo', { 'logo.bin': Buffer.from([0, 8, 8, 8]) }));
    t.same(await find(), { kind: 'no', because: 'not-found' });
    await reset();
    await onMain(repo, () => repo.commit('the logo', { 'logo.bin': Buffer.from([0, 9, 9, 9]) }));
    t.match(await find(), { kind: 'squash' });
  });
});

t.test('P6, J31: a base that went on elsewhere takes no process; what came and went on it does', async (t) => {
  const { repo, base, oid } = await ground(t, { files: { 'a.txt': numbers() } });
  await repo.commit('work', { 'a.txt': numbers({ 3: 'changed' }), 'new/b.txt': 'b\n' });
  const asked: string[] = [];
  const trace = (line: { readonly args: readonly string[] }): void => void asked.push(line.args[0] ?? '');
  const repository = await openRepository({ cwd: repo.dir, variables: repo.box.env(), trace });
  t.teardown(() => repository.close());
  const find = async (): Promise<Landed> =>
    findLanded(repository, { base, tip: await oid('job'), target: await oid('main'), handoffPath: HANDOFF });
  await onMain(repo, () => repo.commit('elsewhere', { 'other.txt': 'other\n' }));
  asked.length = 0;
  t.same(await find(), { kind: 'no', because: 'not-found' });
  t.same(asked, []);
  await onMain(repo, async () => {
    await repo.git('merge', '--quiet', '--squash', 'job');
    await repo.git('commit', '--quiet', '-m', 'the work, squashed');
    await repo.git('checkout', '--quiet', base, 'a.txt');
    await repo.git('rm', '--quiet', 'new/b.txt');
    await repo.git('commit', '--quiet', '-m', 'something else');
  });
  t.match(await find(), { kind: 'squash' }, 'taken away again by hand: it was there');
});

t.test('J31: reverts are read line by line, newest first', (t) => {
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
  t.same([...parseReverts([`${b}\nRevert\n\nThis reverts commit ${a}.\n`])], [a]);
  t.same([...parseReverts([`${b}\nRevert\n\nThis reverts commit ${a}, reversing\nchanges made to x.\n`])], [a]);
  t.same(
    [...parseReverts([`${b}\nsays: This reverts commit ${a}.\n`, `${b}\nThis reverts commit ${a.slice(1)}.`])],
    [],
  );
  t.same([...parseReverts([`${'c'.repeat(40)}\nThis reverts commit ${b}.`, `${b}\nThis reverts commit ${a}.`])], [b]);
  t.end();
});

t.test('J31: a patch counts wherever its lines lie, a binary one by its content', (t) => {
  const patch = (place: string, line: string) =>
    `diff --git a/x b/x\nindex ${place} 100644\n--- a/x\n+++ b/x\n@@ -${place} +${place} @@ f\n-a\n+${line}\n`;
  t.equal(patchDigest(patch('1', 'b')), patchDigest(patch('99', 'b')));
  t.not(patchDigest(patch('1', 'b')), patchDigest(patch('1', ' b')));
  t.equal(patchDigest(''), null);
  const binary = (from: string, to: string) =>
    `diff --git a/x b/x\nindex ${from}..${to} 100644\nBinary files a/x and b/x differ\n`;
  t.not(patchDigest(binary('11', '22')), patchDigest(binary('11', '33')));
  t.equal(patchDigest(binary('11', '22')), patchDigest(binary('44', '22')));
  const id = 'a'.repeat(40);
  t.same(
    splitPatches(Buffer.from(`\0${id}\n\ndiff --git a/x b/x\n\0${id}\n`)).map((one) => one.patch.trim()),
    ['diff --git a/x b/x', ''],
  );
  t.end();
});

t.test('changedFiles and diffText: exact names, the attributes of the base, no driver, no file written', async (t) => {
  const odd = 'sp ace\n–ü.txt';
  const { repo, repository, base, oid } = await ground(t, {
    files: {
      [odd]: 'old\n',
      'move.txt': 'x\n'.repeat(20),
      'kind.txt': 'k\n',
      'gone.txt': 'g\n',
      'data.gen': 'old\n',
      '.gitattributes': '*.gen binary\n*.txt diff=evil\n',
    },
  });
  await repo.git('mv', 'move.txt', 'moved.txt');
  repo.remove('kind.txt');
  repo.remove('gone.txt');
  symlinkSync('moved.txt', join(repo.dir, 'kind.txt'));
  repo.write(odd, 'new\n');
  repo.write('data.gen', 'new\n');
  repo.write('run.sh', 'x\n');
  chmodSync(join(repo.dir, 'run.sh'), 0o755);
  await repo.commit('work');
  const tip = await oid('job');
  await repo.git('config', 'diff.noprefix', 'true');
  await repo.git('config', 'diff.external', `touch ${repo.box.path('ran')}`);
  await repo.git('config', 'diff.evil.textconv', `touch ${repo.box.path('ran')} #`);
  writeFileSync(join(repo.dir, '.git/info/attributes'), '* -diff\n');
  t.same(
    (await changedFiles(repository, base, tip)).map((file) => [
      file.status,
      file.path,
      file.oldPath ?? null,
      file.oldMode,
      file.newMode,
    ]),
    [
      ['modified', 'data.gen', null, '100644', '100644'],
      ['deleted', 'gone.txt', null, '100644', '000000'],
      ['type-changed', 'kind.txt', null, '100644', '120000'],
      ['renamed', 'moved.txt', 'move.txt', '100644', '100644'],
      ['added', 'run.sh', null, '000000', '100755'],
      ['modified', odd, null, '100644', '100644'],
    ],
  );
  t.match(
    (await changedFiles(repository, base, tip, { renames: false }))
      .map((file) => file.status)
      .filter((one) => one === 'deleted'),
    { length: 2 },
  );
  const text = (await diffText(repository, base, tip)).text.toString();
  t.match(text, /^-old\n\+new$/m);
  t.match(text, /Binary files a\/data.gen and b\/data.gen differ/);
  t.match(text, /^rename from move.txt$/m);
  t.notOk(repo.exists(repo.box.path('ran')));
  t.match((await diffText(repository, base, tip, { color: true })).text.toString(), '\u001b[');
  t.match(
    (await diffText(repository, base, tip, { args: ['--stat'], paths: ['run.sh'] })).text.toString(),
    /^ run.sh \| 1 \+\n 1 file changed/,
  );
  t.equal((await diffText(repository, base, tip, { args: ['--quiet'] })).code, 1);
  for (const arg of ['--output=/tmp/x', '--outp', '--no-index', '--ext-diff', '--textconv', '-Oorder', 'HEAD', '--']) {
    await t.rejects(diffText(repository, base, tip, { args: [arg] }), { code: 'usage' }, arg);
  }
  await t.rejects(diffText(repository, base, tip, { args: ['--no-such-option'] }), { code: 'usage' });
});

t.test('commitLog gives subjects, authors and files, the newest within the limit', async (t) => {
  const { repo, repository, base, oid } = await ground(t);
  await repo.commit('one', { 'a.txt': 'a\n' });
  await repo.commit('two: grüße\nsecond line\n\nbody', { 'ü.txt': 'b\n' });
  const tip = await oid('job');
  const log = await commitLog(repository, base, tip, { files: true });
  t.match(log, [
    { oid: tip, subject: 'two: grüße second line', author: 'Ada Tester <ada@example.com>', files: ['ü.txt'] },
    { subject: 'one', files: ['a.txt'], parents: [base] },
  ]);
  t.equal(log.length, 2);
  t.ok((log[0]?.time ?? 0) > (log[1]?.time ?? 0));
  t.same(
    (await commitLog(repository, base, tip, { limit: 1 })).map((one) => one.oid),
    [tip],
  );
  t.equal((await commitLog(repository, null, tip)).length, 3);
  t.same(await commitLog(repository, tip, tip), []);
});

t.test('blobAt tells what lies at a path', async (t) => {
  const { repo, repository, base, oid } = await ground(t);
  mkdirSync(join(repo.dir, 'd'));
  symlinkSync('target', join(repo.dir, 'd/link'));
  repo.write('d/ü.txt', Buffer.from([0xff, 0]));
  await repo.git('add', '--all');
  await repo.git('update-index', '--add', '--cacheinfo', `160000,${base},module`);
  await repo.git('commit', '--quiet', '-m', 'all');
  const at = async (path: string) => blobAt(repository, await oid('job'), path);
  t.match(await at('d/ü.txt'), { kind: 'blob', executable: false, data: Buffer.from([0xff, 0]) });
  t.match(await at('d/link'), { kind: 'symlink', data: Buffer.from('target') });
  t.match(await at('d'), { kind: 'tree' });
  t.same(await at('module'), { kind: 'gitlink', oid: base });
  t.same(await at('none/at/all'), { kind: 'absent' });
  t.same(await at('README.md/below'), { kind: 'absent' });
  t.same(
    (await treeEntries(repository, await oid('job'), 'd'))?.map((entry) => entry.mode),
    ['120000', '100644'],
  );
  t.equal(await treeEntries(repository, await oid('job'), 'README.md'), null);
});

t.test('07.11: what makes a branch name impossible', async (t) => {
  const { repo, repository } = await ground(t);
  const at = (name: string) => branchConflicts(repository, branchRef(name));
  t.same(await at('owl/k3x9qp/x'), { kind: 'free' });
  await repo.git('branch', 'owl/k3x9qp/x');
  t.match(await at('owl/k3x9qp/x'), { kind: 'taken' });
  t.same(await at('owl/k3x9qp'), { kind: 'impossible', by: ['refs/heads/owl/k3x9qp/x'] });
  t.same(await at('owl/k3x9qp/x/y/z'), { kind: 'impossible', by: ['refs/heads/owl/k3x9qp/x'] });
  await repo.git('pack-refs', '--all');
  t.same(await at('owl'), { kind: 'impossible', by: ['refs/heads/owl/k3x9qp/x'] });
});

t.test('07.9: where a branch is open, also in the middle of a rebase or a bisect', async (t) => {
  const { repo, repository, base } = await ground(t, { files: { 'a.txt': 'a\n' } });
  const other = repo.box.path('other tree');
  const open = async (name: string) =>
    (await checkedOutAt(repository, branchRef(name))).map((one) => [one.path, one.how]);
  await repo.git('worktree', 'add', '--quiet', '-b', 'topic', other, base);
  t.same(await open('job'), [[repo.dir, 'head']]);
  t.same(await open('topic'), [[other, 'head']]);
  t.same(await open('main'), []);
  const tree = repo.box.open(other);
  await tree.commit('mine', { 'a.txt': 'mine\n' });
  await onMain(repo, () => repo.commit('theirs', { 'a.txt': 'theirs\n' }));
  await tree.gitFails('rebase', 'main');
  t.same(await open('topic'), [[other, 'rebase']]);
  await tree.git('rebase', '--abort');
  await tree.gitFails('rebase', '--apply', 'main');
  t.same(await open('topic'), [[other, 'rebase']]);
  await tree.git('rebase', '--abort');
  for (const message of ['one', 'two', 'three', 'four']) await repo.commit(message);
  await repo.git('bisect', 'start', 'HEAD', base);
  t.same(await open('job'), [[repo.dir, 'bisect']]);
});
