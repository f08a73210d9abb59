// Agents as real processes: what they are given, how they are ended, and that nothing of them is left (J5, J16 to J19).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startGuardian } from '../../../src/agent/guardian-client.js';
import { claude } from '../../../src/agent/presets/claude.js';
import { codex } from '../../../src/agent/presets/codex.js';
import { customPreset } from '../../../src/agent/presets/custom.js';
import { type AgentLaunch, superviseAgent } from '../../../src/agent/supervise.js';
import type { StreamReader } from '../../../src/agent/types.js';
import { systemClock } from '../../../src/system/clock.js';
import { findMarked, processInfo, processStart } from '../../../src/system/processes.js';
import { bundle } from '../../fixtures/bundle.js';

t.jobs = 2;

const home = realpathSync(mkdtempSync(join(tmpdir(), 'owl-supervise-')));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
const guardian = bundle('src/agent/guardian.ts', home, 'guardian');
const driver = bundle('test/fixtures/supervise-driver.ts', home, 'driver');
const PATH = process.env['PATH'] ?? '';

let count = 0;
const ms = (value: number) => ({ ms: value, text: `${value}ms` });

const textReader = (): StreamReader =>
  customPreset('x', {
    command: ['x'],
    prompt: 'stdin',
    env: [],
    sandbox: [],
    account: null,
    plan: 'writes',
    preset: null,
  }).reader();

/** A shell script as an agent, in a folder of its own. */
function agent(script: string, change: Partial<AgentLaunch> = {}) {
  count += 1;
  const folder = join(home, `case-${count}`);
  const run = `run${process.pid}x${count}`;
  mkdirSync(join(folder, 'tree'), { recursive: true });
  const file = join(folder, 'agent.sh');
  writeFileSync(file, script);
  writeFileSync(join(folder, 'prompt'), 'do it\n');
  const started: { pid: number; start: string }[] = [];
  const launch: AgentLaunch = {
    invocation: { argv: ['sh', file], env: {}, stdin: 'prompt' },
    env: { PATH, OWL_RUN: run, OUT: folder },
    cwd: join(folder, 'tree'),
    promptFile: join(folder, 'prompt'),
    logFile: join(folder, 'log'),
    limits: { timeout: ms(20_000), stall: ms(20_000) },
    marker: run,
    reader: textReader(),
    signal: new AbortController().signal,
    clock: systemClock({}),
    watch: join(folder, 'tree'),
    guardian,
    grace: 300,
    onStart: (group) => {
      started.push(group);
    },
    ...change,
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { folder, run, launch, started, read, log: () => readFileSync(launch.logFile) };
}

const isGone = (pid: number): boolean => {
  const info = processInfo(pid);
  return info === 'absent' || (typeof info === 'object' && info.state === 'Z');
};

async function eventually(test: Test, what: string, limit: number, check: () => boolean): Promise<void> {
  const end = performance.now() + limit;
  while (!check()) {
    if (performance.now() > end) return void test.fail(what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  test.pass(what);
}

t.test('J16: the prompt is standard input, whole and closed, whatever it begins with', async (t) => {
  const prompt = `-p --help\n${'x'.repeat(200 * 1024)}`;
  const it = agent('cat > "$OUT/got"; pwd; echo "$PWD"; ls -l /proc/self/fd | grep -c socket: ; exit 0');
  writeFileSync(it.launch.promptFile, prompt);
  const exit = await superviseAgent(it.launch);
  t.strictSame([exit.code, exit.signal, exit.endedBy, exit.started], [0, null, 'itself', true]);
  t.equal(it.read('got'), prompt);
  const [cwd, pwd, sockets] = it.log().toString().split('\n');
  t.equal(cwd, it.launch.cwd);
  t.equal(pwd, it.launch.cwd);
  t.equal(sockets, '0', 'it holds none of the channels between git owl and the guardian');
  t.equal(it.started.length, 1);
  t.not(it.started[0]?.start, '');
  t.strictSame(exit.leftBehind, []);
});

t.test('J16: its output can be opened by name, as scripts do', async (t) => {
  const it = agent('echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr >/dev/null');
  const exit = await superviseAgent(it.launch);
  t.equal(exit.code, 0);
  t.strictSame(it.log().toString().split('\n').sort(), ['', 'one', 'three', 'two']);
});

t.test('09, rule 2: with no prompt on standard input it is at its end at once', async (t) => {
  const it = agent('cat; echo over', {
    invocation: { argv: ['sh', '-c', 'cat; echo over'], env: { A: 'b' }, stdin: 'none' },
  });
  const exit = await superviseAgent(it.launch);
  t.equal(exit.code, 0);
  t.equal(it.log().toString(), 'over\n');
});

t.test('J17: output is kept byte by byte: a line of 16 MB, no UTF-8, no newline at the end', async (t) => {
  const lines: string[] = [];
  const reader: StreamReader = { line: (text) => lines.push(text), report: textReader().report };
  const script = `
    printf 'a\\377\\000b\\r\\n'
    head -c 16777216 /dev/zero | tr '\\0' x
    printf '\\nlast'
  `;
  const it = agent(script, { reader });
  const exit = await superviseAgent(it.launch);
  t.equal(exit.code, 0);
  const expected = Buffer.concat([
    Buffer.from([97, 255, 0, 98, 13, 10]),
    Buffer.alloc(16 * 1024 * 1024, 'x'),
    Buffer.from('\nlast'),
  ]);
  t.ok(it.log().equals(expected), 'the log is what was printed');
  t.strictSame(
    lines.map((line) => line.length),
    [4, 1024 * 1024, 4],
  );
  t.equal(lines[0], 'a\ufffd\0b');
});

t.test('J17: both streams are in the log; the reader sees standard output alone', async (t) => {
  const lines: string[] = [];
  const shown: string[] = [];
  const reader: StreamReader = { line: (text) => lines.push(text), report: textReader().report };
  const script = 'echo one; sleep 0.05; echo noise >&2; sleep 0.05; echo two; exit 3';
  const it = agent(script, { reader, onOutput: (line) => shown.push(line) });
  const exit = await superviseAgent(it.launch);
  t.equal(exit.code, 3);
  t.equal(it.log().toString(), 'one\nnoise\ntwo\n');
  t.strictSame(lines, ['one', 'two']);
  t.strictSame(shown, ['one', 'two']);
  const apart = agent(script, {});
  const errFile = join(apart.folder, 'errors');
  const second = await superviseAgent({ ...apart.launch, errFile });
  t.equal(apart.log().toString(), 'one\ntwo\n');
  t.equal(readFileSync(errFile, 'utf8'), 'noise\n');
  t.equal(second.lastError, 'noise');
});

// Alone: it blocks this process.
const alone = { buffered: false };
t.test('J17, 07.14: the end of much output is kept, however slowly it is read', alone, async (t) => {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const slow = (lines: string[]): StreamReader => ({
    line: (text) => {
      lines.push(text);
      // The pipes are full when the agent goes.
      Atomics.wait(wait, 0, 0, 8);
    },
    report: textReader().report,
  });
  const flood = "head -c 300000 /dev/zero | tr '\\0' x | fold -w 999; echo; echo THE END";
  const size = 300_000 + 300 + 9;
  for (const [name, script, by] of [
    ['it goes by itself', flood, 'itself'],
    ['it is told to go', `trap "${flood}; exit 0" TERM; sleep 30 & wait`, 'timeout'],
  ] as const) {
    const lines: string[] = [];
    const limits = { timeout: ms(by === 'timeout' ? 300 : 20_000), stall: ms(20_000) };
    const it = agent(script, { reader: slow(lines), limits, grace: 5000 });
    const exit = await superviseAgent(it.launch);
    t.equal(exit.endedBy, by, name);
    t.equal(it.log().length, size, `${name}: every byte`);
    t.equal(it.log().subarray(-9).toString(), '\nTHE END\n');
    t.equal(lines.at(-1), 'THE END', `${name}: its reader has it too`);
  }
  const loud = agent(`{ ${flood}; } >&2; { ${flood}; }`, { reader: slow([]) });
  const errFile = join(loud.folder, 'errors');
  await superviseAgent({ ...loud.launch, errFile });
  t.equal(readFileSync(errFile).length, size, 'standard error too');
  t.equal(loud.log().length, size);
});

t.test('J18: past its timeout agent and grandchild go, though both ignore SIGTERM', async (t) => {
  const script = `
    trap '' TERM
    sh -c 'trap "" TERM; echo $$ > "$OUT/grandchild"; while :; do sleep 0.05; done' &
    while :; do echo chatter; sleep 0.05; done
  `;
  const it = agent(script, { limits: { timeout: ms(400), stall: ms(20_000) } });
  const exit = await superviseAgent(it.launch);
  t.equal(exit.endedBy, 'timeout');
  t.equal(exit.signal, 'SIGKILL');
  t.ok(isGone(it.started[0]?.pid ?? 0));
  t.ok(isGone(Number(it.read('grandchild'))));
  t.strictSame(exit.leftBehind, []);
});

t.test('J18: a polite agent is not waited for', async (t) => {
  const it = agent('trap "echo bye; exit 0" TERM; while :; do sleep 0.02; done', {
    limits: { timeout: ms(300), stall: ms(20_000) },
    grace: 10_000,
  });
  const begin = performance.now();
  const exit = await superviseAgent(it.launch);
  t.ok(performance.now() - begin < 5000);
  t.strictSame([exit.endedBy, exit.code], ['timeout', 0]);
  t.match(it.log().toString(), /bye\n$/, 'its last words are kept');
});

t.test('J18: silence past the stall limit ends it', async (t) => {
  const it = agent('echo begin; sleep 60', { limits: { timeout: ms(20_000), stall: ms(700) } });
  const begin = performance.now();
  const exit = await superviseAgent(it.launch);
  t.equal(exit.endedBy, 'stall');
  t.ok(performance.now() - begin >= 650);
});

t.test('J18: a program that idles as event loops do is stalled, however long it does', async (t) => {
  // An eightieth of a processor, as opencode uses while it waits for its model.
  const idling = `
    const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
    setInterval(() => { const begin = used(); while (used() - begin < 1250); }, 100);`;
  const limits = { timeout: ms(60_000), stall: ms(5000) };
  const exit = await superviseAgent(agent(`exec "${process.execPath}" -e '${idling}'`, { limits }).launch);
  t.equal(exit.endedBy, 'stall');
});

t.test('J18: a silent agent that works is not stalled: processor, worktree, standard error', async (t) => {
  const limits = { timeout: ms(2500), stall: ms(700) };
  const signs = {
    processor: 'while :; do :; done',
    worktree: 'while :; do sleep 0.2; date +%N > file; done',
    errors: 'while :; do sleep 0.2; echo . >&2; done',
  };
  for (const [name, script] of Object.entries(signs)) {
    const exit = await superviseAgent(agent(script, { limits }).launch);
    t.equal(exit.endedBy, 'timeout', name);
  }
});

t.test('J18: stop ends it the same way', async (t) => {
  const controller = new AbortController();
  const it = agent('echo up; sleep 60', { signal: controller.signal, onOutput: () => controller.abort('SIGINT') });
  const exit = await superviseAgent(it.launch);
  t.strictSame([exit.endedBy, exit.signal], ['stopped', 'SIGTERM']);
  const aborted = await superviseAgent(agent('echo never', { signal: controller.signal }).launch);
  t.strictSame([aborted.started, aborted.endedBy], [false, 'stopped']);
});

t.test('J19: an agent that does not exit after its last event is ended, and that is no failure of it', async (t) => {
  const event = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done' });
  const it = agent(`echo '${event}'; sleep 60`, {
    reader: claude.reader(),
    linger: 200,
    limits: { timeout: ms(20_000), stall: ms(20_000) },
  });
  const exit = await superviseAgent(it.launch);
  t.strictSame([exit.endedBy, exit.lingered, exit.report.terminal], ['itself', true, 'success']);
});

t.test(
  'J19: what it leaves behind is ended and listed: a child holding its pipes, one in another session',
  async (t) => {
    const script = `
    sleep 61 &
    setsid sh -c 'echo $$ > "$OUT/other"; exec sleep 62' &
    while [ ! -s "$OUT/other" ]; do sleep 0.01; done
    echo done
  `;
    const it = agent(script);
    const begin = performance.now();
    const exit = await superviseAgent(it.launch);
    t.ok(performance.now() - begin < 5000, 'the open pipe is not waited for');
    t.equal(exit.code, 0);
    t.equal(it.log().toString(), 'done\n');
    t.equal(exit.leftBehind.filter((line) => /sleep 61$/.test(line)).length, 1);
    t.equal(exit.leftBehind.filter((line) => /sleep 62$/.test(line)).length, 1);
    t.ok(isGone(Number(it.read('other'))));
    t.strictSame(findMarked(it.run), []);
  },
);

t.test('J19: another turn after a last event is no lingering', async (t) => {
  const script = `
    echo '{"type":"turn.completed","usage":{}}'; sleep 0.1
    echo '{"type":"turn.started"}'; sleep 1
    echo '{"type":"turn.completed","usage":{}}'
  `;
  const exit = await superviseAgent(agent(script, { reader: codex.reader(), linger: 600 }).launch);
  t.strictSame([exit.endedBy, exit.lingered, exit.code, exit.report.terminal], ['itself', false, 0, 'success']);
});

t.test('J19: a process that shed every mark and holds the pipe does not keep the Run', async (t) => {
  const it = agent('env -i setsid /bin/sleep 4 & echo done');
  const begin = performance.now();
  const exit = await superviseAgent(it.launch);
  t.ok(performance.now() - begin < 3500);
  t.equal(exit.code, 0);
  t.equal(it.log().toString(), 'done\n');
});

t.test('J16: what cannot be started is said', async (t) => {
  const it = agent('', { invocation: { argv: ['no-such-agent'], env: {}, stdin: 'prompt' } });
  const exit = await superviseAgent(it.launch);
  t.equal(exit.started, false);
  t.match(exit.startError, /ENOENT/);
  const lost = await superviseAgent({ ...agent('').launch, cwd: join(home, 'nowhere') });
  t.match(lost.startError, /is not there/);
  t.strictSame(it.started, []);
});

t.test('J5: an error while its start is recorded ends it', async (t) => {
  const it = agent('echo $$ > "$OUT/pid"; sleep 60', {
    onStart: async () => {
      throw new Error('state is gone');
    },
  });
  await t.rejects(superviseAgent(it.launch), { message: 'state is gone' });
  t.strictSame(findMarked(it.run), []);
});

t.test('J5: a guardian started early costs nothing when it is not needed', async (t) => {
  const early = startGuardian(guardian);
  early.dispose();
  await early.gone;
  const used = startGuardian(guardian);
  const exit = await superviseAgent({ ...agent('exit 0').launch, guardian: used });
  t.equal(exit.code, 0);
});

t.test('J5: kill -9 of git owl leaves no agent working', async (t) => {
  const folder = join(home, 'killed');
  mkdirSync(folder);
  const run = `run${process.pid}killed`;
  const script = `
    trap '' TERM
    setsid sh -c 'trap "" TERM; while :; do sleep 0.1; done' &
    while :; do sleep 0.1; date >> "$PWD/work"; done
  `;
  const options = { argv: ['sh', '-c', script], env: { PATH, OWL_RUN: run }, folder, guardian };
  const owl = spawn(process.execPath, [driver, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH },
  });
  const [line] = (await once(owl.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  t.not(processStart(pid), null);
  owl.kill('SIGKILL');
  const begin = performance.now();
  await eventually(t, 'agent and what it started are gone', 12_000, () => isGone(pid) && findMarked(run).length === 0);
  t.ok(performance.now() - begin > 4000, 'it was given its 5 s');
});

t.test('J5: kill -9 of the guardian: git owl ends the agent itself', async (t) => {
  const it = agent('echo $PPID > "$OUT/guardian"; trap "" PIPE; while :; do sleep 0.1; done');
  const done = superviseAgent(it.launch);
  await eventually(t, 'it runs', 5000, () => existsSync(join(it.folder, 'guardian')) && it.read('guardian') !== '');
  process.kill(Number(it.read('guardian')), 'SIGKILL');
  const exit = await done;
  t.strictSame([exit.guardianLost, exit.code], [true, null]);
  t.ok(isGone(it.started[0]?.pid ?? 0));
  t.strictSame(findMarked(it.run), []);
});

t.test(
  'J5: both killed at once: the group is still proven ours by its leader, and the marker finds the rest',
  async (t) => {
    const folder = join(home, 'both');
    mkdirSync(folder);
    const run = `run${process.pid}both`;
    const options = {
      argv: ['sh', '-c', 'echo $PPID > guardian; while :; do sleep 0.1; done'],
      env: { PATH, OWL_RUN: run },
      folder,
      guardian,
    };
    const owl = spawn(process.execPath, [driver, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH },
    });
    const [line] = (await once(owl.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const start = processStart(pid) ?? '';
    await eventually(
      t,
      'it runs',
      5000,
      () => existsSync(join(folder, 'guardian')) && readFileSync(join(folder, 'guardian'), 'utf8') !== '',
    );
    process.kill(Number(readFileSync(join(folder, 'guardian'), 'utf8')), 'SIGSTOP');
    owl.kill('SIGKILL');
    process.kill(Number(readFileSync(join(folder, 'guardian'), 'utf8')), 'SIGKILL');
    const { endGroup } = await import('../../../src/system/processes-end.js');
    t.match(await endGroup(pid, `${start}9`), { kind: 'not-ours' }, 'another start time is another process');
    t.notOk(isGone(pid));
    t.match(await endGroup(pid, start, { grace: 300 }), { kind: 'ended', survivors: [] });
    t.ok(isGone(pid));
    t.strictSame(await endGroup(pid, start), { kind: 'absent' });
  },
);
