// Names of claims and of shared tips on the remote of a shared queue (01, Refs; 05, S7).

import type { RefName } from '../../domain/git.js';
import { SHARED_PREFIX } from '../../state/layout.js';

export const CLAIMS = 'refs/owl/claims/';

/** Of a Job or a Goal. */
export const claimRef = (id: string): RefName => `${CLAIMS}${id}` as RefName;
/** The tip of a Job, for other clones. */
export const sharedRef = (job: string): RefName => `${SHARED_PREFIX}${job}` as RefName;
export const isClaim = (ref: RefName): boolean => ref.startsWith(CLAIMS);
