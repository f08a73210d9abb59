// Columns that text takes on a terminal. The only place that measures and cuts.

import stringWidth from 'string-width';

export const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));

/** Most of what is printed, and a hundred times cheaper. */
const PLAIN = /^[\x20-\x7e]*$/;

/** At most `width` columns of plain text. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    out += segment;
  }
  return out;
}
