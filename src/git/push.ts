// One push of exact refs, each with the value it must still have (01, Hosts; 05, S5). What Git did not say, the remote is
// asked for: a push that failed or never answered is unknown until the remote was looked at (G32).

import { isOid, type Oid, type RefName } from '../domain/git.js';
import { failpoint } from '../system/failpoint.js';
import { type PushLine, parsePushLines, remoteWords } from './parse/push.js';
import { callRemote, failureReason } from './remote-call.js';
import type { Repository } from './repository.js';

export interface PushUpdate {
  readonly ref: RefName;
  /** What the remote must have there; `absent`: the ref must not exist. */
  readonly old: Oid | 'absent';
  readonly new: Oid | 'absent';
}

export interface PushRequest {
  readonly remote: string;
  readonly updates: readonly PushUpdate[];
  /** All of them or none: for branches only, since hidden refs make it untrue (11). */
  readonly atomic?: boolean | undefined;
  /** Milliseconds; default 120 000. */
  readonly timeout?: number | undefined;
}

export type PushStatus =
  /** Moved by this push, as the remote said. */
  | 'done'
  /** It has the new value; whether by this push is not known. */
  | 'there'
  /** It has another value than was expected; nothing was done to it. */
  | 'moved'
  /** It has the old value, since the remote's own rules said no. */
  | 'declined'
  /** It has the old value, since another ref of an atomic push could not move. */
  | 'held-back'
  /** It had the old value when it was looked at, and the remote never answered the push: that may still arrive. */
  | 'unanswered'
  /** Neither the push nor the look was answered. */
  | 'unknown';

export interface PushedRef {
  readonly ref: RefName;
  readonly status: PushStatus;
  /** What the remote has there; `unknown` when it was not looked at. */
  readonly found: Oid | 'absent' | 'unknown';
}

export interface PushResult {
  /** In the order of the request. */
  readonly refs: readonly PushedRef[];
  /** One line for people: why not all of it was done; null when it was. */
  readonly why: string | null;
}

const TIMEOUT = 120_000;
const LOOK_TIMEOUT = 30_000;

export const pushedAll = (result: PushResult): boolean =>
  result.refs.every(({ status }) => status === 'done' || status === 'there');

/** Pushes; never with `+`, each ref under its own lease. A failure is a value; throws OwlError `git-missing`, `quarantine` only. */
export async function pushRefs(repository: Repository, request: PushRequest): Promise<PushResult> {
  const { remote, updates } = request;
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    // A host that takes no atomic push takes one of a single ref.
    ...(request.atomic === true && updates.length > 1 ? ['--atomic'] : []),
    ...updates.map(({ ref, old }) => `--force-with-lease=${ref}:${old === 'absent' ? '' : old}`),
    '--end-of-options',
    remote,
    ...updates.map((update) => `${update.new === 'absent' ? '' : update.new}:${update.ref}`),
  ];
  // With it Git refuses every refspec.
  const config = [`remote.${remote}.mirror=false`];
  await failpoint('push.before-send');
  const answer = await callRemote(repository, args, { timeout: request.timeout ?? TIMEOUT, config, reading: false });
  await failpoint('push.after-send');
  const said = parsePushLines(answer.kind === 'answered' ? answer.result.stdout.toString('utf8') : '');
  if (answer.kind === 'answered' && answer.result.code === 0) {
    const refs = updates.map((update): PushedRef => {
      const same = said.get(update.ref)?.flag === '=';
      return { ref: update.ref, status: same ? 'there' : 'done', found: update.new };
    });
    return { refs, why: null };
  }
  const reason = answer.kind === 'failed' ? answer.reason : failureReason(answer.result);
  const look = await lookAtRefs(repository, { remote, refs: updates.map(({ ref }) => ref), timeout: LOOK_TIMEOUT });
  if (look.kind === 'failed') {
    const refs = updates.map(({ ref }): PushedRef => ({ ref, status: 'unknown', found: 'unknown' }));
    return { refs, why: `${reason}; and the remote could not be looked at: ${look.reason}` };
  }
  const judged = updates.map((update) => judge(update, look.refs.get(update.ref) ?? 'absent', said.get(update.ref)));
  // The remote says of every ref of an atomic push that it was rejected, also where one of them has moved and no rule said no.
  const held = request.atomic === true && judged.some(({ status }) => status === 'moved');
  const refs = judged.map((ref) =>
    held && ref.status === 'declined' ? { ...ref, status: 'held-back' as const } : ref,
  );
  const no = updates.map(({ ref }) => said.get(ref)).find((line) => line?.rejectedBy === 'remote');
  if (no === undefined) return { refs, why: reason };
  const words = answer.kind === 'answered' ? remoteWords(answer.result.stderr) : '';
  return { refs, why: words === '' ? no.summary : `${words} ${no.summary}` };
}

/** The remote's value decides; what the push said only tells why it is still the old one. */
function judge(update: PushUpdate, found: Oid | 'absent', line: PushLine | undefined): PushedRef {
  const { ref } = update;
  if (found === update.new)
    return { ref, status: line !== undefined && ' *-'.includes(line.flag) ? 'done' : 'there', found };
  if (found !== update.old) return { ref, status: 'moved', found };
  if (line?.rejectedBy === 'remote') return { ref, status: 'declined', found };
  return { ref, status: line?.rejectedBy === 'git' ? 'held-back' : 'unanswered', found };
}

export type RemoteRefs =
  | { readonly kind: 'looked'; readonly refs: ReadonlyMap<RefName, Oid> }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the remote has at exactly these refs; those that it lacks are left out. With a pattern that ends in `/*`, all below it. */
export async function lookAtRefs(
  repository: Repository,
  request: { readonly remote: string; readonly refs: readonly string[]; readonly timeout?: number | undefined },
): Promise<RemoteRefs> {
  const args = ['ls-remote', '--quiet', '--end-of-options', request.remote, ...request.refs];
  const answer = await callRemote(repository, args, { timeout: request.timeout ?? LOOK_TIMEOUT });
  if (answer.kind === 'failed') return answer;
  if (answer.result.code !== 0) return { kind: 'failed', reason: failureReason(answer.result) };
  const wanted = new Set(request.refs);
  const below = request.refs.filter((ref) => ref.endsWith('/*')).map((ref) => ref.slice(0, -1));
  const refs = new Map<RefName, Oid>();
  for (const row of answer.result.stdout.toString('utf8').split('\n')) {
    const [oid, ref] = row.split('\t');
    if (oid === undefined || ref === undefined || !isOid(oid)) continue;
    // A pattern also matches `refs/heads/x/refs/heads/<branch>`.
    if (wanted.has(ref) || below.some((prefix) => ref.startsWith(prefix))) refs.set(ref as RefName, oid);
  }
  return { kind: 'looked', refs };
}
