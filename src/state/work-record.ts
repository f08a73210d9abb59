// The record of one piece of work, wherever it lies: open, closed, deleted, or in two places at once, which is damage (01).

import { decodeTombstone } from './codec.js';
import { AREAS, type Area, isWorkId, recordPath, tombstonePath, type WorkKind, workPath } from './layout.js';
import type { WorkReader } from './many-records.js';
import { lookUp } from './objects.js';
import type { StateRoot } from './snapshot.js';
import type { Loaded } from './types.js';

/** Where the folder of an id lies; null: nowhere. Throws OwlError `unreadable-object`. */
export async function areaIn(state: StateRoot, kind: WorkKind, id: string): Promise<Area | null> {
  if (!isWorkId(id)) return null;
  for (const one of AREAS) if ((await lookUp(state.objects, state.root, workPath(kind, one, id))) !== null) return one;
  return null;
}

/** Ids are unique over all kinds: a tombstone of another kind says nothing here. Throws OwlError `unreadable-object`. */
export async function loadWork<T>(state: StateRoot, of: WorkReader<T>, id: string): Promise<Loaded<T>> {
  const { objects, root, now } = state;
  const path = tombstonePath(id);
  const places: Area[] = [];
  for (const one of AREAS) if ((await lookUp(objects, root, workPath(of.kind, one, id))) !== null) places.push(one);
  const entry = await lookUp(objects, root, path);
  const [place] = places;
  if (entry !== null) {
    if (place !== undefined) return { kind: 'damaged', path, why: 'there is a record and a tombstone of it' };
    const read = decodeTombstone(path, await objects.blob(entry.oid));
    if (read.kind !== 'found') return read;
    return read.record.of === of.kind ? { kind: 'deleted', at: read.record.at } : { kind: 'unknown' };
  }
  if (place === undefined) return { kind: 'unknown' };
  const record = recordPath(of.kind, place, id);
  if (places.length > 1) return { kind: 'damaged', path: record, why: 'it lies in open and in closed work' };
  const file = await lookUp(objects, root, record);
  if (file === null) return { kind: 'damaged', path: record, why: 'there is no record in its folder' };
  return of.decode({ path: record, id, area: place, now }, await objects.blob(file.oid));
}
