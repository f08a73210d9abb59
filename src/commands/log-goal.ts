// `log` of a Goal: the Runs of its current Round and what its gates, handlers and Skills printed, oldest first; with -f the one that
// lives (06).

import { readable } from '../agent/transcript.js';
import { proofLink } from '../app/gates/evidence.js';
import { currentRoundJob } from '../app/goal/round-jobs.js';
import { isProof, loadProof } from '../app/review/proofs.js';
import { keptLogFrom } from '../app/run/kept-log.js';
import type { Workbench } from '../app/workbench.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Evidence, Goal } from '../domain/goal.js';
import type { Invocation } from '../domain/invocation.js';
import type { Job, Run } from '../domain/job.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';
import type { Snapshot } from '../state/types.js';
import { isAlive } from '../system/processes.js';
import { followLog, followRun, loadOutputs, loadRunLog, loadSkillLog, type NamedText, outputLines } from './log-run.js';

/** Of what ended in the same second, a Run is before a gate, quality before governance, and a handler after what failed. */
const ORDER: readonly string[] = ['plan', 'execute', 'quality', 'governance', 'skill'];
const rankOf = ({ of, event }: LogPart): number => (event?.endsWith('.enter') === true ? -1 : ORDER.indexOf(of));
const byTime = (one: LogPart, two: LogPart): number =>
  one.at === two.at ? rankOf(one) - rankOf(two) : one.at < two.at ? -1 : 1;

/** One Run or gate of the Round, or one start of a handler or Skill. */
interface LogPart {
  readonly of: Run['phase'] | Evidence['type'] | 'skill';
  readonly at: string;
  readonly status: string;
  readonly text: string;
  readonly outputs: readonly NamedText[];
  /** Of a Run. */
  readonly job?: string;
  readonly run?: number;
  /** Of a gate. */
  readonly evidence?: string;
  /** Of a handler or Skill: its name, the event that it is bound to, and its id. */
  readonly skill?: string;
  readonly event?: string;
  readonly invocation?: string;
}

/** `run`: one Run of the Round's Job alone. */
export async function logGoal(
  context: Context,
  bench: Workbench,
  snapshot: Snapshot,
  goal: Goal,
  asked: { readonly follow: boolean; readonly run: number | undefined; readonly raw: boolean },
): Promise<Report> {
  const job = await currentRoundJob(snapshot, goal);
  const runs = job === null ? [] : await snapshot.runs(job.id);
  const chosen = asked.run === undefined ? runs : runs.filter((one) => one.number === asked.run);
  const last = chosen.at(-1);
  if (asked.follow && job !== null && last?.outcome === null)
    return followRun(context, bench, job, last, asked.raw, { goal: goal.id });
  if (asked.follow && asked.run === undefined && isGateAtWork(goal))
    return followGate(context, bench, snapshot, goal, asked.raw);
  const proofs = asked.run === undefined ? await proofsOf(snapshot, goal) : [];
  const skills = asked.run === undefined ? await startedOf(snapshot, goal) : [];
  const parts = [
    ...(await Promise.all(skills.map((one) => skillPart(bench, one)))),
    ...(await Promise.all(chosen.map((one) => runPart(bench, job as Job, one)))),
    ...(await Promise.all(proofs.map((proof) => proofPart(bench, proof)))),
  ].sort(byTime);
  if (parts.length === 0) {
    const what =
      asked.run === undefined ? 'has had no Run in this round yet' : `has had no run ${asked.run} in this round`;
    throw new OwlError('nothing-kept', `goal ${goal.id} ${what}`, { next: [`git owl show ${goal.id}`] });
  }
  return {
    kind: 'log',
    data: { goal: goal.id, round: goal.round, parts },
    view: (theme) =>
      parts.flatMap((part) => partLines(asked.raw ? part : { ...part, text: readable(part.text) }, theme)),
  };
}

const proofsOf = async (snapshot: Snapshot, goal: Goal): Promise<readonly Evidence[]> =>
  (await snapshot.evidence(goal.id)).filter((one) => one.round === goal.round && isProof(one));

async function runPart(bench: Workbench, job: Job, chosen: Run): Promise<LogPart> {
  return {
    of: chosen.phase,
    at: chosen.ended ?? chosen.started,
    status: chosen.outcome ?? 'live',
    text: (await loadRunLog(bench, chosen)).toString('utf8'),
    outputs: await loadOutputs(bench, job, chosen, false),
    job: job.id,
    run: chosen.number,
  };
}

async function proofPart(bench: Workbench, proof: Evidence): Promise<LogPart> {
  const kept = await loadProof(bench.store, proof, { log: true, checks: () => true });
  return {
    of: proof.type,
    at: proof.at,
    status: proof.status,
    text: kept.log?.toString('utf8') ?? '',
    outputs: kept.checks.flatMap(({ check, output }) =>
      output === null || output.length === 0 ? [] : [{ name: check.name, text: output.toString('utf8') }],
    ),
    evidence: proof.id,
  };
}

/** What has no start record has printed nothing. */
const startedOf = async (snapshot: Snapshot, goal: Goal): Promise<readonly Invocation[]> =>
  (await snapshot.invocations(goal.id)).filter((one) => one.round === goal.round && one.started !== null);

async function skillPart(bench: Workbench, one: Invocation): Promise<LogPart> {
  return {
    of: 'skill',
    at: one.ended ?? one.started ?? one.recorded,
    status: one.outcome ?? one.state,
    text: (await loadSkillLog(bench, one)).toString('utf8'),
    outputs: [],
    skill: one.skill,
    event: one.on,
    invocation: one.id,
  };
}

const headOf = (part: LogPart): string =>
  part.skill !== undefined
    ? `${part.skill}, ${part.event}`
    : part.run !== undefined
      ? `run ${part.run}, ${part.of}`
      : part.of;

const partLines = (part: LogPart, theme: Theme): Lines => [
  `${theme.heading(`=== ${theme.text(headOf(part))}`)} ${theme.state(part.status)} ${theme.dim(part.at)}`,
  ...outputLines(part.text, part.outputs),
];

const isGateAtWork = ({ status, claim }: Goal): boolean =>
  claim !== null && (status === 'quality' || status === 'governance');

/** The gate's agent as it prints; at its end what its checks printed. A gate without an agent says nothing until then. */
async function followGate(
  context: Context,
  bench: Workbench,
  snapshot: Snapshot,
  goal: Goal,
  raw: boolean,
): Promise<Report> {
  const before = new Set((await proofsOf(snapshot, goal)).map(({ id }) => id));
  const marker = goal.claim?.run ?? '';
  const identity = await bench.environment.process();
  let dead = false;
  const made = async (): Promise<Evidence | undefined> =>
    (await proofsOf(await bench.store.snapshot(), goal)).filter(({ id }) => !before.has(id)).at(-1);
  const print = await followLog(context, bench, {
    of: { goal: goal.id, gate: goal.status },
    raw,
    marker,
    finished: async () => {
      const now = await (await bench.store.snapshot()).goal(goal.id);
      if (now.kind !== 'found' || now.record.claim?.run !== marker || now.record.status !== goal.status) return true;
      dead = isAlive(now.record.claim, identity) === 'dead';
      return dead || (await made()) !== undefined;
    },
    rest: async (given) => {
      const proof = await made();
      const link = proof === undefined ? null : await proofLink(bench.store, proof);
      return link === null ? null : keptLogFrom(bench.store, link, given);
    },
  });
  const proof = await made();
  const part = proof === undefined ? null : await proofPart(bench, proof);
  for (const { name, text } of part?.outputs ?? []) print(Buffer.from(`--- ${name}\n${text}`));
  const notes = dead ? ['its process is gone: no more will come', `next: git owl goal advance ${goal.id}`] : [];
  return { kind: 'log', data: null, view: () => [], streamed: true, notes };
}
