// The Candidates of open Goals, of this clone and of the remote, come together: each chain holds what either kept (05, S1). They are sent
// only with `sync.rounds`; without it their ids travel, in the state.

import type { Oid, RefName } from '../../domain/git.js';
import { fetchObjects } from '../../git/fetch.js';
import type { PushUpdate } from '../../git/push.js';
import { anchorOf, newLink } from '../../state/chain.js';
import { chainName, chainRef } from '../../state/layout.js';
import type { StoreEnv } from '../../state/store-env.js';
import { writeAndSwap } from '../../state/write-ref.js';
import type { Workbench } from '../workbench.js';

/** Fetches and joins. Returns what the remote lacks of them. */
export async function bringCandidates(
  bench: Workbench,
  remote: string,
  there: ReadonlyMap<RefName, Oid>,
): Promise<readonly PushUpdate[]> {
  const goals = await (await bench.store.snapshot()).openGoals();
  if (goals.length === 0) return [];
  const env = await bench.store.env();
  const refs = goals.map(({ id }) => chainRef(chainName(id, 'candidates')));
  const wanted: RefName[] = [];
  for (const ref of refs) if (there.has(ref) && (await env.engine.resolve(ref)) !== there.get(ref)) wanted.push(ref);
  const why = wanted.length === 0 ? null : await fetchObjects(bench.repository, { remote, refs: wanted });
  if (why !== null) bench.say(`the Candidates on ${remote} could not be fetched: ${why}`);
  else for (const ref of wanted) await join(env, ref, there.get(ref) as Oid);
  const lacking: PushUpdate[] = [];
  for (const ref of refs) {
    const [here, theirs] = [await env.engine.resolve(ref), there.get(ref)];
    if (here === null || here === theirs) continue;
    if (theirs === undefined || (await env.engine.isAncestor(theirs, here)) === 'ancestor')
      lacking.push({ ref, old: theirs ?? 'absent', new: here });
  }
  return lacking;
}

/** The chain here has theirs too: as a later part of the same one, or joined by a link of its own. */
async function join(env: StoreEnv, ref: RefName, theirs: Oid): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const here = await env.engine.resolve(ref);
    if (here !== null && (await env.engine.isAncestor(theirs, here)) === 'ancestor') return;
    const later = here === null || (await env.engine.isAncestor(here, theirs)) === 'ancestor';
    const [, empty] = anchorOf(env.objects.format);
    const identity = (await env.identity()).committer;
    const link = later
      ? null
      : newLink(env.objects.format, {
          tree: empty.oid,
          previous: here,
          kept: theirs,
          subject: 'of another clone',
          identity,
        });
    const update = { ref, old: here ?? ('absent' as const), new: link?.oid ?? theirs };
    const swap = await writeAndSwap(env, link === null ? [] : [empty, link], update, 'candidates of another clone');
    if (swap.kind === 'moved') return;
    await env.pause(attempt);
  }
}
