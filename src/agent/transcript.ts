// What the programs of the presets print, one JSON event a line, as lines that a person reads: what the agent said, which tools it used,
// what went wrong. Whatever is no event of theirs stays as it is (J17).

import { isObject, type Json } from './presets/json-stream.js';
import { type Teller, type Told, tellers } from './tellers.js';

export interface Transcript {
  /** One line of output, without its newline; returns what there is to say of it, each without a newline. Never throws. */
  line(text: string): readonly string[];
  /** What was said in pieces and is not whole yet. */
  end(): readonly string[];
}

/** Of one start of one program, which is recognised by its first event. */
export function createTranscript(): Transcript {
  let teller: Teller | null = null;
  let pending = '';
  const flush = (): readonly string[] => {
    const said = pending;
    pending = '';
    return said.trim() === '' ? [] : textLines(said);
  };
  return {
    line(text) {
      const event = eventOf(text);
      if (event === null) return [...flush(), text];
      teller ??= tellers.find((one) => one.knows(event)) ?? null;
      if (teller === null) return [text];
      const told = teller.tell(event);
      // An event of a newer version: better as it is than lost.
      if (told === null) return [...flush(), text];
      const lines: string[] = [];
      for (const one of told) {
        if ('piece' in one) pending += one.piece;
        else lines.push(...flush(), ...linesOf(one));
      }
      return lines;
    },
    end: flush,
  };
}

/** The whole of a log. */
export function readable(log: string): string {
  const transcript = createTranscript();
  const end = log.endsWith('\n') ? '\n' : '';
  const lines = log.slice(0, log.length - end.length).split('\n');
  const told = [...lines.flatMap((line) => transcript.line(line)), ...transcript.end()];
  return told.length === 0 ? '' : `${told.join('\n')}${end}`;
}

/** The same while it is printed. What cannot be an event is passed on at once, also without the end of its line. */
export function tellAsItComes(write: (text: string) => void): { feed(text: string): void; end(): void } {
  const transcript = createTranscript();
  let parts: string[] = [];
  let through = false;
  const tell = (lines: readonly string[]): void => {
    for (const line of lines) write(`${line}\n`);
  };
  const endLine = (rest: string): void => {
    if (through) write(`${rest}\n`);
    else tell(transcript.line([...parts, rest].join('')));
    parts = [];
    through = false;
  };
  return {
    feed(text) {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        endLine(text.slice(from, at));
        from = at + 1;
      }
      const rest = text.slice(from);
      if (rest === '') return;
      if (!through && (parts.length > 0 || rest.startsWith('{'))) {
        parts.push(rest);
        return;
      }
      if (!through) tell(transcript.end());
      through = true;
      write(rest);
    },
    end() {
      if (parts.length > 0) endLine('');
      tell(transcript.end());
    },
  };
}

function linesOf(told: Exclude<Told, { piece: string }>): readonly string[] {
  if ('said' in told) return textLines(told.said);
  if ('trouble' in told) return told.trouble.trim() === '' ? [] : [`! ${oneLine(told.trouble)}`];
  const what = sayInput(told.with);
  return [`> ${told.did}${what === '' ? '' : ` ${what}`}`];
}

const textLines = (text: string): readonly string[] => (text.trim() === '' ? [] : text.trim().split('\n'));

/** What tells most of the input of a tool, whatever the program calls it. */
const TELLING = ['command', 'file_path', 'filePath', 'absolute_path', 'path', 'dir_path', 'pattern', 'query', 'url'];

function sayInput(input: unknown): string {
  if (typeof input === 'string') return oneLine(input);
  if (!isObject(input)) return '';
  const found = TELLING.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []));
  return oneLine(found[0] ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input)));
}

/** Characters of a line that is not the agent's own text. */
const MOST = 300;

function oneLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, ' ⏎ ');
  return line.length <= MOST ? line : `${[...line].slice(0, MOST).join('')}…`;
}

function eventOf(text: string): Json | null {
  if (!text.startsWith('{')) return null;
  try {
    const event: unknown = JSON.parse(text);
    return isObject(event) && typeof event['type'] === 'string' ? event : null;
  } catch {
    return null;
  }
}
