// Why a Goal failed or waits, beside the reasons of Jobs: the closed list, with the exit status of each (03, 06).

import { EXIT } from './errors.js';
import type { Goal } from './goal.js';
import type { Reason } from './job.js';
import { exitOfReason } from './reasons.js';

export const GOAL_REASONS = {
  // One policy, distinct diagnostics (G40).
  'refresh-conflict': EXIT.conflict,
  'merge-conflict': EXIT.conflict,
  'stale-candidate': EXIT.conflict,
  'target-moved': EXIT.conflict,
  lineage: EXIT.conflict,
  'not-linear': EXIT.conflict,
  ambiguous: EXIT.conflict,
  'base-missing': EXIT.conflict,
  'target-rewound': EXIT.conflict,
  'merged-elsewhere': EXIT.conflict,
  'empty-refresh': EXIT.conflict,
  'round-failed': EXIT.conflict,
  'state-contested': EXIT.conflict,
  // Not accepted.
  'quality-findings': EXIT.notAccepted,
  'governance-findings': EXIT.notAccepted,
  ungated: EXIT.notAccepted,
  'no-change': EXIT.notAccepted,
  // Busy.
  'lease-held': EXIT.busy,
  'state-busy': EXIT.busy,
  'no-room': EXIT.busy,
  'checkout-busy': EXIT.busy,
  // The agent of a gate, or its setup.
  'gate-trouble': EXIT.agent,
  'handler-failed': EXIT.agent,
  // The state, the tree or the trust rules.
  unclean: EXIT.refused,
  'unknown-history': EXIT.refused,
  'declined-by-server': EXIT.refused,
  'branch-taken': EXIT.refused,
  'gitlink-missing': EXIT.refused,
  'gates-differ': EXIT.refused,
  reverted: EXIT.refused,
  // The environment.
  'remote-unreachable': EXIT.environment,
  'publication-unknown': EXIT.environment,
  'lfs-unsent': EXIT.environment,
} as const satisfies Record<string, number>;

export type GoalReasonCode = keyof typeof GOAL_REASONS;

export const goalReason = (code: GoalReasonCode, text: string, more: Omit<Reason, 'code' | 'text'> = {}): Reason => ({
  code,
  text,
  ...more,
});

const exitOf = (why: Reason | null): number =>
  why === null ? EXIT.refused : (GOAL_REASONS[why.code as GoalReasonCode] ?? exitOfReason(why));

/** Exit status of a `run` or `goal advance` that left its Goal like this (06). */
export function exitOfGoal(goal: Pick<Goal, 'status' | 'reason'>): number {
  switch (goal.status) {
    case 'failed':
      return exitOf(goal.reason);
    case 'cancelled':
      return EXIT.refused;
    case 'review':
    case 'done':
      return EXIT.ok;
    default:
      return goal.reason === null ? EXIT.ok : exitOf(goal.reason);
  }
}
