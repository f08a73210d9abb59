// What the parts of the store share: the engine, the objects it reads, time, chance, and who writes.

import type { Engine } from '../git/engine.js';
import type { Identity } from '../git/git.js';
import type { Clock } from '../system/clock.js';
import type { Environment } from '../system/environment.js';
import type { Ids } from '../system/ids.js';
import type { Objects } from './objects.js';

export interface StoreEnv {
  readonly engine: Engine;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Environment;
  /** Absolute path of the common Git folder; null for the in-memory twin. */
  readonly commonDir: string | null;
  readonly quarantine: boolean;
  /** Version of this program, for `meta.json`. */
  readonly version: string;
  /** With the time of the clock. */
  identity(): Promise<Identity>;
  /** Waits with jitter before the next try: longer the more tries were lost. */
  pause(attempt: number): Promise<void>;
  /** Operations of this very process that are under way: their intents are nobody else's business. */
  readonly inFlight: Set<string>;
  /** Operations of this process that ended with moves still to make: the next `recover` makes them. */
  readonly left: Set<string>;
  /** Did the last change of this process meet others? Then the next one stands in line at once. */
  crowded: boolean;
  /** Branch prefixes, and `refs/owl/`, of which this process saw that nothing blocks them. */
  readonly freePrefixes: Set<string>;
}
