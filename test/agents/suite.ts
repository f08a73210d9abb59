// The presets with the real programs, against a model on loopback: `npm run test:agents` installs them and runs this.
// What the model asks for is in the scripts below; that it comes about is the work of the program, its preset and `git owl`.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { run } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';
import { type Behaviour, type ModelServer, modelServer } from './model-server.js';
import { configure, PROGRAMS, type Program } from './programs.js';
import type { Ask, Turn } from './wire.js';

/** Where the programs are installed, and the file for the table: a line of JSON for each program and scenario. */
const BIN = join(process.env['OWL_AGENTS_FOLDER'] ?? '', 'node_modules/.bin');
const TABLE = process.env['OWL_AGENTS_TABLE'] ?? '/dev/null';
/** `codex`, `codex/stall`, `stall`: what is run of it; empty: all. */
const ONLY = (process.env['OWL_AGENTS_ONLY'] ?? '').split(' ').filter(Boolean);

const HANDOFF = '.coding-owl/HANDOFF.md';
const PLAN = '# Plan\n\nWrite `tabs.txt`, because the parser reads it.\n';
const LONG = 300_000;

interface Ground {
  readonly program: Program;
  readonly box: Sandbox;
  readonly repo: Repo;
  readonly model: ModelServer;
}

/** A repository whose agent is the program, in a sandbox in which it knows the model and nothing else. */
async function ground(t: Test, program: Program, behaviour: Behaviour, config = '', agent = ''): Promise<Ground> {
  const box = await sandbox(t);
  const model = await modelServer(behaviour);
  t.teardown(() => model.close());
  box.set('PATH', `${box.path('bin')}:${BIN}:${box.env()['PATH']}`);
  for (const [name, value] of Object.entries(program.env(model.port))) box.set(name, value);
  configure(program, box.home, model.port);
  const entry = `preset: ${program.name}${program.model ? `, model: ${program.model}` : ''}${agent}`;
  const pass = program.pass.length === 0 ? '' : `env: [${program.pass.join(', ')}]\n`;
  const repo = await box.repository({
    config: `agent: worker\nagents: { worker: { ${entry} } }\n${pass}checks:\n  - { name: there, run: test -f tabs.txt }\n${config}`,
  });
  return { program, box, repo, model };
}

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape is about to be checked
const shown = async (repo: Repo, id: string): Promise<any> => (await repo.owl('show', id, '--json')).json().data;

const script =
  (plan: readonly Turn[], execute: readonly Turn[] = []) =>
  (ask: Ask): Turn =>
    (ask.prompt.includes('# Plan this work') ? plan : execute)[ask.results.length] ?? {
      say: 'I have nothing more to do.',
    };

/** Paths are those of the worktree, told to the model as a real one is told: by a tool. gemini lets no `$(…)` through. */
const inside = (ask: Ask, path: string): string =>
  join(/here=(\/[^\s"\\]+)/.exec(ask.results[0] ?? '')?.[1] ?? '/nowhere', path);

/** Writes by the program's own tool, then commits by its shell. */
const worker = (ask: Ask): Turn => {
  const plan: readonly Turn[] = [
    { run: 'echo here=$PWD' },
    { write: inside(ask, HANDOFF), text: PLAN },
    { run: `git add -f ${HANDOFF} && git commit -m 'Plan the work'` },
    { say: 'It is planned.' },
  ];
  const execute: readonly Turn[] = [
    { run: 'echo here=$PWD' },
    { write: inside(ask, 'tabs.txt'), text: 'tabs\n' },
    { write: inside(ask, HANDOFF), text: `${PLAN}\nWrote it.\n` },
    { run: "git add -A && git commit -m 'Accept tabs'" },
    { say: 'It is done.' },
  ];
  return script(plan, execute)(ask);
};

const scenarios: Readonly<Record<string, (t: Test, program: Program) => Promise<void>>> = {
  async work(t, program) {
    const { box, repo, model } = await ground(t, program, worker);
    const before = await repo.untouched();
    const id = await repo.add('accept tabs');
    const ran = await repo.owl('run', { timeout: LONG, fails: 'any' });
    t.equal(ran.code, 0, `${ran.stderr}\n${(await repo.owl('log', id, { fails: 'any' })).stdout.slice(-4000)}`);
    const job = await shown(repo, id);
    t.match(job, { state: 'review', history: [{ phase: 'plan' }, { phase: 'execute' }] });
    t.match(
      job.history.map(({ outcome }: { outcome: string }) => outcome),
      ['succeeded', 'succeeded'],
    );
    const commits = await repo.git('log', '--reverse', '--format=%s by %an', `main..${job.branch}`);
    // Between them we name the Job in the Plan.
    const both = /^Plan the work by Ada Tester\n(?:Plan of job .*\n)?Accept tabs by Ada Tester$/;
    t.match(commits, both, 'the program itself committed');
    t.equal(await repo.git('show', `${job.branch}:tabs.txt`), 'tabs');
    t.ok(
      job.history.every((run: { usage?: { output?: number } }) => (run.usage?.output ?? 0) > 0),
      'usage is told',
    );
    const executed = model.asked.filter(({ prompt }) => prompt.includes('# Carry out this work'));
    t.match(
      executed[0]?.prompt,
      'because the parser reads it',
      'the Plan went from the plan Run to a fresh execute Run',
    );
    t.equal(executed[0]?.results.length, 0, 'which knows nothing else of it');
    t.same(
      model.unknown.filter((line) => line.startsWith('POST')),
      [],
      'the model understood all that it was asked',
    );
    box.same(t, before, await repo.untouched());
    t.same(box.processes(), [], 'nothing of it lives');
    await repo.owl('merge', id);
    t.equal(await repo.git('show', 'main:tabs.txt'), 'tabs', 'and it lands');
  },

  async 'refused-tools'(t, program) {
    const turns: readonly Turn[] = [
      { run: 'touch by-shell.txt' },
      { write: 'by-tool.txt', text: 'x\n' },
      { run: 'git commit --allow-empty -m sneaky' },
      { say: PLAN },
    ];
    const { repo, model } = await ground(t, program, script(turns), '', ', plan: last-message');
    const id = await repo.add('accept tabs');
    await repo.owl('run', '--step', { timeout: LONG });
    const job = await shown(repo, id);
    t.match(job, { state: 'pending', history: [{ phase: 'plan', outcome: 'succeeded' }] }, job.reason?.text);
    t.equal(model.asked.at(-1)?.results.length, 3, 'it asked for each');
    t.match(model.asked[0]?.prompt, 'Your last message is the plan', 'it was told so');
    t.equal(
      await repo.git('diff', '--name-only', 'main', job.branch),
      HANDOFF,
      'its last message alone is on the branch',
    );
    t.match(await repo.git('show', `${job.branch}:${HANDOFF}`), 'because the parser reads it');
    t.equal(await repo.git('rev-list', '--count', `main..${job.branch}`), '1', 'by one commit, of ours');
    t.equal(await repo.git('-C', job.worktree, 'status', '--porcelain', '--ignored'), '', 'and nothing is in the tree');
    t.notMatch(job.kept.map(({ subject }: { subject: string }) => subject).join('\n'), /beside the plan|wip/);
  },

  'error-401': (t, program) => refused(t, program, 'key'),
  'error-500': (t, program) => refused(t, program, 'broken'),

  async 'usage-limit'(t, program) {
    await limited(t, await ground(t, program, 'limit'), program.limitSaysWhen, program.says.limit);
    if (program.subscription === undefined) return;
    const other = await ground(t, program, 'limit');
    for (const [name, value] of Object.entries(program.subscription)) other.box.set(name, value);
    await limited(t, other, true, /hit your .*limit/);
  },

  async stall(t, program) {
    const { box, repo, model } = await ground(t, program, 'silent', 'phases: { plan: { stall: 25s, timeout: 10m } }\n');
    const id = await repo.add('accept tabs');
    await repo.owlFails(8, 'run', { timeout: LONG });
    t.ok(model.asked.length > 0, 'the model was asked');
    const job = await shown(repo, id);
    t.match(job, { state: 'blocked', reason: { code: 'limit-passed', text: /stall limit of 25s/ } });
    t.match(job.history, [{ outcome: 'failed', ended_by: 'stall' }]);
    t.same(box.processes(), [], 'nothing of it lives');
  },

  async kill(t, program) {
    const { box, repo, model } = await ground(t, program, 'silent');
    const id = await repo.add('accept tabs');
    const running = repo.start('run', { timeout: LONG });
    await eventually(() => model.asked.length > 0, 120_000, `it asks the model; ${running.stderr()}`);
    t.ok(box.processes().length > 1, 'it works');
    running.kill('SIGKILL');
    t.equal((await running.wait()).signal, 'SIGKILL');
    await eventually(() => box.processes().length === 0, 60_000, 'the program is gone with it').catch(() => {});
    t.same(box.processes(), [], 'the program is gone with it');
    model.become(worker);
    await repo.owl('run', { timeout: LONG });
    const job = await shown(repo, id);
    t.match(
      job.history.map(({ outcome }: { outcome: string }) => outcome),
      ['interrupted', 'succeeded', 'succeeded'],
    );
    t.equal(job.state, 'review', 'and the next command goes on');
  },
};

async function refused(t: Test, program: Program, why: 'key' | 'broken'): Promise<void> {
  const { box, repo } = await ground(t, program, why);
  const before = await repo.untouched();
  const id = await repo.add('accept tabs');
  await repo.owlFails(8, 'run', { timeout: LONG });
  const job = await shown(repo, id);
  t.match(job, { state: 'blocked', ttl: 9, reason: { code: 'agent-failed', text: program.says[why] } });
  t.equal(await repo.oid(job.branch), await repo.oid('main'), 'nothing is on its branch');
  box.same(t, before, await repo.untouched());
  t.same(box.processes(), [], 'nothing of it lives');
}

async function limited(t: Test, { repo }: Ground, saysWhen: boolean, wording: RegExp): Promise<void> {
  const id = await repo.add('accept tabs');
  await repo.owl('run', { timeout: LONG, fails: 'any' });
  const job = await shown(repo, id);
  t.match(job, { state: 'pending', ttl: 10, reason: { code: 'usage-limit', text: wording } }, 'it waits, at no cost');
  const minutes = (Date.parse(job.not_before) - Date.now()) / 60_000;
  if (saysWhen) t.ok(minutes > 170 && minutes <= 181, `for the three hours that the provider says: ${job.not_before}`);
  else t.ok(minutes > 50 && minutes <= 60, `for an hour, where nobody says for how long: ${job.not_before}`);
  t.match((await repo.owl('run')).stdout, 'nothing to run', 'and is not tried again before');
}

const wanted = (program: string, scenario: string): boolean =>
  ONLY.length === 0 || ONLY.some((word) => [program, scenario, `${program}/${scenario}`].includes(word));

for (const program of PROGRAMS) {
  const probe = await run({
    command: join(BIN, program.name),
    args: ['--version'],
    cwd: '/',
    env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`, HOME: '/nonexistent' },
    timeout: 60_000,
  }).catch((error: Error) => error);
  const version = probe instanceof Error ? '' : (/\d+\.\d+\.\d+\S*/.exec(probe.stdout)?.[0] ?? '');
  const why =
    version !== ''
      ? false
      : `cannot run here: ${probe instanceof Error ? probe.message : `exit status ${probe.code}: ${probe.stderr.replace(/\s+/g, ' ')}`.slice(0, 300)}`;
  for (const [scenario, prove] of Object.entries(scenarios)) {
    if (!wanted(program.name, scenario)) continue;
    const row = { program: program.name, version, scenario };
    const write = (result: string): void => appendFileSync(TABLE, `${JSON.stringify({ ...row, result })}\n`);
    if (why !== false) write(`skipped: ${why}`);
    await t.test(`09: ${program.name} ${version}: ${scenario}`, { skip: why, timeout: 600_000 }, async (t) => {
      const began = Date.now();
      t.teardown(() => write(t.passing() ? `passed (${Math.round((Date.now() - began) / 1000)} s)` : 'FAILED'));
      await prove(t, program);
    });
  }
}
