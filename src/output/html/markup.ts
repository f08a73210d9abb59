// HTML that cannot be broken out of: whatever is put between tags or into a quoted attribute is escaped, unless it was made here (06,
// G50). Pure.

import { escapeText } from '../escape.js';

/** The only way past the escaper. A symbol is no key of JSON, so that no record can pretend to be markup. */
const MADE = Symbol('markup');

export interface Html {
  readonly [MADE]: string;
}

type Value = Html | string | number | readonly Value[];

const made = (text: string): Html => ({ [MADE]: text });

/**
 * A template whose own text is markup and whose values are text, markup made by it, or lists of them. Values are written between tags
 * or in double quotes, never as names of tags or attributes, in a style or as an address.
 */
export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  made(String.raw({ raw: parts }, ...values.map(write)));

export const none: Html = made('');

/** A text of ours, as it is: never anything that was read from a repository. */
export const verbatim = (css: string): Html => made(css);

export const isEmpty = (html: Html): boolean => html[MADE].trim() === '';

/** The finished text. */
export const renderHtml = (html: Html): string => html[MADE];

function write(value: Value): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeHtml(value);
  return MADE in value ? value[MADE] : value.map(write).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control and bidirectional characters become visible, as on a terminal; then what has a meaning in HTML. Newlines stay. */
export const escapeHtml = (text: string): string =>
  escapeText(text).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
