// The checkout of a Skill of backlog or todo: a branch and a place of its own, pinned to one commit of the target; it never becomes a
// Candidate and moves no base (G62). Ownership is recorded before anything is made, and the registration before anything is started (G63).

import { OwlError } from '../../domain/errors.js';
import { branchName, type Oid, type RefName } from '../../domain/git.js';
import type { Invocation } from '../../domain/invocation.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { failpoint } from '../../system/failpoint.js';
import { shellWord } from '../../system/shell-word.js';
import { makeBranchAgain } from '../branch-again.js';
import type { Errand } from '../run/errand.js';
import { furnishBare, noteBare } from '../run/furnish-once.js';
import type { Workbench } from '../workbench.js';
import { ensureWorkspace } from '../workspace/create.js';
import { worktreePath } from '../workspace/path.js';
import { loadRegistration } from '../workspace/registration.js';
import type { Workspace } from '../workspace/types.js';
import { findInvocation } from './record.js';

export interface Source {
  readonly ref: string;
  readonly oid: Oid;
}

type Named = Pick<Invocation, 'id' | 'goal'>;

export const skillRef = ({ id, goal }: Named): RefName => `refs/heads/refine/${goal}/skill-${id}` as RefName;

/** Of its registration and its folder; no Job's id has a hyphen. */
const placeId = ({ id }: Pick<Named, 'id'>): string => `${PLACE}${id}`;
const PLACE = 'skill-';

/** Was this checkout made for a Skill? */
export const isSkillPlace = (place: string): boolean => place.startsWith(PLACE);

/** Id of the invocation that a checkout was made for. */
export const invocationOf = (place: string): string => place.slice(PLACE.length);

/**
 * The invocation with the commit that it is pinned to. A restart finds that recorded, however far the target has moved since.
 * Throws OwlError `workspace` where a branch or a folder is in its place that it never registered.
 */
export async function ownSource(
  bench: Workbench,
  invocation: Invocation,
  now: Source,
): Promise<Invocation & { readonly source: Source }> {
  if (invocation.source !== null) return { ...invocation, source: invocation.source };
  const engine = await bench.repository.engine();
  if ((await engine.resolve(skillRef(invocation))) !== null) throw taken(invocation);
  await failpoint('skill.before-own');
  const updated = await bench.store.update<Source>({ step: 'skill-own' }, async (tx) => {
    const found = await findInvocation(tx, invocation);
    if (found === null) throw new OwlError('unknown-id', `${invocation.skill} is not bound any more`);
    if (found.source !== null) return found.source;
    tx.keep({ job: found.goal, commit: now.oid, subject: `source of ${found.skill} ${found.id}` });
    tx.putInvocation({ ...found, source: { ref: now.ref, oid: now.oid } });
    tx.event({
      event: 'skill.owned',
      subject: `goal ${found.goal}: ${found.skill} works on ${now.ref} at ${now.oid}`,
      goal: found.goal,
      round: found.round === 0 ? undefined : found.round,
    });
    return now;
  });
  await failpoint('skill.after-own');
  return { ...invocation, source: updated.result };
}

/** Its checkout, with whatever an earlier start left in it; a text: why it is not started, a setup that failed (J15), say. Throws as `ownSource`. */
export async function ownWorkspace(
  bench: Workbench,
  invocation: Invocation & { readonly source: Source },
  loaded: Pick<LoadedPolicy, 'policy'>,
): Promise<Workspace | string> {
  const { environment, repository } = bench;
  const branch = skillRef(invocation);
  const id = placeId(invocation);
  const engine = await repository.engine();
  const registered = (await loadRegistration(bench.notes, id)) !== null;
  let tip = await engine.resolve(branch);
  // What we made ourselves, and did not come to register, stands where it was recorded; anything else is somebody's.
  if (tip !== null && !registered && tip !== invocation.source.oid) throw taken(invocation);
  if (tip === null) {
    await failpoint('skill.before-branch');
    const made = await makeBranchAgain(
      bench,
      { ref: branch, oid: invocation.source.oid, work: invocation.goal },
      `owl: ${invocation.skill} of ${invocation.goal}`,
    );
    if (made === 'closed') return `goal ${invocation.goal} is closed`;
    if (made !== 'made') throw taken(invocation);
    tip = invocation.source.oid;
    await failpoint('skill.after-branch');
  }
  const path = await worktreePath({ environment, policy: loaded.policy, repository, id });
  await noteBare(bench, id, path);
  const found = await ensureWorkspace(bench, { id, path, branch, commit: tip });
  if (found.kind === 'admitted') {
    const { workspace } = found;
    const goal = { id: invocation.goal, round: invocation.round };
    const errand: Errand = { id: goal.id, phase: 'skill', base: invocation.source.oid, branch, goal };
    return (await furnishBare(bench, { workspace, loaded, errand })) ?? workspace;
  }
  throw new OwlError('workspace', `${invocation.skill} of goal ${invocation.goal}: ${found.message}`, {
    preserved: ['it was left as it is, and nothing was started'],
    next: found.next.length === 0 ? [`ls -la ${shellWord(path)}`] : found.next,
  });
}

function taken(invocation: Invocation): OwlError {
  const name = branchName(skillRef(invocation)) ?? '';
  return new OwlError(
    'workspace',
    `the branch ${name} exists already, and ${invocation.skill} of goal ${invocation.goal} did not make it`,
    {
      preserved: ['it was left as it is, and nothing was started'],
      next: [`git log -3 ${skillRef(invocation)}`, `git branch -m ${shellWord(name)} <another name>`],
    },
  );
}
