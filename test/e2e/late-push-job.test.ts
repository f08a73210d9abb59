// The merge of a Job, or a revert, whose push lands after the next command has looked (G32, J34, G52): it is made once, and the record
// says what came of it.

import { t } from 'tap';
import { addGoal, onRemote, showGoal } from '../fixtures/goals.js';
import { type LateGround, lateGround } from '../fixtures/late-push.js';
import type { Repo } from '../fixtures/repository.js';

t.setTimeout(600_000);

const STATE = 'refs/heads/refine/state';
const CONFIG = `plan: false
execution: { publish: true }
checks: [{ name: test, run: "ls *.txt" }]
quality: { checks: [{ name: style, run: "true" }] }
`;
/** A Job in review. */
async function reviewed({ repo }: LateGround, title: string): Promise<string> {
  const id = await repo.add(title);
  await repo.owl('run', id);
  return id;
}

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const count = async (repo: Repo, ...words: string[]): Promise<number> =>
  Number(await repo.remoteGit('rev-list', '--count', ...words, 'main'));
const merges = (repo: Repo, id: string) => count(repo, '--min-parents=2', `--grep=Owl-Job: ${id}`);

const LATE = { code: 'remote', message: /may still arrive until 2026-03-01T10:10:00Z/ };

t.test(
  'G32, J34: a Job whose merge may still arrive is merged once, and nothing else is decided about it',
  async (t) => {
    const ground = await lateGround(t, CONFIG);
    const { repo, push, at, sent } = ground;

    await t.test('merged again before it lands: the same commit', async (t) => {
      const id = await reviewed(ground, 'same');
      await sent('merge', id);
      const worktree = (await show(repo, id)).worktree;
      for (const words of [
        ['drop', id],
        ['retry', id, '-m', 'x'],
        ['verify', id],
        ['accept', id],
        ['extend', id, '2'],
      ]) {
        const { error } = (await repo.owlFails(9, ...words, '--json')).json();
        t.match(error, { ...LATE, next: [`git owl merge ${id}`] }, words.join(' '));
      }
      t.ok(repo.exists(worktree));
      t.match((await repo.owl('status')).stdout, LATE.message, 'readers say so too');
      t.match((await repo.owl('show', id)).stderr, LATE.message);
      const noted = await repo.git('for-each-ref', '--format=%(refname)', 'refs/owl/local/publish');
      const commit = JSON.parse(await repo.git('cat-file', 'blob', noted)).sent[0].commit;
      await repo.owl('merge', id);
      t.equal(await onRemote(repo), commit);
      await push.letGo();
      t.equal(await onRemote(repo), commit);
      t.match(await show(repo, id), { state: 'done', merged: { after: commit } });
      t.equal(await merges(repo, id), 1);
    });

    await t.test('landed before it is merged again', async (t) => {
      const id = await reviewed(ground, 'landed');
      await sent('merge', id);
      await repo.owlFails(9, 'drop', id);
      await push.letGo();
      t.match((await repo.owl('merge', id)).stdout, /merged already/);
      t.match(await show(repo, id), { state: 'done', merged: { by: 'owl', after: await onRemote(repo) } });
      t.equal(await merges(repo, id), 1);
    });

    await t.test('cancelled, it lands all the same: that is recorded, and it is not queued again', async (t) => {
      const id = await reviewed(ground, 'cancelled');
      await sent('merge', id);
      await repo.owl('cancel', id);
      t.match((await repo.owlFails(9, 'reopen', id, '--json')).json().error, { ...LATE, next: ['git owl run'] });
      await push.letGo();
      await repo.owl('reopen', id);
      t.match(await show(repo, id), { state: 'done', merged: { after: await onRemote(repo) } });
      t.equal(await merges(repo, id), 1);
      await repo.owl('revert', id);
      t.match(await show(repo, id), { state: 'done', reverted: true });
    });

    await t.test('waited for no longer than ten minutes', async (t) => {
      const id = await reviewed(ground, 'dropped');
      await sent('merge', id);
      await repo.owlFails(9, 'drop', id);
      at('2026-03-01T10:10:00Z');
      await repo.owl('drop', id);
      t.match(await show(repo, id), { state: 'cancelled' });
      const main = await repo.colleague('Theirs', { 'theirs.txt': 'x\n' });
      await push.letGo();
      t.equal(await onRemote(repo), main);
      at('2026-03-01T10:00:00Z');
    });
  },
);

t.test('G32, 05.S2: with a shared state beside it the late push is shut out by that', async (t) => {
  const ground = await lateGround(t, CONFIG);
  const { repo, push, sent } = ground;
  const id = await reviewed(ground, 'shared');
  await repo.git('push', '-q', 'origin', STATE);
  const start = await onRemote(repo);
  await sent('merge', id);
  const retried = await repo.owl('retry', id, '-m', 'otherwise');
  t.match(retried.stderr, /cannot arrive any more/);
  await push.letGo();
  t.equal(await onRemote(repo), start);
  t.match(
    await repo.remoteGit('log', '-1', '--format=%B', STATE),
    new RegExp(`Owl-Event: push.fenced\nOwl-Job: ${id}`),
  );
  await repo.owl('sync');
  t.match(await show(repo, id), { state: 'pending' });
  await repo.owl('run', id);
  await repo.owl('merge', id);
  t.match(await show(repo, id), { state: 'done', merged: { after: await onRemote(repo) } });
  t.equal(await merges(repo, id), 1);
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);

  // A revert takes the state along too.
  await sent('revert', id);
  await repo.owlFails(4, 'reopen', id);
  t.match(await show(repo, id), { state: 'done', reverted: false });
  const main = await onRemote(repo);
  await push.letGo();
  t.equal(await onRemote(repo), main);
});

t.test('G32, G52, G51: a revert that may still arrive is made once, and approve waits for it', async (t) => {
  const ground = await lateGround(t, CONFIG);
  const { repo, push, at, sent } = ground;
  const reverts = (merge: string) => count(repo, `--grep=This reverts commit ${merge}`);

  await t.test('of a Goal: landed after approve was refused', async (t) => {
    const id = await addGoal(repo, 'landed');
    await repo.owl('goal', 'advance', id);
    const { merge } = (await showGoal(repo, id)).integration;
    await sent('goal', 'revert', id);
    t.match((await repo.owlFails(9, 'goal', 'approve', id, '--json')).json().error, {
      ...LATE,
      next: [`git owl revert ${id}`],
    });
    await repo.owlFails(9, 'goal', 'decline', id, 'otherwise');
    t.match(await showGoal(repo, id), { status: 'review' });
    await push.letGo();
    await repo.owlFails(4, 'goal', 'approve', id);
    t.match(await showGoal(repo, id), { status: 'failed', reason: { code: 'reverted' } });
    t.equal(await reverts(merge), 1);
  });

  await t.test('of a Goal: reverted again before it lands, the same commit', async (t) => {
    const id = await addGoal(repo, 'same');
    await repo.owl('goal', 'advance', id);
    const { merge } = (await showGoal(repo, id)).integration;
    await sent('goal', 'revert', id);
    await repo.owl('goal', 'revert', id);
    const main = await onRemote(repo);
    await push.letGo();
    t.equal(await onRemote(repo), main);
    t.match(await showGoal(repo, id), { status: 'failed', reason: { code: 'reverted' } });
    t.equal(await reverts(merge), 1);
  });

  await t.test('of a Goal: approved once it is not waited for any longer', async (t) => {
    const id = await addGoal(repo, 'approved');
    await repo.owl('goal', 'advance', id);
    await sent('goal', 'revert', id);
    await repo.owlFails(9, 'goal', 'approve', id);
    at('2026-03-01T10:10:00Z');
    await repo.owl('goal', 'approve', id);
    t.match(await showGoal(repo, id), { status: 'done' });
    await repo.colleague('Theirs', { 'theirs.txt': 'x\n' });
    await push.letGo();
    at('2026-03-01T10:00:00Z');
  });

  await t.test('of a Job', async (t) => {
    const id = await reviewed(ground, 'job');
    await repo.owl('merge', id);
    const { after } = (await show(repo, id)).merged;
    await sent('revert', id);
    t.match((await repo.owlFails(9, 'reopen', id, '--json')).json().error, LATE);
    await repo.owl('revert', id);
    await push.letGo();
    t.match(await show(repo, id), { state: 'done', reverted: true });
    t.equal(await reverts(after), 1);
  });
});
