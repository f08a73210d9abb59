// One check of `doctor`: what was looked at, how it stands, and the mend.

export interface Finding {
  /** Closed list of short names, stable for scripts. */
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail';
  /** What was found, without a trailing period. */
  readonly message: string;
  /** A command or one sentence that mends it; null: nothing to mend. Never something that destroys. */
  readonly mend: string | null;
}

export const pass = (name: string, message: string): Finding => ({ name, status: 'pass', message, mend: null });
export const warn = (name: string, message: string, mend: string | null): Finding => ({
  name,
  status: 'warn',
  message,
  mend,
});
export const fail = (name: string, message: string, mend: string | null): Finding => ({
  name,
  status: 'fail',
  message,
  mend,
});
