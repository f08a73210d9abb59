// What `git owl` and the guardian of an agent say to each other: one JSON document a line. Types only (J5).

/** The first line on the guardian's standard input. Afterwards a line `end` ends the agent, and so does the pipe's end. */
export interface GuardianLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that becomes standard input; null: standard input is empty. */
  readonly input: string | null;
  readonly log: string;
  /** File for standard error; null: in the log, in the order of arrival. */
  readonly errors: string | null;
  /** Id of the Run, as in the agent's OWL_RUN. */
  readonly marker: string;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
}

/** Lines on the guardian's standard output. */
export type GuardianReport =
  | { readonly type: 'started'; readonly pid: number; readonly start: string }
  /** It could not be started; nothing else follows. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** It wrote to standard error: a sign of life, not told more often than every 100 ms. */
  | { readonly type: 'errors' }
  /** The agent itself ended; its group is looked after next. `asked`: we had begun to end it. */
  | { readonly type: 'exit'; readonly code: number | null; readonly signal: string | null; readonly asked: boolean }
  /** All of it ended, or what could not be ended is named. The last line. */
  | {
      readonly type: 'ended';
      readonly leftBehind: readonly string[];
      readonly survivors: readonly string[];
      readonly problem: string | null;
    };
