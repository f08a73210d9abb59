// What `export` takes of a Goal: its Candidate, once quality passed for exactly it (G34, J30).

import { OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import { needGoalCommits } from '../claims/elsewhere.js';
import { wishOfGoal } from '../goal/current-target.js';
import { currentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import type { Exportable } from './export.js';

/** Throws OwlError `refused` without a Candidate, `not-accepted` unless quality passed or `force` is given. */
export async function exportedGoal(bench: Workbench, goal: Goal, force: boolean): Promise<Exportable> {
  const { candidate } = goal;
  const preserved = ['nothing was changed'];
  if (candidate === null)
    throw new OwlError('refused', `goal ${goal.id} has no candidate to export`, {
      preserved,
      next: [`git owl show ${goal.id}`],
    });
  const { quality } = goal.gates;
  const proof = (await (await bench.store.snapshot()).evidence(goal.id)).find(({ id }) => id === quality);
  const verified = proof?.status === 'passed' && proof.candidate?.tip === candidate.tip;
  if (!verified && !force)
    throw new OwlError('not-accepted', `goal ${goal.id} is not exported: quality has not passed; --force exports it`, {
      preserved,
      next: [`git owl show ${goal.id}`],
    });
  await needGoalCommits(bench, goal, candidate.tip);
  const current = await currentPolicy(bench, await wishOfGoal(bench, goal));
  return { work: { kind: 'goal', goal }, pair: { base: candidate.base, tip: candidate.tip }, current, verified };
}
