// Short commands on plumbing, long ones on libgit2: starts with the one and goes over to the other's writes when it pays.

import type { Engine } from './engine.js';
import { isOwn } from './plumbing-refs.js';

/**
 * Loading libgit2 costs as much as a good dozen processes that move a branch: so many are started first. Reads stay: `cat-file` is
 * running by then. `load` answers null when libgit2 is not to be had after all.
 */
export function adaptiveEngine(plumbing: Engine, load: () => Promise<Engine | null>, after: number): Engine {
  let swaps = 0;
  let other: Promise<Engine | null> | undefined;
  const writer = async (): Promise<Engine> => {
    if (swaps < after) return plumbing;
    other ??= load();
    return (await other) ?? plumbing;
  };
  return {
    ...plumbing,
    async write(objects) {
      await (await writer()).write(objects);
    },
    async swap(update, reason) {
      const engine = await writer();
      // Our own refs share one process.
      if (!isOwn(update.ref)) swaps += 1;
      return engine.swap(update, reason);
    },
    expectSwap() {
      if (swaps < after) plumbing.expectSwap();
    },
    async close() {
      await plumbing.close();
      await (await other)?.close();
    },
  };
}
