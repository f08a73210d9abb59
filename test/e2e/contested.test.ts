// What two clones decided differently: seen with `show`, settled knowing what stays; a merge is on its target, whichever version counts
// (05, S3, S4; G35).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const sync = async (repo: Repo, ...args: string[]) => (await repo.owl('sync', ...args, '--json')).json().data;

/** A Job in review, known to both clones with its commits. */
const ground = async (box: Sandbox): Promise<readonly [Repo, Repo, string]> => {
  const agent = box.agent('worker', { execute: [{ write: 'a.txt' }, { commit: 'Write a' }] });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: 'plan: false\nchecks: []\n' });
  const other = await repo.clone('other');
  const id = await repo.add('write it');
  await repo.owl('run', id);
  await sync(repo);
  await sync(other);
  return [repo, other, id];
};

/** Merged here, tried again there. */
const contested = async (box: Sandbox): Promise<readonly [Repo, Repo, string, string]> => {
  const [repo, other, id] = await ground(box);
  await repo.owl('merge', id);
  await other.owl('retry', id, '-m', 'write more');
  const merge = await repo.oid('main');
  await sync(other);
  await repo.owlFails(5, 'sync');
  return [repo, other, id, merge];
};

t.test('S3: show of contested work says what each side says, and what settles it', async (t) => {
  const box = await sandbox(t);
  const [repo, other, id, merge] = await contested(box);
  const shown = await repo.owlFails(5, 'show', id);
  const [short, tip] = [merge.slice(0, 10), /\(report ([0-9a-f]{12})\)/.exec(shown.stdout)?.[1]];
  t.ok(tip);
  t.match(shown.stdout, new RegExp(`job ${id} contested`));
  t.match(shown.stdout, new RegExp(`  local [0-9a-f]{10}: state: done; .*merged: into main as ${short}`));
  t.match(shown.stdout, / {2}remote [0-9a-f]{10}: state: pending; .*feedback: write more.*merged: no/);
  t.notMatch(shown.stdout, /[{}"]/, 'in words');
  t.match(shown.stdout, /Runs\n +1 +execute/);
  t.match(
    shown.stderr,
    new RegExp(`git owl sync --take local --record ${id}\\n.*git owl sync --take remote --record ${id}`),
  );
  const document = (await repo.owlFails(5, 'show', id.slice(0, 5), '--json')).json();
  t.match(document, {
    ok: false,
    kind: 'show',
    error: { code: 'contested', next: [`git owl sync --take local --record ${id}`] },
    data: { id, kind: 'job', contested: true, report: tip, sides: [{ says: Array }, { says: Array }] },
  });
  t.equal(document.data.history.length, 1);
  t.match((await repo.owlFails(5, 'log', id)).stderr, new RegExp(`git owl show ${id}`));
  t.match((await repo.owl('status')).stdout, new RegExp(`git owl show ${id}`));
  // A clone that had neither version names them.
  await sync(other).catch(() => null);
  const third = await repo.clone('third');
  await third.owlFails(5, 'sync');
  const { next } = (await third.owlFails(5, 'show', id, '--json')).json().error;
  t.equal(next.length, 2);
  await third.owl(...next[0].split(' ').slice(2));
});

t.test('S3: the version that knows of no merge is not taken without a word about it', async (t) => {
  const box = await sandbox(t);
  const [repo, other, id, merge] = await contested(box);
  const stays = new RegExp(
    `job ${id} was merged into main as ${merge.slice(0, 10)}: that stays there, and the record forgets it; git revert -m 1 ${merge} takes it back`,
  );
  // Before: wherever the versions are shown.
  for (const verb of [['sync', '--dry-run'], ['sync'], ['show', id]])
    t.match((await repo.owlFails(5, ...verb)).stdout, new RegExp(`    with remote: ${stays.source}`), verb.join(' '));
  const { sides } = (await repo.owlFails(5, 'show', id, '--json')).json().data;
  t.same(sides.map((side: { stays?: object }) => side.stays).filter(Boolean), [
    { ref: 'refs/heads/main', merge, recorded: false, undo: `git revert -m 1 ${merge}` },
  ]);
  const before = await repo.refs();
  const dry = await repo.owl('sync', '--take', 'remote', '--record', id, '--dry-run');
  t.match(dry.stdout, /would be settled/);
  t.match(dry.stdout, stays);
  t.same(await repo.refs(), before, 'a dry run writes nothing');
  // After.
  const taken = await repo.owl('sync', '--take', 'remote', '--record', id);
  t.match(taken.stdout, stays);
  t.match(await show(repo, id), { state: 'pending', merged: null });
  t.equal(await repo.oid('main'), merge, 'nothing moved');
  await repo.git('checkout', '-q', 'main');
  await repo.git('revert', '--no-edit', '-m', '1', merge);
  await sync(other);
  t.match(await show(other, id), { state: 'pending' });
});

t.test('S3: the version that knows of the merge is taken without more', async (t) => {
  const box = await sandbox(t);
  const [repo, , id] = await contested(box);
  const taken = await repo.owl('sync', '--take', 'local', '--record', id);
  t.notMatch(taken.stdout, /stays there/);
  t.match(await show(repo, id), { state: 'done', merged: { by: 'owl' } });
});

t.test(
  'S4, G35: cancelled there and merged here: cancel counts, the merge stays recorded, and both are told',
  async (t) => {
    const box = await sandbox(t);
    const [repo, other, id] = await ground(box);
    await repo.owl('merge', id);
    const merge = await repo.oid('main');
    await other.owl('cancel', id);
    await sync(repo);
    const told = new RegExp(
      `job ${id} was merged into main as ${merge.slice(0, 10)}: that stays there; git owl reopen ${id}, then git owl revert ${id} takes it back`,
    );
    t.match((await other.owl('sync')).stderr, told);
    t.match((await repo.owl('sync')).stderr, told);
    for (const clone of [repo, other]) {
      t.match(await show(clone, id), { state: 'cancelled', merged: { by: 'owl', after: merge } });
      t.notMatch((await clone.owl('sync')).stderr, /stays there/, 'once');
    }
    await repo.owl('reopen', id);
    t.match(await show(repo, id), { state: 'done' });
    await repo.owl('revert', id);
    t.equal(await repo.git('ls-tree', '--name-only', 'main', 'a.txt'), '');
  },
);
