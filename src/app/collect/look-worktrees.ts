// All checkouts as `gc` sees them: those that we registered, those of the user, and folders that only lie in our place (M1, M3, M6).

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Item, isOpen, type Limits } from '../../domain/collect.js';
import { decideOther } from '../../domain/collect-foreign.js';
import { decideRoundPlace } from '../../domain/collect-round.js';
import { decideFresh, decideJobPlace } from '../../domain/collect-worktree.js';
import { isRoundJob } from '../../domain/names.js';
import type { Policy } from '../../domain/policy.js';
import { lstatIfThere } from '../../git/files.js';
import { listWorktrees, type Worktree } from '../../git/worktree.js';
import { STATE_REF } from '../../state/layout.js';
import type { Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { jobRef } from '../jobs.js';
import { isSkillPlace } from '../skill/checkout.js';
import type { Workbench } from '../workbench.js';
import { isFresh } from '../workspace/fresh.js';
import { worktreePath } from '../workspace/path.js';
import { isProvenDead, loadRegistration, type Registration, registeredIds } from '../workspace/registration.js';
import { skillItem } from './look-skill.js';
import { lookAtPlace } from './places.js';
import { loadGoalRecord, loadRecord } from './records.js';

export interface PlacesListed {
  readonly own: ReadonlyMap<string, Registration>;
  readonly registered: readonly Worktree[];
  /** Folders in our place, absolute. */
  readonly folders: readonly string[];
}

/** What there is, before the state is read: so that a record made later is not missed (M1). */
export async function listPlaces(bench: Workbench, policy: Pick<Policy, 'worktrees'>): Promise<PlacesListed> {
  const own = new Map<string, Registration>();
  for (const id of await registeredIds(bench.notes)) {
    const note = await loadRegistration(bench.notes, id);
    if (note !== null) own.set(id, note.value);
  }
  const place = dirname(
    await worktreePath({ environment: bench.environment, policy, repository: bench.repository, id: 'x' }),
  );
  const homes = new Set([place, ...[...own.values()].map((note) => dirname(note.path))]);
  const folders: string[] = [];
  for (const home of homes) folders.push(...(await namesIn(home)).map((name) => join(home, name)));
  return { own, registered: await listWorktrees(bench.repository), folders };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/** Items of all checkouts. `landed`: Jobs that J31 is about to close. */
export async function worktreeItems(
  bench: Workbench,
  listed: PlacesListed,
  snapshot: Snapshot,
  limits: Limits,
  landed: ReadonlySet<string>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const [id, note] of listed.own)
    items.push(await ownItem(bench, snapshot, limits, { id, note, landed: landed.has(id) }));
  const admins = new Set(
    [...listed.own.values()].map((note) => join(bench.repository.commonDir, 'worktrees', note.admin ?? '')),
  );
  const paths = new Set([...listed.own.values()].map((note) => note.path));
  for (const place of listed.registered) {
    const isState = place.branch === STATE_REF;
    if (admins.has(place.admin) || paths.has(place.path) || (place.main && !isState) || place.bare) continue;
    paths.add(place.path);
    const there = (await lstatIfThere(place.path)) !== null;
    items.push(
      decideOther({
        kind: 'registered',
        path: place.path,
        isState,
        locked: place.locked,
        detached: place.branch === null,
        there,
      }),
    );
  }
  for (const path of listed.folders) if (!paths.has(path)) items.push(decideOther({ kind: 'folder', path }));
  return items;
}

/** One of ours, as it is now; also called again at the moment of acting. */
export async function ownItem(
  bench: Workbench,
  snapshot: Snapshot,
  limits: Limits,
  place: { readonly id: string; readonly note: Registration; readonly landed: boolean },
): Promise<Item> {
  const { id, note, landed } = place;
  if (isFresh(id)) {
    const look = await lookAtPlace(bench, { id, note, branch: null, temporary: true, closely: false });
    return decideFresh({ id, path: note.path, look, owner: await ownerOf(bench, note) });
  }
  if (isSkillPlace(id)) return skillItem(bench, snapshot, limits, place);
  const record = await loadRecord(bench, snapshot, id);
  const branch = record.kind === 'job' ? jobRef(record.job) : null;
  // Of an id without a record nothing can follow but a report.
  const idle = record.kind === 'unknown' || record.kind === 'unreadable' || (record.kind === 'job' && record.live);
  const goal =
    record.kind === 'job' && isRoundJob(record.job) ? await loadGoalRecord(bench, snapshot, record.job.goal) : null;
  const closely = goal !== null || landed || !isOpen(record);
  const look = idle
    ? ({ kind: 'not-looked' } as const)
    : await lookAtPlace(bench, { id, note, branch, temporary: false, closely });
  if (goal !== null) return decideRoundPlace({ id, path: note.path, look, record, landed, goal }, limits);
  return decideJobPlace({ id, path: note.path, look, record, landed }, limits);
}

async function ownerOf(bench: Workbench, note: Registration): Promise<'gone' | 'alive' | 'unknown'> {
  const here = await bench.environment.process();
  if (isProvenDead(note.owner, here)) return 'gone';
  return isAlive(note.owner, here) === 'alive' ? 'alive' : 'unknown';
}
