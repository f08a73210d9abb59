// The engine on Git's own plumbing: serves every repository that the user's Git opens. Few processes, none for each object.

import { OwlError } from '../domain/errors.js';
import { failpoint } from '../system/failpoint.js';
import { ancestry } from './ancestry.js';
import type { Engine, NewObject } from './engine.js';
import { gitFailed, refuseQuarantine } from './exec.js';
import type { Git, RepositoryFacts } from './git.js';
import { writeLoose } from './loose-objects.js';
import { type ObjectReader, objectReader } from './object-reader.js';
import { encodePack } from './pack.js';
import { plumbingRefs, type Refs } from './plumbing-refs.js';

export type EngineFacts = Pick<RepositoryFacts, 'commonDir' | 'format' | 'reftable' | 'quarantine' | 'shared'>;

/** The parts, for the other engine, which takes over where libgit2 must not be trusted. */
export interface PlumbingParts {
  readonly objects: ObjectReader;
  readonly refs: Refs;
}

/** Above this, one process is faster than that many flushed files; it also knows `core.sharedRepository`. */
const MANY = 64;

/** Makes the engine; starts no process before the first question. `because` is said by `doctor`. */
export function plumbingEngine(
  facts: EngineFacts,
  git: Git,
  because: string,
): Engine & { readonly parts: PlumbingParts } {
  const objects = objectReader(git, facts.format, facts.commonDir);
  const refs = plumbingRefs(git, facts, async (oid) => (await objects.exists([oid]))[0] ?? false);
  return {
    name: 'plumbing',
    because,
    format: facts.format,
    parts: { objects, refs },
    read: objects.read,
    readMany: objects.readMany,
    exists: objects.exists,
    async write(fresh) {
      refuseQuarantine(facts.quarantine);
      if (fresh.length > MANY || facts.shared) await unpack(git, facts, fresh);
      else await writeLoose(facts.commonDir, fresh);
      await failpoint('git.after-objects');
    },
    resolve: refs.resolve,
    list: refs.list,
    async swap(update, reason) {
      refuseQuarantine(facts.quarantine);
      return refs.swap(update, reason);
    },
    expectSwap: refs.expectSwap,
    ...ancestry(git, facts.commonDir, objects),
    async close() {
      await Promise.all([objects.close(), refs.close()]);
    },
  };
}

/** All in one pack through a pipe. Leaves loose objects, each flushed by Git; those that are there already only get a new time, which keeps `gc` from them. */
async function unpack(git: Git, facts: EngineFacts, fresh: readonly NewObject[]): Promise<void> {
  if (fresh.length === 0) return;
  const args = ['unpack-objects', '-q'];
  const result = await git.run(args, {
    input: encodePack(facts.format, fresh),
    reading: false,
    config: ['core.fsync=loose-object', 'core.fsyncMethod=fsync'],
  });
  if (result.code === 0) return;
  const error = gitFailed(args, result);
  throw new OwlError('storage', `objects could not be written: ${error.message}`, {
    preserved: ['No ref was moved.'],
    next: ['git owl doctor'],
    data: error.data,
  });
}
