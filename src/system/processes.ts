// Looks at processes through /proc: which live, in which group, with which marker or folder (01, "Liveness").
// Node built-ins only, since the guardian carries it. "Could not look" is a result of its own, never "there is none".

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import type { ProcessIdentity } from './environment.js';

export type Uninspected = 'inspection-failed';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** One letter of /proc: `Z` and `X` are dead already. */
  readonly state: string;
  /** Clock ticks of processor time, its own and that of children it has waited for. */
  readonly ticks: number;
  /** Start time in clock ticks since boot: together with the pid it names one process. */
  readonly start: string;
  readonly name: string;
}

/** `elsewhere`: another boot or PID namespace, where a pid says nothing; `unknown`: here, but it cannot be looked at. */
export type Liveness = 'alive' | 'dead' | 'elsewhere' | 'unknown';

/** The longest part of one process's environment that is searched for a marker. */
const ENVIRON_LIMIT = 2 * 1024 * 1024;
const CHUNK = 64 * 1024;

const isDead = (info: ProcessInfo): boolean => info.state === 'Z' || info.state === 'X';

const errno = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

export const hasProc = (): boolean => typeof processInfo(process.pid) === 'object';

/** One process as /proc shows it, zombies included. `absent`: provably no such process in this namespace. */
export function processInfo(pid: number): ProcessInfo | 'absent' | Uninspected {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return signalReaches(pid) === 'absent' ? 'absent' : 'inspection-failed';
  }
}

/** Parses a line of /proc/<pid>/stat; the name in it may hold blanks and parentheses. */
export function parseStat(text: string): ProcessInfo {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const field = text.slice(close + 2).split(' ');
  const number = (index: number): number => Number(field[index] ?? 0);
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state: field[0] ?? '',
    parent: number(1),
    group: number(2),
    ticks: number(11) + number(12) + number(13) + number(14),
    start: field[19] ?? '',
  };
}

/** Does signal 0 find something at this pid (or group, when negative)? Another user's process counts as there. */
export function signalReaches(pid: number): 'there' | 'absent' | 'unknown' {
  try {
    process.kill(pid, 0);
    return 'there';
  } catch (error) {
    if (errno(error) === 'ESRCH') return 'absent';
    return errno(error) === 'EPERM' ? 'there' : 'unknown';
  }
}

/**
 * Is the process that recorded `identity` still running, as seen from `here` (01, "Liveness")? "Same host" is the same
 * boot id and PID namespace. A reused pid is not the same process: the start time must be the same.
 */
export function isAlive(
  identity: Omit<ProcessIdentity, 'host'> & { readonly host?: string },
  here: ProcessIdentity,
): Liveness {
  const sameHost = identity.boot === '' ? here.boot === '' && identity.host === here.host : identity.boot === here.boot;
  if (!sameHost || identity.namespace !== here.namespace) return 'elsewhere';
  const found = processInfo(identity.pid);
  if (found === 'absent') return 'dead';
  if (found === 'inspection-failed' || identity.start === '') return 'unknown';
  return found.start === identity.start && !isDead(found) ? 'alive' : 'dead';
}

/** Start time of a process, or null when it is not there or cannot be looked at. */
export function processStart(pid: number): string | null {
  const found = processInfo(pid);
  return typeof found === 'object' ? found.start : null;
}

/** Every live process that can be seen here. */
export function allProcesses(): readonly ProcessInfo[] | Uninspected {
  const pids = allPids();
  return pids === 'inspection-failed' ? pids : liveOf(pids);
}

function allPids(): readonly number[] | Uninspected {
  if (!hasProc()) return 'inspection-failed';
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

const liveOf = (pids: readonly number[]): readonly ProcessInfo[] =>
  pids
    .map(processInfo)
    .filter((info) => typeof info === 'object')
    .filter((info) => !isDead(info));

/** The same process, still alive? */
export function stillLives(info: ProcessInfo): boolean {
  const now = processInfo(info.pid);
  return typeof now === 'object' && now.start === info.start && !isDead(now);
}

/** Live members of a process group; an empty group needs no scan. */
export function groupMembers(group: number): readonly ProcessInfo[] | Uninspected {
  if (signalReaches(-group) === 'absent') return [];
  const all = allProcesses();
  return all === 'inspection-failed' ? all : all.filter((info) => info.group === group);
}

/** Processor time of a group's live members, in clock ticks (J18). */
export function processTimes(group: number): number | Uninspected {
  const members = groupMembers(group);
  return members === 'inspection-failed' ? members : members.reduce((sum, info) => sum + info.ticks, 0);
}

/**
 * Processes whose environment holds `OWL_RUN=<run>` (J19), this one and other users' left out. The environment is the
 * one it was started with, so a process cannot shed the marker but by `exec` with a cleared environment.
 */
export function findMarked(run: string): readonly ProcessInfo[] | Uninspected {
  const pids = allPids();
  if (pids === 'inspection-failed') return pids;
  const space = Buffer.allocUnsafe(CHUNK);
  return liveOf(pids.filter((pid) => pid !== process.pid && isMarked(pid, run, space)));
}

/** Does this process carry the marker of the Run? False also where its environment may not be read. */
export function isMarked(pid: number, run: string, space?: Buffer): boolean {
  const environ = readBounded(`/proc/${pid}/environ`, ENVIRON_LIMIT, space);
  if (environ === null) return false;
  const marker = Buffer.from(`OWL_RUN=${run}`);
  const ends = (at: number): boolean => at < 0 || at >= environ.length || environ[at] === 0;
  for (let at = environ.indexOf(marker); at >= 0; at = environ.indexOf(marker, at + 1))
    if (ends(at - 1) && ends(at + marker.length)) return true;
  return false;
}

/** Processes whose current folder is `folder` or lies inside it; `folder` is absolute and real. This one is left out. */
export function cwdInside(folder: string): readonly ProcessInfo[] | Uninspected {
  const all = allProcesses();
  if (all === 'inspection-failed') return all;
  return all.filter((info) => {
    if (info.pid === process.pid) return false;
    try {
      const cwd = readlinkSync(`/proc/${info.pid}/cwd`).replace(/ \(deleted\)$/, '');
      return cwd === folder || cwd.startsWith(`${folder}/`);
    } catch {
      return false;
    }
  });
}

/** One line about a process, for lists of what was ended: pid and start of its command line. */
export function describeProcess(info: ProcessInfo): string {
  const line = readBounded(`/proc/${info.pid}/cmdline`, 200)?.toString('utf8').replaceAll('\0', ' ').trim();
  return `${info.pid} ${line === undefined || line === '' ? `(${info.name})` : line}`;
}

/** /proc files have no size: read until the end or the limit. `space` is where a look at many of them reads each. */
function readBounded(path: string, limit: number, space: Buffer = Buffer.allocUnsafe(CHUNK)): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    while (total < limit) {
      const count = readSync(file, space, 0, Math.min(space.length, limit - total), null);
      if (count === 0) break;
      chunks.push(Buffer.from(space.subarray(0, count)));
      total += count;
    }
    return Buffer.concat(chunks);
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
