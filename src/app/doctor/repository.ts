// What this repository is like: Git, format, engine, base, remote, names in the way, folder for worktrees.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isOwlError } from '../../domain/errors.js';
import type { RefName } from '../../domain/git.js';
import type { Policy } from '../../domain/policy.js';
import { checkedOutAt } from '../../git/branch.js';
import { askRemoteBranch } from '../../git/fetch.js';
import type { Repository } from '../../git/repository.js';
import { formatVersion } from '../../git/version.js';
import { refuseBlockedNames, refuseOccupied } from '../../state/guard.js';
import { STATE_REF } from '../../state/layout.js';
import type { InForce } from '../in-force.js';
import type { Workbench } from '../workbench.js';
import { worktreePath } from '../workspace/path.js';
import { type Finding, fail, pass, warn } from './types.js';

/** Milliseconds that the remote has to answer. */
const REMOTE_TIMEOUT = 10_000;

export async function checkRepository(repository: Repository): Promise<readonly Finding[]> {
  const engine = await repository.engine();
  return [
    pass('git', `git ${formatVersion(repository.git.version)}`),
    checkFormat(repository),
    pass('engine', `${engine.name}: ${engine.because}`),
    await checkStateCheckout(repository),
    await checkIdentity(repository),
  ];
}

function checkFormat(repository: Repository): Finding {
  const marks = [
    repository.format,
    repository.reftable ? 'reftable' : null,
    repository.partial ? 'partial clone' : null,
    repository.bare ? 'bare' : null,
  ].filter((mark) => mark !== null);
  const message = marks.join(', ');
  if (repository.quarantine)
    return fail(
      'format',
      `${message}; Git is receiving a push here, so nothing can be written`,
      'run it after the push',
    );
  if (repository.shallow)
    return warn('format', `${message}; a shallow clone cannot tell what is merged`, 'git fetch --unshallow');
  if (repository.grafts)
    return warn(
      'format',
      `${message}; info/grafts is not obeyed, here or by Git's newer versions`,
      'git help replace tells what stands in for grafts',
    );
  return pass('format', message);
}

async function checkStateCheckout(repository: Repository): Promise<Finding> {
  const open = await checkedOutAt(repository, STATE_REF as RefName);
  const first = open[0];
  if (first === undefined) return pass('state-checkout', 'refine/state is checked out nowhere');
  return warn(
    'state-checkout',
    `refine/state is checked out in ${first.path}: its files fall behind with every change`,
    `git -C ${first.path} switch --detach`,
  );
}

async function checkIdentity(repository: Repository): Promise<Finding> {
  const { configured, committer } = await repository.identity();
  if (configured) return pass('identity', `commits are by ${committer.replace(/ \d+ [+-]\d{4}$/, '')}`);
  return warn(
    'identity',
    'Git does not know who you are: commits are by git-owl',
    'git config --global user.name and user.email',
  );
}

/** What can be said only once the configuration was looked for. */
export async function checkBase(bench: Workbench, force: InForce): Promise<readonly Finding[]> {
  const { base, at } = force;
  const { policy } = force.loaded;
  const findings: Finding[] = [];
  if (base === null || at === null)
    findings.push(
      fail(
        'base',
        force.why ?? 'no base was found',
        force.next ?? 'git owl add --base <branch>, or base: in the configuration',
      ),
    );
  else findings.push(pass('base', `${base.name}, read from ${at.ref} at ${at.oid.slice(0, 10)}`));
  findings.push(await checkRemote(bench, base));
  findings.push(await checkNames(bench, policy));
  findings.push(await checkFolder(bench, policy));
  return findings;
}

async function checkRemote(bench: Workbench, base: InForce['base']): Promise<Finding> {
  if (base === null || base.remote === null) return pass('remote', 'no remote: the local base is the base');
  const answer = await askRemoteBranch(bench.repository, {
    remote: base.remote,
    branch: base.name,
    timeout: REMOTE_TIMEOUT,
  });
  if (answer === 'unknown') {
    return warn(
      'remote',
      `${base.remote} cannot be reached: Runs go on with the base as it is known here`,
      `git ls-remote ${base.remote}`,
    );
  }
  if (answer === 'absent')
    return warn('remote', `${base.remote} has no branch ${base.name}`, `git push ${base.remote} ${base.name}`);
  return pass('remote', `${base.remote} answers`);
}

async function checkNames(bench: Workbench, policy: Pick<Policy, 'branch_prefix'>): Promise<Finding> {
  try {
    const engine = await bench.repository.engine();
    await refuseOccupied(engine);
    await refuseBlockedNames(engine, [policy.branch_prefix], true);
    return pass('names', `nothing is in the way of refine/ and ${policy.branch_prefix}`);
  } catch (error) {
    if (!isOwlError(error, 'name-blocked')) throw error;
    return fail('names', error.message, error.next[0] ?? null);
  }
}

async function checkFolder(bench: Workbench, policy: Policy): Promise<Finding> {
  try {
    const path = await worktreePath({
      environment: bench.environment,
      policy,
      repository: bench.repository,
      id: 'doctor',
    });
    const folder = dirname(path);
    const there = await firstThere(folder);
    const ok = await access(there, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!ok)
      return fail(
        'worktrees',
        `${there} is not writable, and worktrees are made below it`,
        'set worktrees: to a folder of yours, in your own configuration',
      );
    return pass('worktrees', `made in ${folder}`);
  } catch (error) {
    if (!isOwlError(error, 'configuration')) throw error;
    return fail('worktrees', error.message, error.next[0] ?? null);
  }
}

/** The folder, or the nearest one above it that exists. */
async function firstThere(folder: string): Promise<string> {
  const there = await access(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  return there || dirname(folder) === folder ? folder : firstThere(dirname(folder));
}
