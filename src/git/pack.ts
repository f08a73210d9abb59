// A pack made in memory, so that all new objects of a change go to Git through one process. Pure.

import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { ObjectFormat, ObjectType } from '../domain/git.js';
import type { NewObject } from './engine.js';

const TYPES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Whole objects, no deltas, not compressed: it goes through a pipe, and Git compresses what it stores. */
export function encodePack(format: ObjectFormat, objects: readonly NewObject[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  for (const object of objects) {
    parts.push(encodeEntryHead(TYPES[object.type], object.data.length), deflateSync(object.data, { level: 0 }));
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}

/** Type and size: four bits of the size in the first byte, seven in each further one. Sizes above 2^32 need arithmetic, not shifts. */
function encodeEntryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}
