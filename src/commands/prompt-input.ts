// Where the text of a prompt comes from: words, a file, standard input, an editor (06, add).

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { PROMPT_LIMIT } from '../domain/title.js';
import { editText } from './editor.js';

const TEMPLATE = `

# What should be done? The first line becomes the title.
# Lines that begin with '#' are left out; an empty text queues nothing.
`;

/** `-F <file>`, where `-` is standard input. Throws OwlError `usage` when it cannot be read. */
export async function readFileOrInput(context: Context, path: string): Promise<Buffer> {
  if (path === '-') return readInput(context);
  try {
    return await readFile(resolve(context.environment.cwd, path));
  } catch (error) {
    throw new OwlError('usage', `cannot read '${path}': ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`, {
      cause: error,
    });
  }
}

/** All of standard input, at most a little more than a prompt may have. */
async function readInput(context: Context): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of context.streams.stdin) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    parts.push(part);
    size += part.length;
    if (size > PROMPT_LIMIT + 1) break;
  }
  return Buffer.concat(parts);
}

/** The prompt of `add`: words, words after `--`, `-F`, `-`, or the editor on a terminal. */
export async function readPromptWords(context: Context, request: Request): Promise<Buffer> {
  const words = [...request.rest, ...request.passed];
  const file = request.text('file');
  if (file !== undefined) {
    if (words.length > 0)
      throw new OwlError('usage', 'a prompt comes from words or from -F, not from both', { next: ['git owl add -h'] });
    return readFileOrInput(context, file);
  }
  if (words.length === 1 && words[0] === '-' && request.passed.length === 0) return readInput(context);
  if (words.length > 0) return Buffer.from(words.join(' '), 'utf8');
  if (!context.streams.interactive) {
    throw new OwlError('usage', 'a prompt is missing', {
      preserved: ['nothing was queued'],
      next: ['git owl add "<what to do>"', 'git owl add -F <file>', 'git owl add -'],
    });
  }
  return Buffer.from(withoutComments(await editText(context, TEMPLATE, 'OWL_PROMPT.md')), 'utf8');
}

/** `--<option> <text>` or `-F <file>`; undefined: neither was given. */
export async function readText(context: Context, request: Request, option: string): Promise<Buffer | undefined> {
  const text = request.text(option);
  const file = request.text('file');
  if (text !== undefined && file !== undefined) throw new OwlError('usage', `--${option} and -F exclude each other`);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  return file === undefined ? undefined : readFileOrInput(context, file);
}

/** Words behind the id, or `-F <file>`; undefined: neither was given. */
export async function readWordsOrFile(context: Context, request: Request): Promise<Buffer | undefined> {
  const file = request.text('file');
  if (request.rest.length > 0 && file !== undefined)
    throw new OwlError('usage', 'the request comes from words or from -F, not from both', {
      next: [`git owl ${request.command} -h`],
    });
  if (request.rest.length > 0) return Buffer.from(request.rest.join(' '), 'utf8');
  return file === undefined ? undefined : readFileOrInput(context, file);
}

const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
