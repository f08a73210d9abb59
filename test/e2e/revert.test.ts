// `git owl revert`: a merge is taken back by a commit, by the rules of a merge, and no longer counts as delivered (G52, J31).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const writes = (...files: readonly string[]): Scenario => ({
  cases: files.map((file) => ({
    when: `write ${file}`,
    execute: [{ write: `${file}.txt`, text: `${file}\n` }, { commit: `Write ${file}` }],
  })),
  execute: [{ exit: 1 }],
});

const config = (publish: boolean) => `plan: false
execution: { auto_merge: true, publish: ${publish} }
checks:
  - { name: test, run: "ls *.txt" }
`;

const shown = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

t.test('G52: on the local base, with its checkout; what needs it waits; a conflict moves nothing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', writes('one', 'two'))], config: config(false) });
  const one = await repo.add('write one');
  const two = await repo.add('write two');
  t.match((await repo.owlFails(4, 'revert', one)).stderr, /is pending/);
  await repo.owl('run', '--all');
  const merge = (await shown(repo, one)).merged.after;
  const tip = await repo.oid('main');
  const later = await repo.add('later', '--needs', one);
  t.match((await repo.owl('revert', one, '--dry-run')).stdout, /would be reverted on main/);
  t.equal(await repo.oid('main'), tip);

  repo.write('.git/index.lock', '');
  const locked = await repo.untouched();
  t.match((await repo.owlFails(7, 'revert', one, '--json')).json().error, { code: 'busy' });
  box.same(t, locked, await repo.untouched());
  repo.remove('.git/index.lock');
  repo.write('one.txt', 'mine\n');
  const edited = await repo.untouched();
  t.match((await repo.owlFails(4, 'revert', one, '--json')).json().error, { code: 'uncommitted', message: /one\.txt/ });
  box.same(t, edited, await repo.untouched());
  await repo.git('checkout', '-q', 'one.txt');

  const done = await repo.owl('revert', one, '--json', '--request-id', 'r1');
  t.match(done.json().data, { id: one, state: 'done', reverted_by: await repo.oid('main') });
  t.equal(await repo.oid('main^'), tip, 'on top; history is not rewritten');
  t.match(await repo.git('log', '-1', '--format=%B', 'main'), new RegExp(`^This reverts commit ${merge}\\.$`, 'm'));
  t.equal(repo.exists('one.txt'), false, 'the checkout follows');
  t.equal(repo.exists('two.txt'), true);
  t.equal(await repo.git('status', '--porcelain'), '');
  t.match(await shown(repo, one), { reverted: true, reason: { code: 'reverted' }, merged: { after: merge } });
  t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
    event: 'job.reverted',
    job: one,
  });
  const reverted = await repo.oid('main');
  await repo.owl('revert', one, '--request-id', 'r1');
  t.match((await repo.owlFails(4, 'revert', one)).stderr, /is reverted already/);
  t.equal(await repo.oid('main'), reverted);
  t.match((await repo.owl('status')).stdout, new RegExp(`${later}(?:.|\\n)*taken back`));
  await repo.owl('gc');
  t.match(await shown(repo, one), { reverted: true }, 'J31: not after a revert');

  // Open again: in review with its branch, and not delivered by anything.
  const tipOfOne = (await shown(repo, one)).tip;
  const branch = `refs/heads/${(await shown(repo, one)).branch}`;
  t.equal(await repo.oid(branch), '');
  await repo.git('branch', branch.slice('refs/heads/'.length), 'main');
  t.match((await repo.owlFails(4, 'reopen', one)).stderr, /branch name .* is taken/);
  await repo.git('branch', '-q', '-D', branch.slice('refs/heads/'.length));
  await repo.owl('reopen', one, '--dry-run');
  t.equal(await repo.oid(branch), '');
  await repo.owl('reopen', one);
  t.match(await shown(repo, one), { state: 'review', merged: null, reverted: false, tip: tipOfOne });
  t.equal(await repo.oid(branch), tipOfOne, 'the branch is back');
  t.match((await repo.owlFails(4, 'merge', one)).stderr, /reverted there.*|retry .* --restart/s);
  await repo.owl('gc');
  t.match(await shown(repo, one), { state: 'review' }, 'J31: not after a revert');

  // Somebody worked on it since: a conflict, and nothing moves.
  await repo.commit('On top', { 'two.txt': 'changed\n' });
  const before = await repo.untouched();
  t.match((await repo.owlFails(5, 'revert', two, '--json')).json().error, {
    code: 'conflict',
    message: /two\.txt/,
    next: [/git revert -m 1/],
  });
  box.same(t, before, await repo.untouched());
  await repo.git('revert', '--no-edit', 'HEAD');
  await repo.git('revert', '--no-edit', '-m', '1', (await shown(repo, two)).merged.after);
  t.match((await repo.owl('revert', two)).stdout, /was reverted on main already/, 'by hand');
  t.match(await shown(repo, two), { reverted: true });
});

t.test('G52, G32: where merges are published, the revert is too; killed on the way it is finished once', async (t) => {
  const box = await sandbox(t);
  const names = ['aa', 'bb', 'cc', 'dd', 'ee'];
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', writes(...names))],
    config: config(true),
  });
  const ids: string[] = [];
  for (const name of names) ids.push(await repo.add(`write ${name}`));
  await repo.owl('run', '--all', { timeout: 300_000 });
  await repo.git('push', '-q', 'origin', 'refs/heads/refine/state');
  const remote = (revision = 'main') => repo.remoteGit('rev-parse', revision);
  const [aa = '', bb = '', ...rest] = ids;
  const mine = await repo.commit('Mine', { 'mine.txt': 'mine\n' });
  const before = await remote();
  await repo.owl('revert', aa);
  t.equal(await remote('main^'), before);
  t.match(await repo.remoteGit('log', '-1', '--format=%B', 'main'), /Owl-Lease-Token: \d+/);
  t.equal(
    await repo.remoteGit('ls-tree', '--name-only', 'main', 'aa.txt', 'mine.txt'),
    '',
    'without what is only here',
  );
  t.equal(await repo.oid('main'), mine, 'unpushed commits of the user stay where they are');
  const record = await repo.remoteGit('grep', '-h', '"reverted": true', 'refine/state', '--', 'closed/jobs');
  t.match(record, /reverted/, 'the shared state says so');
  await repo.git('reset', '-q', '--hard', 'origin/main');

  setHook(repo.bare, 'update', '[ "$1" = refs/heads/main ] && { echo protected >&2; exit 1; }; exit 0');
  t.match((await repo.owlFails(4, 'revert', bb, '--json')).json().error, { code: 'refused', message: /protected/ });
  t.match(await shown(repo, bb), { reverted: false });
  setHook(repo.bare, 'update', 'exit 0');
  await repo.owl('revert', bb);

  for (const [at, point] of ['publish.before-push', 'publish.after-push', 'reverted.after-state'].entries()) {
    const id = rest[at] ?? '';
    const tip = await remote();
    t.equal((await repo.owl('revert', id, { env: { OWL_FAIL_AT: point }, fails: 'any' })).signal, 'SIGKILL', point);
    await repo.owl('revert', id, { fails: 'any' });
    t.match(await shown(repo, id), { reverted: true }, point);
    t.equal(await remote('main^'), tip, `${point}: once`);
    t.equal(await repo.oid('main'), await remote(), point);
    t.equal(await repo.git('status', '--porcelain'), '', point);
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/publish'), '', point);
  }
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test('G52: killed before and after each step on the local base, it is finished or undone, once', async (t) => {
  const box = await sandbox(t);
  const points = ['revert.before-target', 'follow.after-files', 'follow.after-ref', 'revert.after-target'];
  const names = ['aa', 'bb', 'cc', 'dd'];
  const repo = await box.repository({ agents: [box.agent('worker', writes(...names))], config: config(false) });
  const ids: string[] = [];
  for (const name of names) ids.push(await repo.add(`write ${name}`));
  await repo.owl('run', '--all', { timeout: 300_000 });
  for (const [at, point] of points.entries()) {
    const id = ids[at] ?? '';
    const tip = await repo.oid('main');
    t.equal((await repo.owl('revert', id, { env: { OWL_FAIL_AT: point }, fails: 'any' })).signal, 'SIGKILL', point);
    await repo.owl('revert', id, { fails: 'any' });
    t.match(await shown(repo, id), { reverted: true }, point);
    t.equal(await repo.oid('main^'), tip, `${point}: once`);
    t.equal(repo.exists(`${names[at]}.txt`), false, point);
    t.equal(await repo.git('status', '--porcelain'), '', point);
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/reverting'), '', point);
  }
});

t.test('G52, J34: a revert here of a merge that is on the remote says how it gets there', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', writes('one'))];
  const repo = await box.repository({ remote: 'bare', agents, config: config(false) });
  const id = await repo.add('write one');
  await repo.owl('run');
  await repo.git('push', '-q', 'origin', 'main');
  t.match((await repo.owl('revert', id)).stderr, /the revert on main is not on origin yet: git push origin main/);
});
