// Where checkouts of ours lie: one managed place outside every working tree, no two repositories or ids in one path (G7).

import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { OwlError } from '../../domain/errors.js';
import type { Policy } from '../../domain/policy.js';
import { realPathIfThere } from '../../git/files.js';
import type { RepositoryFacts } from '../../git/git.js';
import type { Environment } from '../../system/environment.js';

export interface PlaceRequest {
  readonly environment: Pick<Environment, 'home' | 'dataDir'>;
  /** `worktrees` of the policy; null: the default, `$XDG_DATA_HOME/git-owl`. */
  readonly policy: Pick<Policy, 'worktrees'> | null;
  readonly repository: Pick<RepositoryFacts, 'commonDir' | 'mainWorkTree'>;
  readonly id: string;
}

/**
 * `<worktrees>/<repository name>-<hash of the common directory>/<id>`, absolute, links resolved as far as the path
 * exists. Throws OwlError `configuration` when it lies inside the working tree or the Git folder.
 */
export async function worktreePath(request: PlaceRequest): Promise<string> {
  const { repository } = request;
  const root = await realAsFar(expand(request.policy?.worktrees ?? null, request.environment));
  const hash = createHash('sha256').update(repository.commonDir).digest('hex').slice(0, 10);
  const path = join(root, `${repositoryName(repository)}-${hash}`, request.id);
  for (const tree of [repository.mainWorkTree, repository.commonDir]) {
    if (tree !== null && (path === tree || path.startsWith(`${tree}/`))) {
      throw new OwlError(
        'configuration',
        `worktrees would lie inside ${tree}: set "worktrees" to a folder outside of it`,
        {
          next: ['git owl config'],
        },
      );
    }
  }
  return path;
}

function expand(text: string | null, environment: Pick<Environment, 'home' | 'dataDir'>): string {
  if (text === null) return environment.dataDir;
  if (text === '~' || text.startsWith('~/')) return join(environment.home, text.slice(1));
  if (!isAbsolute(text)) {
    throw new OwlError('configuration', `"worktrees" must be an absolute path or begin with ~/: ${text}`);
  }
  return resolve(text);
}

function repositoryName({ mainWorkTree, commonDir }: PlaceRequest['repository']): string {
  const name = basename(mainWorkTree ?? commonDir).replace(/\.git$/, '');
  // A name that a shell, a path and a person can live with.
  return (
    name
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 40) || 'repository'
  );
}

async function realAsFar(path: string): Promise<string> {
  const real = await realPathIfThere(path);
  if (real !== null) return real;
  const parent = dirname(path);
  return parent === path ? path : join(await realAsFar(parent), basename(path));
}
