// Where each record lies in the tree of `refine/state`: one row a kind, so that a new kind is a new row (01, Records). Pure but for the hash.

import { hash } from 'node:crypto';
import type { RefName } from '../domain/git.js';

export const STATE_REF = 'refs/heads/refine/state' as RefName;
export const KEEP_PREFIX = 'refs/owl/keep/';
export const CANDIDATES_PREFIX = 'refs/owl/candidates/';
export const SHARED_PREFIX = 'refs/owl/shared/';
export const ARCHIVE_PREFIX = 'refs/owl/archive/';
export const LOCAL_PREFIX = 'refs/owl/local/';
export const INTENT_PREFIX = 'refs/owl/local/intents/';
export const QUEUE_REF = 'refs/owl/local/queue' as RefName;

export const META_PATH = 'meta.json';
export const COUNTS_PATH = 'index/counts.json';
export const GOAL_COUNTS_PATH = 'index/goal-counts.json';
export const FEATURES_PATH = 'features';
/** Leases, where the remote takes only branches (G30). */
export const LEASES_PATH = 'leases';

/** Kinds of work that are open or closed. `index` is the folder of its shard index blobs; null: read from the records. */
export const WORK_KINDS = {
  job: { folder: 'jobs', file: 'job.json', index: 'index/open' },
  goal: { folder: 'goals', file: 'goal.json', index: null },
} as const satisfies Record<string, { folder: string; file: string; index: string | null }>;

export type WorkKind = keyof typeof WORK_KINDS;
export type Area = 'open' | 'closed';
export const AREAS: readonly Area[] = ['open', 'closed'];

const ID = /^[a-z][a-z0-9]{3,15}$/;
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** An id of a Job or Goal: typeable, never `state` (01). */
export const isWorkId = (text: string): boolean => ID.test(text) && text !== 'state';

/** An id that is safe as a file name in the tree. */
export const isRunId = (text: string): boolean => RUN_ID.test(text);

/** SHA-256 of a text, in hexadecimal. */
export const sha256 = (text: string | Buffer): string => hash('sha256', text, 'hex');

/** Fan-out of 256: the first two digits of the hash of the id. */
export const shardOf = (id: string): string => sha256(id).slice(0, 2);

export const workRoot = (kind: WorkKind, area: Area): string => `${area}/${WORK_KINDS[kind].folder}`;
export const shardPath = (kind: WorkKind, area: Area, shard: string): string => `${workRoot(kind, area)}/${shard}`;
export const workPath = (kind: WorkKind, area: Area, id: string): string =>
  `${shardPath(kind, area, shardOf(id))}/${id}`;
export const recordPath = (kind: WorkKind, area: Area, id: string): string =>
  `${workPath(kind, area, id)}/${WORK_KINDS[kind].file}`;
export const promptPath = (area: Area, id: string): string => `${workPath('job', area, id)}/prompt`;
export const runsPath = (area: Area, id: string): string => `${workPath('job', area, id)}/runs`;
export const runPath = (area: Area, id: string, run: string): string => `${runsPath(area, id)}/${run}.json`;
/** What a Goal holds beside its own record, one file each. */
export type GoalPart = 'rounds' | 'candidates' | 'evidence' | 'invocations';
export const partsPath = (area: Area, goal: string, part: GoalPart): string =>
  `${workPath('goal', area, goal)}/${part}`;
export const partPath = (area: Area, goal: string, part: GoalPart, name: string | number): string =>
  `${partsPath(area, goal, part)}/${name}.json`;
export const leasePath = (name: string): string => `${LEASES_PATH}/${name}.json`;
export const featurePath = (id: string): string => `${FEATURES_PATH}/${id}.json`;
export const tombstonePath = (id: string): string => `tombstones/${shardOf(id)}/${id}.json`;
export const indexPath = (kind: 'job', shard: string): string => `${WORK_KINDS[kind].index}/${shard}`;

export function requestPath(request: string): string {
  const digest = sha256(request);
  return `requests/${digest.slice(0, 2)}/${digest}.json`;
}

/** What is kept for an id lies in one chain; the Candidates of a Goal in another (01, Refs). */
export type Chain = 'keep' | 'candidates';

const CANDIDATES = '.candidates';
const SHARED = '.shared';

/** Name of a chain, also in archives: the id, or `<id>.candidates`. */
export const chainName = (id: string, chain: Chain = 'keep'): string => (chain === 'keep' ? id : `${id}${CANDIDATES}`);
/** In archives alone: a chain of one link, that keeps the tip that was shared (05, S1). */
export const sharedName = (id: string): string => `${id}${SHARED}`;
export const chainId = (name: string): string =>
  [CANDIDATES, SHARED].reduce((id, suffix) => (id.endsWith(suffix) ? id.slice(0, -suffix.length) : id), name);
export const chainRef = (name: string): RefName =>
  (name.endsWith(CANDIDATES) ? `${CANDIDATES_PREFIX}${chainId(name)}` : `${KEEP_PREFIX}${name}`) as RefName;

/** The name of the chain behind a ref; null for any other ref. */
export function chainOf(ref: RefName): string | null {
  if (ref.startsWith(KEEP_PREFIX)) return ref.slice(KEEP_PREFIX.length);
  if (ref.startsWith(CANDIDATES_PREFIX)) return chainName(ref.slice(CANDIDATES_PREFIX.length), 'candidates');
  return null;
}
