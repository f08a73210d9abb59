// Before work of a shared queue is claimed: what other runners have is passed over, in the order of the queue, after one look at the
// remote for all of it; after a claim that was lost, another look (05, S5, S7; J2).

import type { OwlError } from '../../domain/errors.js';
import type { LeaseRead } from '../../domain/lease.js';
import type { Memory } from '../run/choose.js';
import { exchangeState } from '../sync/exchange.js';
import type { Workbench } from '../workbench.js';
import { type ClaimsLook, lookAtClaims } from './look.js';
import { recordOf, type Unit } from './unit.js';

export interface ClaimsOfQueue {
  /** May this one be claimed? `seen`: what the remote had at its claim; undefined: it did not say. */
  ask(
    unit: Unit,
  ): Promise<{ readonly kind: 'claim'; readonly seen: LeaseRead | undefined } | { readonly kind: 'choose-again' }>;
  /** Its claim was lost to another runner. */
  lost(unit: Unit, error: OwlError): Promise<void>;
}

/** Milliseconds, doubled at each loss: those who lost together do not come back together. */
const PAUSE = 100;
const DOUBLED = 5;

export function claimsOfQueue(bench: Workbench, remote: string, { held }: Pick<Memory, 'held'>): ClaimsOfQueue {
  let look: ClaimsLook | null = null;
  let asked = false;
  let losses = 0;
  const fetched = new Set<string>();

  const lookAgain = async (): Promise<void> => {
    look = await lookAtClaims(bench, remote);
    asked = true;
    held.clear();
    for (const [id, why] of look?.held ?? []) held.set(id, why);
  };

  return {
    ask: async (unit) => {
      if (!asked) await lookAgain();
      if (held.has(unit.id)) return { kind: 'choose-again' };
      const seen = look?.read(unit.id);
      if (!fetched.has(unit.id) && (await wasDone(bench, unit, seen))) {
        fetched.add(unit.id);
        await exchangeState(bench, remote);
        return { kind: 'choose-again' };
      }
      // Old by the time that another one is asked for.
      asked = false;
      return { kind: 'claim', seen };
    },
    lost: async ({ kind, id }, error) => {
      await bench.clock.sleep(bench.ids.random() * PAUSE * 2 ** Math.min(losses, DOUBLED), bench.signal);
      losses += 1;
      await lookAgain();
      held.set(id, { kind, id, why: error.message });
    },
  };
}

/** Given back with a token that its record here does not know: somebody worked on it, and the state tells. */
async function wasDone(bench: Workbench, unit: Unit, seen: LeaseRead | undefined): Promise<boolean> {
  if (seen?.kind !== 'value' || seen.value.holder !== null) return false;
  return seen.value.token > ((await recordOf(bench, unit)).token ?? 0);
}
