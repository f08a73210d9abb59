// Which clone this is: an id made at its first need, kept under `refs/owl/local/` and in what it ran (G31, G41).

import type { Workbench } from './workbench.js';

const NOTE = 'clone';

/** The same for as long as the clone lives. Writes a note at its first call. */
export async function cloneId(bench: Pick<Workbench, 'notes' | 'ids'>): Promise<string> {
  const known = await bench.notes.read<{ readonly id: string }>(NOTE);
  if (known !== null) return known.value.id;
  const id = bench.ids.operation();
  if (await bench.notes.write(NOTE, { id }, 'absent')) return id;
  return (await bench.notes.read<{ readonly id: string }>(NOTE))?.value.id ?? id;
}

/** The same, without making one: null where none was needed yet. */
export const knownClone = async (bench: Pick<Workbench, 'notes'>): Promise<string | null> =>
  (await bench.notes.read<{ readonly id: string }>(NOTE))?.value.id ?? null;
