// Fetch (J6), base and remote (J33) and base commit (J7), against real bare remotes.

import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { type BaseRequest, resolveBase, resolveBaseCommit } from '../../../src/app/base.js';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import type { Merged } from '../../../src/domain/job.js';
import { fetchBranch } from '../../../src/git/fetch.js';
import { askRemoteHead, listRemotes, remoteHead, remoteOfBranch } from '../../../src/git/remote.js';
import { opened } from '../../fixtures/opened.js';
import type { Repo } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

/** All refs; a symbolic one with the name that it holds. */
async function refsOf(repo: Repo): Promise<Record<string, string>> {
  const listing = await repo.git('for-each-ref', '--format=%(refname) %(symref) %(objectname)');
  const rows = listing.split('\n').map((line) => line.split(' '));
  return Object.fromEntries(rows.map(([name = '', symref, oid]) => [name, (symref || oid) ?? '']));
}

/** Refs that differ, sorted. */
function moved(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();
}

async function hostile(repo: Repo): Promise<void> {
  await repo.git('config', 'remote.origin.tagOpt', '--tags');
  await repo.git('config', '--add', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/second/*');
  await repo.git('config', '--add', 'remote.origin.fetch', '+refs/tags/*:refs/tags/*');
  await repo.git('config', 'remote.origin.prune', 'true');
  await repo.git('config', 'fetch.pruneTags', 'true');
  await repo.git('config', 'fetch.recurseSubmodules', 'true');
  await repo.git('config', 'maintenance.auto', 'true');
  await repo.git('config', 'gc.auto', '1');
}

t.test('J6, 07.1: a fetch moves the remote-tracking ref of the base and nothing else', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.git('branch', 'gone');
  await repo.git('push', '--quiet', 'origin', 'gone');
  await repo.git('fetch', '--quiet');
  await repo.git('tag', 'mine');
  await hostile(repo);
  const pushed = await repo.colleague('theirs', { 'a.txt': 'a\n' });
  await repo.remoteGit('update-ref', 'refs/heads/other', pushed);
  await repo.remoteGit('tag', 'new-tag', pushed);
  await repo.remoteGit('branch', '-D', 'gone');
  await repo.git('tag', 'main');
  const repository = await opened(t, repo);
  const before = await refsOf(repo);
  repo.remove('.git/FETCH_HEAD');
  const checkout = await repo.untouched();
  t.same(await fetchBranch(repository, { remote: 'origin', branch: 'main' }), { status: 'fetched', oid: pushed });
  t.same(moved(before, await refsOf(repo)), ['refs/remotes/origin/main']);
  t.notOk(repo.exists('.git/FETCH_HEAD'));
  repo.box.same(t, checkout, await repo.untouched());
  // A branch that was pushed over.
  await repo.remoteGit('update-ref', 'refs/heads/main', before['refs/heads/main'] ?? '');
  t.match(await fetchBranch(repository, { remote: 'origin', branch: 'main' }), {
    status: 'fetched',
    oid: before['refs/heads/main'],
  });
});

t.test('J6, 07.1, 07.12: mirror, shallow and bare clones, worktrees and relative URLs', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.commit('second');
  await repo.commit('third');
  await repo.git('push', '--quiet', 'origin', 'main');
  const mirror = await repo.clone('mirror.git', '--mirror');
  const shallow = await repo.clone('shallow', '--depth=1', '--no-local');
  const relative = await repo.clone('relative');
  await relative.git('config', 'remote.origin.url', '../repo.git');
  await relative.git('worktree', 'add', '--quiet', '-b', 'topic', box.path('linked', 'deep'));
  const pushed = await repo.colleague('theirs', { 'a.txt': 'a\n' });
  for (const [name, clone, cwd] of [
    ['mirror', mirror, mirror.dir],
    ['shallow', shallow, shallow.dir],
    ['relative', relative, relative.dir],
    ['linked', relative, box.path('linked', 'deep')],
  ] as const) {
    const before = await refsOf(clone);
    const repository = await opened(t, clone, cwd);
    t.match(
      await fetchBranch(repository, { remote: 'origin', branch: 'main' }),
      { status: 'fetched', oid: pushed },
      name,
    );
    if (name !== 'linked') t.same(moved(before, await refsOf(clone)), ['refs/remotes/origin/main'], name);
  }
  t.equal(await shallow.git('rev-list', '--count', 'origin/main'), '2', 'no depth was added');
});

t.test('J6: failures are told apart, in one bounded line', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const repository = await opened(t, repo);
  const before = await refsOf(repo);
  t.same(await fetchBranch(repository, { remote: 'origin', branch: 'nothing' }), {
    status: 'failed',
    reason: 'no-branch',
  });
  await repo.git('config', 'remote.origin.url', box.path('not-there'));
  const failed = await fetchBranch(repository, { remote: 'origin', branch: 'main' });
  t.equal(failed.status, 'failed');
  if (failed.status === 'failed') {
    t.notMatch(failed.reason, /\n/);
    t.not(failed.reason, 'no-branch');
    t.ok(failed.reason.length > 5 && failed.reason.length <= 200, failed.reason);
  }
  t.same(await refsOf(repo), before);
});

t.test('J6, 07.4: a remote that accepts and says nothing is bounded', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await repo.git('config', 'remote.origin.url', `git://127.0.0.1:${port}/repo`);
  const repository = await opened(t, repo);
  const start = Date.now();
  t.same(await fetchBranch(repository, { remote: 'origin', branch: 'main', timeout: 700 }), {
    status: 'failed',
    reason: 'the remote did not answer within 700 ms',
  });
  t.equal(await askRemoteHead(repository, 'origin', 700), null);
  t.ok(Date.now() - start < 8_000);
  // The base is found all the same: its remote-tracking ref is here.
  t.match(await resolveBase(repository, request({}, 700)), { name: 'main', remote: 'origin', source: 'remote-head' });
  t.same(
    box.processes().filter((one) => /fetch|ls-remote/.test(JSON.stringify(one))),
    [],
  );
});

const request = (
  given: { base?: string; remote?: string; configured?: string; on?: string } = {},
  askTimeout = 5_000,
): BaseRequest => ({
  option: { base: given.base, remote: given.remote },
  configured: { base: given.configured ?? null, remote: given.on ?? null },
  askTimeout,
});

t.test(
  'J33: the base is the option, the configuration, the default of the remote, what it says, then main',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    for (const name of ['release/1.0', 'develop', 'next']) {
      await repo.git('push', '--quiet', 'origin', `main:refs/heads/${name}`);
    }
    await repo.git('fetch', '--quiet');
    await repo.git('remote', 'set-head', 'origin', 'release/1.0');
    const repository = await opened(t, repo);
    const at = (given: Parameters<typeof request>[0]) => resolveBase(repository, request(given));
    t.match(await at({ base: 'next', configured: 'develop' }), {
      name: 'next',
      remote: 'origin',
      source: 'option',
      note: null,
    });
    t.match(await at({ configured: 'develop' }), { name: 'develop', remote: 'origin', source: 'configuration' });
    t.match(await at({}), { name: 'release/1.0', remote: 'origin', source: 'remote-head' }, 'the whole name');
    t.match(await at({ base: 'origin/next' }), { name: 'next', remote: 'origin' });
    t.match(await at({ base: 'refs/heads/main' }), { name: 'main', remote: 'origin' });
    // Dangling: falls through to asking.
    await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/not-there');
    t.equal(await remoteHead(repository, 'origin'), null);
    await repo.remoteGit('symbolic-ref', 'HEAD', 'refs/heads/develop');
    t.match(await at({}), { name: 'develop', remote: 'origin', source: 'asked' });
    // It does not answer.
    await repo.git('symbolic-ref', '--delete', 'refs/remotes/origin/HEAD');
    await repo.git('config', 'remote.origin.url', box.path('not-there'));
    t.match(await at({}), { name: 'main', remote: 'origin', source: 'default' });
  },
);

t.test('J33: what does not exist is refused with the list tried', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const repository = await opened(t, repo);
  await t.rejects(resolveBase(repository, request({ base: 'nope' })), {
    code: 'missing-base',
    exit: 3,
    message: /nope/,
    data: { tried: [{ name: 'nope', source: 'option' }] },
    next: ['git branch --all'],
  });
  await t.rejects(resolveBase(repository, request({ configured: 'nope' })), {
    code: 'missing-base',
    message: /configuration.*nope/,
  });
  await t.rejects(resolveBase(repository, request({ remote: 'nope' })), { code: 'missing-remote', exit: 9 });
  await t.rejects(resolveBase(repository, request({ on: 'nope' })), { code: 'missing-remote' });
  for (const base of ['refine/state', 'refine/abcd/round-1', 'owl/k3x9qp/x', 'refine', 'owl']) {
    await t.rejects(resolveBase(repository, request({ base })), { code: 'reserved-name', exit: 4 }, base);
  }
  for (const base of ['-x', 'a..b', ''])
    await t.rejects(resolveBase(repository, request({ base })), { code: 'usage' }, base);
  // One that only the remote has: a clone of one branch.
  await repo.git('push', '--quiet', 'origin', 'main:refs/heads/elsewhere');
  await repo.git('update-ref', '-d', 'refs/remotes/origin/elsewhere');
  t.match(await resolveBase(repository, request({ base: 'elsewhere' })), { name: 'elsewhere', remote: 'origin' });
  await repo.git('update-ref', '-d', 'refs/remotes/origin/elsewhere');
  await t.rejects(resolveBase(repository, request({ base: 'elsewhere' }, 0)), { code: 'missing-base' });
});

t.test('J33, 07.5: no remote, a repository on master, other names, no commit', async (t) => {
  const box = await sandbox(t);
  const master = await box.repository({ branch: 'master' });
  await master.git('checkout', '--quiet', '-b', 'feature');
  const found = await resolveBase(await opened(t, master), request());
  t.match(found, { name: 'master', remote: null, source: 'usual-name', note: /master/ });
  await master.git('tag', 'master', 'feature');
  t.equal(
    (await resolveBaseCommit(await opened(t, master), found, { merges: async () => [] })).ref,
    'refs/heads/master',
  );

  const trunk = await box.repository({ branch: 'trunk' });
  t.match(await resolveBase(await opened(t, trunk), request()), {
    name: 'trunk',
    remote: null,
    source: 'current',
    note: /trunk/,
  });
  await trunk.git('checkout', '--quiet', '-b', 'feature');
  await t.rejects(resolveBase(await opened(t, trunk), request()), {
    code: 'missing-base',
    next: ['git owl add --base feature'],
  });
  await trunk.git('config', 'init.defaultBranch', 'trunk');
  t.match(await resolveBase(await opened(t, trunk), request()), { name: 'trunk', source: 'usual-name' });

  const unborn = await box.repository({ unborn: true });
  await t.rejects(resolveBase(await opened(t, unborn), request()), { code: 'no-commit', exit: 3 });
});

t.test('J33: the remote is the option, the configuration, that of the branch, origin, or the only one', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', remoteName: 'upstream' });
  const repository = await opened(t, repo);
  const remote = async (given: Parameters<typeof request>[0] = {}) =>
    (await resolveBase(repository, request({ base: 'main', ...given }))).remote;
  t.same(await listRemotes(repository), ['upstream']);
  await repo.git('config', '--unset', 'branch.main.remote');
  t.equal(await remote(), 'upstream', 'the only one');
  await repo.git('remote', 'add', 'fork', repo.bare);
  t.equal(await remote(), null, 'two, and none is origin');
  await repo.git('config', 'branch.main.remote', 'fork');
  t.equal(await remoteOfBranch(repository, 'main'), 'fork');
  t.equal(await remote(), 'fork');
  await repo.git('config', 'branch.main.remote', '.');
  t.equal(await remote(), null, 'a branch that follows a local one');
  await repo.git('config', 'branch.main.remote', repo.bare);
  t.equal(await remote(), null, 'a URL is no remote');
  await repo.git('remote', 'add', 'origin', repo.bare);
  t.equal(await remote(), 'origin');
  t.equal(await remote({ on: 'upstream' }), 'upstream');
  t.equal(await remote({ on: 'upstream', remote: 'fork' }), 'fork');
});

t.test(
  'J7: the base commit is the remote one after a fetch, the local one without, and the local one ahead by merges of ours alone',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    const repository = await opened(t, repo);
    const base = await resolveBase(repository, request());
    const local = (await repo.oid('main')) as Oid;
    const pushed = (await repo.colleague('theirs', { 'a.txt': 'a\n' })) as Oid;
    let asked = 0;
    const records: Merged[] = [];
    const at = (fetched?: boolean) =>
      resolveBaseCommit(repository, base, {
        fetched,
        merges: async () => {
          asked += 1;
          return records;
        },
      });
    t.match(await fetchBranch(repository, { remote: 'origin', branch: 'main' }), { oid: pushed });
    t.match(await at(true), { ref: 'refs/remotes/origin/main', oid: pushed, unpublished: [] });
    t.match(await at(), { ref: 'refs/remotes/origin/main', oid: pushed });
    t.match(await at(false), { ref: 'refs/heads/main', oid: local });
    t.equal(asked, 0, 'records are read only where they matter');

    // Two merges of ours on the remote's commit.
    const merge = async (name: string): Promise<Oid> => {
      await repo.git('checkout', '--quiet', '-b', name);
      await repo.commit(name, { [`${name}.txt`]: `${name}\n` });
      await repo.git('checkout', '--quiet', 'main');
      await repo.git('merge', '--quiet', '--no-ff', '-m', `merge ${name}`, name);
      const after = (await repo.oid('main')) as Oid;
      records.push({
        by: 'owl',
        ref: branchRef('main'),
        before: null,
        after,
        commits: 1,
        files: 1,
        at: '2024-01-01T00:00:00Z',
      });
      return after;
    };
    await repo.git('merge', '--quiet', '--ff-only', 'origin/main');
    const first = await merge('one');
    const second = await merge('two');
    t.same(await at(true), { ref: 'refs/heads/main', oid: second, unpublished: [second, first] });
    // A commit of the user's among them: not by merges of ours alone.
    await repo.commit('mine', { 'mine.txt': 'mine\n' });
    t.same(await at(true), { ref: 'refs/remotes/origin/main', oid: pushed, unpublished: [second, first] });
    await repo.git('reset', '--quiet', '--hard', 'HEAD~1');
    t.same((await at(true)).oid, second);
    // The remote went on: diverged.
    const further = (await repo.colleague('more', { 'b.txt': 'b\n' })) as Oid;
    await fetchBranch(repository, { remote: 'origin', branch: 'main' });
    t.same(await at(true), { ref: 'refs/remotes/origin/main', oid: further, unpublished: [second, first] });
    // No local branch at all.
    await repo.git('checkout', '--quiet', '--detach');
    await repo.git('branch', '-D', 'main');
    t.match(await at(false), { ref: 'refs/remotes/origin/main', oid: further });
    await repo.git('update-ref', '-d', 'refs/remotes/origin/main');
    await t.rejects(at(true), { code: 'missing-base' });
  },
);

t.test('J6: nothing of a fetch runs a hook', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const hook = join(repo.dir, '.git/hooks/reference-transaction');
  writeFileSync(hook, `#!/bin/sh\ntouch '${box.path('ran')}'\nexit 1\n`);
  chmodSync(hook, 0o755);
  await repo.colleague('theirs', { 'a.txt': 'a\n' });
  const repository = await opened(t, repo);
  t.match(await fetchBranch(repository, { remote: 'origin', branch: 'main' }), { status: 'fetched' });
  t.notOk(repo.exists(box.path('ran')));
});
