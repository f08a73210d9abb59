// Several refs deleted or made in one transaction of Git, with others that must still be where they were: all of it, or nothing.

import type { Oid, RefName } from '../domain/git.js';
import type { Repository } from './repository.js';

export interface RefAt {
  readonly ref: RefName;
  readonly oid: Oid;
}

/** False: nothing was done; look why. Throws OwlError `git-missing`, `timeout`, `quarantine`. */
export const deleteTogether = (
  repository: Repository,
  refs: { readonly held: readonly RefAt[]; readonly gone: readonly RefAt[] },
  reason: string,
): Promise<boolean> =>
  inOneStep(
    repository,
    refs.held,
    refs.gone.map(({ ref, oid }) => `delete ${ref} ${oid}`),
    reason,
  );

/** Makes a ref that must not exist. As `deleteTogether`. */
export const createBeside = (
  repository: Repository,
  refs: { readonly held: readonly RefAt[]; readonly made: RefAt },
  reason: string,
): Promise<boolean> => inOneStep(repository, refs.held, [`create ${refs.made.ref} ${refs.made.oid}`], reason);

async function inOneStep(
  repository: Repository,
  held: readonly RefAt[],
  commands: readonly string[],
  reason: string,
): Promise<boolean> {
  const lines = ['start', ...held.map(({ ref, oid }) => `verify ${ref} ${oid}`), ...commands, 'prepare', 'commit'];
  const result = await repository.git.run(['update-ref', '--no-deref', '-m', reason, '--stdin'], {
    input: `${lines.join('\n')}\n`,
    reading: false,
    // Somebody who packs refs holds their lock for as long as that takes.
    config: ['core.packedRefsTimeout=10000', 'core.fsync=loose-object,reference', 'core.fsyncMethod=fsync'],
  });
  return result.code === 0;
}
