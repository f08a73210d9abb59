// Folders for temporary files: where `TMPDIR` leads nowhere that is said, not a fault of ours.

import { constants } from 'node:fs';
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwlError } from '../domain/errors.js';

/** A new folder in the system's folder for temporary files. Throws OwlError `storage`. */
export const temporaryFolder = (prefix: string): Promise<string> => orSay(() => mkdtemp(join(tmpdir(), prefix)));

/** A look before long work: can temporary files be made at all? Throws OwlError `storage`. */
export const needTemporary = (): Promise<void> => orSay(() => access(tmpdir(), constants.W_OK | constants.X_OK));

async function orSay<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const message = `no temporary files can be made in ${tmpdir()} (${String(error.code)}): is TMPDIR right?`;
    throw new OwlError('storage', message, { cause: error });
  }
}
