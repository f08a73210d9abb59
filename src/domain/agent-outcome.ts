// What an agent's end means for its Run: the one table that decides success, failure, limit and interruption (09, rule 3;
// J16b, J18; 11, Jobs). Pure. Exit status alone decides nothing, and what the tree shows is asked afterwards (J29).

/** The facts, as the agent's supervisor and the result file give them. */
export interface AgentFacts {
  readonly code: number | null;
  readonly signal: string | null;
  readonly endedBy: 'itself' | 'timeout' | 'stall' | 'stopped';
  readonly started: boolean;
  readonly startError: string | null;
  readonly lingered?: boolean | undefined;
  readonly guardianLost?: boolean | undefined;
  readonly lastError?: string | null | undefined;
  readonly report: {
    readonly terminal: 'success' | 'failure' | 'limited' | 'none';
    readonly message: string | null;
    readonly usage: { readonly output?: number | undefined; readonly cost?: number | undefined } | null;
    readonly notBefore: string | null;
  };
}

export type ResultFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'found';
      readonly outcome: 'done' | 'no-change' | 'blocked' | 'limited';
      readonly summary: string | null;
      readonly notBefore: string | null;
    };

export type AgentOutcome =
  /** It did what it could and said so. `claim` is its own word for it; the tree decides what it is worth. */
  | {
      readonly kind: 'succeeded';
      readonly claim: 'done' | 'no-change' | 'blocked' | null;
      readonly summary: string | null;
    }
  /** `code`: `limit` for J18, `start` when no process came to be, `agent` for the rest. */
  | {
      readonly kind: 'failed';
      readonly code: 'limit' | 'start' | 'agent';
      readonly reason: string;
      readonly summary: string | null;
    }
  /** A usage limit. `atOnce`: it reported no output tokens and no cost, so nothing was started (J3). */
  | { readonly kind: 'limited'; readonly notBefore: string; readonly atOnce: boolean; readonly reason: string }
  | { readonly kind: 'interrupted'; readonly reason: string };

export interface OutcomeRules {
  /** Must a terminal success event be seen (the preset has one)? */
  readonly needsTerminal: boolean;
  readonly timeout: { readonly text: string };
  readonly stall: { readonly text: string };
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const MINUTE = 60_000;
/** When a limit does not say when it lifts. */
const LIMIT_UNKNOWN = 60 * MINUTE;
/** A `not_before` further away would be damage (01). */
const LIMIT_LONGEST = 7 * 24 * 60 * MINUTE;
const LIMIT_SHORTEST = MINUTE;

/**
 * Decides. In this order: never started; stopped by us; a limit of ours passed; a usage limit; a stated blocker; no
 * word about its end; its own failure; and only then success: exit 0 (or our signal after its last event), the terminal
 * event where the preset has one, and a result file that can be read or is not there.
 */
export function classifyAgent(facts: AgentFacts, result: ResultFacts, rules: OutcomeRules): AgentOutcome {
  const { report } = facts;
  const summary = result.kind === 'found' ? result.summary : null;
  const failed = (reason: string): AgentOutcome => ({ kind: 'failed', code: 'agent', reason, summary });

  if (facts.endedBy === 'stopped') return { kind: 'interrupted', reason: 'it was stopped' };
  if (!facts.started) {
    return {
      kind: 'failed',
      code: 'start',
      reason: `it could not be started: ${facts.startError ?? 'unknown reason'}`,
      summary,
    };
  }
  if (facts.endedBy === 'timeout') {
    return { kind: 'failed', code: 'limit', reason: `it passed its timeout of ${rules.timeout.text}`, summary };
  }
  if (facts.endedBy === 'stall') {
    const reason = `it passed its stall limit of ${rules.stall.text} with no output, no processor time and no change in the worktree`;
    return { kind: 'failed', code: 'limit', reason, summary };
  }
  const reportedLimit = result.kind === 'found' && result.outcome === 'limited';
  if (reportedLimit || report.terminal === 'limited') {
    return {
      kind: 'limited',
      notBefore: boundedNotBefore((reportedLimit ? result.notBefore : null) ?? report.notBefore, rules.now),
      atOnce: (report.usage?.output ?? 0) === 0 && (report.usage?.cost ?? 0) === 0,
      // Some end with a time that only a program can read; it is in `notBefore`.
      reason: ((reportedLimit ? summary : null) ?? report.message ?? 'the agent met a usage limit').replace(
        /\|\d{10}$/,
        '',
      ),
    };
  }
  // A blocker that was stated is worth more than the way it went away.
  if (result.kind === 'found' && result.outcome === 'blocked') return { kind: 'succeeded', claim: 'blocked', summary };
  if (facts.guardianLost) return failed('its guardian was killed, so how it ended is unknown');
  if (report.terminal === 'failure') return failed(report.message ?? `it reported a failure${exitText(facts)}`);
  const endedWell = facts.code === 0 || (facts.lingered === true && report.terminal === 'success');
  if (!endedWell) return failed(`it ended${exitText(facts)}${because(facts)}`);
  if (rules.needsTerminal && report.terminal !== 'success') {
    return failed(`it ended with exit status 0 and did not report success${because(facts)}`);
  }
  if (result.kind === 'unreadable') return failed(`its result file cannot be used: ${result.why}`);
  return {
    kind: 'succeeded',
    claim: result.kind === 'found' ? (result.outcome as 'done' | 'no-change') : null,
    summary,
  };
}

function exitText(facts: AgentFacts): string {
  if (facts.signal !== null) return ` by ${facts.signal}`;
  return facts.code === null ? ' in an unknown way' : ` with exit status ${facts.code}`;
}

const because = (facts: AgentFacts): string => {
  const text = facts.report.message ?? facts.lastError ?? null;
  return text === null ? '' : `: ${text}`;
};

/** A time between one minute and 7 days from now, RFC 3339; what is missing or no time becomes one hour from now. */
export function boundedNotBefore(text: string | null, now: number): string {
  const parsed = text === null ? Number.NaN : Date.parse(text);
  const wanted = Number.isNaN(parsed) ? now + LIMIT_UNKNOWN : parsed;
  const at = Math.min(Math.max(wanted, now + LIMIT_SHORTEST), now + LIMIT_LONGEST);
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
