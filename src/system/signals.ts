// SIGINT, SIGTERM and SIGHUP as an AbortSignal: the first one asks the command to end in order, a second one ends the process.

/**
 * Milliseconds within which another signal is the same wish: Ctrl-C reaches the whole group of a terminal, and `git`, as whose command
 * we run, passes its own on to us at once; what is closed or timed out sends two as well.
 */
const ECHO = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly NodeJS.Signals[];

export interface Signals {
  /** `reason` is the signal's name. */
  readonly signal: AbortSignal;
  received(): NodeJS.Signals | null;
  /**
   * Waits for the work; after a signal for at most `grace` milliseconds more. Then it rejects with an Error, since what
   * does not end by itself must not keep a terminal or a CI job waiting.
   */
  bounded<T>(work: Promise<T>, grace: number): Promise<T>;
  release(): void;
}

/** `now`: milliseconds, only for differences. */
export function catchSignals(
  source: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>,
  now: () => number = () => performance.now(),
): Signals {
  const controller = new AbortController();
  let received: NodeJS.Signals | null = null;
  let at = 0;
  const release = (): void => {
    for (const name of SIGNALS) source.off(name, handle);
  };
  const handle = (name: NodeJS.Signals): void => {
    if (received !== null) {
      if (now() - at < ECHO) return;
      // The system's own way to end: nothing of ours runs any more; guardians end the agents (J5).
      release();
      source.kill(source.pid, name);
      return;
    }
    received = name;
    at = now();
    controller.abort(name);
  };
  for (const name of SIGNALS) source.on(name, handle);
  return {
    signal: controller.signal,
    received: () => received,
    bounded: (work, grace) =>
      new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const onAbort = (): void => {
          timer = setTimeout(() => reject(new Error(`still busy after ${String(controller.signal.reason)}`)), grace);
        };
        controller.signal.addEventListener('abort', onAbort, { once: true });
        work.then(resolve, reject).finally(() => {
          clearTimeout(timer);
          controller.signal.removeEventListener('abort', onAbort);
        });
      }),
    release,
  };
}
