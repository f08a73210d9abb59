// Setup commands and checks as real processes, and the logs of Runs as files (J15, J17, J27).

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type CommandRequest, runCommand } from '../../../src/agent/command.js';
import {
  joinParts,
  lastLine,
  logParts,
  makeRunFiles,
  removeRunFiles,
  runFiles,
  tailFile,
} from '../../../src/agent/log.js';
import { openLog } from '../../../src/agent/log-file.js';
import { systemClock } from '../../../src/system/clock.js';
import { findMarked, processInfo } from '../../../src/system/processes.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'owl-command-')));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
const clock = systemClock({});
let count = 0;

const run = (command: string, change: Partial<CommandRequest> = {}) => {
  count += 1;
  const marker = `cmd${process.pid}x${count}`;
  return runCommand({
    command,
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', OWL_RUN: marker },
    timeout: { ms: 20_000, text: '20s' },
    marker,
    signal: new AbortController().signal,
    clock,
    logFile: join(home, `log-${count}`),
    grace: 300,
    ...change,
  });
};

const gone = (pid: number): boolean => {
  const info = processInfo(pid);
  return info === 'absent' || (typeof info === 'object' && info.state === 'Z');
};

t.test('J27: status, output of both streams in order, digest', async (t) => {
  const result = await run(
    'for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done; cat; pwd > /dev/stderr; exit 4',
  );
  const expected = `${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out${i}\nerr${i}\n`).join('')}${home}\n`;
  t.equal(result.output.toString(), expected);
  t.match(result, { code: 4, signal: null, timedOut: false, stopped: false, stdoutEmpty: false, leftBehind: [] });
  t.equal(result.digest, createHash('sha256').update(expected).digest('hex'));
  t.notOk(
    readdirSync(home).some((name) => name.startsWith('log-')),
    'its file is removed',
  );
});

t.test('J27: whether standard output was empty', async (t) => {
  t.match(await run('echo x >&2', { apart: true }), { code: 0, stdoutEmpty: true, output: Buffer.from('x\n') });
  t.match(await run('echo x', { apart: true }), { stdoutEmpty: false });
  t.match(await run('true'), { stdoutEmpty: true });
});

t.test('J27: a time limit ends what it started too, though it ignores SIGTERM', async (t) => {
  const begin = performance.now();
  const script = `trap "" TERM; sh -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 0.05; done' & echo up; while :; do sleep 0.05; done`;
  const result = await run(script, { timeout: { ms: 500, text: '500ms' } });
  t.match(result, { timedOut: true, code: null, signal: 'SIGKILL' });
  t.equal(result.output.toString(), 'up\n');
  t.ok(gone(Number(readFileSync(join(home, 'grandchild'), 'utf8'))));
  t.ok(performance.now() - begin < 10_000);
});

t.test('J15: a child that holds the output open is ended and does not hang it', async (t) => {
  const result = await run(
    "sleep 63 & setsid sh -c 'echo $$ > other; exec sleep 64' & while [ ! -s other ]; do sleep 0.01; done; echo done",
  );
  t.match(result, { code: 0, output: Buffer.from('done\n') });
  t.equal(result.leftBehind.length, 2);
  t.ok(gone(Number(readFileSync(join(home, 'other'), 'utf8'))));
});

t.test('J18: abort ends it, and one that was aborted before is not started', async (t) => {
  const controller = new AbortController();
  const running = run('echo up; sleep 60', { signal: controller.signal, onOutput: () => controller.abort() });
  t.match(await running, { stopped: true, timedOut: false, signal: 'SIGTERM' });
  t.match(await run('echo x > never', { signal: controller.signal }), { stopped: true, code: null });
  t.notOk(existsSync(join(home, 'never')));
});

t.test('J16: a sandbox prefix is put before the shell', async (t) => {
  const folders = { worktree: home, writable: [home, '/x'] };
  const result = await run('echo "$WRAPPED"', { sandbox: { prefix: ['env', 'WRAPPED={worktree}'], folders } });
  t.equal(result.output.toString(), `${home}\n`);
  const missing = await run('true', { sandbox: { prefix: ['no-such-sandbox'], folders } });
  t.match(missing, { code: null, startError: /ENOENT/ });
});

t.test('J17: output past the bound: first and last half are kept, and the gap is said', async (t) => {
  const result = await run('head -c 90000000 /dev/zero | tr "\\0" a; printf end', {});
  const text = result.output.toString('latin1');
  const half = 32 * 1024 * 1024;
  t.ok(text.startsWith('a'.repeat(100)) && text.endsWith('aend'));
  const gap = /\[git owl: (\d+) bytes left out\]/.exec(text);
  t.equal(Number(gap?.[1]), 90_000_003 - 2 * half);
  t.equal(text.length, 2 * half + (gap?.[0].length ?? 0) + 2);
});

t.test('J17: parts of a log', async (t) => {
  const limits = { head: 100, segment: 30, segments: 5 };
  const write = (name: string, size: number) => {
    const file = join(home, name);
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const log = openLog(file, limits);
    for (let at = 0; at < size; at += 7) log.write(bytes.subarray(at, at + 7));
    log.close();
    t.equal(log.problem(), null);
    return { file, bytes };
  };
  for (const size of [0, 1, 30, 99, 100, 101, 130, 200]) {
    const { file, bytes } = write(`whole-${size}`, size);
    const { parts, omitted } = await logParts(file, limits);
    t.equal(omitted, 0);
    t.ok(Buffer.concat(parts).equals(bytes), `${size} bytes`);
    t.ok(parts.every((part) => part.length <= 30));
  }
  for (const size of [201, 250, 251, 400, 999]) {
    const { file, bytes } = write(`cut-${size}`, size);
    const log = await logParts(file, limits);
    t.equal(log.omitted, size - 200);
    t.ok(
      Buffer.concat(log.parts).equals(Buffer.concat([bytes.subarray(0, 100), bytes.subarray(-100)])),
      `${size} bytes`,
    );
    t.match(joinParts(log).toString('latin1'), `${size - 200} bytes left out`);
  }
  t.strictSame(await logParts(join(home, 'no-log'), limits), { parts: [], omitted: 0, before: 0 });
  t.match(openLog(join(home, 'no/folder')).problem(), /ENOENT/, 'what cannot be written is told, not thrown');
});

t.test('J17: log -f gives what is there and what comes, across continuations, to its end', async (t) => {
  const file = join(home, 'follow');
  const limits = { head: 10, segment: 10, segments: 5 };
  const log = openLog(file, limits);
  let over = false;
  const got: Buffer[] = [];
  const follow = tailFile(file, { signal: new AbortController().signal, clock, interval: 5, finished: () => over });
  const reading = (async () => {
    for await (const bytes of follow) got.push(bytes);
  })();
  for (const text of ['abc', 'defghijklmno', 'p', 'qrstuvwxyz']) {
    log.write(Buffer.from(text));
    await clock.sleep(20);
  }
  over = true;
  await reading;
  t.equal(Buffer.concat(got).toString(), 'abcdefghijklmnopqrstuvwxyz');
  t.equal(await lastLine(file), 'uvwxyz');
  const late = join(home, 'late');
  const controller = new AbortController();
  const waiting = (async () => {
    for await (const bytes of tailFile(late, { signal: controller.signal, clock, interval: 5 })) {
      got.push(bytes);
      controller.abort();
    }
  })();
  await clock.sleep(20);
  appendFileSync(late, 'x');
  await waiting;
  t.equal(got.at(-1)?.toString(), 'x');
});

t.test('J16b: the files of a Run lie outside every worktree, private to the user', async (t) => {
  const files = await makeRunFiles(home, 'run1');
  t.strictSame(files, runFiles(home, 'run1'));
  t.equal(files.result, join(home, 'owl/runs/run1/out/result.json'));
  writeFileSync(files.log, 'one\n\n  two  \n \n');
  t.equal(await lastLine(files.log), 'two');
  await removeRunFiles(files);
  t.notOk(existsSync(files.folder));
  t.equal(await lastLine(files.log), null);
  t.strictSame(findMarked('run1'), []);
});
