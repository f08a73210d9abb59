// Commits that gitlinks name, looked for at the remotes of their submodules (G32): what is merged must be fetchable by others.

import { rm } from 'node:fs/promises';
import type { Oid } from '../domain/git.js';
import { temporaryFolder } from '../system/temporary.js';
import { createPool } from './pool.js';
import type { RemoteAnswer } from './remote-call.js';
import { callRemote, failureReason } from './remote-call.js';
import type { Repository } from './repository.js';
import { changedPaths } from './tree-diff.js';

export interface Gitlink {
  /** Binary name. */
  readonly path: string;
  readonly commit: Oid;
}

const GITLINK = '160000';

/** Gitlinks that came or moved between two commits. */
export async function movedGitlinks(repository: Repository, from: Oid, to: Oid): Promise<readonly Gitlink[]> {
  const changes = await changedPaths(await createPool(repository), from, to);
  return changes.flatMap(({ path, new: now }) => (now?.mode === GITLINK ? [{ path, commit: now.oid }] : []));
}

export type CommitLook = { readonly kind: 'there' | 'absent' } | { readonly kind: 'unknown'; readonly why: string };

/**
 * Has the repository at this URL the commit? Asked for its refs, then for the commit itself, then for all its history: some servers
 * give only what a ref names. `protocols` as in GIT_ALLOW_PROTOCOL; `timeout` in milliseconds for each question.
 */
export async function lookForCommit(
  repository: Repository,
  request: { readonly url: string; readonly commit: Oid; readonly protocols: string; readonly timeout: number },
): Promise<CommitLook> {
  const { url, commit, protocols, timeout } = request;
  const env = { GIT_ALLOW_PROTOCOL: protocols };
  const listed = await callRemote(repository, ['ls-remote', '--quiet', '--', url], { timeout, env });
  if (failed(listed)) return unknown(listed);
  if (
    textOf(listed)
      .split('\n')
      .some((row) => row.startsWith(`${commit}\t`))
  )
    return { kind: 'there' };
  const scratch = await temporaryFolder('owl-gitlink-');
  try {
    await repository.git.text(['init', '--quiet', '--bare', `--object-format=${repository.format}`, scratch], {
      bare: true,
    });
    const inside = { bare: true, timeout, env: { ...env, GIT_DIR: scratch } };
    const fetch = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--filter=tree:0',
      '--no-auto-maintenance',
    ];
    const one = await callRemote(repository, [...fetch, '--depth=1', '--', url, commit], inside);
    if (!failed(one)) return { kind: 'there' };
    const all = await callRemote(repository, [...fetch, '--', url, '+refs/*:refs/owl-look/*'], inside);
    if (failed(all)) return unknown(all);
    const has = await repository.git.run(['cat-file', '-e', `${commit}^{commit}`], inside);
    return { kind: has.code === 0 ? 'there' : 'absent' };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const failed = (answer: RemoteAnswer): boolean => answer.kind === 'failed' || answer.result.code !== 0;
const textOf = (answer: RemoteAnswer): string =>
  answer.kind === 'failed' ? '' : answer.result.stdout.toString('utf8');
const unknown = (answer: RemoteAnswer): CommitLook => ({
  kind: 'unknown',
  why: answer.kind === 'failed' ? answer.reason : failureReason(answer.result),
});
