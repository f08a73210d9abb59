// Refs from their files, else `for-each-ref`; moved by `update-ref`. Why a move was refused is found by looking again, never in a message (01).

import { dirname, join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import { isOid, type Oid, type RefName } from '../domain/git.js';
import { failpoint } from '../system/failpoint.js';
import type { RefUpdate, SwapResult } from './engine.js';
import { gitFailed } from './exec.js';
import { flushFolder } from './flush.js';
import type { Git, RepositoryFacts } from './git.js';
import { findLock, isPerWorktree, loadRefFile, type RefFile } from './ref-files.js';
import { type RefRow, refFiles } from './ref-list.js';
import { refSession } from './ref-session.js';

export interface Refs {
  resolve(ref: RefName): Promise<Oid | null>;
  list(prefix: string): Promise<readonly { readonly ref: RefName; readonly oid: Oid }[]>;
  swap(update: RefUpdate, reason: string): Promise<SwapResult>;
  expectSwap(): void;
  isSymbolic(ref: RefName): Promise<boolean>;
  /** What stands in the way of a move that was just refused; null when nothing does any more. */
  explain(update: RefUpdate): Promise<SwapResult | null>;
  close(): Promise<void>;
}

export type RefPlace = Pick<RepositoryFacts, 'commonDir' | 'format' | 'reftable'>;

const ATTEMPTS = 3;

/** Refs that no person reads a reflog of, since their commits say what happened: one message serves every move. */
export const isOwn = (ref: RefName): boolean => ref.startsWith('refs/owl/') || ref === 'refs/heads/refine/state';

/** `hasObject` looks on disk: a ref is never moved to an object that is gone. */
export function plumbingRefs(git: Git, place: RefPlace, hasObject: (oid: Oid) => Promise<boolean>): Refs {
  const zero = '0'.repeat(place.format === 'sha1' ? 40 : 64);
  const files = place.reftable ? null : refFiles(place.commonDir);
  const session = refSession(git, 'git owl');

  const each = async (pattern: string): Promise<readonly RefRow[]> => {
    const text = await git.text(['for-each-ref', '--format=%(objectname) %(refname)', pattern]);
    const rows: RefRow[] = [];
    for (const line of text.split('\n')) {
      const at = line.indexOf(' ');
      const oid = line.slice(0, at);
      if (at > 0 && isOid(oid)) rows.push({ oid, ref: line.slice(at + 1) as RefName });
    }
    return rows;
  };

  /** `prefix` ends in `/`. */
  const below = async (prefix: string): Promise<readonly RefRow[]> => files?.list(prefix) ?? (await each(prefix));

  const file = (ref: RefName): RefFile | { readonly kind: 'unknown' } =>
    place.reftable || isPerWorktree(ref) ? { kind: 'unknown' } : loadRefFile(place.commonDir, ref);

  const resolve = async (ref: RefName): Promise<Oid | null> => {
    const loose = file(ref);
    if (loose.kind === 'value') return loose.oid;
    if (loose.kind === 'damaged') throw damagedRef(ref, loose.path, loose.why);
    const packed = loose.kind === 'none' ? (files?.packed(ref) ?? null) : null;
    if (packed !== null && packed !== 'absent') return packed;
    if (packed === null) {
      const found = (await each(ref)).find((row) => row.ref === ref);
      if (found !== undefined) return found.oid;
    }
    // Packed or loose: between the two looks the one may have become the other, by `pack-refs` or by another writer.
    const again = file(ref);
    if (again.kind === 'damaged') throw damagedRef(ref, again.path, again.why);
    return again.kind === 'value' ? again.oid : null;
  };

  const symbolicTarget = async (ref: RefName): Promise<string | null> => {
    const loose = file(ref);
    if (loose.kind === 'symbolic') return loose.target;
    if (loose.kind !== 'unknown') return null;
    const answer = await git.run(['symbolic-ref', '--quiet', ref]);
    return answer.code === 0 ? answer.stdout.toString('utf8').trim() : null;
  };

  const explain = async (update: RefUpdate): Promise<SwapResult | null> => {
    let found: Oid | 'absent';
    try {
      found = (await resolve(update.ref)) ?? 'absent';
    } catch (error) {
      if (error instanceof OwlError && error.code === 'unreadable-object') return { kind: 'lost', found: 'unknown' };
      throw error;
    }
    if (found !== update.old) return { kind: 'lost', found };
    const lock = findLock(place.commonDir, update.ref, place.reftable);
    if (lock !== null) return { kind: 'locked', message: `${lock} is held by another process, or was left by one` };
    if (update.new === 'absent') return null;
    const above = prefixes(update.ref);
    for (const name of above) {
      if ((await resolve(name)) !== null)
        return { kind: 'impossible', message: `${name} exists, so ${update.ref} cannot be made` };
    }
    const first = (await below(`${update.ref}/`))[0];
    if (first !== undefined)
      return { kind: 'impossible', message: `${first.ref} exists, so ${update.ref} cannot be made` };
    return null;
  };

  const swap = async (update: RefUpdate, reason: string): Promise<SwapResult> => {
    const target = await symbolicTarget(update.ref);
    if (target !== null) return { kind: 'impossible', message: `${update.ref} is a symbolic ref to ${target}` };
    if (update.new === 'absent' && update.old === 'absent') {
      const found = await resolve(update.ref);
      return found === null ? { kind: 'moved' } : { kind: 'lost', found };
    }
    const old = update.old === 'absent' ? zero : update.old;
    const what = update.new === 'absent' ? ['-d', update.ref, old] : [update.ref, update.new, old];
    const args = ['update-ref', '--no-deref', '-m', reason.replace(/\s+/g, ' '), ...what];
    const done = async (): Promise<SwapResult> => {
      await failpoint('git.after-ref');
      if (!place.reftable) await flushFolder(dirname(join(place.commonDir, update.ref)));
      return { kind: 'moved' };
    };
    await failpoint('git.before-ref');
    if (isOwn(update.ref)) {
      if (await session.move(update)) return done();
      const why = await explain(update);
      if (why !== null) return why;
    }
    for (let attempt = 1; ; attempt++) {
      const result = await git.run(args, {
        reading: false,
        config: ['core.fsync=loose-object,reference', 'core.fsyncMethod=fsync'],
      });
      if (result.code === 0) return done();
      const why = await explain(update);
      if (why !== null) return why;
      if (update.new !== 'absent' && !(await hasObject(update.new))) {
        throw new OwlError(
          'unreadable-object',
          `${update.ref} was not moved: object ${update.new} is not in the repository`,
          {
            preserved: [`${update.ref} is where it was.`],
            next: ['git owl doctor'],
            data: { oid: update.new, ref: update.ref, missing: true },
          },
        );
      }
      // A lock that was there and is gone again is tried again; what fails without one is the disk or the rights.
      if (attempt === ATTEMPTS) {
        const error = gitFailed(args, result);
        throw new OwlError('storage', `${update.ref} could not be written: ${error.message}`, {
          preserved: [`${update.ref} is where it was.`],
          next: ['git owl doctor'],
          data: error.data,
        });
      }
    }
  };

  return {
    resolve,
    explain,
    swap,
    expectSwap: session.begin,
    isSymbolic: async (ref) => (await symbolicTarget(ref)) !== null,
    list: (prefix) => below(prefix.endsWith('/') ? prefix : `${prefix}/`),
    close: session.close,
  };
}

function damagedRef(ref: RefName, path: string, why: string): OwlError {
  return new OwlError('unreadable-object', `the ref ${ref} is damaged (${path}: ${why})`, {
    preserved: ['Nothing was changed; earlier values may be in its reflog.'],
    next: [`git reflog show ${ref}`, 'git owl doctor'],
    data: { ref, path },
  });
}

/** `refs/heads/a/b` -> `refs/heads`, `refs/heads/a`: names that must not be refs. */
function prefixes(ref: RefName): readonly RefName[] {
  const parts = ref.split('/');
  return parts.slice(2, -1).map((_, at) => parts.slice(0, at + 3).join('/') as RefName);
}
