// Why a Job waits, is blocked or escalated: the closed list, with the exit status that `run` gives for each (06).

import { EXIT } from './errors.js';
import type { Job, Reason } from './job.js';

export const REASONS = {
  // Conflicts keep their evidence.
  conflict: EXIT.conflict,
  'landing-conflict': EXIT.conflict,
  'landing-failed': EXIT.conflict,
  'declined-by-server': EXIT.conflict,
  'agent-blocked': EXIT.conflict,
  // Not accepted.
  'checks-failed': EXIT.notAccepted,
  'nothing-changed': EXIT.notAccepted,
  // The agent or a setup command.
  'agent-failed': EXIT.agent,
  'limit-passed': EXIT.agent,
  'setup-failed': EXIT.agent,
  'no-handoff': EXIT.agent,
  'usage-limit': EXIT.agent,
  interrupted: EXIT.agent,
  // The state, the tree or the trust rules.
  'name-taken': EXIT.refused,
  'name-impossible': EXIT.refused,
  workspace: EXIT.refused,
  'operation-in-progress': EXIT.refused,
  'wrong-branch': EXIT.refused,
  'could-not-start': EXIT.refused,
  'too-much-uncommitted': EXIT.refused,
  'copied-file': EXIT.refused,
  'handoff-unusable': EXIT.refused,
  escaped: EXIT.refused,
  'guarded-paths': EXIT.refused,
  'unknown-here': EXIT.refused,
  'no-base': EXIT.refused,
  exhausted: EXIT.refused,
  reverted: EXIT.refused,
  'started-twice': EXIT.refused,
  untrusted: EXIT.refused,
  // The environment.
  'missing-agent': EXIT.environment,
  configuration: EXIT.environment,
  'storage-failed': EXIT.environment,
} as const satisfies Record<string, number>;

export type ReasonCode = keyof typeof REASONS;

export const reason = (code: ReasonCode, text: string, more: Omit<Reason, 'code' | 'text'> = {}): Reason => ({
  code,
  text,
  ...more,
});

export const exitOfReason = (why: Reason | null): number =>
  why === null ? EXIT.refused : (REASONS[why.code as ReasonCode] ?? EXIT.refused);

/** Exit status of a `run` that left its Job like this (06): a unit that ended in review, done or merged is 0. */
export function exitOfJob(job: Pick<Job, 'state' | 'reason'>): number {
  switch (job.state) {
    case 'review':
    case 'done':
    case 'active':
      return EXIT.ok;
    case 'pending':
      return job.reason === null ? EXIT.ok : exitOfReason(job.reason);
    case 'escalated':
    case 'blocked':
    case 'exhausted':
      return exitOfReason(job.reason);
    case 'cancelled':
      return EXIT.refused;
  }
}

/** The paths that a text does not name already, so that no message says one twice. */
export const pathsBeside = (text: string, paths: readonly string[] = []): readonly string[] =>
  paths.filter((path) => !names(text, path));

/** As a word of its own: `a` is not named by `a.txt`. */
function names(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text.slice(at + path.length);
    if (/[\s:;,(`'"]/.test(before) && /^(?:[\s:;,)`'"]|\.?$|\.\s)/.test(after)) return true;
  }
  return false;
}
