// Presets as data: argv, what is read from sample streams, limits; and what surrounds an agent: environment, sandbox,
// result file, outcome (J16, J16b; 09).

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { agentCredentials, agentEnvironment } from '../../../src/agent/environment.js';
import { findExecutable } from '../../../src/agent/executable.js';
import {
  agentDefinition,
  agentInvocation,
  executableOf,
  PRESETS,
  presetFor,
  presetNamed,
} from '../../../src/agent/presets/index.js';
import { recogniseLimit } from '../../../src/agent/presets/limits.js';
import { parseResult, readResult } from '../../../src/agent/result.js';
import { makeWritable, sandboxed, writableFor } from '../../../src/agent/sandbox.js';
import { splitLines } from '../../../src/agent/stream.js';
import type { AgentRequest, Preset, StreamReport } from '../../../src/agent/types.js';
import { type AgentFacts, classifyAgent, type ResultFacts } from '../../../src/domain/agent-outcome.js';
import { branchRef } from '../../../src/domain/git.js';
import type { AgentDefinition } from '../../../src/domain/policy.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const preset = (name: string): Preset => {
  const found = presetNamed(name);
  if (found === null) throw new Error(`no preset ${name}`);
  return found;
};

const definition = (change: Partial<AgentDefinition> = {}): AgentDefinition => ({
  command: [],
  prompt: 'stdin',
  env: [],
  sandbox: [],
  account: null,
  plan: 'writes',
  preset: null,
  ...change,
});

const request = (change: Partial<AgentRequest> = {}): AgentRequest => ({
  definition: definition(),
  phase: 'execute',
  worktree: '/w',
  commonDir: '/r/.git',
  writable: ['/w', '/r/.git/objects'],
  promptFile: '/run/prompt',
  resultFile: '/run/out/result.json',
  env: { OWL_HANDOFF: '.coding-owl/HANDOFF.md' },
  model: null,
  budget: null,
  sandbox: [],
  ...change,
});

const read = (name: string, ...events: readonly unknown[]): StreamReport => {
  const reader = preset(name).reader(() => NOW);
  for (const event of events) reader.line(typeof event === 'string' ? event : JSON.stringify(event));
  return reader.report();
};

t.test('09: the argv of each preset, without the prompt in it', async (t) => {
  const argv = (name: string, change: Partial<AgentRequest> = {}) =>
    preset(name).invocation(request(change)).argv.join(' ');
  t.equal(
    argv('claude', { model: 'opus', budget: '$5' }),
    'claude -p --output-format stream-json --verbose --permission-mode bypassPermissions --no-session-persistence --model opus --max-budget-usd 5',
  );
  t.equal(
    argv('codex', { model: 'm' }),
    'codex exec --json --sandbox workspace-write --add-dir /r/.git/objects -C /w --ephemeral --color never -o /run/out/last-message -m m -',
  );
  t.equal(argv('opencode'), 'opencode run --format json --auto --dir /w --agent build');
  t.equal(argv('gemini'), 'gemini -o stream-json --approval-mode yolo --skip-trust');
  t.match(argv('copilot'), /^copilot --output-format json --allow-all-tools --deny-tool shell\(git push\) /);
  t.match(argv('aider'), /^aider --message-file \/run\/prompt --yes-always .* --file \.coding-owl\/HANDOFF\.md$/);
  for (const { name, invocation } of PRESETS) {
    const made = invocation(request());
    t.equal(made.stdin, name === 'aider' ? 'none' : 'prompt', name);
    t.equal(
      made.argv.filter((word) => /resume|session-id|--worktree|continue/.test(word)).length,
      0,
      'no session is ever resumed',
    );
  }
});

t.test('09, rule 12: a planning mode that cannot write is used only where the definition says so', async (t) => {
  const plan = { phase: 'plan', definition: definition({ plan: 'last-message' }) } as const;
  const words = { claude: 'plan', codex: 'read-only', opencode: 'plan', gemini: 'plan', copilot: 'plan' };
  for (const [name, word] of Object.entries(words)) {
    t.ok(preset(name).invocation(request(plan)).argv.includes(word), name);
    t.notOk(
      preset(name)
        .invocation(request({ phase: 'plan' }))
        .argv.includes(word),
      name,
    );
    t.notOk(
      preset(name)
        .invocation(request({ ...plan, phase: 'execute' }))
        .argv.includes(word),
      name,
    );
  }
});

t.test('J16: names, entries that build on a preset, and any command', async (t) => {
  const policy = {
    agents: {
      mine: definition({ command: ['/opt/claude', '--profile', 'x'], preset: 'claude' }),
      claude: definition({ command: ['other'] }),
    },
  };
  t.equal(agentDefinition('nobody', policy), null);
  t.equal(agentDefinition('constructor', policy), null);
  t.equal(agentDefinition('codex', policy)?.preset, 'codex');
  t.strictSame(agentDefinition('claude', policy)?.command, ['other'], 'an entry replaces the preset of its name');
  const mine = agentDefinition('mine', policy) ?? definition();
  const built = presetFor(mine) ?? preset('codex');
  t.equal(built.name, 'claude');
  t.equal(executableOf(mine, built), '/opt/claude');
  t.strictSame(built.invocation(request({ definition: mine })).argv.slice(0, 5), [
    '/opt/claude',
    '--profile',
    'x',
    '-p',
    '--output-format',
  ]);
  t.equal(presetFor(definition({ preset: 'nobody' })), null);

  const custom = definition({ command: ['my-agent', '--file={prompt_file}', '{worktree}', '$&'], prompt: 'file' });
  const made = presetFor(custom)?.invocation(request({ definition: custom, worktree: '/w/$&' }));
  t.strictSame(made?.argv, ['my-agent', '--file=/run/prompt', '/w/$&', '$&']);
  t.equal(made?.stdin, 'none');
  t.equal(presetFor(custom)?.needsTerminal, false);
});

t.test('J17: many lines cost the reader of any command seconds, not hours; the end is its last message', (t) => {
  const reader = presetFor(definition({ command: ['my-agent'], prompt: 'stdin' }))?.reader();
  if (reader === undefined) throw new Error('no reader');
  t.equal(reader.report().lastMessage, null);
  const begin = performance.now();
  for (let at = 1; at <= 200_000; at += 1) {
    reader.line(String(at));
    if (reader.report().terminal !== 'none' || reader.latest?.() !== String(at)) t.fail(`line ${at}`);
  }
  reader.line('');
  t.ok(performance.now() - begin < 10_000);
  t.equal(reader.latest?.(), '200000');
  const message = reader.report().lastMessage ?? '';
  t.equal(message.length, 256 * 1024);
  t.match(message, /\n200000\n\n$/);
  t.end();
});

t.test('09, claude: result lines', async (t) => {
  const init = { type: 'system', subtype: 'init', session_id: 's', cwd: '/w' };
  const said = {
    type: 'assistant',
    message: {
      content: [
        { type: 'text', text: 'I will ' },
        { type: 'tool_use', name: 'Bash' },
      ],
    },
  };
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 3,
    result: 'All done',
    total_cost_usd: 0.25,
    usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 7 },
    permission_denials: [{ tool_name: 'Bash', tool_input: {} }, { tool_name: 'Bash' }],
  };
  t.match(read('claude', init, 'a log line', said), { terminal: 'none', lastMessage: 'I will ' });
  t.strictSame(read('claude', init, said, result), {
    terminal: 'success',
    message: null,
    lastMessage: 'All done',
    usage: { input: 15, output: 7, cached: 100, cost: 0.25, turns: 3 },
    notBefore: null,
    denied: ['Bash'],
  });
  t.match(read('claude', { ...result, is_error: true, result: 'Invalid API key' }), {
    terminal: 'failure',
    message: 'Invalid API key',
  });
  t.match(read('claude', { type: 'result', subtype: 'error_max_turns', is_error: true }), {
    terminal: 'failure',
    message: 'error_max_turns',
  });
  t.equal(read('claude', JSON.stringify(result).slice(0, -5)).terminal, 'none', 'a line that was cut is no event');
  t.equal(read('claude', '{"type":"result"', '[1]', 'null', '{}', '{"type":7}').terminal, 'none');
});

t.test('J16b, claude: usage limits are read from failures only', async (t) => {
  const limit = "You've hit your session limit · resets 9pm (Europe/Berlin)";
  const failed = { type: 'result', subtype: 'success', is_error: true, result: limit };
  t.match(read('claude', failed), { terminal: 'limited', message: limit, notBefore: '2026-03-10T20:00:00Z' });
  const rejected = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: NOW / 1000 + 3600 } };
  t.match(read('claude', rejected, { ...failed, result: 'no' }), {
    terminal: 'limited',
    notBefore: '2026-03-10T13:00:00.000Z',
  });
  const warned = {
    type: 'rate_limit_event',
    rate_limit_info: { status: 'allowed_warning', resetsAt: NOW / 1000 + 3600 },
  };
  const quoted = { type: 'assistant', message: { content: [{ type: 'text', text: limit }] } };
  t.match(read('claude', warned, quoted, { ...failed, is_error: false }), { terminal: 'success', notBefore: null });
});

t.test('09, codex: turns', async (t) => {
  const start = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }];
  const message = { type: 'item.completed', item: { type: 'agent_message', text: 'Fixed' } };
  const completed = { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } };
  const reconnect = { type: 'error', message: 'Reconnecting… 2/5' };
  t.match(read('codex', ...start, reconnect, message), { terminal: 'none', lastMessage: 'Fixed' });
  t.match(read('codex', ...start, reconnect, message, completed), {
    terminal: 'success',
    message: null,
    usage: { input: 9, output: 2, cached: 4 },
  });
  t.equal(read('codex', ...start, completed, { type: 'turn.started' }).terminal, 'none');
  t.match(read('codex', ...start, { type: 'turn.failed', error: { message: 'stream error' } }), {
    terminal: 'failure',
    message: 'stream error',
  });
  const limit = "You've hit your usage limit. Upgrade to Pro or try again in 1 day 2 hours 3 minutes.";
  t.match(read('codex', ...start, { type: 'turn.failed', error: { message: limit } }), {
    terminal: 'limited',
    notBefore: '2026-03-11T14:03:00Z',
  });
});

t.test('09, opencode: steps are summed, errors and refusals are seen', async (t) => {
  const step = (reason: string) => ({
    type: 'step_finish',
    part: {
      type: 'step-finish',
      reason,
      cost: 0.5,
      tokens: { input: 10, output: 2, reasoning: 0, cache: { read: 3, write: 0 } },
    },
  });
  const begin = { type: 'step_start', part: {} };
  const text = { type: 'text', part: { text: 'Ready' } };
  t.equal(read('opencode', begin, step('tool-calls')).terminal, 'none');
  t.match(read('opencode', begin, step('tool-calls'), begin, text, step('stop')), {
    terminal: 'success',
    lastMessage: 'Ready',
    usage: { input: 20, output: 4, cached: 6, cost: 1, turns: 2 },
  });
  t.match(read('opencode', begin, step('tool-calls'), { type: 'done', reason: 'idle', rejected: ['bash'] }), {
    terminal: 'success',
    denied: ['bash'],
  });
  t.match(
    read(
      'opencode',
      begin,
      { type: 'error', error: { name: 'APIError', data: { message: 'no credit' } } },
      { type: 'done', reason: 'idle' },
    ),
    {
      terminal: 'failure',
      message: 'no credit',
    },
  );
});

t.test('09, gemini: the result line, never the exit status', async (t) => {
  const delta = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });
  t.equal(read('gemini', { type: 'init' }, delta('a')).terminal, 'none');
  t.match(
    read('gemini', delta('a'), { type: 'tool_use' }, delta('b'), delta('c'), {
      type: 'result',
      status: 'success',
      stats: { total_tokens: 12, input_tokens: 8, output_tokens: 4, cached: 1 },
    }),
    { terminal: 'success', lastMessage: 'bc', usage: { input: 8, output: 4, cached: 1 } },
  );
  t.match(read('gemini', { type: 'result', status: 'error', error: { type: 'Error', message: 'boom' } }), {
    terminal: 'failure',
    message: 'boom',
  });
  t.match(
    read('gemini', {
      type: 'result',
      status: 'error',
      error: { message: 'You have exhausted your capacity on this model. Your quota will reset after 3h25m12s.' },
    }),
    {
      terminal: 'limited',
      notBefore: '2026-03-10T15:25:12Z',
    },
  );
});

t.test('09, aider and any command: text', async (t) => {
  t.match(
    read('aider', 'Applied edit to a.py', 'Tokens: 4.3k sent, 120 received. Cost: $0.02 message, $0.05 session.'),
    {
      terminal: 'none',
      lastMessage: 'Applied edit to a.py',
      usage: { input: 4300, output: 120, cost: 0.05 },
    },
  );
  const reader = presetFor(definition({ command: ['x'] }))?.reader();
  reader?.line('one');
  reader?.line('two');
  t.match(reader?.report(), { terminal: 'none', lastMessage: 'one\ntwo\n', usage: null });
});

t.test('J16b: when limits lift', async (t) => {
  const at = (message: string) => recogniseLimit(message, NOW).notBefore;
  t.equal(at("You've hit your limit · resets 2pm (Asia/Shanghai)"), '2026-03-11T06:00:00Z', 'the next 2pm there');
  t.equal(at("You've hit your weekly limit · resets Mar 12, 5pm (UTC)"), '2026-03-12T17:00:00Z');
  t.equal(
    at("You've hit your weekly limit · resets Mar 30 at 2:30am (Europe/Berlin)"),
    '2026-03-30T00:30:00Z',
    'across a clock change',
  );
  t.equal(at("You've hit your usage limit. Try again at Dec 29th, 2026 10:15 PM UTC"), '2026-12-29T22:15:00Z');
  t.equal(at('Claude AI usage limit reached|1778565600'), '2026-05-12T06:00:00Z');
  t.equal(at("You've hit your usage limit."), null);
  t.equal(at("You've hit your limit · resets 2pm (Nowhere/Land)"), null);
  for (const other of ['token limit in the context window', 'the rate limiter of the project', 'Invalid API key', '']) {
    t.strictSame(recogniseLimit(other, NOW), { limited: false, notBefore: null }, other);
  }
});

t.test('J16: the environment is an allow-list', async (t) => {
  const variables = {
    PATH: '/bin',
    HOME: '/home/x',
    LC_ALL: 'C',
    MY_KEY: 'k',
    OTHER_ACCOUNT_KEY: 'no',
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'no',
    AWS_SECRET_ACCESS_KEY: 'no',
    NODE_OPTIONS: '--require /evil',
    GIT_DIR: '/elsewhere',
    GIT_INDEX_FILE: '/elsewhere/index',
    GIT_CONFIG_COUNT: '1',
    GIT_AUTHOR_NAME: 'Ann',
    OWL_TEST_NOW: '2020-01-01T00:00:00Z',
    OWL_FAIL_AT: 'x',
    PWD: '/somewhere',
    TAP: '1',
  };
  const base = {
    variables,
    job: 'k3x9qp',
    run: 'run1',
    phase: 'execute',
    base: 'a'.repeat(40),
    handoff: 'H',
    worktree: '/w',
  } as const;
  const env = agentEnvironment({
    ...base,
    pass: ['MY_KEY', 'NODE_OPTIONS', 'GIT_DIR', 'OWL_FAIL_AT', 'NOT_SET'],
    credentials: agentCredentials(definition(), preset('claude')),
    promptFile: '/p',
    resultFile: '/o/r',
  });
  t.strictSame(env, {
    PATH: '/bin',
    HOME: '/home/x',
    LC_ALL: 'C',
    MY_KEY: 'k',
    ANTHROPIC_API_KEY: 'a',
    GIT_AUTHOR_NAME: 'Ann',
    NO_COLOR: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    OWL_JOB: 'k3x9qp',
    OWL_RUN: 'run1',
    OWL_PHASE: 'execute',
    OWL_BASE: 'a'.repeat(40),
    OWL_HANDOFF: 'H',
    OWL_PROMPT_FILE: '/p',
    OWL_RESULT_FILE: '/o/r',
    PWD: '/w',
  });
  const check = agentEnvironment({ ...base, pass: [], identity: { name: 'git owl', email: 'o@x' } });
  t.notOk('OWL_PROMPT_FILE' in check || 'ANTHROPIC_API_KEY' in check);
  t.equal(check['GIT_AUTHOR_NAME'], 'Ann', 'the environment wins over the fallback');
  t.equal(check['GIT_COMMITTER_NAME'], 'git owl');
  t.strictSame(
    agentCredentials(definition({ account: 'work', env: ['MY_KEY'] }), preset('claude')),
    ['MY_KEY'],
    'an account stands alone',
  );

  const local = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
  const passed = agentEnvironment({
    ...base,
    variables: Object.fromEntries(local.map((name) => [name, 'x'])),
    pass: local,
  });
  t.strictSame(
    local.filter((name) => name in passed),
    [],
    'none of this Git’s local variables can be passed',
  );
});

t.test('J16, sandbox: what stays writable, and placeholders', async (t) => {
  const folders = writableFor({
    commonDir: '/r/.git',
    worktree: '/w',
    adminDir: '/r/.git/worktrees/k3x9qp',
    branch: branchRef('owl/k3x9qp/fix'),
    extra: ['/run/out'],
  });
  t.strictSame(folders, [
    '/w',
    '/r/.git/worktrees/k3x9qp',
    '/r/.git/objects',
    '/r/.git/refs/heads/owl/k3x9qp',
    '/r/.git/logs/refs/heads/owl/k3x9qp',
    '/run/out',
  ]);
  const two = { worktree: '/w', writable: ['/w', '/o'] };
  const wrap = (...prefix: readonly string[]) => sandboxed(['agent', '{worktree}'], prefix, two).join(' ');
  t.equal(
    wrap('bwrap', '--bind', '{writable}', '{writable}', '--chdir', '{worktree}', '--'),
    'bwrap --bind /w /w --bind /o /o --chdir /w -- agent {worktree}',
  );
  t.equal(wrap('jail', '--rw={writable}', '-x'), 'jail --rw=/w --rw=/o -x agent {worktree}');
  t.equal(wrap('jail', '{writable}', '--'), 'jail /w /o -- agent {worktree}');
  const made = agentInvocation(preset('gemini'), request({ sandbox: ['jail', '{worktree}'] }));
  t.strictSame(made.argv.slice(0, 3), ['jail', '/w', 'gemini']);
  t.ok(agentInvocation(preset('gemini'), request({ sandbox: 'preset' })).argv.includes('-s'));
});

t.test('09, rule 13: with that list alone writable, a commit in a linked worktree works', async (t) => {
  const unshare = findExecutable('unshare', process.env['PATH']);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'owl-sandbox-')));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const main = join(home, 'main');
  mkdirSync(main);
  git(main, 'init', '-q', '-b', 'main');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  const worktree = join(home, 'tree');
  git(main, 'worktree', 'add', '-q', '-b', 'owl/k3x9qp/fix', worktree);
  git(main, 'pack-refs', '--all');
  const commonDir = join(main, '.git');
  const writable = writableFor({
    commonDir,
    worktree,
    adminDir: join(commonDir, 'worktrees', 'tree'),
    branch: branchRef('owl/k3x9qp/fix'),
  });
  await makeWritable(writable);
  // Bind mounts in a mount namespace stand for a sandbox; where that is not allowed, only the list was tested above.
  const binds = writable.map((folder) => `mount --bind '${folder}' '${folder}'`).join(' && ');
  const script = `${binds} && mount --bind '${main}' '${main}' && mount -o remount,bind,ro '${main}' && ${writable
    .filter((folder) => folder.startsWith(main))
    .map((folder) => `mount --bind '${folder}' '${folder}' && mount -o remount,bind,rw '${folder}'`)
    .join(' && ')}`;
  const attempt = (command: string) =>
    execFileSync(unshare ?? 'unshare', ['-m', 'sh', '-c', `${script} || exit 99; cd '${worktree}' && ${command}`], {
      stdio: 'pipe',
    });
  try {
    attempt('true');
  } catch {
    t.pass('no mount namespace here');
    return;
  }
  attempt('echo x > file && git add file && git -c user.name=a -c user.email=a@b commit -q -m inside');
  t.equal(git(main, 'log', '-1', '--format=%s', 'owl/k3x9qp/fix'), 'inside');
  t.throws(() => attempt('git config core.hooksPath /evil'), 'the configuration is read-only');
  t.throws(() => attempt('git branch other'), 'other branches are read-only');
});

t.test('J16: executables are looked for on absolute PATH entries only', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'owl-path-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'bin/folder'), { recursive: true });
  writeFileSync(join(home, 'bin/tool'), '');
  writeFileSync(join(home, 'bin/plain'), '');
  chmodSync(join(home, 'bin/tool'), 0o755);
  t.equal(findExecutable('tool', `:bin:/nowhere:${home}/bin`), join(home, 'bin/tool'));
  for (const name of ['plain', 'folder', 'missing', '']) t.equal(findExecutable(name, `${home}/bin`), null, name);
  t.equal(findExecutable('tool', ''), null);
  t.equal(findExecutable('./bin/tool', '', home), join(home, 'bin/tool'));
});

t.test('J16b: the result file is read with care', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'owl-result-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  t.strictSame(await readResult(join(home, 'missing')), { kind: 'none' });
  t.strictSame(await readResult(file('empty', '\n')), { kind: 'none' });
  const good = { outcome: 'limited', summary: 's', usage: { input: 1, cost: 0.5 }, not_before: '2026-03-10T20:00:00Z' };
  t.strictSame(await readResult(file('good', `${JSON.stringify({ ...good, extra: 1 })}\n`)), {
    kind: 'found',
    result: good,
  });
  t.match(await readResult(file('big', Buffer.alloc(1024 * 1024 + 1, 32))), {
    kind: 'unreadable',
    why: /more than 1 MiB/,
  });
  symlinkSync('/etc/passwd', join(home, 'link'));
  t.match(await readResult(join(home, 'link')), { kind: 'unreadable' });
  execFileSync('mkfifo', [join(home, 'pipe')]);
  t.match(await readResult(join(home, 'pipe')), { kind: 'unreadable', why: /regular file/ });
  t.match(parseResult('{"outcome":"great"}'), { kind: 'unreadable', why: /outcome/ });
  t.match(parseResult('not json'), { kind: 'unreadable', why: /not JSON/ });
  t.match(parseResult('{"outcome":"done","usage":{"input":-1}}'), { kind: 'unreadable', why: /usage.input/ });
});

t.test('J16b; 09, rule 3; 11: the table of outcomes', async (t) => {
  const none: StreamReport = {
    terminal: 'none',
    message: null,
    lastMessage: null,
    usage: null,
    notBefore: null,
    denied: [],
  };
  const facts = (change: Partial<AgentFacts> = {}, report: Partial<StreamReport> = {}): AgentFacts => ({
    code: 0,
    signal: null,
    endedBy: 'itself',
    started: true,
    startError: null,
    report: { ...none, ...report },
    ...change,
  });
  const claim = (
    outcome: 'done' | 'no-change' | 'blocked' | 'limited',
    notBefore: string | null = null,
  ): ResultFacts => ({
    kind: 'found',
    outcome,
    summary: 'sum',
    notBefore,
  });
  const decide = (given: AgentFacts, result: ResultFacts = { kind: 'none' }, needsTerminal = true) =>
    classifyAgent(given, result, { needsTerminal, timeout: { text: '4h' }, stall: { text: '15m' }, now: NOW });
  const success = { terminal: 'success' } as const;

  t.match(decide(facts({}, success)), { kind: 'succeeded', claim: null });
  t.match(
    decide(facts()),
    { kind: 'failed', code: 'agent', reason: /did not report success/ },
    'exit 0 alone is nothing',
  );
  t.match(decide(facts(), { kind: 'none' }, false), { kind: 'succeeded' }, 'a preset without such an event');
  t.match(
    decide(facts({ code: 1 }, success)),
    { kind: 'failed', reason: /exit status 1/ },
    'exit 1 after good commits',
  );
  t.match(decide(facts({}, { terminal: 'failure', message: 'not logged in' })), {
    kind: 'failed',
    reason: 'not logged in',
  });
  t.match(
    decide(facts({ code: null, signal: 'SIGTERM', lingered: true }, success)),
    { kind: 'succeeded' },
    'ended by us after its event',
  );
  t.match(decide(facts({ code: null, signal: 'SIGSEGV' }, success)), { kind: 'failed', reason: /SIGSEGV/ });
  t.match(decide(facts({ code: 0, endedBy: 'timeout' }, success)), {
    kind: 'failed',
    code: 'limit',
    reason: /timeout of 4h/,
  });
  t.match(decide(facts({ code: null, endedBy: 'stall' })), {
    kind: 'failed',
    code: 'limit',
    reason: /stall limit of 15m/,
  });
  t.match(decide(facts({ code: 0, endedBy: 'stopped' }, success)), { kind: 'interrupted' });
  t.match(decide(facts({ started: false, code: null, startError: 'ENOENT' })), {
    kind: 'failed',
    code: 'start',
    reason: /ENOENT/,
  });
  t.match(decide(facts({ code: null, guardianLost: true }, success)), { kind: 'failed', reason: /guardian/ });
  t.match(decide(facts({ code: 2, lastError: 'bad flag' })), { reason: 'it ended with exit status 2: bad flag' });

  t.match(decide(facts({}, success), claim('no-change')), { kind: 'succeeded', claim: 'no-change', summary: 'sum' });
  t.match(
    decide(facts({ code: 1 }), claim('done')),
    { kind: 'failed', summary: 'sum' },
    'its word does not outweigh its end',
  );
  t.match(decide(facts(), claim('done')), { kind: 'failed' });
  t.match(decide(facts({ code: 1 }), claim('blocked')), { kind: 'succeeded', claim: 'blocked' });
  t.match(decide(facts({}, success), { kind: 'unreadable', why: 'it is not JSON' }), {
    kind: 'failed',
    reason: /result file.*not JSON/,
  });

  t.match(decide(facts({ code: 1 }, { terminal: 'limited', message: 'limit', notBefore: '2026-03-10T20:00:00Z' })), {
    kind: 'limited',
    notBefore: '2026-03-10T20:00:00Z',
    atOnce: true,
  });
  t.match(decide(facts({ code: 1 }, { terminal: 'limited', usage: { output: 5 } })), {
    kind: 'limited',
    atOnce: false,
    notBefore: '2026-03-10T13:00:00Z',
  });
  t.match(
    decide(facts(), claim('limited', '2027-01-01T00:00:00Z'), false),
    { kind: 'limited', notBefore: '2026-03-17T12:00:00Z' },
    '7 days at most',
  );
  t.match(decide(facts(), claim('limited', '2020-01-01T00:00:00Z'), false), {
    kind: 'limited',
    notBefore: '2026-03-10T12:01:00Z',
  });
});

t.test('J17: lines from any chunks', async (t) => {
  const lines: string[] = [];
  const splitter = splitLines((line) => lines.push(line), 8);
  for (const chunk of ['a\nb', 'c\r\n\n', '12345678', '9', '0\nx', 'y']) splitter.push(Buffer.from(chunk));
  splitter.end();
  t.strictSame(lines, ['a', 'bc', '', '12345678', 'xy']);
});
