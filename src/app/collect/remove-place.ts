// Removing a checkout of ours that `gc` found to be needed no more. Git removes it, never by force after a refusal (M3, M4).

import { isOid, type Oid, type RefName } from '../../domain/git.js';
import { lstatIfThere } from '../../git/files.js';
import { adminsOf, listWorktrees } from '../../git/worktree.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { createWorkspace } from '../workspace/create.js';
import { disposeFresh, isFresh } from '../workspace/fresh.js';
import { noteName, type Registered } from '../workspace/registration.js';
import { type Removal, removeWorkspace } from '../workspace/remove.js';
import type { Expected } from '../workspace/types.js';

export type Gone =
  | { readonly kind: 'gone'; readonly ignored: readonly string[] }
  | { readonly kind: 'stays'; readonly why: string };

/** `branch`: that it must be on; null: none is known. The registration is as it was just looked at; each step checks again. */
export async function removePlace(
  bench: Workbench,
  id: string,
  note: Registered,
  branch: RefName | null,
): Promise<Gone> {
  if (note.value.step === 'making') return removeHalfMade(bench, id, note);
  const { path } = note.value;
  const head = await headOf(bench, path);
  const expected: Expected | null =
    branch !== null ? { kind: 'branch', ref: branch } : head === null ? null : { kind: 'commit', oid: head };
  if (expected === null) {
    if ((await lstatIfThere(path)) !== null) return { kind: 'stays', why: `Git does not know what ${path} has open` };
    // Nothing is there: any commit will do to let go of the registration.
    return sayRemoval(await removeWorkspace(bench, { id, path, expected: { kind: 'commit', oid: '' as Oid } }), path);
  }
  if (isFresh(id) && note.value.step === 'registered') {
    const found = await admit(bench, { id, path, expected });
    if (found.kind === 'admitted') {
      const why = await disposeFresh(bench, found.workspace);
      return why === null ? { kind: 'gone', ignored: [] } : { kind: 'stays', why };
    }
  }
  return sayRemoval(await removeWorkspace(bench, { id, path, expected, temporary: isFresh(id) }), path);
}

function sayRemoval(removal: Removal, path: string): Gone {
  switch (removal.kind) {
    case 'removed':
      return { kind: 'gone', ignored: removal.ignored };
    case 'missing':
      return { kind: 'gone', ignored: [] };
    case 'unclean':
      return { kind: 'stays', why: `${path} has work that no commit has` };
    case 'refused':
      return { kind: 'stays', why: removal.message };
  }
}

/** What a killed command began to make is finished first, since only a whole checkout can be proven clean; then it goes. */
async function removeHalfMade(bench: Workbench, id: string, note: Registered): Promise<Gone> {
  const { path } = note.value;
  const nothing = (await lstatIfThere(path)) === null && (await adminsOf(bench.repository, path)).length === 0;
  if (nothing) {
    const dropped = await bench.notes.remove(noteName(id), note.oid);
    return dropped ? { kind: 'gone', ignored: [] } : { kind: 'stays', why: `another process works on ${path}` };
  }
  const commit = (await headOf(bench, path)) ?? (await anyCommit(bench));
  if (commit === null) return { kind: 'stays', why: `${path} is half made, and there is no commit to finish it with` };
  const made = await createWorkspace(bench, { id, path, branch: null, commit });
  if (made.kind === 'refused') return { kind: 'stays', why: made.message };
  return sayRemoval(
    await removeWorkspace(bench, { id, path: made.workspace.path, expected: { kind: 'commit', oid: commit } }),
    path,
  );
}

async function headOf(bench: Workbench, path: string): Promise<Oid | null> {
  return (await listWorktrees(bench.repository)).find((place) => place.path === path)?.head ?? null;
}

async function anyCommit(bench: Workbench): Promise<Oid | null> {
  if (bench.repository.head !== null) return bench.repository.head;
  const [first] = await (await bench.repository.engine()).list('refs/heads/');
  return first !== undefined && isOid(first.oid) ? first.oid : null;
}
