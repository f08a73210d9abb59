// Fresh looks at the target of a Goal: the local branch, and the one on the remote where the target is published (G51, G54).

import { OwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { fetchTarget } from '../land/target.js';
import { followTarget } from '../publish/follow-target.js';
import type { Workbench } from '../workbench.js';
import { type Containment, type Integration, lookContained } from './contained.js';

interface Seen {
  readonly ref: RefName;
  readonly oid: Oid;
}

export interface Observed {
  /** Null: there is no such branch here. */
  readonly local: Seen | null;
  /** As just fetched; null: it is published nowhere. */
  readonly published: Seen | null;
}

/** The one that counts (03, "The target"). */
export const targetOf = ({ local, published }: Observed): Seen | null => published ?? local;

/**
 * Fetches where the target is published; `follow`: the local branch is brought up to it, where that is a clean fast-forward;
 * `as-followed`: it is told as it would be then, and stays (a dry run).
 * Throws OwlError `remote` where the remote cannot be seen: what is known here proves nothing (00, rule 4).
 */
export async function observeTarget(
  bench: Workbench,
  goal: Pick<Goal, 'id' | 'target'>,
  local: 'as-it-is' | 'follow' | 'as-followed',
): Promise<Observed> {
  const { target } = goal;
  if (target === null)
    throw new OwlError('wrong-state', `goal ${goal.id} has no target yet`, {
      next: [`git owl run ${goal.id}`],
    });
  const ref = branchRef(target.name);
  let published: Seen | null = null;
  if (target.publish && target.remote !== null) {
    const where = { remote: target.remote, branch: target.name };
    bench.progress.step(`fetching ${target.name} from ${target.remote}`);
    const fetched = await fetchTarget(bench, where);
    if ('why' in fetched)
      throw new OwlError('remote', `${target.name} could not be fetched from ${target.remote}: ${fetched.why}`, {
        preserved: ['nothing was changed'],
        next: ['git owl doctor', `git owl show ${goal.id}`],
      });
    published = fetched;
    if (local === 'follow') for (const line of await followTarget(bench, where, fetched.oid)) bench.say(line);
  }
  const engine = await bench.repository.engine();
  const oid = await engine.resolve(ref);
  if (oid === null) return { local: null, published };
  if (local !== 'as-followed' || published === null) return { local: { ref, oid }, published };
  const behind = (await engine.isAncestor(oid, published.oid)) === 'ancestor';
  return { local: { ref, oid: behind ? published.oid : oid }, published };
}

/** The first of them that does not have this integration still, and how; null: all do. */
export async function whereLacking(
  bench: Workbench,
  integration: Integration,
  places: readonly (Seen | null)[],
): Promise<{ readonly ref: RefName | null; readonly how: Exclude<Containment, 'contained'> } | null> {
  const seen = places.filter((place) => place !== null);
  if (seen.length === 0) return { ref: null, how: 'unknown' };
  for (const { ref, oid } of seen) {
    const how = await lookContained(bench, integration, oid);
    if (how !== 'contained') return { ref, how };
  }
  return null;
}

/** Follows `its integration`. */
export function sayLacking({ ref, how }: NonNullable<Awaited<ReturnType<typeof whereLacking>>>): string {
  const where = ref ?? 'its target';
  switch (how) {
    case 'missing':
      return `is not in ${where}`;
    case 'reverted':
      return `was reverted in ${where}`;
    case 'unknown':
      return `cannot be looked for in ${where}: history is missing here`;
  }
}
