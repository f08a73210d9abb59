// Finishing or voiding what dead commands left: an intent counts only when its state commit is in this clone's history (01, Writes).

import type { Oid } from '../domain/git.js';
import { failpoint } from '../system/failpoint.js';
import { carryOut, loadIntents, type StoredIntent } from './intents.js';
import { isUnreadable } from './objects.js';
import { ownerIsGone } from './owner.js';
import type { StoreEnv } from './store-env.js';
import type { Intent } from './types.js';
import { removeOrEmpty } from './write-ref.js';

/** Is the state commit of an intent in the history of the state as it is now? */
export async function standsIn(env: StoreEnv, intent: Intent, tip: Oid | null): Promise<'yes' | 'no' | 'unknown'> {
  if (tip === null) return 'no';
  const answer = await env.engine.isAncestor(intent.commit, tip);
  if (answer === 'ancestor') return 'yes';
  if (answer === 'not-ancestor') return 'no';
  if (answer === 'unknown') return 'unknown';
  return walkFor(env, intent, tip).catch((error: unknown) => {
    if (isUnreadable(error)) return 'unknown';
    throw error;
  });
}

const WALK = 10_000;

/** A commit that is gone never was in a history that can be walked without meeting it. */
async function walkFor(env: StoreEnv, intent: Intent, tip: Oid): Promise<'no' | 'unknown'> {
  const seen = new Set<Oid>();
  const waiting: Oid[] = [tip];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === intent.commit || seen.size > WALK) return 'unknown';
    if (seen.has(at) || at === intent.from) continue;
    seen.add(at);
    waiting.push(...(await env.objects.commit(at)).parents);
  }
  return 'no';
}

/** Finishes or voids what dead commands left (01). Returns one sentence for each intent that it found and may speak of. */
export async function recoverIntents(env: StoreEnv, tip: () => Promise<Oid | null>): Promise<readonly string[]> {
  const { intents, broken } = await loadIntents(env);
  const said: string[] = broken.map(({ ref }) => `${ref} cannot be read; it was left alone, git owl fsck explains it`);
  for (const intent of intents) {
    if (env.inFlight.has(intent.op)) continue;
    const owner = env.left.has(intent.op) ? 'gone' : await ownerIsGone(env, intent.owner);
    if (owner === 'here') continue;
    if (owner === 'unknown') {
      said.push(
        `operation ${intent.op} of ${intent.owner.host} is unfinished; it cannot be seen from here whether its process lives, so it was left alone`,
      );
      continue;
    }
    said.push(await finish(env, intent, await tip()));
  }
  return said;
}

/** What one dead intent asks for: its moves, or nothing when its state commit never came to be. */
export async function finish(env: StoreEnv, intent: StoredIntent, tip: Oid | null): Promise<string> {
  const stands = await standsIn(env, intent, tip);
  if (stands === 'unknown') {
    return `operation ${intent.op} was interrupted and its state commit cannot be looked for; it was left alone, git owl fsck explains it`;
  }
  await failpoint('recover.before-moves');
  const carried = stands === 'yes' ? await carryOut(env, intent.moves, 'recover') : { refused: [], unfinished: false };
  await failpoint('recover.before-clear');
  if (!carried.unfinished) await removeOrEmpty(env, { ref: intent.ref, old: intent.oid }, 'intent recovered');
  await failpoint('recover.after-clear');
  if (stands === 'no') return `operation ${intent.op} was interrupted before it counted; nothing of it was done`;
  const left = carried.refused.map((refusal) => `; ${refusal.message}`).join('');
  return `operation ${intent.op} was interrupted and is ${carried.unfinished ? 'still unfinished' : 'finished now'}${left}`;
}
