// The checks: commands from the base's configuration, run on exactly one committed tip in a clean tree (J27, J28).

import { createHash } from 'node:crypto';
import type { Oid } from '../../domain/git.js';
import type { CheckResult } from '../../domain/job.js';
import type { Check, Policy } from '../../domain/policy.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { type Cleanliness, cleanliness } from '../workspace/cleanliness.js';
import { copyFiles } from '../workspace/copy-files.js';
import { disposeFresh, freshCheckout } from '../workspace/fresh.js';
import { restoreTree } from '../workspace/restore.js';
import { snapshotWip } from '../workspace/snapshot.js';
import { initialiseSubmodules } from '../workspace/submodules.js';
import type { Workspace } from '../workspace/types.js';
import { takeMovesBack } from './checks-moved.js';
import type { Errand } from './errand.js';
import { openScratch } from './scratch.js';
import { keepOnly } from './settle.js';
import { runShell } from './shell.js';
import { withTravelling } from './travelling-output.js';

export interface ChecksRequest {
  readonly errand: Errand;
  /** The id that marks their processes and names their scratch folder: a Run's, or an operation's for `verify`. */
  readonly marker: string;
  /** Its `checks` are run, all of them. */
  readonly policy: Policy;
  readonly tip: Oid;
  /** The worktree was just found to have nothing uncommitted, and nothing ran in it since. */
  readonly clean?: Cleanliness | null | undefined;
}

export interface Checked {
  readonly results: readonly CheckResult[];
  /** Output of each check, by name. */
  readonly outputs: ReadonlyMap<string, Buffer>;
  readonly notes: readonly string[];
  readonly interrupted: boolean;
}

/**
 * Runs all checks, one after the other; each failure is kept with its output. In the Job's worktree only while that has nothing
 * uncommitted: else it would be what makes them pass (07.21).
 */
export async function runChecks(
  bench: Workbench,
  request: ChecksRequest & { readonly workspace: Workspace },
): Promise<Checked> {
  if (request.policy.checks.length === 0) return { results: [], outputs: new Map(), notes: [], interrupted: false };
  if (request.policy.verification.checkout === 'worktree') {
    const state = request.clean ? null : await cleanliness(bench.repository, request.workspace);
    if (state === null || state.modified.length + state.untracked.length === 0)
      return runChecksIn(bench, request, request.workspace);
    bench.say(`the worktree of ${request.errand.id} has uncommitted work: its checks run in a fresh checkout`);
  }
  return inFreshCheckout(bench, request, ({ workspace, failed }) => failed ?? runChecksIn(bench, request, workspace));
}

export interface FreshPlace {
  readonly workspace: Workspace;
  /** Blobs of files that were copied into it: never committed by us (J15). */
  readonly copied: readonly { readonly path: string; readonly oid: Oid }[];
  /** What could not be set up; nothing can be checked then. */
  readonly failed: Checked | null;
  /** Where its HEAD stands now, for a checkout in which commits were made; they must be kept before. */
  moved(head: Oid): void;
}

/** A checkout of exactly the tip, with submodules, copied files and setup done again, for as long as `work` lasts (J27). */
export async function inFreshCheckout<T>(
  bench: Workbench,
  request: ChecksRequest,
  work: (place: FreshPlace) => Promise<T> | T,
): Promise<T> {
  const { errand, policy } = request;
  const { workspace } = await freshCheckout(bench, { commit: request.tip, name: errand.id, policy });
  let head = request.tip;
  try {
    const submodules = await initialiseSubmodules(bench.repository, workspace, errand.base);
    const { copied } = await copyFiles(bench.repository, workspace, { base: errand.base, patterns: policy.copy });
    const failed =
      submodules.kind === 'failed' ? noSubmodules(submodules.message) : await setUp(bench, request, workspace);
    const said = failed === null ? null : await withTravelling(bench, request, workspace, failed);
    const moved = (to: Oid): void => {
      head = to;
    };
    return await work({ workspace, copied, failed: said, moved });
  } finally {
    const stays = await disposeFresh(bench, { ...workspace, head });
    if (stays !== null) bench.say(`a temporary checkout stays: ${stays}`);
  }
}

function noSubmodules(message: string): Checked {
  const output = Buffer.from(`${message}\n`);
  const digest = createHash('sha256').update(output).digest('hex');
  const run = 'git submodule update';
  return {
    results: [{ name: 'git submodules', run, status: 'error', exit: null, ms: 0, digest }],
    outputs: new Map([['git submodules', output]]),
    notes: [],
    interrupted: false,
  };
}

/** Setup in a fresh checkout; a step that fails counts as a check that could not run. */
async function setUp(bench: Workbench, request: ChecksRequest, workspace: Workspace): Promise<Checked | null> {
  for (const [at, step] of request.policy.setup.entries()) {
    const name = `setup ${at + 1}`;
    const one = await runOne(bench, request, workspace, {
      name,
      run: step.run,
      timeout: step.timeout,
      expect: 'success',
    });
    if (one.result.status !== 'passed') {
      return {
        results: [{ ...one.result, status: 'error' }],
        outputs: new Map([[name, one.output]]),
        notes: [],
        interrupted: bench.signal.aborted,
      };
    }
  }
  return null;
}

/** All checks in this checkout, which is at the tip and has nothing uncommitted. */
export const runChecksIn = async (bench: Workbench, request: ChecksRequest, workspace: Workspace): Promise<Checked> =>
  withTravelling(bench, request, workspace, await oneByOne(bench, request, workspace));

async function oneByOne(bench: Workbench, request: ChecksRequest, workspace: Workspace): Promise<Checked> {
  const results: CheckResult[] = [];
  const outputs = new Map<string, Buffer>();
  const notes: string[] = [];
  let left: readonly string[] = [];
  let seen = request.clean ?? null;
  for (const check of request.policy.checks) {
    if (bench.signal.aborted) return { results, outputs, notes, interrupted: true };
    bench.progress.step(`check ${check.name} on ${request.errand.id}`);
    await failpoint('run.before-check');
    const { result, output } = await runOne(bench, request, workspace, check);
    outputs.set(check.name, output);
    const moved = await takeMovesBack(bench, { errand: request.errand, workspace, tip: request.tip }, check.name);
    if (moved !== null) notes.push(moved);
    const state = await cleanliness(bench.repository, workspace, seen);
    seen = state;
    left = state.untracked;
    if (state.modified.length > 0) {
      left = [];
      // A check that changes tracked files fails: what it left is kept, then the tree is as committed again (11, Jobs).
      await takeBack(bench, request, workspace, `tree that check ${check.name} changed`);
      notes.push(`check ${check.name} changed the tree: ${state.modified.slice(0, 20).join(', ')}`);
    }
    const changed = moved !== null || state.modified.length > 0;
    results.push(changed && result.status === 'passed' ? { ...result, status: 'changed-tree' } : result);
    await failpoint('run.after-check');
  }
  if (left.length > 0) {
    await takeBack(bench, request, workspace, 'files that checks made');
    notes.push(`checks left files behind, which are kept: ${left.slice(0, 20).join(', ')}`);
  }
  return { results, outputs, notes, interrupted: bench.signal.aborted };
}

/** Keeps what checks made of the tree, and makes it what was committed again. */
async function takeBack(
  bench: Workbench,
  request: ChecksRequest,
  workspace: Workspace,
  subject: string,
): Promise<void> {
  const wip = await snapshotWip(bench.repository, workspace);
  if (wip.kind !== 'taken') return;
  await keepOnly(bench, request.errand.id, [{ commit: wip.commit, subject }]);
  await restoreTree(bench, workspace, { kept: wip.commit, commit: request.tip });
}

async function runOne(
  bench: Workbench,
  request: ChecksRequest,
  workspace: Workspace,
  check: Check,
): Promise<{ readonly result: CheckResult; readonly output: Buffer }> {
  const { errand, policy, marker } = request;
  const scratch = await openScratch(bench, marker);
  const ended = await runShell(bench, {
    name: check.name,
    command: check.run,
    timeout: check.timeout,
    errand,
    marker,
    workspace,
    policy,
    scratch,
    apart: check.expect === 'empty_output',
  });
  const status = ended.timedOut
    ? 'timeout'
    : ended.code === null
      ? 'error'
      : ended.code !== 0
        ? 'failed'
        : check.expect === 'empty_output' && !ended.stdoutEmpty
          ? 'output'
          : 'passed';
  return {
    result: {
      name: check.name,
      run: check.run,
      status,
      exit: ended.code,
      ms: Math.round(ended.ms),
      digest: ended.digest,
    },
    output: ended.output,
  };
}
