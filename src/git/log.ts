// The commits of a range, for prompts, `show` and `log`.

import { isOid, type Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import { nearRange } from './near-history.js';
import { parseCommit } from './objects.js';
import { shownName } from './path-bytes.js';
import { createPool } from './pool.js';
import { parseRawCommit } from './raw-commit.js';
import type { Repository } from './repository.js';
import { changedPaths } from './tree-diff.js';

export interface LoggedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly subject: string;
  /** `Name <mail>`. */
  readonly author: string;
  /** Seconds since the epoch, of the committer. */
  readonly time: number;
  /** Paths that it changed against its first parent; only with `files`. */
  readonly files?: readonly string[];
}

export interface LogRequest {
  /** Most commits to give, the newest; default 100. */
  readonly limit?: number | undefined;
  readonly files?: boolean | undefined;
  readonly firstParent?: boolean | undefined;
}

/** Commits of `to` that `from` does not have (null: all), newest first, as UTF-8. Throws OwlError `git-failed`. */
export async function commitLog(
  repository: Repository,
  from: Oid | null,
  to: Oid,
  request: LogRequest = {},
): Promise<readonly LoggedCommit[]> {
  const limit = request.limit ?? 100;
  const near = from === null || request.firstParent === true ? null : await nearLog(repository, from, to, limit);
  const commits = near ?? (await askLog(repository, from, to, limit, request.firstParent === true));
  if (request.files !== true) return commits;
  const pool = await createPool(repository);
  const listed: LoggedCommit[] = [];
  for (const commit of commits) {
    const before = commit.parents[0] ?? pool.emptyTree;
    listed.push({
      ...commit,
      files: (await changedPaths(pool, before, commit.oid)).map((change) => shownName(change.path)),
    });
  }
  return listed;
}

/** A short line of commits, read from objects; null: ask Git. */
async function nearLog(
  repository: Repository,
  from: Oid,
  to: Oid,
  limit: number,
): Promise<readonly LoggedCommit[] | null> {
  const engine = await repository.engine();
  const range = await nearRange(engine.read, from, to);
  if (range === null) return null;
  const commits: LoggedCommit[] = [];
  for (const oid of range.slice(0, limit)) {
    const object = await engine.read(oid);
    if (object === null || parseRawCommit(object.data).encoding !== undefined) return null;
    const { parents, author, time, message } = parseCommit(oid, object.data);
    const who = /^([^<>\s][^<>\n]*? <[^<>\s]*>) \d+ [+-]\d{4}$/.exec(author)?.[1];
    // Git repairs what is odd in a name in its own way.
    if (who === undefined) return null;
    commits.push({ oid, parents, subject: subjectOf(message), author: who, time });
  }
  return commits;
}

/** As `%s`: the lines of the first paragraph as one. */
function subjectOf(message: string): string {
  const lines = message.split('\n').map((line) => line.trimEnd());
  const begin = lines.findIndex((line) => line !== '');
  const end = lines.indexOf('', begin);
  return begin < 0 ? '' : lines.slice(begin, end < 0 ? undefined : end).join(' ');
}

async function askLog(
  repository: Repository,
  from: Oid | null,
  to: Oid,
  limit: number,
  firstParent: boolean,
): Promise<readonly LoggedCommit[]> {
  const args = [
    'log',
    '-z',
    '--topo-order',
    '--encoding=UTF-8',
    `--max-count=${limit}`,
    ...(firstParent ? ['--first-parent'] : []),
    '--no-show-signature',
    // Subjects and names hold no line break, so lines tell the fields apart.
    '--format=%H%n%P%n%ct%n%an <%ae>%n%s',
    '--end-of-options',
    to,
    ...(from === null ? [] : [`^${from}`]),
  ];
  const result = await repository.git.run(args);
  if (result.code !== 0) throw gitFailed(args, result);
  return result.stdout
    .toString('utf8')
    .split('\0')
    .filter((text) => text !== '')
    .map((text): LoggedCommit => {
      const [oid = '', parents = '', time = '', author = '', ...subject] = text.split('\n');
      return {
        oid: oid as Oid,
        parents: parents.split(' ').filter(isOid),
        time: Number(time),
        author,
        subject: subject.join(' '),
      };
    });
}
