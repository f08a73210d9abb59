// Looks at the prompts and Runs of many Jobs, each kind of thing at once: a look at each would cost thousands of times. Reading only.

import type { Oid } from '../domain/git.js';
import { decodeRun } from './codec.js';
import type { Finding } from './finding.js';
import { lost, newer, treesSafely } from './fsck-find.js';
import type { Tree } from './objects.js';
import type { StateSnapshot } from './snapshot.js';

/** `path`: of the shard. */
export async function checkRuns(
  snapshot: StateSnapshot,
  path: string,
  shard: Tree,
  findings: Finding[],
): Promise<void> {
  const jobs = [...shard].flatMap(([id, { mode, oid }]) =>
    mode === '040000' ? [{ id, path: `${path}/${id}`, oid }] : [],
  );
  const trees = await treesSafely(snapshot, jobs, findings);
  const prompts: FileAt[] = [];
  const folders: FileAt[] = [];
  for (const [at, job] of jobs.entries()) {
    const tree = trees[at] ?? null;
    if (tree === null) continue;
    const [prompt, runs] = [tree.get('prompt'), tree.get('runs')];
    if (prompt === undefined) findings.push(lost(`${job.path}/prompt`, 'the prompt is not there'));
    else prompts.push({ id: job.id, path: `${job.path}/prompt`, oid: prompt.oid });
    if (runs !== undefined) folders.push({ id: job.id, path: `${job.path}/runs`, oid: runs.oid });
  }
  for (const [at, bytes] of (await bytesOf(snapshot, prompts)).entries())
    if (bytes === null) findings.push(lost(prompts[at]?.path ?? path, 'its object is missing or not to be read'));
  const runs = (await treesSafely(snapshot, folders, findings)).flatMap((files, at) =>
    [...(files?.values() ?? [])].map(({ name, oid }): FileAt => {
      const { id = '', path: folder = '' } = folders[at] ?? {};
      return { id, path: `${folder}/${name}`, oid };
    }),
  );
  const data = await bytesOf(snapshot, runs);
  for (const [at, { id, path: where }] of runs.entries()) {
    const bytes = data[at] ?? null;
    const name = where.slice(where.lastIndexOf('/') + 1);
    const run = bytes === null ? null : decodeRun(where, id, name.replace(/\.json$/, ''), bytes);
    if (run === null) findings.push(lost(where, 'its object is missing or not to be read'));
    else if (run.kind === 'damaged') findings.push(lost(where, run.why));
    else if (run.kind === 'newer')
      findings.push(newer(where, `schema ${run.schema}, written by ${run.writer ?? 'a newer version'}`));
  }
}

interface FileAt {
  /** Of the Job. */
  readonly id: string;
  readonly path: string;
  readonly oid: Oid;
}

const bytesOf = (snapshot: StateSnapshot, files: readonly FileAt[]): Promise<readonly (Buffer | null)[]> =>
  snapshot.objects.blobs(files.map(({ oid }) => oid));
