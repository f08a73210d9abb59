// A Job as it is when it is made: queued, nothing done yet. What makes one says the rest (J1; G4). Pure.

import type { Job } from './job.js';

type Said = Pick<Job, 'id' | 'planned' | 'title' | 'prefix' | 'slug' | 'position' | 'ttl' | 'base'>;
type Sayable = Pick<Job, 'from' | 'mode' | 'auto_merge' | 'labels' | 'needs' | 'agent' | 'owner' | 'goal' | 'round'>;

/** `made`: operation id and time, RFC 3339 in UTC. */
export const newJob = (said: Said & Partial<Sayable>, made: { readonly op: string; readonly now: string }): Job => ({
  schema: 1,
  kind: 'job',
  revision: 1,
  occurrence: { number: 1, decision: made.op },
  state: 'pending',
  phase: said.planned ? 'plan' : 'execute',
  reason: null,
  from: null,
  onto: null,
  tip: null,
  mode: null,
  auto_merge: null,
  labels: [],
  needs: [],
  agent: null,
  account: null,
  owner: null,
  not_before: null,
  verification: null,
  closure: null,
  degraded: false,
  no_change: null,
  claim: null,
  runs: 0,
  last_run: null,
  feedback: [],
  conflicts: 0,
  restarted_from: null,
  restart: false,
  handoff: 'none',
  merged: null,
  reverted: false,
  dropped: null,
  goal: null,
  round: null,
  created: made.now,
  updated: made.now,
  closed: null,
  ...said,
});
