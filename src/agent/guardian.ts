// The guardian of one agent: a process of its own that outlives a `kill -9` of `git owl` by the time it takes to end the
// agent (J5). It starts the agent in a group of its own, writes its output to the log as it arrives, hands standard
// output on, and ends group and marked leftovers when the agent exits, when it is told to, or when its input ends.
// Node built-ins only: it starts at every Run.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { processStart } from '../system/processes.js';
import { endTree } from '../system/processes-end.js';
import type { GuardianLaunch, GuardianReport } from './guardian-protocol.js';
import { openLog } from './log-file.js';
import { closeWriters, drained, outputPipes } from './pipes.js';

/** How long the exit of an ended agent may take to be told. */
const EXIT = 300;
/** How long a slow `git owl` is given to read the rest, when it lives. */
const FLUSH = 30_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function main(): void {
  // It has a session of its own, so the terminal's signals do not come here; whoever sends one by hand ends the agent.
  let ask: () => void = () => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => ask());
  // `git owl` may be gone at any time: writing to it then fails, and that changes nothing here.
  process.stdout.on('error', () => {});

  let launched = false;
  let pending = '';
  const onLine = (line: string): void => {
    if (launched) {
      if (line === 'end') ask();
      return;
    }
    launched = true;
    ask = guard(JSON.parse(line) as GuardianLaunch);
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    lines.forEach(onLine);
  });
  process.stdin.on('end', () => ask());
  process.stdin.on('error', () => ask());
}

const report = (message: GuardianReport): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

/** Starts the agent and looks after it until the end of this process. Returns the function that ends it early. */
function guard(launch: GuardianLaunch): () => void {
  const copy = new Socket({ fd: 3, readable: false, writable: true });
  copy.on('error', () => {});
  const log = openLog(launch.log);
  const errors = launch.errors === null ? log : openLog(launch.errors);
  const [command = '', ...args] = launch.argv;

  let child: ChildProcess;
  let input: number | null = null;
  const pipes = outputPipes(launch.log, 2);
  try {
    input = launch.input === null ? null : openSync(launch.input, 'r');
    child = spawn(command, args, {
      cwd: launch.cwd,
      env: launch.env,
      detached: true,
      stdio: [input ?? 'ignore', pipes?.[0]?.writer ?? 'pipe', pipes?.[1]?.writer ?? 'pipe'],
    });
  } catch (error) {
    return failed(copy, error as NodeJS.ErrnoException);
  } finally {
    if (input !== null) closeSync(input);
    closeWriters(pipes);
  }
  const { pid } = child;
  const stdout = pipes?.[0]?.reader ?? child.stdout;
  const stderr = pipes?.[1]?.reader ?? child.stderr;
  if (pid === undefined || stdout === null || stderr === null) {
    child.once('error', (error) => failed(copy, error));
    return () => {};
  }
  report({ type: 'started', pid, start: processStart(pid) ?? '' });

  // Afterwards a `git owl` that reads slowly holds up nothing.
  let gone = false;
  stdout.on('data', (bytes: Buffer) => {
    log.write(bytes);
    if (copy.destroyed || copy.write(bytes) || gone) return;
    // Both, or what comes later on the one would come earlier in the log.
    const held = errors === log ? [stdout, stderr] : [stdout];
    for (const stream of held) stream.pause();
    const go = (): void => {
      copy.off('drain', go).off('close', go);
      for (const stream of held) stream.resume();
    };
    copy.on('drain', go).on('close', go);
  });
  let told = 0;
  stderr.on('data', (bytes: Buffer) => {
    errors.write(bytes);
    if (performance.now() - told < 100) return;
    told = performance.now();
    report({ type: 'errors' });
  });
  child.on('error', () => {});

  let ending = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      report({ type: 'exit', code, signal, asked: ending });
      resolve();
      void finish();
    });
  });
  const finish = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    const { ended, survivors } = await endTree({ group: pid, marker: launch.marker, grace: launch.grace });
    gone = true;
    await drained([stdout, stderr]);
    // Its exit was heard by now, unless it could not be ended.
    await Promise.race([exited, pause(survivors.length > 0 ? 0 : EXIT)]);
    log.close();
    if (errors !== log) errors.close();
    report({ type: 'ended', leftBehind: ended, survivors, problem: log.problem() ?? errors.problem() });
    leave(copy);
  };
  return () => void finish();
}

function failed(copy: Socket, error: NodeJS.ErrnoException): () => void {
  report({ type: 'failed', code: error.code ?? '', message: error.message });
  leave(copy);
  return () => {};
}

/** Ends this process once everything it said was taken, or nobody is there to take it. */
function leave(copy: Socket): void {
  const flushed = new Promise<void>((resolve) => {
    copy.once('close', () => resolve());
    if (copy.destroyed) resolve();
    else copy.end();
  });
  const said = new Promise<void>((resolve) => {
    process.stdout.once('close', () => resolve());
    process.stdout.write('', () => resolve());
  });
  void Promise.race([Promise.all([flushed, said]), pause(FLUSH)]).then(() => process.exit(0));
}

main();
