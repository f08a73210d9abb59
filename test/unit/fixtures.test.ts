// The sandbox and the scripted agents: what the end-to-end tests stand on must itself be true.

import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { asExecutable, diligent, type Scenario } from '../fixtures/agents.js';
import { run } from '../fixtures/process.js';
import { serveDaemon, serveHttp, serveSilence, setHook } from '../fixtures/remote.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

/** Starts the agent of a scenario by hand, as a Run would. */
async function startAgent(box: Sandbox, scenario: Scenario, { phase = 'execute', prompt = 'do it', env = {} } = {}) {
  const repo = await box.repository();
  const agent = box.agent('worker', scenario);
  const [command = '', ...args] = agent.command;
  const owl = { OWL_PHASE: phase, OWL_JOB: 'k3x9qp', OWL_RUN: 'r1', OWL_HANDOFF: '.coding-owl/HANDOFF.md' };
  const again = (input = prompt) =>
    run({ command, args, cwd: repo.dir, env: { ...box.env(), ...owl, ...env }, input, timeout: 20_000 });
  return { repo, agent, again, result: await again() };
}

t.test('a sandbox is outside the repository, has no variable of the caller, and is removed', async (t) => {
  let dir = '';
  await t.test('inside', async (t) => {
    const box = await sandbox(t);
    dir = box.dir;
    const root = (await run({ command: 'git', args: ['rev-parse', '--show-toplevel'], cwd: dir, env: box.env() })).code;
    t.not(root, 0, 'it is in no repository');
    const names = (await run({ command: 'env', args: [], cwd: dir, env: box.env() })).stdout;
    t.notMatch(names, /^(?:TAP|NODE_|npm_)/m);
    t.match(names, `HOME=${dir}/home`);
  });
  t.notOk(existsSync(dir), 'it is gone');
});

t.test('processes that a test leaves are found and ended', async (t) => {
  let pids: number[] = [];
  await t.test('inside', async (t) => {
    const box = await sandbox(t);
    const { agent } = await startAgent(box, {
      execute: [{ child: 20_000, session: true, ignoreTerm: true, unmarked: true }],
    });
    await eventually(() => box.processes().length > 0);
    pids = box.processes().map(({ pid }) => pid);
    t.match(agent.trace(), `child ${pids[0]}`);
  });
  for (const pid of pids) t.ok(await eventually(() => !alive(pid)), `${pid} has ended`);
});

t.test('a repository with a bare remote, a colleague and a clone', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', files: { 'a b.txt': 'x\n' } });
  t.equal(await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD'), 'refs/remotes/origin/main');
  const commit = await repo.colleague('theirs', { 'c.txt': 'c\n' });
  t.equal(await repo.remoteGit('rev-parse', 'main'), commit);
  t.not(await repo.oid('origin/main'), commit, 'nothing was fetched here');
  const clone = await repo.clone();
  t.equal(clone.read('c.txt'), 'c\n');
  t.not(await repo.colleague('again', { 'c.txt': 'd\n' }), commit);
  t.equal(await repo.oid('refs/heads/nowhere'), '');
  t.match((await repo.gitFails('rev-parse', '--verify', 'nowhere')).stderr, 'fatal');
  await t.rejects(repo.git('rev-parse', '--verify', 'nowhere'), /git rev-parse --verify nowhere: 128/);
  t.match(
    await repo.git('log', '-1', '--format=%an <%ae> %ad', '--date=iso'),
    /^Ada Tester <ada@example.com> 2024-05-06/,
  );
});

t.test('untouched: sees every kind of change and nothing else', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
  const before = await repo.untouched();
  await repo.git('branch', 'owl/k3x9qp/thing');
  await repo.git('update-ref', 'refs/owl/keep/k3x9qp', 'HEAD');
  await repo.git('branch', 'refine/state');
  box.same(t, before, await repo.untouched());
  const changes: [string, () => unknown][] = [
    ['a.txt', () => repo.write('a.txt', 'changed\n')],
    ['.git/index', () => repo.git('add', 'a.txt')],
    ['refs/heads/main', () => repo.commit('moved', { 'b.txt': 'c\n' })],
    ['refs/tags/v1', () => repo.git('tag', 'v1')],
    ['.git/config', () => repo.git('config', 'user.name', 'Eve')],
    ['.git/HEAD', () => repo.git('checkout', '--quiet', '--detach')],
    ['new/file', () => repo.write('new/file', '')],
    ['.git/hooks/post-commit', () => repo.write('.git/hooks/post-commit', '#!/bin/sh\n')],
    ['refs/stash', () => repo.write('b.txt', 'stashed\n') ?? repo.git('stash')],
  ];
  for (const [name, change] of changes) {
    const old = await repo.untouched();
    await change();
    const seen = [...(await repo.untouched())].filter(([key, value]) => old.get(key) !== value);
    t.ok(
      seen.some(([key]) => key === name),
      `${name} is seen`,
    );
  }
});

t.test('the diligent agent plans, then writes and commits', async (t) => {
  const box = await sandbox(t);
  const { repo, agent, result } = await startAgent(box, diligent('x/work.txt'), {
    phase: 'plan',
    prompt: 'make it so',
  });
  t.equal(result.code, 0, result.stderr);
  t.match(await repo.git('show', 'HEAD:.coding-owl/HANDOFF.md'), '# Plan');
  t.match(agent.seen(), [{ phase: 'plan', number: 1, prompt: 'make it so', branch: 'refs/heads/main', handoff: null }]);
});

t.test('an agent enforces what it claims', async (t) => {
  const box = await sandbox(t);
  const lies: [string, Scenario, RegExp][] = [
    ['a commit of nothing', { execute: [{ commit: 'nothing' }] }, /nothing to commit/],
    [
      'refused, but something was written',
      { execute: [{ write: 'x', text: 'x' }, { refused: 'denied' }] },
      /changed by an agent/,
    ],
    ['a prompt that lacks a text', { execute: [{ expect: { prompt: ['Handoff'] } }] }, /the prompt lacks Handoff/],
    ['another branch', { execute: [{ expect: { branch: 'refs/heads/other' } }] }, /HEAD is refs\/heads\/main/],
    ['a command that fails', { execute: [{ sh: 'exit 3' }] }, /sh -c/],
    ['no such step', { execute: [{ fly: 1 } as never] }, /no such step/],
    ['a result without a file for it', { execute: [{ result: { outcome: 'done' } }] }, /OWL_RESULT_FILE/],
  ];
  for (const [name, scenario, reason] of lies) {
    const { result, agent } = await startAgent(box, scenario);
    t.equal(result.code, 70, name);
    t.match(agent.trace(), reason);
  }
});

t.test('an agent does what its steps say', async (t) => {
  const box = await sandbox(t);
  const { repo, agent, again, result } = await startAgent(box, {
    cases: [{ when: 'special', execute: [{ print: 'a case' }, { exit: 9 }] }],
    execute: [
      [{ refused: 'I may not' }, { exit: 3 }],
      [{ write: '{job}.txt', text: '{phase} {number}\n' }, { printLine: 200_000 }, { printBytes: [0xff, 0x1b, 0x0a] }],
      [{ reach: 'door' }, { await: 'door' }, { claude: 'limited' }, { signal: 'SIGKILL' }],
    ],
  });
  t.match(result, { code: 3, stdout: 'I may not\n' });
  const second = await again();
  t.equal(second.bytes.length, 200_004);
  t.equal(repo.read('k3x9qp.txt'), 'execute 2\n');
  const third = again();
  await agent.reached('door');
  agent.release('door');
  t.match(await third, { code: null, signal: 'SIGKILL', stdout: /"subtype":"success","is_error":true/ });
  t.match(await again('a special one'), { code: 9, stdout: 'a case\n' });
});

t.test('an agent that ignores SIGTERM, with a child that holds its pipes', async (t) => {
  const box = await sandbox(t);
  const { again, agent } = await startAgent(box, {
    execute: [[], [{ ignoreTerm: true }, { child: 400, pipes: true }, { reach: 'on' }, { sleep: 700 }]],
  });
  const began = Date.now();
  const running = again();
  await agent.reached('on');
  const pid = agent.seen().at(-1)?.pid ?? 0;
  process.kill(pid, 'SIGTERM');
  t.equal((await running).code, 0);
  t.ok(Date.now() - began >= 700, 'it ran to its own end');
  t.match(agent.trace(), 'ignored SIGTERM');
});

t.test('an agent in the place of a preset, and a repository that names its agents', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { definition: { plan: 'last-message' }, execute: [{ print: 'hello' }] });
  asExecutable(box, agent, 'claude');
  const repo = await box.repository({ agents: [agent], config: 'ttl: 3\n' });
  const claude = (...args: string[]) =>
    run({ command: 'sh', args: ['-c', `claude ${args.join(' ')}`], cwd: repo.dir, env: box.env() });
  t.match((await claude('--version')).stdout, '2.1.197');
  t.equal((await claude('-p', '--verbose')).stdout, 'hello\n');
  t.strictSame(agent.seen()[0]?.argv, ['-p', '--verbose']);
  t.match(
    await repo.git('show', 'HEAD:.coding-owl.yaml'),
    /^version: 1\nagent: worker\nagents:\n {2}worker: \{"command":.*\nttl: 3$/,
  );
  t.match(readFileSync(box.path('agents/worker.json'), 'utf8'), 'hello');
});

t.test('remotes: git daemon and smart HTTP serve fetch and push, with hooks and credentials', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const daemon = await serveDaemon(t, box, repo.bare);
  const http = await serveHttp(t, box, repo.bare);
  for (const { url } of [daemon, http]) {
    const commit = await repo.commit(`over ${url}`, { 'a.txt': url });
    await repo.git('push', '--quiet', url, 'main');
    t.equal(await repo.remoteGit('rev-parse', 'main'), commit, 'pushed');
    t.equal((await repo.git('ls-remote', url, 'refs/heads/main')).slice(0, 40), commit, 'seen');
  }
  t.ok(http.requests.some((line) => line.startsWith('POST /repo.git/git-receive-pack')));
  setHook(repo.bare, 'pre-receive', 'echo not today >&2; exit 1');
  await repo.commit('refused', { 'a.txt': 'refused' });
  t.match((await repo.gitFails('push', http.url, 'main')).stderr, /remote: not today[\s\S]*pre-receive hook declined/);

  const closed = await serveHttp(t, box, repo.bare, { credentials: { user: 'ada', password: 'secret' } });
  t.not((await repo.gitFails('ls-remote', closed.url)).code, 0, 'no credentials, no answer');
  t.match(await repo.git('ls-remote', closed.url.replace('//', '//ada:secret@')), 'refs/heads/main');
});

t.test('remotes: one that accepts the connection and says nothing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const silent = await serveSilence(t);
  const asking = run({
    command: 'timeout',
    args: ['2', 'git', 'ls-remote', silent.url],
    cwd: repo.dir,
    env: box.env(),
  });
  t.equal((await asking).code, 124, 'it waited until it was ended');
  t.equal(silent.connections(), 1);
});

function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
