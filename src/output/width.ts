// Columns that text takes on a terminal. The only place that measures and cuts.

import stringWidth from 'string-width';

export const widthOf = (text: string): number => stringWidth(text);

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
