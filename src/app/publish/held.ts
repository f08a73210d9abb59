// A publication that something stood in the way of, as an error of the command that was given. Pure.

import { type ErrorCode, OwlError } from '../../domain/errors.js';
import type { Held } from './publish.js';

const CODES: Readonly<Record<Held['code'], ErrorCode>> = {
  'state-busy': 'busy',
  'state-contested': 'contested',
  'branch-taken': 'refused',
  'gitlink-missing': 'refused',
  'remote-unreachable': 'remote',
  'lfs-unsent': 'remote',
};

/** `what` was not done, what is kept, and the command to give again. */
export const heldError = (
  { code, why }: Held,
  said: { readonly what: string; readonly kept: string; readonly again: string },
): OwlError =>
  new OwlError(CODES[code], `${said.what}: ${why}`, {
    preserved: [said.kept],
    next: code === 'state-contested' ? ['git owl sync --dry-run'] : [said.again],
    data: { reason: code },
  });
