// `--first`, `--last` and `--before <id>`: one of them.

import type { Place } from '../app/decide/queue.js';
import type { Request } from '../cli/spec.js';
import { OwlError } from '../domain/errors.js';

/** Throws OwlError `usage`. */
export function placeOf(request: Request): Place {
  const before = request.text('before');
  const given: Place[] = [
    ...(request.flag('first') ? [{ kind: 'first' } as const] : []),
    ...(request.flag('last') ? [{ kind: 'last' } as const] : []),
    ...(before === undefined ? [] : [{ kind: 'before', id: before } as const]),
  ];
  const [place] = given;
  if (place === undefined || given.length > 1) {
    throw new OwlError('usage', `${request.command} takes one of --first, --last and --before <id>`, {
      next: [`git owl ${request.command} -h`],
    });
  }
  return place;
}
