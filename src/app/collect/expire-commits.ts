// `gc --expire <commit>…`: lets a kept commit go that no branch, target or archive holds, by name (M12).

import { type Item, judge, keepIt, step, verdict } from '../../domain/collect.js';
import { isOwlError, OwlError } from '../../domain/errors.js';
import { isOid, type Oid } from '../../domain/git.js';
import { keptBy, unpin } from '../../state/expire.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import type { Collected } from './act.js';
import { holders } from './contained.js';

/** Each is a commit by its id, whole or abbreviated; a ref is not taken. Throws OwlError `usage`, `no-commit`, before anything is done. */
export async function resolveNamed(bench: Workbench, texts: readonly string[]): Promise<readonly Oid[]> {
  const oids: Oid[] = [];
  for (const text of texts) {
    const next = ['git owl gc --dry-run'];
    if (!/^[0-9a-f]{7,64}$/i.test(text))
      throw new OwlError('usage', `--expire takes the id of a commit, not ${JSON.stringify(text.slice(0, 60))}`, {
        preserved: ['nothing was changed'],
        next,
      });
    const found = await bench.repository.git.run([
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${text.toLowerCase()}^{commit}`,
    ]);
    const oid = found.stdout.toString('latin1').trim();
    if (found.code !== 0 || !isOid(oid))
      throw new OwlError('no-commit', `there is no commit ${text} here, or more than one`, {
        preserved: ['nothing was changed'],
        next,
      });
    oids.push(oid);
  }
  return [...new Set(oids)];
}

async function itemOf(
  bench: Workbench,
  env: StoreEnv,
  oid: Oid,
): Promise<{ readonly item: Item; readonly ids: readonly string[] }> {
  const ids = await keptBy(env, oid);
  const held = await holders(bench, oid);
  const some = held.slice(0, 3).join(', ') + (held.length > 3 ? ` and ${held.length - 3} more` : '');
  const item = judge(
    { kind: 'commit', subject: oid, owner: ids[0] ?? null },
    [
      step('no branch, tag, target or archive holds it', held.length === 0, keepIt('still-held', `held by ${some}`)),
      step('git owl keeps it', ids.length > 0, keepIt('not-kept', 'nothing under refs/owl/keep keeps it by itself')),
    ],
    verdict('expire', 'asked', `kept for ${ids.join(', ')}; nothing else holds it`),
  );
  return { item, ids };
}

export async function expireNamed(
  bench: Workbench,
  env: StoreEnv,
  oids: readonly Oid[],
): Promise<readonly Collected[]> {
  const results: Collected[] = [];
  for (const oid of oids) {
    const { item, ids } = await itemOf(bench, env, oid);
    if (item.action !== 'expire') results.push({ ...item, result: 'none' });
    else if (bench.dryRun || bench.signal.aborted) results.push({ ...item, result: 'planned' });
    else results.push(await letGo(bench, env, { oid, item, ids }));
  }
  return results;
}

async function letGo(
  bench: Workbench,
  env: StoreEnv,
  named: { readonly oid: Oid; readonly item: Item; readonly ids: readonly string[] },
): Promise<Collected> {
  const { oid, item, ids } = named;
  try {
    // Once more at the moment of acting: somebody may have made a branch of it.
    const now = await itemOf(bench, env, oid);
    if (now.item.action !== 'expire') return { ...now.item, result: 'kept' };
    await failpoint('gc.before-expire-commit');
    let all = true;
    for (const id of ids) all = (await unpin(env, id, oid)) && all;
    await failpoint('gc.after-expire-commit');
    if (!all) return { ...item, ...keepIt('changed', 'what keeps it moved meanwhile'), result: 'kept' };
    return { ...item, detail: `no longer kept for ${ids.join(', ')}; Git removes it when it packs`, result: 'done' };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { ...item, ...keepIt('inspection-failed', error.message), result: 'kept' };
  }
}
