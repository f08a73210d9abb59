// Fail points: named places where a test ends this process with SIGKILL, to prove that every step can be lost, or stops it, to prove that
// it may come back to a world that went on.
// Without OWL_FAIL_AT in the environment they do nothing.

/** Reads `process.env` itself: a fail point must work in code that is given no environment, such as a Git engine. */
const variable = (name: string): string | undefined => process.env[name];

/** The one mutable value of a module in this program: how often the chosen fail point was passed in this process. */
let passed = 0;

/**
 * Ends this process with SIGKILL when OWL_FAIL_AT is `name`; with OWL_FAIL_AT_COUNT=n only at the n-th time (default 1). With
 * OWL_FAIL_WITH=SIGSTOP it only stops there, that one time, and goes on with SIGCONT. Otherwise returns at once. Names are `<workflow>.<before|after>-<step>`, such as `run.before-claim`.
 */
export async function failpoint(name: string): Promise<void> {
  if (variable('OWL_FAIL_AT') !== name) return;
  passed += 1;
  const count = Number(variable('OWL_FAIL_AT_COUNT') ?? 1);
  if (passed < count) return;
  if (variable('OWL_FAIL_WITH') === 'SIGSTOP') {
    if (passed === count) process.kill(process.pid, 'SIGSTOP');
    return;
  }
  process.kill(process.pid, 'SIGKILL');
  await new Promise<never>(() => {});
}
