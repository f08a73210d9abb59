// From a prompt to the names that are derived from it: title and slug. Pure.

const SLUG_LENGTH = 40;

/** First line that says something, without Markdown marks, at most 120 characters. */
export function titleOf(prompt: string): string {
  const line = prompt.split(/\r?\n/).find((text) => text.replace(/[#>*\-\s`]/g, '') !== '') ?? prompt;
  const clean = line
    .replace(/^\s*(?:(?:#{1,6}|>+|[*-])\s+)+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return [...(clean === '' ? line.trim() : clean)].slice(0, 120).join('');
}

/** Lower-case ASCII words joined by `-`; `job` where the text has no ASCII letter or digit (07.27). */
export function slugOf(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, SLUG_LENGTH).replace(/-+$/, '') || 'job';
}

/** Can this be a slug that a person gave? */
export const isSlug = (text: string): boolean =>
  /^[a-z0-9][a-z0-9._-]{0,59}$/.test(text) && !/\.\.|\.lock$|\.$/.test(text);

/** Bytes; a larger prompt is refused by name. */
export const PROMPT_LIMIT = 512 * 1024;
