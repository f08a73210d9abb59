// The output of one Run, kept or as it comes: what `log` prints of a Job and of a Goal's Rounds (J15, J17, J27).

import { tailFile } from '../agent/log.js';
import { tellAsItComes } from '../agent/transcript.js';
import { isDead } from '../app/run/dead.js';
import { failuresOf, newestFailures } from '../app/run/failures.js';
import { keptLog, keptLogFrom, linkOf, setupOutputs } from '../app/run/kept-log.js';
import { scratchOf } from '../app/run/scratch.js';
import { logSubject } from '../app/skill/record.js';
import type { Workbench } from '../app/workbench.js';
import type { Context } from '../context.js';
import type { Invocation } from '../domain/invocation.js';
import type { Job, Run } from '../domain/job.js';
import { nextCommands } from '../domain/next.js';
import { escapeText } from '../output/escape.js';
import { encodeJson, success } from '../output/json.js';
import type { Report } from '../output/report.js';
import type { Lines } from '../output/theme.js';

/** What one check or setup command printed. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The log, then each output under its name. */
export const outputLines = (text: string, outputs: readonly NamedText[]): Lines => [
  ...(text === '' ? [] : linesOf(text)),
  ...outputs.flatMap((output) => [`--- ${escapeText(output.name)}`, ...linesOf(output.text)]),
];

const linesOf = (text: string): Lines => escapeText(text).replace(/\n$/, '').split('\n');

/**
 * Setup commands print before there is an agent; checks that passed have nothing to say. `newest`: of a Job, not of one Run: what
 * failed in a verification since counts instead.
 */
export async function loadOutputs(
  bench: Workbench,
  job: Job,
  chosen: Run,
  newest: boolean,
): Promise<readonly NamedText[]> {
  if (chosen.outcome === null) return [];
  const link = await linkOf(bench.store, chosen);
  const failed = await (newest ? newestFailures(bench.store, job, chosen) : failuresOf(bench.store, chosen));
  const found = [
    ...(link === null ? [] : await setupOutputs(bench.store, link)),
    ...failed.flatMap(({ check, output }) => (output === null ? [] : [{ name: check.name, bytes: output }])),
  ];
  return found.map(({ name, bytes }) => ({ name, text: bytes.toString('utf8') }));
}

/** All that it printed so far. */
export async function loadRunLog(bench: Workbench, chosen: Run): Promise<Buffer> {
  if (chosen.outcome === null) return loadLive(bench, chosen.id);
  const link = await linkOf(bench.store, chosen);
  return (link === null ? null : await keptLog(bench.store, link)) ?? Buffer.alloc(0);
}

/** The same of a handler or Skill that was started; empty where another clone has it, or it has expired. */
export async function loadSkillLog(bench: Workbench, one: Invocation): Promise<Buffer> {
  if (one.state === 'started' && one.claim !== null) return loadLive(bench, one.claim.run);
  const subject = logSubject(one);
  const link = (await bench.store.kept(one.goal)).find((kept) => kept.subject === subject);
  return (link === undefined ? null : await keptLog(bench.store, link.link)) ?? Buffer.alloc(0);
}

async function loadLive(bench: Workbench, marker: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  const { clock } = bench;
  const ended = AbortSignal.abort();
  for await (const bytes of tailFile(scratchOf(bench, marker).log, { signal: ended, clock, finished: () => true }))
    parts.push(bytes);
  return Buffer.concat(parts);
}

/** A live log: whose, how it ends, and where the rest of it is then. */
export interface Live {
  /** Fields of each JSON document beside `text`. */
  readonly of: Readonly<Record<string, unknown>>;
  /** Every line as it came, for a person too. */
  readonly raw: boolean;
  /** Names its scratch folder. */
  readonly marker: string;
  readonly finished: () => Promise<boolean>;
  /** What was kept, without the first `given` bytes; null: nothing. */
  readonly rest: (given: number) => Promise<Buffer | null>;
}

/** Prints it as it comes, until it ends or the reader goes away. Returns a way to print more of the same. */
export async function followLog(context: Context, bench: Workbench, live: Live): Promise<(bytes: Buffer) => void> {
  const signal = AbortSignal.any([context.signal, context.streams.stdout.closed]);
  // A character may lie across two pieces.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const asItComes = live.raw || context.options.json;
  const write = (text: string): void => {
    context.streams.stdout.write(
      context.options.json ? encodeJson(success('log', { ...live.of, text })) : escapeText(text),
    );
  };
  const told = tellAsItComes(write);
  const print = (bytes: Buffer): void => {
    const text = decoder.decode(bytes, { stream: true });
    if (asItComes) write(text);
    else told.feed(text);
  };
  let given = 0;
  const { log } = scratchOf(bench, live.marker);
  for await (const bytes of tailFile(log, { signal, clock: bench.clock, finished: live.finished })) {
    given += bytes.length;
    print(bytes);
  }
  // What is settled takes its files away, maybe before all of them was read here: the rest is kept.
  const rest = signal.aborted ? null : await live.rest(given);
  if (rest !== null && rest.length > 0) print(rest);
  told.end();
  return (bytes) => write(bytes.toString('utf8'));
}

/** `of`: further fields of each JSON document. */
export async function followRun(
  context: Context,
  bench: Workbench,
  job: Job,
  chosen: Run,
  raw: boolean,
  of: Live['of'] = {},
): Promise<Report> {
  let dead = false;
  await followLog(context, bench, {
    of: { ...of, job: job.id, run: chosen.number },
    raw,
    marker: chosen.id,
    finished: async () => {
      const snapshot = await bench.store.snapshot();
      const now = await snapshot.run(job.id, chosen.id);
      if (now.kind !== 'found' || now.record.outcome !== null) return true;
      const claimed = await snapshot.job(job.id);
      dead =
        claimed.kind === 'found' && claimed.record.claim?.run === chosen.id && (await isDead(bench, claimed.record));
      return dead;
    },
    rest: async (given) => {
      const now = await (await bench.store.snapshot()).run(job.id, chosen.id);
      const link = now.kind === 'found' && now.record.outcome !== null ? await linkOf(bench.store, now.record) : null;
      return link === null ? null : keptLogFrom(bench.store, link, given);
    },
  });
  const next = job.goal === null ? nextCommands(job, { dead }) : [`git owl goal advance ${job.goal}`];
  const notes = dead
    ? [`the process of this Run is gone: no more will come`, ...next.map((one) => `next: ${one}`)]
    : [];
  return { kind: 'log', data: null, view: () => [], streamed: true, notes };
}
