// Would two changes of one tree collide, if both were merged? Decided from their paths and line ranges alone (06, conflicts). Pure.

/** A range of lines of the old file, and what stands there afterwards. `from` counts from 0; `count` 0: a place between lines. */
export interface Hunk {
  readonly from: number;
  readonly count: number;
  /** Any text that is equal where the new lines are. */
  readonly text: string;
}

export interface FileChange {
  /** Without the files of a folder that went as a whole, that folder has a change of its own. */
  readonly path: string;
  /** Mode and id; null: not there. */
  readonly old: string | null;
  readonly new: string | null;
  /** Of a text file that was changed; null: not known, or not text. */
  readonly hunks: readonly Hunk[] | null;
}

/** What one unit of work makes of the target. */
export interface Change {
  readonly files: readonly FileChange[];
}

/** How Git merges a path: `union` takes both sides. */
export type Driver = 'text' | 'union' | 'binary';

/** `ask`: only a merge tells, because of renames, modes, folders. */
export type Clash = 'apart' | 'conflict' | 'ask';

const REGULAR = /^100(?:644|755) /;

/** One path that both changed. Renames are not seen here: where one may play a part the answer is `ask`. */
export function clashAt(one: FileChange, two: FileChange, driver: Driver): Clash {
  if (one.new === two.new) return 'apart';
  const { old } = one;
  if (old === null || one.new === null || two.new === null) return 'ask';
  const modes = new Set([old, one.new, two.new].map((entry) => entry.slice(0, 7)));
  if (modes.size > 1 || !REGULAR.test(old)) return 'ask';
  if (driver === 'union') return 'apart';
  if (driver === 'binary' || one.hunks === null || two.hunks === null) return 'conflict';
  return hunksTouch(one.hunks, two.hunks) ? 'conflict' : 'apart';
}

/**
 * As Git's own merge has it: without an unchanged line between them two changes are one, and conflict unless they are the same.
 * Both in the order of their lines.
 */
export function hunksTouch(ours: readonly Hunk[], theirs: readonly Hunk[]): boolean {
  let at = 0;
  for (const one of ours) {
    while (at < theirs.length && end(theirs[at] as Hunk) < one.from) at += 1;
    for (let next = at; next < theirs.length && (theirs[next] as Hunk).from <= end(one); next += 1)
      if (!same(one, theirs[next] as Hunk)) return true;
  }
  return false;
}

const end = (hunk: Hunk): number => hunk.from + hunk.count;
const same = (one: Hunk, two: Hunk): boolean =>
  one.from === two.from && one.count === two.count && one.text === two.text;

/** Two units, by their places in what was asked about, and the paths that both touch. */
export interface Pair {
  readonly one: number;
  readonly two: number;
  readonly paths: readonly string[];
}

/** Pairs that touch one path, or a folder and something in it. Others cannot collide. */
export function pairsThatMeet(changes: readonly Change[]): readonly Pair[] {
  const at = new Map<string, number[]>();
  for (const [unit, { files }] of changes.entries())
    for (const { path } of files) {
      const units = at.get(path);
      if (units === undefined) at.set(path, [unit]);
      else units.push(unit);
    }
  const pairs = new Map<string, Set<string>>();
  const meet = (units: readonly number[], others: readonly number[], path: string): void => {
    for (const unit of units)
      for (const other of others) {
        if (unit === other) continue;
        const key = unit < other ? `${unit} ${other}` : `${other} ${unit}`;
        pairs.set(key, (pairs.get(key) ?? new Set()).add(path));
      }
  };
  for (const [path, units] of at) {
    meet(units, units, path);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const above = at.get(path.slice(0, slash));
      if (above !== undefined) meet(units, above, path.slice(0, slash));
    }
  }
  return [...pairs].map(([key, paths]) => {
    const [one, two] = key.split(' ').map(Number) as [number, number];
    return { one, two, paths: [...paths].sort() };
  });
}
