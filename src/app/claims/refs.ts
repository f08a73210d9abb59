// Names of claims on the remote of a shared queue (01, Refs; 05, S7).

import type { RefName } from '../../domain/git.js';

export const CLAIMS = 'refs/owl/claims/';

/** Of a Job or a Goal. */
export const claimRef = (id: string): RefName => `${CLAIMS}${id}` as RefName;
export const isClaim = (ref: RefName): boolean => ref.startsWith(CLAIMS);
