// In a partial clone Git gets what it lacks from the remote, which an isolation (isolated.ts) does not know: it is had beforehand.

import type { Oid } from '../domain/git.js';
import type { Repository } from './repository.js';

/** Makes Git load the contents that differ between a tree and each of the others; nothing in an ordinary clone. */
export async function loadContents(repository: Repository, from: Oid, others: readonly Oid[]): Promise<void> {
  if (!repository.partial) return;
  for (const other of others) {
    await repository.git.run(['diff-tree', '-r', '-M', '--shortstat', '--end-of-options', from, other], {
      reading: false,
    });
  }
}
