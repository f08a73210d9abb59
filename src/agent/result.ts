// Reads `$OWL_RESULT_FILE`, the one JSON object that an agent may leave about its Run (J16b). Bounded, never trusted.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import * as v from 'valibot';
import type { ResultFacts } from '../domain/agent-outcome.js';
import type { AgentResult } from './types.js';

const LIMIT = 1024 * 1024;

const amount = v.optional(v.pipe(v.number(), v.minValue(0)));

const schema = v.object({
  outcome: v.picklist(['done', 'no-change', 'blocked', 'limited']),
  summary: v.optional(v.pipe(v.string(), v.maxLength(64 * 1024))),
  usage: v.optional(v.object({ input: amount, output: amount, cached: amount, cost: amount, turns: amount })),
  not_before: v.optional(v.pipe(v.string(), v.isoTimestamp())),
});

export type ResultFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'found'; readonly result: AgentResult };

export type ResultText =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'text'; readonly text: string };

/** The text of a result file, `none` when there is no file or an empty one, or why it cannot be used. Links are not followed. */
export async function readResultText(file: string): Promise<ResultText> {
  let text: string;
  try {
    // Not blocking: an agent may have put a pipe there.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { kind: 'unreadable', why: 'it is not a regular file' };
      if (stat.size > LIMIT) return { kind: 'unreadable', why: `it has ${stat.size} bytes, more than 1 MiB` };
      text = await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? { kind: 'none' } : { kind: 'unreadable', why: `it could not be opened (${code})` };
  }
  return text.trim() === '' ? { kind: 'none' } : { kind: 'text', text };
}

/** The result that an agent of a Run left. */
export async function readResult(file: string): Promise<ResultFile> {
  const read = await readResultText(file);
  return read.kind === 'text' ? parseResult(read.text) : read;
}

/** Checks the text of a result file. Unknown fields are left out. */
export function parseResult(text: string): ResultFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', why: 'it is not JSON' };
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return { kind: 'found', result: parsed.output };
  const issue = parsed.issues[0];
  const path = v.getDotPath(issue);
  return { kind: 'unreadable', why: `${path ?? 'it'} is not valid` };
}

/** The part of a result file that decides the outcome. */
export function resultFacts(file: ResultFile): ResultFacts {
  if (file.kind !== 'found') return file;
  const { outcome, summary, not_before } = file.result;
  return { kind: 'found', outcome, summary: summary ?? null, notBefore: not_before ?? null };
}
