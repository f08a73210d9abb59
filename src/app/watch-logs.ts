// What the logs of HEAD and of the stash say of commits that were made while an agent ran (J16b).

import { join } from 'node:path';
import { isOid, type Oid } from '../domain/git.js';
import { readIfThere } from '../git/files.js';
import type { Repository } from '../git/repository.js';
import type { RepositoryObservation } from './watch-repository.js';

/** The new values of a reflog, oldest first. */
export const namedIn = (log: string): Oid[] =>
  log
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter(isOid);

/** From the log that is the stash; without one (or with reftables) only what the ref names is known. */
export async function stashEntries({ commonDir }: Repository): Promise<readonly Oid[]> {
  const log = (await readIfThere(join(commonDir, 'logs', 'refs', 'stash'))) ?? '';
  return namedIn(log).reverse();
}

export const headLog = async (admin: string): Promise<string> => (await readIfThere(join(admin, 'logs', 'HEAD'))) ?? '';

export interface Made {
  /** Commits that appeared in the HEAD log of the Job's worktree: they were checked out or made there. */
  readonly seen: ReadonlySet<Oid>;
  /** Is it on no ref of before? One process. */
  isNew(oid: Oid): Promise<boolean>;
}

/** Without a HEAD log (`core.logAllRefUpdates=false`) there is no such evidence. */
export async function madeHere(repository: Repository, admin: string, before: RepositoryObservation): Promise<Made> {
  const log = await headLog(admin);
  return {
    seen: new Set(namedIn(log.slice(before.places.get(admin)?.log ?? 0))),
    async isNew(oid) {
      const input = [oid, ...[...new Set(before.refs.values())].map((known) => `^${known}`)].join('\n');
      const found = await repository.git.run(['rev-list', '--max-count=1', '--stdin', '--ignore-missing'], {
        input: `${input}\n`,
      });
      return found.code === 0 && found.stdout.length > 0;
    },
  };
}

/** Commits that were made there, on whichever branch, and are not on the Job's own. */
export async function madeElsewhere(repository: Repository, made: Made, tip: Oid | null): Promise<ReadonlySet<Oid>> {
  const engine = await repository.engine();
  const elsewhere = new Set<Oid>();
  for (const oid of made.seen) {
    // "Not an ancestor" alone is evidence; "missing" and "unknown" are not.
    if (tip !== null && (await engine.isAncestor(oid, tip)) !== 'not-ancestor') continue;
    if (await made.isNew(oid)) elsewhere.add(oid);
  }
  return elsewhere;
}
