// What a plan Run left: the Handoff, committed, and nothing else on the branch (J21).

import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH, jobNamedIn, judgeHandoff, markedHandoff, saysNothing } from '../../domain/handoff.js';
import type { Reason } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { commitFile } from '../../git/commit-file.js';
import { changedFiles } from '../../git/diff.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { handoffAt, ownHandoff } from '../handoff.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { readWorkFile } from '../workspace/read-file.js';
import type { Ready } from './prepare.js';
import { keepOnly } from './settle.js';

/** For who brings an agent of their own. */
const DOES_NOT_PLAN = 'for an agent that writes none, add Jobs with --no-plan (or `plan: false`)';

export interface Planned {
  readonly tip: Oid;
  /** Why there is no plan; null: there is one. */
  readonly missing: Reason | null;
  /** The committed plan. */
  readonly text: string | null;
  readonly notes: readonly string[];
}

/**
 * Takes the plan from the tip, from the worktree (also where it is git-ignored), or from the agent's last message, and leaves a
 * branch that differs from `ready.tip` in the Handoff alone; what else was changed is kept.
 * `tip` is the branch after uncommitted work was committed.
 */
export async function takePlan(bench: Workbench, ready: Ready, tip: Oid, lastMessage: string | null): Promise<Planned> {
  const { repository } = bench;
  const { job, run, base, workspace, definition } = ready;
  const failed = (why: string): Planned => ({
    tip,
    missing: reason('no-handoff', why, { paths: [HANDOFF_PATH] }),
    text: null,
    notes: [],
  });
  const before = await handoffAt(repository, ready.tip);
  const committed = await ownHandoff(repository, tip, base.oid);
  if (committed.kind === 'unusable') return failed(committed.why);
  let inTree: string | null = null;
  let text = committed.kind === 'ok' && !(before.kind === 'ok' && before.oid === committed.oid) ? committed.text : null;
  if (text === null) {
    const file = await readWorkFile(workspace, HANDOFF_PATH);
    if (file.kind === 'file') {
      const verdict = judgeHandoff('blob', file.data.length, file.data.includes(0));
      if (verdict !== 'ok') return failed(`${HANDOFF_PATH} is ${verdict === 'too-large' ? 'too large' : 'not text'}`);
      const found = file.data.toString('utf8');
      if (!(before.kind === 'ok' && before.text === found)) {
        text = found;
        inTree = found;
      }
    } else if (file.kind === 'not-a-file') {
      return failed(`${HANDOFF_PATH} is not a file`);
    }
  }
  if (text === null && definition.plan === 'last-message') text = lastMessage;
  // A second plan Run may find that the plan stands as it is.
  const stands = committed.kind === 'ok' && (job.handoff === 'current' || committedByUs(ready, committed.text));
  if (text === null && stands) text = committed.text;
  if (text === null) return failed(`the plan Run left no plan in ${HANDOFF_PATH}; ${DOES_NOT_PLAN}`);
  if (saysNothing(text)) return failed(`the plan in ${HANDOFF_PATH} is empty`);
  // What is still uncommitted is ignored by Git. As it is it lies in nobody's way, and from then on it follows.
  const from = inTree === null ? { tip } : await commitAsItIs(bench, ready, tip, inTree);
  if ('why' in from) return failed(`the plan could not be committed: ${from.why}`);
  return settlePlanOn(bench, ready, { tip, from: from.tip, text, number: run.number });
}

/** A plan Run that was ended after we had committed its plan, and before that was recorded. */
const committedByUs = ({ job }: Ready, text: string): boolean =>
  job.restarted_from === null && jobNamedIn(text) === job.id;

async function commitAsItIs(
  bench: Workbench,
  ready: Ready,
  tip: Oid,
  text: string,
): Promise<{ readonly tip: Oid } | { readonly why: string }> {
  const { job, current } = ready;
  const message = `Plan of job ${job.id}\n`;
  const { signing } = current.loaded.policy;
  const commit = await commitFile(bench.repository, { parent: tip, path: HANDOFF_PATH, text, message, signing });
  if (commit === tip) return { tip };
  const move = { ref: jobRef(job), old: tip, new: commit, reason: `owl: plan of ${job.id}` };
  const moved = await moveBranchWithCheckouts(bench, move);
  if (moved.kind === 'moved') return { tip: commit };
  return { why: moved.kind === 'waits' ? moved.message : 'the branch moved meanwhile' };
}

interface Taken {
  /** The branch after uncommitted work was committed. */
  readonly tip: Oid;
  /** Where the branch stands now: at `tip`, or at a commit of the ignored plan on it. */
  readonly from: Oid;
  readonly text: string;
  readonly number: number;
}

async function settlePlanOn(bench: Workbench, ready: Ready, { tip, from, text, number }: Taken): Promise<Planned> {
  const { repository } = bench;
  const { job, current } = ready;
  const signing = current.loaded.policy.signing;
  const marked = markedHandoff(job.id, text);
  const others = (await changedFiles(repository, ready.tip, tip, { renames: false })).filter(
    (file) => file.path !== HANDOFF_PATH,
  );
  const parent = others.length > 0 ? ready.tip : tip;
  const plan = await commitFile(repository, {
    parent,
    path: HANDOFF_PATH,
    text: marked,
    message: `Plan of job ${job.id}\n`,
    signing,
  });
  const notes =
    others.length === 0
      ? []
      : [
          `the plan Run changed more than the plan; it is kept and taken off the branch: ${others
            .slice(0, 20)
            .map((file) => file.path)
            .join(', ')}`,
        ];
  if (plan === from) return { tip: from, missing: null, text: marked, notes };
  if ((await handoffAt(repository, plan)).kind !== 'ok') {
    return {
      tip: from,
      missing: reason('no-handoff', `${HANDOFF_PATH} cannot be committed: something else is in its place`),
      text: null,
      notes,
    };
  }
  if (others.length > 0)
    await keepOnly(bench, job.id, [{ commit: tip, subject: `what plan run ${number} changed beside the plan` }]);
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: from,
    new: plan,
    reason: `owl: plan of ${job.id}`,
  });
  if (moved.kind !== 'moved') {
    const why = moved.kind === 'waits' ? moved.message : 'the branch moved meanwhile';
    return { tip: from, missing: reason('no-handoff', `the plan could not be committed: ${why}`), text: null, notes };
  }
  return { tip: plan, missing: null, text: marked, notes };
}
