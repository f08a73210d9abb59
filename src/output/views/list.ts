// `list` for people: one line for each piece of work, in queue order. Pure.

import { shortRef } from '../../domain/git.js';
import type { PublishedGoal, PublishedInvocation } from '../goal-fields.js';
import type { PublishedJob } from '../job-fields.js';
import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { sayAge } from '../time.js';
import { plural } from './fields.js';

/** Of a list: with why it is passed over (J2, G3); missing: it may run, or is not in the queue. */
export interface ListedJob extends PublishedJob {
  readonly waits?: string | null;
}
export interface ListedGoal extends PublishedGoal {
  readonly waits?: string | null;
}
export type ListItem = ListedJob | ListedGoal;

export interface ListOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** For a pipe: id, state, phase or Round, Runs left, branch, updated, title, why. */
export function listView(items: readonly ListItem[], theme: Theme, width: number, options: ListOptions): Lines {
  if (!theme.terminal) {
    return table(
      theme,
      width,
      [],
      items.map((item): readonly Cell[] => [
        { text: item.id, role: 'id' },
        { text: item.state, role: 'state' },
        { text: phaseOf(item) },
        { text: leftOf(item) },
        { text: item.branch ?? '' },
        { text: item.updated },
        { text: item.title },
        { text: whyNot(item) ?? '' },
      ]),
    );
  }
  if (items.length === 0) return ['nothing is queued'];
  return table(
    theme,
    width,
    [
      { title: 'id' },
      { title: 'state' },
      { title: 'phase', drop: 1 },
      { title: 'runs left', right: true, drop: 3 },
      { title: 'updated', drop: 2 },
      { title: 'title', cut: true },
      { title: 'why', cut: true },
    ],
    items.map((item): readonly Cell[] => [
      { text: item.id, role: 'id' },
      { text: isDead(item) ? 'dead' : item.state, role: isDead(item) ? 'bad' : 'state' },
      { text: phaseOf(item) },
      { text: leftOf(item) },
      { text: sayAge(item.updated, options.now), role: 'dim' },
      { text: item.title },
      { text: whyNot(item) ?? '', role: 'dim' },
    ]),
  );
}

/** Why it does not go on: how it was closed, the recorded reason, or what it waits for. */
export function whyNot(item: ListItem): string | null {
  const closed = item.kind === 'job' ? jobClosed(item) : goalClosed(item);
  if (closed !== null) return closed;
  if (item.kind === 'goal' && item.window !== null) return sayOpen(item, item.window);
  return item.waits ?? withPlace(item, item.reason?.text ?? null);
}

/** What landed of closed work, whatever closed it (G35); null: it is open, or its reason says more. */
function jobClosed({ state, merged, reverted }: ListedJob): string | null {
  if ((state !== 'done' && state !== 'cancelled') || reverted) return null;
  if (merged === null) return state === 'done' ? 'accepted, not merged' : null;
  return sayLanded(state, `merged${merged.by === 'owl' ? '' : ' by hand'}${sayPlace(merged.ref, merged.after)}`);
}

function goalClosed({ state, merges = [] }: ListedGoal): string | null {
  const [last] = merges;
  if ((state !== 'done' && state !== 'cancelled') || last === undefined) return null;
  const more = merges.length === 1 ? '' : `, and ${plural(merges.length - 1, 'earlier merge')}`;
  return sayLanded(state, `merged${sayPlace(last.ref, last.merge)}${more}`);
}

/** Which of both came first is not said: a push may arrive after it was cancelled (G35). */
const sayLanded = (state: string, what: string): string => (state === 'cancelled' ? `cancelled, but ${what}` : what);

const sayPlace = (ref: string, oid: string | null): string =>
  ` into ${shortRef(ref)}${oid === null ? '' : ` as ${oid.slice(0, 10)}`}`;

/** Work that nobody can look at, or go on with, in this clone yet. */
const withPlace = (item: ListItem, why: string | null): string | null =>
  item.kind === 'job' && item.elsewhere === true
    ? [...(why === null ? [] : [why]), 'its commits are in another clone'].join('; ')
    : why;

/** An Error event that is open: what failed, what its handlers came to, and until when somebody may decide (G41). */
function sayOpen({ reason }: ListedGoal, { handlers, deadline, due }: NonNullable<ListedGoal['window']>): string {
  const until = due
    ? `its window closed at ${deadline}; the next command that writes settles it`
    : `decide before ${deadline}`;
  return [reason?.text ?? 'it failed', ...handlers.map((one) => sayHandler(one, due)), until].join('; ');
}

/** `due`: its window is closed, and with it its time: nothing says that it lives still. */
function sayHandler({ skill, state, outcome }: PublishedInvocation, due: boolean): string {
  if (state === 'started') return `${skill} ${due ? 'is not known to have ended' : 'is at work'}`;
  if (state === 'waiting') return `${skill} ${due ? 'was not started' : 'waits'}`;
  return `${skill} ${outcome ?? state}`;
}

const isDead = (item: ListItem): boolean => item.kind === 'job' && item.live?.dead === true;

/** What a Goal is in is a Round. */
const phaseOf = (item: ListItem): string => (item.kind === 'job' ? item.phase : `round ${item.round}`);
const leftOf = (item: ListItem): string => (item.kind === 'job' ? String(item.ttl) : '');
