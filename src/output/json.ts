// The two JSON envelopes (06, "Everywhere"): exactly one of them on stdout, or one a line for commands that stream.

import { escapeJson } from './escape.js';
import type { ReportError } from './report.js';

export interface SuccessEnvelope {
  readonly schema: string;
  readonly ok: true;
  readonly data: unknown;
}

export interface FailureEnvelope {
  readonly schema: string;
  readonly ok: false;
  readonly error: ReportError & { readonly data?: Readonly<Record<string, unknown>> };
  /** What `data` is: the kind of the document that success would have been. */
  readonly kind?: string;
  readonly data?: unknown;
}

export const schemaName = (kind: string): string => `git-owl/${kind}/v1`;

export const success = (kind: string, data: unknown): SuccessEnvelope => ({ schema: schemaName(kind), ok: true, data });

/** A failure; with `data`, what is known all the same, as the documents of its kind have it. */
export function failure(
  error: FailureEnvelope['error'],
  data?: { readonly kind: string; readonly value: unknown },
): FailureEnvelope {
  const envelope = { schema: schemaName('error'), ok: false, error } as const;
  return data === undefined ? envelope : { ...envelope, kind: data.kind, data: data.value };
}

/** One line of JSON text, safe on a terminal. */
export const encodeJson = (envelope: SuccessEnvelope | FailureEnvelope): string =>
  `${escapeJson(JSON.stringify(envelope))}\n`;
