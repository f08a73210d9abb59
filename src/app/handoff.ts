// Reading the Handoff from commits: what is committed counts, never what lies in a checkout (J21 to J26).

import type { Oid } from '../domain/git.js';
import { HANDOFF_PATH, judgeHandoff } from '../domain/handoff.js';
import type { Reason } from '../domain/job.js';
import { reason } from '../domain/reasons.js';
import { blobAt } from '../git/blob.js';
import type { Repository } from '../git/repository.js';

export type FoundHandoff =
  | { readonly kind: 'absent' }
  | { readonly kind: 'ok'; readonly oid: Oid; readonly text: string }
  | { readonly kind: 'unusable'; readonly why: string };

/** The Handoff in the tree of a commit. */
export async function handoffAt(repository: Repository, commit: Oid): Promise<FoundHandoff> {
  const found = await blobAt(repository, commit, HANDOFF_PATH);
  if (found.kind === 'absent') {
    const above = await blobAt(repository, commit, FOLDER);
    return above.kind === 'absent' || above.kind === 'tree'
      ? { kind: 'absent' }
      : { kind: 'unusable', why: `${FOLDER} is a ${sayKind(above.kind)}, not a folder` };
  }
  if (found.kind !== 'blob')
    return { kind: 'unusable', why: `${HANDOFF_PATH} is a ${sayKind(found.kind)}, not a file` };
  switch (judgeHandoff('blob', found.data.length, found.data.includes(0))) {
    case 'ok':
      return { kind: 'ok', oid: found.oid, text: found.data.toString('utf8') };
    case 'binary':
      return { kind: 'unusable', why: `${HANDOFF_PATH} is not text` };
    case 'too-large':
      return { kind: 'unusable', why: `${HANDOFF_PATH} has ${found.data.length} bytes, more than a Handoff may have` };
    case 'absent':
    case 'not-a-file':
      return { kind: 'absent' };
  }
}

/** Something else in the place of its folder leaves no room for a Handoff. */
const FOLDER = HANDOFF_PATH.slice(0, HANDOFF_PATH.lastIndexOf('/'));

const KINDS = { symlink: 'symbolic link', gitlink: 'submodule', tree: 'folder', blob: 'file' } as const;

const sayKind = (kind: keyof typeof KINDS): string => KINDS[kind];

/**
 * The Job's own Handoff: one whose blob equals the base's was inherited from a merged Job and is not this Job's (11, Jobs).
 */
export async function ownHandoff(repository: Repository, tip: Oid, base: Oid): Promise<FoundHandoff> {
  const [mine, inherited] = await Promise.all([handoffAt(repository, tip), handoffAt(repository, base)]);
  return mine.kind === 'ok' && inherited.kind === 'ok' && mine.oid === inherited.oid ? { kind: 'absent' } : mine;
}

/** Why a Handoff cannot be passed on, as a Reason; null: it can, or there is none. */
export const unusableHandoff = (found: FoundHandoff): Reason | null =>
  found.kind === 'unusable' ? reason('handoff-unusable', found.why, { paths: [HANDOFF_PATH] }) : null;
