// The state of a remote as it was last fetched: what is wrong with it, beside what is wrong here, and how it is mended (05, S8, S9).
// Reading only.

import { isOwlError } from '../domain/errors.js';
import type { Oid, RefName } from '../domain/git.js';
import type { Finding } from './finding.js';
import { loadRoot } from './guard.js';
import { META_PATH, STATE_REF } from './layout.js';
import { remoteNote } from './remote-note.js';
import { createSnapshot, type StateSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';

/** Looks at the records of a state; what it finds is named by path. */
export type CheckRecords = (snapshot: StateSnapshot, findings: Finding[]) => Promise<void>;

const TRACKED = /^refs\/remotes\/(.+)\/refine\/state$/;

export async function checkTracked(env: StoreEnv, check: CheckRecords, findings: Finding[]): Promise<void> {
  const ours = await env.engine.resolve(STATE_REF);
  for (const { ref, oid } of await env.engine.list('refs/remotes/')) {
    const remote = TRACKED.exec(ref)?.[1];
    if (remote === undefined) continue;
    await checkHistory(env, { remote, ref, tip: oid }, findings);
    // Of what is here too, or is older, the state here tells.
    if (ours !== null && (oid === ours || (await env.engine.isAncestor(oid, ours)) === 'ancestor')) continue;
    await checkThere(env, { remote, ref, tip: oid, ours }, check, findings);
  }
}

interface Tracked {
  readonly remote: string;
  readonly ref: RefName;
  readonly tip: Oid;
}

/** It no longer has what this clone exchanged with it: somebody moved it by force. */
async function checkHistory(env: StoreEnv, { remote, ref, tip }: Tracked, findings: Finding[]): Promise<void> {
  const before = await remoteNote(env.engine, remote);
  if (before === null || before === tip || (await env.engine.isAncestor(before, tip)) !== 'not-ancestor') return;
  findings.push({
    severity: 'warning',
    kind: 'look',
    where: ref,
    what: `its history was rewritten: it no longer has ${before}, which was exchanged with ${remote}`,
    repair: 'git owl sync joins both, so that nothing of either is lost, and puts it back there',
    next: `git log --oneline ${tip}..${before}`,
  });
}

async function checkThere(
  env: StoreEnv,
  { remote, ref, tip, ours }: Tracked & { readonly ours: Oid | null },
  check: CheckRecords,
  findings: Finding[],
): Promise<void> {
  // Of a remote that this clone never shared its state with, such as a fork that has its own, nothing is broken.
  const severity = (await remoteNote(env.engine, remote)) === null ? 'warning' : 'error';
  const look = (what: string, repair: string, next = `git log -3 ${ref}`): void => {
    findings.push({ severity, kind: 'look', where: ref, what, repair, next });
  };
  let root: Oid;
  try {
    root = await loadRoot(env.objects, tip);
  } catch (error) {
    if (isOwlError(error, 'foreign-state')) look(NOT_OURS, `${LEFT}; ${elsewhere(remote)}`);
    else if (isOwlError(error))
      look('it cannot be read', `fetch it again; ${LEFT}`, `git fetch ${remote} ${STATE_REF}`);
    else throw error;
    return;
  }
  const snapshot = createSnapshot(env.objects, tip, root, env.clock.now());
  const meta = await snapshot.loadMeta();
  if (meta.kind === 'newer')
    return look(
      `schema ${meta.schema}, written by git owl ${meta.writer ?? 'of a newer version'}`,
      'use a git owl that knows it; until then nothing goes there from here, and the state here can be read',
      'npm install --global git-owl@latest',
    );
  if (meta.kind !== 'found') return look(`its ${META_PATH} cannot be read`, `${LEFT}; ${putBack(remote)}`);
  const bases = ours === null ? [] : await env.engine.mergeBases(ours, tip);
  const mine = ours === null ? null : await idOf(env, ours);
  if (ours !== null && mine !== null && mine !== meta.record.repository && Array.isArray(bases) && bases.length === 0)
    return look(
      `it is of another repository (${meta.record.repository}; here: ${mine})`,
      `${LEFT}; ${elsewhere(remote)}`,
    );
  const found: Finding[] = [];
  await check(snapshot, found);
  for (const finding of found) {
    if (finding.kind === 'derived') continue;
    const where = `${ref}:${finding.where}`;
    const repair =
      finding.kind === 'record'
        ? 'git owl sync takes it in with the rest, and touches no other record; then git owl fsck --repair puts an earlier version back'
        : finding.repair;
    const next = finding.kind === 'record' ? `git log --oneline ${ref} -- ${finding.where}` : finding.next;
    findings.push({ ...finding, kind: 'look', where, repair, next });
  }
}

async function idOf(env: StoreEnv, tip: Oid): Promise<string | null> {
  try {
    const meta = await createSnapshot(env.objects, tip, await loadRoot(env.objects, tip), env.clock.now()).loadMeta();
    return meta.kind === 'found' ? meta.record.repository : null;
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return null;
  }
}

const NOT_OURS = 'it is a branch that git owl did not make';
const LEFT = 'nothing of it is taken in, and the state here is whole';
const elsewhere = (remote: string): string =>
  `give that branch another name on ${remote}, or share the state through another remote (git owl sync --remote)`;
const putBack = (remote: string): string => `an earlier commit of it on ${remote} has it whole`;
