// Letting go of single commits that are kept for a Job, because somebody named them (M12). Its logs and prompts stay.

import type { Oid } from '../domain/git.js';
import type { NewObject } from '../git/engine.js';
import { newCommit, newTree } from '../git/objects.js';
import { failpoint } from '../system/failpoint.js';
import { anchorOf, readChain } from './chain.js';
import { refuseQuarantine } from './guard.js';
import { chainRef, KEEP_PREFIX } from './layout.js';
import type { StoreEnv } from './store-env.js';
import type { KeptLink } from './types.js';
import { writeAndSwap } from './write-ref.js';

/** Ids under `refs/owl/keep/` whose chain keeps this very commit. Throws OwlError `unreadable-object`. */
export async function keptBy(env: StoreEnv, commit: Oid): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { ref, oid } of await env.engine.list(KEEP_PREFIX)) {
    if ((await readChain(env.objects, oid)).some((link) => link.kept === commit))
      ids.push(ref.slice(KEEP_PREFIX.length));
  }
  return ids;
}

/**
 * Makes the chain of one id again without this commit: a link that has files stays for them. The ref moves by compare-and-swap.
 * False: it moved meanwhile, or does not keep the commit. Throws OwlError `quarantine`, `unreadable-object`, `storage`.
 */
export async function unpin(env: StoreEnv, id: string, commit: Oid): Promise<boolean> {
  refuseQuarantine(env.quarantine);
  const ref = chainRef(id);
  const old = await env.engine.resolve(ref);
  if (old === null) return false;
  const links = (await readChain(env.objects, old)).toReversed();
  const first = links.findIndex((link) => link.kept === commit);
  if (first < 0) return false;
  const { format } = env.objects;
  const empty = newTree(format, []).oid;
  const made: NewObject[] = first === 0 ? [...anchorOf(format)] : [];
  let tip = links[first - 1]?.link ?? anchorOf(format)[0].oid;
  let left = first;
  for (const link of links.slice(first)) {
    const kept = link.kept === commit ? null : link.kept;
    if (kept === null && link.tree === empty) continue;
    const again = await linkAgain(env, link, tip, kept);
    made.push(again);
    tip = again.oid;
    left += 1;
  }
  await failpoint('expire.before-move');
  const swap = await writeAndSwap(env, made, { ref, old, new: left === 0 ? 'absent' : tip }, `let go of ${commit}`);
  await failpoint('expire.after-move');
  return swap.kind === 'moved';
}

/** The same link on another one before it, with author, time and message as they were. */
async function linkAgain(env: StoreEnv, link: KeptLink, previous: Oid, kept: Oid | null): Promise<NewObject> {
  const { tree, author, committer, message } = await env.objects.commit(link.link);
  return newCommit(env.objects.format, {
    tree,
    parents: kept === null ? [previous] : [previous, kept],
    author,
    committer,
    message,
  });
}
