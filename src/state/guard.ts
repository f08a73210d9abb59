// What must hold before anything is written: no quarantine, the state is ours and readable, no branch blocks our names (01).

import { OwlError } from '../domain/errors.js';
import { isRefName, type Oid, type RefName } from '../domain/git.js';
import type { Engine } from '../git/engine.js';
import { shellWord } from '../system/shell-word.js';
import { META_PATH, STATE_REF } from './layout.js';
import { isUnreadable, lookUp, type Objects } from './objects.js';

const preserved = ['nothing was changed'];

/** In a receive-pack's quarantine what is written may vanish: reading works, writing is refused. */
export function refuseQuarantine(quarantine: boolean): void {
  if (!quarantine) return;
  throw new OwlError(
    'quarantine',
    'Git is receiving a push here and its objects are in quarantine (GIT_QUARANTINE_PATH): nothing can be written now',
    {
      preserved,
      next: ['git owl status'],
    },
  );
}

/**
 * Throws OwlError `name-blocked` when a branch stands where ours are to lie, here or, as far as it is known, on a remote: a part of
 * the branch prefix, or `refine`. Where `refine/state` is, no branch `refine` can be here: `creation` says that it is not yet.
 */
export async function refuseBlockedNames(
  engine: Engine,
  prefixes: readonly string[],
  creation: boolean,
): Promise<void> {
  const names = [...new Set([OWN, ...prefixes.flatMap(foldersOf)])];
  for (const name of creation ? names : names.slice(1)) await refuseHere(engine, name, `${name}/`);
  for (const { ref } of creation ? await engine.list(`${STATE_REF}/`) : [])
    await refuseHere(engine, ref.slice('refs/heads/'.length), STATE_REF.slice('refs/heads/'.length));
  for (const { ref } of await engine.list('refs/remotes/')) {
    const name = names.find((one) => ref.endsWith(`/${one}`) && ref.split('/').length === 3 + one.split('/').length);
    if (name !== undefined) throw blockedThere(ref, name);
  }
}

/** Below it lie the state and the branches of Rounds, whatever the configuration says. */
const OWN = 'refine';

/** `impossible`: the names that this branch is in the way of. */
async function refuseHere(engine: Engine, name: string, impossible: string): Promise<void> {
  const ref = `refs/heads/${name}`;
  if (!isRefName(ref) || (await engine.resolve(ref)) === null) return;
  const free = await freeName(engine, name.replaceAll('/', '-'));
  const what = impossible.endsWith('/') ? `names below ${impossible}` : impossible;
  throw blocked({
    what: `the branch ${name}`,
    name,
    why: `makes ${what} impossible: give it another name${orPrefix(name)}`,
    next: `git branch --move ${shellWord(name)} ${shellWord(free)}`,
  });
}

/** That of `git branch --move`, which refuses one that is taken. */
async function freeName(engine: Engine, name: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const free = `${name}-branch${count === 1 ? '' : `-${count}`}`;
    if ((await engine.resolve(`refs/heads/${free}` as RefName)) === null) return free;
  }
}

/** Nobody but its owner can free the name there; what is known of it here follows only when a fetch prunes. */
function blockedThere(ref: RefName, name: string): OwlError {
  const [, , remote = ''] = ref.split('/');
  const far = name === OWN ? ', where the state and the branches of Rounds go' : '';
  return blocked({
    what: `the branch ${name} on the remote (${ref})`,
    name,
    why:
      `makes names below ${name}/ impossible there${far}: it needs another name on ${remote}, and then ` +
      `"git fetch --prune ${remote}" here${orPrefix(name)}`,
    next: `git ls-remote ${shellWord(remote)} refs/heads/${name}`,
  });
}

const orPrefix = (name: string): string =>
  name.split('/')[0] === OWN ? '' : '; or set another branch_prefix in the configuration on the base';

/** Folders of our own refs: a ref that has the very name of one makes all below it impossible. */
const FOLDERS = ['', '/local', '/keep', '/archive', '/local/intents', '/local/worktrees', '/local/runs'].map(
  (name) => `refs/owl${name}` as RefName,
);

/** Throws OwlError `name-blocked` when a ref stands where the folder of ours is to be. */
export async function refuseOccupied(engine: Engine): Promise<void> {
  for (const ref of FOLDERS) {
    if ((await engine.resolve(ref)) === null) continue;
    throw new OwlError(
      'name-blocked',
      `the ref ${ref} makes git owl's own refs below ${ref}/ impossible: give it another name`,
      {
        preserved: [...preserved, `${ref} is as it was`],
        next: [`git show --no-patch ${ref}`],
        data: { name: ref },
      },
    );
  }
}

/** `a/b/` -> `a`, `a/b`: names that must not be branches themselves. */
function foldersOf(prefix: string): readonly string[] {
  const parts = prefix.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

interface Blocked {
  readonly what: string;
  readonly name: string;
  readonly why: string;
  readonly next: string;
}

const blocked = ({ what, name, why, next }: Blocked): OwlError =>
  new OwlError('name-blocked', `${what} ${why}`, {
    preserved: [...preserved, `${what} is as it was`],
    next: [next],
    data: { name },
  });

/**
 * The tree of the state commit. Throws OwlError `foreign-state` when `refine/state` is an ordinary branch of somebody's,
 * `damaged-state` when it is ours and cannot be read.
 */
export async function loadRoot(objects: Objects, tip: Oid): Promise<Oid> {
  try {
    const { tree } = await objects.commit(tip);
    const entry = await lookUp(objects, tree, META_PATH);
    if (entry !== null && isOurs(await objects.blob(entry.oid))) return tree;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw new OwlError('damaged-state', `${STATE_REF} is there and cannot be read: ${error.message}`, {
      preserved,
      next: ['git owl fsck'],
      cause: error,
    });
  }
  throw new OwlError(
    'foreign-state',
    `${STATE_REF} is a branch that git owl did not make: there is no ${META_PATH} of ours in it`,
    {
      preserved: [...preserved, `${STATE_REF} is as it was`],
      next: ['git log -1 refs/heads/refine/state', 'git branch --move refine/state <another name>'],
    },
  );
}

/** A broken `meta.json` is ours until it says that it is something else. */
function isOurs(data: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    return typeof value !== 'object' || value === null || (value as { readonly kind?: unknown }).kind === 'meta';
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
