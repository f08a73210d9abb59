// One Skill or handler of a Goal, from its start record to its end (G41, G61).

import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { type Invocation, sayOccurrence } from '../../domain/invocation.js';
import type { LoadedPolicy, Skill } from '../../domain/policy.js';
import type { SkillEvent } from '../../domain/skill-event.js';
import { currentRound } from '../goals.js';
import { forget } from '../run/forget.js';
import { launchStarted, programOf } from '../skill/launch.js';
import { endInvocation, logSubject, startInvocation } from '../skill/record.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';

export interface SkillWork {
  readonly goal: Goal;
  readonly invocation: Invocation;
  readonly skill: Skill;
  readonly loaded: LoadedPolicy;
  readonly workspace: Workspace;
  /** Milliseconds that it has, at the most. */
  readonly left: number;
  /** What is known of its event beside the Goal itself. */
  readonly event: Pick<SkillEvent, 'deadline' | 'reason' | 'target'>;
}

/** Why it has to wait: its agent is not to be had here. Null: it ended, or may not be started any more. */
export async function carryOutSkill(bench: Workbench, work: SkillWork): Promise<string | null> {
  const { goal, invocation, skill, loaded, workspace, left } = work;
  const program = programOf(bench, goal.id, skill, loaded.policy);
  if (typeof program === 'string') return program;
  const marker = bench.ids.run();
  const started = await startInvocation(bench, { goal, invocation, marker, tip: workspace.head });
  if (started === null) return null;
  bench.onSkill?.({ id: goal.id, run: marker });
  const until = work.event.deadline === null ? '' : `, until ${work.event.deadline}`;
  bench.say(`goal ${goal.id}: ${skill.name} for ${invocation.on}${until}`);
  const end = await launchStarted(bench, started, {
    skill,
    event: await eventOf(bench, work),
    loaded,
    workspace,
    marker,
    program,
    base: invocation.source?.oid ?? goal.candidate?.base ?? (goal.base?.oid as Oid),
    left,
    subject: logSubject(started),
  });
  await endInvocation(bench, started, end);
  await forget(bench, marker);
  bench.say(`goal ${goal.id}: ${skill.name} ${end.outcome}${end.text === null ? '' : `: ${end.text}`}`);
  return null;
}

async function eventOf(bench: Workbench, { goal, invocation, skill, event }: SkillWork): Promise<SkillEvent> {
  const { candidate } = goal;
  return {
    event: invocation.on,
    skill: skill.name,
    goal: goal.id,
    title: goal.title,
    round: goal.round,
    request: (await currentRound(await bench.store.snapshot(), goal))?.request ?? goal.title,
    occurrence: sayOccurrence(goal),
    revision: goal.revision,
    candidate: candidate === null ? null : { base: candidate.base, tip: candidate.tip },
    ...event,
  };
}
