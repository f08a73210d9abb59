// The engine on libgit2: single reads from packs and the swap of a ref without a process for each. The rest, and every doubt, is Git's own.

import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import type { ObjectType, Oid } from '../domain/git.js';
import { failpoint } from '../system/failpoint.js';
import type { Engine, GitObject, RefUpdate, SwapResult } from './engine.js';
import { type EngineFacts, plumbingEngine } from './engine-plumbing.js';
import { refuseQuarantine } from './exec.js';
import { flushFolder } from './flush.js';
import type { Git, Identity } from './git.js';
import type { Libgit2 } from './libgit2.js';
import { loadLoose, mayBeLoose } from './loose-objects.js';
import { unreadable } from './object-reader.js';

export interface NodegitSettings {
  readonly facts: EngineFacts;
  readonly git: Git;
  readonly libgit2: Libgit2;
  readonly because: string;
  /** For the reflog: libgit2 does not know the variables that Git would take it from. */
  readonly identity: () => Promise<Identity>;
}

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
/** Above this many at once one `cat-file` is faster, its start included. */
const FEW = 64;

/**
 * What it takes over from the plumbing engine is what was measured to be worth it; `write`, `list`, `exists`, deletion and ancestry are Git's
 * (libgit2 lost unrelated refs when it deleted beside `pack-refs`, and believes grafts and what it once cached).
 */
export function nodegitEngine(settings: NodegitSettings): Engine {
  const { facts, libgit2 } = settings;
  const plumbing = plumbingEngine(facts, settings.git, settings.because);
  const { objects, refs } = plumbing.parts;
  const zero = '0'.repeat(40);
  let named: Promise<void> | undefined;

  const read = async (oid: Oid): Promise<GitObject | null> => {
    const loose = loadLoose(facts.commonDir, facts.format, oid);
    if (loose !== null) return loose;
    if (mayBeLoose(facts.commonDir, oid)) return objects.read(oid);
    let found: Awaited<ReturnType<Libgit2['read']>>;
    try {
      found = await libgit2.read(oid);
    } catch {
      // Git says whether it is absent or damaged, and reads some things that libgit2 does not.
      return objects.read(oid);
    }
    if (found === null) return objects.read(oid);
    const type = TYPES[found.type];
    if (type === undefined) throw unreadable(oid, `type ${found.type} is unknown`);
    return { type, data: found.data };
  };

  const setName = async (): Promise<void> => {
    const { committer } = await settings.identity();
    const parts = /^([^<]*?) *<([^>]*)>/.exec(committer);
    libgit2.setIdent(parts?.[1] || 'git-owl', parts?.[2] || 'git-owl@localhost');
  };

  const swap = async (update: RefUpdate, reason: string): Promise<SwapResult> => {
    if (update.new === 'absent' || facts.reftable || (await refs.isSymbolic(update.ref)))
      return refs.swap(update, reason);
    named ??= setName();
    await named;
    await failpoint('git.before-ref');
    try {
      await libgit2.createMatching(
        update.ref,
        update.new,
        update.old === 'absent' ? zero : update.old,
        reason.replace(/\s+/g, ' '),
      );
    } catch {
      // Lost, locked, impossible, or a reason that only Git knows: it is looked for the same way as by the other engine.
      return (await refs.explain(update)) ?? refs.swap(update, reason);
    }
    await failpoint('git.after-ref');
    await flushRef(join(facts.commonDir, update.ref));
    return { kind: 'moved' };
  };

  return {
    ...plumbing,
    name: 'nodegit',
    read,
    readMany: (oids) => (oids.length > FEW ? objects.readMany(oids) : Promise.all(oids.map(read))),
    async swap(update, reason) {
      refuseQuarantine(facts.quarantine);
      return swap(update, reason);
    },
    expectSwap() {},
    async close() {
      await libgit2.close();
      await plumbing.close();
    },
  };
}

/** After the move, since libgit2 does it in one step; the file may have been packed meanwhile, by a Git that flushed it. */
async function flushRef(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return null;
    throw new OwlError('storage', `${path} could not be flushed to disk (${error.code ?? 'unknown error'})`, {
      cause: error,
    });
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  await flushFolder(dirname(path));
}
