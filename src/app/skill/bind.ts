// Binding Skills and handlers to what a Goal is doing: the record that says so, before anything of it is started (G41, G63).

import type { Goal } from '../../domain/goal.js';
import { type Invocation, newInvocation } from '../../domain/invocation.js';
import type { Timestamp } from '../../domain/job.js';
import type { Skill } from '../../domain/policy.js';
import { sha256 } from '../../state/layout.js';

/** Made of Goal, occurrence and binding: the same is bound once (G63). A letter first, so that it can be part of a branch's name. */
export const invocationId = (goal: Pick<Goal, 'id' | 'occurrence'>, skill: Pick<Skill, 'name' | 'on'>): string =>
  `s${sha256([goal.id, goal.occurrence.number, goal.occurrence.decision, skill.on, skill.name].join('\0')).slice(0, 11)}`;

export interface Binding {
  readonly clone: string;
  readonly at: Timestamp;
  readonly evidence?: string;
  readonly deadline?: Timestamp;
}

/** `goal`: as it is while they may run. */
export const bindSkills = (goal: Goal, skills: readonly Skill[], binding: Binding): readonly Invocation[] =>
  skills.map((skill, order) =>
    newInvocation({
      id: invocationId(goal, skill),
      goal: goal.id,
      round: goal.round,
      skill: skill.name,
      on: skill.on,
      order,
      occurrence: goal.occurrence,
      evidence: binding.evidence ?? null,
      deadline: binding.deadline ?? null,
      clone: binding.clone,
      at: binding.at,
    }),
  );
