// The agent of a gate: started in the gate's own checkout, then everything that it did is looked at and kept before its verdict
// is worth anything (G13, G31, J16b, J19).

import type { Guardian } from '../../agent/guardian-client.js';
import { readResultText } from '../../agent/result.js';
import { readVerdict } from '../../agent/verdict.js';
import { type AgentOutcome, classifyAgent } from '../../domain/agent-outcome.js';
import { judgeVerdict } from '../../domain/gates.js';
import type { Reason } from '../../domain/job.js';
import { changeNote } from '../../domain/observation.js';
import { reason } from '../../domain/reasons.js';
import { failpoint } from '../../system/failpoint.js';
import { agentFor } from '../run/agent-choice.js';
import type { FreshPlace } from '../run/checks.js';
import type { Errand } from '../run/errand.js';
import { keepLost } from '../run/keep-lost.js';
import { logFiles } from '../run/kept-log.js';
import { launchAgent } from '../run/launch.js';
import { compareWithNow, observeRepository } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { removeLeftLocks } from '../workspace/left-locks.js';
import { lookAtTree } from './look.js';
import type { AgentFindings, GateRequest } from './types.js';

export interface GateAgent {
  readonly name: string;
  readonly errand: Errand;
  readonly place: FreshPlace;
  readonly prompt: string;
  readonly nonce: string;
  readonly guardian: () => Guardian;
}

/** One fresh process. What makes its verdict worthless is a value: `trouble`. */
export async function askAgent(bench: Workbench, asked: GateRequest, agent: GateAgent): Promise<AgentFindings> {
  const { gate, goal, round, candidate, loaded, marker } = asked;
  const { policy } = loaded;
  const { workspace } = agent.place;
  const nothing = {
    verdict: null,
    tip: candidate.tip,
    interrupted: false,
    notBefore: null,
    files: new Map(),
    notes: [],
  };
  const chosen = agentFor(bench, { id: goal, agent: agent.name, account: null }, policy);
  if (chosen.kind === 'missing') return { ...nothing, trouble: reason('missing-agent', chosen.why) };
  const limits = policy.phases.execute;
  const guardian = agent.guardian();
  try {
    const watch = { branch: null, admin: workspace.admin, prefix: policy.branch_prefix };
    const before = await observeRepository(bench.repository, watch);
    await failpoint('gate.before-agent');
    const launched = await launchAgent(
      bench,
      {
        ...chosen,
        errand: agent.errand,
        marker,
        title: `${gate} of ${goal}, round ${round}`,
        workspace,
        policy,
        agent: chosen.name,
        mode: 'execute',
        // A model is named for the agent that carries out; another agent may not know it.
        limits: { ...limits, model: chosen.name === policy.agent ? limits.model : null },
      },
      agent.prompt,
      guardian,
    );
    await failpoint('gate.after-agent');
    const { exit, scratch } = launched;
    const notes = [...(await removeLeftLocks(workspace))];
    const { verdict: facts, told } = await readVerdict(scratch.result);
    const raw = await readResultText(scratch.result);
    const files = new Map<string, Buffer>([
      ...(await logFiles(scratch)),
      ['prompt', Buffer.from(agent.prompt, 'utf8')],
      ...(raw.kind === 'text' ? ([['verdict', Buffer.from(raw.text, 'utf8')]] as const) : []),
    ]);
    const outcome = classifyAgent(exit, told, {
      needsTerminal: launched.needsTerminal,
      timeout: limits.timeout,
      stall: limits.stall,
      now: bench.clock.now(),
    });
    const look = await lookAtTree(bench, asked, agent.place);
    notes.push(...look.notes, ...exit.leftBehind.map((line) => `left behind and ended: ${line}`));
    notes.push(...exit.report.denied.map((tool) => `refused: ${tool}`));
    let escaped: Reason | null = null;
    const { differences, lost } = await compareWithNow(bench.repository, before, watch);
    for (const one of differences) {
      notes.push(changeNote(one));
      if (one.escaped) escaped ??= reason('escaped', `the agent changed what is not its own: ${one.what}`);
    }
    notes.push(...(await keepLost(bench, { id: goal, work: `${gate} of round ${round}` }, lost)));
    const trouble = escaped ?? look.trouble ?? troubleOf(outcome, chosen.name);
    const usable = trouble === null && outcome.kind !== 'interrupted';
    const judged = { ...candidate, tip: look.tip };
    const verdict = judgeVerdict(facts, { nonce: agent.nonce, candidate: judged, agent: chosen.name });
    return {
      verdict: usable ? verdict : null,
      trouble,
      // A correction counts only together with a verdict about it.
      tip: usable && verdict.kind !== 'unreadable' ? look.tip : candidate.tip,
      interrupted: outcome.kind === 'interrupted',
      notBefore: outcome.kind === 'limited' ? outcome.notBefore : null,
      files,
      notes,
    };
  } finally {
    guardian.dispose();
  }
}

/** Operational trouble, told apart from findings (G14). */
function troubleOf(outcome: AgentOutcome, agent: string): Reason | null {
  switch (outcome.kind) {
    case 'succeeded':
    case 'interrupted':
      return null;
    case 'limited':
      return reason('usage-limit', outcome.reason);
    case 'failed':
      return reason(
        outcome.code === 'limit' ? 'limit-passed' : 'agent-failed',
        `the agent ${agent} failed: ${outcome.reason}`,
      );
  }
}
