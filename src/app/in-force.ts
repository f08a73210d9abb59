// The configuration in force, also where there is no base yet: what `config`, `trust`, `init` and `doctor` look at.

import { loadPolicy } from '../config/load.js';
import { OwlError } from '../domain/errors.js';
import type { LoadedPolicy } from '../domain/policy.js';
import type { BaseCommit, ResolvedBase } from './base.js';
import { type BaseWish, currentPolicy } from './policy.js';
import type { Workbench } from './workbench.js';

export interface InForce {
  readonly loaded: LoadedPolicy;
  /** Null: no base was found, and `why` says so. */
  readonly base: ResolvedBase | null;
  readonly at: BaseCommit | null;
  readonly why: string | null;
  /** What makes one; null: it is known. */
  readonly next: string | null;
}

/**
 * As `currentPolicy`, but a missing base leaves built-in values and the user's own file, unless a base was asked for.
 * Throws OwlError `configuration`, and for a base that was asked for as `currentPolicy`.
 */
export async function loadInForce(bench: Workbench, wish: BaseWish = {}): Promise<InForce> {
  try {
    const current = await currentPolicy(bench, wish);
    return { loaded: current.loaded, base: current.base, at: current.at, why: null, next: null };
  } catch (error) {
    const missing = error instanceof OwlError && (error.code === 'missing-base' || error.code === 'no-commit');
    if (!missing || wish.base !== undefined) throw error;
    const loaded = await loadPolicy({
      repository: bench.repository,
      environment: bench.environment,
      commit: null,
      ref: '',
    });
    return { loaded, base: null, at: null, why: error.message, next: error.next[0] ?? null };
  }
}
