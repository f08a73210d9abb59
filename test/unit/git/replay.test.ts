// The replay from objects (J11 to J13, J25, J38) on real repositories, and what it takes to be apart from a checkout.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { isOwlError } from '../../../src/domain/errors.js';
import type { Oid } from '../../../src/domain/git.js';
import { boundaryFor } from '../../../src/git/boundary.js';
import { createPool } from '../../../src/git/pool.js';
import { type Replayed, type ReplayRequest, replay } from '../../../src/git/replay.js';
import type { Repository } from '../../../src/git/repository.js';
import { mergeApart } from '../../../src/git/tree-merge.js';
import { opened } from '../../fixtures/opened.js';
import type { Repo, RepositoryOptions } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';
const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('');

interface Ground {
  readonly repo: Repo;
  readonly repository: Repository;
  /** The commit that both `main` and the branch start at. */
  readonly base: Oid;
  tip(): Promise<Oid>;
  main(): Promise<Oid>;
  replay(change?: Partial<ReplayRequest>): ReturnType<typeof replay>;
}

/** `main` with its first commit and a branch `job` on it, which is checked out. */
async function ground(t: Test, options: RepositoryOptions = {}): Promise<Ground> {
  const box = await sandbox(t);
  // This process makes temporary folders, too: what it leaves there is seen.
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = box.path('tmp');
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  const repo = await box.repository(options);
  const base = (await repo.oid('main')) as Oid;
  await repo.git('checkout', '--quiet', '-b', 'job');
  const repository = await opened(t, repo);
  const oid = async (name: string) => (await repo.oid(`refs/heads/${name}`)) as Oid;
  return {
    repo,
    repository,
    base,
    tip: () => oid('job'),
    main: () => oid('main'),
    replay: async (change = {}) =>
      replay(repository, {
        base,
        tip: await oid('job'),
        onto: await oid('main'),
        paths: { handoff: HANDOFF },
        identity: await repository.identity(),
        signing: 'never',
        ...change,
      }),
  };
}

/** Commits on `main` without leaving the branch. */
async function onMain(repo: Repo, message: string, files: Readonly<Record<string, string | Buffer>>): Promise<Oid> {
  await repo.git('checkout', '--quiet', 'main');
  const commit = await repo.commit(message, files);
  await repo.git('checkout', '--quiet', 'job');
  return commit as Oid;
}

const show = (repo: Repo, commit: string, path: string): Promise<string> => repo.git('show', `${commit}:${path}`);

function isReplayed(t: Test, result: Awaited<ReturnType<typeof replay>>): asserts result is Replayed {
  t.equal(result.kind, 'replayed', JSON.stringify(result));
}

t.test(
  'J11: the commits of a Job are replayed one by one onto the new base, with their authors, dates and messages',
  async (t) => {
    const { repo, replay, base } = await ground(t);
    await repo.commit('first\n\nwhy it is so\n', { 'a.txt': 'a\n' });
    await repo.git(
      'commit',
      '--quiet',
      '--allow-empty',
      '--author=Grace <grace@example.com>',
      '--date=@1600000000 +0530',
      '-m',
      'an empty one',
    );
    await repo.commit('second', { 'b.txt': 'b\n' });
    const main = await onMain(repo, 'meanwhile', { 'README.md': '# Changed\n' });
    const before = await repo.untouched();
    const refs = await repo.refs();
    const result = await replay();
    isReplayed(t, result);
    t.match(result, { commits: 3, flattened: 0, dropped: 0, onlyHandoff: false, hadChange: true });
    t.equal(
      await repo.git('rev-list', '--parents', '-1', `${result.tip}~2`),
      `${await repo.oid(`${result.tip}~2`)} ${main}`,
    );
    t.same(
      (await repo.git('log', '--format=%an %ae %ad %s', '--date=raw', `${base}..job`)).split('\n'),
      (await repo.git('log', '--format=%an %ae %ad %s', '--date=raw', `${main}..${result.tip}`)).split('\n'),
    );
    t.equal(await repo.git('log', '-1', '--format=%B', `${result.tip}~2`), 'first\n\nwhy it is so\n');
    t.equal(await repo.git('log', '-1', '--format=%cn <%ce>', result.tip), 'Ada Tester <ada@example.com>');
    t.equal(await show(repo, result.tip, 'README.md'), '# Changed');
    t.equal(await show(repo, result.tip, 'a.txt'), 'a');
    t.same(await repo.refs(), refs, 'no ref moved');
    repo.box.same(t, before, await repo.untouched());
    await repo.git('fsck', '--strict', '--no-dangling');
  },
);

t.test('J11: on its base already there is nothing to do', async (t) => {
  const { repo, replay, base, tip } = await ground(t);
  await repo.commit('work', { 'a.txt': 'a\n' });
  t.same(await replay({ onto: base }), { kind: 'up-to-date', tip: await tip() });
});

t.test('J11: edits of one file that lie apart are merged, and a renamed file is followed', async (t) => {
  const { repo, replay } = await ground(t, { files: { 'one.txt': lines(30), 'two.txt': lines(40) } });
  await repo.commit('work', { 'one.txt': lines(30, { 3: 'mine' }), 'two.txt': lines(40, { 5: 'mine' }) });
  await repo.git('checkout', '--quiet', 'main');
  mkdirSync(join(repo.dir, 'deep/er'), { recursive: true });
  await repo.git('mv', 'two.txt', 'deep/er/three.txt');
  await repo.commit('meanwhile', { 'one.txt': lines(30, { 25: 'theirs' }) });
  const result = await replay();
  isReplayed(t, result);
  t.equal(await show(repo, result.tip, 'one.txt'), lines(30, { 3: 'mine', 25: 'theirs' }).trimEnd());
  t.equal(await show(repo, result.tip, 'deep/er/three.txt'), lines(40, { 5: 'mine' }).trimEnd());
  t.equal((await repo.gitResult('cat-file', '-e', `${result.tip}:two.txt`)).code, 128);
});

t.test('J11: bytes stay: an encoding header, messages that are not UTF-8, CRLF, modes, links, gitlinks', async (t) => {
  const { repo, replay, base } = await ground(t, {
    files: { 'run.sh': '#!/bin/sh\n', 'crlf.txt': lines(9).replaceAll('\n', '\r\n') },
  });
  repo.write('crlf.txt', lines(9, { 2: 'mine' }).replaceAll('\n', '\r\n'));
  symlinkSync('crlf.txt', join(repo.dir, 'link'));
  await repo.git('add', '--all');
  await repo.git('update-index', '--chmod=+x', 'run.sh');
  await repo.git('update-index', '--add', '--cacheinfo', `160000,${base},module`);
  writeFileSync(join(repo.dir, '.git/MESSAGE'), Buffer.from('gr\xfc\xdfe\n\n  f\xfcr alle\n\n\n', 'latin1'));
  await repo.git(
    '-c',
    'i18n.commitEncoding=ISO-8859-1',
    'commit',
    '--quiet',
    '--cleanup=verbatim',
    '-F',
    '.git/MESSAGE',
  );
  await repo.git('reset', '--quiet', '--hard');
  const old = await repo.git('cat-file', 'commit', 'job', { env: {} });
  await onMain(repo, 'meanwhile', { 'crlf.txt': lines(9, { 8: 'theirs' }).replaceAll('\n', '\r\n') });
  const result = await replay();
  isReplayed(t, result);
  const now = await repo.git('cat-file', 'commit', result.tip);
  const rest = (text: string) =>
    text
      .split('\n')
      .filter((line) => !/^(?:tree|parent|committer) /.test(line))
      .join('\n');
  t.equal(rest(now), rest(old));
  t.match(now, /^encoding ISO-8859-1$/m);
  t.equal(await repo.git('log', '-1', '--format=%s', result.tip), 'grüße', 'Git still reads it by its header');
  t.equal(
    await show(repo, result.tip, 'crlf.txt'),
    lines(9, { 2: 'mine', 8: 'theirs' }).replaceAll('\n', '\r\n').slice(0, -1),
  );
  const listing = await repo.git('ls-tree', result.tip);
  t.match(listing, /^100755 blob \w+\trun.sh$/m);
  t.match(listing, /^120000 blob \w+\tlink$/m);
  t.match(listing, new RegExp(`^160000 commit ${base}\tmodule$`, 'm'));
});

t.test('J12, 07.6: a conflict names every path exactly and moves nothing', async (t) => {
  const odd = 'sp ace\nnew line – ünïcode.txt';
  const { repo, replay, tip } = await ground(t, {
    files: { 'plain.txt': 'old\n', [odd]: 'old\n', 'gone.txt': 'old\n' },
  });
  await repo.commit('fine', { 'fine.txt': 'fine\n' });
  const clash = await repo.commit('clash', { 'plain.txt': 'mine\n', [odd]: 'mine\n', 'gone.txt': 'mine\n' });
  await repo.commit('later', { 'later.txt': 'later\n' });
  await repo.git('checkout', '--quiet', 'main');
  repo.remove('gone.txt');
  repo.write('plain.txt', 'theirs\n');
  repo.write(odd, 'theirs\n');
  await repo.commit('meanwhile');
  await repo.git('checkout', '--quiet', 'job');
  const before = await repo.untouched();
  const refs = await repo.refs();
  const old = await tip();
  const result = await replay();
  t.match(result, { kind: 'conflict', commit: clash, subject: 'clash' });
  if (result.kind !== 'conflict') return;
  t.same(result.paths, ['gone.txt', 'plain.txt', odd]);
  t.equal(result.messages.length, 3);
  t.notMatch(result.messages.join('\n'), /[0-9a-f]{40}/);
  t.same(await repo.refs(), refs);
  t.equal(await tip(), old);
  repo.box.same(t, before, await repo.untouched());
  t.same(readdirSync(repo.box.path('tmp')), [], 'nothing is left among the temporary files');
});

t.test('J12: a file where the base has a folder now is named by its own path', async (t) => {
  const { repo, replay } = await ground(t);
  await repo.commit('mine', { thing: 'a file\n' });
  await onMain(repo, 'theirs', { 'thing/inside.txt': 'a folder\n' });
  const result = await replay();
  t.match(result, { kind: 'conflict', paths: ['thing'] });
});

t.test('J13, 07.10: what upstream has is left out; the Handoff alone is not work', async (t) => {
  const { repo, replay, base } = await ground(t, { files: { 'a.txt': lines(20), 'b.txt': 'b\n' } });
  await repo.commit('plan', { [HANDOFF]: 'the plan\n' });
  await repo.commit('one', { 'a.txt': lines(20, { 4: 'mine' }) });
  await repo.commit('two', { 'b.txt': 'mine\n' });
  await onMain(repo, 'taken over', { 'a.txt': lines(20, { 4: 'mine' }), 'b.txt': 'mine\n' });
  const result = await replay();
  isReplayed(t, result);
  t.match(result, { commits: 1, dropped: 2, onlyHandoff: true, hadChange: true });
  t.equal(await repo.git('log', '--format=%s', `main..${result.tip}`), 'plan');

  await t.test('also where the same lines changed again since', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'main', base);
    await repo.git('cherry-pick', 'job~1');
    await repo.commit('more', { 'a.txt': lines(20, { 4: 'mine, and more' }) });
    await repo.git('checkout', '--quiet', 'job');
    const again = await replay();
    isReplayed(t, again);
    t.match(again, { commits: 2, dropped: 1, onlyHandoff: false });
    t.equal(await show(repo, again.tip, 'a.txt'), lines(20, { 4: 'mine, and more' }).trimEnd());
  });
  await t.test('not after upstream reverted it', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'main', base);
    await repo.git('cherry-pick', 'job~1');
    await repo.git('revert', '--no-edit', 'HEAD');
    await repo.git('checkout', '--quiet', 'job');
    const again = await replay();
    isReplayed(t, again);
    t.match(again, { commits: 3, dropped: 0 });
  });
  await t.test('a branch with nothing but a Handoff had no change', async (t) => {
    isReplayed(t, await replay());
    const only = await replay({ tip: (await repo.oid('job~2')) as Oid });
    isReplayed(t, only);
    t.match(only, { commits: 1, onlyHandoff: true, hadChange: false });
  });
});

t.test('J11, 07.3: a commit that a force-push dropped from the base does not come back', async (t) => {
  const { repo, repository, replay, base } = await ground(t);
  await repo.git('checkout', '--quiet', 'main');
  const dropped = (await repo.commit('a secret', { 'secret.txt': 'secret\n' })) as Oid;
  await repo.git('checkout', '--quiet', '-B', 'job');
  await repo.commit('work', { 'a.txt': 'a\n' });
  await repo.git('checkout', '--quiet', '-B', 'main', base);
  const main = (await repo.commit('instead', { 'b.txt': 'b\n' })) as Oid;
  const tip = (await repo.oid('job')) as Oid;
  t.equal(await boundaryFor(repository, { recorded: dropped, tip, newBase: main }), dropped);
  const result = await replay({ base: dropped });
  isReplayed(t, result);
  t.equal(result.commits, 1);
  t.equal((await repo.gitResult('cat-file', '-e', `${result.tip}:secret.txt`)).code, 128);
  // Also where the base only went back.
  const back = await replay({ base: dropped, onto: base });
  isReplayed(t, back);
  t.equal((await repo.gitResult('cat-file', '-e', `${back.tip}:secret.txt`)).code, 128);
});

t.test('J11: the boundary follows someone who rebased or merged by hand', async (t) => {
  const { repo, repository, base, tip, main } = await ground(t);
  await repo.commit('work', { 'a.txt': 'a\n' });
  const newer = await onMain(repo, 'newer', { 'b.txt': 'b\n' });
  t.equal(await boundaryFor(repository, { recorded: base, tip: await tip(), newBase: newer }), base);
  await repo.git('rebase', '--quiet', 'main');
  t.equal(await boundaryFor(repository, { recorded: base, tip: await tip(), newBase: await main() }), newer);
  const newest = await onMain(repo, 'newest', { 'c.txt': 'c\n' });
  t.equal(await boundaryFor(repository, { recorded: base, tip: await tip(), newBase: newest }), newer);
  // The branch does not contain the recorded commit any more.
  await repo.git('rebase', '--quiet', '--onto', base, newer);
  t.equal(await boundaryFor(repository, { recorded: newer, tip: await tip(), newBase: newest }), base);
});

t.test(
  'J11: merge commits are flattened and counted; a resolution that would be lost is kept as one commit',
  async (t) => {
    const { repo, repository, replay, base } = await ground(t, { files: { 'a.txt': lines(10) } });
    await repo.commit('one', { 'one.txt': '1\n' });
    await repo.git('checkout', '--quiet', '-b', 'side', base);
    await repo.commit('side', { 'side.txt': 's\n' });
    await repo.git('checkout', '--quiet', 'job');
    await repo.git('merge', '--quiet', '--no-ff', '-m', 'join', 'side');
    await onMain(repo, 'meanwhile', { 'b.txt': 'b\n' });
    const flat = await replay();
    isReplayed(t, flat);
    t.match(flat, { commits: 2, flattened: 1 });
    t.equal(await repo.git('rev-list', '--merges', '--count', `main..${flat.tip}`), '0');
    t.equal(await show(repo, flat.tip, 'side.txt'), 's');

    await repo.commit('clash', { 'a.txt': lines(10, { 5: 'mine' }) });
    await onMain(repo, 'clash', { 'a.txt': lines(10, { 5: 'theirs' }) });
    await repo.gitFails('merge', '--no-ff', 'main');
    repo.write('a.txt', lines(10, { 5: 'mine and theirs' }));
    await repo.git('add', 'a.txt');
    await repo.git('commit', '--quiet', '-m', 'resolve');
    await repo.commit('after', { 'after.txt': 'a\n' });
    const newest = await onMain(repo, 'newest', { 'c.txt': 'c\n' });
    const boundary = await boundaryFor(repository, {
      recorded: base,
      tip: (await repo.oid('job')) as Oid,
      newBase: newest,
    });
    t.equal(boundary, await repo.oid('main~1'));
    const kept = await replay({ base: boundary });
    isReplayed(t, kept);
    t.match(kept, { commits: 2, flattened: 2 });
    t.equal(await show(repo, kept.tip, 'a.txt'), lines(10, { 5: 'mine and theirs' }).trimEnd());
    t.equal(await show(repo, kept.tip, 'after.txt'), 'a');
    t.equal(await show(repo, kept.tip, 'c.txt'), 'c');
  },
);

t.test('J25, 07.18: the Handoff never conflicts: the own version of the Job wins at each step', async (t) => {
  const { repo, replay, base } = await ground(t, { files: { 'a.txt': 'a\n' } });
  await repo.commit('plan', { [HANDOFF]: 'my plan\n' });
  await repo.commit('work', { 'b.txt': 'b\n', [HANDOFF]: 'my plan, done\n' });
  await onMain(repo, 'another Job was merged', { [HANDOFF]: 'the other one\n', '.coding-owl/other': 'x\n' });
  const result = await replay();
  isReplayed(t, result);
  t.equal(await show(repo, `${result.tip}~1`, HANDOFF), 'my plan');
  t.equal(await show(repo, result.tip, HANDOFF), 'my plan, done');
  t.equal(await show(repo, result.tip, '.coding-owl/other'), 'x');
  t.equal(result.commits, 2);

  await t.test('one that the Job never touched follows the base', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'main', base);
    const inherited = (await repo.commit('inherited', { [HANDOFF]: 'old\n' })) as Oid;
    await repo.git('checkout', '--quiet', '-B', 'job');
    await repo.commit('work', { 'b.txt': 'b\n' });
    await onMain(repo, 'newer', { [HANDOFF]: 'new\n' });
    const again = await replay({ base: inherited });
    isReplayed(t, again);
    t.equal(await show(repo, again.tip, HANDOFF), 'new');
  });
  await t.test('a folder or a link in its place is a conflict, not a loss', async (t) => {
    await repo.git('checkout', '--quiet', '-B', 'main', base);
    await repo.commit('in the way', { '.coding-owl': 'a file\n' });
    await repo.git('checkout', '--quiet', '-B', 'job', base);
    await repo.commit('plan', { [HANDOFF]: 'my plan\n' });
    const again = await replay({ base });
    t.equal(again.kind, 'conflict');
  });
});

t.test('07.54: attributes come from the base alone', async (t) => {
  const log = 'CHANGES';
  const { repo, repository, replay } = await ground(t, { files: { [log]: 'start\n', 'deep/er/LIST': 'start\n' } });
  await repo.commit('mine', { [log]: 'start\nmine\n', 'deep/er/LIST': 'start\nmine\n' });
  await onMain(repo, 'theirs', { [log]: 'start\ntheirs\n', 'deep/er/LIST': 'start\ntheirs\n' });
  // Everywhere else it says that there is nothing to argue about.
  writeFileSync(join(repo.dir, '.gitattributes'), '* merge=union\n');
  writeFileSync(join(repo.dir, '.git/info/attributes'), '* merge=union\n');
  writeFileSync(join(repo.box.home, 'attributes'), '* merge=union\n');
  mkdirSync(join(repo.box.home, '.config/git'), { recursive: true });
  writeFileSync(join(repo.box.home, '.config/git/attributes'), '* merge=union\n');
  await repo.git('config', 'merge.default', 'union');
  await repo.git('config', '--global', 'core.attributesFile', join(repo.box.home, 'attributes'));
  t.match(await replay(), { kind: 'conflict', paths: [log, 'deep/er/LIST'] });

  // The base says so, in the folder too, and its own driver is not run.
  repo.remove('.gitattributes');
  await onMain(repo, 'attributes', {
    '.gitattributes': 'CHANGES merge=union\n',
    'deep/.gitattributes': 'LIST merge=mine\n',
  });
  await repo.git('config', 'merge.mine.driver', `touch ${repo.box.path('ran')}; exit 0`);
  t.match(await replay(), { kind: 'conflict', paths: ['deep/er/LIST'] });
  t.notOk(existsSync(repo.box.path('ran')), 'no driver of the configuration ran');
  await onMain(repo, 'union', { 'deep/.gitattributes': 'LIST merge=union\n' });
  const result = await replay();
  isReplayed(t, result);
  t.equal(await show(repo, result.tip, log), 'start\ntheirs\nmine');
  t.equal(await show(repo, result.tip, 'deep/er/LIST'), 'start\ntheirs\nmine');
  t.same(readdirSync(repo.box.path('tmp')), []);
  t.ok(repository);
});

t.test(
  '07.7: rerere, autostash, updateRefs, hooks, signers and merge settings of the user change nothing',
  async (t) => {
    const { repo, replay, tip } = await ground(t, { files: { 'a.txt': lines(20) } });
    await repo.commit('work', { 'a.txt': lines(20, { 3: 'mine' }) });
    await repo.git('branch', 'someone', 'job');
    await repo.commit('more', { 'b.txt': 'b\n' });
    await onMain(repo, 'meanwhile', { 'a.txt': lines(20, { 18: 'theirs' }) });
    for (const [key, value] of Object.entries({
      'rerere.enabled': 'true',
      'rerere.autoUpdate': 'true',
      'rebase.autoStash': 'true',
      'rebase.updateRefs': 'true',
      'commit.gpgSign': 'true',
      'gpg.program': repo.box.executable('hanging-gpg', '#!/bin/sh\nsleep 600\n'),
      'merge.renames': 'false',
      'merge.conflictStyle': 'diff3',
      'diff.algorithm': 'patience',
      'i18n.commitEncoding': 'ISO-8859-1',
    }))
      await repo.git('config', key, value);
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'post-rewrite',
      'reference-transaction',
      'pre-rebase',
      'post-checkout',
    ]) {
      const path = join(repo.dir, '.git/hooks', hook);
      writeFileSync(path, `#!/bin/sh\ntouch '${repo.box.path('hook-ran')}'\nexit 1\n`, { mode: 0o755 });
    }
    const refs = await repo.refs();
    const old = await tip();
    const result = await replay();
    isReplayed(t, result);
    t.equal(await show(repo, result.tip, 'a.txt'), lines(20, { 3: 'mine', 18: 'theirs' }).trimEnd());
    t.notMatch(await repo.git('cat-file', 'commit', result.tip), /^(?:gpgsig|encoding) /m);
    t.notOk(existsSync(repo.box.path('hook-ran')));
    t.notOk(existsSync(join(repo.dir, '.git/rr-cache')) && readdirSync(join(repo.dir, '.git/rr-cache')).length > 0);
    t.same(await repo.refs(), refs);
    t.equal(await tip(), old);
  },
);

t.test('J38: signing follows the policy, and a signer that hangs is bounded and named', async (t) => {
  const { repo, replay } = await ground(t);
  await repo.commit('work', { 'a.txt': 'a\n' });
  await repo.commit('more\n\n  indented body\n', { 'b.txt': 'b\n' });
  await onMain(repo, 'meanwhile', { 'c.txt': 'c\n' });
  const key = repo.box.path('key');
  const made = await repo.gitResult('-c', `alias.k=!ssh-keygen -q -t ed25519 -N '' -f '${key}'`, 'k');
  if (made.code !== 0) return void t.comment('there is no ssh-keygen');
  await repo.git('config', '--global', 'gpg.format', 'ssh');
  await repo.git('config', '--global', 'user.signingKey', `${key}.pub`);
  const isSigned = async (commit: string) => /^gpgsig /m.test(await repo.git('cat-file', 'commit', commit));

  const inherit = await replay({ signing: 'inherit' });
  isReplayed(t, inherit);
  t.notOk(await isSigned(inherit.tip), 'commit.gpgSign is not set');
  await repo.git('config', '--global', 'commit.gpgSign', 'true');
  const inherited = await replay({ signing: 'inherit' });
  isReplayed(t, inherited);
  t.ok((await isSigned(inherited.tip)) && (await isSigned(`${inherited.tip}~1`)));
  t.equal(
    await repo.git('log', '-1', '--format=%an %ae %ad %B', inherited.tip),
    await repo.git('log', '-1', '--format=%an %ae %ad %B', 'job'),
  );
  await repo.git('config', '--global', 'commit.gpgSign', 'false');
  const required = await replay({ signing: 'require' });
  isReplayed(t, required);
  t.ok(await isSigned(required.tip));

  // A program that the repository's own configuration names is not started.
  await repo.git(
    'config',
    'gpg.ssh.program',
    repo.box.executable('planted', `#!/bin/sh\ntouch '${repo.box.path('planted')}'\nexit 1\n`),
  );
  isReplayed(t, await replay({ signing: 'require' }));
  t.notOk(existsSync(repo.box.path('planted')));
  await repo.git('config', '--global', 'gpg.ssh.program', repo.box.executable('hangs', '#!/bin/sh\nexec sleep 600\n'));
  const start = Date.now();
  await t.rejects(replay({ signing: 'require', signTimeout: 500 }), {
    code: 'timeout',
    message: /signer.*gpg\.format is ssh/,
  });
  t.ok(Date.now() - start < 10_000);
  await repo.git('config', '--global', 'gpg.ssh.program', '/bin/false');
  const failure = await replay({ signing: 'require' }).catch((error: unknown) => error);
  t.ok(isOwlError(failure, 'git-failed'));
});

t.test('replay serves SHA-256, a bare repository and a shallow clone', async (t) => {
  const { repo, replay } = await ground(t, { init: ['--object-format=sha256'], files: { 'a.txt': lines(20) } });
  await repo.commit('work', { 'a.txt': lines(20, { 3: 'mine' }) });
  await onMain(repo, 'meanwhile', { 'a.txt': lines(20, { 18: 'theirs' }) });
  const result = await replay();
  isReplayed(t, result);
  t.equal(await show(repo, result.tip, 'a.txt'), lines(20, { 3: 'mine', 18: 'theirs' }).trimEnd());

  const box = await sandbox(t);
  const source = await box.repository({ files: { 'a.txt': lines(20) } });
  await source.commit('second', { 'b.txt': 'b\n' });
  await source.git('checkout', '--quiet', '-b', 'job');
  await source.commit('work', { 'a.txt': lines(20, { 3: 'mine' }) });
  await onMain(source, 'meanwhile', { 'a.txt': lines(20, { 18: 'theirs' }) });
  for (const options of [['--bare'], ['--no-single-branch', '--depth=2', '--no-local']]) {
    const clone = await source.clone('other', ...options);
    const repository = await opened(t, clone);
    const [main, job] = options[0] === '--bare' ? ['main', 'job'] : ['origin/main', 'origin/job'];
    const onto = (await clone.oid(main ?? '')) as Oid;
    const tip = (await clone.oid(job ?? '')) as Oid;
    const base = (await clone.oid(`${job}~1`)) as Oid;
    const there = await replayIn(repository, { base, tip, onto });
    isReplayed(t, there);
    t.equal(await show(clone, there.tip, 'a.txt'), lines(20, { 3: 'mine', 18: 'theirs' }).trimEnd());
  }
});

t.test('01: in a partial clone what is missing is loaded', async (t) => {
  const box = await sandbox(t);
  const source = await box.repository({
    files: { 'a.txt': lines(20), '.gitattributes': 'LIST merge=union\n', LIST: 'start\n' },
  });
  await source.git('config', 'uploadpack.allowFilter', 'true');
  await source.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  await source.git('checkout', '--quiet', '-b', 'job');
  await source.commit('work', { 'a.txt': lines(20, { 3: 'mine' }), LIST: 'start\nmine\n' });
  await onMain(source, 'meanwhile', { 'a.txt': lines(20, { 18: 'theirs' }), LIST: 'start\ntheirs\n' });
  const clone = await source.clone('partial', '--no-local', '--filter=blob:none', '--no-checkout');
  const repository = await opened(t, clone);
  t.ok(repository.partial);
  const oid = async (name: string) => (await clone.oid(name)) as Oid;
  const result = await replayIn(repository, {
    base: await oid('origin/job~1'),
    tip: await oid('origin/job'),
    onto: await oid('origin/main'),
  });
  isReplayed(t, result);
  t.equal(await show(clone, result.tip, 'a.txt'), lines(20, { 3: 'mine', 18: 'theirs' }).trimEnd());
  t.equal(await show(clone, result.tip, 'LIST'), 'start\ntheirs\nmine');
});

async function replayIn(
  repository: Repository,
  range: Pick<ReplayRequest, 'base' | 'tip' | 'onto'>,
): ReturnType<typeof replay> {
  return replay(repository, {
    ...range,
    paths: { handoff: HANDOFF },
    identity: await repository.identity(),
    signing: 'never',
  });
}

t.test('merging apart never says anything else than git merge-tree', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const repository = await opened(t, repo);
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const folders = ['', 'd/', 'd/sub/', 'e/'];
  const path = () => `${folders[random(4)]}${['f', 'g', 'h'][random(3)]}`;
  const text = (word: string) => lines(12, { [1 + random(12)]: word });
  type Files = Map<string, string>;
  const mutate = (files: Files, word: string): Files => {
    const next = new Map(files);
    for (let count = 0; count < 1 + random(3); count += 1) {
      const keys = [...next.keys()];
      const one = keys[random(keys.length)] ?? 'f';
      const kind = random(5);
      if (kind === 0) next.delete(one);
      else if (kind === 1) next.set(path(), text(word));
      else if (kind === 2) {
        const to = path();
        next.set(to, next.get(one) ?? '');
        if (to !== one) next.delete(one);
      } else if (kind === 3) {
        // A whole folder moves.
        const [from, to] = [folders[1 + random(3)] ?? '', folders[1 + random(3)] ?? ''];
        for (const key of keys) {
          if (!key.startsWith(from) || from === to || to.startsWith(from)) continue;
          next.set(`${to}${key.slice(from.length)}`, next.get(key) ?? '');
          next.delete(key);
        }
      } else next.set(one, `${next.get(one) ?? ''}${word} ${random(99)}\n`);
    }
    return next;
  };
  const pool = await createPool(repository);
  let apart = 0;
  const rounds = 120;
  const stream: string[] = [];
  const sides: { files: Files; parent: number | null }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const base: Files = new Map();
    for (let count = 0; count < 7; count += 1) base.set(path(), `${random(1000)}\n${text(`b${random(50)}`)}`);
    sides.push(
      { files: base, parent: null },
      { files: mutate(base, 'ours'), parent: round * 3 },
      { files: mutate(base, 'theirs'), parent: round * 3 },
    );
  }
  // One process makes all commits.
  for (const [index, side] of sides.entries()) {
    stream.push(`commit refs/x/${index}\nmark :${index + 1}\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n`);
    if (side.parent !== null) stream.push(`from :${side.parent + 1}\n`);
    stream.push('deleteall\n');
    for (const [name, content] of side.files)
      stream.push(`M 100644 inline ${name}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  }
  await repo.git('fast-import', '--quiet', { input: stream.join('') });
  const oids = (await repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/x/')).split('\n');
  const byIndex = new Map(
    oids.map((line) => [Number(line.slice('refs/x/'.length, line.indexOf(' '))), line.split(' ')[1] as Oid]),
  );
  for (let round = 0; round < rounds; round += 1) {
    const [base, ours, theirs] = [0, 1, 2].map((side) => byIndex.get(round * 3 + side) as Oid) as [Oid, Oid, Oid];
    const merged = await mergeApart(pool, await pool.treeOf(base), await pool.treeOf(ours), await pool.treeOf(theirs));
    if (merged === null) continue;
    apart += 1;
    const git = await repo.gitResult('merge-tree', '--write-tree', ours, theirs);
    if (git.code !== 0 || git.stdout.trim() !== merged) t.fail(`round ${round}: ${merged}, git: ${git.stdout}`);
  }
  t.ok(apart > 20, `${apart} of ${rounds} were merged apart`);
});

t.test('a branch of 60 commits is replayed without a process for each', async (t) => {
  const { repo, replay } = await ground(t, { files: { 'a.txt': lines(80), 'b.txt': lines(80) } });
  for (let number = 1; number <= 60; number += 1)
    await repo.commit(`commit ${number}`, { 'a.txt': lines(80, { 40: `mine ${number}` }) });
  await onMain(repo, 'elsewhere', { 'b.txt': lines(80, { 2: 'theirs' }) });
  const start = performance.now();
  const apart = await replay();
  const apartMs = (performance.now() - start) / 60;
  isReplayed(t, apart);
  t.equal(apart.commits, 60);
  await onMain(repo, 'in the same file', { 'a.txt': lines(80, { 2: 'theirs' }) });
  const again = performance.now();
  const together = await replay();
  const togetherMs = (performance.now() - again) / 60;
  isReplayed(t, together);
  t.equal(together.commits, 60);
  t.equal(await show(repo, together.tip, 'a.txt'), lines(80, { 2: 'theirs', 40: 'mine 60' }).trimEnd());
  t.comment(`${apartMs.toFixed(1)} ms a commit apart, ${togetherMs.toFixed(1)} ms a commit in one file`);
});
