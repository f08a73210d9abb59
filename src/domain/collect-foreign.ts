// What `gc` says of checkouts that are not ours: nothing is ever done to them (M3, M6). Pure.

import { type Item, judge, keepIt, step, type Verdict } from './collect.js';

/** A checkout that is not ours: the user's, or a folder that only lies in our place. Never touched (M3, M6). */
export type OtherPlace =
  | {
      readonly kind: 'registered';
      readonly path: string;
      readonly isState: boolean;
      readonly locked: string | null;
      readonly detached: boolean;
      readonly there: boolean;
    }
  | { readonly kind: 'folder'; readonly path: string };

export function decideOther(place: OtherPlace): Item {
  const of = { kind: 'worktree', subject: place.path, owner: null } as const;
  const ours = (otherwise: Verdict): Item => judge(of, [step('git owl registered it', false, otherwise)], otherwise);
  if (place.kind === 'folder')
    return ours(keepIt('not-ours', 'it lies where our checkouts lie, and git owl did not register it'));
  if (place.isState)
    return ours(keepIt('state-checkout', 'refine/state is checked out in it; its files do not follow the state'));
  if (place.locked !== null) return ours(keepIt('locked', `locked${place.locked === '' ? '' : `: ${place.locked}`}`));
  if (!place.there)
    return ours(
      keepIt('not-there', 'a checkout of the user that is not there; its registration is not ours to remove'),
    );
  if (place.detached) return ours(keepIt('detached', 'a checkout of the user, on no branch'));
  return ours(keepIt('standalone', 'a checkout of the user'));
}
