// A revert on the local target whose process died: finished when the target has it, else void (G52).

import { isOthers } from '../land/landing-note.js';
import type { Workbench } from '../workbench.js';
import type { RevertNote } from './note.js';
import { sayUnit } from './refusals.js';
import { settleRevert } from './settle.js';

/** Called by writing commands, after checkouts. Returns one sentence for each. */
export async function resumeReverts(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  const engine = await bench.repository.engine();
  for (const { name, oid } of await bench.notes.list('reverting/')) {
    const note = await bench.notes.read<RevertNote>(name);
    // A live owner finishes its revert itself.
    if (note === null || (await isOthers(bench, note.value))) continue;
    const { unit, facts } = note.value;
    const { commit, ref } = facts;
    const tip = await engine.resolve(ref);
    const there =
      tip !== null && commit !== null && (tip === commit || (await engine.isAncestor(commit, tip)) === 'ancestor');
    if (there && (await settleRevert(bench, unit, facts)) !== null)
      said.push(`${sayUnit(unit)}: its revert was interrupted and is finished`);
    await bench.notes.remove(name, oid);
  }
  return said;
}
