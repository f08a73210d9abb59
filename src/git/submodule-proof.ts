// Is a submodule's checkout exactly what its superproject names, with nothing of its own (M4)? Proven by reading and
// hashing its files ourselves: no `git` runs with its configuration, which could start programs.

import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOid, type Oid } from '../domain/git.js';
import { temporaryFolder } from '../system/temporary.js';
import { lstatIfThere, readIfThere, realPathIfThere } from './files.js';
import { newBlob } from './objects.js';
import { below, nameBytes, splitNul } from './path-bytes.js';
import type { Repository } from './repository.js';
import type { Checkout } from './scratch-index.js';
import { gitFileTarget } from './worktree.js';

/** null: proven clean, or never initialised. Otherwise why not; in doubt, why it is in doubt. */
export async function submoduleProblem(
  repository: Repository,
  checkout: Checkout,
  name: string,
  expected: Oid,
): Promise<string | null> {
  const path = below(checkout.workTree, name);
  const stat = await lstatIfThere(path);
  if (stat === null) return null;
  if (!stat.isDirectory()) return 'something else is in its place';
  const names = await readdir(path);
  if (names.length === 0) return null;
  if (!names.includes('.git')) return 'it has files and is not initialised';
  if (path.toString('utf8') !== `${checkout.workTree}/${nameBytes(name).toString('utf8')}`)
    return 'its name is not UTF-8';
  // Only the place where Git itself puts a submodule's Git folder: any other is a repository that somebody put there.
  const modules = await realPathIfThere(join(checkout.gitDir, 'modules'));
  const gitDir = await gitFileTarget(path.toString('utf8'));
  if (modules === null || gitDir === null || !gitDir.startsWith(`${modules}/`)) return 'it is a repository of its own';
  const refs = await loadRefs(gitDir);
  if (refs === null) return 'its refs could not be read';
  if (refs.head !== expected) return 'another commit is checked out in it';
  for (const [ref, oid] of refs.own) if (!refs.remote.has(oid)) return `it has ${ref}, which its remote may not have`;
  return compareFiles(repository, gitDir, path, expected, refs);
}

interface Refs {
  readonly head: string;
  /** Branches, stash and whatever else is not of the remote. */
  readonly own: ReadonlyMap<string, string>;
  readonly remote: ReadonlySet<string>;
}

/** Read from files: a Git folder with reftable has none of these, and gives null. */
async function loadRefs(gitDir: string): Promise<Refs | null> {
  const refs = new Map<string, string>();
  for (const line of ((await readIfThere(join(gitDir, 'packed-refs'))) ?? '').split('\n')) {
    const [oid = '', ref = ''] = line.split(' ');
    if (isOid(oid) && ref !== '') refs.set(ref, oid);
  }
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(gitDir, folder), { withFileTypes: true })) {
      const ref = `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(ref);
      else refs.set(ref, ((await readIfThere(join(gitDir, ref))) ?? '').trim());
    }
  };
  if ((await lstatIfThere(join(gitDir, 'refs')))?.isDirectory() !== true) return null;
  await walk('refs');
  const head = ((await readIfThere(join(gitDir, 'HEAD'))) ?? '').trim();
  const symbolic = /^ref: (.+)$/.exec(head)?.[1];
  const at = symbolic === undefined ? head : (refs.get(symbolic) ?? '');
  if (!isOid(at)) return null;
  const entries = [...refs].filter(([, oid]) => isOid(oid));
  return {
    head: at,
    own: new Map(entries.filter(([ref]) => !ref.startsWith('refs/remotes/') && !ref.startsWith('refs/tags/'))),
    remote: new Set(entries.filter(([ref]) => ref.startsWith('refs/remotes/')).map(([, oid]) => oid)),
  };
}

/** The commit is one that the remote has, and every file is its blob, byte for byte; nothing else lies there. */
async function compareFiles(
  repository: Repository,
  gitDir: string,
  path: Buffer,
  commit: Oid,
  refs: Refs,
): Promise<string | null> {
  const bare = await temporaryFolder('git-owl-submodule-');
  try {
    // A Git folder of ours that only borrows its objects: its configuration is never read.
    await mkdir(join(bare, 'refs'));
    await mkdir(join(bare, 'objects', 'info'), { recursive: true });
    await writeFile(join(bare, 'objects', 'info', 'alternates'), `${join(gitDir, 'objects')}\n`);
    await writeFile(join(bare, 'HEAD'), 'ref: refs/heads/none\n');
    const sha256 = commit.length === 64;
    const version = sha256
      ? '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n'
      : '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
    await writeFile(join(bare, 'config'), version);
    const options = { bare: true, cwd: bare, env: { GIT_DIR: bare } };
    const remote = [...refs.remote];
    const unpublished = await repository.git.run(['rev-list', '--max-count=1', '--stdin'], {
      ...options,
      input: `${commit}\n${remote.map((oid) => `^${oid}\n`).join('')}`,
    });
    if (unpublished.code !== 0) return 'its commits could not be read';
    if (unpublished.stdout.length > 0) return 'its commit is one that its remote may not have';
    const listed = await repository.git.run(['ls-tree', '-r', '-z', '--full-tree', commit], options);
    if (listed.code !== 0) return 'its tree could not be read';
    return compareTree(path, splitNul(listed.stdout), sha256 ? 'sha256' : 'sha1');
  } finally {
    await rm(bare, { recursive: true, force: true });
  }
}

async function compareTree(path: Buffer, lines: readonly string[], format: 'sha1' | 'sha256'): Promise<string | null> {
  const files = new Map<string, { readonly mode: string; readonly oid: string }>();
  for (const line of lines) {
    const match = /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line);
    if (match !== null) files.set(match[3] ?? '', { mode: match[1] ?? '', oid: match[2] ?? '' });
  }
  const at = (name: string): Buffer => Buffer.concat([path, Buffer.from('/'), nameBytes(name)]);
  const walk = async (folder: string): Promise<string | null> => {
    const listed = await readdir(folder === '' ? path : at(folder), { withFileTypes: true, encoding: 'buffer' });
    for (const entry of listed) {
      const name = `${folder === '' ? '' : `${folder}/`}${entry.name.toString('latin1')}`;
      if (name === '.git') continue;
      const wanted = files.get(name);
      if (entry.isDirectory()) {
        if (wanted?.mode === '160000') {
          if ((await readdir(at(name))).length > 0) return `${name} in it is a submodule with files`;
          files.delete(name);
          continue;
        }
        const inside = await walk(name);
        if (inside !== null) return inside;
        continue;
      }
      if (wanted === undefined) return `${name} in it is not part of its commit`;
      const data = entry.isSymbolicLink() ? await readlink(at(name), { encoding: 'buffer' }) : await readFile(at(name));
      const link = wanted.mode === '120000';
      if (link !== entry.isSymbolicLink() || newBlob(format, data).oid !== wanted.oid)
        return `${name} in it was changed`;
      files.delete(name);
    }
    return null;
  };
  const found = await walk('');
  if (found !== null) return found;
  const gone = [...files].find(([, { mode }]) => mode !== '160000');
  return gone === undefined ? null : `${gone[0]} in it was deleted`;
}
