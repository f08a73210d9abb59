// The Handoff: the one document that passes from Run to Run (J21 to J26). Pure: text in, findings out.

import type { Job } from './job.js';

/** Where it lies in every Job's tree. */
export const HANDOFF_PATH = '.coding-owl/HANDOFF.md';

/** Bytes; a larger one is refused (J24). */
export const HANDOFF_LIMIT = 256 * 1024;

const NAME = /^<!-- git owl: job ([a-z][a-z0-9]{3,15}) -->/;

/** First line of every Handoff that we write: it names its Job, so that an inherited one is not mistaken (J24). */
export const handoffMark = (job: string): string => `<!-- git owl: job ${job} -->`;

/** The Job that a Handoff names, or null. */
export const jobNamedIn = (text: string): string | null => NAME.exec(text)?.[1] ?? null;

/** What a `--no-plan` Job starts with (J24). */
export function seededHandoff(job: Pick<Job, 'id' | 'title'>): string {
  return [
    handoffMark(job.id),
    `# Handoff: ${job.title}`,
    '',
    '## Work',
    '',
    'Not begun.',
    '',
    '## Assumptions',
    '',
    '## Decisions',
    '',
    '## Ruled out',
    '',
    '## Next steps',
    '',
  ].join('\n');
}

/** Subject of the commit that a Handoff of ours is made by. */
export const handoffSubject = (job: string, begunAgain: boolean): string =>
  `Handoff of job ${job}${begunAgain ? ', begun again' : ''}`;

/** The Handoff with its mark on the first line; text that has the mark of this Job already is returned as it is. */
export function markedHandoff(job: string, text: string): string {
  if (jobNamedIn(text) === job) return text;
  const body = text.replace(NAME, '').replace(/^\n/, '');
  return `${handoffMark(job)}\n${body.endsWith('\n') ? body : `${body}\n`}`;
}

/** Text between fences is quoted: a heading in it is none. Line by line, is it inside a fence or a fence itself? */
function quotedLines(lines: readonly string[]): readonly boolean[] {
  let bar = '';
  return lines.map((line) => {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (bar === '') {
      if (mark === '' || (mark.startsWith('`') && rest.includes('`'))) return false;
      bar = mark;
    } else if (mark.startsWith(bar) && rest.trim() === '') bar = '';
    return true;
  });
}

/** Lines of the section under a second-level heading, without the heading; null when there is none. */
function section(text: string, heading: string): string | null {
  const lines = text.split(/\r?\n/);
  const quoted = quotedLines(lines);
  const start = lines.findIndex((line, at) => !quoted[at] && line.trim().toLowerCase() === `## ${heading}`);
  if (start < 0) return null;
  const end = lines.findIndex((line, at) => at > start && !quoted[at] && /^#{1,2}\s/.test(line));
  return lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

/**
 * The blocker that this Run stated under `## Blocked` (J23). It counts only where this Run added or changed the section:
 * `before` is the Handoff as the Run found it.
 */
export function statedBlocker(before: string | null, after: string | null): string | null {
  const now = after === null ? null : section(after, 'blocked');
  if (now === null || now === '') return null;
  const then = before === null ? null : section(before, 'blocked');
  return now === then ? null : now;
}

/**
 * What a Run did about the Handoff, from the paths that it changed: `stale` when it changed the work and not the Handoff (J23),
 * `none` when it changed neither.
 */
export function handoffMadeBy(changed: readonly { readonly path: string }[]): 'none' | 'current' | 'stale' {
  if (changed.some(({ path }) => path === HANDOFF_PATH)) return 'current';
  return changed.length > 0 ? 'stale' : 'none';
}

/** Has it anything to say? A mark and headings alone are an empty Handoff (J21). */
export function saysNothing(text: string): boolean {
  return text.replace(NAME, '').replace(/^#.*$/gm, '').trim() === '';
}

export type HandoffKind = 'ok' | 'absent' | 'not-a-file' | 'binary' | 'too-large';

/** Can these bytes be a Handoff (J24)? */
export function judgeHandoff(
  kind: 'absent' | 'blob' | 'symlink' | 'tree' | 'gitlink',
  size: number,
  hasNul: boolean,
): HandoffKind {
  if (kind === 'absent') return 'absent';
  if (kind !== 'blob') return 'not-a-file';
  if (size > HANDOFF_LIMIT) return 'too-large';
  return hasNul ? 'binary' : 'ok';
}
