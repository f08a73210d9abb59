// Sentences of 05 that no other test would fail for: what is never implied, what is bounded, and what nothing decides.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const CONFIG = 'plan: false\nchecks: []\n';
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const refsOf = (repo: Repo): Promise<string> => repo.git('for-each-ref', '--format=%(refname) %(objectname)');
const there = (repo: Repo): Promise<string> => repo.remoteGit('for-each-ref', '--format=%(refname) %(objectname)');
const worker = (box: Sandbox) =>
  box.agent('worker', { execute: [{ write: '{job}.txt', text: 'work {run}\n' }, { commit: 'Write it' }] });

t.test('S1: no command about a Job pushes the state, or takes one in', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [worker(box)], config: CONFIG });
  const [id, more] = [await repo.add('one'), await repo.add('two')];
  await sync(repo);
  const other = await repo.clone('other');
  await sync(other);
  const theirs = await other.add('theirs');
  await sync(other);
  const before = await there(repo);
  const tracked = await repo.oid('refs/remotes/origin/refine/state');
  await repo.add('three');
  for (const words of [
    ['edit', more, '--label', 'x'],
    ['reorder', more, '--first'],
    ['run', id],
    ['verify', id],
    ['retry', id, '-m', 'more'],
    ['run', id],
    ['merge', id],
    ['cancel', more],
    ['reopen', more],
    ['drop', more],
    ['restore', more],
    ['extend', more, '2'],
    ['list'],
    ['status'],
    ['gc'],
    ['fsck'],
  ])
    await repo.owl(...words);
  t.equal(await there(repo), before, 'nothing of it is on the remote');
  t.equal(await repo.oid('refs/remotes/origin/refine/state'), tracked, 'and nothing was fetched');
  await repo.owlFails(3, 'show', theirs);
  t.match(await sync(repo), { taken: 'merged', pushed: true });
});

t.test('S1, S5: leases and claims are fetched; a dry run writes nothing, here or there', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [worker(box)], config: CONFIG });
  const id = await repo.add('one');
  await repo.owl('run', '--claim-remote', id);
  const lease = { schema: 1, kind: 'lease', target: 'main', token: 3, holder: null, unit: null, length: 1, beat: 0 };
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: `${JSON.stringify(lease)}\n` });
  const name = 'refs/owl/leases/main-0123456789';
  await repo.git('push', '-q', 'origin', `${blob}:${name}`);
  const other = await repo.clone('other');
  await other.owl('add', 'two');
  const [here, far] = [await refsOf(other), await there(repo)];
  await sync(other, '--dry-run');
  t.equal(await refsOf(other), here);
  t.equal(await there(repo), far);
  await sync(other);
  t.equal(await other.oid(name), blob);
  t.equal(await other.oid(`refs/owl/claims/${id}`), await repo.remoteGit('rev-parse', `refs/owl/claims/${id}`));
});

t.test('S2, S3: no text merge touches a record, whatever attributes say; the losing side stays a parent', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.commit('attributes', { '.gitattributes': '* merge=union\n' });
  await repo.git('push', '-q', 'origin', 'main');
  const id = await repo.add('contested');
  await sync(repo);
  const other = await repo.clone('other');
  await sync(other);
  for (const clone of [repo, other]) writeFileSync(join(clone.dir, '.git/info/attributes'), '* merge=union\n');
  await repo.owl('edit', id, '--prompt', 'do this\nand this');
  await other.owl('edit', id, '--prompt', 'do that\nand that');
  const [mine, theirs] = [await repo.oid(STATE), await other.oid(STATE)];
  await sync(repo);
  t.match((await other.owlFails(5, 'sync', '--json')).json().error, { code: 'contested' });
  await sync(other, '--take', 'local', '--record', id);
  await sync(repo);
  for (const clone of [repo, other]) {
    const [prompt = ''] = await clone.records(new RegExp(`${id}/prompt$`));
    t.equal((await clone.git('cat-file', '-p', `${STATE}:${prompt}`)).trim(), 'do that\nand that');
    for (const side of [mine, theirs])
      t.equal((await clone.gitResult('merge-base', '--is-ancestor', side, STATE)).code, 0, 'both are its history');
  }
});

t.test('S5: a state that moves before every push: tried so many times, then busy, and nothing is lost', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.add('one');
  await sync(repo);
  const racer = await repo.clone('racer');
  await sync(racer);
  const log = box.path('pushes');
  // Whatever is pushed here, a commit of somebody else is there first.
  setHook(
    repo.bare,
    'pre-receive',
    `test -e '${box.path('calm')}' && exit 0
echo >> '${log}'
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
next=$(git -c user.name=x -c user.email=x@example.com commit-tree -p ${STATE} -m faster "${STATE}^{tree}")
git update-ref ${STATE} "$next"`,
  );
  const two = await repo.add('two');
  const { error } = (await repo.owlFails(7, 'sync', '--json')).json();
  t.match(error, { code: 'busy', message: /in 6 tries/, preserved: [/next git owl sync carries it/] });
  t.equal(readFileSync(log, 'utf8').length, 6, 'one push a try');
  writeFileSync(box.path('calm'), '');
  t.match(await sync(repo), { pushed: true });
  await sync(racer);
  t.match(await show(racer, two), { state: 'pending' });
});

t.test('S7, S10: sync.claim of the own configuration claims, and takes nothing that was made elsewhere', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [worker(box)], config: CONFIG });
  const mine = await repo.add('mine');
  await repo.owl('run', mine);
  t.notMatch(await there(repo), /refs\/owl\//, 'never by default');
  const id = await repo.add('one');
  await sync(repo);
  const other = await repo.clone('other');
  await sync(other);
  box.userConfig('version: 1\nsync: { claim: true }\n');
  t.match((await other.owl('run', '--json')).json().data, {
    items: [],
    waiting: [{ job: id, why: /came from another clone/ }],
  });
  t.notMatch(await there(repo), /refs\/owl\/claims/);
  t.match((await repo.owl('run', '--json')).jsonLines()[0].data, { id, state: 'review' });
  const claim = JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));
  t.match(claim, { holder: null, token: 1, target: id });
  t.match(await there(repo), new RegExp(`refs/owl/shared/${id} ${(await show(repo, id)).tip}`));
});

t.test('S6, S7: in a CI clone a claim is renewed while it runs, and SIGTERM publishes what was done', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: '{job}.txt', text: 'work {run}\n' }, { commit: 'Write it' }, { reach: 'at' }, { await: 'go' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  await repo.commit('more', { 'more.md': 'more\n' });
  await repo.git('push', '-q', 'origin', 'main');
  const id = await repo.add('one');
  await sync(repo);
  const dir = box.path('ci');
  await repo.git('clone', '-q', '--depth', '1', '--single-branch', `file://${repo.bare}`, dir);
  const ci = box.open(dir, repo.bare);
  const runner = ci.start('run', '--all', '--claim-remote', { env: { OWL_LEASE_LENGTH: '6000' } });
  await agent.reached('at');
  const claimed = async () => JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));
  const { beat, token, holder } = await claimed();
  await eventually(async () => (await claimed()).beat > beat + 1, 100_000, 'it is renewed, and again');
  t.match(await claimed(), { token, holder }, 'the same claim');
  runner.kill('SIGTERM');
  t.equal((await runner.wait()).code, 143);
  t.match(await claimed(), { token, holder: null }, 'given back');
  await sync(repo);
  t.match(await show(repo, id), { state: 'pending', runs: 1 });
  const tip = await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`);
  t.match(await repo.remoteGit('show', `${tip}:${id}.txt`), /^work /, 'with what the agent had committed');
  agent.release('go');
});
