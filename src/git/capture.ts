// The tree of everything that a checkout holds beyond its commit, built in an index copy: no branch, index or file changes.

import { type Oid, parseOid } from '../domain/git.js';
import { lstatIfThere } from './files.js';
import { below, joinNul, shownName, splitNul } from './path-bytes.js';
import { type ScratchIndex, setEntries } from './scratch-index.js';
import { loadTreeState } from './tree-state.js';

export interface Limits {
  /** Bytes of all files together. */
  readonly bytes: number;
  readonly files: number;
}

export interface CaptureRequest {
  /** Paths (binary names) that stay as the commit has them. */
  readonly exclude: ReadonlySet<string>;
  /** Blobs that are never committed: files that were copied in (J15). */
  readonly withhold: ReadonlySet<string>;
  /** Paths (binary names) that may be gitlinks: the rows of the base's `.gitmodules`. */
  readonly submodules: ReadonlySet<string>;
  /** null: no bound. */
  readonly limits: Limits | null;
}

export type Captured =
  | {
      readonly kind: 'captured';
      readonly tree: Oid;
      /** The tree of what was staged, where it is neither HEAD's nor `tree`. */
      readonly staged: Oid | null;
      /** False: `tree` is HEAD's. */
      readonly changed: boolean;
      readonly files: number;
      /** Paths left out because they are, or equal, a copied file. */
      readonly withheld: readonly string[];
      /** Nested repositories and gitlinks without a row. */
      readonly left: readonly string[];
    }
  | { readonly kind: 'too-much'; readonly paths: readonly string[]; readonly bytes: number; readonly files: number };

/** How many paths a refusal names, the largest first. */
const NAMED = 20;

/**
 * Adds every change, untracked files included and ignored ones not, to the index copy, and writes its tree. Content goes
 * through the repository's own clean filters, as `git add` does. Throws OwlError `git-failed` when one fails.
 */
export async function captureTree(index: ScratchIndex, request: CaptureRequest): Promise<Captured> {
  const state = await loadTreeState(index);
  const names = [...state.modified, ...state.untracked].filter((name) => !request.exclude.has(name));
  const sizes: { readonly name: string; readonly size: number }[] = [];
  for (const name of names) {
    const stat = await lstatIfThere(below(index.checkout.workTree, name));
    if (stat !== null && !stat.isDirectory()) sizes.push({ name, size: stat.size });
  }
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  const { limits } = request;
  if (limits !== null && (bytes > limits.bytes || sizes.length > limits.files)) {
    const largest = [...sizes].sort((one, two) => two.size - one.size).slice(0, NAMED);
    return { kind: 'too-much', paths: largest.map(({ name }) => shownName(name)), bytes, files: sizes.length };
  }
  const before = await putBack(index, request);
  const staged = await writeTree(index);
  if (names.length > 0) {
    await index.must(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
      input: joinNul(names),
      timeout: 600_000,
    });
  }
  const after = await putBack(index, request);
  const tree = await writeTree(index);
  if (tree === null) throw new TypeError('an index without conflicts has a tree');
  const head = parseOid(
    (await index.must(['rev-parse', '--verify', 'HEAD^{tree}'], { reading: true })).toString('latin1').trim(),
  );
  return {
    kind: 'captured',
    tree,
    staged: staged === tree || staged === head ? null : staged,
    changed: tree !== head,
    files: names.length,
    withheld: [...new Set([...before.withheld, ...after.withheld])].map(shownName),
    left: [...new Set([...state.nested, ...before.left, ...after.left])].map(shownName),
  };
}

/** null while there are conflicts in the index. */
async function writeTree(index: ScratchIndex): Promise<Oid | null> {
  const result = await index.run(['write-tree']);
  return result.code === 0 ? parseOid(result.stdout.toString('latin1').trim()) : null;
}

/** Gives staged entries that may not be committed the value that HEAD has for them. */
async function putBack(
  index: ScratchIndex,
  request: CaptureRequest,
): Promise<{ readonly withheld: readonly string[]; readonly left: readonly string[] }> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--full-index', 'HEAD'];
  const fields = splitNul(await index.must(args, { reading: true }));
  const back = new Map<string, { readonly mode: string; readonly oid: string } | null>();
  const withheld: string[] = [];
  const left: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = ''] = (fields[at] ?? '').slice(1).split(' ');
    const name = fields[at + 1] ?? '';
    const copied = newMode !== '000000' && request.withhold.has(newOid);
    const stray = newMode === '160000' && !request.submodules.has(name);
    if (copied) withheld.push(name);
    if (stray) left.push(name);
    if (copied || stray || request.exclude.has(name)) {
      back.set(name, oldMode === '000000' ? null : { mode: oldMode, oid: oldOid });
    }
  }
  await setEntries(index, back);
  return { withheld, left };
}
