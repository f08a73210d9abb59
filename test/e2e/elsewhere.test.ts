// Two clones that share a queue, as people meet them first: work whose commits are in the other one, and what helps there (05, S1, S10; J8).

import { t } from 'tap';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks:\n  - { name: test, run: "ls run-*" }\n';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;
const shared = (id: string): string => `refs/owl/shared/${id}`;
/** The remote takes the state, and no shared tips. */
const decline = (repo: Repo): void =>
  setHook(repo.bare, 'update', 'case "$1" in refs/owl/shared/*) echo no; exit 1;; esac\nexit 0');
const accept = (repo: Repo): void => setHook(repo.bare, 'update', 'exit 0');

/** Each Run adds a file of its own. */
const ground = async (box: Sandbox, config = CONFIG): Promise<readonly [Repo, Repo]> => {
  const agent = box.agent('worker', {
    execute: [{ sh: 'echo "$OWL_RUN" > "run-$OWL_RUN.txt"' }, { commit: 'Write run {number}' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config });
  return [repo, await repo.clone('other')];
};

t.test(
  'S1, J14: sync publishes the tips of open work that this clone has, and the other clone goes on with it',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other] = await ground(box);
    const id = await repo.add('write it');
    await repo.owl('run', id);
    const { tip } = await show(repo, id);
    await repo.owl('sync', '--dry-run').then(({ stdout }) => t.match(stdout, /would send 1 ref of open work/));
    t.equal(await repo.oid(shared(id)), '', 'a dry run writes nothing');
    t.same((await sync(repo)).shared, [shared(id)]);
    t.equal(await repo.remoteGit('rev-parse', shared(id)), tip);
    t.same((await sync(repo)).shared, [], 'once');
    t.same((await sync(other)).tips, [id]);
    t.match(await show(other, id), { state: 'review', verified: 'current', tip });
    t.match((await other.owl('review', id)).stdout, /Write run 1/);
    // Its checks passed elsewhere: they run again before anything is merged, and that is said.
    t.match((await other.owl('merge', id, '--dry-run')).stdout, /after another verification/);
    const merged = await other.owl('merge', id);
    t.match(merged.stderr, /passed in another clone.*sync: \{ trust: true \}.*config\.yaml/);
    t.notMatch(merged.stderr, /its tip is not verified/);
  },
);

t.test('J15: a tip that carries a copied file is not published, also after retry', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { execute: [{ sh: 'cp .env leaked; git add -f leaked' }, { commit: 'Leak' }] });
  const config = 'plan: false\nchecks: []\ncopy: [.env]\n';
  const repo = await box.repository({ remote: 'bare', agents: [agent], config, files: { '.gitignore': '.env\n' } });
  repo.write('.env', 'SECRET=1\n');
  const id = await repo.add('write it');
  await repo.owlFails(4, 'run', id);
  t.match(await show(repo, id), { state: 'blocked', reason: { code: 'copied-file' } });
  t.same((await sync(repo)).shared, []);
  await repo.owl('retry', id, '-m', 'without it');
  t.same((await sync(repo)).shared, []);
  t.equal(await repo.remoteGit('for-each-ref', 'refs/owl'), '');
});

t.test(
  'J8: a Job whose commits are in another clone is refused before anything is spent, and others run',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other] = await ground(box);
    decline(repo);
    const id = await repo.add('write it');
    await repo.owl('run', id);
    await repo.owl('retry', id, '-m', 'more');
    const { tip } = await show(repo, id);
    await repo.owl('sync');
    await other.owl('sync');
    const before = [await show(other, id), await other.refs()];
    const refused = (await other.owlFails(3, 'run', id, '--json')).json().error;
    t.match(refused, { code: 'missing-commit', next: ['git owl sync'] });
    t.match(refused.message, new RegExp(`in another clone \\(${tip}\\); git owl sync there publishes them`));
    t.match(refused.preserved, ['nothing was changed']);
    t.match((await other.owlFails(3, 'run', id, '--dry-run')).stderr, /in another clone/);
    t.match((await other.owlFails(3, 'run', '--claim-remote', id)).stderr, /in another clone/);
    t.same([await show(other, id), await other.refs()], before, 'nothing changed, no Run was spent');
    t.equal(await repo.remoteGit('for-each-ref', 'refs/owl/claims'), '', 'and nothing was claimed');

    // Without a name it is passed over, and the next one runs.
    box.userConfig('version: 1\nsync: { run: true }\n');
    const passed = await other.owl('run');
    t.match(passed.stdout, new RegExp(`nothing to run\\n.*${id} waits: .*in another clone`));
    t.match(passed.stderr, /next: git owl sync/);
    t.match((await other.owl('run', '--dry-run')).stdout, new RegExp(`${id} waits: .*in another clone`));
    t.match((await other.owl('status')).stdout, new RegExp(`${id} .*in another clone[^]*next: git owl sync`));
    const mine = await other.add('mine');
    t.match((await other.owl('run', '--all', '--json')).jsonLines()[0].data, { id: mine, state: 'review' });
    t.match(await show(other, id), { state: 'pending', runs: 1 });

    // Published by sync there and brought by sync here, it runs.
    accept(repo);
    t.same((await sync(repo)).shared, [shared(id)]);
    t.same((await sync(other)).tips, [id]);
    t.match((await other.owl('run', id, '--json')).jsonLines()[0].data, { id, state: 'review', runs: 2 });
  },
);

t.test('S7: a claim fetches the tip first, and what may not be claimed leaves no claim behind', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const id = await repo.add('write it');
  await repo.owl('run', id);
  await repo.owl('sync');
  await other.owl('sync');
  const refused = (await other.owlFails(4, 'run', '--claim-remote', id, '--json')).json().error;
  t.match(refused, { code: 'wrong-state', message: /is review/ });
  t.equal(await repo.remoteGit('for-each-ref', 'refs/owl/claims'), '');
  // It went on, and this clone learns of it by the claim alone.
  await repo.owl('retry', id, '-m', 'more');
  await repo.owl('run', id, '--step');
  await repo.owl('retry', id, '-m', 'and more');
  const { tip } = await show(repo, id);
  await repo.owl('sync');
  t.match((await other.owl('run', '--claim-remote', id, '--json')).jsonLines()[0].data, { state: 'review', runs: 3 });
  await other.git('merge-base', '--is-ancestor', tip, (await show(other, id)).tip);
});

t.test('J28, 06: status, show and list say where the work is that was verified in another clone', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  decline(repo);
  const id = await repo.add('write it');
  await repo.owl('run', id);
  t.match((await repo.owl('sync')).stderr, /not all refs of open work went to origin/);
  await other.owl('sync');
  t.match(await show(other, id), { verified: 'current', elsewhere: true, next: ['git owl sync'] });
  t.notOk('elsewhere' in (await show(repo, id)));
  const shown = (await other.owl('show', id)).stdout;
  t.match(shown, /verified +in another clone; its commits are not here/);
  t.match(shown, /branch .*\(in another clone\)/);
  t.notMatch(shown, /moved since/);
  const status = (await other.owl('status')).stdout;
  t.match(status, new RegExp(`${id} .*verified in another clone, its commits are not here`));
  t.match(status, /next: git owl sync/);
  t.match((await other.owl('list')).stdout, new RegExp(`${id}.*its commits are in another clone`));
  t.match((await other.owl('list', '--format', '%(id) %(elsewhere)')).stdout, `${id} true`);
  // As a list of many is described, too.
  for (const n of [1, 2, 3, 4]) await other.add(`more ${n}`);
  const items = (await other.owl('list', '--json')).json().data.items;
  t.match(
    items.find((item: { id: string }) => item.id === id),
    { verified: 'current', elsewhere: true },
  );
  // A base that moved since is said as well.
  await repo.colleague('the base moves', { 'other.txt': 'x\n' });
  await other.git('fetch', '-q');
  t.match((await other.owl('show', id)).stdout, /in another clone, and the base moved since; its commits are not here/);
});

t.test('S1, S10: a plain clone of a repository with a queue says so, and names git owl sync', async (t) => {
  const box = await sandbox(t);
  const [repo] = await ground(box);
  await repo.add('write it');
  await repo.owl('sync');
  const fresh = await repo.clone('fresh');
  const remote = fresh.bare;
  await fresh.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  for (const verb of [['list'], ['run'], ['run', '--dry-run']])
    t.match((await fresh.owl(...verb)).stderr, /origin has a queue that is not here: git owl sync/, verb.join(' '));
  const status = (await fresh.owl('status')).stdout;
  t.match(status, /origin has a queue that is not here: git owl sync/);
  t.match(status, /next: git owl sync/);
  t.match((await fresh.owl('status', '--json')).json().data.notes, [/origin has a queue/]);
  t.equal(await fresh.oid('refs/heads/refine/state'), '', 'reading writes nothing');
  t.match((await fresh.owl('add', 'mine')).stderr, /origin has a queue that is not here: git owl sync/);
  t.match((await fresh.owl('list')).stderr, /origin has a queue that is not here/, 'until it was brought');
  await fresh.git('remote', 'set-url', 'origin', remote);
  await fresh.owl('sync');
  for (const verb of ['list', 'run', 'status']) {
    const { stdout, stderr } = await fresh.owl(verb);
    t.notMatch(stdout + stderr, /has a queue/, verb);
  }
  // Who has no queue anywhere, or pushed the own one by hand, is told nothing.
  const none = await box.repository({ name: 'none', remote: 'bare' });
  t.equal((await none.owl('list')).stderr, '');
  await none.add('mine');
  await none.git('push', '-q', 'origin', 'refine/state');
  t.equal((await none.owl('list')).stderr, '');
});

t.test('S10: sync, then run, on a second laptop: why nothing runs, and what to type', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const id = await repo.add('write it');
  await repo.owl('sync');
  await other.owl('sync');
  const ran = await other.owl('run');
  t.match(
    ran.stdout,
    new RegExp(`nothing to run\\n.*${id} waits: it came from another clone, and runs here only by name`),
  );
  t.match(ran.stderr, new RegExp(`next: git owl run ${id}`));
  t.match(ran.stderr, /sync: \{ run: true \}.*~\/\.config\/coding-owl\/config\.yaml/);
  t.match((await other.owl('run', '--dry-run')).stderr, new RegExp(`next: git owl run ${id}`));
  t.match((await other.owl('status')).stdout, new RegExp(`only by name[^]*next: git owl run ${id}`));
  t.match((await other.owl('run', id, '--json')).jsonLines()[0].data, { id, state: 'review' });
});
