// What the process was given: variables, folders, who and where we are. Read once, in context.ts.

import { readFile, readlink } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';

export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  readonly start: string;
}

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** `$XDG_CONFIG_HOME/coding-owl`, `$XDG_DATA_HOME/git-owl`, `$XDG_STATE_HOME/git-owl`. */
  readonly configDir: string;
  readonly dataDir: string;
  readonly stateDir: string;
  /** Set when an agent of a Job, or a hook that its commits fired, called us (J16). */
  readonly insideJob: string | null;
  readonly process: () => Promise<ProcessIdentity>;
}

/** The part of Node's `process` that is read. */
export interface ProcessSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  cwd(): string;
}

/**
 * Takes the variables as they are now and looks at nothing else, but for `process()`: that reads /proc at its first call
 * and gives the same answer afterwards. XDG variables that are not absolute are ignored, as their specification says.
 */
export function readEnvironment(source: ProcessSource): Environment {
  const variables = { ...source.env };
  const home = variables['HOME'] || homedir();
  const xdg = (name: string, fallback: string): string => {
    const value = variables[name];
    return value && isAbsolute(value) ? value : join(home, fallback);
  };
  let identity: Promise<ProcessIdentity> | undefined;
  return {
    variables,
    cwd: currentFolder(source, home),
    home,
    configDir: join(xdg('XDG_CONFIG_HOME', '.config'), 'coding-owl'),
    dataDir: join(xdg('XDG_DATA_HOME', '.local/share'), 'git-owl'),
    stateDir: join(xdg('XDG_STATE_HOME', '.local/state'), 'git-owl'),
    insideJob: variables['OWL_JOB'] || null,
    process: () => (identity ??= readIdentity(source.pid)),
  };
}

/**
 * Start time of a process in clock ticks since boot, as /proc prints it, or null where it cannot be read: no such
 * process, or no /proc. Together with boot id and PID namespace it makes a pid an identity (01, Liveness).
 */
export async function readStart(pid: number): Promise<string | null> {
  const stat = await readOrNull(() => readFile(`/proc/${pid}/stat`, 'latin1'));
  return stat === null ? null : parseStart(stat);
}

/** Field 22 of /proc/<pid>/stat. Field 2, the name, may hold blanks and brackets: fields are counted from the last `)`. */
export function parseStart(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const start = fields[19];
  return start !== undefined && /^\d+$/.test(start) ? start : null;
}

async function readIdentity(pid: number): Promise<ProcessIdentity> {
  const [boot, namespace, start] = await Promise.all([
    readOrNull(() => readFile('/proc/sys/kernel/random/boot_id', 'latin1')),
    readOrNull(() => readlink('/proc/self/ns/pid')),
    readStart(pid),
  ]);
  return { host: hostname(), boot: boot?.trim() ?? '', namespace: namespace ?? '', pid, start: start ?? '' };
}

/** null when the file is not there or may not be read: there is no /proc, or it hides what is not ours. */
async function readOrNull(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** A shell may stand in a folder that was deleted (a collected worktree): then what the shell calls it, for messages. */
function currentFolder(source: ProcessSource, home: string): string {
  try {
    return source.cwd();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return source.env['PWD'] || home;
    throw error;
  }
}
