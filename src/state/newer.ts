// Records of a newer schema in a state that is to be taken in: this program would decide about what it does not know (05, S8).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { parseJson } from './canonical.js';
import { SCHEMA } from './codec.js';
import type { Objects } from './objects.js';
import { compareStates } from './three-way.js';

/** Throws OwlError `newer-state` for the first one that `theirs` has and `ours` does not. Both are trees of states. */
export async function refuseNewer(objects: Objects, ours: Oid, theirs: Oid): Promise<void> {
  const differences = await compareStates(objects, { ours, theirs, bases: [] });
  const changed = differences.flatMap(({ key, ours: old, theirs: now }) =>
    now !== null && now.oid !== old?.oid && key.endsWith('.json') ? [{ key, oid: now.oid }] : [],
  );
  const data = await objects.blobs(changed.map(({ oid }) => oid));
  for (const [at, { key }] of changed.entries()) {
    const head = parseJson(data[at]?.toString('utf8') ?? '') as {
      readonly schema?: unknown;
      readonly writer?: unknown;
    } | null;
    const schema = typeof head === 'object' && head !== null ? head.schema : null;
    if (typeof schema === 'number' && Number.isInteger(schema) && schema > SCHEMA)
      throw newerRecord(key, schema, head?.writer);
  }
}

const newerRecord = (path: string, schema: number, writer: unknown): OwlError =>
  new OwlError(
    'newer-state',
    `${path} has schema ${schema}, written by git owl ${typeof writer === 'string' ? writer : 'of a newer version'}`,
    {
      preserved: ['reading goes on, and what is here is whole'],
      next: ['git owl fsck', 'npm install --global git-owl@latest'],
    },
  );
