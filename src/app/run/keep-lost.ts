// What refs of others held before an agent ran and hold no more: kept with its Job, reported, never undone (11, Jobs).

import { isOid, type Oid } from '../../domain/git.js';
import type { GitObject } from '../../git/engine.js';
import type { Pin } from '../../state/types.js';
import type { Compared } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';

/** With whom it is kept, and what was at work: `run 3`. */
interface Keeper {
  readonly id: string;
  readonly work: string;
}

/** One write, and none in the usual case. Returns sentences for the notes of the Run. */
export async function keepLost(bench: Workbench, keeper: Keeper, lost: Compared['lost']): Promise<readonly string[]> {
  if (lost.length === 0) return [];
  const objects = await (await bench.repository.engine()).readMany(lost.map(({ oid }) => oid));
  const notes: string[] = [];
  const pins: Pin[] = [];
  for (const [at, { what, oid }] of lost.entries()) {
    const object = objects[at] ?? null;
    if (object === null) notes.push(`${what} was at ${oid}, which is not in the repository any more`);
    else pins.push({ job: keeper.id, subject: `${what} before ${keeper.work}`, ...contentOf(oid, object) });
  }
  await bench.store.update({ step: 'keep' }, async (tx) => {
    for (const pin of pins) tx.keep(pin);
  });
  if (pins.length > 0) notes.push(`what was there before is kept: ${pins.map(({ subject }) => subject).join(', ')}`);
  return notes;
}

/** A commit is kept as it is; an annotated tag with its text, so that it can be made again; a file by its bytes. */
function contentOf(oid: Oid, { type, data }: GitObject): Pick<Pin, 'commit' | 'files'> {
  if (type === 'commit') return { commit: oid };
  const tagged = type === 'tag' ? (/^object (\S+)\ntype commit\n/.exec(data.toString('latin1'))?.[1] ?? '') : '';
  return { commit: isOid(tagged) ? tagged : null, files: new Map([[type, data]]) };
}
