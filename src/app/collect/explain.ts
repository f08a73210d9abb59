// `gc --explain <ref or path>`: which items are meant, and what is said of a thing that is not ours (04).

import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Item, judge, keepIt, step } from '../../domain/collect.js';
import { OwlError } from '../../domain/errors.js';
import { isRefName, type RefName } from '../../domain/git.js';
import { realPathIfThere } from '../../git/files.js';
import type { Workbench } from '../workbench.js';

/** Items of a full or short ref, a path (or one inside a checkout), or the id of a Job. Throws OwlError `nothing-kept`. */
export async function explained<T extends Item>(
  bench: Workbench,
  items: readonly T[],
  text: string,
): Promise<readonly (T | Item)[]> {
  const path = resolve(bench.environment.cwd, text);
  const real = (await realPathIfThere(path)) ?? path;
  const names = new Set([text, `refs/${text}`, `refs/heads/${text}`, path, real]);
  const found = items.filter((item) => names.has(item.subject) || (text !== '' && item.owner === text));
  if (found.length > 0) return found;
  const around = items.filter((item) => item.subject.startsWith('/') && `${real}/`.startsWith(`${item.subject}/`));
  if (around.length > 0) return around;
  const other = (await refNamed(bench, text)) ?? ((await isThere(real)) ? real : null);
  if (other !== null) {
    const otherwise = keepIt('not-ours', 'gc looks only at what git owl registered, made or keeps');
    return [
      judge(
        { kind: other.startsWith('/') ? 'worktree' : 'branch', subject: other, owner: null },
        [step('git owl made it', false, otherwise)],
        otherwise,
      ),
    ];
  }
  throw new OwlError('nothing-kept', `there is no ref, checkout or job ${JSON.stringify(text.slice(0, 200))} here`, {
    preserved: ['nothing was changed'],
    next: ['git owl gc --dry-run'],
  });
}

async function refNamed(bench: Workbench, text: string): Promise<string | null> {
  const engine = await bench.repository.engine();
  for (const ref of [text, `refs/${text}`, `refs/heads/${text}`, `refs/tags/${text}`, `refs/remotes/${text}`]) {
    if (isRefName(ref) && (await engine.resolve(ref as RefName)) !== null) return ref;
  }
  return null;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
