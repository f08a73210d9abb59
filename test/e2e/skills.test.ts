// Skills bound to the life of a Goal: recorded by decisions, carried out by `run` and `goal advance` (G61 to G63; 07.45).

import { readFileSync, writeFileSync } from 'node:fs';
import { t } from 'tap';
import { eventually } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const config = (skills: readonly object[]): string => `plan: false
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
skills: ${JSON.stringify(skills.map((skill) => ({ kind: 'executable', ...skill })))}
`;
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const branches = (repo: Repo, id: string): Promise<string> =>
  repo.git('for-each-ref', '--format=%(refname) %(objectname)', `refs/heads/refine/${id}`);
/** Writes a line for each start. */
const note = (box: Sandbox, text = '$OWL_EVENT'): string => `echo "${text}" >> '${box.path('notes')}'`;
const notes = (box: Sandbox): string[] => readFileSync(box.path('notes'), 'utf8').trim().split('\n');

t.test(
  'G61, G62: adding only records; advance carries it out, in a checkout of its own; its decision counts',
  async (t) => {
    const box = await sandbox(t);
    const triage = `${note(box)}; echo x > triage.txt; git add triage.txt; git commit -qm Triage
git owl goal move "$OWL_GOAL" todo --reason triaged`;
    const repo = await box.repository({
      config: config([
        { name: 'triage', on: 'workflow.backlog.enter', run: triage },
        { name: 'off', on: 'workflow.backlog.enter', run: 'exit 1', kind: 'disabled' },
      ]),
    });
    const start = await repo.oid('main');
    const before = await repo.untouched();
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
    t.match(await show(repo, id), { status: 'backlog', invocations: [{ skill: 'triage', state: 'waiting' }] });
    t.equal(await branches(repo, id), '', 'no branch');
    t.match(await repo.git('worktree', 'list'), /^[^\n]*$/, 'no worktree');
    await repo.owl('goal', 'advance', id);
    const [one] = (await show(repo, id)).invocations;
    t.match(await show(repo, id), { status: 'todo', candidate: null, base: { oid: null } });
    t.match(one, { outcome: 'succeeded', event: 'workflow.backlog.enter' });
    t.same(notes(box), ['workflow.backlog.enter']);
    const [branch = '', tip = ''] = (await branches(repo, id)).split(' ');
    t.equal(branch, `refs/heads/refine/${id}/skill-${one.id}`);
    t.equal(await repo.git('rev-parse', `${tip}^`), start, 'pinned to the target');
    box.same(t, before, await repo.untouched());
  },
);

t.test(
  'G62, J15: a checkout of its own is set up once, before it is started; where that fails it never ran',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      config: `${config([{ name: 'triage', on: 'workflow.backlog.enter', run: `test -f ready && ${note(box, 'triage')}` }])}setup: ["test ! -f '${box.path('broken')}' && touch ready && ${note(box, 'setup $OWL_GOAL').replaceAll('"', '')}"]
`,
    });
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
    const env = { OWL_FAIL_AT: 'skill.after-start' };
    t.equal((await repo.owl('goal', 'advance', id, { fails: 'any', env })).signal, 'SIGKILL');
    await repo.owl('goal', 'advance', id, { fails: 'any' });
    t.match((await show(repo, id)).invocations, [{ outcome: 'succeeded' }]);
    t.same(notes(box), [`setup ${id}`, 'triage'], 'once, also over a kill');
    writeFileSync(box.path('broken'), '');
    const other = (await repo.owl('goal', 'add', 'two', '--request', 'x')).stdout.trim();
    await repo.owl('goal', 'advance', other, { fails: 'any' });
    t.match((await show(repo, other)).invocations, [{ outcome: 'never-ran', text: /the setup command .* failed/ }]);
    t.same(notes(box), [`setup ${id}`, 'triage']);
  },
);

t.test(
  'G63, 07.45: killed at each record, the target moved, started again: one registration, and dirty work stays',
  async (t) => {
    for (const point of [
      'skill.after-own',
      'skill.after-branch',
      'workspace.after-note',
      'skill.after-start',
      'run.agent-started',
    ]) {
      const box = await sandbox(t);
      const work = `test -f half && ${note(box, 'again')}; touch half; ${note(box, 'start')}; until test -f '${box.path('go')}'; do sleep 0.1; done`;
      const repo = await box.repository({
        config: config([{ name: 'triage', on: 'workflow.backlog.enter', run: work }]),
      });
      const start = await repo.oid('main');
      const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
      const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
      t.equal(killed.signal, 'SIGKILL', `${point} is reached ${killed.stderr}`);
      await eventually(() => box.processes().length === 0, 60_000, `${point}: nothing outlives git owl`);
      await repo.commit('The target moves', { 'more.txt': 'x\n' });
      if (point === 'run.agent-started') {
        // What it left half done, whether or not it came to write it itself.
        const place = (await repo.git('worktree', 'list', '--porcelain')).match(/^worktree (.*skill-.*)$/m)?.[1] ?? '';
        repo.write(`${place}/half`, '');
      }
      repo.write(box.path('go'), '');
      await repo.owl('run');
      const [one] = (await show(repo, id)).invocations;
      t.match(one, { state: 'ended', outcome: 'succeeded' }, point);
      t.equal(
        await branches(repo, id),
        `refs/heads/refine/${id}/skill-${one.id} ${start}`,
        `${point}: one source commit`,
      );
      if (point === 'run.agent-started') t.ok(notes(box).includes('again'), 'dirty work stays');
      t.equal((await repo.git('worktree', 'list')).split('\n').length, 2, `${point}: one checkout`);
      t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
    }
  },
);

t.test('G63: a branch that it did not make is an explicit error, and is left as it is', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    config: config([{ name: 'triage', on: 'workflow.backlog.enter', run: note(box) }]),
  });
  const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
  const [one] = (await show(repo, id)).invocations;
  const name = `refine/${id}/skill-${one.id}`;
  await repo.git('branch', name, 'main');
  t.match((await repo.owlFails(4, 'goal', 'advance', id)).stderr, new RegExp(`${name} exists already`));
  t.match((await repo.owl('run')).stderr, /exists already/, 'and stops nobody else');
  t.match(await show(repo, id), { invocations: [{ state: 'waiting' }] });
  t.equal(await repo.oid(name), await repo.oid('main'));
});

t.test(
  'G61: each status has its moments, before the Goal leaves it; a context Skill is told to the agent',
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      execute: [{ expect: { prompt: ['Mind the gap'] } }, { write: 'work.txt', text: 'x\n' }, { commit: 'Work' }],
    });
    const on = ['todo.enter', 'todo.exit', 'implement.success', 'quality.enter', 'quality.success'];
    const repo = await box.repository({
      agents: [worker],
      config: config([
        ...on.map((event, at) => ({ name: `s${at}`, on: `workflow.${event}`, run: note(box) })),
        { name: 'gap', on: 'workflow.implement.enter', kind: 'context', text: 'Mind the gap.' },
      ]),
    });
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x', '--queue')).stdout.trim();
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review' });
    t.same(
      notes(box),
      on.map((event) => `workflow.${event}`),
    );
    t.equal(worker.trace(), '');
  },
);
