// What came of the agent's process: looked at, judged, kept and settled (02, "A Run, in order").

import { resultFacts } from '../../agent/result.js';
import { gatesDigest } from '../../config/policy.js';
import { type AgentOutcome, classifyAgent } from '../../domain/agent-outcome.js';
import { type AgentEnd, type Settlement, settleExecute, settlePlan } from '../../domain/closure.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH, handoffMadeBy, statedBlocker } from '../../domain/handoff.js';
import type { Job, Run, Usage, Verification } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { changedFiles } from '../../git/diff.js';
import { failpoint } from '../../system/failpoint.js';
import { handoffAt, unusableHandoff } from '../handoff.js';
import { jobRef } from '../jobs.js';
import type { observeRepository } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { copiedFile, lookAfter } from './aftermath.js';
import { type Checked, runChecks } from './checks.js';
import { errandOf } from './errand.js';
import { forget } from './forget.js';
import { takePlan } from './judge-plan.js';
import { logFiles, namedOutputs } from './kept-log.js';
import type { Launched } from './launch.js';
import type { Ready } from './prepare.js';
import { type Settled, settleRun } from './settle.js';
import { briefly } from './travelling-output.js';

const NO_CHECKS: Checked = { results: [], outputs: new Map(), notes: [], interrupted: false };

/** Settles it. Throws what the store throws. */
export async function judgeRun(
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
      ? await judgePlan(bench, ready, after, end, exit.report.lastMessage)
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

const usageOf = (seen: Usage | null, told: Usage | undefined): Usage | null =>
  seen === null && told === undefined ? null : { ...seen, ...told };
