// What is kept alive for a Job or a Goal: chains under `refs/owl/keep/<id>` and, for Candidates, `refs/owl/candidates/<goal>`,
// appended to before the state says so (01, Writes).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { shortOid } from '../domain/git.js';
import type { NewObject } from '../git/engine.js';
import { failpoint } from '../system/failpoint.js';
import { archivedTips } from './archived.js';
import { anchorOf, fileTree, linkSubject, newLink, readChain } from './chain.js';
import { type Chain, chainId, chainName, chainRef, isWorkId } from './layout.js';
import { isUnreadable, lookUp } from './objects.js';
import type { StoreEnv } from './store-env.js';
import type { KeptLink, Pin } from './types.js';
import { writeAndSwap } from './write-ref.js';

/** How far back "the same commit and subject" is looked for. */
const RECENT = 50;
const ATTEMPTS = 20;

/**
 * Appends each pin to the chain of its Job; one that is there already is nothing. Returns the objects that were written.
 * Throws OwlError `unreadable-object` when what is to be kept is not here, `busy` when a chain cannot be moved.
 */
export async function appendPins(env: StoreEnv, pins: readonly Pin[], step: string): Promise<readonly NewObject[]> {
  const written: NewObject[] = [];
  await requireKept(env, pins);
  const nameOf = (pin: Pin): string => chainName(pin.job, pin.chain);
  for (const name of new Set(pins.map(nameOf))) {
    const mine = pins.filter((pin) => nameOf(pin) === name);
    written.push(...(await appendTo(env, name, mine)));
    await failpoint(`${step}.after-pin`);
  }
  return written;
}

async function requireKept(env: StoreEnv, pins: readonly Pin[]): Promise<void> {
  const commits = pins.flatMap((pin) => pin.commit ?? []);
  const there = commits.length === 0 ? [] : await env.engine.exists(commits);
  const missing = commits.find((_, at) => there[at] !== true);
  if (missing === undefined) return;
  throw new OwlError('unreadable-object', `commit ${shortOid(missing)} was to be kept and is not in this repository`, {
    preserved: ['nothing was changed'],
    next: ['git owl fsck'],
    data: { oid: missing },
  });
}

async function appendTo(env: StoreEnv, name: string, pins: readonly Pin[]): Promise<readonly NewObject[]> {
  const ref = chainRef(name);
  const identity = await env.identity();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const old = await env.engine.resolve(ref);
    const links = old === null ? [] : await readChain(env.objects, old, RECENT);
    const anchor = anchorOf(env.objects.format);
    const made: NewObject[] = old === null ? [...anchor] : [];
    let tip = old ?? anchor[0].oid;
    for (const pin of pins) {
      const files = await fileTree(env.objects, pin.files ?? new Map());
      const subject = linkSubject(pin.subject);
      const same = links.some(
        (link) => link.kept === pin.commit && link.subject === subject && link.tree === files.tree,
      );
      if (same) continue;
      const link = newLink(env.objects.format, {
        tree: files.tree,
        previous: tip,
        kept: pin.commit,
        subject,
        identity: identity.committer,
      });
      links.push({ link: link.oid, kept: pin.commit, subject, time: 0, tree: files.tree });
      made.push(...files.made, link);
      tip = link.oid;
    }
    if (tip === old || (old === null && tip === anchor[0].oid)) return [];
    const swap = await writeAndSwap(env, made, { ref, old: old ?? 'absent', new: tip }, `keep ${chainId(name)}`);
    if (swap.kind === 'moved') return made;
    if (swap.kind === 'impossible')
      throw new OwlError('name-blocked', swap.message, { preserved: ['nothing was changed'] });
    await env.pause(attempt);
  }
  throw new OwlError('busy', `${ref} could not be moved in ${ATTEMPTS} tries`, {
    preserved: ['nothing was changed'],
    next: [`git for-each-ref ${ref}`],
  });
}

/** All links of a Job or Goal, newest first: of its own chain, then of the archives that were folded from it (M12). */
export async function loadKept(env: StoreEnv, id: string, chain?: Chain): Promise<readonly KeptLink[]> {
  if (!isWorkId(id)) return [];
  const name = chainName(id, chain);
  const own = await env.engine.resolve(chainRef(name));
  const links: KeptLink[] = own === null ? [] : await readChain(env.objects, own);
  const known = new Set(links.map((link) => link.link));
  for (const tip of await archivedTips(env, name)) {
    for (const link of await readChain(env.objects, tip, Number.POSITIVE_INFINITY, known)) {
      links.push(link);
      known.add(link.link);
    }
  }
  return links;
}

/** A file of a link's tree; null when the link or the file is not there. */
export async function loadKeptFile(env: StoreEnv, link: Oid, path: string): Promise<Buffer | null> {
  try {
    const commit = await env.objects.commit(link);
    const entry = await lookUp(env.objects, commit.tree, Buffer.from(path, 'utf8').toString('latin1'));
    return entry === null ? null : await env.objects.blob(entry.oid);
  } catch (error) {
    if (isUnreadable(error) && (await env.engine.exists([link]))[0] === false) return null;
    throw error;
  }
}

/** Brings back what closed work keeps from the archive, before it is opened again (M12, G53). Nothing to bring back is nothing. */
export async function bringBack(env: StoreEnv, id: string): Promise<void> {
  for (const chain of ['keep', 'candidates'] as const) await bringChain(env, chainName(id, chain));
}

async function bringChain(env: StoreEnv, name: string): Promise<void> {
  const ref = chainRef(name);
  if ((await env.engine.resolve(ref)) !== null) return;
  const [newest] = await archivedTips(env, name);
  if (newest === undefined) return;
  const id = chainId(name);
  const swap = await env.engine.swap({ ref, old: 'absent', new: newest }, `bring back what ${id} keeps`);
  if (swap.kind === 'moved' || (await env.engine.resolve(ref)) !== null) return;
  const message = swap.kind === 'lost' ? 'it stands at another value' : swap.message;
  throw new OwlError('busy', `${ref} could not be brought back: ${message}`, {
    preserved: ['nothing was changed', `what ${id} keeps is in the archive`],
  });
}
