// One commit to the target of a remote, exactly once: the remote is the point of serialization (G32). The note comes before
// the push, and what a push did is what the remote has. No local branch moves here: see follow-target.ts.

import { branchRef, type Oid, remoteRef } from '../../domain/git.js';
import { fetchBranch } from '../../git/fetch.js';
import { type PushedRef, type PushResult, type PushUpdate, pushRefs } from '../../git/push.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { beforehand } from './beforehand.js';
import {
  forgetPublication,
  type PublishAct,
  type PublishedUnit,
  readPublication,
  type Sent,
  type StoredNote,
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
  readonly send: Omit<Sent<D>, 'state'>;
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
  /** It did not arrive as far as could be seen. */
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
  const { unit, act, target, send } = request;
  const before = await readPublication<D>(bench, unit);
  // Of an earlier try nobody knows: it is looked for before anything else is sent.
  if (before !== null && before.value.step !== 'looked') {
    const found = await findSent<D>(bench, unit);
    if (found.kind === 'there') return { kind: 'published', sent: found.sent };
    if (found.kind === 'unknown') return { kind: 'unknown', why: found.why };
  }
  const held = await beforehand(bench, target, send);
  if (held !== null) return held;
  const earlier = before?.value.sent.filter(({ commit }) => commit !== send.commit) ?? [];
  let without: readonly Beside[] = [];
  let declined = 0;
  for (let tries = 0; tries < TRIES; ) {
    const parts = await partsOf(request, without);
    if ('kind' in parts) return parts;
    const sent: Sent<D> = { ...send, state: (parts.state?.new as Oid | undefined) ?? null };
    const stored = await readPublication<D>(bench, unit);
    await writePublication<D>(
      bench,
      { unit, act, ...target, step: 'sending', sent: [...earlier, sent] },
      stored?.oid ?? 'absent',
    );
    await failpoint('publish.before-push');
    bench.progress.step(`pushing ${target.branch} to ${target.remote}`);
    const result = await pushAll(bench, request, parts);
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
      await took(bench, request, 'gone');
      return judged;
    }
    without = next;
    declined += 1;
  }
  await took(bench, request, 'gone');
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

async function pushAll<D>(bench: Workbench, request: PublishRequest<D>, parts: Parts): Promise<PushResult> {
  const { target, send } = request;
  const first: PushUpdate = { ref: branchRef(target.branch), old: send.expected, new: send.commit };
  const beside = [parts.branch, parts.state].filter((part) => part !== null);
  const timeout = Number(bench.environment.variables['OWL_PUSH_TIMEOUT']) || undefined;
  const push = { remote: target.remote, timeout };
  const whole = await pushRefs(bench.repository, { ...push, updates: [first, ...beside], atomic: true });
  // Some hosts refuse an atomic push as a whole, and say so only in words: then the target, which decides, and the rest after it.
  if (beside.length === 0 || !whole.refs.every(({ status }) => status === 'unanswered')) return whole;
  const alone = await pushRefs(bench.repository, { ...push, updates: [first] });
  if (!isThere(alone.refs[0])) return alone;
  const rest = await pushRefs(bench.repository, { ...push, updates: beside });
  return { refs: [...alone.refs, ...rest.refs], why: rest.why };
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
      const found = await findSent<D>(bench, request.unit);
      if (found.kind === 'there') return { kind: 'published', sent: found.sent };
      await took(bench, request, found.kind === 'unknown' ? 'unknown' : 'gone');
      if (found.kind === 'unknown') return { kind: 'unknown', why: found.why };
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
      await took(bench, request, 'looked');
      return { kind: 'unanswered', why };
    default:
      await took(bench, request, 'unknown');
      return { kind: 'unknown', why };
  }
}

/** This commit did not arrive, and cannot any more (`gone`) or may still (`looked`); or nobody knows. */
async function took<D>(
  bench: Workbench,
  request: PublishRequest<D>,
  how: 'gone' | 'looked' | 'unknown',
): Promise<void> {
  const note = await readPublication<D>(bench, request.unit);
  if (note === null) return;
  const sent = note.value.sent.filter(({ commit }) => how !== 'gone' || commit !== request.send.commit);
  if (sent.length === 0) await forgetPublication(bench, request.unit);
  else await writePublication<D>(bench, { ...note.value, step: how === 'gone' ? 'looked' : how, sent }, note.oid);
}

export type FoundSent<D> =
  | { readonly kind: 'there'; readonly sent: Sent<D> }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Looks on the remote for what this unit has sent. Its remote-tracking ref moves, as by any fetch. */
export async function findSent<D>(bench: Workbench, unit: PublishedUnit): Promise<FoundSent<D>> {
  const note: StoredNote<D> | null = await readPublication<D>(bench, unit);
  if (note === null) return { kind: 'not-there' };
  const { remote, branch, sent } = note.value;
  const timeout = Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;
  const fetched = await fetchBranch(bench.repository, { remote, branch, timeout });
  if (fetched.status === 'failed') {
    return fetched.reason === 'no-branch' ? { kind: 'not-there' } : { kind: 'unknown', why: fetched.reason };
  }
  const engine = await bench.repository.engine();
  let unsure = false;
  for (const one of sent) {
    const answer = one.commit === fetched.oid ? 'ancestor' : await engine.isAncestor(one.commit, fetched.oid);
    if (answer === 'ancestor') return { kind: 'there', sent: one };
    // A commit that is not here is not below one that is: fetched history is whole, but for shallow clones.
    unsure ||= answer === 'unknown';
  }
  return unsure
    ? { kind: 'unknown', why: `the history of ${remoteRef(remote, branch)} cannot be read` }
    : { kind: 'not-there' };
}
