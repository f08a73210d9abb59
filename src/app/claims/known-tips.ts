// Tips that a Job's record had here before another one came from another clone, while a branch of the Job is here (05, S1): a branch
// that still stands at one of them holds nothing of its own.

import type { Oid } from '../../domain/git.js';
import type { JobId } from '../../domain/job.js';
import type { Workbench } from '../workbench.js';

type Notes = Pick<Workbench, 'notes'>;
type Known = Readonly<Record<JobId, readonly Oid[]>>;

const NOTE = 'tips';

/** Undefined: none ever came. */
export async function knownTips({ notes }: Notes, id: JobId): Promise<readonly Oid[] | undefined> {
  const known = (await notes.read<Known>(NOTE))?.value ?? {};
  return Object.hasOwn(known, id) ? known[id] : undefined;
}

/** The branch stands where the record says. */
export async function forgetTips(bench: Notes, id: JobId): Promise<void> {
  if ((await knownTips(bench, id)) !== undefined) await changeKnown(bench, ({ [id]: _, ...others }) => others);
}

export const addTips = (bench: Notes, tips: ReadonlyMap<JobId, Oid>): Promise<void> =>
  changeKnown(bench, (known) => ({
    ...known,
    ...Object.fromEntries([...tips].map(([id, tip]) => [id, [...new Set([...(known[id] ?? []), tip])].sort()])),
  }));

async function changeKnown({ notes }: Notes, change: (known: Known) => Known): Promise<void> {
  for (;;) {
    const before = await notes.read<Known>(NOTE);
    const next = change(before?.value ?? {});
    const done =
      before !== null && Object.keys(next).length === 0
        ? await notes.remove(NOTE, before.oid)
        : await notes.write(NOTE, next, before?.oid ?? 'absent');
    if (done) return;
  }
}
