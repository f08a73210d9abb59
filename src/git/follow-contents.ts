// What lies in a checkout at the paths that a move changes, by content (G33).

import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import type { ObjectFormat } from '../domain/git.js';
import { lstatIfThere } from './files.js';
import { below, shownName } from './path-bytes.js';
import type { Repository } from './repository.js';
import type { ScratchIndex } from './scratch-index.js';

export interface Side {
  readonly mode: string;
  readonly oid: string;
}

/** One path that differs between the two commits; null: absent there. */
export interface Change {
  readonly name: string;
  readonly old: Side | null;
  readonly new: Side | null;
}

/** What is at a path: a file or link with its id after Git's own conversion, something else, or nothing (no entry). */
export type Content = Side | 'other';

/** The folder of a submodule: never looked into. */
const FOLDER: Side = { mode: '160000', oid: 'folder' };

/** By name; nothing for what is not there. Writes nothing. */
export async function loadContents(
  repository: Repository,
  index: ScratchIndex,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Content>> {
  const { workTree } = index.checkout;
  const found = new Map<string, Content>();
  const files: string[] = [];
  const going = new Set(changes.filter((change) => change.new === null).map(({ name }) => name));
  for (const change of changes) {
    const { name } = change;
    const above = await fileAbove(workTree, name);
    if (above !== null) {
      // `a` goes and `a/b` comes: what is above is judged by itself.
      if (!going.has(above)) found.set(name, 'other');
      continue;
    }
    const stat = await lstatIfThere(below(workTree, name));
    if (stat === null) continue;
    if (stat.isSymbolicLink())
      found.set(name, { mode: '120000', oid: await linkOid(repository.format, workTree, name) });
    else if (stat.isFile()) {
      files.push(name);
      found.set(name, { mode: (stat.mode & 0o100) === 0 ? '100644' : '100755', oid: '' });
    } else if (!stat.isDirectory()) found.set(name, 'other');
    else if (change.old?.mode === '160000' || change.new?.mode === '160000') {
      if (!(await holdsOnly(workTree, name, new Set()))) found.set(name, FOLDER);
    }
    // Git would take ignored files along when it makes room: only a folder that the move itself empties is no obstacle.
    else if (!(await holdsOnly(workTree, name, going))) found.set(name, 'other');
  }
  const oids = await hashFiles(index, files);
  for (const [at, name] of files.entries()) {
    const content = found.get(name);
    const oid = oids[at];
    if (content !== undefined && content !== 'other')
      found.set(name, oid === undefined ? 'other' : { ...content, oid });
  }
  return found;
}

/** Ids of files as `git add` would store them. A name with a line break goes by itself: --stdin-paths takes lines. */
async function hashFiles(index: ScratchIndex, names: readonly string[]): Promise<readonly (string | undefined)[]> {
  if (names.length === 0) return [];
  const lines = names.filter((name) => !name.includes('\n'));
  const output = await index.run(['hash-object', '--stdin-paths'], {
    input: Buffer.from(lines.map((name) => `${quoteLine(name)}\n`).join(''), 'latin1'),
    reading: true,
  });
  // A file that went away meanwhile ends it early; what has no id then counts as changed by somebody.
  const oids = output.stdout.toString('latin1').split('\n');
  const byName = new Map(lines.map((name, at) => [name, oids[at] === '' ? undefined : oids[at]]));
  for (const name of names.filter((odd) => odd.includes('\n'))) {
    const one = await index.run(['hash-object', '--', shownName(name)], { reading: true });
    byName.set(name, one.code === 0 ? one.stdout.toString('latin1').trim() : undefined);
  }
  return names.map((name) => byName.get(name));
}

/** A line that begins with a quote is taken for a C-quoted name. */
const quoteLine = (name: string): string =>
  name.startsWith('"') ? `"${name.replace(/["\\]/g, (character) => `\\${character}`)}"` : name;

async function linkOid(format: ObjectFormat, workTree: string, name: string): Promise<string> {
  const target = await readlink(below(workTree, name), { encoding: 'buffer' });
  return createHash(format).update(`blob ${target.length}\0`).update(target).digest('hex');
}

/** The file or link that stands where a folder above this path should be; null when there is none. */
async function fileAbove(workTree: string, name: string): Promise<string | null> {
  const parts = name.split('/').slice(0, -1);
  for (let count = 1; count <= parts.length; count += 1) {
    const above = parts.slice(0, count).join('/');
    const stat = await lstatIfThere(below(workTree, above));
    if (stat === null) return null;
    if (!stat.isDirectory()) return above;
  }
  return null;
}

/** Has a folder nothing in it but paths of this set, and folders? */
async function holdsOnly(workTree: string, folder: string, names: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(below(workTree, folder), { withFileTypes: true, encoding: 'buffer' })) {
    const name = `${folder}/${entry.name.toString('latin1')}`;
    if (!(entry.isDirectory() ? await holdsOnly(workTree, name, names) : names.has(name))) return false;
  }
  return true;
}
