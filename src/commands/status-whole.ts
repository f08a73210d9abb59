// The whole picture of `status`: what runs now, what waits and why, what needs a decision (06).

import { sayCollision } from '../app/conflicts/order.js';
import { predictConflicts } from '../app/conflicts/predict.js';
import { type Survey, survey } from '../app/survey.js';
import { BRINGS, sayUnseen } from '../app/sync/unseen.js';
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
  const elsewhere = new Set(items.flatMap((item) => (item.kind === 'job' && item.elsewhere === true ? [item.id] : [])));
  const dead = items.some((item) => item.kind === 'job' && item.live?.dead === true);
  const unseen = await sayUnseen(bench);
  const data: StatusData = {
    initialized: found.initialized,
    counts: found.counts,
    items,
    checkouts: found.checkouts,
    unfinished: found.unfinished,
    notes: [...unseen, ...found.notes, ...(await collisions(bench))],
    next: found.initialized
      ? likeliest(found, dead, { delivered, elsewhere })
      : [unseen.length > 0 ? BRINGS : 'git owl add "<what to do>"'],
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
  { units, waiting, mend, remedies }: Survey,
  dead: boolean,
  known: {
    readonly delivered: ReadonlyMap<string, PublishedGoal['delivered']>;
    readonly elsewhere: ReadonlySet<string>;
  },
): readonly string[] {
  const inState = (state: string): readonly Unit[] => units.filter((one) => stateOf(one) === state);
  for (const state of DECIDE) {
    const [first] = inState(state);
    if (first === undefined) continue;
    const seen = { delivered: known.delivered.get(first.id), elsewhere: known.elsewhere.has(first.id) };
    return commandsOf(first, seen).slice(0, 3);
  }
  if (dead || units.some(({ id, wait }) => wait.kind === 'eligible' && !waiting.has(id))) return ['git owl run'];
  const [active] = inState('active');
  if (active !== undefined) return commandsOf(active);
  const [first] = [...inState('pending'), ...units.filter((unit) => unit.kind === 'goal')];
  if (first === undefined) return ['git owl add "<what to do>"'];
  const remedy = remedies.get(first.id);
  if (remedy !== undefined) return [remedy];
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
