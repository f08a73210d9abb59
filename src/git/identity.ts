// Who the user is, as Git itself resolves it; a fixed identity where nothing is configured, never a failure (01).

import type { Git, Identity } from './git.js';

const FALLBACK = 'git-owl <git-owl@localhost>';

/** `Name <mail> time zone`, for author and committer. */
export async function loadIdentity(git: Git): Promise<Identity> {
  const [author, committer] = await Promise.all([
    variable(git, 'GIT_AUTHOR_IDENT'),
    variable(git, 'GIT_COMMITTER_IDENT'),
  ]);
  const fixed = `${FALLBACK} ${Math.floor(Date.now() / 1000)} +0000`;
  return {
    author: author ?? committer ?? fixed,
    committer: committer ?? fixed,
    configured: author !== null && committer !== null,
  };
}

async function variable(git: Git, name: string): Promise<string | null> {
  // Without a configured name Git may look up the host's: a resolver that hangs is no reason to wait.
  const answer = await git.run(['var', name], { timeout: 5_000 }).catch(() => null);
  const text = answer?.code === 0 ? answer.stdout.toString('utf8').trim() : '';
  return /^[^<>\n]*<[^<>\n]*> \d+ [+-]\d{4}$/.test(text) ? text : null;
}
