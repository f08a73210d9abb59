// Is the process that noted something gone? Proof only; a guess is "unknown" (01, Liveness).

import type { ProcessIdentity } from '../system/environment.js';
import { isAlive } from '../system/processes.js';
import type { StoreEnv } from './store-env.js';

/** Is the owner of an intent or of a place in line gone for certain? Another boot of the same host is: no process outlives it. */
export async function ownerIsGone(env: StoreEnv, owner: ProcessIdentity): Promise<'gone' | 'here' | 'unknown'> {
  const here = await env.environment.process();
  const answer = isAlive(owner, here);
  if (answer === 'alive') return 'here';
  if (answer === 'dead') return 'gone';
  const rebooted =
    answer === 'elsewhere' &&
    owner.host === here.host &&
    owner.boot !== '' &&
    here.boot !== '' &&
    owner.boot !== here.boot;
  return rebooted ? 'gone' : 'unknown';
}
