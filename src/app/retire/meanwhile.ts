// What was decided about names' work between the look and the act: what was opened again keeps its names (M7, M10).

import { isOpen, type RecordFacts } from '../../domain/collect.js';
import type { Oid } from '../../domain/git.js';
import { workOf } from '../../domain/names.js';
import { loadState } from '../../state/load-state.js';
import type { Ground } from '../collect/inventory.js';
import type { Kept } from './halves.js';
import type { LookedName } from './look.js';
import { loadRecords } from './records.js';

/** Names whose Goal or Job was opened again here since it was judged. */
export async function openedMeanwhile(
  ground: Ground,
  judged: Oid | null,
  some: readonly LookedName[],
): Promise<ReadonlyMap<LookedName, Kept | 'done'>> {
  const snapshot = await loadState(ground.env);
  if (snapshot.tip === judged) return new Map();
  const names = some.map(({ facts }) => facts);
  const records = await loadRecords(ground, snapshot, names);
  const opened = new Map<LookedName, Kept | 'done'>();
  for (const one of some) {
    const { name } = one.facts;
    const now = records.get(workOf(name) ?? '');
    const what = name.kind === 'job' ? 'Job' : 'Goal';
    if (now === undefined || !isStillClosed(now))
      opened.set(one, { reason: 'changed', detail: `its ${what} was decided about meanwhile` });
  }
  return opened;
}

const isStillClosed = (record: RecordFacts): boolean =>
  record.kind === 'deleted' || ((record.kind === 'goal' || record.kind === 'job') && !isOpen(record) && !record.live);
