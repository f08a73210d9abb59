// Skills on `job.<state>`: commands that run once after the write that took the Job there, bounded, and that decide nothing (G61).
// They have no checkout, but a folder of their own below the repository's Git folder, where Git finds the repository and no working tree.
// A failure of one is said, and changes nothing.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../agent/command.js';
import { agentEnvironment } from '../../agent/environment.js';
import { makeWritable } from '../../agent/sandbox.js';
import { boundToState, type Due, type DueJob, jobDocument, jobEvent, jobVariables } from '../../domain/due.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import type { LoadedPolicy, Skill } from '../../domain/policy.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { jobBranch } from '../jobs.js';
import { currentPolicy, wishOf } from '../policy.js';
import { endStarted } from '../run/recover.js';
import { openScratch, removeScratch } from '../run/scratch.js';
import { isTrusted } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { DUE } from './note-due.js';

/** Closed Goals whose Skills are noted as due, with what takes the note away. */
export interface DueGoal {
  readonly goal: string;
  readonly done: () => Promise<void>;
}

/** Carries out what is due of Jobs; what is due of closed Goals is returned. One's trouble never stops the next, nor a Run: it is said. */
export async function runJobSkills(bench: Workbench): Promise<readonly DueGoal[]> {
  const goals: DueGoal[] = [];
  for (const { name } of await bench.notes.list(DUE)) {
    if (bench.signal.aborted) break;
    try {
      goals.push(...(await carryOutNote(bench, name)));
    } catch (error) {
      if (!isOwlError(error) || error.code === 'state-at-risk') throw error;
      bench.say(error.message);
    }
  }
  return goals;
}

async function carryOutNote(bench: Workbench, name: string): Promise<readonly DueGoal[]> {
  const note = await bench.notes.read<Due>(name);
  if (note === null) return [];
  const { value, oid } = note;
  if (value.jobs.length === 0) {
    const done = async (): Promise<void> => void (await bench.notes.remove(name, oid));
    return value.goals.map((goal) => ({ goal, done }));
  }
  await (value.claim === null ? take(bench, name, value, oid) : settleDead(bench, name, value, oid));
  return [];
}

/** What a dead process began is ended and not begun again: nobody knows how far it came. */
async function settleDead(bench: Workbench, name: string, due: Due, oid: Oid): Promise<void> {
  const { claim } = due;
  if (claim === null || isAlive(claim, await bench.environment.process()) !== 'dead') return;
  if ((await endStarted(bench, claim.run)).foreign !== null) return;
  if (!(await bench.notes.remove(name, oid))) return;
  await removeScratch(bench, claim.run);
  for (const { job, state } of due.jobs)
    bench.say(`job ${job}: git owl was ended while Skills of ${jobEvent(state)} ran; they are not started again`);
}

async function take(bench: Workbench, name: string, due: Due, oid: Oid): Promise<void> {
  const marker = bench.ids.run();
  const claim = { run: marker, ...(await bench.environment.process()), since: bench.clock.timestamp() };
  await failpoint('job-skill.before-claim');
  if (!(await bench.notes.write(name, { ...due, claim }, oid))) return;
  await failpoint('job-skill.after-claim');
  try {
    for (const one of due.jobs) await runFor(bench, one, marker);
  } finally {
    await removeScratch(bench, marker);
    const mine = await bench.notes.read<Due>(name);
    if (mine?.value.claim?.run === marker) await bench.notes.remove(name, mine.oid);
  }
}

async function runFor(bench: Workbench, due: DueJob, marker: string): Promise<void> {
  const found = await (await bench.store.snapshot()).job(due.job);
  if (found.kind !== 'found') return;
  const job = found.record;
  let loaded: LoadedPolicy;
  try {
    ({ loaded } = await currentPolicy(bench, wishOf(job)));
  } catch (error) {
    if (!isOwlError(error)) throw error;
    bench.say(`job ${job.id}: no Skill of ${jobEvent(due.state)} was started: ${error.message}`);
    return;
  }
  const bound = boundToState(loaded.policy.skills, due.state);
  if (bound.length === 0) return;
  if (!(await isTrusted(bench, loaded))) {
    bench.say(
      `job ${job.id}: no Skill of ${jobEvent(due.state)} was started: its configuration is not trusted here; look at it with git owl trust`,
    );
    return;
  }
  for (const skill of bound) if (!bench.signal.aborted) await runOne(bench, { job, due, skill, loaded, marker });
}

interface One {
  readonly job: Job;
  readonly due: DueJob;
  readonly skill: Skill;
  readonly loaded: LoadedPolicy;
  readonly marker: string;
}

async function runOne(bench: Workbench, { job, due, skill, loaded, marker }: One): Promise<void> {
  const { policy } = loaded;
  const event = jobEvent(due.state);
  const scratch = await openScratch(bench, marker);
  const { folder } = scratch;
  const file = join(folder, 'event.json');
  const { id, title, state, revision, tip, goal, reason } = job;
  const branch = jobBranch(job);
  const document = {
    event,
    skill: skill.name,
    job: id,
    title,
    state,
    revision,
    branch,
    base: job.onto,
    tip,
    goal,
    reason,
  };
  await writeFile(file, jobDocument(document), { mode: 0o600 });
  const prefix = policy.sandbox === 'preset' ? [] : policy.sandbox;
  if (prefix.length > 0) await makeWritable([folder]);
  bench.say(`job ${id}: ${skill.name} for ${event}`);
  const result = await runCommand({
    command: skill.run ?? '',
    cwd: folder,
    env: agentEnvironment({
      variables: bench.environment.variables,
      pass: policy.env,
      job: id,
      run: marker,
      phase: 'skill',
      base: job.onto?.oid ?? '',
      handoff: HANDOFF_PATH,
      worktree: folder,
      ...(goal === null ? {} : { goal: { id: goal, round: job.round ?? 1 } }),
      told: jobVariables(document, file),
    }),
    timeout: skill.timeout,
    marker,
    signal: bench.signal,
    clock: bench.clock,
    ...(prefix.length > 0 ? { sandbox: { prefix, folders: { worktree: folder, writable: [folder] } } } : {}),
    logFile: scratch.file(skill.name),
  });
  const end = result.timedOut
    ? `was ended after ${skill.timeout.text}`
    : result.stopped
      ? 'was stopped'
      : result.code === 0
        ? 'succeeded'
        : `failed (${result.startError ?? result.code ?? result.signal ?? 'not started'})`;
  bench.say(`job ${id}: ${skill.name} ${end}`);
  await record(bench, { id, event, skill, end, output: result.output });
}

/** Its end, for `events`; what it printed is kept with the Job. */
async function record(
  bench: Workbench,
  ended: {
    readonly id: string;
    readonly event: string;
    readonly skill: Skill;
    readonly end: string;
    readonly output: Buffer;
  },
): Promise<void> {
  const { id, event, skill, end, output } = ended;
  await bench.store.update({ step: 'job-skill' }, async (tx) => {
    if ((await tx.job(id)).kind !== 'found') return;
    if (output.length > 0) {
      const files = new Map([['log/000', output]]);
      tx.keep({ job: id, commit: null, subject: `log of ${skill.name} for ${event}`, files });
    }
    tx.event({ event: 'skill.ended', subject: `job ${id}: ${skill.name}, bound to ${event}, ${end}`, job: id });
  });
}
