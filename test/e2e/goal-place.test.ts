// Where a Goal's Round works, and what was printed there: `show`, `worktree` and `log` of a Goal (06; M5, G9, G41).

import { existsSync } from 'node:fs';
import { t } from 'tap';
import { addGoal, advanceTo, GATED, showGoal, WORK } from '../fixtures/goals.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test('06, G9, M5: show and worktree of a Goal are about the worktree of its current Round', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', WORK)], config: GATED });
  const id = await addGoal(repo, 'write it');
  t.match(await showGoal(repo, id), { worktree: null, uncommitted: null });
  t.match((await repo.owlFails(3, 'worktree', id)).stderr, /goal \w+ has no worktree: round 1 was not started/);
  await repo.owlFails(3, 'worktree', id, '--ensure');

  await advanceTo(repo, id, 'implement');
  const goal = await showGoal(repo, id);
  t.ok(existsSync(goal.worktree));
  t.same(goal.uncommitted, []);
  t.equal((await repo.owl('worktree', id)).stdout, `${goal.worktree}\n`);
  t.match((await repo.owl('worktree', id, '--json')).json().data, {
    goal: id,
    path: goal.worktree,
    branch: goal.branch,
  });
  t.notMatch((await repo.owl('show', id)).stdout, /^ *uncommitted/m);

  const tree = box.open(goal.worktree);
  tree.write('README.md', 'changed\n');
  tree.write('new.txt', 'new\n');
  const before = await tree.git('status', '--porcelain');
  t.same((await showGoal(repo, id)).uncommitted, ['README.md', 'new.txt']);
  const { stdout } = await repo.owl('show', id);
  t.match(stdout, new RegExp(`worktree +${goal.worktree}\n`));
  t.match(stdout, /uncommitted +README\.md, new\.txt\n/);
  t.equal(await tree.git('status', '--porcelain'), before, 'looking changes nothing');

  await tree.git('checkout', '-q', '--detach');
  t.match(await showGoal(repo, id), { worktree: goal.worktree, uncommitted: null }, 'it is not as it should be');
  t.match((await repo.owl('worktree', id)).stderr, /HEAD/, 'said, with the way there');
  await repo.owlFails(4, 'worktree', id, '--ensure');
  await tree.git('checkout', '-q', goal.branch);

  await repo.git('worktree', 'remove', '--force', goal.worktree);
  t.match(await showGoal(repo, id), { worktree: null, uncommitted: null });
  const missing = await repo.owlFails(3, 'worktree', id);
  t.match(missing.stderr, new RegExp(`goal ${id} has no worktree\\s+hint: git owl worktree ${id} --ensure`));
  t.equal((await repo.owl('worktree', id, '--ensure')).stdout, `${goal.worktree}\n`);
  t.equal(await tree.git('symbolic-ref', '--short', 'HEAD'), goal.branch);
  await repo.owl('goal', 'advance', id);
  t.match(await showGoal(repo, id), { status: 'review' });
});

t.test('06, G41, G61: the log of a Goal has what its handlers and Skills printed', async (t) => {
  const box = await sandbox(t);
  const skills = [
    { name: 'triage', on: 'workflow.todo.enter', kind: 'executable', run: 'echo said by triage' },
    { name: 'mend', on: 'workflow.quality.error', kind: 'executable', run: 'echo said by mend; exit 3' },
    { name: 'late', on: 'workflow.review.enter', kind: 'executable', run: 'echo never said' },
  ];
  const config = `${GATED.replace('! cat work* | grep bad', 'false')}skills: ${JSON.stringify(skills)}\n`;
  const repo = await box.repository({ agents: [box.agent('worker', WORK)], config });
  const id = await addGoal(repo, 'write it');
  await repo.owl('goal', 'advance', id, { fails: 'any' });
  const { parts } = (await repo.owl('log', id, '--json')).json().data;
  t.same(
    parts.map((part: { of: string; skill?: string }) => part.skill ?? part.of),
    ['triage', 'plan', 'execute', 'quality', 'mend'],
  );
  t.match(parts[0], { of: 'skill', event: 'workflow.todo.enter', status: 'succeeded', text: 'said by triage\n' });
  t.match(parts[4], { of: 'skill', event: 'workflow.quality.error', status: 'failed', text: 'said by mend\n' });
  const said = (await repo.owl('log', id)).stdout;
  t.match(said, /^=== triage, workflow\.todo\.enter succeeded .*\nsaid by triage$/m);
  t.match(said, /^=== mend, workflow\.quality\.error failed .*\nsaid by mend$/m);
  const job = (await showGoal(repo, id)).history[0].job;
  t.notMatch((await repo.owl('log', job)).stdout, /said by/);
  t.notMatch((await repo.owl('log', id, '--run', '1')).stdout, /said by/);
});
