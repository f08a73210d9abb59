// The lease as a record in the pushed state, for a remote that takes only branches (G30, last sentence). Each swap is one commit
// on the fetched tip with this one file, pushed under the value of that tip: who moved the state first has it.

import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { LeaseRead, LeaseValue } from '../../domain/lease.js';
import { newBlob } from '../../git/objects.js';
import { pushRefs } from '../../git/push.js';
import { canonical } from '../../state/canonical.js';
import { loadRoot } from '../../state/guard.js';
import { LEASES_PATH, leasePath, STATE_REF } from '../../state/layout.js';
import { listFolder, lookUp } from '../../state/objects.js';
import { commitOnto } from '../../state/onto.js';
import { openEnv } from '../../state/store.js';
import type { StoreEnv } from '../../state/store-env.js';
import { fetchState } from '../state-share/part.js';
import type { Workbench } from '../workbench.js';
import type { Door, LeaseSwap } from './place.js';

interface At {
  /** Readable name of the target, with its hash. */
  readonly suffix: string;
  readonly remote: string;
  readonly target: string;
}

/** Pushes, before others who keep changing the state are given way. */
const TRIES = 8;

type Shared =
  | { readonly kind: 'shared'; readonly env: StoreEnv; readonly tip: Oid; readonly root: Oid }
  | { readonly kind: 'none' | 'failed'; readonly why: string };

/** The state of the remote as it is now, where it is one that this clone shares. */
async function sharedTip(bench: Workbench, remote: string): Promise<Shared> {
  const fetched = await fetchState(bench, remote);
  if (fetched.status === 'failed')
    return fetched.reason === 'no-branch'
      ? { kind: 'none', why: `${remote} has no shared state that could hold it` }
      : { kind: 'failed', why: fetched.reason };
  const env = await openEnv(bench);
  const ours = await env.engine.resolve(STATE_REF);
  const bases = ours === null ? [fetched.oid] : await env.engine.mergeBases(ours, fetched.oid);
  if (typeof bases === 'string' || bases.length === 0)
    return { kind: 'none', why: `${remote} has a state of another history` };
  try {
    return { kind: 'shared', env, tip: fetched.oid, root: await loadRoot(env.objects, fetched.oid) };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { kind: 'none', why: error.message };
  }
}

const blobAt = async ({ env, root }: Extract<Shared, { kind: 'shared' }>, suffix: string): Promise<Oid | null> =>
  (await lookUp(env.objects, root, leasePath(suffix)))?.oid ?? null;

/** `parse`: what the blob says. */
export function stateDoor(bench: Workbench, at: At, parse: (oid: Oid) => Promise<LeaseRead>): Door {
  return {
    read: async () => {
      const shared = await sharedTip(bench, at.remote);
      if (shared.kind === 'failed') return { kind: 'failed', reason: shared.why };
      const oid = shared.kind === 'shared' ? await blobAt(shared, at.suffix) : null;
      return oid === null ? { kind: 'absent' } : parse(oid);
    },
    swap: async (old, value) => {
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const swap = await swapOnce(bench, at, old, value);
        if (swap !== 'again') return swap;
        await bench.clock.sleep(50 * (1 + bench.ids.random()) * 2 ** Math.min(attempt, 5), bench.signal);
      }
      return { kind: 'unanswered', why: `the state on ${at.remote} changes faster than it can be added to` };
    },
  };
}

async function swapOnce(
  bench: Workbench,
  { suffix, remote, target }: At,
  old: Oid | 'absent',
  value: LeaseValue,
): Promise<LeaseSwap | 'again'> {
  const shared = await sharedTip(bench, remote);
  if (shared.kind !== 'shared') return { kind: shared.kind === 'none' ? 'declined' : 'unanswered', why: shared.why };
  const { env, tip } = shared;
  const bytes = Buffer.from(canonical(value));
  const oid = newBlob(env.engine.format, bytes).oid;
  const found = (await blobAt(shared, suffix)) ?? 'absent';
  // It has a random holder and a count in it: nobody else can have put it there.
  if (found === oid) return { kind: 'moved', oid };
  if (found !== old) return { kind: 'lost' };
  const said = value.holder === null ? 'free' : `held by ${value.unit?.kind ?? ''} ${value.unit?.id ?? ''}`;
  const commit = await commitOnto(env, {
    tip,
    op: bench.ids.operation(),
    event: { event: 'lease.changed', subject: `lease of ${target}: ${said}, token ${value.token}` },
    change: async () => {},
    files: new Map([[leasePath(suffix), bytes]]),
  });
  const { refs, why } = await pushRefs(bench.repository, {
    remote,
    updates: [{ ref: STATE_REF, old: tip, new: commit }],
  });
  switch (refs[0]?.status) {
    case 'done':
    case 'there':
      return { kind: 'moved', oid };
    case 'moved':
      return 'again';
    case 'held-back':
    case 'declined':
      return { kind: 'declined', why: why ?? 'the remote declined it' };
    default:
      return { kind: 'unanswered', why: why ?? 'the remote did not answer' };
  }
}

/** What the shared state of a remote holds of leases: the blobs. */
export async function leasesInState(bench: Workbench, remote: string): Promise<readonly Oid[]> {
  const shared = await sharedTip(bench, remote);
  if (shared.kind !== 'shared') return [];
  return [...(await listFolder(shared.env.objects, shared.root, LEASES_PATH)).values()].map(({ oid }) => oid);
}
