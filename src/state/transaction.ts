// One change on top of one snapshot: what it reads, it sees with its own writes; what it writes becomes a tree (01, Writes).

import type { EventDraft } from '../domain/events.js';
import type { Oid } from '../domain/git.js';
import type { Job, Run } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import { joinCounts, type OpenCounts } from '../domain/open-counts.js';
import { queueOrder } from '../domain/queue.js';
import type { NewObject, RefUpdate } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { canonicalLine } from './canonical.js';
import { encodeRecord, flawOfJob, keepUnknown } from './codec.js';
import { goalWrites } from './goal-writes.js';
import { type Area, isRunId, isWorkId, promptPath, recordPath, runPath, tombstonePath, workPath } from './layout.js';
import { carry, defect, nextRecord, recordOf } from './next-record.js';
import { areaOf, reindex } from './reindex.js';
import type { StateSnapshot } from './snapshot.js';
import { editTree } from './tree.js';
import type { Pin, Tx } from './types.js';

/** A change made ready: its tree, its objects, and what goes before and after the state commit. */
export interface Built {
  /** Tree of the next state commit; equal to the snapshot's when no record changed. */
  readonly root: Oid | null;
  readonly objects: readonly NewObject[];
  readonly pins: readonly Pin[];
  readonly moves: readonly (RefUpdate & { readonly why: string })[];
  readonly event: EventDraft | null;
  readonly open: OpenCounts;
  /** Jobs that this change creates. */
  readonly created: readonly Job[];
  /** Ids of Jobs and Goals that it opens again, or keeps something of while they are closed: what is archived comes back first (M12). */
  readonly revived: readonly string[];
}

export interface Transaction {
  readonly tx: Tx;
  /** `extra`: further files of the store's own, path -> bytes, or null to remove. */
  build(extra: ReadonlyMap<string, Buffer | null>): Promise<Built>;
}

/** `now` is RFC 3339 in UTC. Nothing is written before the store writes what `build` returned. */
export function beginTransaction(snapshot: StateSnapshot, op: string, now: string): Transaction {
  const jobs = new Map<string, Job>();
  const prompts = new Map<string, string>();
  const runs = new Map<string, Map<string, Run>>();
  const buried = new Set<string>();
  const pins: Pin[] = [];
  const moves: (RefUpdate & { readonly why: string })[] = [];
  const objects: NewObject[] = [];
  let event: EventDraft | null = null;
  const goals = goalWrites(snapshot, { op, now }, (pin) => pins.push(pin));

  const merged = async (area: Area): Promise<readonly Job[]> => {
    const base = await (area === 'open' ? snapshot.openJobs() : snapshot.closedJobs());
    const untouched = base.filter((job) => !jobs.has(job.id) && !buried.has(job.id));
    const mine = [...jobs.values()].filter((job) => areaOf(job) === area);
    return [...untouched, ...mine].sort(queueOrder);
  };

  const tx: Tx = {
    ...goals.tx,
    tip: snapshot.tip,
    op,
    now,
    meta: snapshot.meta,
    damages: snapshot.damages,
    job: async (id) => {
      const mine = jobs.get(id);
      if (buried.has(id)) return { kind: 'deleted', at: now };
      return mine === undefined ? snapshot.job(id) : { kind: 'found', record: mine };
    },
    prompt: async (id) => (buried.has(id) ? null : (prompts.get(id) ?? snapshot.prompt(id))),
    openCounts: async () => {
      const counts: Record<string, number> = {};
      for (const job of await merged('open')) if (!isRoundJob(job)) counts[job.state] = (counts[job.state] ?? 0) + 1;
      return joinCounts(counts, await goals.counts());
    },
    openJobs: () => merged('open'),
    closedJobs: () => merged('closed'),
    jobIds: async () => [...new Set([...(await snapshot.jobIds()), ...jobs.keys()])].sort(),
    runs: async (job) => {
      if (buried.has(job)) return [];
      const mine = runs.get(job) ?? new Map<string, Run>();
      const base = (await snapshot.runs(job)).filter((run) => !mine.has(run.id));
      return [...base, ...mine.values()].sort((one, two) => one.number - two.number || (one.id < two.id ? -1 : 1));
    },
    run: async (job, run) => {
      const mine = runs.get(job)?.get(run);
      if (buried.has(job)) return { kind: 'unknown' };
      return mine === undefined ? snapshot.run(job, run) : { kind: 'found', record: mine };
    },
    putJob: (job) => {
      if (buried.has(job.id)) throw defect(`job ${job.id} was to be written and deleted at once`);
      encodeRecord('job', recordPath('job', areaOf(job), job.id), job);
      const flaw = flawOfJob(job, snapshot.now);
      if (flaw !== null) throw defect(`job ${job.id} was to be written and would be damaged: ${flaw}`);
      jobs.set(job.id, job);
    },
    changedJobs: () =>
      Promise.all(
        [...jobs].map(async ([id, after]) => ({ before: recordOf(`job ${id}`, await snapshot.job(id)), after })),
      ),
    putPrompt: (job, text) => {
      prompts.set(job, text);
    },
    putRun: (run) => {
      if (!isRunId(run.id)) throw defect(`a run was to be written with the id ${JSON.stringify(run.id.slice(0, 80))}`);
      encodeRecord('run', runPath('open', run.job, run.id), run);
      const mine = runs.get(run.job) ?? new Map<string, Run>();
      runs.set(run.job, mine.set(run.id, run));
    },
    bury: (job) => {
      jobs.delete(job);
      prompts.delete(job);
      runs.delete(job);
      buried.add(job);
    },
    move: (update, why) => {
      moves.push({ ...update, why });
    },
    keep: (pin) => {
      if (!isWorkId(pin.job))
        throw defect(`something was to be kept for ${JSON.stringify(pin.job.slice(0, 80))}, which is no id`);
      pins.push(pin);
    },
    write: (more) => {
      objects.push(...more);
    },
    event: (draft) => {
      event = draft;
    },
  };

  async function build(extra: ReadonlyMap<string, Buffer | null>): Promise<Built> {
    const editor = editTree(snapshot.objects, snapshot.root);
    const made: NewObject[] = [...objects];
    const putFile = async (path: string, data: Buffer | string): Promise<void> => {
      const blob = newBlob(snapshot.objects.format, data);
      made.push(blob);
      await editor.put(path, { mode: '100644', oid: blob.oid });
    };

    const before = new Map<string, Job | null>();
    const after = new Map<string, Job>();
    for (const [id, job] of jobs) {
      const old = recordOf(`job ${id}`, await snapshot.job(id));
      if (old === null && (await snapshot.goalArea(id)) !== null)
        throw defect(`${id} is a goal and cannot be a job too`);
      const next = nextRecord('job', old, job);
      before.set(id, old);
      after.set(id, next);
      if (old !== null && canonicalLine(old) === canonicalLine(next)) continue;
      if (old !== null && areaOf(old) !== areaOf(next)) await carry(editor, 'job', id, areaOf(old), areaOf(next));
      await putFile(recordPath('job', areaOf(next), id), encodeRecord('job', id, next));
    }
    for (const id of buried) {
      const old = recordOf(`job ${id}`, await snapshot.job(id));
      if (old === null) throw defect(`job ${id} was to be deleted and is not there`);
      before.set(id, old);
      await editor.remove(workPath('job', areaOf(old), id));
      const tombstone = { schema: 1, kind: 'tombstone', id, of: 'job', at: now, op };
      await putFile(tombstonePath(id), encodeRecord('tombstone', id, tombstone));
    }
    for (const [id, text] of prompts) await putFile(promptPath(await placeOf(id, after), id), text);
    for (const [id, mine] of runs) {
      const area = await placeOf(id, after);
      for (const run of mine.values()) {
        const old = recordOf(`run ${run.id}`, await snapshot.run(id, run.id));
        const next = keepUnknown('run', old, run);
        if (old !== null && canonicalLine(old) === canonicalLine(next)) continue;
        await putFile(runPath(area, id, run.id), encodeRecord('run', run.id, next));
      }
    }

    const touched = new Set([...jobs.keys(), ...buried, ...prompts.keys(), ...runs.keys()]);
    const jobCounts = await reindex(snapshot, editor, { before, after, touched }, putFile);
    const open = joinCounts(jobCounts, await goals.build(editor, putFile));
    for (const [path, data] of extra) {
      if (data === null) await editor.remove(path);
      else await putFile(path, data);
    }
    const root = await editor.seal();
    const kept = new Set(pins.map((pin) => pin.job));
    const revived: string[] = [...(await goals.reopened())];
    for (const id of new Set([...jobs.keys(), ...kept])) {
      const opened = after.get(id);
      const wasClosed = [await snapshot.area(id), await snapshot.goalArea(id)].includes('closed');
      if (wasClosed && (kept.has(id) || (opened !== undefined && areaOf(opened) === 'open'))) revived.push(id);
    }
    const created = [...after.values()].filter((job) => before.get(job.id) === null);
    return { root, objects: [...made, ...editor.made], pins, moves, event, open, created, revived };
  }

  async function placeOf(id: string, after: ReadonlyMap<string, Job>): Promise<Area> {
    const job = after.get(id);
    const area = job === undefined ? await snapshot.area(id) : areaOf(job);
    if (area === null) throw defect(`something of job ${id} was to be written, and there is no such job`);
    return area;
  }

  return { tx, build };
}
