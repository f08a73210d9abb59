// After the agent of a gate: where its checkout stands. Governance may have changed nothing; quality may have committed on top of
// the Candidate, in a line, and nothing else (G13, G31). What is found is kept before it is judged.

import type { Oid } from '../../domain/git.js';
import { goalReason } from '../../domain/goal-reasons.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Reason } from '../../domain/job.js';
import { changedFiles } from '../../git/diff.js';
import { failpoint } from '../../system/failpoint.js';
import { copiedFile } from '../run/aftermath.js';
import type { FreshPlace } from '../run/checks.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { GateRequest } from './types.js';

export interface TreeLook {
  /** The Candidate's tip, or that of a usable correction, which is kept alive. */
  readonly tip: Oid;
  readonly trouble: Reason | null;
  readonly notes: readonly string[];
}

export async function lookAtTree(bench: Workbench, asked: GateRequest, place: FreshPlace): Promise<TreeLook> {
  const { gate, goal, candidate } = asked;
  const { workspace } = place;
  const notes: string[] = [];
  const trouble = (text: string, paths?: readonly string[]): Reason =>
    goalReason('gate-trouble', `the agent of ${gate} ${text}`, paths === undefined ? {} : { paths });
  const bad = (why: Reason): TreeLook => ({ tip: candidate.tip, trouble: why, notes });

  const head = await headOf(bench, place);
  if (head === null) return bad(trouble('left its checkout without a commit'));
  if (head !== candidate.tip) {
    await failpoint('gate.before-keep');
    await keepOnly(bench, goal, [{ commit: head, subject: `commits of the agent of ${gate}` }]);
    await failpoint('gate.after-keep');
    place.moved(head);
    notes.push(`commits of the agent of ${gate} are kept: ${head}`);
  }
  const found = await admit(bench, {
    id: workspace.id,
    path: workspace.path,
    expected: { kind: 'commit', oid: head },
  });
  if (found.kind !== 'admitted') {
    const why = found.kind === 'missing' ? 'it is gone' : found.message;
    return bad(trouble(`left its checkout in another state: ${why}`));
  }
  if (found.workspace.branch !== null)
    return bad(trouble(`opened the branch ${found.workspace.branch} in its checkout`));

  const state = await cleanliness(bench.repository, found.workspace);
  if (!state.clean) {
    const wip = await snapshotWip(bench.repository, found.workspace, { base: candidate.base, copied: place.copied });
    if (wip.kind === 'taken') {
      await keepOnly(bench, goal, [{ commit: wip.commit, subject: `what the agent of ${gate} left uncommitted` }]);
      notes.push(`what the agent of ${gate} left uncommitted is kept: ${wip.commit}`);
    }
  }
  const changed = [...state.modified, ...state.nested, ...state.submodules.map((one) => one.path)];
  if (gate === 'governance') {
    const paths = [...changed, ...state.untracked];
    if (head !== candidate.tip) return bad(trouble('made commits, and may only judge'));
    return paths.length === 0
      ? { tip: head, trouble: null, notes }
      : bad(trouble(`changed the tree that it judged: ${some(paths)}`, paths));
  }
  if (changed.length > 0) return bad(trouble(`left changes that it did not commit: ${some(changed)}`, changed));
  if (state.untracked.length > 0) notes.push(`files that the agent left behind: ${some(state.untracked)}`);
  if (head === candidate.tip) return { tip: head, trouble: null, notes };
  const flaw = await flawOf(bench, asked, place, head);
  return flaw === null ? { tip: head, trouble: null, notes } : bad(flaw);
}

/** Why these commits cannot be a correction of the Candidate; null: they can. */
async function flawOf(bench: Workbench, asked: GateRequest, place: FreshPlace, head: Oid): Promise<Reason | null> {
  const { base, tip } = asked.candidate;
  const { repository } = bench;
  const lineage = (text: string): Reason => goalReason('gate-trouble', `the agent of quality ${text}`);
  if ((await (await repository.engine()).isAncestor(tip, head)) !== 'ancestor') {
    return lineage('rewrote the Candidate instead of committing on top of it');
  }
  const merges = await repository.git.text(['rev-list', '--min-parents=2', '--max-count=1', head, `^${tip}`]);
  if (merges.trim() !== '') return lineage('merged other commits into the Candidate');
  const beyond = await changedFiles(repository, base, head, { renames: false });
  if (!beyond.some((file) => file.path !== HANDOFF_PATH))
    return lineage('took back everything that the Candidate does');
  return copiedFile(bench, { copied: place.copied, base: { ref: asked.onto, oid: base } }, head);
}

const some = (paths: readonly string[]): string =>
  paths.length <= 10 ? paths.join(', ') : `${paths.slice(0, 10).join(', ')} and ${paths.length - 10} more`;

async function headOf(bench: Workbench, place: FreshPlace): Promise<Oid | null> {
  const head = await bench.repository.git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    checkout: place.workspace.checkout,
  });
  const oid = head.stdout.toString('utf8').trim();
  return head.code !== 0 || oid === '' ? null : (oid as Oid);
}
