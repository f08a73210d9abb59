// `status` for people and for prompts: what runs, what waits and why, what needs a decision, and the next command (06). Pure.

import { shortRef } from '../../domain/git.js';
import { AUTOMATED, type GoalStatus } from '../../domain/goal.js';
import type { JobState } from '../../domain/job.js';
import type { OpenCounts } from '../../domain/open-counts.js';
import { aligned, type Cell } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { sayAge, sayLength } from '../time.js';
import { indented, plural, section } from './fields.js';
import { type ListedGoal, type ListedJob, type ListItem, whyNot } from './list.js';
import { statusShort } from './status-short.js';

export interface StatusData {
  /** false: nothing was ever added here. */
  readonly initialized: boolean;
  readonly counts: OpenCounts;
  /** All open Jobs and Goals, in the order in which they would be taken; not the Jobs of Rounds. */
  readonly items: readonly ListItem[];
  /** Checkouts of a branch that moved, waiting to be brought up to date (J34). */
  readonly checkouts: readonly { readonly path: string; readonly ref: string; readonly why: string }[];
  /** Unfinished work that is no Job's: kept commits, worktrees without a Job, damaged records. */
  readonly unfinished: readonly string[];
  /** What holds for the repository as a whole: merges that are not on the remote, a configuration that is not in force. */
  readonly notes: readonly string[];
  /** The likeliest next commands. */
  readonly next: readonly string[];
}

interface StatusRow {
  readonly mark: Cell;
  readonly item: ListItem;
  readonly more: string | null;
}

const COLUMNS = [{ title: 'mark' }, { title: 'id' }, { title: 'title', cut: true }, { title: 'why', cut: true }];

/** `idle`: Goals in a step that nothing is at work on -> how they go on; empty: their own record says it. */
export function statusView(
  data: StatusData,
  theme: Theme,
  width: number,
  now: number,
  idle: ReadonlyMap<string, string> = new Map(),
): Lines {
  const { glyphs } = theme;
  const bad: Cell = { text: glyphs.bad, role: 'bad' };
  const rows = (state: JobState, mark: Cell, more: (item: ListedJob) => string | null): readonly StatusRow[] =>
    jobsOf(data).flatMap((item) => (item.state === state ? [{ mark, item, more: more(item) }] : []));
  const goals = (
    which: (status: GoalStatus, id: string) => boolean,
    mark: Cell,
    more: (item: ListedGoal) => string | null,
  ): readonly StatusRow[] =>
    goalsOf(data).flatMap((item) => (which(item.status, item.id) ? [{ mark, item, more: more(item) }] : []));
  const waiting = data.items.filter((item) => item.state === (item.kind === 'job' ? 'pending' : 'todo'));
  const next = waiting.find((item) => whyNot(item) === null);
  const listed = (title: string, ...parts: readonly (readonly StatusRow[])[]): Lines =>
    section(theme, title, indented(aligned(theme, width - 2, COLUMNS, parts.flat().map(cells))));
  const running = rows(
    'active',
    { text: glyphs.live, role: 'ref' },
    (item) => `${item.phase}, ${sayRunning(item, now)}`,
  );
  return [
    data.items.length === 0 ? sayNothing(data) : `open: ${statusShort(data.counts)}`,
    ...listed(
      'Running',
      running.map((row) => (isDead(row.item) ? { ...row, mark: bad, more: DEAD } : row)),
      goals((status, id) => AUTOMATED.has(status) && !idle.has(id), { text: glyphs.live, role: 'ref' }, sayStep),
    ),
    ...listed(
      'Needs a decision',
      rows('review', { text: glyphs.warn, role: 'warn' }, sayReview),
      rows(
        'escalated',
        { text: glyphs.warn, role: 'bad' },
        (item) => `escalated: ${whyNot(item) ?? 'no reason was recorded'}`,
      ),
      goals((status) => status === 'review', { text: glyphs.warn, role: 'warn' }, sayIntegrated),
    ),
    ...listed(
      'Blocked',
      rows('blocked', bad, whyNot),
      goals(
        (status) => status === 'failed',
        bad,
        (item) => `failed: ${whyNot(item) ?? 'no reason was recorded'}`,
      ),
    ),
    ...listed(
      'Out of attempts',
      rows('exhausted', bad, (item) => `after ${plural(item.runs, 'Run')}`),
    ),
    ...listed(
      'Waiting',
      goals(
        (_, id) => idle.has(id),
        { text: glyphs.wait },
        (item) => [sayStep(item), idle.get(item.id) ?? ''].filter((text) => text !== '').join('; '),
      ),
      waiting.map((item) => ({
        mark: { text: glyphs.wait },
        item,
        more: whyNot(item) ?? (item === next ? 'next' : null),
      })),
    ),
    ...listed(
      'Backlog',
      goals(
        (status) => status === 'backlog',
        { text: glyphs.dot, role: 'dim' },
        () => null,
      ),
    ),
    ...section(
      theme,
      'Checkouts to bring up to date',
      data.checkouts.map((one) => `  ${theme.path(one.path)}  ${theme.ref(one.ref)}  ${theme.dim(one.why)}`),
    ),
    ...section(
      theme,
      'Unfinished',
      data.unfinished.map((text) => `  ${theme.text(text)}`),
    ),
    ...(data.notes.length === 0 ? [] : ['', ...data.notes.map((note) => `${theme.warn('note:')} ${theme.text(note)}`)]),
    ...(data.next.length === 0 ? [] : ['', ...data.next.map((command) => `next: ${theme.command(command)}`)]),
  ];
}

const DEAD = 'the process of its Run is gone; "git owl run" settles it';

const jobsOf = (data: StatusData): readonly ListedJob[] =>
  data.items.flatMap((item) => (item.kind === 'job' ? [item] : []));
const goalsOf = (data: StatusData): readonly ListedGoal[] =>
  data.items.flatMap((item) => (item.kind === 'goal' ? [item] : []));
const isDead = (item: ListItem): boolean => item.kind === 'job' && item.live?.dead === true;

/** What it is in; of an open window, until when somebody may decide (G41). */
const sayStep = (item: ListedGoal): string => {
  const why = whyNot(item);
  return `${item.status}, round ${item.round}${why === null ? '' : `: ${why}`}`;
};

const sayIntegrated = (item: ListedGoal): string => {
  const ref = item.integration?.ref ?? null;
  const where = ref === null ? undefined : shortRef(ref);
  return `${sayWhere(item.delivered, where)}, round ${item.round}`;
};

/** As far as is known here: somebody may have moved the target back, or reverted the merge by hand (G51). */
function sayWhere(delivered: ListedGoal['delivered'], where: string | undefined): string {
  if (where === undefined) return 'integrated';
  switch (delivered) {
    case 'missing':
      return `was integrated, and is no longer on ${where}`;
    case 'reverted':
      return `was integrated, and is reverted on ${where}`;
    case 'unknown':
      return `integrated into ${where}, which cannot be seen here`;
    default:
      return `integrated into ${where}`;
  }
}

const cells = (row: StatusRow): readonly Cell[] => [
  row.mark,
  { text: row.item.id, role: 'id' },
  { text: row.item.title },
  { text: row.more ?? '', role: 'dim' },
];

const sayNothing = (data: StatusData): string => (data.initialized ? 'nothing is open' : 'nothing was queued here yet');

const sayRunning = (item: ListedJob, now: number): string =>
  item.live === undefined
    ? 'no claim was recorded'
    : `for ${sayLength(now - Date.parse(item.live.since))} on ${item.live.host}`;

const sayReview = (item: ListedJob): string =>
  `${sayVerified(item)}${item.handoff === 'stale' ? '; its Handoff is stale' : ''}`;

function sayVerified(item: ListedJob): string {
  if (item.elsewhere === true) return sayVerifiedElsewhere(item);
  switch (item.verified) {
    case 'current':
      return 'verified';
    case 'void':
      return 'verified, but branch or base moved since';
    case 'none':
      return 'not verified';
  }
}

function sayVerifiedElsewhere({ verified }: ListedJob): string {
  const said = verified === 'none' ? 'not verified' : 'verified in another clone';
  return `${said}${verified === 'void' ? ', and the base moved since' : ''}, its commits are not here`;
}

/** For `show` and `review`. */
export const sayWhen = (time: string | null, now: number): string | null =>
  time === null ? null : `${time} (${sayAge(time, now)})`;
