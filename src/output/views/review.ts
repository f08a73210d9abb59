// `review` for people: what must not be overlooked, then intent, plan, change, checks, open questions and how to undo it (06, G50). Pure.

import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Notable } from '../../domain/notable.js';
import { escapeLines } from '../escape.js';
import { type GoalReview, isGoalReview, type JobReview, type ReviewData } from '../review-fields.js';
import type { Lines, Theme } from '../theme.js';
import { type Field, fields, indented, plural, section } from './fields.js';
import { evidenceLines } from './goal.js';
import { checkLines, failureLines, sayAt, sayReason, sayVerified } from './show.js';

export function reviewView(data: ReviewData, theme: Theme): Lines {
  const goal = isGoalReview(data);
  const { id, state, title } = goal ? data.goal : data.job;
  return [
    `${theme.id(id)}  ${theme.state(state)}  ${theme.strong(title)}`,
    ...fields(theme, goal ? goalRows(data, theme) : jobRows(data, theme)),
    ...section(theme, 'Look at this first', notableLines(data.notable, theme)),
    ...section(theme, 'Asked for', data.prompt === null ? [] : indented(escapeLines(data.prompt))),
    ...(goal ? earlierLines(data, theme) : []),
    ...section(theme, 'Handoff', data.handoff === null ? [] : indented(escapeLines(data.handoff))),
    ...section(
      theme,
      'Commits',
      data.commits.map((commit) => `  ${theme.oid(commit.oid.slice(0, 10))}  ${theme.text(commit.subject)}`),
    ),
    ...section(theme, sayChanges(data.files), changeLines(data.files, theme)),
    ...section(theme, 'Checks', indented(checkLines(data.checks, theme))),
    ...section(theme, 'What failed', failureLines(data.failures, theme)),
    ...(goal ? gateLines(data, theme) : []),
    ...section(theme, 'Said by agents, not checked', summaryLines(data, theme)),
    ...section(
      theme,
      'To look at',
      data.questions.map((text) => `  ${theme.warn(theme.glyphs.warn)} ${theme.text(text)}`),
    ),
    ...section(
      theme,
      'How to undo it',
      data.undo.map(({ verb, why }) => `  ${theme.command(verb)}  ${theme.dim(why)}`),
    ),
    ...section(
      theme,
      'Next',
      data.next.map((command) => `  ${theme.command(command)}`),
    ),
  ];
}

const jobRows = ({ job }: JobReview, theme: Theme): readonly Field[] => [
  ['why', job.reason === null ? null : sayReason(job.reason, theme)],
  ['branch', `${theme.ref(job.branch)}${job.tip === null ? '' : ` ${theme.oid(job.tip.slice(0, 10))}`}`],
  ['base', sayAt(job.base, theme)],
  ['verified', sayVerified(job, theme)],
  ['worktree', job.worktree === null ? null : theme.path(job.worktree)],
];

function goalRows(data: GoalReview, theme: Theme): readonly Field[] {
  const { goal } = data;
  const delivered = sayDelivered(data);
  const made = sayMadeBy(data);
  return [
    ['why', goal.reason === null ? null : sayReason(goal.reason, theme)],
    ['decide', goal.deadline === null ? null : `before ${theme.warn(goal.deadline)}`],
    ['round', String(goal.round)],
    ['target', goal.target === null ? null : theme.ref(goal.target.name)],
    ['base', sayAt(goal.base, theme)],
    ['branch', goal.branch === null ? null : theme.ref(goal.branch)],
    [
      'candidate',
      goal.candidate === null ? null : `${theme.oid(goal.candidate.tip)}${made === '' ? '' : ` ${theme.dim(made)}`}`,
    ],
    [
      'integration',
      delivered === null ? null : data.delivered === 'contained' ? theme.good(delivered) : theme.warn(delivered),
    ],
  ];
}

/** Guarded paths together, as a merge says it; the rest one a line. */
function notableLines(notable: readonly Notable[], theme: Theme): Lines {
  const line = (text: string): string => `  ${theme.warn(theme.glyphs.warn)} ${text}`;
  const guarded = notable.filter(({ kind }) => kind === 'guarded').map(({ path }) => path);
  return [
    ...(guarded.length === 0 ? [] : [line(`touches guarded paths: ${theme.text(guarded.join(', '))}`)]),
    ...notable
      .filter(({ kind }) => kind !== 'guarded')
      .map(({ path, what }) => line(`${theme.path(path)}: ${theme.text(what)}`)),
  ];
}

const earlierLines = ({ goal, rounds }: GoalReview, theme: Theme): Lines =>
  section(
    theme,
    'Earlier Rounds',
    rounds
      .filter((round) => round.number < goal.round)
      .flatMap((round) => [
        `  ${theme.strong(String(round.number))}`,
        ...indented(escapeLines(round.request.trimEnd()), 5),
      ]),
  );

function gateLines({ gates, evidence }: GoalReview, theme: Theme): Lines {
  const gateOf = (gate: GoalReview['gates'][number]): Lines => [
    ...evidenceLines(gate, theme),
    ...(gate.current ? [] : [`     ${theme.warn('about another Candidate than the one reviewed here')}`]),
    ...indented(failureLines(gate.failures, theme), 3),
    ...gate.notes.map((note) => `     ${theme.dim('note')}  ${theme.text(note)}`),
  ];
  return [
    ...section(theme, 'Gates', gates.flatMap(gateOf)),
    ...section(
      theme,
      'Integration',
      evidence.flatMap((one) => evidenceLines(one, theme)),
    ),
  ];
}

/** What an agent says of its own work, with the commits that it says it of. */
const summaryLines = ({ summaries }: ReviewData, theme: Theme): Lines =>
  summaries.flatMap(({ agent, of, text, candidate, current }) => [
    `  ${theme.strong(agent)}  ${theme.dim(`${of}, of ${candidate.base.slice(0, 10)}..${candidate.tip.slice(0, 10)}`)}${current ? '' : `  ${theme.warn('other commits than those reviewed here')}`}`,
    ...indented(escapeLines(text.trimEnd()), 4),
  ]);

/** The Handoff is in the diff (J25), and in nothing that is merged: it does not count. */
export function sayChanges(files: ReviewData['files']): string {
  const own = files.filter((file) => file.path !== HANDOFF_PATH).length;
  return `Changes in ${plural(own, 'file')}${own < files.length ? ' and the Handoff' : ''}`;
}

/** `+12 -3 path`, as `git diff --numstat` counts. */
export const changeLines = (files: ReviewData['files'], theme: Theme): Lines =>
  files.map(({ path, added, removed }) =>
    added === null || removed === null
      ? `  ${theme.dim('binary')}  ${theme.path(path)}`
      : `  ${theme.added(`+${added}`)} ${theme.removed(`-${removed}`)}  ${theme.path(path)}${path === HANDOFF_PATH ? theme.dim('  (never merged)') : ''}`,
  );

/** Who made the Candidate, and which one it replaced; empty where it is not known here. */
export function sayMadeBy({ goal, rounds }: Pick<GoalReview, 'goal' | 'rounds'>): string {
  const all = rounds.find((round) => round.number === goal.round)?.candidates ?? [];
  const current = all.find((one) => one.tip === goal.candidate?.tip && one.base === goal.candidate.base);
  if (current === undefined) return '';
  const before = all.find((one) => one.id === current.replaces);
  return `by ${current.made_by}${before === undefined ? '' : `, in place of ${before.tip}`}`;
}

/** Whether it is in its target, as far as is known here; null: nothing was integrated. */
export function sayDelivered({ goal, delivered }: Pick<GoalReview, 'goal' | 'delivered'>): string | null {
  const where = goal.integration?.ref ?? goal.target?.name ?? 'its target';
  const merge = goal.integration?.merge ?? '';
  switch (delivered) {
    case null:
      return goal.integration === null ? null : `${goal.integration.status}: ${merge}`;
    case 'contained':
      return `merged into ${where} as ${merge}`;
    case 'missing':
      return `${merge} is not in ${where} any more`;
    case 'reverted':
      return `${merge} was reverted in ${where}`;
    case 'unknown':
      return `whether ${merge} is in ${where} cannot be seen here`;
  }
}
