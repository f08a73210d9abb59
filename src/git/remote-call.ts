// How every call to a remote is made: from the folder its relative URLs are meant from, bounded, with a stable sentence for a failure.

import { isOwlError } from '../domain/errors.js';
import type { GitOptions, GitResult } from './git.js';
import type { Repository } from './repository.js';

export type RemoteAnswer =
  | { readonly kind: 'answered'; readonly result: GitResult }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs a command that talks to a remote. A passed deadline is an answer, not an exception, and so is a Git that was ended by a signal: one
 * that writes to a server which is gone ends so (SIGPIPE). `timeout` is in milliseconds.
 */
export async function callRemote(
  repository: Repository,
  args: readonly string[],
  options: GitOptions & { readonly timeout: number },
): Promise<RemoteAnswer> {
  try {
    // Git takes a remote such as `../bare.git` from the top of the checkout that it runs in.
    const cwd = repository.mainWorkTree ?? repository.commonDir;
    return { kind: 'answered', result: await repository.git.run(args, { cwd, ...options }) };
  } catch (error) {
    if (isOwlError(error, 'git-failed') && error.data['signal'] !== undefined)
      return { kind: 'failed', reason: error.message };
    if (!isOwlError(error, 'timeout')) throw error;
    return { kind: 'failed', reason: `the remote did not answer within ${seconds(options.timeout)}` };
  }
}

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`);

/** What Git said, as one bounded line without control characters; for people, never decided on. */
export function failureReason(result: GitResult): string {
  const lines = result.stderr.split(/[\r\n]+/).map((line) => line.trim());
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.find((line) => line !== '');
  const text = (said ?? '').replace(/^(?:fatal|error): /, '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
  return text === '' ? `git ended with status ${result.code}` : text.slice(0, 200);
}
