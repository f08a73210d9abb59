// Where a lease lies: at a ref of the remote where the target is published, in the pushed state where it takes only branches,
// else at the local one; the local ref of a remote lease is a copy (01, Refs; G30).

import { createHash } from 'node:crypto';
import { type Oid, parseRefName, type RefName } from '../../domain/git.js';
import { type LeaseRead, type LeaseValue, parseLease } from '../../domain/lease.js';
import { fetchRef } from '../../git/fetch.js';
import { newBlob } from '../../git/objects.js';
import { pushRefs } from '../../git/push.js';
import type { Repository } from '../../git/repository.js';
import { canonical } from '../../state/canonical.js';
import type { Workbench } from '../workbench.js';
import { stateDoor } from './state-door.js';

export type LeaseSwap =
  | { readonly kind: 'moved'; readonly oid: Oid }
  | { readonly kind: 'lost' }
  /** The remote takes no such ref. */
  | { readonly kind: 'declined'; readonly why: string }
  | { readonly kind: 'unanswered'; readonly why: string };

export interface LeasePlace {
  readonly target: string;
  /** Null: the lease is local. */
  readonly remote: string | null;
  readonly ref: RefName;
  /** For notes of this clone. */
  readonly name: string;
  read(): Promise<LeaseRead>;
  swap(old: Oid | 'absent', value: LeaseValue): Promise<LeaseSwap>;
}

export const LEASES = 'refs/owl/leases/';

/** Readable, and one for each name: the hash tells `a/b` from `a-b`. */
export function leaseRef(target: string): RefName {
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 10);
  const readable =
    target
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'target';
  return parseRefName(`${LEASES}${readable}-${hash}`);
}

/** Opens nothing; `timeout` in milliseconds for each call to a remote. */
export function leasePlace(
  bench: Workbench,
  where: {
    readonly target: string;
    readonly remote: string | null;
    /** Of a claim: where it lies; its target is the Job's id. */
    readonly ref?: RefName | undefined;
  },
  timeout = 30_000,
): LeasePlace {
  const { repository } = bench;
  const { target, remote } = where;
  const ref = where.ref ?? leaseRef(target);
  const suffix = ref.startsWith(LEASES) ? ref.slice(LEASES.length) : ref.split('/').slice(2).join('-');
  const place = { target, remote, ref, name: remote === null ? suffix : `${suffix}-${hashOf(remote)}` };
  if (remote === null) return { ...place, ...localDoor(repository, place) };
  const refs = remoteDoor(repository, { ref, remote, target }, timeout);
  // Of a claim; a note of an acquisition names the ref of a target too.
  if (!ref.startsWith(LEASES)) return { ...place, ...refs };
  const parse = (oid: Oid): Promise<LeaseRead> => readLease(repository, oid, target);
  return { ...place, ...eitherDoor(refs, stateDoor(bench, { suffix, remote, target }, parse)) };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

export type Door = Pick<LeasePlace, 'read' | 'swap'>;

/** A ref where the remote takes it, else a record in the pushed state. Where there is one already, it counts. */
function eitherDoor(refs: Door, state: Door): Door {
  let inState = false;
  return {
    read: async () => {
      const read = await refs.read();
      const kept = read.kind === 'absent' ? await state.read() : null;
      inState = kept !== null && 'oid' in kept;
      return kept ?? read;
    },
    swap: async (old, value) => {
      if (inState) return state.swap(old, value);
      const swap = await refs.swap(old, value);
      if (swap.kind !== 'declined' || old !== 'absent') return swap;
      const kept = await state.swap(old, value);
      inState = kept.kind === 'moved';
      return kept.kind === 'declined' ? swap : kept;
    },
  };
}

function localDoor(repository: Repository, { ref, target }: { readonly ref: RefName; readonly target: string }): Door {
  return {
    read: async () => {
      const oid = await (await repository.engine()).resolve(ref);
      return oid === null ? { kind: 'absent' } : readLease(repository, oid, target);
    },
    swap: async (old, value) => {
      const engine = await repository.engine();
      const blob = newBlob(engine.format, canonical(value));
      await engine.write([blob]);
      const swap = await engine.swap({ ref, old, new: blob.oid }, `lease ${value.token}`);
      if (swap.kind === 'moved') return { kind: 'moved', oid: blob.oid };
      if (swap.kind === 'lost') return { kind: 'lost' };
      return { kind: swap.kind === 'locked' ? 'unanswered' : 'declined', why: swap.message };
    },
  };
}

function remoteDoor(
  repository: Repository,
  at: { readonly ref: RefName; readonly remote: string; readonly target: string },
  timeout: number,
): Door {
  const { ref, remote } = at;
  return {
    read: async () => {
      const fetched = await fetchRef(repository, { remote, from: ref, to: ref, timeout, perhaps: true });
      if (fetched.status === 'fetched') return readLease(repository, fetched.oid, at.target);
      return fetched.reason === 'no-branch' ? { kind: 'absent' } : { kind: 'failed', reason: fetched.reason };
    },
    swap: async (old, value) => {
      const engine = await repository.engine();
      const blob = newBlob(engine.format, canonical(value));
      await engine.write([blob]);
      const { refs, why } = await pushRefs(repository, { remote, updates: [{ ref, old, new: blob.oid }], timeout });
      const status = refs[0]?.status ?? 'unknown';
      switch (status) {
        case 'done':
        case 'there': {
          // The object has a random holder and a count in it: nobody else can have put it there.
          const before = await engine.resolve(ref);
          await engine.swap({ ref, old: before ?? 'absent', new: blob.oid }, `lease ${value.token}`);
          return { kind: 'moved', oid: blob.oid };
        }
        case 'moved':
          return { kind: 'lost' };
        // Git here found it stale, and the remote has the old value: it shows that ref to readers and not to writers.
        case 'held-back':
        case 'declined':
          return { kind: 'declined', why: why ?? 'the remote declined it' };
        default:
          return { kind: 'unanswered', why: why ?? 'the remote did not answer' };
      }
    },
  };
}

/** What a lease's object says, which is here. */
export async function readLease(repository: Repository, oid: Oid, target: string): Promise<LeaseRead> {
  const object = await (await repository.engine()).read(oid);
  if (object?.type !== 'blob' || object.data.length > 10_000) return { kind: 'damaged', oid, why: 'it is no lease' };
  const value = parseLease(object.data.toString('utf8'));
  if (typeof value === 'string') return { kind: 'damaged', oid, why: value };
  if (value.target !== target) return { kind: 'damaged', oid, why: `it is the lease of ${value.target.slice(0, 80)}` };
  return { kind: 'value', oid, value };
}
