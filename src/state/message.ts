// What a state commit says: a subject that a person can read, then trailers (01, Writes). Writing and reading back. Pure.

import type { EventDraft, StateEvent } from '../domain/events.js';
import { formatOpen, type OpenCounts, parseOpen } from '../domain/open-counts.js';
import { visible } from '../domain/visible.js';
import type { Commit } from '../git/engine.js';

const SUBJECT_LENGTH = 100;

// Control, bidirectional and other characters that hide, reorder or break a line; lone surrogates are not UTF-8.
const UNSAFE =
  /[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** Free text as one line: what could break out of it or disguise it becomes a visible escape. */
export function oneLine(text: string, length: number): string {
  const plain = text.trim().replace(/\s*\r?\n\s*/g, ' ⏎ ');
  const safe = plain.replace(UNSAFE, visible);
  const characters = [...safe];
  return characters.length <= length ? safe : `${characters.slice(0, length - 1).join('')}…`;
}

export interface MessageFacts {
  readonly actor: string;
  readonly op: string;
  readonly request: string | null;
  readonly open: OpenCounts;
}

/** The whole message. Free text is in the subject only; every trailer's value is one escaped line. */
export function formatMessage(draft: EventDraft, facts: MessageFacts): string {
  const trailers: readonly (readonly [string, string | number | null | undefined])[] = [
    ['Owl-Event', draft.event],
    ['Owl-Job', draft.job],
    ['Owl-Goal', draft.goal],
    ['Owl-Run', draft.run],
    ['Owl-Round', draft.round],
    ['Owl-Actor', facts.actor || 'unknown'],
    ['Owl-Op', facts.op],
    ['Owl-Request', facts.request],
    ['Owl-Open', formatOpen(facts.open)],
  ];
  const lines = trailers
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${oneLine(String(value), 250)}`);
  return `${oneLine(draft.subject, SUBJECT_LENGTH) || draft.event}\n\n${lines.join('\n')}\n`;
}

/** The trailers of the last paragraph, never of the subject. The first of a name counts. */
export function parseTrailers(message: string): ReadonlyMap<string, string> {
  const paragraphs = message.trimEnd().split(/\n\n+/);
  const found = new Map<string, string>();
  if (paragraphs.length < 2) return found;
  for (const line of paragraphs.at(-1)?.split('\n') ?? []) {
    const match = /^(Owl-[A-Za-z]+): (.*)$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined && !found.has(match[1])) found.set(match[1], match[2]);
  }
  return found;
}

/** A state commit as an event; null when it is not one of ours (no `Owl-Event`). */
export function parseEvent(commit: Commit): StateEvent | null {
  const trailers = parseTrailers(commit.message);
  const event = trailers.get('Owl-Event');
  if (event === undefined) return null;
  return {
    commit: commit.oid,
    event,
    subject: commit.message.split('\n', 1)[0] ?? '',
    job: trailers.get('Owl-Job') ?? null,
    goal: trailers.get('Owl-Goal') ?? null,
    run: trailers.get('Owl-Run') ?? null,
    actor: trailers.get('Owl-Actor') ?? commit.author.replace(/ <.*$/, ''),
    op: trailers.get('Owl-Op') ?? null,
    request: trailers.get('Owl-Request') ?? null,
    time: new Date(commit.time * 1000).toISOString().replace('.000Z', 'Z'),
    open: parseOpen(trailers.get('Owl-Open') ?? ''),
  };
}
