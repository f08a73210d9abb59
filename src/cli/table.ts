// Every command as data, in the order of help (06, "Commands"). Nothing is loaded before a command is chosen.

import type { CommandSpec } from './spec.js';
import { CHANGE_COMMANDS } from './table-change.js';
import { DECIDE_COMMANDS } from './table-decide.js';
import { FEATURE_COMMANDS, GOAL_COMMANDS } from './table-goal.js';
import { GOAL_DECISIONS } from './table-goal-decide.js';
import { LOOK_COMMANDS } from './table-look.js';
import { REPOSITORY_COMMANDS } from './table-repository.js';
import { WORK_COMMANDS } from './table-work.js';

export const COMMANDS: readonly CommandSpec[] = [
  ...WORK_COMMANDS,
  ...GOAL_COMMANDS,
  ...GOAL_DECISIONS,
  ...FEATURE_COMMANDS,
  ...LOOK_COMMANDS,
  ...DECIDE_COMMANDS,
  ...CHANGE_COMMANDS,
  ...REPOSITORY_COMMANDS,
];

export const findCommand = (name: string): CommandSpec | undefined => COMMANDS.find((spec) => spec.name === name);

/** First words of the commands of two words, such as `goal add`. */
export const isNoun = (word: string): boolean => COMMANDS.some((spec) => spec.name.startsWith(`${word} `));
