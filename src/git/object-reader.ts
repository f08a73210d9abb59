// Objects through one long-lived `git cat-file --batch-command`, started when a read needs it. Many callers, one queue.

import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { OwlError } from '../domain/errors.js';
import type { ObjectFormat, ObjectType, Oid } from '../domain/git.js';
import type { GitObject } from './engine.js';
import type { Git, RunningGit } from './git.js';
import { loadLoose, loosePath } from './loose-objects.js';
import { newObject } from './objects.js';
import { loadPacked } from './pack-files.js';

export interface ObjectReader {
  read(oid: Oid): Promise<GitObject | null>;
  readMany(oids: readonly Oid[]): Promise<readonly (GitObject | null)[]>;
  /** What is on disk now: asked of a new process, since a long-lived one still sees packs that were removed meanwhile. */
  exists(oids: readonly Oid[]): Promise<readonly boolean[]>;
  close(): Promise<void>;
}

interface Wanted {
  readonly oid: Oid;
  readonly found: (object: GitObject | 'missing') => void;
  readonly failed: (error: OwlError) => void;
}

/** The object is there and cannot be read, or is not what its name says. */
export const unreadable = (oid: Oid, why: string): OwlError =>
  new OwlError('unreadable-object', `object ${oid} cannot be read (${why})`, {
    preserved: ['Nothing was changed.'],
    next: ['git fsck --connectivity-only', 'git owl doctor'],
    data: { oid },
  });

/** Above this many at once a process is faster than a file each. */
const FEW = 16;

/** `commonDir` is where the loose objects lie. */
export function objectReader(git: Git, format: ObjectFormat, commonDir: string): ObjectReader {
  let queue: Wanted[] = [];
  let running: Promise<RunningGit> | null = null;
  let flushing = false;
  let barren = 0;

  /** Everything that waits fails together. */
  const failAll = (error: OwlError): void => {
    const waiting = queue;
    queue = [];
    for (const wanted of waiting) wanted.failed(error);
  };

  const begin = async (): Promise<RunningGit> => {
    const child = await git.start(['cat-file', '--batch-command', '--buffer']);
    let answers = 0;
    const parse = answerParser((answer) => {
      const wanted = queue.shift();
      if (wanted === undefined) return;
      answers += 1;
      if (queue.length === 0) child.hold(false);
      if (answer === 'missing') wanted.found('missing');
      else if (newObject(format, answer.type, answer.data).oid !== wanted.oid) {
        wanted.failed(unreadable(wanted.oid, 'its content does not match its id'));
      } else wanted.found(answer);
    });
    child.stdout.on('data', parse);
    void child.ended.then((end) => {
      running = null;
      if (queue.length === 0) return;
      barren = answers === 0 ? barren + 1 : 0;
      if (end instanceof OwlError) return failAll(end);
      // Git ends at the first object that it cannot read. The others are asked of a new process.
      const culprit = queue.shift();
      culprit?.failed(unreadable(culprit.oid, 'Git gave it up'));
      if (barren >= 3)
        return failAll(
          new OwlError('git-failed', 'git cat-file ends without an answer', { data: { stderr: end.stderr } }),
        );
      const sent = queue.filter((wanted) => !fresh.includes(wanted));
      if (sent.length > 0) send(sent);
    });
    return child;
  };

  const send = (wanted: readonly Wanted[]): void => {
    running ??= begin();
    const lines = `${wanted.map(({ oid }) => `contents ${oid}`).join('\n')}\nflush\n`;
    void running.then(
      (child) => {
        child.hold(true);
        child.stdin.write(lines);
      },
      (error: unknown) => {
        running = null;
        failAll(
          error instanceof OwlError
            ? error
            : new OwlError('git-failed', 'git cat-file could not be started', { cause: error }),
        );
      },
    );
  };

  let fresh: Wanted[] = [];
  /** Reads of one tick travel together. In order; one promise for all of them, since they may be thousands. */
  const ask = (oids: readonly Oid[]): Promise<readonly (GitObject | 'missing')[]> =>
    new Promise((resolve, reject) => {
      const answers: (GitObject | 'missing')[] = [];
      let left = oids.length;
      let failure: OwlError | null = null;
      const answered = (): void => {
        left -= 1;
        if (left > 0) return;
        if (failure === null) resolve(answers);
        else reject(failure);
      };
      for (const [at, oid] of oids.entries()) {
        const found = (object: GitObject | 'missing'): void => {
          answers[at] = object;
          answered();
        };
        const failed = (error: OwlError): void => {
          failure ??= error;
          answered();
        };
        const wanted = { oid, found, failed };
        queue.push(wanted);
        fresh.push(wanted);
      }
      if (flushing) return;
      flushing = true;
      queueMicrotask(() => {
        flushing = false;
        const batch = fresh;
        fresh = [];
        send(batch);
      });
    });

  /** A few objects are read at once without a process; the id is the proof that they are right. */
  const look = (oid: Oid): GitObject | null =>
    loadLoose(commonDir, format, oid) ?? (running === null ? loadPacked(commonDir, format, oid) : null);

  const readMany = async (oids: readonly Oid[]): Promise<readonly (GitObject | null)[]> => {
    const near = oids.length <= FEW ? oids.map(look) : [];
    const far = oids.filter((_, at) => (near[at] ?? null) === null);
    const answers = far.length === 0 ? [] : await ask(far);
    let next = 0;
    const objects = oids.map((_, at) => near[at] ?? (answers[next++] as GitObject | 'missing'));
    const missing = oids.filter((_, at) => objects[at] === 'missing');
    if (missing.length > 0) await proveAbsent(git, format, commonDir, missing);
    return objects.map((object) => (object === 'missing' ? null : object));
  };

  return {
    readMany,
    async read(oid) {
      return (await readMany([oid]))[0] ?? null;
    },
    async exists(oids) {
      const loose = await Promise.all(oids.map((oid) => isLoose(commonDir, oid)));
      const rest = oids.filter((_, at) => loose[at] !== true);
      if (rest.length === 0) return loose;
      const { stdout } = await check(git, rest);
      const lines = stdout.split('\n');
      const packed = new Set(rest.filter((_, at) => lines[at]?.endsWith(' missing') === false));
      return oids.map((oid, at) => loose[at] === true || packed.has(oid));
    },
    async close() {
      const child = await running?.catch(() => null);
      await child?.stop();
    },
  };
}

async function isLoose(commonDir: string, oid: Oid): Promise<boolean> {
  const found = await stat(loosePath(commonDir, oid)).catch(() => null);
  return found !== null && found.size > 0;
}

async function check(git: Git, oids: readonly Oid[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const input = `${oids.join('\n')}\n`;
  const result = await git.run(['cat-file', '--batch-check', '--buffer'], { input });
  return { stdout: result.stdout.toString('utf8'), stderr: result.stderr };
}

/**
 * Git says "missing" of a damaged loose or packed object, too, and complains beside it. Complaint or not is what is looked at, never
 * its words; a repository in which Git complains about anything is told by an id that nobody has.
 */
async function proveAbsent(git: Git, format: ObjectFormat, commonDir: string, oids: readonly Oid[]): Promise<void> {
  const quiet = async (some: readonly Oid[]): Promise<boolean> => (await check(git, some)).stderr === '';
  if (await quiet(oids)) return;
  const noisy = !(await quiet([newObject(format, 'blob', randomBytes(32)).oid]));
  for (const oid of oids) {
    const damaged = noisy ? (await stat(loosePath(commonDir, oid)).catch(() => null)) !== null : !(await quiet([oid]));
    if (damaged) throw unreadable(oid, 'it is damaged');
  }
}

/** Splits the output of `cat-file --batch-command`: a line `<oid> <type> <size>` and that many bytes and a newline, or `<oid> missing`. */
function answerParser(answered: (answer: GitObject | 'missing') => void): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let length = 0;
  let head: { readonly type: ObjectType; readonly size: number } | null = null;
  return (chunk) => {
    held.push(chunk);
    length += chunk.length;
    // Joined only when a whole object is there, so that a large one is not copied once a chunk.
    if (head !== null && length < head.size + 1) return;
    let data = Buffer.concat(held, length);
    for (;;) {
      if (head === null) {
        const end = data.indexOf(0x0a);
        if (end < 0) break;
        const [, type = 'missing', size] = data.toString('latin1', 0, end).split(' ');
        data = data.subarray(end + 1);
        if (size === undefined) answered('missing');
        else head = { type: type as ObjectType, size: Number(size) };
      } else {
        if (data.length < head.size + 1) break;
        // A copy: the chunk behind it would be kept alive by the smallest blob.
        const object: GitObject = { type: head.type, data: Buffer.from(data.subarray(0, head.size)) };
        data = data.subarray(head.size + 1);
        head = null;
        answered(object);
      }
    }
    held = [data];
    length = data.length;
  };
}
