// Gathers what a prompt is made of from commits and records, and leaves the wording to domain/prompt.ts (J21, J22).

import { agentDefinition } from '../../agent/presets/index.js';
import { sayStatus } from '../../domain/closure.js';
import { gateChecks } from '../../domain/gates.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH, handoffSubject } from '../../domain/handoff.js';
import type { CheckResult, Job, Run } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { executePrompt, type PromptParts, planPrompt } from '../../domain/prompt.js';
import { pathsBeside } from '../../domain/reasons.js';
import { contextOf, statusEvent } from '../../domain/skill.js';
import { changedFiles } from '../../git/diff.js';
import { commitLog } from '../../git/log.js';
import { ownHandoff } from '../handoff.js';
import { jobBranch } from '../jobs.js';
import { isProof, loadProof } from '../review/proofs.js';
import type { Workbench } from '../workbench.js';
import { newestFailures, verifiedSince } from './failures.js';

/** Lines of the log and paths of the tree that a prompt shows at most. */
const LOG_LINES = 60;
const TREE_LINES = 200;
/** Bytes at the end of a failing check's output. */
const OUTPUT_TAIL = 8 * 1024;

export interface PromptRequest {
  readonly job: Job;
  readonly run: Pick<Run, 'id' | 'number' | 'phase'>;
  readonly work: string;
  readonly policy: Policy;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly tip: Oid;
  /** Before a Run: where the branch is not yet as it will be then. */
  readonly foreseen?: Foreseen | undefined;
}

export interface Foreseen {
  /** Where the Job's own commits begin, before they are replayed onto `base`. */
  readonly since: Oid;
  /** The branch is cut again: nothing but a Handoff will be on it. */
  readonly begunAgain: boolean;
  /** A Handoff that we will commit; null: none. */
  readonly handoff: string | null;
}

/** The exact text that goes to the agent. */
export async function makePrompt(bench: Workbench, request: PromptRequest): Promise<string> {
  const { job, run, foreseen } = request;
  const { repository } = bench;
  const since = foreseen?.since ?? request.base.oid;
  const again = foreseen?.begunAgain === true;
  const [found, log, files, failures] = await Promise.all([
    ownHandoff(repository, request.tip, since),
    again ? [] : commitLog(repository, since, request.tip, { limit: LOG_LINES }),
    again ? [] : changedFiles(repository, since, request.tip),
    failuresBefore(bench, job, run),
  ]);
  const own = files.filter((file) => file.path !== HANDOFF_PATH);
  const text = foreseen?.handoff ?? (found.kind === 'ok' ? found.text : null);
  const ours = foreseen?.handoff == null ? [] : [handoffSubject(job.id, again)];
  const parts: PromptParts = {
    job: job.id,
    title: job.title,
    work: request.work,
    base: request.base,
    branch: jobBranch(job),
    attempt: run.number,
    handoff: text === null ? null : { text, from: await writerOf(bench, job) },
    handoffStale: job.handoff === 'stale',
    log: [...[...log].reverse().map((commit) => commit.subject), ...ours],
    tree: [
      ...own.slice(0, TREE_LINES).map((file) => `${file.status} ${file.path}`),
      ...(own.length > TREE_LINES ? [`… ${own.length - TREE_LINES} more`] : []),
    ],
    failures,
    feedback: job.feedback,
    restartedFrom: again ? request.tip : job.restarted_from,
    clauses: [...request.policy.contract, ...contextOf(request.policy.skills, eventsOf(job, run.phase))],
    checks: checksAhead(job, request.policy),
    planIsMessage: plansByMessage(job, request.policy),
  };
  return run.phase === 'plan' ? planPrompt(parts) : executePrompt(parts);
}

/** What the tip must pass: of a Goal's Round also the checks of its gates (G13). */
const checksAhead = ({ goal }: Job, policy: Policy): PromptParts['checks'] =>
  goal === null ? policy.checks : [...gateChecks(policy, 'quality'), ...gateChecks(policy, 'governance')];

/** One that is not to be had is started by nobody, whatever the prompt says. */
const plansByMessage = ({ agent }: Job, policy: Policy): boolean =>
  agentDefinition(agent ?? policy.agent ?? '', policy)?.plan === 'last-message';

/** Where a Skill of the kind `context` is bound to speak to this agent (G61). */
const eventsOf = ({ goal }: Job, phase: Run['phase']): readonly string[] => [
  'job.active',
  ...(goal === null ? [] : [statusEvent(phase === 'plan' ? 'plan' : 'implement', 'enter')]),
];

/** Who wrote the Handoff last: the plan Run only while no execute Run had an agent since. */
async function writerOf(bench: Workbench, job: Job): Promise<'plan' | 'run' | 'seed'> {
  const runs = await (await bench.store.snapshot()).runs(job.id);
  const last = runs.filter((run) => run.outcome !== null && run.agent !== null && run.handoff === 'current').at(-1);
  if (last === undefined) return 'seed';
  return last.phase === 'plan' ? 'plan' : 'run';
}

/** Why the Run before this one, or a verification since, did not end well, with the tail of failing checks (J22, J29). */
async function failuresBefore(bench: Workbench, job: Job, run: Pick<Run, 'id'>): Promise<PromptParts['failures']> {
  const runs = await (await bench.store.snapshot()).runs(job.id);
  const last = runs.filter((other) => other.id !== run.id && other.outcome !== null).at(-1);
  if (last === undefined) return [];
  const failures = (await newestFailures(bench.store, job, last)).map(sayFailed);
  const since = verifiedSince(job, last) !== null;
  if (!since && failures.length === 0 && last.reason !== null && last.reason.code !== 'interrupted') {
    failures.push({
      what: last.reason.code,
      output: [last.reason.text, ...pathsBeside(last.reason.text, last.reason.paths)].join('\n'),
    });
  }
  return [...failures, ...(await gateFindings(bench, job, last))];
}

const sayFailed = ({ check, output }: { readonly check: CheckResult; readonly output: Buffer | null }) => ({
  what: `check ${check.name} ${sayStatus(check)}`,
  output: `$ ${check.run}\n${(output ?? Buffer.alloc(0)).subarray(-OUTPUT_TAIL).toString('utf8')}`,
});

/** What the gates of its Goal said of this Round since that Run: why the Round goes on (G14). The newest proof counts. */
async function gateFindings(
  bench: Workbench,
  { goal, round }: Pick<Job, 'goal' | 'round'>,
  last: Run,
): Promise<PromptParts['failures']> {
  if (goal === null) return [];
  const proof = (await (await bench.store.snapshot()).evidence(goal))
    .filter((one) => isProof(one) && one.round === round && last.ended !== null && one.at >= last.ended)
    .at(-1);
  if (proof === undefined || proof.status === 'passed') return [];
  const { checks } = await loadProof(bench.store, proof, { log: false, checks: ({ status }) => status !== 'passed' });
  // A check that failed is told with what it printed: its finding says no more.
  const told = new Set(checks.map(({ check }) => check.name));
  const others = proof.findings.filter(({ gate }) => !told.has(gate));
  return [
    ...checks.map(sayFailed),
    ...others.map(({ gate, text, paths }) => ({ what: `finding of ${gate}`, output: [text, ...paths].join('\n') })),
  ];
}
