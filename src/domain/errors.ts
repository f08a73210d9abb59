// The one registry of errors: code -> exit status. Expected refusals carry a code from here, what was kept and what to run next.

/** Exit statuses (06, "Everywhere"). */
export const EXIT = {
  ok: 0,
  defect: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  notAccepted: 6,
  busy: 7,
  agent: 8,
  environment: 9,
} as const;

export const ERRORS = {
  defect: EXIT.defect,
  usage: EXIT.usage,
  'not-a-repository': EXIT.notFound,
  'unknown-id': EXIT.notFound,
  'ambiguous-id': EXIT.notFound,
  'missing-base': EXIT.notFound,
  'missing-branch': EXIT.notFound,
  'no-commit': EXIT.notFound,
  'missing-commit': EXIT.notFound,
  'nothing-eligible': EXIT.notFound,
  'nothing-kept': EXIT.notFound,
  refused: EXIT.refused,
  'wrong-state': EXIT.refused,
  untrusted: EXIT.refused,
  'inside-a-run': EXIT.refused,
  quarantine: EXIT.refused,
  'reserved-name': EXIT.refused,
  'name-blocked': EXIT.refused,
  uncommitted: EXIT.refused,
  workspace: EXIT.refused,
  'request-reused': EXIT.refused,
  superseded: EXIT.refused,
  guarded: EXIT.refused,
  'is-live': EXIT.refused,
  conflict: EXIT.conflict,
  contested: EXIT.conflict,
  'not-accepted': EXIT.notAccepted,
  busy: EXIT.busy,
  /** A signal ended the command; the process ends with that signal's status (06). */
  interrupted: EXIT.busy,
  'agent-failed': EXIT.agent,
  'setup-failed': EXIT.agent,
  'git-too-old': EXIT.environment,
  'git-missing': EXIT.environment,
  'git-failed': EXIT.environment,
  'repository-format': EXIT.environment,
  configuration: EXIT.environment,
  'missing-agent': EXIT.environment,
  'missing-remote': EXIT.environment,
  remote: EXIT.environment,
  'damaged-state': EXIT.environment,
  'newer-state': EXIT.environment,
  'foreign-state': EXIT.environment,
  'state-at-risk': EXIT.environment,
  'unreadable-object': EXIT.environment,
  storage: EXIT.environment,
  timeout: EXIT.environment,
  unfit: EXIT.environment,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetail {
  /** What survived, one sentence each. */
  readonly preserved?: readonly string[];
  /** Commands to run next; never one that destroys anything. */
  readonly next?: readonly string[];
  /** Further fields for `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An expected failure. `message` is a sentence without a trailing period. */
export class OwlError extends Error {
  readonly code: ErrorCode;
  readonly preserved: readonly string[];
  readonly next: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'OwlError';
    this.code = code;
    this.preserved = detail.preserved ?? [];
    this.next = detail.next ?? [];
    this.data = detail.data ?? {};
  }

  get exit(): number {
    return ERRORS[this.code];
  }
}

export const isOwlError = (error: unknown, code?: ErrorCode): error is OwlError =>
  error instanceof OwlError && (code === undefined || error.code === code);

/** The order of "worst" among the exit statuses of several units (06); 3 and 2 are those of a unit that was never taken. */
const WORST = [1, 9, 8, 5, 6, 4, 7, 3, 2, 0] as const;

export const worstExit = (codes: readonly number[]): number =>
  WORST.find((code) => codes.includes(code)) ?? codes[0] ?? 0;
