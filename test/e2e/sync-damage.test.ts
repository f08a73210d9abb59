// What is wrong with the state of a remote is loud, touches nothing else, and `git owl fsck` explains it and how it is mended (05, S8, S9).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const TRACKED = 'refs/remotes/origin/refine/state';
const sync = async (repo: Repo) => (await repo.owl('sync', '--json')).json().data;
const titles = async (repo: Repo): Promise<string[]> =>
  (await repo.owl('list', '--all', '--json'))
    .json()
    .data.items.map((item: { title: string }) => item.title)
    .sort();
const findings = async (repo: Repo): Promise<{ where: string; what: string; repair: string }[]> => {
  const document = (await repo.owl('fsck', '--json', { fails: 'any' })).json();
  return (document.data ?? document.value).findings;
};
const recordOf = async (repo: Repo, id: string): Promise<string> =>
  (await repo.records(new RegExp(`${id}/job.json$`)))[0] ?? '';

/** As somebody who may push it can, with no program of ours. */
async function put(repo: Repo, path: string, text: string): Promise<void> {
  const index = { env: { GIT_INDEX_FILE: repo.box.path(`index-${Math.random()}`) } };
  await repo.git('fetch', '-q', 'origin', `+${STATE}:refs/put`);
  await repo.git('read-tree', 'refs/put', index);
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: text });
  await repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`, index);
  const tree = await repo.git('write-tree', index);
  const commit = await repo.git('commit-tree', '-p', 'refs/put', '-m', 'put', tree);
  await repo.git('push', '-q', 'origin', `${commit}:${STATE}`);
  await repo.git('update-ref', '-d', 'refs/put');
}

t.test('S9: a rewritten history is told, also after a fetch of the user, and both are joined again', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  for (const title of ['one', 'two']) await repo.add(title);
  await sync(repo);
  const before = await repo.oid(STATE);
  const other = await repo.clone('other');
  await sync(other);
  await repo.remoteGit('update-ref', STATE, `${before}~1`);
  await other.add('three');
  await sync(other);
  await repo.remoteGit('update-ref', STATE, `${before}~1`);
  await repo.git('fetch', '-q', 'origin');
  t.match(await findings(repo), [
    { where: TRACKED, what: new RegExp(`rewritten: it no longer has ${before}`), repair: /git owl sync/ },
  ]);
  const said = await repo.owl('sync');
  t.match(said.stderr, /the history of refine\/state on origin was rewritten/);
  t.same(await findings(repo), []);
  t.match((await other.owl('sync')).stderr, /was rewritten/);
  await sync(repo);
  for (const clone of [repo, other]) t.same(await titles(clone), ['one', 'three', 'two']);
});

t.test('S9: a record that does not parse is said by every sync, touches no other, and is put back', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const [broken] = [await repo.add('broken'), await repo.add('whole')];
  await sync(repo);
  const other = await repo.clone('other');
  await sync(other);
  const path = await recordOf(repo, broken);
  await put(repo, path, '{ "schema": 1, "kind": "job", ');
  await repo.git('fetch', '-q', 'origin');
  t.match(await findings(repo), [{ where: `${TRACKED}:${path}`, what: 'not JSON', repair: /fsck --repair/ }]);
  t.match((await repo.owl('fsck', { fails: 9 })).stdout, /git owl sync takes it in with the rest/);
  await repo.add('mine');
  const said = await repo.owl('sync');
  t.match(said.stderr, new RegExp(`${path} cannot be read: not JSON; git owl fsck`));
  t.match(await sync(repo), { damaged: [{ path, why: 'not JSON' }], contested: [] });
  t.match(await sync(other), { damaged: [{ path }] });
  for (const clone of [repo, other]) {
    t.same(await titles(clone), ['mine', 'whole'], 'all else works');
    await clone.owlFails(9, 'show', broken);
  }
  await repo.owl('fsck', '--repair');
  t.match(await sync(repo), { damaged: [] });
  t.match(await sync(other), { damaged: [] });
  for (const clone of [repo, other]) {
    t.same(await titles(clone), ['broken', 'mine', 'whole']);
    t.same(await findings(clone), []);
  }
});

t.test('S8: a record of a newer schema stops what goes there, and not reading', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const [newer] = [await repo.add('newer'), await repo.add('known')];
  await sync(repo);
  const path = await recordOf(repo, newer);
  await put(repo, path, JSON.stringify({ ...(await repo.record(path)), schema: 2, writer: '9.0.0' }));
  const there = await repo.remoteGit('rev-parse', STATE);
  await repo.add('mine');
  const { error } = (await repo.owlFails(9, 'sync', '--json')).json();
  t.match(error, {
    code: 'newer-state',
    message: /schema 2, written by git owl 9\.0\.0/,
    preserved: [/next git owl sync/],
  });
  t.equal(await repo.remoteGit('rev-parse', STATE), there);
  t.same(await titles(repo), ['known', 'mine', 'newer'], 'what was known can be read');
  t.match(await findings(repo), [{ where: `${TRACKED}:${path}`, what: /schema 2, written by 9\.0\.0/ }]);
  // A clone that begins with it reads what it knows, and moves nothing on.
  const other = await repo.clone('other');
  t.match((await other.owlFails(9, 'sync', '--json')).json().error, { code: 'newer-state', message: /was not pushed/ });
  t.same(await titles(other), ['known']);
  await other.add('of another');
  t.match((await other.owlFails(9, 'sync')).stderr, /was not pushed/);
  t.equal(await repo.remoteGit('rev-parse', STATE), there);
  t.same(await titles(other), ['known', 'of another']);
});

t.test('S9: state of another repository, and a branch that is none, are refused and explained', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.add('one');
  await sync(repo);
  const mine = await repo.oid(STATE);
  const stranger = await box.repository({ name: 'stranger', remote: 'bare' });
  await stranger.add('of another repository');
  await stranger.git('push', '-q', repo.bare, `+${STATE}:${STATE}`);
  t.match((await repo.owlFails(9, 'sync')).stderr, /belongs to another repository/);
  t.match((await repo.owlFails(9, 'sync')).stderr, /belongs to another repository/, 'each time');
  // That a fork has a state of its own is no damage.
  const fork = await box.repository({ name: 'fork' });
  await fork.add('mine');
  await fork.git('remote', 'add', 'fork', stranger.dir);
  await fork.git('fetch', '-q', 'fork');
  t.match((await fork.owl('fsck', '--json')).json().data.findings, [
    { severity: 'warning', what: /another repository/ },
  ]);
  const id = (await stranger.record('meta.json')).repository;
  const own = (await repo.record('meta.json')).repository;
  const found = await findings(repo);
  t.match(
    found.find(({ what }) => /another repository/.test(what)),
    {
      where: TRACKED,
      what: new RegExp(`\\(${id}; here: ${own}\\)`),
      repair: /nothing of it is taken in.*another remote/,
    },
  );
  t.equal(await repo.oid(STATE), mine);
  await repo.remoteGit('update-ref', STATE, 'refs/heads/main');
  t.match((await repo.owlFails(9, 'sync')).stderr, /git owl did not make it/);
  t.match(
    (await findings(repo)).find(({ what }) => /did not make/.test(what)),
    { where: TRACKED, repair: /another name on origin/ },
  );
  t.equal(await repo.oid(STATE), mine);
  await repo.owl('add', 'the state here works on');
});
