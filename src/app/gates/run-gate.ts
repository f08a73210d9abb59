// One gate on exactly one Candidate: checks, then the agent, in a fresh checkout; a correction by quality's agent is checked
// again in another one (G13, G14, G31). Nothing is recorded here but what must stay alive.

import { type Guardian, startGuardian } from '../../agent/guardian-client.js';
import { gateChecks, type Judged, judgeGate, whyVoid } from '../../domain/gates.js';
import type { CandidatePair, Finding } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { CheckResult, Reason } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { failpoint } from '../../system/failpoint.js';
import { type Checked, type ChecksRequest, inFreshCheckout, runChecksIn } from '../run/checks.js';
import type { Errand } from '../run/errand.js';
import { forget } from '../run/forget.js';
import { namedOutputs } from '../run/kept-log.js';
import type { Workbench } from '../workbench.js';
import { askAgent } from './agent.js';
import { asksAnybody, ownFindings } from './delta.js';
import { makeGatePrompt } from './prompt.js';
import type { AgentFindings, GateRequest, GateResult, Proof } from './types.js';

const NOTHING: Checked = { results: [], outputs: new Map(), notes: [], interrupted: false };

/**
 * Judges. What speaks against the Candidate, and what is merely operational, are values. `start`: makes a guardian for an agent.
 * Throws OwlError `workspace`, `git-failed`, `storage` where no checkout can be made.
 */
export async function runGate(
  bench: Workbench,
  asked: GateRequest,
  start: () => Guardian = startGuardian,
): Promise<GateResult> {
  try {
    return await judge(bench, asked, start);
  } finally {
    await forget(bench, asked.marker);
  }
}

async function judge(bench: Workbench, asked: GateRequest, start: () => Guardian): Promise<GateResult> {
  const { gate, loaded, candidate } = asked;
  const stale = gate === 'governance' ? staleProof(asked) : null;
  if (stale !== null) return judged(proofOf(asked, candidate, NOTHING, null, stale, []));
  const own = gate === 'governance' ? await ownFindings(bench, loaded, candidate, asked.allowGuarded) : [];
  if (!asksAnybody(loaded.policy, gate)) return judged(proofOf(asked, candidate, NOTHING, null, null, own));

  const first = await inFreshCheckout(bench, checksOf(asked, candidate), async (place) => {
    await failpoint('gate.before-checks');
    const request = checksOf(asked, candidate);
    const checked = place.failed ?? (await runChecksIn(bench, request, place.workspace));
    await failpoint('gate.after-checks');
    const name = loaded.policy[gate].agent;
    if (checked.interrupted || name === null || place.failed !== null) return { checked, agent: null, skipped: null };
    // Quality's agent may correct what a check found; in governance nothing that an agent says would change it.
    const proven = judgeGate({ gate, checks: checked.results, agent: null, trouble: null, own });
    if (gate === 'governance' && proven.status !== 'passed')
      return { checked, agent: null, skipped: `the agent ${name} was not asked` };
    const nonce = bench.ids.operation();
    const prompt = await makeGatePrompt(bench, { ...asked, checked, own, nonce });
    if (typeof prompt !== 'string') return { checked, agent: troubled(asked, prompt), skipped: null };
    const errand = errandOf(asked, candidate);
    return {
      checked,
      agent: await askAgent(bench, asked, { name, errand, place, prompt, nonce, guardian: start }),
      skipped: null,
    };
  });
  const { checked, agent } = first;
  if (checked.interrupted || agent?.interrupted === true) return { kind: 'interrupted', notes: agent?.notes ?? [] };
  const notes = [...checked.notes, ...(first.skipped === null ? [] : [first.skipped])];
  if (agent === null || agent.tip === candidate.tip) {
    const proof = proofOf(asked, candidate, { ...checked, notes }, agent, null, own);
    return { kind: 'judged', proof, replaced: null, notBefore: agent?.notBefore ?? null };
  }

  const corrected: CandidatePair = { base: candidate.base, tip: agent.tip };
  bench.say(`goal ${asked.goal}: the agent of quality corrected the Candidate; its checks run again`);
  const again = await inFreshCheckout(
    bench,
    checksOf(asked, corrected),
    (place) => place.failed ?? runChecksIn(bench, checksOf(asked, corrected), place.workspace),
  );
  if (again.interrupted) return { kind: 'interrupted', notes: [`the correction ${agent.tip} is kept`] };
  const before = proofOf(asked, candidate, { ...checked, notes }, null, null, own);
  return {
    kind: 'judged',
    proof: proofOf(asked, corrected, again, agent, null, own),
    replaced: before.status === 'passed' ? { ...before, status: 'void' } : before,
    notBefore: null,
  };
}

const judged = (proof: Proof): GateResult => ({ kind: 'judged', proof, replaced: null, notBefore: null });

/** Governance judges only what quality proved, for exactly these commits and these gates. */
function staleProof(asked: GateRequest): Reason | null {
  const { quality, candidate, loaded } = asked;
  // Which clone ran it was decided by whoever chose this proof.
  const why =
    quality === null
      ? 'there is none'
      : whyVoid(quality, { gate: 'quality', candidate, config: loaded.commit, clone: quality.clone, trust: true });
  return why === null ? null : goalReason('stale-candidate', `no proof of quality counts for this Candidate: ${why}`);
}

const errandOf = (asked: GateRequest, candidate: CandidatePair): Errand => ({
  id: asked.goal,
  phase: asked.gate,
  base: candidate.base,
  branch: null,
  goal: { id: asked.goal, round: asked.round, candidate: candidate.tip },
});

const checksOf = (asked: GateRequest, candidate: CandidatePair): ChecksRequest => ({
  errand: errandOf(asked, candidate),
  marker: asked.marker,
  policy: { ...asked.loaded.policy, checks: gateChecks(asked.loaded.policy, asked.gate) },
  tip: candidate.tip,
});

const troubled = (asked: GateRequest, trouble: Reason): AgentFindings => ({
  verdict: null,
  trouble,
  tip: asked.candidate.tip,
  interrupted: false,
  notBefore: null,
  files: new Map(),
  notes: [],
});

function proofOf(
  asked: GateRequest,
  candidate: CandidatePair,
  checked: Checked,
  agent: AgentFindings | null,
  trouble: Reason | null,
  own: readonly Finding[],
): Proof {
  const name = asked.loaded.policy[asked.gate].agent ?? '';
  const found: Judged = judgeGate({
    gate: asked.gate,
    checks: checked.results,
    agent: agent?.verdict == null ? null : { name, verdict: agent.verdict },
    trouble: trouble ?? agent?.trouble ?? setupTrouble(checked.results),
    own,
  });
  return {
    ...found,
    candidate,
    checks: checked.results,
    files: new Map([...namedOutputs(checked.outputs), ...(agent?.files ?? [])]),
    notes: [...checked.notes, ...(agent?.notes ?? [])],
  };
}

/** A setup command that failed is no check that could not be run: it has a code of its own. */
function setupTrouble(checks: readonly CheckResult[]): Reason | null {
  const [only] = checks;
  const isSetup = only !== undefined && /^(?:git submodules|setup \d+)$/.test(only.name);
  if (!isSetup || only.status !== 'error') return null;
  const how = only.exit === null ? 'could not be run to its end' : `exit ${only.exit}`;
  return reason('setup-failed', `${only.run}: ${how}`);
}
