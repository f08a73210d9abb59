// `run` over the one queue of Jobs and Goals: what it takes, resumes, counts, passes over and ends (03, G3, G4; J4, J18; 06).

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { plant } from '../fixtures/goal-store.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const WORK: Scenario = {
  execute: [{ append: 'work-{job}.txt', text: '{run}\n' }, { commit: 'Work of {job}' }],
};
const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
governance: { checks: [{ name: rules, run: "test ! -f forbidden.txt" }] }
`;
/** While the file is there, the check of quality waits; it tells by `started` that it is here. */
const holding = (box: Sandbox) =>
  `${CONFIG}quality: { checks: [{ name: slow, run: "touch ${box.path('started')}; while test -f ${box.path('hold')}; do sleep 0.1; done" }] }\n`;

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const goal = async (repo: Repo, title: string, ...more: string[]): Promise<string> =>
  (await repo.owl('goal', 'add', title, '--request', `please ${title}`, '--queue', ...more)).stdout.trim();
const next = async (repo: Repo): Promise<string[]> => (await repo.owl('status', '--json')).json().data.next;
const told = (lines: readonly { data: { id: string; status?: string; state: string } }[]) =>
  lines.map(({ data }) => [data.id, data.status ?? data.state]);

t.test('03, G3, 06: one queue: Jobs and Goals in their order, each as far as it can go', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  const one = await goal(repo, 'one');
  const work = await repo.add('--no-plan', 'a job');
  const two = await goal(repo, 'two');
  const first = await goal(repo, 'first', '--priority', 'high');
  t.same(await next(repo), ['git owl run']);
  t.match((await repo.owl('run', '--dry-run', '--all', '--json')).json().data, {
    items: [{ id: first, status: 'todo' }],
    waiting: [{ goal: one, why: /higher priority/ }, { job: work }, { goal: two }],
  });
  t.equal((await show(repo, first)).status, 'todo', 'nothing was taken');
  const taken = (await repo.owl('run', '--json')).jsonLines();
  t.same(told(taken), [[first, 'review']], 'one unit');
  t.match(taken, [
    { ok: true, data: { unit: { steps: ['todo', 'plan', 'implement', 'quality', 'governance'], exit: 0 } } },
  ]);
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../schema/run.schema.json'), 'utf8'));
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  for (const line of taken) t.ok(validate(line), JSON.stringify(validate.errors));
  const lines = (await repo.owl('run', '--all', '--json')).jsonLines();
  t.same(told(lines), [
    [one, 'review'],
    [work, 'review'],
    [two, 'review'],
  ]);
  t.match((await repo.owl('run', '--json')).json(), { ok: true, data: { items: [] } });
  t.match((await repo.owlFails(4, 'run', two, '--json')).json(), { error: { code: 'wrong-state' } });
  t.match((await repo.owlFails(4, 'run', '--dry-run', two, '--json')).json(), { error: { code: 'wrong-state' } });
});

t.test('03, G4, 01: a Goal that was left goes on before new work: after --step, a kill, another process', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  const work = await repo.add('--no-plan', 'a job');
  const left = await goal(repo, 'left');
  const beside = await goal(repo, 'beside');
  await repo.owl('run', left, '--step');
  t.match(
    await show(repo, left),
    { status: 'plan', next: [`git owl run ${left}`] },
    'one status, and nobody carries it',
  );
  t.notMatch((await repo.owl('status')).stdout, /Running/, 'nothing is at work on it');
  t.match((await repo.owl('run', '--dry-run', '--json')).json().data, { items: [{ id: left, status: 'plan' }] });
  const killed = await repo.owl('run', '--all', { fails: 'any', env: { OWL_FAIL_AT: 'gate.before-checks' } });
  t.equal(killed.signal, 'SIGKILL');
  const shown = await show(repo, left);
  t.match(
    shown,
    { status: 'quality', next: [`git owl run ${left}`] },
    'taken before the Job that is first in the queue',
  );
  t.same(await next(repo), ['git owl run']);
  const lines = (await repo.owl('run', '--all', '--max-parallel', '1', '--json')).jsonLines();
  t.same(told(lines), [
    [left, 'review'],
    [work, 'review'],
    [beside, 'review'],
  ]);
  t.equal(lines[0].data.unit.steps[0], 'quality', 'from where it was');
});

t.test('J4, J18, G53: a Goal takes a place; stop, SIGTERM, --for and cancel end its gate', async (t) => {
  const box = await sandbox(t);
  const hold = box.path('hold');
  const repo = await box.repository({
    agents: [box.agent('worker', WORK)],
    config: `${holding(box)}max_parallel: 1\n`,
  });
  writeFileSync(hold, '');
  const id = await goal(repo, 'it');
  const work = await repo.add('--no-plan', 'a job');
  const started = async () => {
    await eventually(() => existsSync(box.path('started')), 60_000, 'the check runs');
    rmSync(box.path('started'));
  };
  const running = repo.start('run', '--json');
  await started();
  t.match((await repo.owl('run', '--json')).json().data, { items: [], full: 1 }, 'both kinds count together');
  t.match((await repo.owlFails(7, 'run', work, '--json')).json(), { error: { code: 'busy' } });
  t.match((await repo.owlFails(7, 'run', id, '--json')).json(), { error: { code: 'busy' } }, 'it is carried already');
  t.match((await repo.owl('stop', '--dry-run', '--json')).json().data.items, [{ goal: id }]);
  t.match((await repo.owl('stop', id, '--json')).json().data.items, [{ goal: id, how: 'stopped' }]);
  t.equal((await running.wait()).code, 143, 'one signal ended all that its process carried');
  t.match(await show(repo, id), { status: 'quality', reason: { code: 'interrupted' } });
  t.same(await next(repo), ['git owl run']);

  const all = repo.start('run', '--all', '--json');
  await started();
  all.kill('SIGTERM');
  t.equal((await all.wait()).code, 143);
  t.match(await show(repo, id), { status: 'quality', reason: { code: 'interrupted' } });
  t.match(await show(repo, work), { state: 'pending' }, 'and nothing new was taken');

  const beside = repo.start('run', '--all', '--max-parallel', '2', '--json');
  await started();
  await eventually(async () => (await show(repo, work)).state === 'review', 60_000, 'the Job beside it is done');
  await repo.owl('cancel', id);
  t.match(await show(repo, id), { status: 'cancelled' });
  await beside.wait();
  await eventually(() => box.processes().length === 0, 20_000, 'nothing of the gate is left');
  rmSync(hold);
  await repo.owl('reopen', id);
  await repo.owl('goal', 'move', id, 'todo');
  writeFileSync(hold, '');
  await repo.owl('run', '--for', '15s', { fails: 'any' });
  t.match(await show(repo, id), { status: /todo|plan|implement|quality/ }, 'its time is over, and nobody carries it');
  t.match((await show(repo, id)).next, [/^git owl run/]);
  rmSync(box.path('started'), { force: true });

  const detached = (await repo.owl('run', '--detach', '--json')).json().data;
  t.match(detached.items, [{ id }]);
  await started();
  rmSync(hold);
  await eventually(async () => (await show(repo, id)).status === 'review', 60_000, 'it goes on in the background');
});

t.test('G30, G33, G41, 06: what waits is passed over with why, and `run --all` ends', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', WORK)], config: CONFIG });
  const busy = await goal(repo, 'busy checkout');
  const later = await goal(repo, 'later');
  const work = await repo.add('--no-plan', 'a job');
  writeFileSync(join(repo.dir, '.git/index.lock'), '');
  const lines = (await repo.owlFails(7, 'run', '--all', '--json')).jsonLines();
  t.same(told(lines), [
    [busy, 'governance'],
    [later, 'governance'],
    [work, 'review'],
  ]);
  t.match(await show(repo, busy), { reason: { code: 'checkout-busy' } }, 'by its own name, and it stops nobody');
  rmSync(join(repo.dir, '.git/index.lock'));
  const base = await repo.oid('refs/heads/main');
  t.match((await repo.owl('run', '--no-merge', '--json')).json().data, {
    items: [],
    waiting: [
      { goal: busy, why: /--no-merge/ },
      { goal: later, why: /--no-merge/ },
    ],
  });
  t.equal(await repo.oid('refs/heads/main'), base);
  await plant(t, repo, async (tx) => {
    const loaded = await tx.goal(busy);
    if (loaded.kind !== 'found') return;
    const window = {
      step: 'governance' as const,
      event: 'workflow.governance.error',
      evidence: 'e1',
      opened: tx.now,
      deadline: new Date(Date.parse(tx.now) + 3_600_000).toISOString().replace(/\.\d+/, ''),
      clone: 'c1',
    };
    tx.putGoal({ ...loaded.record, window });
  });
  const told2 = box.path('told');
  const notified = await repo.owl(
    'run',
    '--all',
    '--notify',
    `echo $OWL_NOTIFY_GOAL $OWL_NOTIFY_STATE >> ${told2}`,
    '--json',
  );
  t.same(told(notified.jsonLines()), [[later, 'review']], 'a Goal in the window of a handler is not taken');
  t.equal(readFileSync(told2, 'utf8'), `${later} review\n`);
  t.match((await repo.owlFails(4, 'run', busy, '--json')).json().error.message, /handler has until/);
});

t.test('J16, G31: a gate whose agent is not here stops nobody', async (t) => {
  const box = await sandbox(t);
  const absent = 'agents: { nowhere: { command: ["no-such-agent-program"] } }\n';
  box.userConfig(absent);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: CONFIG.replace('governance: {', 'governance: { agent: nowhere,'),
  });
  const id = await goal(repo, 'judged');
  await repo.owl('run', id, '--no-merge');
  t.match(await show(repo, id), { status: 'governance', reason: null }, '--no-merge: up to where it would land');
  const work = await repo.add('--no-plan', 'a job');
  t.match((await repo.owlFails(9, 'run', id, '--json')).json(), { error: { code: 'missing-agent' } });
  t.same(told((await repo.owl('run', '--all', '--json')).jsonLines()), [[work, 'review']]);
  t.match((await repo.owl('run', '--json')).json().data, { items: [], waiting: [{ goal: id, why: /no-such-agent/ }] });
  t.match(await show(repo, id), { status: 'governance' }, 'it stays where it is');
});

t.test('G30: a lease that another clone holds is waited for, then told, and stops nobody', async (t) => {
  const box = await sandbox(t);
  const hold = box.path('hold');
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: CONFIG.replace(
      'test ! -f forbidden.txt',
      `touch ${box.path('started')}; while test -f ${hold}; do sleep 0.1; done`,
    ),
  });
  const mine = await goal(repo, 'mine');
  await repo.owl('run', mine, '--no-merge');
  const work = await repo.add('--no-plan', 'a job');
  const other = await repo.clone();
  const theirs = await goal(other, 'theirs');
  writeFileSync(hold, '');
  const holding = other.start('run', '--json', { timeout: 600_000 });
  await eventually(() => existsSync(box.path('started')), 120_000, 'its governance holds the lease');
  const lines = (await repo.owlFails(7, 'run', '--all', '--json', { env: { OWL_LEASE_WAIT: '0' } })).jsonLines();
  t.same(told(lines), [
    [mine, 'governance'],
    [work, 'review'],
  ]);
  t.match(await show(repo, mine), { status: 'governance', reason: { code: 'lease-held' } });
  rmSync(hold);
  t.same(told((await holding.wait()).jsonLines()), [[theirs, 'review']]);
  t.same(told((await repo.owl('run', '--all', '--json')).jsonLines()), [[mine, 'review']]);
});

t.test('06, G6: a remote that is away stops no other work, and is said', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  const away = await goal(repo, 'away');
  await repo.owl('run', away, '--step');
  const work = await repo.add('--no-plan', 'a job');
  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  const lines = (await repo.owl('run', '--all', '--json')).jsonLines();
  t.same(told(lines), [[work, 'review']]);
  t.match(await show(repo, away), { status: 'plan' });
  t.match(
    (await repo.owlFails(9, 'run', '--json')).json(),
    { error: { code: 'remote' } },
    'nothing else is left: it is told',
  );
  t.match((await repo.owlFails(9, 'run', away, '--json')).json(), { error: { code: 'remote' } });
});
