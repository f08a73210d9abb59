// Commits of ours, signed or not as the policy says (J38). A signer that hangs is bounded and named.

import { isOwlError, OwlError } from '../domain/errors.js';
import { type Oid, parseOid } from '../domain/git.js';
import type { Policy } from '../domain/policy.js';
import { gitFailed } from './exec.js';
import type { Identity } from './git.js';
import type { Pool } from './pool.js';
import { type CommitParts, encodeCommit, parseRawCommit, type RawCommit } from './raw-commit.js';
import type { Repository } from './repository.js';

export type Signing = Policy['signing'];

export interface Signer {
  readonly repository: Repository;
  readonly pool: Pool;
  readonly identity: Identity;
  readonly signing: Signing;
  /** Milliseconds for one signature; default 60 000. */
  readonly timeout?: number | undefined;
}

export type CommitMaker = (commit: RawCommit) => Promise<Oid>;

const SIGNER_TIMEOUT = 60_000;

/**
 * Returns what makes commits: the committer is the identity, all else is as given. Unsigned ones go into the pool; signed ones
 * are written at once. Throws OwlError `timeout` or `git-failed` when the signer hangs or fails.
 */
export async function commitMaker(signer: Signer): Promise<CommitMaker> {
  const { repository, pool, identity, signing } = signer;
  const signs = signing === 'require' || (signing === 'inherit' && (await isSigningConfigured(repository)));
  const programs = signs ? await trustedPrograms(repository) : [];
  return async (commit) => {
    const parts = { ...commit, committer: identity.committer };
    return signs ? sign(signer, parts, programs) : pool.add(encodeCommit(pool.format, parts));
  };
}

/** `commit.gpgSign`, as the user has it. */
async function isSigningConfigured(repository: Repository): Promise<boolean> {
  const answer = await repository.git.run(['config', '--type=bool', '--get', 'commit.gpgSign'], {
    unpinned: ['commit.gpgSign'],
  });
  return answer.stdout.toString('latin1').trim() === 'true';
}

const PROGRAMS: Readonly<Record<string, string>> = {
  'gpg.program': 'gpg',
  'gpg.openpgp.program': 'gpg',
  'gpg.x509.program': 'gpgsm',
  'gpg.ssh.program': 'ssh-keygen',
  'gpg.ssh.defaultkeycommand': '',
};

/** The repository's own configuration names no program that we start (06): what the user's has counts, else the default. */
async function trustedPrograms(repository: Repository): Promise<readonly string[]> {
  const listing = await repository.git.run(['config', '-z', '--show-scope', '--get-regexp', '^gpg\\.']);
  const fields = listing.stdout.toString('utf8').split('\0');
  const own = new Map<string, string>();
  const planted = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n');
    if (PROGRAMS[key] === undefined) continue;
    if (fields[at] === 'local' || fields[at] === 'worktree') planted.add(key);
    else own.set(key, value.join('\n'));
  }
  return [...planted].map((key) => `${key}=${own.get(key) ?? PROGRAMS[key] ?? ''}`);
}

async function sign(signer: Signer, parts: CommitParts, programs: readonly string[]): Promise<Oid> {
  const { repository, pool } = signer;
  await pool.flush();
  const args = ['commit-tree', '-S', ...parts.parents.flatMap((parent) => ['-p', parent]), parts.tree];
  const timeout = signer.timeout ?? SIGNER_TIMEOUT;
  const next = ['git config --get-regexp "^(gpg|user.signingkey)"'];
  try {
    const result = await repository.git.run(args, {
      input: Buffer.from(parts.message, 'latin1'),
      env: {
        ...person('AUTHOR', Buffer.from(parts.author, 'latin1').toString('utf8')),
        ...person('COMMITTER', parts.committer),
      },
      config: [
        `i18n.commitEncoding=${parts.encoding ?? 'UTF-8'}`,
        'core.fsync=loose-object',
        'core.fsyncMethod=fsync',
        ...programs,
      ],
      timeout,
      reading: false,
    });
    if (result.code !== 0) {
      const failure = gitFailed(args, result);
      throw new OwlError('git-failed', `a commit could not be signed: ${failure.message}`, {
        next,
        data: failure.data,
      });
    }
    const oid = parseOid(result.stdout.toString('latin1').trim());
    await checkUnchanged(signer, parts, oid);
    return oid;
  } catch (error) {
    if (!isOwlError(error, 'timeout')) throw error;
    throw new OwlError(
      'timeout',
      `the signer did not answer within ${Math.ceil(timeout / 1000)} s and was ended (${await program(repository)})`,
      {
        preserved: ['no branch was moved'],
        next,
        cause: error,
      },
    );
  }
}

/** `git commit-tree` takes names from the environment, which cannot carry every byte. */
async function checkUnchanged(signer: Signer, parts: CommitParts, oid: Oid): Promise<void> {
  const made = await signer.repository.engine().then((engine) => engine.read(oid));
  const raw = made === null ? null : parseRawCommit(made.data);
  if (raw !== null && raw.author === parts.author && raw.message === parts.message) return;
  throw new OwlError('git-failed', 'a commit cannot be signed without changing its author or message', {
    preserved: ['no branch was moved'],
    next: ['git owl config'],
  });
}

function person(role: 'AUTHOR' | 'COMMITTER', text: string): Record<string, string> {
  const found = /^(.*?) ?<(.*)> (\d+) ([+-]\d+)$/s.exec(text);
  if (found === null)
    throw new OwlError('git-failed', `a commit cannot be signed: its ${role.toLowerCase()} is malformed`);
  return {
    [`GIT_${role}_NAME`]: found[1] ?? '',
    [`GIT_${role}_EMAIL`]: found[2] ?? '',
    [`GIT_${role}_DATE`]: `@${found[3]} ${found[4]}`,
  };
}

async function program(repository: Repository): Promise<string> {
  const format = await repository.git.run(['config', '--get', 'gpg.format']);
  const kind = format.stdout.toString('utf8').trim() || 'openpgp';
  return `gpg.format is ${kind}`;
}
