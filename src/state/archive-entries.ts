// Entries of an archive: whose chain, and its tip as second parent of a commit, so that what it keeps is reachable (M12; 05, S1).

import { OwlError } from '../domain/errors.js';
import type { Oid, RefName } from '../domain/git.js';
import type { NewObject } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { archivePath, parseEntry } from './archived.js';
import { anchorOf, newLink } from './chain.js';
import { ensureThere } from './gc-watch.js';
import { chainId } from './layout.js';
import type { StoreEnv } from './store-env.js';
import { editTree } from './tree.js';
import { writeAndSwap } from './write-ref.js';

const ATTEMPTS = 20;
const NOBODY = 'git-owl <git-owl@localhost> 0 +0000';

/** Name of a chain -> tips. */
export type Entries = ReadonlyMap<string, readonly Oid[]>;

/** Appends to the archive here. Throws OwlError `busy`. */
export async function appendEntries(env: StoreEnv, ref: RefName, entries: Entries): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const old = await env.engine.resolve(ref);
    const { tip, made } = await addEntries(env, old, entries);
    if (tip === null || tip === old) return;
    const swap = await writeAndSwap(env, made, { ref, old: old ?? 'absent', new: tip }, 'archive');
    if (swap.kind === 'moved') return ensureThere(env, made, ref);
    await env.pause(attempt);
  }
  throw new OwlError('busy', `${ref} could not be moved in ${ATTEMPTS} tries`, {
    preserved: ['nothing was folded, all is kept'],
  });
}

/**
 * The archive `old` (null: none yet) with these too: a commit for each tip, with the tip as second parent; the tree of the last one
 * names them all. The objects are written; no ref moves. What is there already is nothing.
 */
export async function addEntries(
  env: StoreEnv,
  old: Oid | null,
  entries: Entries,
): Promise<{ readonly tip: Oid | null; readonly made: readonly NewObject[] }> {
  const { committer } = await env.identity();
  const [anchor, empty] = anchorOf(env.objects.format);
  const made: NewObject[] = old === null ? [anchor, empty] : [];
  let tip = old ?? anchor.oid;
  let tree = old === null ? null : (await env.objects.commit(old)).tree;
  for (const [name, tips] of entries) {
    const editor = editTree(env.objects, tree);
    const path = archivePath(name);
    const entry = await editor.get(path);
    const before = entry === null ? [] : parseEntry(await readBlob(env, made, entry.oid));
    const fresh = tips.filter((one) => !before.includes(one));
    if (fresh.length === 0) continue;
    const blob = newBlob(env.objects.format, `${[...fresh, ...before].join('\n')}\n`);
    await editor.put(path, { mode: '100644', oid: blob.oid });
    tree = (await editor.seal()) as Oid;
    made.push(blob, ...editor.made);
    // The next editor starts from trees that are only in memory: they are written first.
    await env.engine.write(made);
    for (const kept of fresh.toReversed()) {
      const subject = `${chainId(name)}: what it keeps`;
      const link = newLink(env.objects.format, { tree, previous: tip, kept, subject, identity: committer });
      made.push(link);
      tip = link.oid;
    }
  }
  if (tree === null) return { tip: old, made: [] };
  await env.engine.write(made);
  return { tip, made };
}

/** A chain of one link that keeps a commit, written: the same for the same commit. */
export async function sharedLink(env: StoreEnv, kept: Oid): Promise<Oid> {
  const [anchor, empty] = anchorOf(env.objects.format);
  const link = newLink(env.objects.format, {
    tree: empty.oid,
    previous: anchor.oid,
    kept,
    subject: 'tip that was shared',
    identity: NOBODY,
  });
  await env.engine.write([anchor, empty, link]);
  return link.oid;
}

const readBlob = async (env: StoreEnv, made: readonly NewObject[], oid: Oid): Promise<Buffer> =>
  made.find((object) => object.oid === oid)?.data ?? env.objects.blob(oid);
