// The branch of a Round that has no Run yet is cut for the first Skill that works in it, as the Run would have cut it (G5, G62).

import { existsSync, readFileSync } from 'node:fs';
import { t } from 'tap';
import { APART, addGoal, showGoal as show } from '../fixtures/goals.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const config = (skills: readonly object[], plan = true): string => `plan: ${plan}
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
skills: ${JSON.stringify(skills.map((skill) => ({ kind: 'executable', ...skill })))}
`;
const notes = (box: Sandbox): string[] =>
  existsSync(box.path('notes')) ? readFileSync(box.path('notes'), 'utf8').trim().split('\n') : [];
const note = (box: Sandbox, text: string): string => `echo "${text}" >> '${box.path('notes')}'`;

t.test(
  'G5, G62: a Skill of plan works at the pinned base; the Run starts from what it commits; killed, once',
  async (t) => {
    for (const point of [
      '',
      'run.before-branch',
      'round-branch.before-state',
      'round-branch.after-state',
      'run.after-branch',
    ]) {
      const box = await sandbox(t);
      const worker = box.agent('worker', {
        plan: [{ expect: { files: { 'hint.txt': 'x\n' } } }, { handoff: '# Plan\n\nWrite.\n' }],
        execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }],
      });
      const prepare = `${note(box, '$(git rev-parse HEAD) $(git rev-parse --abbrev-ref HEAD)')}; echo x > hint.txt; git add hint.txt; git commit -qm Hint`;
      const repo = await box.repository({
        remote: 'bare',
        agents: [worker],
        config: config([{ name: 'prepare', on: 'workflow.plan.enter', run: prepare }]),
      });
      const target = await repo.colleague('Moved on', { 'theirs.txt': 'x\n' });
      await repo.git('checkout', '-q', '-b', 'mine');
      await repo.commit('Mine', { 'mine.txt': 'x\n' });
      const id = await addGoal(repo, 'one');
      if (point !== '') {
        const killed = await repo.owl('goal', 'advance', id, { env: { OWL_FAIL_AT: point }, fails: 'any' });
        t.equal(killed.signal, 'SIGKILL', `${point} is reached`);
      }
      await repo.owl('goal', 'advance', id);
      const done = await show(repo, id);
      t.match(done, { status: 'review', candidate: { base: target } }, point);
      t.same(notes(box), [`${target} refine/${id}/round-1`], `${point}: at the target, and not at what is checked out`);
      t.match(await repo.git('log', '--format=%s', `${target}..${done.candidate.tip}`), /Work[\s\S]*Hint$/);
      t.equal(await repo.remoteGit('diff', '--name-only', target, 'main'), 'hint.txt\nwork.txt', point);
      t.same((await repo.owl('fsck', '--json')).json().data.findings, [], point);
    }
  },
);

t.test('G44, G62: a Round that goes on from another one has its work before a Skill of plan begins', async (t) => {
  const box = await sandbox(t);
  const skills = [{ name: 'look', on: 'workflow.plan.enter', run: note(box, '$(echo *)') }];
  const repo = await box.repository({ agents: [box.agent('worker', APART)], config: config(skills, false) });
  const id = await addGoal(repo, 'one');
  for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
  t.match(await show(repo, id), { status: 'quality' });
  await repo.owl('goal', 'round', id, 'more', '--from', '1');
  await repo.owl('goal', 'advance', id);
  t.match(await show(repo, id), { status: 'review', round: 2 });
  const [one, two] = (await show(repo, id)).history.map(({ job }: { job: string }) => `${job}.txt`);
  t.same(notes(box), ['README.md', `${['README.md', one].sort().join(' ')}`]);
  t.equal(await repo.git('diff', '--name-only', 'main~1', 'main'), [one, two].sort().join('\n'));
});

t.test(
  'G8, G62: a branch of that name that is not ours is left as it is; the Skill says that it is not started',
  async (t) => {
    const box = await sandbox(t);
    const skills = [{ name: 'look', on: 'workflow.plan.enter', run: note(box, 'look') }];
    const repo = await box.repository({
      agents: [box.agent('worker', { execute: [{ exit: 1 }] })],
      config: config(skills, false),
    });
    const id = await addGoal(repo, 'one');
    const mine = await repo.commit('Mine', { 'mine.txt': 'x\n' });
    await repo.git('branch', `refine/${id}/round-1`, mine);
    const ran = await repo.owl('goal', 'advance', id, { fails: 'any' });
    t.match(ran.stderr, new RegExp(`goal ${id}: look for workflow.plan.enter is not started: .*exists already`));
    t.match(await show(repo, id), { status: 'failed', invocations: [{ outcome: 'never-ran' }] });
    t.same(notes(box), []);
    t.equal(await repo.oid(`refine/${id}/round-1`), mine);
  },
);
