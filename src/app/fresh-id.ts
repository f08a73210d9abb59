// A new id: unique over Jobs, Goals and Features, open, closed and deleted (01, Refs).

import type { Tx } from '../state/types.js';
import type { Workbench } from './workbench.js';

export async function freshId(bench: Pick<Workbench, 'ids'>, tx: Tx): Promise<string> {
  for (;;) {
    const id = bench.ids.job();
    const known = [await tx.job(id), await tx.goal(id), await tx.feature(id)];
    if (known.every((loaded) => loaded.kind === 'unknown')) return id;
  }
}
