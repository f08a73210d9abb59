// A piece of Evidence as it is when it is written: what was not looked at is null or empty (01, 03). Pure.

import type { Evidence, EvidenceType } from './goal.js';

type Said = Pick<Evidence, 'id' | 'goal' | 'round' | 'type' | 'status' | 'config' | 'clone' | 'at'>;
type Seen = Omit<Evidence, keyof Said | 'schema' | 'kind'>;

export const newEvidence = (said: Said & Partial<Seen>): Evidence => ({
  schema: 1,
  kind: 'evidence',
  candidate: null,
  checks: [],
  verdict: null,
  findings: [],
  reason: null,
  commits: {},
  target: null,
  kept: null,
  ...said,
});

/** As one step of a Goal comes after the other. */
const STEPS: readonly EvidenceType[] = [
  'forward',
  'refresh',
  'quality',
  'governance',
  'conflict',
  'integration',
  'error',
  'reconciliation',
  'revert',
];

/**
 * Oldest first. Times are whole seconds: what was written within one is in the order of the steps, of a Round, so that it is the same
 * each time; ids say nothing of what came first.
 */
export function evidenceOrder(one: Evidence, two: Evidence): number {
  if (one.at !== two.at) return one.at < two.at ? -1 : 1;
  const steps = one.round - two.round || STEPS.indexOf(one.type) - STEPS.indexOf(two.type);
  if (steps !== 0) return steps;
  return one.id < two.id ? -1 : one.id > two.id ? 1 : 0;
}
