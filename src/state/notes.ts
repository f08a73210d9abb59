// Facts about this clone only: `refs/owl/local/<name>` at a blob of canonical JSON, moved by compare-and-swap (01, Refs).

import { OwlError } from '../domain/errors.js';
import { isRefName, type Oid, type RefName } from '../domain/git.js';
import type { Engine, NewObject } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import type { Repository } from '../git/repository.js';
import { canonical } from './canonical.js';
import { ensureThere } from './gc-watch.js';
import { refuseQuarantine } from './guard.js';
import { LOCAL_PREFIX } from './layout.js';
import type { LocalNotes } from './types.js';
import { nothing, removeOrEmpty, writeAndSwap } from './write-ref.js';

/** Opens nothing before the first call. */
export function createNotes(repository: Pick<Repository, 'engine' | 'quarantine' | 'commonDir'>): LocalNotes {
  const refOf = (name: string): RefName => {
    const ref = `${LOCAL_PREFIX}${name}`;
    if (isRefName(ref)) return ref;
    throw new OwlError('defect', `${JSON.stringify(name.slice(0, 80))} cannot be the name of a note`);
  };
  return {
    read: async <T>(name: string) => {
      const engine = await repository.engine();
      const oid = await engine.resolve(refOf(name));
      const blob = oid === null ? null : await engine.read(oid);
      if (oid === null || oid === nothing(engine).oid) return null;
      return { oid, value: parseNote(name, blob?.type === 'blob' ? blob.data : null) as T };
    },
    write: async (name, value, old) => {
      refuseQuarantine(repository.quarantine);
      const engine = await repository.engine();
      const blob = newBlob(engine.format, canonical(value));
      const moved = await swap(engine, refOf(name), await standing(engine, refOf(name), old), blob);
      const clock = { elapsed: () => performance.now(), sleep };
      if (moved)
        await ensureThere({ engine, clock, commonDir: repository.commonDir || null }, [blob], `the note ${name}`);
      return moved;
    },
    remove: async (name, old) => {
      refuseQuarantine(repository.quarantine);
      return swap(await repository.engine(), refOf(name), old, 'absent');
    },
    list: async (prefix) => {
      const engine = await repository.engine();
      const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
      const refs = await engine.list(`${LOCAL_PREFIX}${folder}`);
      const empty = nothing(engine).oid;
      return refs
        .filter(({ oid }) => oid !== empty)
        .map(({ ref, oid }) => ({ name: ref.slice(LOCAL_PREFIX.length), oid }));
    },
    tidy: async () => {
      const engine = await repository.engine();
      const old = nothing(engine).oid;
      for (const { ref, oid } of await engine.list(LOCAL_PREFIX)) {
        if (oid !== old) continue;
        refuseQuarantine(repository.quarantine);
        // Still locked: nothing is lost by it, and the others would be too.
        if ((await engine.swap({ ref, old, new: 'absent' }, 'note')).kind === 'locked') return;
      }
    },
  };
}

function parseNote(name: string, data: Buffer | null): unknown {
  try {
    if (data !== null) return JSON.parse(data.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new OwlError('damaged-state', `the note ${LOCAL_PREFIX}${name} cannot be read`, {
    preserved: ['nothing was changed'],
    next: ['git owl fsck'],
  });
}

/** "Must not exist" holds also for what is there only because it could not be deleted. */
async function standing(engine: Engine, ref: RefName, old: Oid | 'absent'): Promise<Oid | 'absent'> {
  const empty = nothing(engine).oid;
  return old === 'absent' && (await engine.resolve(ref)) === empty ? empty : old;
}

/** Throws OwlError `busy` where a lock stays in the way, `name-blocked` where the name cannot be. */
async function swap(engine: Engine, ref: RefName, old: Oid | 'absent', value: NewObject | 'absent'): Promise<boolean> {
  const env = { engine, pause: (attempt: number) => sleep(Math.min(100, 5 * 2 ** attempt) * (1 + Math.random())) };
  const result =
    value === 'absent'
      ? old === 'absent'
        ? await engine.swap({ ref, old, new: old }, 'note')
        : await removeOrEmpty(env, { ref, old }, 'note')
      : await writeAndSwap(env, [value], { ref, old, new: value.oid }, 'note');
  if (result.kind === 'moved') return true;
  if (result.kind === 'lost') return value === 'absent' && result.found === 'absent';
  const preserved = ['nothing was changed'];
  throw new OwlError(result.kind === 'impossible' ? 'name-blocked' : 'busy', result.message, { preserved });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
