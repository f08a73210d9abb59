// What commands leave in this clone alone: scratch folders and notes of Runs, notes of moves that are not finished (J17, M1, M2).

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Item } from '../../domain/collect.js';
import { decideScratch, type ScratchFacts } from '../../domain/collect-scratch.js';
import { isOwlError } from '../../domain/errors.js';
import { LOCAL_PREFIX } from '../../state/layout.js';
import type { LocalNotes, Snapshot } from '../../state/types.js';
import { findMarked } from '../../system/processes.js';
import { DETACHED } from '../run/scratch.js';
import type { Workbench } from '../workbench.js';
import { findRun } from './records.js';

export interface ScratchListed {
  readonly folders: readonly string[];
  /** Names below `refs/owl/local/`, of the notes that name the process group of a Run. */
  readonly notes: readonly string[];
}

const runsFolder = (bench: Pick<Workbench, 'repository'>): string => join(bench.repository.commonDir, 'owl', 'runs');

/** What there is, before the state is read (M1). */
export async function listScratch(bench: Workbench): Promise<ScratchListed> {
  const notes = (await bench.notes.list('runs/')).map(({ name }) => name);
  return { folders: await namesIn(runsFolder(bench)), notes };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

/** One scratch folder as it is now; also called again at the moment of acting. */
export async function scratchItem(bench: Workbench, snapshot: Snapshot, id: string): Promise<Item> {
  const path = join(runsFolder(bench), id);
  const found = await findRun(snapshot, id, await jobOf(bench.notes, `runs/${id}`));
  const facts = { kind: 'scratch', subject: path, id, job: found.job } as const;
  if (found.run === 'none' && (id.startsWith(DETACHED) || !(await isOfRun(path)))) {
    return decideScratch({ ...facts, run: 'output', used: await usedLately(bench, path, id) });
  }
  return decideScratch({ ...facts, run: found.run, used: 'no' });
}

/** The note of a Run's process group. */
export async function runNoteItem(bench: Workbench, snapshot: Snapshot, name: string): Promise<Item> {
  const id = name.slice('runs/'.length);
  const found = await findRun(snapshot, id, await jobOf(bench.notes, name));
  return decideScratch({
    kind: 'note',
    subject: `${LOCAL_PREFIX}${name}`,
    id,
    job: found.job,
    run: found.run,
    used: 'no',
  });
}

async function jobOf(notes: LocalNotes, name: string): Promise<string | null> {
  try {
    const note = await notes.read<{ readonly job?: unknown }>(name);
    return typeof note?.value.job === 'string' ? note.value.job : null;
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return null;
  }
}

/** `verify`, `merge` and notifications have a folder too, with outputs alone; a Run's has its prompt. */
async function isOfRun(path: string): Promise<boolean> {
  const names = await namesIn(path);
  return names.includes('prompt') || names.includes('log');
}

/** Longer than any command leaves such a folder without a word. */
const QUIET_MS = 24 * 3_600_000;

async function usedLately(bench: Workbench, path: string, id: string): Promise<ScratchFacts['used']> {
  const marked = findMarked(id);
  // A process in the background carries the mark from its first moment: without it the folder is nobody's.
  if (id.startsWith(DETACHED) && marked !== 'inspection-failed') return marked.length === 0 ? 'no' : 'yes';
  let newest = 0;
  for (const at of [path, ...(await namesIn(path)).map((name) => join(path, name))]) {
    newest = Math.max(newest, (await stat(at).catch(() => null))?.mtimeMs ?? 0);
  }
  if (bench.clock.now() - newest < QUIET_MS) return 'yes';
  if (marked === 'inspection-failed') return 'unknown';
  return marked.length === 0 ? 'no' : 'yes';
}
