// `show` of a Goal for people: what is asked for, Round by Round, what was found about each Candidate, what may be done (06). Pure.

import type { Proposal } from '../../domain/goal-next.js';
import { pathsBeside } from '../../domain/reasons.js';
import { type Brought, standingNote } from '../../domain/undo.js';
import { escapeLines } from '../escape.js';
import type { PublishedGoal, PublishedInvocation } from '../goal-fields.js';
import type { PublishedCandidate, PublishedEvidence, PublishedRound } from '../goal-part-fields.js';
import type { Lines, Theme } from '../theme.js';
import { type Field, fields, indented, keptSection, section } from './fields.js';
import { checkLines, sayAt, sayReason } from './show.js';
import { sayWhen } from './status.js';

export interface GoalData {
  readonly goal: PublishedGoal;
  /** Why it waits (G3); null: it does not. */
  readonly waits: string | null;
  /** Title of its Feature; null: none, or unknown here. */
  readonly featureTitle: string | null;
  /** By number. */
  readonly rounds: readonly PublishedRound[];
  /** Oldest first. */
  readonly evidence: readonly PublishedEvidence[];
  /** Of its Skills and handlers, oldest first. */
  readonly invocations: readonly PublishedInvocation[];
  /** What stays on its target though nothing says so, and what takes that back. */
  readonly standing: readonly Brought[];
  readonly kept: readonly { readonly subject: string; readonly oid: string | null }[];
  /** Of its current Round; nulls: there is no worktree, or it cannot be looked at. */
  readonly place: { readonly path: string | null; readonly uncommitted: readonly string[] | null };
  readonly proposals: readonly Proposal[];
}

export function goalView(data: GoalData, theme: Theme, now: number): Lines {
  const { goal } = data;
  return [
    `${theme.id(goal.id)}  ${theme.state(goal.status)}  ${theme.strong(goal.title)}`,
    ...fields(theme, goalRows(data, theme, now)),
    ...section(
      theme,
      'Rounds',
      data.rounds.flatMap((round) => roundLines(round, theme)),
    ),
    ...section(
      theme,
      'Evidence',
      data.evidence.flatMap((one) => evidenceLines(one, theme)),
    ),
    ...section(
      theme,
      'Skills',
      data.invocations.map((one) => invocationLine(one, theme)),
    ),
    ...keptSection(theme, data.kept),
    ...section(
      theme,
      'Next',
      data.proposals.map(({ verb, why }) => `  ${theme.command(verb)}  ${theme.dim(why)}`),
    ),
  ];
}

function goalRows(data: GoalData, theme: Theme, now: number): readonly Field[] {
  const { goal } = data;
  const { target, integration } = goal;
  return [
    ['why', goal.reason === null ? null : sayReason(goal.reason, theme)],
    ['waits', data.waits === null ? null : theme.text(data.waits)],
    ['decide', goal.window === null ? null : sayWindow(goal.window, theme)],
    ['round', goal.round === 0 ? 'none yet' : String(goal.round)],
    [
      'feature',
      goal.feature === null
        ? null
        : `${theme.id(goal.feature)}${data.featureTitle === null ? '' : ` ${theme.text(data.featureTitle)}`}`,
    ],
    ['priority', goal.priority === 'medium' ? null : theme.text(goal.priority)],
    ['needs', goal.needs.length === 0 ? null : theme.id(goal.needs.join(', '))],
    [
      'target',
      target === null
        ? null
        : `${theme.ref(target.name)}${target.publish && target.remote !== null ? ` on ${theme.text(target.remote)}` : ''}`,
    ],
    ['base', sayAt(goal.base, theme)],
    ['branch', goal.branch === null ? null : theme.ref(goal.branch)],
    ['worktree', data.place.path === null ? null : theme.path(data.place.path)],
    ['uncommitted', sayPaths(data.place.uncommitted ?? [], theme)],
    ['candidate', goal.candidate === null ? null : theme.oid(goal.candidate.tip)],
    [
      'integration',
      integration === null
        ? null
        : `${theme.state(integration.status)}${integration.merge === null ? '' : ` ${theme.oid(integration.merge.slice(0, 10))}`}${integration.ref === null ? '' : ` ${sayThere(goal.delivered, theme.ref(integration.ref))}`}`,
    ],
    ...data.standing.map((one): Field => ['left there', theme.text(standingNote(goal.id, one))]),
    ['labels', goal.labels.length === 0 ? null : theme.text(goal.labels.join(', '))],
    ['owner', goal.owner === null ? null : theme.text(goal.owner)],
    ['revision', String(goal.revision)],
    ['created', sayWhen(goal.created, now)],
    ['updated', sayWhen(goal.updated, now)],
  ];
}

/** Whether its target has it still. */
function sayThere(delivered: PublishedGoal['delivered'], where: string): string {
  switch (delivered) {
    case 'missing':
      return `in ${where} once, and no longer on it`;
    case 'reverted':
      return `in ${where}, and taken back since`;
    case 'unknown':
      return `in ${where}, which cannot be seen here`;
    default:
      return `in ${where}`;
  }
}

/** How many a person is told; JSON has them all. */
const FEW = 10;

function sayPaths(paths: readonly string[], theme: Theme): string | null {
  if (paths.length === 0) return null;
  const more = paths.length > FEW ? theme.dim(` and ${paths.length - FEW} more`) : '';
  return `${theme.path(paths.slice(0, FEW).join(', '))}${more}`;
}

const sayWindow = ({ event, deadline, due }: NonNullable<PublishedGoal['window']>, theme: Theme): string =>
  due
    ? `${theme.text(event)} was not decided before ${theme.warn(deadline)}; the next command that writes settles it`
    : `${theme.text(event)}, before ${theme.warn(deadline)}`;

function invocationLine(one: PublishedInvocation, theme: Theme): string {
  const how = one.outcome ?? one.state;
  const why = one.text === null ? '' : `: ${theme.text(one.text)}`;
  return `  ${theme.strong(one.skill)}  ${theme.text(one.event)}  ${theme.state(how)}${why}  ${theme.dim(`round ${one.round}, ${one.ended ?? one.started ?? one.recorded}`)}`;
}

function roundLines(round: PublishedRound, theme: Theme): Lines {
  const rows: readonly Field[] = [
    ['job', round.job === null ? null : theme.id(round.job)],
    ['from', round.from === null ? null : `round ${round.from}`],
    ['left out', round.left_out.length === 0 ? null : theme.path(round.left_out.join(', '))],
    ...round.candidates.map((one): Field => ['candidate', sayCandidate(one, theme)]),
  ];
  return [
    `  ${theme.strong(String(round.number))}  ${theme.dim(`${round.opened_by}, ${round.created}`)}`,
    ...indented(escapeLines(round.request.trimEnd()), 5),
    ...fields(theme, rows, 5),
  ];
}

const sayCandidate = (one: PublishedCandidate, theme: Theme): string =>
  `${theme.oid(one.tip.slice(0, 10))} on ${theme.oid(one.base.slice(0, 10))} ${theme.dim(`by ${one.made_by}, ${one.made}`)}`;

export function evidenceLines(one: PublishedEvidence, theme: Theme): Lines {
  const rows: readonly Field[] = [
    ['candidate', one.candidate === null ? null : theme.oid(one.candidate.tip.slice(0, 10))],
    ['why', one.reason === null ? null : sayReason(one.reason, theme)],
    ['verdict', one.verdict === null ? null : sayVerdict(one.verdict, theme)],
    ...one.findings.map((finding): Field => ['finding', sayFinding(finding, theme)]),
  ];
  return [
    `  ${theme.strong(one.type)}  ${theme.state(one.status)}  ${theme.dim(`round ${one.round}, ${one.at}`)}`,
    ...fields(theme, rows, 5),
    ...indented(checkLines(one.checks, theme), 5),
  ];
}

const sayVerdict = (verdict: NonNullable<PublishedEvidence['verdict']>, theme: Theme): string =>
  `${theme.state(verdict.result)} by ${theme.text(verdict.agent)}${verdict.summary === null ? '' : `: ${theme.text(verdict.summary)}`}`;

function sayFinding(finding: PublishedEvidence['findings'][number], theme: Theme): string {
  const paths = pathsBeside(finding.text, finding.paths);
  return `${theme.text(finding.text)}${paths.length === 0 ? '' : `: ${theme.path(paths.join(', '))}`}`;
}
