// Skills bound to the life of a Goal: which are due at which moment, where they run, and what text they add to prompts (G61, G62). Pure.

import type { GoalStatus } from './goal.js';
import type { Skill } from './policy.js';

/** Not `error`: that is an Error event's, with its window (G41). */
export type Moment = 'enter' | 'success' | 'exit';

export const statusEvent = (status: GoalStatus, moment: Moment | 'error'): string => `workflow.${status}.${moment}`;

/** Where a decision takes the Goal on to what its status is for, it succeeded: into the queue, or approved. Steps succeed by themselves. */
const SUCCEEDS: Readonly<Partial<Record<GoalStatus, GoalStatus>>> = { backlog: 'todo', review: 'done' };

/** What is due of the status that a decision takes a Goal out of. */
export function momentsLeft(from: GoalStatus, to: GoalStatus): readonly Moment[] {
  if (from === to) return [];
  return SUCCEEDS[from] === to ? ['success', 'exit'] : ['exit'];
}

/** Does a Skill of this event have a checkout of its own, or the Round's (G62)? */
export const hasOwnCheckout = (event: string): boolean => /^workflow\.(?:backlog|todo)\./.test(event);

/** Is it a handler of an Error event? */
export const isHandler = (event: string): boolean =>
  /^workflow\.(?:plan|implement|quality|governance)\.error$/.test(event);

/** Only a step fails by an event, and what is over does not succeed once more. */
const NEVER = /^workflow\.(?:(?:backlog|todo|review|done|failed|cancelled)\.error|(?:done|failed|cancelled)\.success)$/;

/** Of each Skill that nothing will ever start: a sentence that names it. */
export const sayNever = (skills: readonly Skill[]): readonly string[] =>
  skills.flatMap(({ kind, name, on }) =>
    kind !== 'disabled' && NEVER.test(on) ? [`skills.${name} is bound to ${on}, which nothing emits`] : [],
  );

/** The texts for the prompt of whoever works at these events, in the order of the configuration. */
export const contextOf = (skills: readonly Skill[], events: readonly string[]): readonly string[] =>
  skills.flatMap(({ kind, on, text }) => (kind === 'context' && text !== null && events.includes(on) ? [text] : []));
