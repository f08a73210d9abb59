// What is looked at before anything of a Goal is written: is there a step to carry, where does it land, may its commands run here,
// is its agent here (G4, G6, J16).

import type { OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import type { Policy } from '../../domain/policy.js';
import { type AgentChoice, agentFor, missingAgent } from '../run/agent-choice.js';
import { askTrust } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { checkCarried } from './claim.js';
import { type CurrentTarget, currentTarget } from './current-target.js';

/** Fetches. Throws OwlError `wrong-state`, `untrusted`, `missing-agent`, and what looking at its target throws. */
export async function lookAtGoal(bench: Workbench, goal: Goal): Promise<CurrentTarget> {
  checkCarried(goal);
  const target = await currentTarget(bench, goal);
  const { loaded } = target.current;
  await askTrust(bench, loaded);
  const agent = agentOfStep(bench, goal, loaded.policy);
  if (agent?.kind === 'missing') throw missing(goal, agent.why);
  return target;
}

/** The agent of the step that it is at; null: none is asked there. What its Round's Job says is looked at by its Run. */
export function agentOfStep(bench: Workbench, goal: Goal, policy: Policy): AgentChoice | null {
  const gate = goal.status === 'quality' || goal.status === 'governance' ? policy[goal.status].agent : undefined;
  return gate === null ? null : agentFor(bench, { id: goal.id, agent: gate ?? null, account: null }, policy);
}

const missing = ({ id, status }: Goal, why: string): OwlError => missingAgent(why, `goal ${id} stays in ${status}`, []);
