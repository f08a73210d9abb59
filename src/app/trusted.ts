// May the commands of this configuration run here? Asked at one place by every workflow that would run them (06, trust).

import { requireTrust, trustState } from '../config/trust.js';
import type { LoadedPolicy } from '../domain/policy.js';
import type { Workbench } from './workbench.js';

/** Without asking: remembered, `--trust`, OWL_TRUST=1, or nothing to run. */
export const isTrusted = async (bench: Workbench, loaded: LoadedPolicy): Promise<boolean> =>
  (await trustState(trustDoors(bench), loaded)).trusted;

/** Asks once on a terminal; elsewhere throws OwlError `untrusted`. */
export const askTrust = (bench: Workbench, loaded: LoadedPolicy): Promise<void> =>
  requireTrust(trustDoors(bench), loaded);

const trustDoors = (bench: Workbench) => ({
  repository: bench.repository,
  environment: bench.environment,
  given: bench.trust,
  ask: bench.ask,
});
