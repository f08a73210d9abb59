// The configuration: is there one, is it right, is it in force, may its commands run here.

import { configurationElsewhere } from '../../config/elsewhere.js';
import { loadTaste } from '../../config/taste.js';
import { sayNew, trustState } from '../../config/trust.js';
import { isOwlError } from '../../domain/errors.js';
import { type InForce, loadInForce } from '../in-force.js';
import type { Workbench } from '../workbench.js';
import { type Finding, fail, pass, warn } from './types.js';

export interface Configured {
  /** Null: it cannot be loaded, and a finding says why. */
  readonly force: InForce | null;
  /** One is to come: that none is in force is said, and what built-in values lack meanwhile is no finding of its own. */
  readonly pending: boolean;
  readonly findings: readonly Finding[];
}

export async function checkConfigured(bench: Workbench): Promise<Configured> {
  let force: InForce;
  try {
    force = await loadInForce(bench);
  } catch (error) {
    if (
      isOwlError(error, 'configuration') ||
      isOwlError(error, 'missing-remote') ||
      isOwlError(error, 'reserved-name')
    ) {
      return {
        force: null,
        pending: false,
        findings: [fail('configuration', error.message, error.next[0] ?? 'git owl config check')],
      };
    }
    throw error;
  }
  const { loaded, at } = force;
  const findings: Finding[] = [];
  const elsewhere = await configurationElsewhere({ repository: bench.repository, loaded, ref: at?.ref ?? null });
  const pending = isPending(force);
  if (at !== null && loaded.path !== null) findings.push(pass('configuration', `${at.ref}:${loaded.path}`));
  else if (elsewhere.length === 0)
    findings.push(warn('configuration', 'none is in force: no agent is named, and no check', 'git owl init'));
  for (const text of loaded.warnings) findings.push(warn('configuration', text, 'rename it, or remove it'));
  for (const text of elsewhere) {
    const [what, mend] = splitAdvice(text);
    findings.push(warn('in-force', what, mend));
  }
  const taste = await loadTaste(bench.repository.git);
  for (const text of taste.warnings) findings.push(warn('git-config', text, null));
  if (loaded.policy.checks.length > 0)
    findings.push(pass('checks', loaded.policy.checks.map((check) => check.name).join(', ')));
  else if (!pending)
    findings.push(warn('checks', 'none are configured: no result is verified', 'checks: in the configuration'));
  if (!pending || loaded.commands.length > 0) findings.push(await checkTrust(bench, force));
  return { force, pending, findings };
}

/** Until there is a base that has one. */
const isPending = ({ at, loaded }: InForce): boolean => at === null || loaded.path === null;

/** `… is not in force (…): push it: git push origin main` -> what, and what makes it count. */
function splitAdvice(text: string): readonly [string, string] {
  const end = text.indexOf('): ');
  return end < 0 ? [text, 'git owl config check'] : [text.slice(0, end + 1), text.slice(end + 3)];
}

async function checkTrust(bench: Workbench, { loaded }: InForce): Promise<Finding> {
  const state = await trustState(
    { repository: bench.repository, environment: bench.environment, given: bench.trust },
    loaded,
  );
  if (state.because === 'nothing-to-run') return pass('trust', "the repository's configuration runs no commands");
  if (state.trusted)
    return pass(
      'trust',
      state.because === 'remembered' ? 'its commands are trusted here' : 'its commands are trusted for this call',
    );
  const what = `it has commands that are not trusted here yet${sayNew(state)}`;
  return warn('trust', what, 'git owl trust');
}
