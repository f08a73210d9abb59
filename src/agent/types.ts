// What a Run gives to an agent and gets back. Presets are data that build the argv and read the stream (09).

import type { Phase, Usage } from '../domain/job.js';
import type { AgentDefinition, Duration } from '../domain/policy.js';

export interface AgentRequest {
  readonly definition: AgentDefinition;
  readonly phase: Phase;
  readonly worktree: string;
  readonly commonDir: string;
  /** Folders that must be writable to commit in the linked worktree (09, rule 13). */
  readonly writable: readonly string[];
  readonly promptFile: string;
  readonly resultFile: string;
  /** Complete environment of the process: scrubbed, with the passed and the OWL_ variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | null;
  readonly budget: string | null;
  readonly sandbox: readonly string[] | 'preset';
}

/** How to start it: made by a preset from a request, pure. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `stdin`: the prompt file is its standard input; `none`: standard input is empty. */
  readonly stdin: 'prompt' | 'none';
  /** A file, to be read after the end, with the agent's last message or usage. */
  readonly files?: { readonly lastMessage?: string; readonly usage?: string } | undefined;
}

/** What the preset made of the output: fed line by line, asked at the end. */
export interface StreamReport {
  /** The terminal event of success was seen, or of failure; `none`: no such event in the stream (or the preset has none). */
  readonly terminal: 'success' | 'failure' | 'limited' | 'none';
  readonly message: string | null;
  readonly lastMessage: string | null;
  readonly usage: Usage | null;
  /** When a usage limit lifts, RFC 3339 in UTC, if it was said. */
  readonly notBefore: string | null;
  /** Tools that were refused, for the notes. */
  readonly denied: readonly string[];
}

export interface StreamReader {
  /** One line of standard output, without its newline; long lines are given cut. Never throws. */
  line(text: string): void;
  report(): StreamReport;
  /** The line worth showing now, where the report's last message grows with all output. */
  latest?(): string | null;
}

export interface Preset {
  readonly name: string;
  /** The executable that must be on PATH. */
  readonly executable: string;
  readonly versionArgs: readonly string[];
  readonly plan: 'writes' | 'last-message';
  /** Must a terminal success event be seen for success (09, rule 3)? */
  readonly needsTerminal: boolean;
  /** Variables that hold its credentials: passed when set, for this agent only. */
  readonly credentials: readonly string[];
  /** As root it runs only when this variable is set; `doctor` explains, nobody sets it silently (09, rule 7). */
  readonly rootVariable?: string | undefined;
  /** Its commands do not see the user's Git configuration: who commits is told to it in variables. */
  readonly hidesGitConfig?: boolean | undefined;
  invocation(request: AgentRequest): Invocation;
  /** `now`: milliseconds since the epoch, for limits that say a time of day. Default: the machine's. */
  reader(now?: () => number): StreamReader;
}

export interface AgentLimits {
  readonly timeout: Duration;
  readonly stall: Duration;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly endedBy: 'itself' | 'timeout' | 'stall' | 'stopped';
  readonly report: StreamReport;
  /** Processes that were left behind and were ended, one line each. */
  readonly leftBehind: readonly string[];
  readonly started: boolean;
  /** Why it could not be started. */
  readonly startError: string | null;
  /** It reported its end, did not exit in time, and was ended by us after that (J19). */
  readonly lingered?: boolean | undefined;
  /** The guardian was killed: how the agent ended is unknown. */
  readonly guardianLost?: boolean | undefined;
  /** Last line of its standard error (or log), for the reason of a failure. Not escaped. */
  readonly lastError?: string | null | undefined;
}

/** `$OWL_RESULT_FILE` (J16b). */
export interface AgentResult {
  readonly outcome: 'done' | 'no-change' | 'blocked' | 'limited';
  readonly summary?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly not_before?: string | undefined;
}
