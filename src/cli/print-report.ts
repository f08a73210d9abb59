// Prints what a command returned, or why it failed: one JSON document, rows in a format, or text for people (06).

import { isOwlError, OwlError } from '../domain/errors.js';
import { escapeLine } from '../output/escape.js';
import { arrange, fieldsOf, formatRows } from '../output/format.js';
import { encodeJson, failure, success } from '../output/json.js';
import type { Report, ReportError, Row } from '../output/report.js';
import type { Out, StreamSet } from '../output/streams.js';
import type { Request } from './spec.js';

export interface Printing {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Prints the report and returns the exit status. Throws OwlError `usage` for a field that `--format` or `--sort` does not know. */
export async function printReport(
  report: Report,
  request: Request,
  streams: StreamSet,
  how: Printing,
): Promise<number> {
  streams.progress.done();
  const rows = report.rows ?? [];
  const sort = request.list('sort');
  const named = sort.length > 0 || request.text('format') !== undefined;
  const fields = report.fields ?? (named ? fieldsOf(rows) : []);
  const order = arrange(rows, { sort, limit: request.number('limit') }, fields);
  const chosen = order.map((at) => rows[at] as Row);
  if (!report.streamed) {
    if (how.json) printJson(report, order, streams.stdout);
    else await printText(report, chosen, fields, request, streams.stdout);
  }
  if (!how.quiet) for (const note of report.notes ?? []) streams.stderr.line(escapeLine(note));
  if (report.error !== undefined && !how.json) printError(report.error, streams.stderr);
  return report.exit ?? 0;
}

function printJson(report: Report, order: readonly number[], out: Out): void {
  const data = report.rows === undefined ? report.data : arrangeItems(report.data, order);
  const kind = report.kind;
  out.write(
    encodeJson(report.error === undefined ? success(kind, data) : failure(report.error, { kind, value: data })),
  );
}

/** `data.items` in the order and number that `--sort` and `--limit` ask for. */
function arrangeItems(data: unknown, order: readonly number[]): unknown {
  if (typeof data !== 'object' || data === null || !('items' in data) || !Array.isArray(data.items)) return data;
  const items: readonly unknown[] = data.items;
  return { ...data, items: order.map((at) => items[at]) };
}

async function printText(
  report: Report,
  rows: readonly Row[],
  fields: readonly string[],
  request: Request,
  out: Out,
): Promise<void> {
  const format = request.text('format');
  const nul = request.flag('null');
  if (format === undefined) {
    const lines = await report.view(out.theme, out.width, rows);
    for (const line of lines) nul ? out.write(`${line}\0`) : out.line(line);
    return;
  }
  for (const record of formatRows(rows, format, fields)) {
    // Values are as they are only where no terminal and no line can be upset by them.
    if (nul) out.write(`${out.terminal ? escapeLine(record) : record}\0`);
    else out.line(escapeRecord(record));
  }
}

/** A format may ask for newlines, tabs and NUL (`%0a`, `%09`, `%00`): those stay. */
const escapeRecord = (record: string): string =>
  record
    .split(/([\n\t\0])/)
    .map((part) => (/^[\n\t\0]$/.test(part) ? part : escapeLine(part)))
    .join('');

/** `git owl: what`, then what was kept, then what to run next. */
export function printError(error: ReportError, out: Out): void {
  const { theme } = out;
  out.line(`${theme.bad('git owl:')} ${theme.text(error.message)}`);
  for (const kept of error.preserved) out.line(`  ${theme.text(kept)}`);
  for (const next of error.next) out.line(`${theme.warn('hint:')} ${theme.command(next)}`);
}

/** The error as data; what is no OwlError is a defect of ours, or a fault of the disk. */
export function describeError(error: unknown): {
  readonly exit: number;
  readonly error: ReportError & { readonly data?: Readonly<Record<string, unknown>> };
} {
  const known = isOwlError(error) ? error : (storageFault(error) ?? defect(error));
  const { code, message, preserved, next, data } = known;
  return {
    exit: known.exit,
    error: { code, message, preserved, next, ...(Object.keys(data).length === 0 ? {} : { data }) },
  };
}

const STORAGE: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'ENFILE',
]);

function storageFault(error: unknown): OwlError | null {
  if (!(error instanceof Error) || !('code' in error) || !STORAGE.has(error.code)) return null;
  const where = 'path' in error && typeof error.path === 'string' ? `: ${error.path}` : '';
  return new OwlError('storage', `the system refused to read or write (${String(error.code)})${where}`, {
    cause: error,
  });
}

function defect(error: unknown): OwlError {
  const message = error instanceof Error ? error.message : String(error);
  return new OwlError('defect', `this is a defect in git owl: ${message}`, {
    preserved: ['please report it with the command, "git owl --version" and the output with OWL_DEBUG=1 set'],
    next: ['git owl fsck'],
    cause: error,
  });
}

/** A failed command: the error document on stdout under `--json`, otherwise lines on stderr. Returns the exit status. */
export function printFailure(error: unknown, streams: StreamSet, json: boolean): number {
  streams.progress.done();
  const described = describeError(error);
  if (json) streams.stdout.write(encodeJson(failure(described.error)));
  else printError(described.error, streams.stderr);
  return described.exit;
}
