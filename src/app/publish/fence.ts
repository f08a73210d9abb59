// A push that may still arrive is shut out: it moves all of its branches or none, and one of them gets another value first (G32). The
// target itself is not touched.

import { isOwlError } from '../../domain/errors.js';
import type { EventDraft } from '../../domain/events.js';
import { type Oid, shortOid } from '../../domain/git.js';
import { lookAtRefs, type PushUpdate, pushRefs } from '../../git/push.js';
import { closedSince } from '../../state/archive.js';
import { STATE_REF } from '../../state/layout.js';
import { commitOnto } from '../../state/onto.js';
import { openEnv } from '../../state/store.js';
import type { Workbench } from '../workbench.js';
import type { PublishNote, Sent } from './note.js';

/** Milliseconds for each call: a writing command does not wait for long. */
const TIMEOUT = 30_000;

/**
 * True: that push cannot arrive any more, unless it has by now. The Candidate's branch gets the value that it would have got with the
 * push; the shared state a commit that changes no record. False: nothing went beside it, or the remote did not take that.
 */
export async function shutOut(
  bench: Workbench,
  note: Pick<PublishNote, 'unit' | 'act' | 'remote'>,
  sent: Pick<Sent, 'commit' | 'beside'>,
): Promise<boolean> {
  const beside = sent.beside ?? [];
  if (beside.length === 0) return false;
  const { remote } = note;
  const look = await lookAtRefs(bench.repository, { remote, refs: beside.map(({ ref }) => ref), timeout: TIMEOUT });
  if (look.kind === 'failed') return false;
  if (beside.some(({ ref, old }) => (look.refs.get(ref) ?? 'absent') !== old)) return true;
  // No name of closed work is made again, not even for that (M10).
  const closed = (await closedSince(await bench.store.snapshot(), note.unit.id)) !== null;
  const takes = beside.filter(({ ref, old }) => !closed || ref === STATE_REF || old !== 'absent');
  for (const update of takes) if (await moveOn(bench, note, sent, update)) return true;
  return false;
}

async function moveOn(
  bench: Workbench,
  note: Pick<PublishNote, 'unit' | 'act' | 'remote'>,
  sent: Pick<Sent, 'commit'>,
  { ref, old, new: next }: PushUpdate,
): Promise<boolean> {
  const { remote } = note;
  const isState = ref === STATE_REF && old !== 'absent';
  const value = isState ? await emptyCommit(bench, old, saysFenced(note, sent)) : next;
  if (value === null) return false;
  const pushed = await pushRefs(bench.repository, { remote, updates: [{ ref, old, new: value }], timeout: TIMEOUT });
  const status = pushed.refs[0]?.status;
  return status === 'done' || status === 'there' || status === 'moved';
}

/** Null where that state cannot be built upon, by this program. */
async function emptyCommit(bench: Workbench, tip: Oid, event: EventDraft): Promise<Oid | null> {
  try {
    const env = await openEnv(bench);
    return await commitOnto(env, { tip, op: bench.ids.operation(), event, change: async () => {} });
  } catch (error) {
    if (isOwlError(error)) return null;
    throw error;
  }
}

const saysFenced = (
  { unit, act }: Pick<PublishNote, 'unit' | 'act'>,
  { commit }: Pick<Sent, 'commit'>,
): EventDraft => ({
  event: 'push.fenced',
  subject: `${unit.kind} ${unit.id}: the push of its ${act} ${shortOid(commit)} cannot arrive any more`,
  [unit.kind]: unit.id,
});
