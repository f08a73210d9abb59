// Looking into `refs/owl/archive/<yyyy-mm>`: whose chains were folded there. The tree of an archive's tip names them (M12).

import type { Oid, RefName } from '../domain/git.js';
import { isOid } from '../domain/git.js';
import { ARCHIVE_PREFIX, shardOf } from './layout.js';
import { lookUp } from './objects.js';
import type { StoreEnv } from './store-env.js';

export interface Month {
  readonly ref: RefName;
  readonly tip: Oid;
  /** `yyyy-mm`. */
  readonly month: string;
}

/** Newest month first. */
export async function listMonths(env: StoreEnv): Promise<readonly Month[]> {
  const refs = await env.engine.list(ARCHIVE_PREFIX);
  return refs
    .map(({ ref, oid }) => ({ ref, tip: oid, month: ref.slice(ARCHIVE_PREFIX.length) }))
    .filter(({ month }) => /^\d{4}-\d{2}$/.test(month))
    .reverse();
}

export const archivePath = (id: string): string => `${shardOf(id)}/${id}`;

/** Tips of chains, newest first: the lines of the entry of an id. */
export const parseEntry = (data: Buffer): readonly Oid[] =>
  data
    .toString('utf8')
    .split('\n')
    .filter((line) => isOid(line)) as Oid[];

/** Tips of the chains of a Job that were folded, newest month first. */
export async function archivedTips(env: StoreEnv, job: string): Promise<readonly Oid[]> {
  const tips: Oid[] = [];
  for (const { tip } of await listMonths(env)) tips.push(...(await tipsIn(env, tip, job)));
  return tips;
}

/** The same, of one archive by its tip. */
export async function tipsIn(env: Pick<StoreEnv, 'objects'>, archive: Oid, name: string): Promise<readonly Oid[]> {
  const { tree } = await env.objects.commit(archive);
  const entry = await lookUp(env.objects, tree, archivePath(name));
  return entry === null ? [] : parseEntry(await env.objects.blob(entry.oid));
}

/** Every entry of a month: id -> tips, newest first. */
export async function loadMonth(env: StoreEnv, month: Month): Promise<ReadonlyMap<string, readonly Oid[]>> {
  const { tree } = await env.objects.commit(month.tip);
  const shards = [...(await env.objects.tree(tree)).values()].filter((entry) => entry.mode === '040000');
  const entries = (await env.objects.trees(shards.map((entry) => entry.oid))).flatMap((shard) => [...shard.values()]);
  const data = await env.objects.blobs(entries.map((entry) => entry.oid));
  return new Map(entries.map((entry, at) => [entry.name, parseEntry(data[at] ?? Buffer.alloc(0))]));
}
