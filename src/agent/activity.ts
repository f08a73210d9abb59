// Whether an agent still does something: output, processor time of its group, a change in its worktree (J18).
// Looking is bounded and cheap; where it is not possible, that sign counts as absent and the other two decide.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processTimes } from '../system/processes.js';

/** Entries of a worktree that one look visits at most. */
const SCAN_LIMIT = 20_000;

export interface FolderLook {
  /** Changes when a file is made, removed, renamed or written. */
  readonly print: string;
  /** Newest change of what was visited, milliseconds since the epoch. */
  readonly newest: number;
}

/** Visits at most `limit` entries below `folder`, shallow ones first. `.git` is left out, links are not followed. */
export function lookAtFolder(folder: string, limit: number = SCAN_LIMIT): FolderLook {
  let seen = 0;
  let newest = 0;
  let sum = 0;
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined && seen < limit; next = folders.shift()) {
    for (const entry of listFolder(next)) {
      if (entry.name === '.git' || seen >= limit) continue;
      seen += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      newest = Math.max(newest, stat.mtimeMs, stat.ctimeMs);
      sum = (sum + stat.size + stat.ino) % Number.MAX_SAFE_INTEGER;
    }
  }
  return { print: `${seen} ${newest} ${sum}`, newest };
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in between, or not ours to read.
    return [];
  }
}

export interface Watch {
  /** Output came. */
  touch(): void;
  /** Milliseconds since the last sign of life. */
  idle(): number;
}

/**
 * Processor time counts when it is at least this part of the time that it is measured over: an idle event loop uses less.
 * opencode uses one in a hundred while it waits for an answer that never comes.
 */
const BUSY_SHARE = 0.03;
/** Milliseconds that it is measured over at most, a fifth of the patience else: what is short is no measure of so little. */
const WINDOW = 60_000;
/** Milliseconds of one clock tick of /proc (USER_HZ is 100 on every Linux that Node runs on). */
const TICK = 10;

/** Watches one group and one worktree. `idle` is called again and again; the worktree is looked at five times in `patience`. */
export function watchActivity(target: {
  readonly group: number;
  readonly folder: string;
  /** Milliseconds without a sign that the caller allows. */
  readonly patience: number;
  readonly elapsed: () => number;
}): Watch {
  const { elapsed, patience } = target;
  let last = elapsed();
  // A group that was just started has used none.
  let ticks: ReturnType<typeof processTimes> = 0;
  let ticksAt = last;
  let print: string | null = null;
  let looked = last;

  const processorWorked = (): boolean => {
    if (elapsed() - ticksAt < Math.min(WINDOW, patience / 5)) return false;
    const now = processTimes(target.group);
    const share = (elapsed() - ticksAt) * BUSY_SHARE;
    // Less than before: a member went and took its time with it.
    const used = typeof now === 'number' && typeof ticks === 'number' ? (now - ticks) * TICK : 0;
    ticks = now;
    ticksAt = elapsed();
    return used > 0 && used >= share;
  };
  const folderChanged = (): boolean => {
    const look = lookAtFolder(target.folder);
    // File times are the machine's, whatever the clock of a test says.
    const changed = print === null ? look.newest > Date.now() - (elapsed() - last) : look.print !== print;
    print = look.print;
    looked = elapsed();
    return changed;
  };
  return {
    touch() {
      last = elapsed();
    },
    idle() {
      if (processorWorked()) last = elapsed();
      const idle = elapsed() - last;
      const due = idle >= patience || elapsed() - looked >= patience / 5;
      if (idle >= patience / 5 && due && folderChanged()) last = elapsed();
      return elapsed() - last;
    },
  };
}
