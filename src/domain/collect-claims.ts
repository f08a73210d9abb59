// What `gc` does with claims on the remote whose work is closed: nobody asks for them any more, and the record keeps the token (05, S7). Pure.

import { type Item, isOpen, judge, keepIt, type RecordFacts, recordStep, step, verdict } from './collect.js';
import type { SharedRecord } from './collect-names.js';
import type { RefName } from './git.js';

export interface ClaimFacts {
  readonly remote: string;
  readonly ref: RefName;
  readonly id: string;
  /** In this clone's own state, and in the one that was just fetched. */
  readonly own: RecordFacts;
  readonly shared: SharedRecord;
  /** `free`: given back. `expired`: by this clone's own clock. `unknown`: not looked at, or damaged. */
  readonly claim: 'free' | 'expired' | 'held' | 'unknown';
}

export function decideClaim({ remote, ref, id, own, shared, claim }: ClaimFacts): Item {
  const open = own.kind === 'goal' ? 'open-goal' : 'open-job';
  const differs = keepIt('state-differs', `the state on ${remote} says otherwise, or nothing, of ${id}`);
  const agrees = shared.kind === 'deleted' || ((shared.kind === 'goal' || shared.kind === 'job') && !isOpen(shared));
  return judge(
    { kind: 'claim', subject: ref, owner: id, remote },
    [
      recordStep(own, `it claims ${id}`, '; git owl sync brings the state'),
      step('its work is closed here', own.kind === 'deleted' || !isOpen(own), keepIt(open, `${id} is open`)),
      step('its work is closed in the state on the remote', agrees, differs),
      step('it can be read', claim !== 'unknown', keepIt('inspection-failed', 'what it says could not be read')),
      step('nobody holds it', claim !== 'held', keepIt('claim-held', `a runner holds the claim of ${id} still`)),
    ],
    verdict(
      'remove-claim',
      'claim-over',
      `${id} is closed, and its claim is ${claim === 'free' ? 'given back' : 'run out'}`,
    ),
  );
}
