// Packing loose objects the way Git does it: `git maintenance run --auto`, in the background, where the user has not turned it off (01).

import type { Repository } from './repository.js';

/** The pins that turn automatic packing off everywhere else (11): not on these calls. */
const UNPINNED = ['gc.auto', 'maintenance.auto'] as const;

/** Git's packing would also forget checkouts whose folder it has not seen for a while: an unmounted disk, say (M3). */
const KEEP_WORKTREES = ['gc.worktreePruneExpire=never'] as const;

/** Starts it and returns at once; nobody waits for its end, nor is told of it. False: the user has turned it off. */
export async function packInBackground(repository: Repository): Promise<boolean> {
  const wish = await repository.git.run(['config', '--type=bool', '--get', 'maintenance.auto'], { unpinned: UNPINNED });
  if (wish.code === 0 && wish.stdout.toString('latin1').trim() === 'false') return false;
  const running = await repository.git.start(['maintenance', 'run', '--auto', '--quiet'], {
    unpinned: UNPINNED,
    config: KEEP_WORKTREES,
    reading: false,
  });
  running.stdin.end();
  return true;
}
