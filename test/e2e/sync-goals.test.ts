// Goals that two clones spoke of at once, without knowing of each other: what comes of it once they sync (05, S2 to S4; G32, G35).

import { t } from 'tap';
import { APART, addGoal, GATED, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const merges = async (repo: Repo, id: string) =>
  (await repo.remoteGit('log', '--merges', '--format=%H', `--grep=^Owl-Goal: ${id}`, 'main'))
    .split('\n')
    .filter(Boolean);

/** Two clones with the same state. */
async function ground(box: Sandbox): Promise<readonly [Repo, Repo]> {
  const config = `plan: false\n${GATED}`;
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', APART)], config });
  return [repo, await repo.clone('other')];
}

/** Each takes in what the other has; what is contested stays so. */
async function meet(one: Repo, other: Repo): Promise<void> {
  for (const clone of [one, other, one]) await clone.owl('sync', { fails: 'any' });
}

t.test('S3: a Goal and the Jobs of its Rounds are contested, and settled, together', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const begin = async (title: string) => {
    const id = await addGoal(repo, title);
    for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
    const { job } = (await showGoal(repo, id)).history[0];
    await repo.owl('goal', 'move', id, 'backlog', '--force');
    await meet(repo, other);
    await repo.owl('goal', 'delete', id);
    await other.owl('goal', 'edit', id, '--title', `${title}, and more`);
    await meet(repo, other);
    const { data } = (await repo.owl('sync', '--json', { fails: 5 })).json();
    t.same(data.contested.map((one: { id: string }) => one.id).sort(), [id, job].sort(), `${title}: both are reported`);
    return { id, job };
  };
  const agree = async (what: string) => {
    await meet(repo, other);
    t.equal(await repo.oid(STATE), await other.oid(STATE), `${what}: the clones agree`);
    for (const clone of [repo, other])
      t.same((await clone.owl('fsck', '--json')).json().data.findings, [], `${what}: sound`);
  };

  const kept = await begin('kept');
  await repo.owl('sync', '--take', 'remote', '--record', kept.id);
  t.match(await showGoal(repo, kept.id), { status: 'backlog', title: 'kept, and more', history: [{ job: kept.job }] });
  t.match((await repo.owl('show', kept.job, '--json')).json().data, { runs: 1 }, 'with what it did');
  await agree('kept');

  const gone = await begin('gone');
  await other.owl('sync', '--take', 'remote', '--record', gone.job);
  await agree('gone');
  for (const id of [gone.id, gone.job]) await repo.owlFails(3, 'show', id);
});

t.test('G32, G35: merged in one clone while a person spoke of it in the other: it is merged once', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const titles = ['edited', 'cancelled', 'moved'] as const;
  const ids = new Map<string, string>();
  for (const title of titles) ids.set(title, await addGoal(repo, title));
  const [edited, cancelled, moved] = titles.map((title) => ids.get(title) ?? '') as [string, string, string];
  await meet(repo, other);
  await repo.owl('run', edited, cancelled, moved);
  await other.owl('goal', 'edit', edited, '--owner', 'bob');
  await other.owl('cancel', cancelled);
  await other.owl('goal', 'move', moved, 'backlog');
  await other.owlFails(5, 'sync');
  await repo.owlFails(5, 'sync');

  t.match(await showGoal(other, edited), { status: 'review', owner: 'bob' });
  t.match(await showGoal(other, cancelled), { status: 'cancelled', integration: { status: 'done' } });
  await other.git('pull', '-q');
  await other.owl('reopen', cancelled);
  t.match(await showGoal(other, cancelled), { status: 'review' }, 'it would be merged a second time');

  const { data, error } = (await other.owl('sync', '--json', { fails: 5 })).json();
  t.same(
    data.contested.map((one: { id: string }) => one.id),
    [moved],
  );
  t.match(error.next, [`git owl sync --take local --record ${moved}`]);
  await other.owl('sync', '--take', 'local', '--record', moved);
  t.match(await showGoal(other, moved), { status: 'backlog' });
  await other.owl('goal', 'move', moved, 'todo', { fails: 'any' });
  await other.owl('run', moved, { fails: 'any' });
  t.equal((await merges(repo, moved)).length, 1, 'also where a person put it back');
  await other.owl('goal', 'round', moved, 'once more');
  await other.owl('run', moved);
  t.match(await showGoal(other, moved), { status: 'review' });
  t.equal((await merges(repo, moved)).length, 2, 'a new Round is merged');
  await meet(repo, other);
  t.equal(await repo.oid(STATE), await other.oid(STATE));
});

t.test('S3: what is offered settles it also in a clone that took no part', async (t) => {
  const box = await sandbox(t);
  const [repo, other] = await ground(box);
  const third = await repo.clone('third');
  const id = await addGoal(repo, 'write it');
  await meet(repo, other);
  await repo.owl('goal', 'edit', id, '--title', 'one');
  await other.owl('goal', 'edit', id, '--title', 'two');
  await meet(repo, other);
  const { error } = (await third.owl('sync', '--json', { fails: 5 })).json();
  t.equal(error.next.length, 2, 'a command for each version');
  await third.owl(...error.next[0].split(' ').slice(2));
  t.match((await showGoal(third, id)).title, /^(?:one|two)$/);
});
