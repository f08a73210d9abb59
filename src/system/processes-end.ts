// Ends processes: a group that is proven ours, and what carries a Run's marker: SIGTERM, then SIGKILL (J5, J18, J19).
// Node built-ins only, since the guardian carries it.

import {
  describeProcess,
  findMarked,
  groupMembers,
  hasProc,
  isMarked,
  type ProcessInfo,
  processInfo,
  signalReaches,
  stillLives,
  type Uninspected,
} from './processes.js';

/** Milliseconds between SIGTERM and SIGKILL (J18). */
export const GRACE = 5000;

/** After SIGKILL only a process in an uninterruptible call is left; it is not waited for longer than this. */
const AFTER_KILL = 3000;

export interface Ending {
  /** One line each: what was alive and got a signal. */
  readonly ended: readonly string[];
  /** What could not be ended in time, one line each. */
  readonly survivors: readonly string[];
}

export type GroupEnding =
  | ({ readonly kind: 'ended' } & Ending)
  /** Nothing is left of it. */
  | { readonly kind: 'absent' }
  /** Something lives under that number and nothing proves that it is ours: it was left alone. */
  | { readonly kind: 'not-ours'; readonly members: readonly string[] }
  | { readonly kind: Uninspected };

export interface EndOptions {
  /** Id of the Run whose marker members carry, for a group whose leader is gone. */
  readonly marker?: string | undefined;
  readonly grace?: number | undefined;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone in between, or another user's: the next look tells.
  }
}

/**
 * Ends a process group when its leader's start time, or the marker that a member carries, proves it ours (J5).
 * Anything else is left alone and told. Takes up to `grace` and 3 s.
 */
export async function endGroup(group: number, leaderStart: string, options: EndOptions = {}): Promise<GroupEnding> {
  const members = groupMembers(group);
  if (members === 'inspection-failed') return { kind: 'inspection-failed' };
  if (members.length === 0) return { kind: 'absent' };
  const leader = processInfo(group);
  const byLeader = typeof leader === 'object' && leaderStart !== '' && leader.start === leaderStart;
  const { marker } = options;
  const byMarker = marker !== undefined && members.some((info) => isMarked(info.pid, marker));
  // A leader with another start time is another process: the group is a new one, whatever it holds.
  const reused = typeof leader === 'object' && !byLeader;
  if (!byLeader && (reused || !byMarker)) return { kind: 'not-ours', members: members.map(describeProcess) };
  return { kind: 'ended', ...(await endTree({ group, grace: options.grace })) };
}

/** Ends every process that carries the Run's marker, wherever it lives (J19). */
export async function endMarked(
  run: string,
  options: { readonly grace?: number | undefined } = {},
): Promise<Ending | Uninspected> {
  if (!hasProc()) return 'inspection-failed';
  return endTree({ marker: run, grace: options.grace });
}

/**
 * Ends a group and all marked processes together: SIGTERM (and SIGCONT, a stopped process takes no SIGTERM), and after
 * `grace` SIGKILL to what is left or came since. The caller knows that the group is its own.
 */
export async function endTree(target: {
  readonly group?: number | undefined;
  readonly marker?: string | undefined;
  readonly grace?: number | undefined;
}): Promise<Ending> {
  const ended = new Map<string, string>();
  const look = (): readonly ProcessInfo[] => {
    const members = target.group === undefined ? [] : groupMembers(target.group);
    if (members === 'inspection-failed') return [];
    const marked = target.marker === undefined ? [] : findMarked(target.marker);
    const all = marked === 'inspection-failed' ? members : [...members, ...marked];
    return [...new Map(all.map((info) => [info.pid, info])).values()];
  };
  const strike = (found: readonly ProcessInfo[], signal: NodeJS.Signals): void => {
    // Described before it is struck: a process that has ended has no command line any more.
    for (const info of found) {
      const name = `${info.pid}/${info.start}`;
      if (!ended.has(name)) ended.set(name, describeProcess(info));
    }
    // The whole group at once, so that no member outruns a list.
    if (target.group !== undefined && signalReaches(-target.group) === 'there') send(-target.group, signal);
    for (const info of found) if (info.group !== target.group && stillLives(info)) send(info.pid, signal);
  };
  const blind = target.group !== undefined && groupMembers(target.group) === 'inspection-failed';
  // A look at all processes is dear: while those that were found live, no other look is needed.
  let found = look();
  const gone = (): boolean => {
    if (blind && target.group !== undefined) return signalReaches(-target.group) === 'absent';
    found = found.filter(stillLives);
    if (found.length === 0) found = look();
    return found.length === 0;
  };

  if (blind ? gone() : found.length === 0) return { ended: [], survivors: [] };
  strike(found, 'SIGTERM');
  strike(found, 'SIGCONT');
  if (!(await until(gone, target.grace ?? GRACE))) {
    const deadline = performance.now() + AFTER_KILL;
    do {
      found = look();
      strike(found, 'SIGKILL');
      await pause(20);
    } while (!gone() && performance.now() < deadline);
  }
  return { ended: [...ended.values()], survivors: found.map(describeProcess) };
}

/** Looks often at first, since most processes go at once, then every 50 ms. */
async function until(done: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let wait = 2; performance.now() < deadline; wait = Math.min(wait * 2, 50)) {
    await pause(wait);
    if (done()) return true;
  }
  return done();
}
