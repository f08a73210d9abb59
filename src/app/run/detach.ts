// `run --detach`: the same command in a session of its own; returns once the claim is made (06, run).

import { spawnDetached } from '../../agent/detached.js';
import type { Context } from '../../context.js';
import { ERRORS, type ErrorCode, OwlError } from '../../domain/errors.js';
import type { Work } from '../goals.js';
import type { Workbench } from '../workbench.js';
import { DETACHED, openScratch, removeScratch } from './scratch.js';
import { liveWork } from './stop.js';

export interface Detached {
  readonly pid: number;
  /** What it took; null: there was nothing to take. */
  readonly unit: { readonly kind: 'job' | 'goal'; readonly id: string } | null;
}

/** Milliseconds until the claim must be there. */
const PATIENCE = 120_000;

/** Throws OwlError `busy`, and what the process said when it ended with a failure before any claim. */
export async function detach(context: Context, bench: Workbench): Promise<Detached> {
  const name = `${DETACHED}${bench.ids.operation()}`;
  const scratch = await openScratch(bench, name);
  const words = context.options.argv.map(withoutDetach).filter((word) => word !== '');
  const child = await spawnDetached({
    args: ['--json', ...words],
    cwd: bench.environment.cwd,
    env: { ...bench.environment.variables, OWL_RUN: name },
    logFile: scratch.log,
  });
  const deadline = bench.clock.elapsed() + PATIENCE;
  for (;;) {
    const ended = child.ended();
    const live = await liveWork(bench, await bench.store.snapshot());
    const mine = live.find(({ claim }) => claim.pid === child.pid);
    if (mine !== undefined) return { pid: child.pid, unit: unitOf(mine) };
    if (ended !== null) {
      const tail = await child.tail();
      await removeScratch(bench, name);
      // Its claim may have come and gone between two looks: then it printed what it carried, whatever became of that.
      const carried = parseLines(tail).find(({ data }) => data?.unit !== undefined)?.data;
      if (carried !== undefined) return { pid: child.pid, unit: { kind: carried.kind, id: carried.id } };
      if (ended === 0) return { pid: child.pid, unit: null };
      throw saidBy(tail) ?? endedWith(ended, tail);
    }
    if (bench.clock.elapsed() > deadline)
      throw new OwlError('busy', 'the background run has made no claim yet', { next: ['git owl status'] });
    await bench.clock.sleep(100, bench.signal);
  }
}

/** `--json`, so that what went wrong is read as data; it is given anew. */
const withoutDetach = (word: string): string => {
  if (word === '--detach' || word === '--json') return '';
  return /^-[adnqv]*d[adnqv]*$/.test(word) ? word.replaceAll('d', '').replace(/^-$/, '') : word;
};

const unitOf = (work: Work) => ({ kind: work.kind, id: work.kind === 'goal' ? work.goal.id : work.job.id });

/** The error document that the process printed last: what it says is what this command says. Null: there is none. */
function saidBy(tail: string): OwlError | null {
  const error = parseLines(tail).findLast((line) => line.error !== undefined)?.error;
  if (error === undefined || !Object.hasOwn(ERRORS, error.code)) return null;
  return new OwlError(error.code, error.message, { preserved: error.preserved, next: error.next });
}

/** What is read of a document that it printed. */
interface Line {
  readonly data?: { readonly kind: 'job' | 'goal'; readonly id: string; readonly unit?: unknown };
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly preserved: readonly string[];
    readonly next: readonly string[];
  };
}

/** One document a line; what is none is left out. */
function parseLines(text: string): readonly Line[] {
  return text.split('\n').flatMap((line): readonly Line[] => {
    if (!line.startsWith('{"schema":"git-owl/')) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** Without an error document: the process itself came to grief. */
const endedWith = (status: number, tail: string): OwlError =>
  new OwlError('agent-failed', `the background run ended with exit status ${status}: ${lastLineOf(tail)}`, {
    next: ['git owl run'],
  });

const lastLineOf = (tail: string): string => tail.trim().split('\n').at(-1) ?? '';
