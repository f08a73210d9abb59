// `--format`, `--sort` and `--limit` over rows, in the way of `git for-each-ref` (06, "Everywhere"). Pure.

import { OwlError } from '../domain/errors.js';
import { nearest } from '../domain/nearest.js';
import type { Row } from './report.js';

/** One piece of a format: text as it is, or the value of a dotted field. */
type Piece = { readonly text: string } | { readonly field: string };

/**
 * Reads `%(field)`, `%(field.part)`, `%%` and `%xx` (two hexadecimal digits, as `%00`).
 * Throws OwlError `usage` for a field that is not closed and for any other use of `%`.
 */
export function parseFormat(format: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  for (let at = 0; at < format.length; at++) {
    if (format[at] !== '%') {
      text += format[at];
      continue;
    }
    const rest = format.slice(at);
    const field = /^%\(([A-Za-z_][\w.-]*)\)/.exec(rest);
    const hex = /^%([0-9a-fA-F]{2})/.exec(rest);
    if (field?.[1] !== undefined) {
      if (text !== '') pieces.push({ text });
      text = '';
      pieces.push({ field: field[1] });
      at += field[0].length - 1;
    } else if (hex?.[1] !== undefined) {
      text += String.fromCharCode(Number.parseInt(hex[1], 16));
      at += 2;
    } else if (rest[1] === '%') {
      text += '%';
      at += 1;
    } else {
      throw new OwlError(
        'usage',
        `--format has "${rest.slice(0, 12)}" where only %(field), %% and %xx have a meaning`,
        {
          next: ['git owl help format'],
        },
      );
    }
  }
  if (text !== '') pieces.push({ text });
  return pieces;
}

/** The value of a dotted field: undefined when the row does not have it. */
export function fieldOf(row: Row, field: string): unknown {
  let value: unknown = row;
  for (const part of field.split('.')) {
    if (value === null) return null;
    if (typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, part) ? (value as Readonly<Record<string, unknown>>)[part] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** Text of a value: nothing for null, a list joined by commas, of an object its `text` (a reason has one), else JSON. */
export function sayValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(sayValue).join(',');
  if (typeof value !== 'object') return String(value);
  return 'text' in value && typeof value.text === 'string' ? value.text : JSON.stringify(value);
}

/** One text for each row. Throws OwlError `usage` for a field that no row can have. */
export function formatRows(rows: readonly Row[], format: string, fields: readonly string[]): readonly string[] {
  const pieces = parseFormat(format);
  for (const piece of pieces) if ('field' in piece) checkField(piece.field, fields, '--format');
  return rows.map((row) =>
    pieces.map((piece) => ('text' in piece ? piece.text : sayValue(fieldOf(row, piece.field)))).join(''),
  );
}

export interface Arrangement {
  /** `field` or `-field` for the other direction; the last one counts most, as in `git for-each-ref`. */
  readonly sort: readonly string[];
  readonly limit: number | undefined;
}

/** Places of the rows in the order that was asked for, cut to the limit. Rows that are equal keep their order. */
export function arrange(rows: readonly Row[], how: Arrangement, fields: readonly string[]): readonly number[] {
  const order = rows.map((_, place) => place);
  for (const key of how.sort) {
    const down = key.startsWith('-');
    const field = down ? key.slice(1) : key;
    checkField(field, fields, '--sort');
    const values = rows.map((row) => fieldOf(row, field));
    order.sort((one, two) => compare(values[one], values[two]) * (down ? -1 : 1));
  }
  return how.limit === undefined ? order : order.slice(0, how.limit);
}

/** Field names of the rows, when the report does not say them itself. */
export function fieldsOf(rows: readonly Row[]): readonly string[] {
  const fields = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) fields.add(key);
  return [...fields];
}

function compare(one: unknown, two: unknown): number {
  if (typeof one === 'number' && typeof two === 'number') return one - two;
  const [a, b] = [sayValue(one), sayValue(two)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function checkField(field: string, fields: readonly string[], option: string): void {
  const first = field.split('.')[0] ?? field;
  if (fields.length === 0 || fields.includes(first)) return;
  const near = nearest(first, fields);
  throw new OwlError('usage', `${option} has no field "${field}"${near === null ? '' : `; did you mean ${near}?`}`, {
    next: ['git owl help format'],
    data: { fields },
  });
}
