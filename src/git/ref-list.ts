// Refs read from their files as Git reads them, loose before packed: a process for each look costs more than all the looks of a command.
// Whatever is not plain (reftable, a damaged file, odd names, very many loose ones) is null: ask Git.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOid, isRefName, type Oid, type RefName } from '../domain/git.js';
import { loadRefFile } from './ref-files.js';

export interface RefRow {
  readonly ref: RefName;
  readonly oid: Oid;
}

export interface RefFiles {
  /** The packed value of a ref that has no file; `absent`: the two looks found none. Null: ask Git. */
  packed(ref: RefName): Oid | 'absent' | null;
  /** All refs below a prefix that ends in `/`, sorted by name. Null: ask Git. */
  list(prefix: string): readonly RefRow[] | null;
}

/** Above this many loose files one process is as fast, and does not stop this one meanwhile. */
const MANY = 500;

interface Packed {
  /** What the file was when it was read: Git replaces it by renaming. */
  readonly stamp: string;
  /** In latin1, each line with its line break. */
  readonly text: string;
  readonly plain: boolean;
  readonly ascii: boolean;
  /** What was listed of it, by prefix: sorted, null where a line is odd. */
  readonly listed: Map<string, readonly RefRow[] | null>;
}

const holding = (stamp: string, text: string): Packed => ({
  stamp,
  text,
  plain: text === '' || text.endsWith('\n'),
  ascii: !/[\x80-\xff]/.test(text),
  listed: new Map(),
});

export function refFiles(commonDir: string): RefFiles {
  const path = join(commonDir, 'packed-refs');
  let held = holding('', '');

  /** Read again only when it is another file than the last time. */
  const load = (): Packed => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    const stamp = stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
    if (stamp === held.stamp) return held;
    held = holding(stamp, stat === undefined ? '' : readFileSync(path, 'latin1'));
    return held;
  };

  return {
    packed(ref) {
      try {
        const packed = load();
        if (!packed.plain) return null;
        const at = packed.text.indexOf(` ${Buffer.from(ref, 'utf8').toString('latin1')}\n`);
        return at < 0 ? 'absent' : (rowAt(packed, at)?.oid ?? null);
      } catch {
        return null;
      }
    },
    list(prefix) {
      try {
        // Loose before packed, as Git does: `pack-refs` writes the one before it removes the other.
        const rows = new Map<string, RefRow>();
        const links = new Map<RefName, string>();
        if (!walk(commonDir, prefix, rows, links)) return null;
        const packed = packedBelow(load(), prefix);
        if (packed === null) return null;
        if (rows.size === 0 && links.size === 0) return packed;
        for (const row of packed) if (!rows.has(row.ref) && !links.has(row.ref)) rows.set(row.ref, row);
        for (const [ref, target] of links) {
          const file = isRefName(target) ? loadRefFile(commonDir, target) : null;
          const oid = file?.kind === 'value' ? file.oid : file?.kind === 'none' ? this.packed(target as RefName) : null;
          if (oid === null) return null;
          // One that names nothing is no ref.
          if (oid !== 'absent') rows.set(ref, { ref, oid });
        }
        return [...rows.values()].sort(byName);
      } catch {
        return null;
      }
    },
  };
}

const byName = (one: RefRow, two: RefRow): number => (one.ref < two.ref ? -1 : 1);

/** The row with the space between id and name there; null: it is odd. */
function rowAt({ text, ascii }: Packed, at: number): RefRow | null {
  const oid = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const name = text.slice(at + 1, text.indexOf('\n', at));
  const ref = ascii ? name : Buffer.from(name, 'latin1').toString('utf8');
  return isOid(oid) && isRefName(ref) ? { oid, ref } : null;
}

/** All packed refs below a prefix, sorted by name; looked for once in each file. Null: ask Git. */
function packedBelow(packed: Packed, prefix: string): readonly RefRow[] | null {
  const before = packed.listed.get(prefix);
  if (before !== undefined) return before;
  const rows = packed.plain ? findBelow(packed, prefix) : null;
  packed.listed.set(prefix, rows);
  return rows;
}

function findBelow(packed: Packed, prefix: string): readonly RefRow[] | null {
  const wanted = ` ${Buffer.from(prefix, 'utf8').toString('latin1')}`;
  const rows: RefRow[] = [];
  for (let at = packed.text.indexOf(wanted); at >= 0; at = packed.text.indexOf(wanted, at + 1)) {
    const row = rowAt(packed, at);
    if (row === null) return null;
    rows.push(row);
  }
  return rows.sort(byName);
}

/** Adds the loose refs below `prefix`; the symbolic ones with what they name. False: something there is not plain, or there are too many. */
function walk(commonDir: string, prefix: string, rows: Map<string, RefRow>, links: Map<RefName, string>): boolean {
  for (const entry of entriesOf(join(commonDir, prefix))) {
    const name = `${prefix}${entry.name}`;
    // Locks, and what is being made under another name.
    if (entry.name.startsWith('.') || entry.name.endsWith('.lock')) continue;
    if (entry.isDirectory()) {
      if (!walk(commonDir, `${name}/`, rows, links)) return false;
      continue;
    }
    // A name that is not UTF-8 could not be opened again.
    if (!entry.isFile() || !isRefName(name) || name.includes('\uFFFD') || rows.size >= MANY) return false;
    const file = loadRefFile(commonDir, name);
    if (file.kind === 'value') rows.set(name, { ref: name, oid: file.oid });
    else if (file.kind === 'symbolic') links.set(name, file.target);
    // Gone since the folder was read: it was deleted, or it is packed now.
    else if (file.kind !== 'none') return false;
  }
  return true;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
