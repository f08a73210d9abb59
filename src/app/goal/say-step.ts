// One sentence for a step of a Goal that ended.

import type { Held } from './claim.js';
import type { StepResult } from './step.js';

export function sayStep(held: Held, result: StepResult): string {
  const { goal } = result;
  const why = goal.reason === null ? '' : `: ${goal.reason.text}`;
  switch (result.kind) {
    case 'on':
      return `goal ${goal.id}: ${held.status} done; ${goal.status}`;
    case 'waits':
      return `goal ${goal.id}: ${held.status} waits${why}`;
    case 'failed':
      return goal.window === null
        ? `goal ${goal.id}: ${held.status} failed${why}`
        : `goal ${goal.id}: ${held.status} failed${why}; its handler has until ${goal.window.deadline}`;
    case 'superseded':
      return `goal ${goal.id}: another decision came during ${held.status}`;
  }
}
