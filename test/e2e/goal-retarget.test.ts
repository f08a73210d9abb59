// `goal edit --target` after a Round began: what it holds is replayed onto the new target when it starts again (G5, G11, G42).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { addGoal, advanceTo, GATED, showGoal } from '../fixtures/goals.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const plan = [{ handoff: '# Plan\n\nWrite a file.\n' }];
const AGAIN: Scenario = {
  plan,
  execute: [{ append: 'work-{job}.txt', text: 'work of {job}\n' }, { commit: 'Write' }],
  cases: [
    {
      when: 'the read-me',
      plan,
      execute: [
        { append: 'README.md', text: 'by {job}\n' },
        { append: 'work-{job}.txt', text: 'x\n' },
        { commit: 'README' },
      ],
    },
  ],
};

t.test('G5, G11: a Round that began is carried to another target', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', AGAIN);
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: GATED });
  await repo.git('push', '-q', 'origin', 'main:release');
  await repo.colleague('Only on main', { 'main-only.md': 'x\n', 'README.md': 'of main\n' });

  await t.test('that has a plan, and one that has a Candidate', async (t) => {
    for (const status of ['implement', 'quality'] as const) {
      const release = await repo.remoteGit('rev-parse', 'release');
      const id = await addGoal(repo, `write in ${status}`);
      await advanceTo(repo, id, status);
      await repo.owlFails(4, 'goal', 'edit', id, '--target', 'release');
      await repo.owl('goal', 'move', id, 'backlog', '--force');
      await repo.owl('goal', 'edit', id, '--target', 'release');
      await repo.owl('goal', 'move', id, 'todo');
      await repo.owl('goal', 'advance', id);
      const goal = await showGoal(repo, id);
      t.match(goal, { status: 'review', round: 1, target: { name: 'release' }, base: { oid: release } });
      t.equal(
        await repo.remoteGit('diff', '--name-only', release, 'release'),
        `work-${goal.history[0].job}.txt`,
        'the release has the work and nothing else',
      );
      t.equal(
        await repo.remoteGit('ls-tree', '--name-only', 'release', 'main-only.md'),
        '',
        'nothing of main came along',
      );
      t.equal(
        await repo.remoteGit('ls-tree', '--name-only', 'main', `work-${goal.history[0].job}.txt`),
        '',
        'main has nothing of it',
      );
    }
  });

  await t.test('where its work conflicts with the new target, both are named, and back is a way', async (t) => {
    const id = await addGoal(repo, 'the read-me');
    await advanceTo(repo, id, 'quality');
    await repo.owl('goal', 'move', id, 'backlog', '--force');
    await repo.owl('goal', 'edit', id, '--target', 'release');
    await repo.owl('goal', 'move', id, 'todo');
    await repo.owlFails(5, 'goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'failed', reason: { code: 'conflict', paths: ['README.md'] } });
    await repo.owl('goal', 'move', id, 'backlog');
    await repo.owl('goal', 'edit', id, '--target', 'main');
    await repo.owl('goal', 'move', id, 'todo');
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review', target: { name: 'main' } });
  });
});
