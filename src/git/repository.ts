// One opened repository: its facts, its `git`, its engine. Made by open.ts; passed to everything that touches Git.

import type { Engine } from './engine.js';
import type { Git, Identity, RepositoryFacts } from './git.js';

export interface Repository extends RepositoryFacts {
  readonly git: Git;
  /** Chosen by itself at first use, then the same one (01). */
  engine(): Promise<Engine>;
  identity(): Promise<Identity>;
  close(): Promise<void>;
}
