// The output of an agent on its way into `refs/owl/keep/<job>` and back out: parts named in order, a note where bytes were left out (J17).

import { joinParts, logParts } from '../../agent/log.js';
import type { Oid } from '../../domain/git.js';
import type { CheckResult, Run } from '../../domain/job.js';
import type { StateStore } from '../../state/types.js';
import type { Scratch } from './scratch.js';

const partName = (at: number): string => `log/${String(at).padStart(3, '0')}`;

/** Path -> bytes, for the tree of a kept link; empty where the agent printed nothing. */
export async function logFiles(
  scratch: Pick<Scratch, 'log' | 'errors'>,
): Promise<readonly (readonly [string, Buffer])[]> {
  const log = await logParts(scratch.log);
  const errors = joinParts(await logParts(scratch.errors));
  const files: [string, Buffer][] = log.parts.map((part, at) => [partName(at), part]);
  if (log.omitted > 0) files.push(['log/omitted', Buffer.from(`${log.omitted} ${log.before}\n`)]);
  if (errors.length > 0) files.push(['errors', errors]);
  return files;
}

export interface Output {
  /** Name of the check, or `setup-1`, `setup-2`, … */
  readonly name: string;
  readonly bytes: Buffer;
}

/** What the setup commands of a Run printed, as far as it was kept (J15). */
export async function setupOutputs(store: StateStore, link: Oid): Promise<readonly Output[]> {
  const found: Output[] = [];
  for (;;) {
    const name = `setup-${found.length + 1}`;
    const bytes = await store.keptFile(link, outputPath(name));
    if (bytes === null) return found;
    found.push({ name, bytes });
  }
}

/** The kept link that holds log and outputs of a Run; null: nothing was kept, or it has expired. */
export async function linkOf(store: StateStore, run: Pick<Run, 'job' | 'number' | 'kept'>): Promise<Oid | null> {
  if (run.kept !== null) return run.kept;
  const links = await store.kept(run.job);
  return links.find((link) => link.subject === `log of run ${run.number}`)?.link ?? null;
}

/** Where the output of a check or a setup command lies in the tree of a kept link. */
export const outputPath = (name: string): string => `checks/${encodeURIComponent(name)}`;

/** What a check printed: all that is kept here, or the end of it that travelled with its record; null: neither is there. */
export async function checkOutput(store: StateStore, link: Oid | null, check: CheckResult): Promise<Buffer | null> {
  const kept = link === null ? null : await store.keptFile(link, outputPath(check.name));
  return kept ?? (check.output === undefined ? null : Buffer.from(check.output));
}

/** All of a kept log, with a line of ours where bytes were left out; null: nothing was kept. */
export async function keptLog(store: StateStore, link: Oid): Promise<Buffer | null> {
  return keptLogFrom(store, link, 0);
}

/** The same without its first `given` bytes, for who has followed the log so far while it was written. */
export async function keptLogFrom(store: StateStore, link: Oid, given: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (let at = 0; ; at += 1) {
    const part = await store.keptFile(link, partName(at));
    if (part === null) break;
    parts.push(part);
  }
  const note = await store.keptFile(link, 'log/omitted');
  const [omitted = 0, before = parts.length] = note === null ? [] : note.toString('utf8').trim().split(' ').map(Number);
  const errors = await store.keptFile(link, 'errors');
  if (parts.length === 0 && errors === null) return null;
  const head = Buffer.concat(parts.slice(0, before));
  const tail = Buffer.concat(parts.slice(before));
  const seen = given - head.length - omitted;
  const log =
    seen >= 0
      ? tail.subarray(seen)
      : joinParts({
          parts: [head.subarray(given), tail],
          omitted: omitted - Math.max(0, given - head.length),
          before: 1,
        });
  return errors === null ? log : Buffer.concat([log, errors]);
}

/** As files for a kept link, by the name of what printed them. */
export const namedOutputs = (outputs: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...outputs].map(([name, bytes]) => [outputPath(name), bytes]));
