// One Run, from its claim to its settlement: prepare, agent, look after it, judge, keep, settle (02, "A Run, in order").

import { type Guardian, startGuardian } from '../../agent/guardian-client.js';
import { resultFacts } from '../../agent/result.js';
import { gatesDigest } from '../../config/policy.js';
import { type AgentOutcome, classifyAgent } from '../../domain/agent-outcome.js';
import { type AgentEnd, type Settlement, settleExecute, settlePlan } from '../../domain/closure.js';
import { isOwlError, OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH, handoffMadeBy, statedBlocker } from '../../domain/handoff.js';
import type { Job, Run, Usage, Verification } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { changedFiles } from '../../git/diff.js';
import { failpoint } from '../../system/failpoint.js';
import { handoffAt, unusableHandoff } from '../handoff.js';
import { jobRef } from '../jobs.js';
import { observeRepository } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { copiedFile, lookAfter, watchOf } from './aftermath.js';
import { type Checked, runChecks } from './checks.js';
import type { Claimed } from './claim.js';
import { errandOf } from './errand.js';
import { takePlan } from './judge-plan.js';
import { logFiles, outputPath } from './kept-log.js';
import { type Launched, launchAgent } from './launch.js';
import { interrupted, prepareRun, type Ready } from './prepare.js';
import { makePrompt } from './prompt.js';
import { noteOfRun, type RunNote } from './run-note.js';
import { removeScratch } from './scratch.js';
import { type RunEnd, recordProgress, type Settled, settleRun } from './settle.js';
import { briefly } from './travelling-output.js';

const NO_CHECKS: Checked = { results: [], outputs: new Map(), notes: [], interrupted: false };

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
  return judge(bench, prepared, launched, before, prompt);
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

async function judge(
  bench: Workbench,
  ready: Ready,
  launched: Launched,
  before: Awaited<ReturnType<typeof observeRepository>>,
  prompt: string,
): Promise<Settled> {
  const { job, run } = ready;
  const { exit, result } = launched;
  const limits = ready.current.loaded.policy.phases[run.phase];
  const told = resultFacts(result);
  const given = result.kind === 'found' ? result.result : null;
  const usage = usageOf(exit.report.usage, given?.usage);
  const classified = endOf(
    classifyAgent({ ...exit, report: { ...exit.report, usage } }, told, {
      needsTerminal: launched.needsTerminal,
      timeout: limits.timeout,
      stall: limits.stall,
      now: bench.clock.now(),
    }),
    exit.started,
  );
  const after = await lookAfter(bench, ready, before, classified);
  // Whoever reports no usage and has commits did start (J3).
  const end = after.tip !== ready.tip && classified.kind === 'limited' ? { ...classified, started: true } : classified;
  const found =
    run.phase === 'plan'
      ? await judgePlan(bench, ready, after, end, given?.summary ?? null, exit.report.lastMessage)
      : await judgeExecute(bench, ready, after, end, given);
  const files = new Map<string, Buffer>([
    ...(await logFiles(launched.scratch)),
    ['prompt', Buffer.from(prompt, 'utf8')],
    ...namedOutputs(found.checked.outputs),
  ]);
  await failpoint('run.before-settle');
  const settled = await settleRun(bench, {
    run: {
      ...run,
      tip_after: found.tip,
      exit: { code: exit.code, signal: exit.signal },
      ended_by: exit.endedBy,
      summary: given?.summary ?? exit.report.message,
      usage,
      handoff: found.handoff,
      checks: found.checked.results,
      notes: [
        ...run.notes,
        ...after.notes,
        ...found.notes,
        ...exit.leftBehind.map((line) => `left behind and ended: ${line}`),
        ...exit.report.denied.map((tool) => `refused: ${tool}`),
      ],
    },
    settlement: found.settlement,
    job: found.job,
    gates: gatesDigest(ready.current.loaded.policy),
    pins: [{ job: job.id, commit: found.tip, subject: `log of run ${run.number}`, files }],
  });
  await failpoint('run.after-settle');
  await forget(bench, run.id);
  return settled;
}

/** What the table of outcomes says, as the settlement needs it (domain/closure.ts). What never started costs nothing (J3). */
function endOf(outcome: AgentOutcome, started: boolean): AgentEnd {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'failed':
      return {
        kind: 'failed',
        reason: reason(
          outcome.code === 'limit' ? 'limit-passed' : 'agent-failed',
          `the agent failed: ${outcome.reason}`,
        ),
        started,
      };
    case 'limited':
      return { kind: 'limited', notBefore: outcome.notBefore, text: outcome.reason, started: !outcome.atOnce };
    case 'interrupted':
      return { kind: 'interrupted', text: outcome.reason, started };
  }
}

interface Judged {
  readonly tip: Oid;
  readonly settlement: Settlement;
  readonly handoff: Run['handoff'];
  readonly job: Partial<Job>;
  readonly checked: Checked;
  readonly notes: readonly string[];
}

type After = Awaited<ReturnType<typeof lookAfter>>;

async function judgePlan(
  bench: Workbench,
  ready: Ready,
  after: After,
  end: AgentEnd,
  _summary: string | null,
  lastMessage: string | null,
): Promise<Judged> {
  const usable = end.kind === 'succeeded' && after.obstacle === null;
  const before = await handoffAt(bench.repository, ready.tip);
  const plan = usable ? await takePlan(bench, ready, after.tip, lastMessage) : null;
  const blocker = plan?.text == null ? null : statedBlocker(before.kind === 'ok' ? before.text : null, plan.text);
  const settlement = settlePlan(end, after.obstacle, plan?.missing ?? null, blocker);
  const made = plan !== null && plan.missing === null;
  const tip = plan?.tip ?? after.tip;
  return {
    tip,
    settlement,
    handoff: made ? 'current' : 'none',
    job: {
      tip,
      onto: ready.base,
      phase: made && settlement.outcome === 'succeeded' && blocker === null ? 'execute' : 'plan',
      handoff: made ? 'current' : ready.job.handoff,
      degraded: after.degraded,
      verification: null,
    },
    checked: NO_CHECKS,
    notes: plan?.notes ?? [],
  };
}

async function judgeExecute(
  bench: Workbench,
  ready: Ready,
  after: After,
  end: AgentEnd,
  given: { readonly outcome: string; readonly summary?: string | undefined } | null,
): Promise<Judged> {
  const { base, job, run, current } = ready;
  const { repository } = bench;
  const [own, during, was, is] = await Promise.all([
    changedFiles(repository, base.oid, after.tip, { renames: false }),
    changedFiles(repository, ready.tip, after.tip, { renames: false }),
    handoffAt(repository, ready.tip),
    handoffAt(repository, after.tip),
  ]);
  const worked = during.some((file) => file.path !== HANDOFF_PATH);
  const handoff = handoffMadeBy(during);
  const said = statedBlocker(was.kind === 'ok' ? was.text : null, is.kind === 'ok' ? is.text : null);
  const blocker =
    said ?? (given?.outcome === 'blocked' ? (given.summary ?? 'the agent says that it is blocked') : null);
  const ownChange = own.some((file) => file.path !== HANDOFF_PATH);
  const noChange =
    given?.outcome === 'no-change' && given.summary !== undefined && given.summary.trim() !== '' && !worked
      ? given.summary
      : null;
  const stops = after.obstacle ?? (end.kind === 'succeeded' ? unusableHandoff(is) : null);
  const toCheck = end.kind === 'succeeded' && stops === null && blocker === null && (ownChange || noChange !== null);
  const checked = toCheck
    ? await runChecks(bench, {
        errand: errandOf(job, 'execute', base.oid),
        marker: run.id,
        workspace: ready.workspace,
        policy: current.loaded.policy,
        tip: after.tip,
        clean: after.clean,
      })
    : NO_CHECKS;
  const stood = toCheck
    ? await admit(bench, {
        id: job.id,
        path: ready.workspace.path,
        expected: { kind: 'sole-branch', ref: jobRef(job) },
      })
    : null;
  const moved = toCheck && (await (await repository.engine()).resolve(jobRef(job))) !== after.tip;
  const degraded = after.degraded || (stood !== null && stood.kind !== 'admitted');
  const obstacle = stops ?? (toCheck ? await copiedFile(bench, ready, after.tip) : null);
  const finalEnd: AgentEnd = checked.interrupted
    ? { kind: 'interrupted', text: 'stopped while checks ran', started: true }
    : end;
  const settlement = settleExecute({ end: finalEnd, obstacle, blocker, ownChange, noChange, checks: checked.results });
  const verification: Verification | null = toCheck
    ? briefly(
        {
          tip: after.tip,
          base: base.oid,
          config: current.loaded.commit,
          passed: checked.results.every((check) => check.status === 'passed') && !moved && !checked.interrupted,
          checks: checked.results,
          at: bench.clock.timestamp(),
        },
        'none',
      )
    : null;
  return {
    tip: after.tip,
    settlement,
    handoff,
    job: {
      tip: after.tip,
      onto: base,
      handoff: handoff === 'none' ? ready.job.handoff : handoff,
      degraded,
      verification,
      no_change: settlement.state === 'review' && !ownChange ? noChange : null,
      ...(settlement.state === 'review' ? { feedback: [] } : {}),
    },
    checked,
    notes: checked.notes,
  };
}

export const namedOutputs = (outputs: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...outputs].map(([name, bytes]) => [outputPath(name), bytes]));

const usageOf = (seen: Usage | null, told: Usage | undefined): Usage | null =>
  seen === null && told === undefined ? null : { ...seen, ...told };

/** Scratch folder and note of a Run whose end is stored. */
export async function forget(bench: Workbench, run: string): Promise<void> {
  const note = await bench.notes.read(noteOfRun(run));
  if (note !== null) await bench.notes.remove(noteOfRun(run), note.oid);
  await removeScratch(bench, run);
}
