// Which engine serves this repository, and why. OWL_ENGINE forces one, for tests and `doctor`.

import { OwlError } from '../domain/errors.js';
import type { Engine } from './engine.js';
import { adaptiveEngine } from './engine-adaptive.js';
import { plumbingEngine } from './engine-plumbing.js';
import type { Variables } from './env.js';
import type { Git, Identity, RepositoryFacts } from './git.js';

export interface EngineSettings {
  readonly facts: RepositoryFacts;
  readonly git: Git;
  readonly variables: Variables;
  readonly identity: () => Promise<Identity>;
}

/** Measured: loading libgit2 takes 50 to 90 ms, a branch moved by it about 4 ms less than by plumbing. */
const WRITES_BEFORE_LIBGIT2 = 16;

/** Extensions that libgit2 1.9 opens; any other one is Git's own business (01). */
const KNOWN_EXTENSIONS = new Set(['noop', 'objectformat', 'worktreeconfig', 'preciousobjects']);

/** What libgit2 must not be asked to serve, as a reason for `doctor`; null when it may. */
export function whyNotLibgit2(facts: RepositoryFacts): string | null {
  if (facts.format === 'sha256') return 'the repository uses SHA-256';
  if (facts.reftable) return 'the repository keeps its refs in a reftable';
  if (facts.partial) return 'it is a partial clone';
  if (facts.grafts) return 'the repository has grafts';
  const unknown = facts.extensions.find((name) => !KNOWN_EXTENSIONS.has(name));
  return unknown === undefined ? null : `the repository has the extension ${unknown}`;
}

/** Never fails but for an engine that was forced and is not to be had: OwlError `configuration`. */
export async function chooseEngine(settings: EngineSettings): Promise<Engine> {
  const { facts, git } = settings;
  const forced = settings.variables['OWL_ENGINE'];
  if (forced === 'plumbing') return plumbingEngine(facts, git, 'OWL_ENGINE says so');
  const unfit = whyNotLibgit2(facts);
  if (forced === 'nodegit') {
    const loaded = unfit ?? (await loadNodegit(settings, 'OWL_ENGINE says so'));
    if (typeof loaded !== 'string') return loaded;
    throw new OwlError('configuration', `OWL_ENGINE=nodegit cannot be obeyed: ${loaded}`, { next: ['git owl doctor'] });
  }
  if (unfit !== null) return plumbingEngine(facts, git, unfit);
  const because = `short commands are faster without loading libgit2; nodegit, if it can be loaded, takes over after ${WRITES_BEFORE_LIBGIT2} writes`;
  const load = async (): Promise<Engine | null> => {
    const loaded = await loadNodegit(settings, 'many writes');
    return typeof loaded === 'string' ? null : loaded;
  };
  return adaptiveEngine(plumbingEngine(facts, git, because), load, WRITES_BEFORE_LIBGIT2);
}

/** The engine on libgit2, or why it is not to be had: not installed, or it does not open this repository. */
export async function loadNodegit(settings: EngineSettings, because: string): Promise<Engine | string> {
  const { loadBinding, openLibgit2 } = await import('./libgit2.js');
  const loaded = loadBinding();
  if ('missing' in loaded) return loaded.missing;
  const { nodegitEngine } = await import('./engine-nodegit.js');
  try {
    const libgit2 = await openLibgit2(loaded, settings.facts.commonDir);
    return nodegitEngine({
      facts: settings.facts,
      git: settings.git,
      identity: settings.identity,
      libgit2,
      because,
    });
  } catch (error) {
    return `libgit2 does not open this repository (${(error as { errno?: number }).errno ?? 'unknown error'})`;
  }
}
