// The note of this clone on a Run, or on a gate of a Goal, from its agent's start to its end: the process group to be ended when git owl is gone (J5).

export interface RunNote {
  /** Its id; of a gate the Goal's. */
  readonly job: string;
  /** Leader of the agent's group; absent: no agent was started. */
  readonly pid?: number;
  readonly start?: string;
  /** Its end could not be written, by no fault of the agent: it costs nothing. */
  readonly free?: true;
}

export const noteOfRun = (run: string): string => `runs/${run}`;
