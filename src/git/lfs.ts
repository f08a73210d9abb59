// LFS objects that commits name: found by their pointers, sent by `git lfs` as its own pre-push hook would (G32). Our pushes run no hook.

import type { Oid, RefName } from '../domain/git.js';
import { callRemote, failureReason } from './remote-call.js';
import type { Repository } from './repository.js';

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n$/;
/** A pointer is never longer; Git LFS looks no further either. */
const LONGEST = 1024;
/** Milliseconds for all objects. */
const TIMEOUT = 60 * 60_000;

export interface Range {
  readonly tip: Oid;
  /** What is there already, with all that leads to it. */
  readonly not: Oid;
}

/** Digests of the objects that commits of the range name and `not` does not, sorted. Throws OwlError `git-failed`. */
export async function lfsObjectsIn(repository: Repository, { tip, not }: Range): Promise<readonly string[]> {
  const { git } = repository;
  const listed = await git.text(['rev-list', '--objects', '--no-object-names', tip, `^${not}`]);
  if (listed === '') return [];
  const rows = await git.text(['cat-file', '--batch-check=%(objecttype) %(objectsize) %(objectname)'], {
    input: `${listed}\n`,
  });
  const small = rows.split('\n').flatMap((row) => {
    const [type, size, oid] = row.split(' ');
    return type === 'blob' && Number(size) < LONGEST && oid !== undefined ? [oid as Oid] : [];
  });
  const engine = await repository.engine();
  const found = new Set<string>();
  for (const oid of small) {
    const object = await engine.read(oid);
    const digest = object === null ? undefined : POINTER.exec(object.data.toString('utf8'))?.[1];
    if (digest !== undefined) found.add(digest);
  }
  return [...found].sort();
}

export type LfsSent = { readonly kind: 'sent' } | { readonly kind: 'unsent'; readonly why: string };

/** Sends what the commits of a range name to where Git LFS keeps the objects of this remote. Repeatable. */
export async function sendLfs(
  repository: Repository,
  request: { readonly remote: string; readonly ref: RefName; readonly range: Range },
): Promise<LfsSent> {
  const { git } = repository;
  const { remote, ref, range } = request;
  if ((await git.run(['lfs', 'version'])).code !== 0) return { kind: 'unsent', why: 'git lfs is not installed here' };
  const url = await git.text(['remote', 'get-url', '--push', remote]);
  const answer = await callRemote(repository, ['lfs', 'pre-push', remote, url], {
    input: `${ref} ${range.tip} ${ref} ${range.not}\n`,
    timeout: TIMEOUT,
    reading: false,
  });
  if (answer.kind === 'failed') return { kind: 'unsent', why: answer.reason };
  return answer.result.code === 0 ? { kind: 'sent' } : { kind: 'unsent', why: failureReason(answer.result) };
}
