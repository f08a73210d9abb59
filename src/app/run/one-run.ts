// One Run, from its claim to its settlement: prepare, agent, look after it, judge, keep, settle (02, "A Run, in order").

import { type Guardian, startGuardian } from '../../agent/guardian-client.js';
import { gatesDigest } from '../../config/policy.js';
import type { Settlement } from '../../domain/closure.js';
import { isOwlError, OwlError } from '../../domain/errors.js';
import { reason } from '../../domain/reasons.js';
import { observeRepository } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { watchOf } from './aftermath.js';
import type { Claimed } from './claim.js';
import { errandOf } from './errand.js';
import { forget } from './forget.js';
import { judgeRun } from './judge-run.js';
import { namedOutputs } from './kept-log.js';
import { launchAgent } from './launch.js';
import { prepareRun, type Ready } from './prepare.js';
import { makePrompt } from './prompt.js';
import { noteOfRun, type RunNote } from './run-note.js';
import { type RunEnd, recordProgress, type Settled, settleRun } from './settle.js';
import { interrupted } from './stopped-run.js';

/**
 * Carries one claimed Run to its settlement. What makes it impossible on the way (a signer that hangs, a worktree that cannot be
 * written) settles it too: the Job is blocked by name. Throws what the store throws, and defects, after the Run was settled.
 */
export async function carryOut(bench: Workbench, claimed: Claimed): Promise<Settled> {
  // Started while the base is fetched and the branch replayed: its start costs a process of Node.
  const guardian = startGuardian();
  try {
    return await attempt(bench, claimed, guardian);
  } catch (error) {
    if (isOwlError(error, 'state-at-risk')) throw error;
    if (isOwlError(error, 'busy')) throw await unsettled(bench, claimed, error);
    const settled = await settleRun(bench, { run: claimed.run, settlement: stoppedBy(error), job: {}, pins: [] });
    await forget(bench, claimed.run.id);
    if (!isOwlError(error)) throw error;
    return settled;
  } finally {
    guardian.dispose();
  }
}

/** The end of the Run cannot be written: the next command settles it, as one that counts nothing. Returns what to throw. */
async function unsettled(bench: Workbench, claimed: Claimed, error: OwlError): Promise<OwlError> {
  const { job, run } = claimed;
  const name = noteOfRun(run.id);
  try {
    const note = await bench.notes.read<RunNote>(name);
    const free: RunNote = { ...note?.value, job: job.id, free: true };
    await bench.notes.write(name, free, note?.oid ?? 'absent');
  } catch (second) {
    // The same lock: it is then settled as a Run whose process was ended.
    if (!isOwlError(second)) throw second;
  }
  return new OwlError('busy', `run ${run.number} of job ${job.id} could not be settled: ${error.message}`, {
    preserved: [
      'its branch, worktree and commits are kept; the next command that writes settles it, and it costs nothing',
    ],
    next: [`git owl show ${job.id}`, `git owl run ${job.id}`],
    cause: error,
  });
}

/** An expected failure blocks the Job by name; a defect returns it to the queue, at no cost. */
function stoppedBy(error: unknown): Settlement {
  return isOwlError(error)
    ? {
        state: 'blocked',
        outcome: 'failed',
        closure: null,
        reason: reason('could-not-start', error.message),
        counted: false,
        notBefore: null,
      }
    : {
        state: 'pending',
        outcome: 'interrupted',
        closure: null,
        reason: reason('interrupted', 'git owl failed'),
        counted: false,
        notBefore: null,
      };
}

async function attempt(bench: Workbench, claimed: Claimed, guardian: Guardian): Promise<Settled> {
  const prepared = await prepareRun(bench, claimed);
  if (prepared.kind === 'stopped') {
    const settled = await settleRun(bench, {
      run: prepared.run,
      settlement: prepared.settlement,
      job: prepared.job,
      pins:
        prepared.outputs.size === 0
          ? []
          : [
              {
                job: claimed.job.id,
                commit: null,
                subject: `log of run ${claimed.run.number}`,
                files: namedOutputs(prepared.outputs),
              },
            ],
      landed: prepared.landed,
      gates: prepared.gates,
    });
    await forget(bench, claimed.run.id);
    return settled;
  }
  // Side by side: what is watched is not what is recorded meanwhile.
  const observed = observeRepository(bench.repository, watchOf(prepared));
  observed.catch(() => {});
  const snapshot = await bench.store.snapshot();
  const work = (await snapshot.prompt(claimed.job.id)) ?? '';
  const prompt = await makePrompt(bench, {
    job: prepared.job,
    run: prepared.run,
    work,
    policy: prepared.current.loaded.policy,
    base: prepared.base,
    tip: prepared.tip,
  });
  const started = await recordProgress(
    bench,
    prepared.run,
    {
      onto: prepared.base,
      tip: prepared.tip,
      agent: prepared.agent,
      account: prepared.definition.account,
      conflicts: 0,
      restart: false,
      restarted_from: prepared.job.restarted_from,
    },
    {
      subject: `job ${claimed.job.id}: run ${claimed.run.number} starts ${prepared.agent} on ${prepared.base.ref}`,
      gates: gatesDigest(prepared.current.loaded.policy),
      asker: claimed.asker,
    },
  );
  if (started.superseded) return settleRun(bench, overtaken(prepared));
  const before = await observed;
  const { run, current, base } = prepared;
  const start = {
    ...prepared,
    errand: errandOf(prepared.job, run.phase, base.oid),
    marker: run.id,
    title: `${run.phase} run ${run.number} of ${prepared.job.id}`,
    policy: current.loaded.policy,
    mode: run.phase,
    limits: current.loaded.policy.phases[run.phase],
  };
  const launched = await launchAgent(bench, start, prompt, guardian);
  return judgeRun(bench, prepared, launched, before, prompt);
}

/** Another decision came before its start was recorded: the branch stays, and the Job where it may be worked on. */
const overtaken = ({ run, base, tip }: Ready): RunEnd => ({
  run,
  settlement: {
    state: 'pending',
    outcome: 'interrupted',
    closure: null,
    reason: interrupted,
    counted: false,
    notBefore: null,
  },
  job: { onto: base, tip, conflicts: 0, restart: false },
  pins: [],
});
