// Moves of our own refs through one long-lived `git update-ref --stdin`, a transaction each: most of a process for one ref is its start.
// Git does the move, so its locks, and what a kill of this program leaves, are the same.

import type { RefUpdate } from './engine.js';
import type { Git, RunningGit } from './git.js';

export interface RefSession {
  /** Starts it ahead of the first move, which then finds it ready. */
  begin(): void;
  /** True: moved, and flushed as far as Git does. False: it was not; look why. */
  move(update: RefUpdate): Promise<boolean>;
  close(): Promise<void>;
}

/** Longer than Git waits for a lock. */
const DEADLINE = 30_000;

/** All moves share one reflog message: for refs whose reflog nobody reads. Starts nothing before it is asked. */
export function refSession(git: Git, message: string): RefSession {
  let running: Promise<RunningGit> | null = null;
  let line: Promise<unknown> = Promise.resolve();

  const start = (): Promise<RunningGit> =>
    git.start(['update-ref', '--no-deref', '-m', message, '--stdin'], {
      reading: false,
      config: ['core.fsync=loose-object,reference', 'core.fsyncMethod=fsync'],
    });

  const carry = async (update: RefUpdate): Promise<boolean> => {
    running ??= start();
    const child = await running.catch(() => null);
    if (child === null) {
      running = null;
      return false;
    }
    child.hold(true);
    const moved = await answered(child, commandsFor(update));
    // After a refusal Git ends; one that gives no answer is ended.
    if (moved) child.hold(false);
    else {
      running = null;
      await child.stop();
    }
    return moved;
  };

  return {
    begin() {
      running ??= start();
      running.catch(() => {});
    },
    move(update) {
      const turn = line.then(() => carry(update));
      line = turn.catch(() => {});
      return turn;
    },
    async close() {
      const child = await running?.catch(() => null);
      await child?.stop();
    },
  };
}

function commandsFor(update: RefUpdate): string {
  const { ref, old } = update;
  const what =
    update.new === 'absent'
      ? `delete ${ref} ${old}`
      : old === 'absent'
        ? `create ${ref} ${update.new}`
        : `update ${ref} ${update.new} ${old}`;
  return `start\n${what}\nprepare\ncommit\n`;
}

/** `commit: ok` is the last of three lines; the end of the process instead is a no. */
function answered(child: RunningGit, commands: string): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    const end = (moved: boolean): void => {
      clearTimeout(timer);
      child.stdout.off('data', hear);
      resolve(moved);
    };
    const hear = (chunk: Buffer): void => {
      said += chunk.toString('latin1');
      if (said.endsWith('commit: ok\n')) end(true);
    };
    const timer = setTimeout(() => end(false), DEADLINE);
    child.stdout.on('data', hear);
    void child.ended.then(() => end(false));
    child.stdin.write(commands);
  });
}
