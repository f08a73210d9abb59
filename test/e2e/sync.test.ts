// `git owl sync`: clones and a remote come to one state, and lose nothing on the way (05; 07.51, 07.52).

import { t } from 'tap';
import { serveDaemon, serveHttp, setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;
const ids = async (repo: Repo): Promise<string[]> =>
  (await repo.owl('list', '--all', '--json'))
    .json()
    .data.items.map((item: { id: string }) => item.id)
    .sort();
const tree = (repo: Repo): Promise<string> => repo.oid(`${STATE}^{tree}`);
const shown = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const fresh = async (repo: Repo, name: string): Promise<Repo> => {
  const other = await repo.clone(name);
  await sync(other);
  return other;
};

t.test('S1, S2: equal, behind, ahead, diverged; the user sees nothing of it', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  t.match(await sync(repo), { remote: 'origin', taken: 'nothing', pushed: false, tip: null }, 'nothing to share yet');
  const one = await repo.add('one');
  const before = await repo.untouched();
  t.match(await sync(repo), { taken: 'nothing', pushed: true });
  t.match((await repo.owl('sync')).stdout, /the state here and on origin is the same/);
  const other = await repo.clone('other');
  t.match(await sync(other, '--dry-run'), { taken: 'created', pushed: false });
  t.equal(await other.oid(STATE), '', 'a dry run writes nothing');
  t.equal(await other.oid('refs/remotes/origin/refine/state'), await repo.oid(STATE), 'as the clone brought it');
  t.match(await sync(other), { taken: 'created', pushed: false });
  t.same(await ids(other), [one]);
  const two = await other.add('two');
  t.match(await sync(other, '--dry-run'), { taken: 'nothing', pushed: true });
  t.not(await repo.remoteGit('rev-parse', STATE), await other.oid(STATE));
  t.match(await sync(other), { taken: 'nothing', pushed: true });
  t.match(await sync(repo, '--dry-run'), { taken: 'unknown' });
  const three = await repo.add('three');
  t.match(await sync(repo), { taken: 'merged', pushed: true, contested: [] });
  t.match(await sync(other), { taken: 'forwarded', pushed: false });
  t.same(await ids(repo), [one, two, three].sort());
  t.equal(await other.oid(STATE), await repo.oid(STATE));
  box.same(t, before, await repo.untouched([STATE, 'refs/remotes/origin/refine/state']));
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test('07.52: two clones each make the first state; state of another repository is refused (S9)', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const other = await repo.clone('other');
  const [one, two] = [await repo.add('one'), await other.add('two')];
  await sync(repo);
  t.match(await sync(other), { taken: 'merged', pushed: true, contested: [] });
  await sync(repo);
  t.same(await ids(repo), [one, two].sort());
  t.equal(await tree(other), await tree(repo));
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);

  const stranger = await box.repository({ name: 'stranger', remote: 'bare' });
  await stranger.add('of another repository');
  await stranger.git('push', '-q', repo.bare, `+${STATE}:${STATE}`);
  await repo.add('three');
  const mine = await repo.oid(STATE);
  const refused = await repo.owlFails(9, 'sync');
  t.match(refused.stderr, /belongs to another repository/);
  t.equal(await repo.oid(STATE), mine);
  t.equal(await repo.remoteGit('rev-parse', STATE), await stranger.oid(STATE));
});

t.test(
  'S3, 07.51: contested in all clones alike, refused until one says what counts; nothing else is held up',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    const id = await repo.add('contested');
    await sync(repo);
    const other = await fresh(repo, 'other');
    await repo.owl('edit', id, '--prompt', 'do this');
    await other.owl('edit', id, '--prompt', 'do that');
    const [here, there] = [await repo.add('here'), await other.add('there')];
    await sync(repo);
    const contested = await other.owlFails(5, 'sync', '--json');
    const { kind, value } = contested.json();
    t.equal(kind ?? 'sync', 'sync');
    t.match(contested.json().error, { code: 'contested', next: [`git owl sync --take local --record ${id}`] });
    t.match((value ?? contested.json().data).contested, [
      { id, kind: 'job', sides: [{ side: String }, { side: String }] },
    ]);
    const report = (value ?? contested.json().data).contested[0].report;
    t.equal((await repo.owlFails(5, 'sync', '--json')).json().error.code, 'contested');
    t.equal(await tree(repo), await tree(other), 'all clones have the same tree');
    t.same(await ids(repo), [here, there].sort(), 'all else is there');
    t.match((await repo.owlFails(5, 'sync', '--dry-run')).stdout, new RegExp(report), 'the same report every time');
    const refused = await repo.owlFails(5, 'cancel', id);
    t.match(refused.stderr, /two clones decided differently/);
    t.match((await repo.owl('list')).stderr, new RegExp(id));
    t.match((await repo.owlFails(9, 'fsck')).stdout, /both versions are kept/);
    await repo.owlFails(9, 'fsck', '--repair');
    t.match((await repo.owlFails(5, 'sync')).stdout, /(?:local|remote) [0-9a-f]{10}: state: pending; title: do th/);

    const third = await repo.clone('third');
    await third.owlFails(5, 'sync');
    t.match((await third.owlFails(4, 'sync', '--take', 'local')).stderr, /is not known here; name it/);
    await repo.owlFails(4, 'sync', '--take', 'local', '--record', here);
    const settled = await sync(repo, '--take', 'local', '--record', id, '--request-id', 'once');
    t.match(settled, { settled: [{ id }], contested: [], pushed: true });
    t.match(await shown(repo, id), { state: 'pending', title: 'do this' });
    const [prompt = ''] = await repo.records(new RegExp(`${id}/prompt$`));
    t.equal(await repo.git('cat-file', '-p', `${STATE}:${prompt}`), 'do this');
    for (const clone of [other, third]) {
      await sync(clone);
      t.match(await shown(clone, id), { title: 'do this' });
      t.equal(await clone.oid(STATE), await repo.oid(STATE));
    }
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/contested'), '');
    t.match(await repo.git('log', '--format=%s', STATE), new RegExp(`${id}: version [0-9a-f]+ counts`));
  },
);

t.test('S4, 07.51: cancel here and a settled Run there; far-apart fields', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', { execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'Write a' }] })];
  const repo = await box.repository({ remote: 'bare', agents, config: 'plan: false\nchecks: []\n' });
  const [id, edited] = [await repo.add('one'), await repo.add('two')];
  await sync(repo);
  const other = await fresh(repo, 'other');
  await repo.owl('run', id);
  await other.owl('cancel', id);
  await repo.owl('edit', edited, '--label', 'mine');
  await other.owl('extend', edited, '3');
  await sync(repo);
  await sync(other);
  await sync(repo);
  t.match(await shown(repo, id), { state: 'cancelled', runs: 1 });
  const [run = ''] = await other.records(new RegExp(`${id}/runs/`));
  t.match(await other.record(run), { number: 1, outcome: 'succeeded' }, 'its Run is known');
  t.match(await shown(other, edited), { labels: ['mine'], ttl: 13 });
});

t.test(
  'S5: pushes that lose the race are made again; a kill at any step is made up for by the next sync',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    await repo.add('first');
    await sync(repo);
    const other = await fresh(repo, 'other');
    for (const point of [
      'fetch.after-ref',
      'sync.after-fetch',
      'sync.before-state',
      'sync.after-state',
      'sync.before-push',
      'push.after-send',
      'sync.after-push',
    ]) {
      await other.add(`there before ${point}`);
      await sync(other);
      await repo.add(`here before ${point}`);
      const killed = await repo.owl('sync', { fails: 'any', env: { OWL_FAIL_AT: point } });
      t.not(killed.code, 0, point);
      t.match(await sync(repo), { contested: [] });
      await sync(other);
      t.equal(await other.oid(STATE), await repo.oid(STATE), `${point}: all clones agree`);
      t.same(await ids(other), await ids(repo));
    }
    t.equal((await ids(repo)).length, 15, 'nothing is lost');
    // Between the fetch and the push of one clone another one pushes, once.
    const racer = await fresh(repo, 'racer');
    await racer.add('faster');
    setHook(
      repo.bare,
      'pre-receive',
      `test -e '${box.path('raced')}' && exit 0
touch '${box.path('raced')}'
unset GIT_QUARANTINE_PATH GIT_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git -C '${racer.dir}' push -q origin ${STATE}:${STATE}`,
    );
    await repo.add('slower');
    t.match(await sync(repo), { pushed: true });
    await sync(racer);
    t.equal((await ids(racer)).length, 17);
  },
);

t.test('S6: declined, hidden, unreachable, no remote: a clear error, and nothing is lost', async (t) => {
  const box = await sandbox(t);
  const alone = await box.repository({ name: 'alone' });
  await alone.add('kept');
  t.match((await alone.owlFails(9, 'sync', '--json')).json().error, { code: 'missing-remote' });
  const repo = await box.repository({ remote: 'bare' });
  const id = await repo.add('kept');
  const mine = await repo.oid(STATE);
  setHook(repo.bare, 'update', `test "$1" = ${STATE} && { echo 'rule: protected'; exit 1; }\nexit 0`);
  const declined = (await repo.owlFails(9, 'sync', '--json')).json().error;
  t.match(declined, {
    code: 'remote',
    message: /declined refine\/state: .*protected/,
    preserved: [/next git owl sync/],
  });
  t.equal(await repo.oid(STATE), mine);
  setHook(repo.bare, 'update', 'exit 0');
  await repo.remoteGit('config', 'receive.hideRefs', 'refs/heads/refine');
  t.match((await repo.owlFails(9, 'sync')).stderr, /declined refine\/state/);
  await repo.remoteGit('config', '--unset', 'receive.hideRefs');
  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.match((await repo.owlFails(9, 'sync')).stderr, /could not be reached/);
  await repo.git('remote', 'set-url', 'origin', repo.bare);
  t.match(await sync(repo), { pushed: true }, 'the next sync carries it');
  t.same(await ids(await fresh(repo, 'other')), [id]);
  await repo.owlFails(2, 'sync', '--record', id);
  await repo.owlFails(2, 'sync', '--take', 'both');
  await repo.owlFails(9, 'sync', '--remote', 'upstream');
});

t.test('S6, 07.52: git daemon, smart HTTP with a password; shallow single-branch and partial clones', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  for (const text of ['one', 'two']) await repo.add(text);
  await sync(repo);
  await repo.remoteGit('config', 'uploadpack.allowFilter', 'true');
  const daemon = await serveDaemon(t, box, repo.bare);
  const http = await serveHttp(t, box, repo.bare, { credentials: { user: 'ada', password: 'secret' } });
  const secret = http.url.replace('http://', 'http://ada:secret@');
  const clones: Repo[] = [repo];
  for (const [name, url, ...options] of [
    ['daemon', daemon.url],
    ['http', secret],
    ['shallow', daemon.url, '--depth=1', '--single-branch', '--branch=main'],
    ['partial', daemon.url, '--filter=blob:none'],
    ['treeless', daemon.url, '--filter=tree:0', '--single-branch'],
  ] as const) {
    await repo.git('clone', '--quiet', ...options, url, box.path(name));
    const clone = box.open(box.path(name));
    t.match(await sync(clone), { taken: 'created' }, name);
    t.equal((await ids(clone)).length, clones.length + 1, `${name}: all of it`);
    if (name !== 'http') await clone.git('remote', 'set-url', 'origin', repo.bare);
    await clone.add(`from ${name}`);
    t.match(await sync(clone), { pushed: true }, name);
    await sync(repo);
    clones.push(clone);
  }
  for (const clone of clones) await sync(clone);
  t.equal(new Set(await Promise.all(clones.map((clone) => clone.oid(STATE)))).size, 1);
  const refused = http.url.replace('http://', 'http://ada:wrong@');
  await repo.git('remote', 'set-url', 'origin', refused);
  await repo.owlFails(9, 'sync');
});

t.test(
  'S8, S9: a newer schema stops the sync and not reading; a rewritten history is said, and nothing of it is lost',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    const id = await repo.add('one');
    await sync(repo);
    const other = await fresh(repo, 'other');
    const two = await other.add('two');
    await sync(other);
    // The remote goes back: a forced push by somebody.
    await sync(repo);
    await repo.remoteGit('update-ref', STATE, `${await repo.oid(STATE)}~1`);
    const three = await repo.add('three');
    const said = await repo.owl('sync');
    t.match(said.stderr, /the history of refine\/state on origin was rewritten/);
    await sync(other);
    t.same(await ids(other), [id, two, three].sort(), 'all of it is there again');

    const meta = JSON.parse(await repo.git('cat-file', '-p', `${STATE}:meta.json`));
    const blob = await repo.git('hash-object', '-w', '--stdin', {
      input: JSON.stringify({ ...meta, schema: 2, writer: '9.0.0' }),
    });
    const index = { env: { GIT_INDEX_FILE: box.path('index') } };
    await repo.git('read-tree', STATE, index);
    await repo.git('update-index', '--cacheinfo', `100644,${blob},meta.json`, index);
    const newer = await repo.git('commit-tree', '-p', STATE, '-m', 'newer', await repo.git('write-tree', index));
    await repo.git('push', '-q', 'origin', `${newer}:${STATE}`);
    const mine = await other.add('four');
    const stopped = (await other.owlFails(9, 'sync', '--json')).json().error;
    t.match(stopped, { code: 'newer-state', message: /schema 2, written by git owl 9.0.0/ });
    t.same(await ids(other), [id, two, three, mine].sort(), 'reading goes on, and what is here is whole');
  },
);

t.test(
  'S1: sync.auto: commands that change state sync before and after, and a remote that is gone stops none',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', config: 'sync: { auto: true }\n' });
    const one = await repo.add('one');
    await sync(repo);
    const other = await fresh(repo, 'other');
    const two = await other.add('two');
    t.equal(await repo.remoteGit('rev-parse', STATE), await other.oid(STATE), 'pushed after it');
    await repo.owl('cancel', two);
    t.match(await shown(repo, two), { state: 'cancelled' }, 'taken in before it');
    t.equal(await repo.remoteGit('rev-parse', STATE), await repo.oid(STATE));
    const before = await repo.oid(STATE);
    await repo.owl('list');
    t.equal(await repo.oid(STATE), before);
    await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
    t.match((await repo.owl('extend', one, '2')).stderr, /not synced/);
  },
);
