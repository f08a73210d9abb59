// Skills on the states of Jobs and on the last statuses of Goals (G61 to G63).

import { existsSync, readFileSync } from 'node:fs';
import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const config = (skills: readonly object[], more = ''): string => `plan: false
checks: [{ name: there, run: "test -f work.txt" }]
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
${more}
skills: ${JSON.stringify(skills.map((skill) => ({ kind: 'executable', ...skill })))}
`;
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const note = (box: Sandbox, text = '$OWL_EVENT'): string => `echo "${text}" >> '${box.path('notes')}'`;
const notes = (box: Sandbox): string[] =>
  existsSync(box.path('notes')) ? readFileSync(box.path('notes'), 'utf8').trim().split('\n') : [];
const left = (repo: Repo): Promise<string> => repo.git('for-each-ref', 'refs/owl/local/due', 'refs/owl/local/intents');

t.test(
  'G61: each state of a Job once, after its write; decisions only record, and the next run carries out',
  async (t) => {
    const box = await sandbox(t);
    const states = ['pending', 'active', 'review', 'done', 'cancelled', 'blocked'];
    const told = '$OWL_EVENT $OWL_JOB $OWL_STATE';
    const repo = await box.repository({
      agents: [box.agent('worker', diligent('work.txt'))],
      config: config([
        ...states.map((state) => ({ name: `on-${state}`, on: `job.${state}`, run: note(box, told) })),
        { name: 'off', on: 'job.review', kind: 'disabled', run: note(box, 'disabled') },
      ]),
    });
    const id = await repo.add('one');
    t.same(notes(box), [], 'add only records');
    await repo.owl('run');
    t.same(notes(box), [`job.pending ${id} pending`, `job.active ${id} active`, `job.review ${id} review`]);
    await repo.owl('accept', id);
    t.equal(notes(box).length, 3, 'accept only records');
    await repo.owl('run', { fails: 'any' });
    t.same(notes(box).slice(3), [`job.done ${id} done`]);
    await repo.owl('run', { fails: 'any' });
    t.equal(notes(box).length, 4, 'each once');
    t.equal(await left(repo), '', 'nothing is left of it');
    const events = (await repo.owl('events', '--json')).json().data.items;
    t.equal(events.filter((one: { event: string }) => one.event === 'skill.ended').length, 4);
    t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
  },
);

t.test('G61: it decides nothing, is bounded, has no checkout, and its failure changes nothing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    agents: [box.agent('worker', diligent('work.txt'))],
    config: config([
      { name: 'asks', on: 'job.review', run: `git owl cancel "$OWL_JOB" 2>> '${box.path('said')}'; exit 3` },
      { name: 'hangs', on: 'job.review', run: 'sleep 600', timeout: '1s' },
      {
        name: 'where',
        on: 'job.review',
        run: `cat > '${box.path('document')}'; ${note(box, '$(git rev-parse --is-inside-work-tree) $OWL_BRANCH')}; cp "$OWL_EVENT_FILE" '${box.path('file')}'`,
      },
    ]),
  });
  const before = await repo.untouched();
  const id = await repo.add('one');
  const ran = await repo.owl('run');
  t.match(ran.stderr, /asks failed \(3\)/);
  t.match(ran.stderr, /hangs was ended after 1s/);
  t.match(await show(repo, id), { state: 'review' });
  t.match(readFileSync(box.path('said'), 'utf8'), /refused inside a Run/);
  const [line = ''] = notes(box);
  t.match(line, new RegExp(`^false owl/${id}/`));
  t.match(JSON.parse(readFileSync(box.path('file'), 'utf8')), { event: 'job.review', job: id, state: 'review' });
  t.equal(box.processes().length, 0, 'nothing of it lives on');
  box.same(t, before, await repo.untouched());
});

t.test('G61: killed at each step, it is started once or never, and the note goes', async (t) => {
  for (const [point, starts] of [
    ['add.after-intent', 0],
    ['add.after-state', 1],
    ['job-skill.before-claim', 1],
    ['job-skill.after-claim', 0],
  ] as const) {
    const box = await sandbox(t);
    const repo = await box.repository({
      agents: [box.agent('worker', diligent('work.txt'))],
      config: config([{ name: 'told', on: 'job.pending', run: note(box) }]),
    });
    const env = { OWL_FAIL_AT: point };
    const added = await repo.owl('add', 'one', { fails: 'any', env });
    if (point.startsWith('add.')) t.equal(added.signal, 'SIGKILL', point);
    else t.equal((await repo.owl('run', { fails: 'any', env })).signal, 'SIGKILL', point);
    await repo.owl('run', { fails: 'any' });
    await repo.owl('run', { fails: 'any' });
    t.equal(notes(box).length, starts, point);
    t.equal(await left(repo), '', `${point}: nothing is left of it`);
  }
});

t.test('G61: a note that cannot be read stops neither the others nor a Run', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    agents: [box.agent('worker', diligent('work.txt'))],
    config: config([{ name: 'told', on: 'job.review', run: note(box) }]),
  });
  const id = await repo.add('one');
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: 'not JSON' });
  await repo.git('update-ref', 'refs/owl/local/due/jobs-broken', blob);
  const ran = await repo.owl('run');
  t.match(ran.stderr, /due\/jobs-broken cannot be read/);
  t.match(await show(repo, id), { state: 'review' });
  t.same(notes(box), ['job.review']);
  t.match(await left(repo), /jobs-broken/, 'and it stays');
});

t.test('G61: an agent has no checkout there: said by the configuration', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', diligent('work.txt'));
  const repo = await box.repository({
    agents: [worker],
    config: config([{ name: 'told', on: 'job.review', agent: 'worker' }]),
  });
  t.match(
    (await repo.owl('config', 'check', { fails: 'any' })).stdout,
    /only a command \(run\) can be bound to job.review/,
  );
});

t.test('G61, G63: governance, review and done have their moments, the last of a closed Goal too', async (t) => {
  const box = await sandbox(t);
  const on = ['governance.enter', 'governance.success', 'governance.exit', 'review.enter', 'review.exit', 'done.enter'];
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', diligent('work.txt'))],
    config: config(on.map((event, at) => ({ name: `s${at}`, on: `workflow.${event}`, run: note(box) }))),
  });
  const id = (await repo.owl('goal', 'add', 'one', '--request', 'x', '--queue')).stdout.trim();
  await repo.owl('run');
  t.match(await show(repo, id), { status: 'review' });
  t.same(
    notes(box),
    on.slice(0, 4).map((event) => `workflow.${event}`),
  );
  await repo.owl('goal', 'approve', id);
  t.equal(notes(box).length, 4, 'a decision only records');
  await repo.owl('run', { fails: 'any' });
  t.same(
    notes(box),
    on.map((event) => `workflow.${event}`),
  );
  t.match(await show(repo, id), { status: 'done' });
  await repo.owl('run', { fails: 'any' });
  t.equal(notes(box).length, 6, 'each once');
  t.equal(await left(repo), '');
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});

t.test('G61, G42: the entry of failed, and what a Skill there decides', async (t) => {
  const box = await sandbox(t);
  const again = `${note(box)}; test -f '${box.path('once')}' || { touch '${box.path('once')}'; git owl goal move "$OWL_GOAL" implement --reason again; }`;
  const repo = await box.repository({
    agents: [box.agent('worker', diligent('work.txt'))],
    config: config([{ name: 'again', on: 'workflow.failed.enter', run: again }]).replace(
      'run: "true"',
      'run: "test -f never"',
    ),
  });
  const id = (await repo.owl('goal', 'add', 'one', '--request', 'x', '--queue')).stdout.trim();
  await repo.owl('run', { fails: 'any' });
  t.match(await show(repo, id), { status: 'implement' });
  await repo.owl('run', { fails: 'any' });
  t.match(await show(repo, id), { status: 'failed' });
  t.same(notes(box), ['workflow.failed.enter', 'workflow.failed.enter']);
});
