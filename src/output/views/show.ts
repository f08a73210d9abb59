// `show` for people: everything of one Job, or of one of its Runs (06). Pure.

import type { Reason } from '../../domain/job.js';
import { pathsBeside } from '../../domain/reasons.js';
import { escapeLines } from '../escape.js';
import type { PublishedCheck, PublishedFailure, PublishedJob, PublishedRun } from '../job-fields.js';
import type { Lines, Theme } from '../theme.js';
import { sayLength } from '../time.js';
import { type Field, fields, indented, keptSection, plural, section } from './fields.js';
import { sayWhen } from './status.js';

export interface ShowPolicy {
  readonly key: string;
  readonly value: string;
  /** Where it came from, such as `refs/remotes/origin/main:.coding-owl.yaml`. */
  readonly origin: string;
}

export interface ShowData {
  readonly job: PublishedJob & { readonly prompt: string | null };
  /** By number. */
  readonly runs: readonly PublishedRun[];
  readonly policy: readonly ShowPolicy[];
  /** Of the newest Run or verification. */
  readonly failures: readonly PublishedFailure[];
  /** Guarded paths that the tip changes (J37). */
  readonly guarded: readonly string[];
  /** What `refs/owl/keep/<job>` holds, newest first. */
  readonly kept: readonly { readonly subject: string; readonly oid: string | null }[];
  /** The branch is not there: not yet, or not any more. */
  readonly branchless: boolean;
  readonly next: readonly string[];
}

export function showView(data: ShowData, theme: Theme, _width: number, now: number): Lines {
  const { job } = data;
  return [
    `${theme.id(job.id)}  ${theme.state(job.state)}  ${theme.strong(job.title)}`,
    ...fields(theme, jobRows(data, theme, now)),
    ...section(theme, 'Prompt', job.prompt === null ? [] : indented(escapeLines(job.prompt))),
    ...section(
      theme,
      'Runs',
      data.runs.flatMap((run) => runLines(run, theme, now)),
    ),
    ...section(theme, 'What failed', failureLines(data.failures, theme)),
    ...section(
      theme,
      'Policy',
      fields(
        theme,
        data.policy.map(({ key, value, origin }): Field => [key, `${theme.text(value)}  ${theme.dim(origin)}`]),
      ),
    ),
    ...keptSection(theme, data.kept),
    ...section(
      theme,
      'Next',
      data.next.map((command) => `  ${theme.command(command)}`),
    ),
  ];
}

function jobRows(data: ShowData, theme: Theme, now: number): readonly Field[] {
  const { job } = data;
  return [
    ['why', job.reason === null ? null : sayReason(job.reason, theme)],
    ['phase', `${theme.text(job.phase)}${job.planned ? '' : ' (no plan)'}`],
    ['Runs', `${job.runs} made, ${job.ttl} left`],
    [
      'live',
      job.live === undefined
        ? null
        : `on ${theme.text(job.live.host)}, process ${job.live.pid}${job.live.dead ? theme.bad(' (gone)') : ''}`,
    ],
    ['branch', `${theme.ref(job.branch)}${data.branchless ? theme.dim(sayBranchless(job)) : ''}`],
    ['base', sayAt(job.base, theme)],
    ['tip', job.tip === null ? null : theme.oid(job.tip)],
    ['worktree', job.worktree === null ? null : theme.path(job.worktree)],
    ['verified', sayVerified(job, theme)],
    [
      'guarded',
      data.guarded.length === 0
        ? null
        : `${theme.warn('touches guarded paths:')} ${theme.text(data.guarded.join(', '))}`,
    ],
    ['Handoff', job.handoff === 'none' ? null : theme.state(job.handoff)],
    [
      'merged',
      job.merged === null
        ? null
        : `${sayMerged(job.merged, theme)} ${theme.dim(job.merged.at)}${job.reverted ? ', and taken back since' : ''}`,
    ],
    ['mode', job.mode === null ? null : theme.text(job.mode)],
    ['agent', job.agent === null ? null : theme.text(job.agent)],
    ['labels', job.labels.length === 0 ? null : theme.text(job.labels.join(', '))],
    ['needs', job.needs.length === 0 ? null : theme.id(job.needs.join(', '))],
    ['not before', job.not_before === null ? null : theme.text(job.not_before)],
    ['goal', job.goal === null ? null : `${theme.id(job.goal)}${job.round === null ? '' : `, round ${job.round}`}`],
    ['created', sayWhen(job.created, now)],
    ['updated', sayWhen(job.updated, now)],
  ];
}

const sayBranchless = (job: Pick<PublishedJob, 'tip' | 'elsewhere'>): string =>
  job.tip === null ? ' (not made yet)' : job.elsewhere === true ? ' (in another clone)' : ' (gone)';

const sayMerged = (merged: NonNullable<PublishedJob['merged']>, theme: Theme): string =>
  `${merged.by === 'owl' ? 'by git owl' : 'by hand'} into ${theme.ref(merged.ref)}${merged.after === null ? '' : ` as ${theme.oid(merged.after.slice(0, 10))}`}, ${plural(merged.commits, 'commit')}, ${plural(merged.files, 'file')}`;

export const sayAt = (at: { readonly ref: string | null; readonly oid: string | null }, theme: Theme): string | null =>
  at.ref === null && at.oid === null
    ? null
    : `${at.ref === null ? '' : theme.ref(at.ref)}${at.oid === null ? '' : ` ${theme.oid(at.oid.slice(0, 10))}`}`.trim();

export function sayVerified(job: Pick<PublishedJob, 'verified' | 'runs' | 'elsewhere'>, theme: Theme): string | null {
  if (job.elsewhere === true && job.verified !== 'none') {
    const moved = job.verified === 'void' ? ', and the base moved since' : '';
    return theme.warn(`in another clone${moved}; its commits are not here`);
  }
  switch (job.verified) {
    case 'current':
      return theme.good('yes, at this tip and base');
    case 'void':
      return theme.warn('void: branch or base moved since');
    case 'none':
      return job.runs === 0 ? null : 'not verified';
  }
}

/** Reason with what it was rebased onto and every path (J12). */
export function sayReason(reason: Reason, theme: Theme): string {
  const onto =
    reason.onto === undefined || reason.text.includes(reason.onto.ref)
      ? ''
      : ` (onto ${theme.ref(reason.onto.ref)} ${theme.oid(reason.onto.oid.slice(0, 10))})`;
  const beside = pathsBeside(reason.text, reason.paths);
  const paths = beside.length === 0 ? '' : `: ${beside.map((path) => theme.path(path)).join(', ')}`;
  return `${theme.bad(reason.text)}${onto}${paths}`;
}

/** One Run: a line, then what stood out in it. */
export function runLines(run: PublishedRun, theme: Theme, now: number): Lines {
  const spent = sayLength((run.ended === null ? now : Date.parse(run.ended)) - Date.parse(run.started));
  const outcome = run.outcome === null ? theme.ref('live') : theme.state(run.outcome);
  const head = `  ${theme.strong(String(run.number))}  ${theme.text(run.phase)}  ${outcome}  ${theme.dim(`${run.started}, ${spent}`)}`;
  const rows: readonly Field[] = [
    ['agent', run.agent === null ? null : `${theme.text(run.agent)}${sayExit(run, theme)}`],
    ['base', run.onto === null ? null : `${sayAt(run.onto, theme)}${sayFetch(run, theme)}`],
    ['why', run.reason === null ? null : sayReason(run.reason, theme)],
    ['summary', run.summary === null ? null : theme.text(run.summary)],
    ['usage', sayUsage(run)],
    ['note', run.superseded ? theme.warn('superseded: its result came after another decision') : null],
    ...run.notes.map((note): Field => ['note', theme.text(note)]),
  ];
  return [head, ...fields(theme, rows, 5), ...indented(checkLines(run.checks, theme), 5)];
}

function sayExit(run: PublishedRun, theme: Theme): string {
  if (run.exit === null) return '';
  const how = run.exit.signal === null ? `exit ${run.exit.code ?? 'unknown'}` : theme.text(run.exit.signal);
  return `, ${how}${run.ended_by === null || run.ended_by === 'itself' ? '' : ` (${run.ended_by})`}`;
}

function sayFetch(run: PublishedRun, theme: Theme): string {
  if (run.fetch === null) return '';
  if (run.fetch.status === 'fetched' && run.onto?.ref.startsWith('refs/heads/') === true)
    return `, with merges that ${theme.text(run.fetch.remote ?? 'its remote')} does not have yet`;
  if (run.fetch.status === 'fetched') return `, fetched from ${theme.text(run.fetch.remote ?? 'its remote')}`;
  if (run.fetch.status === 'no-remote') return ', no remote';
  return `, ${theme.warn(`not fetched: ${run.fetch.reason ?? 'the remote did not answer'}`)}`;
}

function sayUsage(run: PublishedRun): string | null {
  if (run.usage === null) return null;
  const { input, output, cost, turns } = run.usage;
  const parts = [
    input === undefined ? null : `${input} in`,
    output === undefined ? null : `${output} out`,
    turns === undefined ? null : plural(turns, 'turn'),
    cost === undefined ? null : `$${cost.toFixed(2)}`,
  ];
  return parts.filter((part) => part !== null).join(', ') || null;
}

/** Each check with its result in words (J27). */
export const checkLines = (checks: readonly PublishedCheck[], theme: Theme): Lines =>
  checks.map((check) => {
    const mark = check.status === 'passed' ? theme.good(theme.glyphs.good) : theme.bad(theme.glyphs.bad);
    const exit = check.status === 'failed' && check.exit !== null ? ` (exit ${check.exit})` : '';
    return `${mark} ${theme.text(check.name)}  ${theme.state(check.status)}${exit}  ${theme.dim(sayLength(check.ms))}  ${theme.dim(check.run)}`;
  });

/** Lines at the end of an output that are shown. */
const SHOWN = 20;

/** Each failed check with the end of what it printed (J27). */
export const failureLines = (failures: readonly PublishedFailure[], theme: Theme): Lines =>
  failures.flatMap((failure) => {
    const lines = (failure.output ?? '').trim() === '' ? [] : escapeLines((failure.output ?? '').trimEnd());
    const before = lines.length - SHOWN;
    const cut = before > 0 ? [theme.dim(`${theme.glyphs.ellipsis} ${plural(before, 'line')} before`)] : [];
    return [...indented(checkLines([failure], theme)), ...indented([...cut, ...lines.slice(-SHOWN)], 4)];
  });
