// What a Run leaves on this machine, once its end is stored.

import type { Workbench } from '../workbench.js';
import { noteOfRun } from './run-note.js';
import { removeScratch } from './scratch.js';

/** Scratch folder and note of a Run whose end is stored. */
export async function forget(bench: Workbench, run: string): Promise<void> {
  const note = await bench.notes.read(noteOfRun(run));
  if (note !== null) await bench.notes.remove(noteOfRun(run), note.oid);
  await removeScratch(bench, run);
}
