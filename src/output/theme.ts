// Roles of text and their styles. Views name roles, never colours; every role escapes what it is given (06, 08).

import { Chalk, type ColorSupportLevel } from 'chalk';
import { escapeLine } from './escape.js';

/** Lines ready to print: escaped, styled, without newlines. */
export type Lines = readonly string[];

export type ColorLevel = ColorSupportLevel;

/** Signs with the words beside them: meaning never depends on a sign or colour alone. */
export interface Glyphs {
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
  readonly live: string;
  readonly wait: string;
  readonly ellipsis: string;
  readonly arrow: string;
  readonly dot: string;
}

type Role = (text: string) => string;

/** Each role escapes its text, so roles are not nested: put styled parts side by side. */
export interface Theme {
  readonly level: ColorLevel;
  /** A terminal: columns are aligned and fitted. Otherwise one record a line, fields parted by tabs, nothing cut. */
  readonly terminal: boolean;
  readonly glyphs: Glyphs;
  readonly text: Role;
  readonly strong: Role;
  readonly dim: Role;
  readonly heading: Role;
  readonly id: Role;
  readonly ref: Role;
  readonly oid: Role;
  readonly path: Role;
  readonly command: Role;
  readonly good: Role;
  readonly bad: Role;
  readonly warn: Role;
  readonly added: Role;
  readonly removed: Role;
  /** The name of a state, outcome or closure of a Job, Run or check, in the style of its kind. */
  readonly state: (name: string) => string;
}

const UNICODE: Glyphs = { good: '✓', bad: '✗', warn: '!', live: '●', wait: '○', ellipsis: '…', arrow: '→', dot: '·' };
const ASCII: Glyphs = { good: '+', bad: 'x', warn: '!', live: '*', wait: 'o', ellipsis: '...', arrow: '->', dot: '-' };

const STATE_ROLE: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'live' | 'dim'>> = {
  active: 'live',
  review: 'warn',
  plan: 'live',
  implement: 'live',
  quality: 'live',
  governance: 'live',
  findings: 'bad',
  trouble: 'bad',
  unreadable: 'bad',
  begun: 'warn',
  unknown: 'warn',
  blocked: 'bad',
  escalated: 'bad',
  exhausted: 'bad',
  done: 'good',
  cancelled: 'dim',
  succeeded: 'good',
  resolved: 'good',
  failed: 'bad',
  interrupted: 'warn',
  passed: 'good',
  timeout: 'bad',
  error: 'bad',
  'changed-tree': 'bad',
  output: 'bad',
  pass: 'good',
  warn: 'warn',
  fail: 'bad',
  current: 'good',
  stale: 'warn',
  void: 'warn',
};

export interface ThemeOptions {
  readonly level: ColorLevel;
  readonly terminal: boolean;
  readonly unicode: boolean;
}

export function createTheme(options: ThemeOptions): Theme {
  const chalk = new Chalk({ level: options.level });
  const role =
    (style: (text: string) => string): Role =>
    (text) =>
      text === '' ? '' : style(escapeLine(text));
  const roles = {
    good: role(chalk.green),
    bad: role(chalk.red),
    warn: role(chalk.yellow),
    live: role(chalk.cyan),
    dim: role(chalk.dim),
  };
  return {
    level: options.level,
    terminal: options.terminal,
    glyphs: options.unicode ? UNICODE : ASCII,
    text: escapeLine,
    strong: role(chalk.bold),
    dim: roles.dim,
    heading: role(chalk.bold),
    id: role(chalk.yellow),
    ref: role(chalk.cyan),
    oid: role(chalk.yellow),
    path: role(chalk.underline),
    command: role(chalk.cyan),
    good: roles.good,
    bad: roles.bad,
    warn: roles.warn,
    added: role(chalk.green),
    removed: role(chalk.red),
    state: (name) => {
      const kind = STATE_ROLE[name];
      return kind === undefined ? escapeLine(name) : roles[kind](name);
    },
  };
}

/** No colour, no terminal, ASCII: what a test or a file gets. */
export const plainTheme = (): Theme => createTheme({ level: 0, terminal: false, unicode: false });
