// `git owl sync` over what CI has: shallow and partial clones, tokens that may not push, servers that decline or hide, each over the
// transport where it occurs (05, S6; 07.52).

import { t } from 'tap';
import { serveDaemon, serveHttp, serveSsh, setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const CONFIG = 'plan: false\nchecks: []\n';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const sync = async (repo: Repo) => (await repo.owl('sync', '--json')).json().data;
const ids = async (repo: Repo): Promise<string[]> =>
  (await repo.owl('list', '--all', '--json')).json().data.items.map((item: { id: string }) => item.id);
const ground = (box: Sandbox): Promise<Repo> =>
  box.repository({
    remote: 'bare',
    config: CONFIG,
    agents: [box.agent('worker', { execute: [{ sh: 'echo $OWL_RUN > {job}.txt' }, { commit: 'Write it' }] })],
  });
const cloned = async (repo: Repo, name: string, url: string, ...options: string[]): Promise<Repo> => {
  await repo.git('clone', '--quiet', ...options, url, repo.box.path(name));
  return repo.box.open(repo.box.path(name), repo.bare);
};

t.test('S6: depth 1: the state comes whole, and the base is deepened to the base commit of a shared Job', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  for (let at = 0; at < 3; at += 1) await repo.commit(`before ${at}`);
  await repo.git('push', '-q', 'origin', 'main');
  const id = await repo.add('write it');
  await repo.owl('run', '--claim-remote', id);
  await repo.owl('sync');
  const base = (await show(repo, id)).base.oid;
  for (let at = 0; at < 3; at += 1) await repo.colleague(`after ${at}`, { [`${at}.txt`]: 'x\n' });
  const daemon = await serveDaemon(t, box, repo.bare);
  for (const [name, ...options] of [
    ['single', '--single-branch', '--branch=main'],
    ['every', '--no-single-branch'],
  ] as const) {
    const ci = await cloned(repo, name, daemon.url, '--depth=1', ...options);
    const own = await ci.add(`made in ${name}`);
    t.not((await ci.gitResult('cat-file', '-e', base)).code, 0, 'not there yet');
    t.same((await sync(ci)).tips, [id], name);
    t.equal(await ci.git('rev-list', '--count', STATE), await repo.remoteGit('rev-list', '--count', STATE), 'whole');
    t.equal((await ci.gitResult('merge-base', '--is-ancestor', base, 'refs/remotes/origin/main')).code, 0);
    t.match((await ci.owl('diff', id)).stdout, new RegExp(`${id}\\.txt`));
    t.ok((await ids(ci)).includes(own));
    t.equal((await ci.gitResult('fsck', '--connectivity-only')).code, 0);
  }
  const ci = await cloned(repo, 'ci', daemon.url, '--depth=1', '--single-branch', '--branch=main');
  await ci.owl('sync');
  await ci.owl('retry', id, '-m', 'more');
  t.match((await ci.owl('run', '--claim-remote', id, '--json')).jsonLines()[0].data, { state: 'review', runs: 2 });
  await sync(repo);
  t.match(await show(repo, id), { state: 'review', runs: 2 });
  t.equal(await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`), (await show(repo, id)).tip);
});

t.test('S6: in a partial clone the state is there without the remote', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const made = [await repo.add('one'), await repo.add('two')];
  await sync(repo);
  await repo.remoteGit('config', 'uploadpack.allowFilter', 'true');
  const daemon = await serveDaemon(t, box, repo.bare);
  const ci = await cloned(repo, 'ci', daemon.url, '--filter=blob:none', '--single-branch', '--branch=main');
  await sync(ci);
  await ci.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.same((await ids(ci)).sort(), made.sort());
  const missing = await ci.git('rev-list', '--objects', '--missing=print', STATE);
  t.notMatch(missing, /^\?/m, 'every object of it');
});

t.test('S6: a token that may not push: said, kept, and carried once it may', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  await sync(repo);
  let may = false;
  const http = await serveHttp(t, box, repo.bare, { mayPush: () => may });
  const ci = await cloned(repo, 'ci', http.url);
  const id = await ci.add('kept');
  const mine = await ci.oid(STATE);
  const { error } = (await ci.owlFails(9, 'sync', '--json')).json();
  t.match(error, { code: 'remote', message: /can be read, and refine\/state could not be pushed there: .*403/ });
  t.match(error.preserved, [/the next git owl sync carries it/]);
  t.equal(await ci.oid(STATE), mine);
  t.match((await ci.owlFails(9, 'run', '--claim-remote', id)).stderr, /could not be pushed|cannot be claimed/);
  t.match(await show(ci, id), { state: 'pending', runs: 0 });
  may = true;
  t.match(await sync(ci), { pushed: true });
  await sync(repo);
  t.same(await ids(repo), [id]);
});

t.test('S6: a server that declines, hides, or takes only branches, over ssh and git daemon', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  await repo.git('remote', 'set-url', 'origin', serveSsh(box, repo.bare).url);
  const id = await repo.add('one');
  setHook(repo.bare, 'update', `test "$1" = ${STATE} && { echo 'rule: protected'; exit 1; }\nexit 0`);
  t.match((await repo.owlFails(9, 'sync')).stderr, /declined refine\/state: .*protected/);
  setHook(repo.bare, 'update', 'exit 0');
  await repo.remoteGit('config', 'transfer.hideRefs', 'refs/heads/refine');
  t.match((await repo.owlFails(9, 'sync')).stderr, /declined refine\/state/);
  await repo.remoteGit('config', '--unset', 'transfer.hideRefs');
  t.match(await sync(repo), { pushed: true });

  // Only branches: the state goes, and what needs another ref says so.
  setHook(repo.bare, 'update', 'case "$1" in refs/heads/*) exit 0;; esac\necho "only branches"; exit 1');
  await repo.add('two');
  t.match(await sync(repo), { pushed: true, shared: [], folded: [] });
  t.match((await repo.owlFails(9, 'run', '--claim-remote', id)).stderr, /cannot be claimed.*only branches/);
  t.match(await show(repo, id), { state: 'pending', runs: 0 });

  // Without atomic pushes all of it goes, one after the other.
  setHook(repo.bare, 'update', 'exit 0');
  await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
  const daemon = await serveDaemon(t, box, repo.bare);
  await repo.git('remote', 'set-url', 'origin', daemon.url);
  await repo.owl('run', '--claim-remote', id);
  const other = await cloned(repo, 'other', daemon.url);
  t.same((await sync(other)).tips, [id]);
  t.match(await show(other, id), { state: 'review', tip: (await show(repo, id)).tip });
  await other.owl('accept', id);
  t.same((await sync(other)).folded, [`refs/owl/shared/${id}`]);
  await sync(repo);
  t.match(await show(repo, id), { state: 'done' });
});
