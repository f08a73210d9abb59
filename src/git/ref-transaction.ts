// Several refs deleted in one transaction of Git, with others that must still be where they were: all of it, or nothing.

import type { Oid, RefName } from '../domain/git.js';
import type { Repository } from './repository.js';

export interface RefAt {
  readonly ref: RefName;
  readonly oid: Oid;
}

/** False: nothing was done; look why. Throws OwlError `git-missing`, `timeout`, `quarantine`. */
export async function deleteTogether(
  repository: Repository,
  refs: { readonly held: readonly RefAt[]; readonly gone: readonly RefAt[] },
  reason: string,
): Promise<boolean> {
  const lines = [
    'start',
    ...refs.held.map(({ ref, oid }) => `verify ${ref} ${oid}`),
    ...refs.gone.map(({ ref, oid }) => `delete ${ref} ${oid}`),
    'prepare',
    'commit',
  ];
  const result = await repository.git.run(['update-ref', '--no-deref', '-m', reason, '--stdin'], {
    input: `${lines.join('\n')}\n`,
    reading: false,
    // Somebody who packs refs holds their lock for as long as that takes.
    config: ['core.packedRefsTimeout=10000', 'core.fsync=loose-object,reference', 'core.fsyncMethod=fsync'],
  });
  return result.code === 0;
}
