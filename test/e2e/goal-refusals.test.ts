// What a refusal about a Goal names as the next command is one that works, and texts speak of what there is (00.1, G6, G8, G30, J25).

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { addGoal, advanceTo, showGoal } from '../fixtures/goals.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(300_000);

const CONFIG = `plan: false
checks: [{ name: test, run: "ls *.txt" }]
`;

const WORK = { execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }] };

t.test(
  'G8, 07.35: what lies in the place of a worktree is moved away as the refusal says, and `retry` goes on',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
    const id = await addGoal(repo, 'write it');
    await advanceTo(repo, id, 'implement');
    await repo.owl('goal', 'advance', id, '--step');
    const job = (await showGoal(repo, id)).history[0].job;
    const path = (await repo.owl('show', job, '--json')).json().data.worktree;
    renameSync(path, box.path('mine'));
    mkdirSync(path);
    writeFileSync(join(path, 'theirs.txt'), 'theirs\n');
    await repo.owl('goal', 'move', id, 'implement', '--force');
    const { error } = (await repo.owlFails(4, 'goal', 'advance', id, '--json')).json();
    const move = `mv ${path} ${path}.aside`;
    t.match(error.message, `move it away (${move}), then git owl retry ${id}`);
    renameSync(path, `${path}.aside`);
    await repo.owl('retry', id);
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    t.ok(existsSync(join(`${path}.aside`, 'theirs.txt')));
  },
);

t.test('G6, J25, 11: evidence without a remote, the target in review, targets that do not exist', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', WORK)], config: CONFIG });
  for (const words of [
    ['goal', 'add', 'never', '--target', 'nosuch'],
    ['goal', 'adopt', 'feature', '--target', 'nosuch'],
  ]) {
    if (words[1] === 'adopt') await repo.git('branch', 'feature');
    const refused = await repo.owlFails(3, ...words);
    t.match(refused.stderr, /nosuch, does not exist/);
    t.notMatch(refused.stderr, /--base/, words.join(' '));
  }
  const id = await addGoal(repo, 'write it');
  await repo.owl('goal', 'advance', id);
  const { evidence } = await showGoal(repo, id);
  const forward = evidence.find(({ type }: { type: string }) => type === 'forward');
  t.match(forward.reason.text, /main is published nowhere/);
  t.match((await repo.owl('review', id)).stdout, /HANDOFF\.md.*never merged/);

  await repo.git('branch', 'release');
  const { error } = (await repo.owlFails(4, 'goal', 'edit', id, '--target', 'release', '--json')).json();
  t.same(error.next, [`git owl goal decline ${id} "<what to do better>"`]);
  await repo.owl('goal', 'decline', id, 'better');
  await repo.owl('goal', 'edit', id, '--target', 'release');
  t.match(await showGoal(repo, id), { status: 'todo' }, 'and then it may be another');
});

t.test('G30: `lease --break -n` says of the lease of a dead process what the real one does', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  const id = await addGoal(repo, 'write it');
  await repo.owl('goal', 'advance', id);
  const env = { OWL_FAIL_AT: 'lease.after-acquire' };
  t.equal((await repo.owl('goal', 'revert', id, { env, fails: 'any' })).signal, 'SIGKILL');
  t.match((await repo.owl('lease', '--json')).json().data.items, [{ state: 'held' }]);
  const before = await repo.untouched();
  t.match((await repo.owl('lease', '--break', 'main', '-n')).stdout, /is free already/);
  box.same(t, before, await repo.untouched());
  t.match(
    (await repo.owl('lease', '--json')).json().data.items,
    [{ state: 'held' }],
    'nothing is given back by looking',
  );
  t.match((await repo.owl('lease', '--break', 'main')).stdout, /is free already/);
});
