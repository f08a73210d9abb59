// What the record says of the Rounds before one: what each was asked, whether it was merged, taken back or declined, and what stopped it
// (G11). For the prompts of agents, which know nothing else of them. Pure.

import { shortRef } from './git.js';
import type { Evidence, Round } from './goal.js';
import { pathsBeside } from './reasons.js';
import { isTakenBack } from './undo.js';

export interface EarlierRound {
  readonly number: number;
  readonly request: string;
  /** What became of it, in our words alone. */
  readonly became: string;
  /** What stopped it: holds words of agents, checks and paths; empty: nothing did, or it was merged. */
  readonly stopped: readonly string[];
}

/** Characters of what stopped one Round, and lines of it. */
const STOPPED_LIMIT = 2000;
const STOPPED_LINES = 20;

/** Oldest first. `evidence`: all of the Goal, oldest first. */
export const earlierRounds = (
  current: number,
  rounds: readonly Round[],
  evidence: readonly Evidence[],
): readonly EarlierRound[] =>
  rounds.flatMap((round) => {
    const { number, request } = round;
    if (number >= current) return [];
    const of = evidence.filter((one) => one.round === number);
    const merged = sayMerged(of);
    const next = rounds.find((one) => one.number === number + 1);
    const declined = next?.opened_by === 'decline' ? [sayDeclined(next, round, current)] : [];
    const stopped = merged === null ? stoppedBy(of) : [];
    const ended = merged ?? sayUnmerged(round, stopped.length > 0);
    return [{ number, request, became: [ended, ...declined].join(' '), stopped }];
  });

/** A Round is merged once: after a revert only a new one brings its work again. Null: it was not. */
function sayMerged(of: readonly Evidence[]): string | null {
  const found = of.findLast(
    ({ type, status, commits }) => type === 'integration' && status === 'done' && commits.merge,
  );
  const merge = found?.commits.merge;
  if (found === undefined || merge === undefined) return null;
  const where = found.target === null ? '' : ` into \`${shortRef(found.target.ref)}\``;
  const was = `It was merged${where} as ${merge}`;
  if (!isTakenBack(of, merge)) return `${was}: what it changed is there already, unless somebody changed it since.`;
  const by = of.findLast((one) => one.type === 'revert' && one.commits.merge === merge)?.commits.target_after;
  return `${was}, and taken back${by === undefined ? '' : ` by ${by}`}: what it changed is not there any more.`;
}

/** Without words of their own a person asks for the same again. */
const sayDeclined = (next: Round, round: Round, current: number): string =>
  next.request === round.request
    ? 'A person looked at it and declined it, and asks for the same again.'
    : `A person looked at it and declined it; what is asked instead is the request of Round ${next.number}${next.number === current ? ', above' : ''}.`;

function sayUnmerged({ job }: Round, failed: boolean): string {
  if (failed) return 'It was not merged: it failed.';
  return job === null ? 'It was never begun.' : 'It was not merged: another Round was asked for before its end.';
}

/** The newest failure with its reason, and the findings of the newest proof that had some. */
function stoppedBy(of: readonly Evidence[]): readonly string[] {
  const failure = of.findLast(({ type, reason }) => (type === 'error' || type === 'conflict') && reason !== null);
  if (failure === undefined || failure.reason === null) return [];
  const { code, text, paths } = failure.reason;
  const beside = pathsBeside(text, paths);
  const proof = code.endsWith('-findings') ? of.findLast(({ status }) => status === 'findings') : undefined;
  const found = (proof?.findings ?? []).map((finding) => `${finding.gate}: ${finding.text}`);
  const lines = found.length > 0 ? found : [beside.length === 0 ? text : `${text}: ${beside.join(', ')}`];
  return lines.slice(0, STOPPED_LINES).map((line) => cut(line, STOPPED_LIMIT / lines.length));
}

/** Never half a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${[...text.slice(0, Math.max(80, Math.floor(most)))].slice(0, -1).join('')}…`;
