// Which version of a contested record is this clone's own: noted when the state moves, since afterwards all clones have the same
// state (05, S3). For people: what each version says.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { type PublishedContest, type StandingMerge, standingMerge } from '../../domain/side-merge.js';
import { sayDifferences } from '../../domain/side-words.js';
import { loadRoot } from '../../state/guard.js';
import type { StoreEnv } from '../../state/store-env.js';
import { type ContestedSide, type ContestedWork, loadContested, mergeSide, sideIn } from '../../state/take-side.js';
import type { Workbench } from '../workbench.js';

const noteName = (id: string): string => `contested/${id}`;

interface SideNote {
  readonly side: string;
}

/** Notes which versions the state `ours` had, of what is contested in `merged`. */
export async function noteSides(bench: Workbench, env: StoreEnv, ours: Oid, merged: Oid): Promise<void> {
  const contested = await loadContested(env, await loadRoot(env.objects, merged));
  if (contested.length === 0) return;
  const root = await loadRoot(env.objects, ours);
  for (const work of contested) {
    const side = await sideIn(env, root, work);
    if (side === null) continue;
    const before = await bench.notes.read<SideNote>(noteName(work.id));
    if (before?.value.side !== side) await bench.notes.write(noteName(work.id), { side }, before?.oid ?? 'absent');
  }
}

/** Notes of what is settled go. */
export async function forgetSides(bench: Workbench, contested: readonly ContestedWork[]): Promise<void> {
  const open = new Set(contested.map(({ id }) => noteName(id)));
  for (const { name, oid } of await bench.notes.list('contested'))
    if (!open.has(name)) await bench.notes.remove(name, oid);
}

const localSide = async (bench: Workbench, work: ContestedWork): Promise<string | null> => {
  const note = await bench.notes.read<SideNote>(noteName(work.id));
  return note !== null && work.sides.includes(note.value.side) ? note.value.side : null;
};

const otherSide = (work: ContestedWork, local: string | null): string | null => {
  const others = work.sides.filter((side) => side !== local);
  return local !== null && others.length === 1 ? (others[0] ?? null) : null;
};

/** The version that `--take` means: `local`, `remote`, or the name of one. Throws OwlError `refused`, `unknown-id`. */
export async function chosenSide(bench: Workbench, work: ContestedWork, take: string): Promise<string> {
  const local = await localSide(bench, work);
  const named = work.sides.filter((side) => side.startsWith(take));
  const chosen = take === 'local' ? local : take === 'remote' ? otherSide(work, local) : (named[0] ?? null);
  if (chosen !== null && (take === 'local' || take === 'remote' || named.length === 1)) return chosen;
  const why =
    take === 'local' || take === 'remote'
      ? `which version of ${work.of} ${work.id} is the ${take} one is not known here`
      : `${work.of} ${work.id} has no version ${take}`;
  throw new OwlError('refused', `${why}; name it: ${work.sides.join(', ')}`, {
    preserved: ['nothing was changed'],
    next: ['git owl sync --dry-run', `git owl sync --take ${work.sides[0]} --record ${work.id}`],
  });
}

/** Null: neither the version of this clone nor the only other one. */
export async function whoseIs(bench: Workbench, work: ContestedWork, side: string): Promise<'local' | 'remote' | null> {
  const local = await localSide(bench, work);
  return side === local ? 'local' : side === otherSide(work, local) ? 'remote' : null;
}

export async function publishContest(bench: Workbench, work: ContestedWork): Promise<PublishedContest> {
  const local = await localSide(bench, work);
  const remote = otherSide(work, local);
  return {
    id: work.id,
    kind: work.of,
    report: work.report,
    sides: work.versions.map((version) => {
      const stays = staysBeside(work, version.side);
      return {
        side: version.side,
        whose: version.side === local ? 'local' : version.side === remote ? 'remote' : null,
        says: saysOf(version, work.versions),
        ...(stays === null ? {} : { stays }),
      };
    }),
  };
}

/** What this version says that not all say. */
function saysOf(version: ContestedSide, all: readonly ContestedSide[]): readonly string[] {
  if (version.record === null) return ['it was deleted'];
  const beside = [...version.files.keys()].filter((path) => !/^(?:job|goal)\.json$/.test(path));
  const records = all.map(({ record }) => record);
  return [...sayDifferences(version.record, records), ...beside.map((path) => `its own ${path}`)];
}

/** The merge that is on its target whichever version counts, and that this one does not know. */
export function staysBeside(work: ContestedWork, side: string): StandingMerge | null {
  const version = work.versions.find((one) => one.side === side);
  if (work.of !== 'job' || version === undefined) return null;
  const others = work.versions.flatMap((one) => (one === version ? [] : (mergeSide(one) ?? [])));
  return standingMerge(work.id, mergeSide(version), others);
}

/** Each on its own, with one command for each version: `local` and `remote` where it is known here which is which. */
export const takeCommands = ({ id, sides }: PublishedContest): readonly string[] =>
  [...sides]
    .sort((one, other) => RANK[one.whose ?? 'other'] - RANK[other.whose ?? 'other'])
    .map(({ side, whose }) => `git owl sync --take ${whose ?? side} --record ${id}`);

const RANK = { local: 0, remote: 1, other: 2 } as const;
