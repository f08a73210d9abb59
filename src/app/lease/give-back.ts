// The end of a lease: its holder goes out, its ref and its token stay (G30).

import type { Oid } from '../../domain/git.js';
import type { LeaseValue } from '../../domain/lease.js';
import type { Workbench } from '../workbench.js';
import type { LeasePlace } from './place.js';

/**
 * Holder out; ref and token stay (G30). False: it may be held there still, by nobody; this clone's note of it stays, so that
 * whoever needs it here takes it at once, and others when it has run out.
 */
export async function giveBack(bench: Workbench, place: LeasePlace, oid: Oid, value: LeaseValue): Promise<boolean> {
  let swap = await place.swap(oid, freed(value, value.token));
  if (swap.kind === 'lost') {
    // To somebody else, or to a renewal of ours whose answer was lost.
    const now = await place.read();
    if (now.kind === 'failed') swap = { kind: 'unanswered', why: now.reason };
    else if (now.kind === 'value' && now.value.holder === value.holder)
      swap = await place.swap(now.oid, freed(now.value, now.value.token));
  }
  if (swap.kind === 'moved' || swap.kind === 'lost') return true;
  bench.say(
    `the lease of ${place.target} could not be given back (${swap.why}); this clone takes it again at once, others when it has run out`,
  );
  return false;
}

export const freed = (value: LeaseValue, token: number): LeaseValue => ({
  ...value,
  token,
  holder: null,
  unit: null,
  beat: value.beat + 1,
});
