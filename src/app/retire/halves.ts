// Many things in one step where that goes, else in smaller ones: what is in the way is found by halving, with a bound (11).

import type { CollectReason } from '../../domain/collect-reasons.js';

export interface Kept {
  readonly reason: CollectReason;
  readonly detail: string;
}

export type Attempt<T> =
  | { readonly kind: 'done' }
  /** These cannot go, or are gone already: the others are tried again without them. Never empty. */
  | { readonly kind: 'settled'; readonly items: ReadonlyMap<T, Kept | 'done'> }
  /** Nothing was done, and they can be tried as they are. */
  | { readonly kind: 'again' }
  /** Nothing was done, and some of them are in the way. */
  | { readonly kind: 'refused'; readonly why: Kept }
  /** Nothing more is to be tried. */
  | { readonly kind: 'stop'; readonly why: Kept };

/** `attempt` is called at most `bound` times. What is left then is kept for the last reason. */
export async function inHalves<T>(
  items: readonly T[],
  bound: number,
  attempt: (some: readonly T[]) => Promise<Attempt<T>>,
): Promise<ReadonlyMap<T, Kept | 'done'>> {
  const outcome = new Map<T, Kept | 'done'>();
  const settle = (some: readonly T[], how: Kept | 'done'): void => {
    for (const one of some) outcome.set(one, how);
  };
  const waiting: (readonly T[])[] = items.length === 0 ? [] : [items];
  let last: Kept = { reason: 'changed', detail: 'it was not tried' };
  for (let count = 0; waiting.length > 0; count += 1) {
    const batch = waiting.pop() as readonly T[];
    if (count >= bound) {
      settle(batch, last);
      continue;
    }
    const result = await attempt(batch);
    switch (result.kind) {
      case 'done':
        settle(batch, 'done');
        break;
      case 'again':
        waiting.push(batch);
        break;
      case 'settled': {
        for (const [one, how] of result.items) outcome.set(one, how);
        const rest = batch.filter((one) => !result.items.has(one));
        if (rest.length > 0) waiting.push(rest);
        break;
      }
      case 'refused': {
        last = result.why;
        if (batch.length === 1) {
          settle(batch, result.why);
          break;
        }
        const half = Math.ceil(batch.length / 2);
        waiting.push(batch.slice(half), batch.slice(0, half));
        break;
      }
      case 'stop':
        last = result.why;
        settle(batch, result.why);
        for (const rest of waiting.splice(0)) settle(rest, result.why);
    }
  }
  return outcome;
}
