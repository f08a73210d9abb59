// A private Git folder over the repository's objects, whose checkout has nothing but the base's `.gitattributes` files. In it only
// these attributes and the built-in drivers count, whatever lies in a checkout, in `info/attributes` or in any configuration (01).

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { deflateSync } from 'node:zlib';
import { isOid, type ObjectFormat, type Oid } from '../domain/git.js';
import { temporaryFolder } from '../system/temporary.js';
import type { NewObject } from './engine.js';
import { gitFailed } from './exec.js';
import type { GitOptions, GitResult } from './git.js';
import { loadLoose } from './loose-objects.js';
import { nameBytes } from './path-bytes.js';
import type { Repository } from './repository.js';

export interface Isolated {
  /** As `Git.run`, inside. Objects that it makes are the repository's, flushed. */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** Objects that only this folder sees, and that go with it. */
  lend(objects: readonly NewObject[]): Promise<void>;
  /** A folder of its checkout, made where it is missing: a `cwd` from which Git takes paths. `path` is relative to the top. */
  at(path: string): Promise<string>;
}

export interface Isolation {
  /** Made at the first call: many merges never need it. */
  enter(): Promise<Isolated>;
  /** What was made inside since the last call, where nothing of it is kept. */
  made(): Promise<readonly NewObject[]>;
  close(): Promise<void>;
}

/**
 * Prepares such a folder with the attributes of one commit or tree (null: no attributes). Nothing is made before `enter`;
 * `close` removes it. What a killed process leaves behind is a small folder among the temporary files. Without `keep` objects that
 * are made inside go with the folder, and the repository is only read.
 */
export function isolate(repository: Repository, attributes: Oid | null, { keep = true } = {}): Isolation {
  let inside: Promise<Made> | undefined;
  return {
    async enter() {
      inside ??= make(repository, attributes, keep);
      return (await inside).isolated;
    },
    async made() {
      return inside === undefined ? [] : (await inside).made();
    },
    async close() {
      const made = await inside?.catch(() => undefined);
      if (made !== undefined) await rm(made.folder, { recursive: true, force: true });
    },
  };
}

interface Made {
  readonly folder: string;
  readonly isolated: Isolated;
  made(): Promise<readonly NewObject[]>;
}

async function make(repository: Repository, attributes: Oid | null, keep: boolean): Promise<Made> {
  const folder = await temporaryFolder('git-owl-');
  try {
    const gitDir = join(folder, 'git');
    const workTree = join(folder, 'tree');
    await mkdir(join(gitDir, 'objects'), { recursive: true });
    await mkdir(join(gitDir, 'refs'));
    await mkdir(workTree);
    await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(gitDir, 'config'), configuration(repository));
    const env = environment(repository, gitDir, keep);
    const lent = new Set<string>();
    const isolated: Isolated = {
      run: (args, options = {}) =>
        repository.git.run(args, {
          ...options,
          checkout: { gitDir, workTree },
          env: { ...env, ...options.env },
          config: ['core.fsync=loose-object', 'core.fsyncMethod=fsync', ...(options.config ?? [])],
        }),
      lend: (objects) => lend(join(gitDir, 'objects'), lent, objects),
      at: async (path) => {
        await mkdir(join(workTree, path), { recursive: true });
        return join(workTree, path);
      },
    };
    if (attributes !== null) await placeAttributes(repository, attributes, workTree);
    return { folder, isolated, made: () => made(gitDir, repository.format, lent) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** `core.attributesFile` and its default below the home folder would count beside the tree's. */
function configuration(repository: Repository): string {
  const format = repository.format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${repository.format}\n`;
  return `[core]\n\trepositoryFormatVersion = ${repository.format === 'sha1' ? 0 : 1}\n\tbare = false\n\tattributesFile = ${devNull}\n${format}`;
}

function environment(repository: Repository, gitDir: string, keep: boolean): Record<string, string> {
  const [own, theirs] = [join(gitDir, 'objects'), join(repository.commonDir, 'objects')];
  return {
    GIT_OBJECT_DIRECTORY: keep ? theirs : own,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(keep ? own : theirs),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    ...(repository.shallow ? { GIT_SHALLOW_FILE: join(repository.commonDir, 'shallow') } : {}),
  };
}

/** Git splits this variable at colons and takes a quoted entry whole. */
const listed = (path: string): string => (/[:"]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path);

async function lend(objects: string, lent: Set<string>, fresh: readonly NewObject[]): Promise<void> {
  for (const { oid, type, data } of fresh) {
    if (lent.has(oid)) continue;
    lent.add(oid);
    const file = join(objects, oid.slice(0, 2), oid.slice(2));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${data.length}\0`, 'latin1'), data])));
  }
}

async function made(gitDir: string, format: ObjectFormat, known: Set<string>): Promise<readonly NewObject[]> {
  const found: NewObject[] = [];
  for (const name of await readdir(join(gitDir, 'objects'), { recursive: true })) {
    const oid = name.replace(sep, '');
    if (!isOid(oid) || known.has(oid)) continue;
    known.add(oid);
    const object = loadLoose(gitDir, format, oid);
    if (object !== null) found.push({ ...object, oid });
  }
  return found;
}

async function placeAttributes(repository: Repository, from: Oid, workTree: string): Promise<void> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', from];
  const listing = await repository.git.run(args);
  if (listing.code !== 0) throw gitFailed(args, listing);
  const found: { readonly path: string; readonly oid: Oid }[] = [];
  const output = listing.stdout.toString('latin1');
  // A tree of any size is looked through for one name; Git itself ignores a `.gitattributes` that is a link.
  for (const match of output.matchAll(/(?:^|\0)100[0-7]{3} blob ([0-9a-f]+)\t((?:[^\0]*\/)?\.gitattributes)(?=\0)/g)) {
    const [, oid = '', path = ''] = match;
    if (!path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      found.push({ path, oid: oid as Oid });
  }
  if (found.length === 0) return;
  const blobs = await (await repository.engine()).readMany(found.map((one) => one.oid));
  const root = Buffer.from(`${workTree}/`, 'utf8');
  for (const [index, { path }] of found.entries()) {
    const blob = blobs[index];
    if (blob === null || blob === undefined) continue;
    const below = path.slice(0, -'.gitattributes'.length);
    if (below !== '') await mkdir(Buffer.concat([root, nameBytes(below)]), { recursive: true });
    await writeFile(Buffer.concat([root, nameBytes(path)]), blob.data);
  }
}
