// What the snapshot and the commit of uncommitted work have in common: what is left out, and how the commit is made.

import type { Oid } from '../../domain/git.js';
import type { CaptureRequest } from '../../git/capture.js';
import { createPool } from '../../git/pool.js';
import { utf8Bytes } from '../../git/raw-commit.js';
import type { Repository } from '../../git/repository.js';
import { commitMaker, type Signing } from '../../git/sign.js';
import { loadSubmoduleRows } from '../../git/submodule-rows.js';

export interface WorkRequest {
  /** Where `.gitmodules` counts; absent or null: no gitlink is committed. */
  readonly base?: Oid | null | undefined;
  /** Copied files (J15): their blobs are never committed. */
  readonly copied?: readonly { readonly oid: Oid }[] | undefined;
}

export interface LeftOut {
  /** Left out because they are, or equal, a copied file; readable names. */
  readonly withheld: readonly string[];
  /** Nested repositories and gitlinks without a row in the base's `.gitmodules`. */
  readonly left: readonly string[];
  /** The same as sentences. */
  readonly notes: readonly string[];
}

/** The empty blob is in every repository: a copied file that is empty withholds nothing. */
const EMPTY: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

export async function captureRules(
  repository: Repository,
  request: WorkRequest,
): Promise<Pick<CaptureRequest, 'withhold' | 'submodules'>> {
  const rows = request.base == null ? [] : await loadSubmoduleRows(repository, request.base);
  const copied = (request.copied ?? []).map(({ oid }) => oid).filter((oid) => !EMPTY.has(oid));
  return { withhold: new Set(copied), submodules: new Set(rows.map(({ path }) => path)) };
}

export function leftOut(captured: { readonly withheld: readonly string[]; readonly left: readonly string[] }): LeftOut {
  const { withheld, left } = captured;
  const notes = [
    ...withheld.map((path) => `${path} is a copied file and was not committed`),
    ...left.map((path) => `${path} is a repository of its own and was left out`),
  ];
  return { withheld, left, notes };
}

/** Written and flushed; no ref names it yet. Throws OwlError `git-failed`, `timeout` of a signer. */
export async function makeCommit(
  repository: Repository,
  tree: Oid,
  parents: readonly Oid[],
  message: string,
  signing: Signing,
): Promise<Oid> {
  const pool = await createPool(repository);
  const identity = await repository.identity();
  const make = await commitMaker({ repository, pool, identity, signing });
  const text = message.endsWith('\n') ? message : `${message}\n`;
  const commit = await make({
    tree,
    parents,
    author: utf8Bytes(identity.author),
    encoding: undefined,
    message: utf8Bytes(text),
  });
  await pool.flush();
  return commit;
}
