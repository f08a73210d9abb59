// The window of an Error event: how long a decision is awaited, and who may close it when (G41). Pure.

import type { AutomatedStatus, ErrorWindow } from './goal.js';

export const errorEventOf = (step: AutomatedStatus): string => `workflow.${step}.error`;

/** First sight of a window that another clone opened, by the clock of this one. */
export interface WindowSight {
  /** Evidence that the window names: another window is another sight. */
  readonly evidence: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Milliseconds that are left of it; not above 0: it is due. */
export const leftOf = (window: Pick<ErrorWindow, 'deadline'>, now: number): number => Date.parse(window.deadline) - now;

export const isDue = (window: Pick<ErrorWindow, 'deadline'>, now: number): boolean => leftOf(window, now) <= 0;

/** The sight that counts: the first one, unless the clock was put back since. */
export const sightOfWindow = (
  before: WindowSight | null,
  window: Pick<ErrorWindow, 'evidence'>,
  now: number,
): WindowSight =>
  before !== null && before.evidence === window.evidence && before.since <= now
    ? before
    : { evidence: window.evidence, since: now };

/**
 * May it be closed without a decision? By the clone that opened it once it is due; by another one when a further window has passed,
 * both since its deadline and since this clone first saw it: the two clocks may differ.
 */
export function mayClose(window: ErrorWindow, sight: WindowSight | 'own', now: number): boolean {
  if (sight === 'own') return isDue(window, now);
  const length = Date.parse(window.deadline) - Date.parse(window.opened);
  return now >= Math.max(sight.since, Date.parse(window.deadline)) + length;
}
