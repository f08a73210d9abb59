// What is listed on top of a review (G50), looked up in the commits that are reviewed.

import { matchedPaths } from '../../config/guard.js';
import type { CandidatePair } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { addedLines, type Notable, notableChanges } from '../../domain/notable.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { changedFiles, diffText } from '../../git/diff.js';
import { guardedIn } from '../guarded.js';
import type { Workbench } from '../workbench.js';

/** `loaded`: null where the configuration cannot be read: which paths are guarded is then not known. */
export async function lookNotable(
  bench: Pick<Workbench, 'repository'>,
  loaded: Pick<LoadedPolicy, 'policy' | 'path'> | null,
  { base, tip }: CandidatePair,
): Promise<readonly Notable[]> {
  const { repository } = bench;
  const [files, diff, guarded] = await Promise.all([
    changedFiles(repository, base, tip, { renames: false }),
    // `--text`: what calls itself binary is looked into as well.
    diffText(repository, base, tip, {
      args: ['--text', '--unified=0', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'],
    }),
    loaded === null ? [] : guardedIn(bench, loaded, base, tip),
  ]);
  const own = files.filter(({ path }) => path !== HANDOFF_PATH);
  const all = new Set(guarded);
  // What governance protects is guarded as well, in a review (G31).
  const protect = loaded?.policy.governance.protect ?? [];
  for (const path of matchedPaths(
    protect,
    own.map(({ path }) => path),
  ))
    all.add(path);
  return notableChanges(own, addedLines(diff.text.toString('utf8')), [...all]);
}
