// State commits as objects: who wrote them, what they say, and the very first one with `meta.json` (01, Writes). Never signed.

import type { EventDraft } from '../domain/events.js';
import type { Oid } from '../domain/git.js';
import type { OpenCounts } from '../domain/open-counts.js';
import type { NewObject } from '../git/engine.js';
import { newBlob, newCommit, newTree } from '../git/objects.js';
import { encodeRecord } from './codec.js';
import { META_PATH } from './layout.js';
import { formatMessage, type MessageFacts } from './message.js';
import type { StoreEnv } from './store-env.js';

export interface StateDraft {
  readonly tree: Oid;
  /** The state it is made on; null: there is none yet. */
  readonly parent: Oid | null;
  readonly event: EventDraft;
  readonly open: OpenCounts;
  readonly op: string;
  readonly request: string | null;
  /** Bytes of `meta.json` for the commit that makes the state; null where it is made already. */
  readonly meta: Buffer | null;
}

/** The commit of the change, last; where there was no state yet, on top of the one that makes it. */
export async function makeCommits(env: StoreEnv, draft: StateDraft): Promise<readonly NewObject[]> {
  const { format } = env.engine;
  const identity = await env.identity();
  const facts = {
    actor: actorOf(env, identity.committer),
    op: draft.op,
    request: draft.request,
  };
  const made: NewObject[] = [];
  const parents: Oid[] = draft.parent === null ? [] : [draft.parent];
  const commit = (tree: Oid, event: EventDraft, more: Pick<MessageFacts, 'open' | 'request'>): void => {
    const message = formatMessage(event, { ...facts, ...more });
    const object = newCommit(format, {
      tree,
      parents: [...parents],
      author: identity.author,
      committer: identity.committer,
      message,
    });
    made.push(object);
    parents.splice(0, parents.length, object.oid);
  };
  if (draft.meta !== null) {
    const blob = newBlob(format, draft.meta);
    const tree = newTree(format, [{ mode: '100644', name: META_PATH, oid: blob.oid }]);
    made.push(blob, tree);
    commit(tree.oid, { event: 'state.created', subject: 'state created' }, { open: {}, request: null });
  }
  commit(draft.tree, draft.event, { open: draft.open, request: facts.request });
  return made;
}

/** The name of the Git identity; called by a Skill or a handler, that; inside a Run, the Run. */
function actorOf(env: StoreEnv, committer: string): string {
  const { insideJob, variables } = env.environment;
  const skill = variables['OWL_SKILL'];
  if (skill !== undefined && skill !== '') return `skill:${skill}`;
  if (insideJob !== null) return `run:${variables['OWL_RUN'] ?? insideJob}`;
  return committer.replace(/ <.*$/, '');
}

export const newMeta = (env: StoreEnv, now: string): Buffer =>
  encodeRecord('meta', META_PATH, {
    schema: 1,
    kind: 'meta',
    repository: env.ids.operation() + env.ids.operation(),
    created: now,
    writer: env.version,
  });
