// `run`: carries the next Job or Goal, or the named ones, as far as they can go now (06; J4, J20; 03).

import { settleLanded } from '../app/collect/landed.js';
import { resumeHandlers } from '../app/goal/handlers.js';
import { runDueSkills } from '../app/goal/skills.js';
import { findWork, type Work } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { sayTaken } from '../app/run/capacity.js';
import { detach } from '../app/run/detach.js';
import { type Fleet, runFleet } from '../app/run/fleet.js';
import { settleDeadRuns } from '../app/run/recover.js';
import type { SharedQueue, Sharing } from '../app/sync/queue.js';
import { sayUnseen } from '../app/sync/unseen.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { loadUserFile } from '../config/user-file.js';
import type { Context } from '../context.js';
import { EXIT, OwlError, worstExit } from '../domain/errors.js';
import { encodeJson, failure } from '../output/json.js';
import type { Report } from '../output/report.js';
import type { Snapshot } from '../state/types.js';
import { needTemporary } from '../system/temporary.js';
import { sayLeft } from './run-left.js';
import {
  foreseenData,
  nextOf,
  notesOf,
  remediesOf,
  sayForeseen,
  sayUnit,
  sayWaiting,
  stoppedUnit,
  unitDocument,
  waitingData,
} from './run-units.js';
import { partsOf } from './stopped.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (request.flag('detach')) return detached(context, bench);
  const parallel = request.number('max-parallel');
  if (parallel !== undefined && (!Number.isInteger(parallel) || parallel < 1))
    throw new OwlError('usage', '--max-parallel takes a whole number from 1');
  if (bench.dryRun) return planned(bench, request);
  await needTemporary();
  // Who commits is asked while the queue is looked at: every Run needs it.
  bench.repository.identity().catch(() => {});
  await settleLeftovers(bench);
  for (const line of await settleLanded(bench)) bench.say(line);
  const shared = await sharedQueue(bench, request.flag('claim-remote'));
  if (shared === null) await warnOfOthers(bench);
  const named = await findNamed(await bench.store.snapshot(), request.rest);
  const fleet = await runFleet(bench, {
    ids: named.map((work) => ({ kind: work.kind, id: work.kind === 'goal' ? work.goal.id : work.job.id })),
    all: request.flag('all'),
    watch: request.flag('watch'),
    interval: request.duration('interval') ?? 30_000,
    until: request.duration('for') ?? null,
    first: async (within) => {
      await resumeHandlers(within);
      await runDueSkills(within);
    },
    step: request.flag('step'),
    merge: !request.flag('no-merge'),
    shared,
    maxParallel: parallel ?? null,
    notify: request.text('notify') ?? null,
    onUnit: async (unit) => {
      if (context.options.json) context.streams.stdout.write(encodeJson(await unitDocument(bench, unit)));
    },
  });
  bench.progress.done();
  if (context.options.json && fleet.units.length > 0)
    for (const error of fleet.refused) context.streams.stdout.write(encodeJson(failure(partsOf(error))));
  return report(bench, context, request, fleet);
}

/** The remote whose queue is shared: `--claim-remote`, or `sync.claim` in the user's own file. What is new there comes first. */
async function sharedQueue(bench: Workbench, byHand: boolean): Promise<SharedQueue | null> {
  const shared = await sharing(bench, byHand);
  if (shared === null) return null;
  const [{ syncRemote }, { exchangeQueue }] = await Promise.all([
    import('../app/sync/sync.js'),
    import('../app/claims/resume.js'),
  ]);
  const remote = await syncRemote(bench, undefined);
  for (const line of await settleDeadRuns(bench)) bench.say(line);
  await exchangeQueue(bench, remote);
  return { ...shared, remote };
}

/** Two clones may take one Job where neither claims it (S7); asked only where the state is shared. */
async function warnOfOthers(bench: Workbench): Promise<void> {
  if ((await bench.notes.read('shared')) === null) return (await sayUnseen(bench)).forEach(bench.say);
  const { sayOthers } = await import('../app/claims/others.js');
  const others = await sayOthers(bench);
  if (others !== null) bench.say(others);
}

const sharing = async (bench: Workbench, byHand: boolean): Promise<Sharing | null> =>
  byHand || (await loadUserFile(bench.environment)).source?.file.sync?.claim === true ? { byHand } : null;

async function report(bench: Workbench, context: Context, request: Request, fleet: Fleet): Promise<Report> {
  const { units, waiting, full, refused } = fleet;
  const [first] = refused;
  // Nothing was taken: then what was refused is all there is to say.
  if (units.length === 0 && first !== undefined) throw first;
  const exit =
    units.length === 0
      ? emptyExit(request)
      : worstExit([...units.map((unit) => unit.exit), ...refused.map((error) => error.exit)]);
  const last = units.at(-1);
  const failed = units.find((unit) => unit.exit === exit && unit.exit !== EXIT.ok);
  const notes = [
    ...units.flatMap(notesOf),
    ...refused.map((error) => error.message),
    ...(request.flag('all') || units.length > 1
      ? await sayLeft(bench)
      : last === undefined || failed !== undefined
        ? []
        : nextOf(last)
            .slice(0, 2)
            .map((command) => `next: ${command}`)),
    ...(units.length === 0 ? remediesOf(waiting) : []),
  ];
  const base: Report = {
    kind: 'run',
    data: { items: [], waiting: waitingData(waiting), full },
    streamed: context.options.json && units.length > 0,
    view: (theme) => [
      ...units.map((unit) => sayUnit(unit, theme)),
      ...(units.length === 0
        ? [full !== null ? `${sayTaken(full)}: nothing was taken` : 'nothing to run', ...sayWaiting(waiting, theme)]
        : []),
    ],
    exit,
    notes,
  };
  if (failed !== undefined) return { ...base, ...(await stoppedUnit(bench, failed)) };
  const other = refused.find((error) => error.exit === exit);
  if (other !== undefined && exit !== EXIT.ok) return { ...base, error: partsOf(other) };
  return exit === EXIT.notFound ? { ...base, ...nothingEligible } : base;
}

const nothingEligible: Pick<Report, 'exit' | 'error'> = {
  exit: EXIT.notFound,
  error: { code: 'nothing-eligible', message: 'nothing may run now', preserved: [], next: ['git owl status'] },
};

/** Each once, in the order of their names. Throws what finding them throws. */
async function findNamed(snapshot: Snapshot, texts: readonly string[]): Promise<readonly Work[]> {
  const found = new Map<string, Work>();
  for (const text of texts) {
    const work = await findWork(snapshot, text);
    found.set(work.kind === 'goal' ? work.goal.id : work.job.id, work);
  }
  return [...found.values()];
}

/** With nothing taken: no room and an empty queue are ordinary outcomes, unless `--require` was given (11, Jobs). */
const emptyExit = (request: Request): number => (request.flag('require') ? EXIT.notFound : EXIT.ok);

/** `--dry-run`: what would be taken, and why the others wait. */
async function planned(bench: Workbench, request: Request): Promise<Report> {
  const { foresee } = await import('../app/run/foresee.js');
  const { units, waiting, refused, notes, full } = await foresee(bench, {
    named: await findNamed(await bench.store.snapshot(), request.rest),
    all: request.flag('all') || request.flag('watch'),
    merge: !request.flag('no-merge'),
    maxParallel: request.number('max-parallel') ?? null,
    shared: await sharing(bench, request.flag('claim-remote')),
  });
  const [first] = refused;
  if (units.length === 0 && first !== undefined) throw first;
  return {
    kind: 'run',
    data: { items: units.map(foreseenData), waiting: waitingData(waiting), full },
    view: (theme) => [
      ...units.map((unit) => sayForeseen(unit, theme)),
      ...(units.length === 0 ? [sayNothing(full)] : []),
      ...sayWaiting(waiting, theme),
    ],
    ...(units.length === 0 && emptyExit(request) === EXIT.notFound ? nothingEligible : {}),
    notes: [
      ...(await sayUnseen(bench)),
      ...notes,
      ...refused.map((error) => error.message),
      ...(units.length === 0 ? remediesOf(waiting) : []),
    ],
  };
}

const sayNothing = (full: number | null): string =>
  full === null ? 'nothing to run' : `${sayTaken(full)}: nothing would be taken`;

async function detached(context: Context, bench: Workbench): Promise<Report> {
  const { unit, pid } = await detach(context, bench);
  if (unit === null) return { kind: 'run', data: { items: [], pid }, view: () => ['nothing to run'] };
  const { kind, id } = unit;
  return {
    kind: 'run',
    data: { items: [{ id }], pid },
    view: (theme) => [`${kind} ${theme.id(id)} runs in the background`],
    notes: [`next: git owl log -f ${id}`, `next: git owl stop ${id}`],
  };
}
