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

export interface Resolved {
  readonly landing: Landing;
  readonly current: CurrentPolicy;
  /** As it is recorded: `origin/release` is the branch `release` of `origin`. */
  readonly wish: Goal['wish'];
}

/** Throws what `currentPolicy` throws. Nothing is fetched. */
export async function resolveTarget(bench: Workbench, wish: Goal['wish']): Promise<Resolved> {
  const current = await currentPolicy(bench, await targetWish(bench, wish));
  const { name, remote } = current.base;
  const publish = remote !== null && current.loaded.policy.goals.publish;
  return { landing: { name, remote, publish }, current, wish: namedWish(wish, current) };
}

/** The branch, and the remote where the text named one, instead of the text (J33). */
export function namedWish(wish: Goal['wish'], { base }: Pick<CurrentPolicy, 'base'>): Goal['wish'] {
  if (wish.target === null || base.asked === null) return wish;
  return { target: base.asked.name, remote: wish.remote ?? base.asked.remote };
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
