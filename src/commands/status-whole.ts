// The whole picture of `status`: what runs now, what waits and why, what needs a decision (06).

import { sayCollision } from '../app/conflicts/order.js';
import { predictConflicts } from '../app/conflicts/predict.js';
import { type Survey, survey } from '../app/survey.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Context } from '../context.js';
import { isOwlError } from '../domain/errors.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Unit } from '../domain/goal-queue.js';
import { nextCommands, type Seen } from '../domain/next.js';
import type { PublishedGoal } from '../output/goal-fields.js';
import type { Report } from '../output/report.js';
import { type StatusData, statusView } from '../output/views/status.js';
import { DECIDE, stateOf } from './deciding.js';
import { describeUnits } from './describe-goal.js';

export async function wholeStatus(context: Context): Promise<Report> {
  const bench = await openWorkbench(context);
  const found = await survey(bench);
  const items = await describeUnits(bench, await bench.store.snapshot(), found.units, found.waiting);
  const delivered = new Map(items.map((item) => [item.id, item.kind === 'goal' ? item.delivered : undefined]));
  const dead = items.some((item) => item.kind === 'job' && item.live?.dead === true);
  const data: StatusData = {
    initialized: found.initialized,
    counts: found.counts,
    items,
    checkouts: found.checkouts,
    unfinished: found.unfinished,
    notes: [...found.notes, ...(await collisions(bench))],
    next: found.initialized ? likeliest(found, dead, (id) => delivered.get(id)) : ['git owl add "<what to do>"'],
  };
  return {
    kind: 'status',
    data,
    view: (theme, width) => statusView(data, theme, width, bench.clock.now(), found.idle),
  };
}

/** Of more finished branches `git owl conflicts` tells: what a person reads at breakfast must not take long. */
const MOST = 50;
const TOLD = 3;

/** Which finished work will collide when it is merged. That it cannot be told is no trouble of `status`. */
async function collisions(bench: Workbench): Promise<readonly string[]> {
  const states = ['review', 'escalated', 'governance', 'failed'];
  const { collisions: found } = await predictConflicts(bench, { states, most: MOST }).catch((error: unknown) => {
    if (isOwlError(error)) return { collisions: [] };
    throw error;
  });
  const told = found.slice(0, TOLD).map(sayCollision);
  return found.length > TOLD ? [...told, `${found.length - TOLD} more collide: git owl conflicts`] : told;
}

/** The decision that somebody waits for comes first, then what a dead Run left, then the next Run, if there is one that may begin. */
function likeliest(
  { units, waiting, mend }: Survey,
  dead: boolean,
  delivered: (id: string) => PublishedGoal['delivered'],
): readonly string[] {
  const inState = (state: string): readonly Unit[] => units.filter((one) => stateOf(one) === state);
  for (const state of DECIDE) {
    const [first] = inState(state);
    if (first !== undefined) return commandsOf(first, { delivered: delivered(first.id) }).slice(0, 3);
  }
  if (dead || units.some(({ id, wait }) => wait.kind === 'eligible' && !waiting.has(id))) return ['git owl run'];
  const [active] = inState('active');
  if (active !== undefined) return commandsOf(active);
  const [first] = [...inState('pending'), ...units.filter((unit) => unit.kind === 'goal')];
  if (first === undefined) return ['git owl add "<what to do>"'];
  return mend.has(first.id) ? ['git owl doctor'] : commandsOf(first, { waits: waiting.has(first.id) });
}

const commandsOf = (
  unit: Unit,
  seen: Seen & { readonly delivered?: PublishedGoal['delivered'] } = {},
): readonly string[] =>
  unit.kind === 'job'
    ? nextCommands(unit.job, seen)
    : seen.waits === true && unit.goal.window === null
      ? [`git owl show ${unit.id}`]
      : goalCommands(unit.goal, [], seen.delivered);
