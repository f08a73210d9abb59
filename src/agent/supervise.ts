// Runs one agent to its end: starts it under a guardian, feeds its output to the preset's reader, holds it to the limits,
// and leaves nothing of it behind (J16, J17, J18, J19). What the end means is decided elsewhere (domain/agent-outcome.ts).

import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../system/clock.js';
import { endGroup, endMarked, GRACE } from '../system/processes-end.js';
import { type Watch, watchActivity } from './activity.js';
import { type Guardian, startGuardian } from './guardian-client.js';
import type { GuardianReport } from './guardian-protocol.js';
import { lastLine } from './log.js';
import { splitLines } from './stream.js';
import type { AgentExit, AgentLimits, Invocation, StreamReader, StreamReport } from './types.js';

export interface AgentLaunch {
  readonly invocation: Invocation;
  /** Complete environment; the invocation's own variables and PWD are put over it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly promptFile: string;
  /** Receives all output as it arrives, see log.ts. A new file. */
  readonly logFile: string;
  /** Receives standard error; without it that goes to `logFile`, in the order of arrival. */
  readonly errFile?: string | undefined;
  readonly limits: AgentLimits;
  /** Id of the Run; `env` must have it as OWL_RUN. */
  readonly marker: string;
  readonly reader: StreamReader;
  /** Aborted: the agent is ended as by `stop`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called with the group's leader once it runs. When it throws, the agent is ended and the error passed on. */
  readonly onStart?: ((group: { readonly pid: number; readonly start: string }) => Promise<void> | void) | undefined;
  /** Called with the last line that is worth showing, at most 200 characters, not escaped. */
  readonly onOutput?: ((line: string) => void) | undefined;
  /** Worktree in which a change counts as life. */
  readonly watch: string;
  /** A guardian that was started before, or the file of its program. Default: a new one. */
  readonly guardian?: Guardian | string | undefined;
  /** Milliseconds between SIGTERM and SIGKILL; default 5 s (J18). */
  readonly grace?: number | undefined;
  /** Milliseconds that an agent has to exit after its last event; default 10 s (J19). */
  readonly linger?: number | undefined;
}

type EndedBy = AgentExit['endedBy'];

const LINGER = 10_000;

/** Node runs a longer timer at once; such a limit is seen by the regular look. */
const LONGEST_TIMER = 2 ** 31 - 2;

/** Runs the agent. Never throws for what the agent does; passes on what `onStart` throws, after the agent was ended. */
export async function superviseAgent(launch: AgentLaunch): Promise<AgentExit> {
  const { clock, limits, reader, signal } = launch;
  const guardian = typeof launch.guardian === 'object' ? launch.guardian : startGuardian(launch.guardian);
  if (signal.aborted) {
    guardian.dispose();
    return notStarted(reader.report(), null, 'stopped');
  }
  const problem = await checkFolder(launch.cwd);
  if (problem !== null) {
    guardian.dispose();
    return notStarted(reader.report(), problem, 'itself');
  }

  let started: { pid: number; start: string } | null = null;
  let failure: string | null = null;
  let exit: Extract<GuardianReport, { type: 'exit' }> | null = null;
  let ended: Extract<GuardianReport, { type: 'ended' }> | null = null;
  let endedBy: EndedBy = 'itself';
  let lingered = false;
  let asked = false;
  let watch: Watch | null = null;
  let onStart: Promise<void> = Promise.resolve();
  let startFailure: { error: unknown } | null = null;
  const timers: NodeJS.Timeout[] = [];

  /** The first reason counts: what we do afterwards is a consequence of it. */
  const end = (why: EndedBy | 'linger'): void => {
    if (asked || exit !== null) return;
    asked = true;
    if (why === 'linger') lingered = true;
    else endedBy = why;
    guardian.end();
  };
  const onStopped = (): void => end('stopped');
  signal.addEventListener('abort', onStopped, { once: true });

  // Set while its last event is the end of its work: then the limits count no more, only how long it takes to go.
  let lingering: NodeJS.Timeout | null = null;
  const lines = splitLines((text) => {
    reader.line(text);
    const report = reader.report();
    launch.onOutput?.(shown(reader.latest === undefined ? report.lastMessage : reader.latest(), text));
    if (report.terminal === 'none' && lingering !== null) {
      // Another turn began.
      clearTimeout(lingering);
      lingering = null;
    } else if (report.terminal !== 'none') {
      lingering ??= setTimeout(() => end('linger'), launch.linger ?? LINGER);
    }
  });
  const onStarted = (group: { pid: number; start: string }): void => {
    started = group;
    const begin = clock.elapsed();
    const living = watchActivity({
      group: group.pid,
      folder: launch.watch,
      patience: limits.stall.ms,
      elapsed: clock.elapsed,
    });
    watch = living;
    const check = (): void => {
      if (lingering !== null || asked) return;
      if (clock.elapsed() - begin >= limits.timeout.ms) end('timeout');
      else if (living.idle() >= limits.stall.ms) end('stall');
    };
    timers.push(setInterval(check, Math.min(5000, Math.max(50, limits.stall.ms / 10))));
    // A millisecond more: timers may come early by a fraction of one.
    if (limits.timeout.ms < LONGEST_TIMER) timers.push(setTimeout(check, limits.timeout.ms + 1));
    onStart = (async () => launch.onStart?.(group))().catch((error: unknown) => {
      startFailure = { error };
      end('stopped');
    });
  };
  guardian.launch(
    {
      argv: launch.invocation.argv,
      env: { ...launch.env, ...launch.invocation.env, PWD: launch.cwd },
      cwd: launch.cwd,
      input: launch.invocation.stdin === 'prompt' ? launch.promptFile : null,
      log: launch.logFile,
      errors: launch.errFile ?? null,
      marker: launch.marker,
      grace: launch.grace ?? GRACE,
    },
    (report) => {
      if (report.type === 'started') onStarted(report);
      else if (report.type === 'failed') failure = report.message;
      else if (report.type === 'errors') watch?.touch();
      else if (report.type === 'exit') exit = report;
      else ended = report;
    },
    (bytes) => {
      watch?.touch();
      lines.push(bytes);
    },
  );

  await guardian.gone;
  for (const timer of timers) clearTimeout(timer);
  if (lingering !== null) clearTimeout(lingering);
  signal.removeEventListener('abort', onStopped);
  lines.end();
  await onStart;
  // Assigned in callbacks, which the compiler does not follow.
  const done = { started, exit, ended, startFailure, failure } as {
    readonly started: { pid: number; start: string } | null;
    readonly exit: Extract<GuardianReport, { type: 'exit' }> | null;
    readonly ended: Extract<GuardianReport, { type: 'ended' }> | null;
    readonly startFailure: { error: unknown } | null;
    readonly failure: string | null;
  };
  if (done.started === null) {
    return notStarted(reader.report(), done.failure ?? 'its guardian ended before it was started', endedBy);
  }
  // It went by itself while our wish was on its way to the guardian.
  const byItself = done.exit !== null && !done.exit.asked;
  const left = done.ended === null ? await endOrphans(done.started, launch) : leftOf(done.ended, byItself);
  if (done.startFailure !== null) throw done.startFailure.error;
  return {
    code: done.exit?.code ?? null,
    signal: done.exit?.signal ?? null,
    endedBy: byItself ? 'itself' : endedBy,
    report: await withFiles(reader.report(), launch.invocation),
    leftBehind: left,
    started: true,
    startError: null,
    lingered: lingered && !byItself,
    guardianLost: done.ended === null,
    lastError: await lastLine(launch.errFile ?? launch.logFile),
  };
}

const notStarted = (report: StreamReport, startError: string | null, endedBy: EndedBy): AgentExit => ({
  code: null,
  signal: null,
  endedBy,
  report,
  leftBehind: [],
  started: false,
  startError,
});

async function checkFolder(folder: string): Promise<string | null> {
  try {
    return (await stat(folder)).isDirectory() ? null : `${folder} is not a folder`;
  } catch {
    return `the folder ${folder} is not there`;
  }
}

/** What was alive when the agent had gone. When we ended the agent, its group is no news; survivors always are. */
function leftOf(ended: Extract<GuardianReport, { type: 'ended' }>, byItself: boolean): readonly string[] {
  return [
    ...(byItself ? ended.leftBehind : []),
    ...ended.survivors.map((line) => `${line}: could not be ended`),
    ...(ended.problem === null ? [] : [ended.problem]),
  ];
}

/** The guardian was killed: its work is done here. */
async function endOrphans(
  group: { readonly pid: number; readonly start: string },
  launch: AgentLaunch,
): Promise<readonly string[]> {
  const { marker, grace } = launch;
  const result = await endGroup(group.pid, group.start, { marker, grace });
  const marked = await endMarked(marker, { grace });
  const lines =
    result.kind === 'ended' ? [...result.ended, ...result.survivors.map((line) => `${line}: could not be ended`)] : [];
  if (result.kind === 'not-ours' || result.kind === 'inspection-failed') {
    lines.push(`process group ${group.pid}: not ended, nothing proves that it is ours`);
  }
  return marked === 'inspection-failed' ? lines : [...lines, ...marked.ended];
}

/** Presets whose last message or usage is written to a file of their own. */
async function withFiles(report: StreamReport, invocation: Invocation): Promise<StreamReport> {
  const file = invocation.files?.lastMessage;
  if (file === undefined || report.lastMessage !== null) return report;
  try {
    const text = await readFile(file, 'utf8');
    return text.trim() === '' ? report : { ...report, lastMessage: text };
  } catch {
    // It wrote none.
    return report;
  }
}

const shown = (message: string | null, line: string): string =>
  ((message ?? line).slice(-4096).trim().split('\n').pop() ?? '').slice(0, 200);
