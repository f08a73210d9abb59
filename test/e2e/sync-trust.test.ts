// What comes by sync is data, not authority (05, S10; 07.56).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const CONFIG = 'plan: false\nchecks:\n  - { name: test, run: "ls *.txt" }\n';
const worker = (box: Sandbox) =>
  box.agent('worker', { execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'Write a' }] });
const ground = async (box: Sandbox, config = CONFIG): Promise<readonly [Repo, Repo]> => {
  const repo = await box.repository({ remote: 'bare', agents: [worker(box)], config });
  await repo.add('mine', '--label', 'mine');
  await repo.owl('sync');
  const other = await repo.clone('other');
  await other.owl('sync');
  return [repo, other];
};

/** Changes files of the state as one who may push it can: with no program of ours. */
async function forge(repo: Repo, files: Readonly<Record<string, string>>): Promise<void> {
  const index = { env: { GIT_INDEX_FILE: repo.box.path(`index-${Math.random()}`) } };
  await repo.git('fetch', '-q', 'origin', `+${STATE}:refs/forged`);
  await repo.git('read-tree', 'refs/forged', index);
  for (const [path, text] of Object.entries(files)) {
    const blob = await repo.git('hash-object', '-w', '--stdin', { input: text });
    await repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`, index);
  }
  const commit = await repo.git(
    'commit-tree',
    '-p',
    'refs/forged',
    '-m',
    'forged',
    await repo.git('write-tree', index),
  );
  await repo.git('push', '-q', 'origin', `${commit}:${STATE}`);
}

const canonical = (value: unknown): string => {
  const sorted = (one: unknown): unknown =>
    Array.isArray(one)
      ? one.map(sorted)
      : typeof one === 'object' && one !== null
        ? Object.fromEntries(
            Object.entries(one)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, item]) => [key, sorted(item)]),
          )
        : one;
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
};

t.test('S10: a Job made elsewhere runs here only by name, or where the user says so', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const [mine = ''] = (await repo.owl('list', '--json')).json().data.items.map((item: { id: string }) => item.id);
  const theirs = await other.add('theirs');
  await other.owl('reorder', theirs, '--first');
  await other.owl('sync');
  await repo.owl('sync');
  t.match((await repo.owl('run', '--all', '--dry-run', '--json')).json().data, {
    items: [{ id: mine }],
    waiting: [{ job: theirs, why: /came from another clone/ }],
  });
  t.match((await repo.owl('run', '--json')).jsonLines()[0].data, { id: mine }, 'its own');
  t.match((await repo.owl('run')).stdout, new RegExp(`${theirs} waits: it came from another clone`));
  t.match((await repo.owl('run', theirs, '--json')).jsonLines()[0].data, { id: theirs, state: 'review' }, 'by name');

  // What was made here and told otherwise there is not this clone's own any more, until somebody decides about it here.
  const told = await repo.add('write a');
  await repo.owl('sync');
  await other.owl('sync');
  await other.owl('edit', told, '--prompt', 'write something else');
  await other.owl('sync');
  await repo.owl('sync');
  t.match((await repo.owl('run', '--json')).json().data, { items: [], waiting: [{ job: told }] });
  await repo.owl('cancel', told);
  await repo.owl('reopen', told);
  t.match((await repo.owl('run', '--json')).jsonLines()[0].data, { id: told });

  const last = await other.add('the last');
  await other.owl('sync');
  await repo.owl('sync');
  t.match((await repo.owl('run', '--json')).json().data, { items: [], waiting: [{ job: last }] });
  box.userConfig('version: 1\nsync: { run: true }\n');
  t.match((await repo.owl('run', '--json')).jsonLines()[0].data, { id: last, state: 'review' });
});

t.test(
  '07.56: auto_merge, a forged proof, a branch that is the base, an index with false rows, an intent, a lease until 9999',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other] = await ground(box);
    const before = await repo.oid('main');
    const merging = await other.add('write a', '--auto-merge');
    const wrong = await other.add('wrong');
    const honest = await other.add('honest');
    const kept = await other.add('kept');
    await other.owl('sync');
    await repo.owl('sync');
    const ran = (await repo.owl('run', merging, '--json')).jsonLines()[0].data;
    t.match(
      ran,
      { id: merging, state: 'review', unit: { merged: false } },
      'the stricter of the record and the base counts',
    );
    t.equal(await repo.oid('main'), before);

    // A Job in review with a proof that nobody made; a record whose branch is the base; an index that says what no record says.
    await repo.owl('run', honest);
    await repo.owl('sync');
    await other.owl('sync');
    const at = async (id: string): Promise<string> => (await repo.records(new RegExp(`${id}/job.json$`)))[0] ?? '';
    const record = await repo.record(await at(honest));
    const forged = {
      ...record,
      revision: record.revision + 1,
      verification: { ...record.verification, checks: [{ ...record.verification.checks[0], run: 'true' }] },
    };
    const own = await repo.record(await at(wrong));
    const stolen = { ...own, base: { name: `${own.prefix}${own.id}/${own.slug}`, remote: null } };
    const [shard = ''] = /[0-9a-f]{2}(?=\/[^/]+\/job.json)/.exec(await at(kept)) ?? [];
    const index = await repo.git('cat-file', '-p', `${STATE}:index/open/${shard}`);
    const intent = canonical({ op: 'x', moves: [{ ref: 'refs/heads/main', old: before, new: before, why: 'x' }] });
    await forge(repo, {
      [await at(honest)]: canonical(forged),
      [await at(wrong)]: canonical(stolen),
      [`index/open/${shard}`]: `${index.replace('"title":"kept"', '"title":"gone"')}\n`,
      'local/intents/x': intent,
    });
    const lease = canonical({
      schema: 1,
      kind: 'lease',
      target: 'main',
      token: 1,
      holder: 'x',
      unit: null,
      length: 9e14,
      beat: 0,
    });
    const blob = await other.git('hash-object', '-w', '--stdin', { input: lease });
    const name = (await repo.owl('lease', '--json')).json().data.items;
    t.same(name, [], 'no lease yet');
    await other.git('push', '-q', 'origin', `${blob}:refs/owl/leases/main-0123456789`);
    await repo.owl('sync');
    t.equal(
      (await repo.owl('show', kept, '--json')).json().data.title,
      'kept',
      'an index from elsewhere is not believed',
    );
    t.match(
      (await repo.owl('list', '--json')).json().data.items.map((item: { title: string }) => item.title),
      /kept/,
    );
    t.match((await repo.owl('fsck', { fails: 9 })).stdout, new RegExp(`${wrong}`), 'damaged, and alone');
    await repo.owlFails(9, 'run', wrong);
    t.equal(await repo.oid('main'), before, 'no target moved');
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/intents'), '');
    const merged = await repo.owl('merge', honest);
    t.match(merged.stderr, /verifying again/, 'a proof from elsewhere is made again');
    t.equal(await repo.oid('main^1'), before);
  },
);
