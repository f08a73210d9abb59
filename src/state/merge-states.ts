// One merge commit of two states, the same in every clone that merges the same pair: parents in order, fixed identity, later
// date, index made again (05, S2). A contested record holds both sides as data (S3).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { NewObject } from '../git/engine.js';
import { newBlob, newCommit } from '../git/objects.js';
import { failpoint } from '../system/failpoint.js';
import type { ContestedRecord } from './contested.js';
import { loadRoot } from './guard.js';
import { indexAnew } from './index-anew.js';
import { AREAS, META_PATH, STATE_REF, sha256, workPath } from './layout.js';
import { type MergePlan, planMerge } from './merge/plan.js';
import type { Put } from './merge/unit.js';
import { formatMessage } from './message.js';
import { createSnapshot, metaError } from './snapshot.js';
import type { StoreEnv } from './store-env.js';
import { compareStates } from './three-way.js';
import { editTree } from './tree.js';
import { writeAndSwap } from './write-ref.js';

export type MergedStates =
  | { readonly kind: 'same' | 'behind' | 'ahead'; readonly tip: Oid }
  | {
      readonly kind: 'merged';
      readonly tip: Oid;
      readonly commit: NewObject;
      /** What both sides decided about, and which of them said what is not to be decided here. */
      readonly contested: readonly ContestedRecord[];
    }
  /** The two have no common history and are not two first uses of one repository, or that cannot be told (S9). */
  | { readonly kind: 'foreign'; readonly why: string };

export interface MergeOptions {
  /** Of these ids our side knows what theirs says and has decided since: there ours counts. */
  readonly settled?: ReadonlySet<string> | undefined;
  /** The caller knows that both are of this repository: no common history means two first uses. */
  readonly unrelated?: boolean | undefined;
}

export interface TakeOptions extends MergeOptions {
  /** Called before the state here moves, with what it is and what it will be. */
  readonly before?: ((ours: Oid | null, next: Oid) => Promise<void>) | undefined;
}

const NOBODY = 'git-owl <git-owl@localhost>';

/** The state that has both. Its objects are written; no ref moves. Throws OwlError `unreadable-object`, `newer-state`, `damaged-state`. */
export async function mergeStates(
  env: StoreEnv,
  ours: Oid,
  theirs: Oid,
  options: MergeOptions = {},
): Promise<MergedStates> {
  if (ours === theirs) return { kind: 'same', tip: ours };
  const bases = await env.engine.mergeBases(ours, theirs);
  if (typeof bases === 'string') return foreign;
  if (bases.includes(ours)) return { kind: 'behind', tip: theirs };
  if (bases.includes(theirs)) return { kind: 'ahead', tip: ours };
  // The order of the two must not matter.
  const [first, second] = ours < theirs ? ([ours, theirs] as const) : ([theirs, ours] as const);
  const { objects } = env;
  const roots = {
    ours: await loadRoot(objects, first),
    theirs: await loadRoot(objects, second),
    bases: await Promise.all(bases.map((base) => loadRoot(objects, base))),
  };
  const ids = await Promise.all([roots.ours, roots.theirs].map((root) => repositoryOf(env, root)));
  if (bases.length === 0 && ids[0] !== ids[1] && options.unrelated !== true) return foreign;
  const time = Math.max((await objects.commit(first)).time, (await objects.commit(second)).time);
  const plan = await planMerge(objects, {
    differences: await compareStates(objects, roots),
    roots,
    now: time * 1000,
    last: (id) => (options.settled?.has(id) === true ? (first === ours ? 'ours' : 'theirs') : null),
  });
  const merged = await indexAnew(env, await apply(env, roots.ours, plan), time * 1000);
  const contested = plan.units.flatMap((unit) => unit.contested ?? []);
  const subject = contested.length === 0 ? 'state merged with that of another clone' : sayContested(contested);
  const message = formatMessage(
    { event: 'state.merged', subject },
    { actor: 'git-owl', op: sha256(`${first} ${second}`).slice(0, 16), request: null, open: merged.open },
  );
  const commit = commitOf(env, { tree: merged.root, parents: [first, second], time, message });
  await env.engine.write([commit]);
  return { kind: 'merged', tip: commit.oid, commit, contested };
}

/** By nobody, at the time of what it is made of: the same wherever it is made. */
function commitOf(
  env: StoreEnv,
  made: { readonly tree: Oid; readonly parents: readonly Oid[]; readonly time: number; readonly message: string },
): NewObject {
  const stamp = `${NOBODY} ${made.time} +0000`;
  const { tree, parents, message } = made;
  return newCommit(env.objects.format, { tree, parents, author: stamp, committer: stamp, message });
}

/** An index that came from another clone is derived again, never believed (01, Records): null where it is what it should be. */
async function ownIndex(env: StoreEnv, theirs: Oid, ours: Oid | null): Promise<NewObject | null> {
  const { objects } = env;
  const [root, { time }] = [await loadRoot(objects, theirs), await objects.commit(theirs)];
  const known = ours === null ? null : await loadRoot(objects, ours);
  const indexed = await indexAnew(env, root, time * 1000, known);
  if (indexed.root === root) return null;
  const op = sha256(`index ${theirs}`).slice(0, 16);
  const message = formatMessage(
    { event: 'state.repaired', subject: 'the index that came from another clone was derived again' },
    { actor: 'git-owl', op, request: null, open: indexed.open },
  );
  const commit = commitOf(env, { tree: indexed.root, parents: [theirs], time, message });
  await env.engine.write([commit]);
  return commit;
}

const foreign: MergedStates = {
  kind: 'foreign',
  why: 'it has no history in common with the state here that is known, and another id',
};

const sayContested = (contested: readonly ContestedRecord[]): string =>
  `state merged with that of another clone; contested: ${contested.map(({ id }) => id).join(', ')}`;

/** The repository that a state is of. Throws OwlError `newer-state`, `damaged-state`: then nothing of it is merged (S8). */
async function repositoryOf(env: StoreEnv, root: Oid): Promise<string> {
  const meta = await createSnapshot(env.objects, null, root, 0).loadMeta();
  if (meta.kind === 'found') return meta.record.repository;
  if (meta.kind === 'damaged' || meta.kind === 'newer') throw metaError(meta);
  throw metaError({ kind: 'damaged', path: META_PATH, why: 'it is not there' });
}

/** The first side's tree with what was decided. */
async function apply(env: StoreEnv, root: Oid, plan: MergePlan): Promise<Oid> {
  const editor = editTree(env.objects, root);
  const made: NewObject[] = [];
  const put = async (path: string, file: Put): Promise<void> => {
    if (file === null) return editor.remove(path);
    const blob = 'text' in file ? newBlob(env.objects.format, file.text) : null;
    if (blob !== null) made.push(blob);
    await editor.put(path, { mode: '100644', oid: blob?.oid ?? ((file as { oid: string }).oid as Oid) });
  };
  for (const { kind, id, area, files } of plan.units) {
    for (const other of AREAS) {
      const from = workPath(kind, other, id);
      const folder = other === area ? null : await editor.get(from);
      if (folder === null) continue;
      await editor.remove(from);
      if (area !== null) await editor.put(workPath(kind, area, id), folder);
    }
    if (area === null) continue;
    for (const [path, file] of files) await put(`${workPath(kind, area, id)}/${path}`, file);
  }
  for (const [path, file] of plan.files) await put(path, file);
  const sealed = await editor.seal();
  await env.engine.write([...made, ...editor.made]);
  if (sealed === null) throw new OwlError('defect', 'a merge of two states left nothing');
  return sealed;
}

export type TakenIn =
  | {
      readonly kind: 'taken' | 'same';
      readonly tip: Oid;
      readonly contested: readonly ContestedRecord[];
    }
  | Extract<MergedStates, { readonly kind: 'foreign' }>
  | { readonly kind: 'busy' };

const TRIES = 20;

/** The state of this clone takes another one in, by compare-and-swap; where there is none yet, it becomes that one (S2). */
export async function takeIn(env: StoreEnv, theirs: Oid, options: TakeOptions = {}): Promise<TakenIn> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const ours = await env.engine.resolve(STATE_REF);
    if (ours === null) await loadRoot(env.objects, theirs);
    const merged: MergedStates =
      ours === null ? { kind: 'behind', tip: theirs } : await mergeStates(env, ours, theirs, options);
    if (merged.kind === 'foreign') return merged;
    const contested = merged.kind === 'merged' ? merged.contested : [];
    if (merged.tip === ours) return { kind: 'same', tip: ours, contested: [] };
    const indexed = merged.kind === 'behind' ? await ownIndex(env, theirs, ours) : null;
    const next = indexed?.oid ?? merged.tip;
    await options.before?.(ours, next);
    await failpoint('sync.before-state');
    const objects = merged.kind === 'merged' ? [merged.commit] : indexed === null ? [] : [indexed];
    const update = { ref: STATE_REF, old: ours ?? ('absent' as const), new: next };
    const swap = await writeAndSwap(env, objects, update, 'owl: state merged');
    await failpoint('sync.after-state');
    if (swap.kind === 'moved') return { kind: 'taken', tip: next, contested };
    if (swap.kind === 'impossible')
      throw new OwlError('name-blocked', `${STATE_REF} cannot be made: ${swap.message}`, {
        preserved: ['nothing was changed'],
        next: ['git for-each-ref refs/heads/refine'],
      });
    await env.pause(attempt);
  }
  return { kind: 'busy' };
}
