// From the text of an option to its value, with usage errors in our words. yargs turns `abc` into NaN and knows no lengths of time.

import { parseDuration } from '../domain/duration.js';
import { OwlError } from '../domain/errors.js';
import type { CommandSpec, OptionSpec } from './spec.js';

/** A usage error of one command; the next step is its help. */
export const usageError = (spec: CommandSpec | null, message: string): OwlError =>
  new OwlError('usage', message, { next: [spec === null ? 'git owl -h' : `git owl ${spec.name} -h`] });

/** Text from the command line inside a message: quoted, on one line, bounded. */
export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** A whole number from 0 to 999 999; null when the text is none. */
export const parseWhole = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

/** Checks one value of an option; returns what `Request` hands out. Throws OwlError `usage`. */
export function coerceOption(spec: CommandSpec | null, option: OptionSpec, text: string): string | number {
  const name = `--${option.name}`;
  if (text === '') throw usageError(spec, `option ${name} needs a value`);
  switch (option.kind) {
    case 'number': {
      if (/^-\d+$/.test(text)) throw usageError(spec, `option ${name} cannot be negative, as ${quote(text)} is`);
      const whole = parseWhole(text);
      if (whole === null) throw usageError(spec, `option ${name} needs a whole number, not ${quote(text)}`);
      return whole;
    }
    case 'duration': {
      const duration = parseDuration(text);
      if (duration === null)
        throw usageError(spec, `option ${name} needs a length of time such as 15m, 1h30m or 7d, not ${quote(text)}`);
      return duration.ms;
    }
    case 'choice': {
      const choices = option.choices ?? [];
      if (!choices.includes(text))
        throw usageError(spec, `option ${name} is ${sayChoices(choices)}, not ${quote(text)}`);
      return text;
    }
    default:
      return text;
  }
}

const sayChoices = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
