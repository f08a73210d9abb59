// Idempotency keys: the first result of a `--request-id`, given again without any further effect (01, Writes).

import { OwlError } from '../domain/errors.js';
import { digestOf } from './canonical.js';
import { decodeRequest, encodeRecord } from './codec.js';
import { requestPath } from './layout.js';
import { lookUp } from './objects.js';
import type { StateSnapshot } from './snapshot.js';
import type { UpdateOptions } from './types.js';

type Request = NonNullable<UpdateOptions['request']>;

const preserved = ['nothing was changed'];

/** Throws OwlError `usage`. */
export function checkRequestId(id: string): void {
  if (id.length > 0 && id.length <= 200 && !/[\0-\x1f\x7f]/.test(id)) return;
  throw new OwlError('usage', 'a request id has 1 to 200 characters and no control characters', { preserved });
}

/**
 * What this request gave the first time, or null when it is new here.
 * Throws OwlError `request-reused` when it was made with other content, `damaged-state`, `newer-state`.
 */
export async function answered(
  snapshot: StateSnapshot,
  request: Request,
): Promise<{ readonly result: unknown } | null> {
  const path = requestPath(request.id);
  const entry = await lookUp(snapshot.objects, snapshot.root, path);
  if (entry === null) return null;
  const read = decodeRequest(path, await snapshot.objects.blob(entry.oid));
  if (read.kind === 'newer') {
    throw new OwlError('newer-state', `the record of this request (${path}) has schema ${read.schema}`, {
      preserved,
      next: ['git owl fsck'],
    });
  }
  if (read.kind === 'damaged' || read.record.id !== request.id) {
    throw new OwlError('damaged-state', `the record of this request (${path}) is damaged`, {
      preserved,
      next: ['git owl fsck'],
    });
  }
  if (read.record.content === digestOf(request.content)) return { result: read.record.result };
  throw new OwlError(
    'request-reused',
    `the request id ${JSON.stringify(request.id)} was used before with other content`,
    {
      preserved,
      next: [`git log -1 --grep='Owl-Op: ${read.record.op}' refs/heads/refine/state`],
      data: { op: read.record.op },
    },
  );
}

/** The record of an answer, as a file of the next state. Throws OwlError `defect` when the result is not JSON. */
export function answerFile(
  request: Request,
  op: string,
  at: string,
  result: unknown,
): readonly [path: string, data: Buffer] {
  const path = requestPath(request.id);
  const record = {
    schema: 1,
    kind: 'request',
    id: request.id,
    content: digestOf(request.content),
    op,
    at,
    result: result ?? null,
  };
  try {
    return [path, encodeRecord('request', path, record)];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OwlError('defect', `the result of a request cannot be stored: ${error.message}`, {
      preserved,
      cause: error,
    });
  }
}
