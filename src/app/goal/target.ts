// Where a Goal will land, as it is known now: its name is resolved again, and pinned, when it leaves todo (03, "The target").

import type { Goal } from '../../domain/goal.js';
import { type BaseWish, type CurrentPolicy, currentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';

export interface Landing {
  readonly name: string;
  readonly remote: string | null;
  /** Is it pushed there, or does the local branch move? */
  readonly publish: boolean;
}

/** Throws what `currentPolicy` throws. Nothing is fetched. */
export async function resolveTarget(
  bench: Workbench,
  wish: Goal['wish'],
): Promise<{ readonly landing: Landing; readonly current: CurrentPolicy }> {
  const current = await currentPolicy(bench, await targetWish(bench, wish));
  const { name, remote } = current.base;
  const publish = remote !== null && current.loaded.policy.goals.publish;
  return { landing: { name, remote, publish }, current };
}

/**
 * What to resolve a Goal's target from, with or without a fetch: `--target`, else `goals.target` as the default base has it, else
 * as the base of a Job (03, J33). Throws what `currentPolicy` throws.
 */
export async function targetWish(bench: Workbench, wish: Goal['wish']): Promise<BaseWish> {
  const remote = wish.remote ?? undefined;
  if (wish.target !== null) return { base: wish.target, remote };
  const { target } = (await currentPolicy(bench, { remote })).loaded.policy.goals;
  return { base: target ?? undefined, remote };
}

/** `main on origin`, `main`. */
export const sayLanding = ({ name, remote, publish }: Landing): string =>
  publish && remote !== null ? `${name} on ${remote}` : name;
