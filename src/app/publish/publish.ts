// One commit to the target of a remote, exactly once: the remote is the point of serialization (G32). The note comes before
// the push, and what a push did is what the remote has. No local branch moves here: see follow-target.ts.

import { branchRef, type Oid } from '../../domain/git.js';
import { mayArrive } from '../../domain/publication.js';
import { type PushedRef, type PushResult, type PushUpdate, pushRefs } from '../../git/push.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { beforehand } from './beforehand.js';
import { findSent } from './look.js';
import {
  forgetPublication,
  type PublishAct,
  type PublishedUnit,
  readPublication,
  type Sent,
  writePublication,
} from './note.js';

export interface Target {
  readonly remote: string;
  /** Branch name, whole. */
  readonly branch: string;
}

export interface PublishRequest<D> {
  readonly unit: PublishedUnit;
  readonly act: PublishAct;
  readonly target: Target;
  /** Made on `expected`, which the target must still be: always a fast-forward. */
  readonly send: Omit<Sent<D>, 'state' | 'beside'>;
  /** A branch that goes in the same push, such as the Candidate's; looked at anew for each try. */
  readonly branch?: (() => Promise<PushPart>) | undefined;
  /** The shared state with this unit's records, built anew for each try. */
  readonly state?: (() => Promise<PushPart>) | undefined;
}

/** What goes in one push with the target. */
export type PushPart =
  | { readonly kind: 'part'; readonly update: PushUpdate }
  /** Nothing does: no state is shared through this remote, or the branch is there already. */
  | { readonly kind: 'none' }
  | Held;

export type Published<D> =
  /** On the remote; perhaps by an earlier try. The note stays until the caller has settled it. */
  | { readonly kind: 'published'; readonly sent: Sent<D> }
  | { readonly kind: 'moved'; readonly found: Oid | 'absent' }
  /** By the remote's own rules (G34). */
  | { readonly kind: 'declined'; readonly why: string }
  /** It did not arrive as far as could be seen, and may still do. */
  | { readonly kind: 'unanswered'; readonly why: string }
  /** Nobody knows; the note says so, and nothing but cancel is accepted until the remote was looked at. */
  | { readonly kind: 'unknown'; readonly why: string }
  | Held;

/** Nothing was published: something that goes along or before it stands in the way. */
export interface Held {
  readonly kind: 'held';
  readonly code: /** Others keep changing what goes along: try again. */
    | 'state-busy'
    /** Two clones decided differently about this unit. */
    | 'state-contested'
    /** The branch that goes along is somebody else's on the remote. */
    | 'branch-taken'
    | 'remote-unreachable'
    | 'lfs-unsent'
    | 'gitlink-missing';
  readonly why: string;
}

/** Pushes, before others who keep moving what goes along are given way. */
const TRIES = 5;
const PAUSE = 50;

/** Throws OwlError `busy` when another process of this clone publishes the same unit, and what the notes throw. */
export async function publishCommit<D>(bench: Workbench, request: PublishRequest<D>): Promise<Published<D>> {
  const { unit, target, send } = request;
  const before = await readPublication<D>(bench, unit);
  // Of an earlier try: it is looked for before anything else is sent.
  const found = before === null ? null : await findSent<D>(bench, before.value);
  if (found?.kind === 'there') return { kind: 'published', sent: found.sent };
  if (found?.kind === 'unknown') return { kind: 'unknown', why: found.why };
  // The first look at what goes along, while what others need is looked for: nothing was sent yet.
  let first: Promise<Parts | Held> | null = partsOf(request, []);
  first.catch(() => {});
  const held = await beforehand(bench, target, send);
  if (held !== null) {
    await first.catch(() => {});
    return held;
  }
  const earlier = before?.value.sent.filter((one) => found !== null && mayArrive(one, found.target)) ?? [];
  const note = (sent: Sent<D>): Promise<void> => noteSending(bench, request, [...earlier, sent]);
  let without: readonly Beside[] = [];
  let declined = 0;
  for (let tries = 0; tries < TRIES; ) {
    const parts = await (first ?? partsOf(request, without));
    first = null;
    if ('kind' in parts) return parts;
    const beside = [parts.branch, parts.state].filter((part) => part !== null);
    const sent: Sent<D> = { ...send, state: (parts.state?.new as Oid | undefined) ?? null, beside };
    await note(sent);
    await failpoint('publish.before-push');
    bench.progress.step(`pushing ${target.branch} to ${target.remote}`);
    const result = await pushAll(bench, request, beside, () => note({ ...sent, beside: [] }));
    await failpoint('publish.after-push');
    const judged = await judge(bench, request, result, sent);
    if (judged === 'again') {
      await bench.clock.sleep(PAUSE * (1 + bench.ids.random()) * 2 ** tries, bench.signal);
      tries += 1;
      continue;
    }
    if (judged.kind !== 'declined') {
      for (const what of without) bench.say(`${target.remote} takes no ${what} with ${target.branch}; it stays here`);
      return judged;
    }
    const next = goOnWithout(parts, without, declined);
    if (next === null) {
      await failed(bench, request);
      return judged;
    }
    without = next;
    declined += 1;
  }
  await failed(bench, request);
  const why = `what goes along to ${target.remote} changes faster than it can be sent`;
  return { kind: 'held', code: 'state-busy', why };
}

type Beside = 'branch' | 'state';
type Parts = Readonly<Record<Beside, PushUpdate | null>>;

async function partsOf<D>(request: PublishRequest<D>, without: readonly Beside[]): Promise<Parts | Held> {
  const parts: Record<Beside, PushUpdate | null> = { branch: null, state: null };
  for (const what of ['branch', 'state'] as const) {
    const part = without.includes(what) ? undefined : await request[what]?.();
    if (part?.kind === 'held') return part;
    if (part?.kind === 'part') parts[what] = part.update;
  }
  return parts;
}

/**
 * A lock that another push holds looks like a refusal: once more as it was. Then without what the target does not need: a rule
 * that declines the state loses nothing, the next sync carries it (05, S6). Null: it is the target that is declined.
 */
function goOnWithout(parts: Parts, without: readonly Beside[], declined: number): readonly Beside[] | null {
  if (declined === 0) return without;
  if (parts.state !== null) return [...without, 'state'];
  return parts.branch === null ? null : [...without, 'branch'];
}

/** `alone`: called before the target is sent without what goes beside it, while the first push may still arrive. */
async function pushAll<D>(
  bench: Workbench,
  { target, send }: PublishRequest<D>,
  beside: readonly PushUpdate[],
  alone: () => Promise<void>,
): Promise<PushResult> {
  const first: PushUpdate = { ref: branchRef(target.branch), old: send.expected, new: send.commit };
  const timeout = Number(bench.environment.variables['OWL_PUSH_TIMEOUT']) || undefined;
  const push = { remote: target.remote, timeout };
  const whole = await pushRefs(bench.repository, { ...push, updates: [first, ...beside], atomic: true });
  // Some hosts refuse an atomic push as a whole, and say so only in words: then the target, which decides, and the rest after it.
  if (beside.length === 0 || !whole.refs.every(({ status }) => status === 'unanswered')) return whole;
  await alone();
  const one = await pushRefs(bench.repository, { ...push, updates: [first] });
  if (!isThere(one.refs[0])) return one;
  const rest = await pushRefs(bench.repository, { ...push, updates: beside });
  return { refs: [...one.refs, ...rest.refs], why: rest.why };
}

const isThere = (ref: PushedRef | undefined): boolean => ref?.status === 'done' || ref?.status === 'there';

async function judge<D>(
  bench: Workbench,
  request: PublishRequest<D>,
  result: PushResult,
  sent: Sent<D>,
): Promise<Published<D> | 'again'> {
  const { target } = request;
  const [first, ...beside] = result.refs;
  const why = result.why ?? '';
  if (isThere(first)) {
    const left = beside.filter((ref) => !isThere(ref));
    for (const ref of left) bench.say(`${ref.ref} was not moved on ${target.remote}: ${why}`);
    return { kind: 'published', sent };
  }
  switch (first?.status) {
    case 'moved': {
      const note = await readPublication<D>(bench, request.unit);
      const found = note === null ? null : await findSent<D>(bench, note.value);
      if (found?.kind === 'there') return { kind: 'published', sent: found.sent };
      if (found?.kind === 'unknown') {
        await stays(bench, request, 'unknown');
        return { kind: 'unknown', why: found.why };
      }
      await failed(bench, request);
      return { kind: 'moved', found: first.found === 'unknown' ? 'absent' : first.found };
    }
    case 'declined':
      return { kind: 'declined', why };
    case 'held-back': {
      if (beside.some(({ status }) => status === 'moved')) return 'again';
      const other = beside.find(({ status }) => status === 'declined');
      return { kind: 'declined', why: other === undefined ? why : `${other.ref}: ${why}` };
    }
    case 'unanswered':
      await stays(bench, request, 'looked');
      return { kind: 'unanswered', why };
    default:
      await stays(bench, request, 'unknown');
      return { kind: 'unknown', why };
  }
}

async function noteSending<D>(
  bench: Workbench,
  { unit, act, target }: PublishRequest<D>,
  sent: readonly Sent<D>[],
): Promise<void> {
  const stored = await readPublication<D>(bench, unit);
  await writePublication<D>(bench, { unit, act, ...target, step: 'sending', sent }, stored?.oid ?? 'absent');
}

/** Nobody knows what became of this push (`unknown`), or it was not there and may still arrive (`looked`). */
async function stays<D>(bench: Workbench, request: PublishRequest<D>, step: 'looked' | 'unknown'): Promise<void> {
  const note = await readPublication<D>(bench, request.unit);
  if (note !== null) await writePublication<D>(bench, { ...note.value, since: undefined, step }, note.oid);
}

/** This push, the last one, did not arrive and cannot any more; those of earlier tries may. */
async function failed<D>(bench: Workbench, request: PublishRequest<D>): Promise<void> {
  const note = await readPublication<D>(bench, request.unit);
  if (note === null) return;
  const sent = note.value.sent.slice(0, -1);
  if (sent.length === 0) await forgetPublication(bench, request.unit);
  else await writePublication<D>(bench, { ...note.value, step: 'looked', sent }, note.oid);
}
