// Gathers what the prompt of a gate's agent is made of, and leaves the wording to domain/gate-prompt.ts (G31).

import { sayStatus } from '../../domain/closure.js';
import { type CheckPart, gatePrompt } from '../../domain/gate-prompt.js';
import type { Finding } from '../../domain/goal.js';
import type { CheckResult, Reason } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { contextOf, statusEvent } from '../../domain/skill.js';
import { blobAt } from '../../git/blob.js';
import { changedFiles, diffText } from '../../git/diff.js';
import { commitLog } from '../../git/log.js';
import type { Checked } from '../run/checks.js';
import { checkOutput } from '../run/kept-log.js';
import type { Workbench } from '../workbench.js';
import { proofLink } from './evidence.js';
import type { GateRequest } from './types.js';

const LOG_LINES = 200;
const TREE_LINES = 500;
/** Bytes of the diff, and of the end of one check's output. */
const DIFF_LIMIT = 256 * 1024;
const OUTPUT_TAIL = 8 * 1024;
const RULES_LIMIT = 256 * 1024;

/** The exact text; or why it cannot be made: rules that are not there. */
export async function makeGatePrompt(
  bench: Workbench,
  asked: GateRequest & { readonly checked: Checked; readonly own: readonly Finding[]; readonly nonce: string },
): Promise<string | Reason> {
  const { repository } = bench;
  const { base, tip } = asked.candidate;
  const rules = await loadRules(bench, asked);
  if (!Array.isArray(rules)) return rules as Reason;
  const [log, files, diff, proof] = await Promise.all([
    commitLog(repository, base, tip, { limit: LOG_LINES }),
    changedFiles(repository, base, tip),
    diffText(repository, base, tip),
    proofOf(bench, asked),
  ]);
  return gatePrompt({
    gate: asked.gate,
    goal: asked.goal,
    title: asked.title,
    round: asked.round,
    request: asked.request,
    earlier: asked.earlier,
    plan: asked.plan,
    candidate: asked.candidate,
    onto: asked.onto,
    log: [...log].reverse().map((commit) => commit.subject),
    tree: [
      ...files.slice(0, TREE_LINES).map((file) => `${file.status} ${file.path}`),
      ...(files.length > TREE_LINES ? [`… ${files.length - TREE_LINES} more`] : []),
    ],
    diff: {
      text: diff.text.subarray(0, DIFF_LIMIT).toString('utf8'),
      cut: diff.text.length > DIFF_LIMIT,
    },
    checks: asked.checked.results.map((check) => part(check, asked.checked.outputs.get(check.name) ?? null)),
    proof,
    own: asked.own,
    rules: rules as readonly { path: string; text: string }[],
    nonce: asked.nonce,
    clauses: [
      ...asked.loaded.policy.contract,
      ...contextOf(asked.loaded.policy.skills, [statusEvent(asked.gate, 'enter')]),
    ],
  });
}

const part = (check: CheckResult, output: Buffer | null): CheckPart => ({
  name: check.name,
  run: check.run,
  status: sayStatus(check),
  output: (output ?? Buffer.alloc(0)).subarray(-OUTPUT_TAIL).toString('utf8').trimEnd(),
});

/** From the commit that the configuration came from: what a branch says of the rules does not count. */
async function loadRules(
  bench: Workbench,
  { gate, loaded }: GateRequest,
): Promise<readonly { readonly path: string; readonly text: string }[] | Reason> {
  const rules: { path: string; text: string }[] = [];
  for (const path of gate === 'governance' ? loaded.policy.governance.rules : []) {
    const found = loaded.commit === null ? null : await blobAt(bench.repository, loaded.commit, path);
    if (found?.kind !== 'blob' || found.data.length > RULES_LIMIT) {
      const what = found?.kind === 'blob' ? 'is too large to be shown to an agent' : 'is not a file of the base';
      return reason('configuration', `governance.rules names ${path}, which ${what}`);
    }
    rules.push({ path, text: found.data.toString('utf8') });
  }
  return rules;
}

async function proofOf(bench: Workbench, { quality }: GateRequest) {
  if (quality === null) return null;
  const checks: CheckPart[] = [];
  const link = await proofLink(bench.store, quality);
  for (const check of quality.checks) checks.push(part(check, await checkOutput(bench.store, link, check)));
  const { verdict } = quality;
  const said = verdict === null ? null : `${verdict.result}${verdict.summary === null ? '' : `: ${verdict.summary}`}`;
  return { checks, verdict: said, findings: quality.findings };
}
