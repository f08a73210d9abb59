// The next version of a record: what is damaged or newer is never overwritten, what was deleted never comes back (01).

import { OwlError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import { canonicalLine } from './canonical.js';
import { jumped, keepUnknown, type RecordKind } from './codec.js';
import { contestedError } from './contested.js';
import { type Area, type WorkKind, workPath } from './layout.js';
import type { TreeEditor } from './tree.js';
import type { Loaded } from './types.js';

export const defect = (message: string): OwlError =>
  new OwlError('defect', message, { preserved: ['nothing was changed'] });

/** The record that is to be replaced; null: there is none. Throws OwlError `wrong-state`, `damaged-state`, `newer-state`. */
export function recordOf<T>(what: string, loaded: Loaded<T>): T | null {
  const preserved = ['nothing was changed'];
  switch (loaded.kind) {
    case 'found':
      return loaded.record;
    case 'unknown':
      return null;
    case 'deleted':
      throw new OwlError('wrong-state', `${what} was deleted at ${loaded.at}`, {
        preserved,
        next: ['git owl list --all'],
      });
    case 'damaged':
      if (loaded.contested !== undefined) throw contestedError(loaded.contested);
      throw new OwlError('damaged-state', `${what} is damaged (${loaded.path}): ${loaded.why}`, {
        preserved,
        next: ['git owl fsck'],
      });
    case 'newer': {
      const writer = loaded.writer === null ? 'a newer git owl' : `git owl ${loaded.writer}`;
      throw new OwlError('newer-state', `${what} has schema ${loaded.schema}, written by ${writer}`, {
        preserved,
        next: ['git owl fsck'],
      });
    }
  }
}

type Counted = Pick<Job, 'id' | 'revision' | 'occurrence'>;

/** Unknown fields are kept, and the revision goes up on every write, whatever the workflow said (01). */
export function nextRecord<T extends Counted>(kind: RecordKind, old: T | null, record: T): T {
  const next = keepUnknown(kind, old, record) as unknown as T;
  if (old === null) return next;
  if (jumped(old, next)) throw defect(`a counter of ${kind} ${record.id} would jump`);
  if (next.revision > old.revision) return next;
  const same = canonicalLine({ ...old, revision: 0 }) === canonicalLine({ ...next, revision: 0 });
  return { ...next, revision: same ? old.revision : old.revision + 1 };
}

/** Work moves as a whole subtree when it closes or opens: its record, all that belongs to it, and what we do not know. */
export async function carry(editor: TreeEditor, kind: WorkKind, id: string, from: Area, to: Area): Promise<void> {
  const subtree = await editor.get(workPath(kind, from, id));
  if (subtree === null) return;
  await editor.put(workPath(kind, to, id), subtree);
  await editor.remove(workPath(kind, from, id));
}
