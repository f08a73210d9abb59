// Objects of packs, read from here while only a few are wanted: a process of Git costs more than the rest of a short command (10, P2).
// Everything but a plain pack with an index of version 2 is Git's, and the id proves that what was read is right.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { ObjectFormat, ObjectType, Oid } from '../domain/git.js';
import type { GitObject } from './engine.js';
import { newObject } from './objects.js';

/** More packs, longer chains or larger objects than these are faster through Git. */
const MOST_PACKS = 8;
const LONGEST_CHAIN = 24;
const LARGEST = 512 * 1024;

const SIGNATURE = 0xff744f63;
const NAMES_AT = 8 + 256 * 4;
const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
const OFFSET_DELTA = 6;
const NAMED_DELTA = 7;

/** Thrown and caught here: it is not for us. */
class NotOurs extends Error {}

/** The object, if a pack of this very repository has it, whole and true to its name; null says nothing: ask Git. */
export function loadPacked(commonDir: string, format: ObjectFormat, oid: Oid): GitObject | null {
  const folder = join(commonDir, 'objects/pack');
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.idx'));
    if (names.length > MOST_PACKS) return null;
    for (const name of names) {
      const found = loadFrom(join(folder, name.slice(0, -'.idx'.length)), Buffer.from(oid, 'hex'));
      if (found !== null) return newObject(format, found.type, found.data).oid === oid ? found : null;
    }
    return null;
  } catch (error) {
    // Gone while we looked, cut off, or of another form: whatever it is, Git knows better.
    if (error instanceof NotOurs || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

function loadFrom(path: string, id: Buffer): GitObject | null {
  return opened(`${path}.idx`, (index) => {
    const place = findOffset(index, id);
    return place === null
      ? null
      : opened(`${path}.pack`, (pack) => readObject({ pack, index, idLength: id.length }, place, LONGEST_CHAIN));
  });
}

function opened<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Bytes from there on: `length` of them, or what there is of them where `least` are enough. */
function bytesAt(file: number, at: number, length: number, least = length): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  const read = readSync(file, bytes, 0, length, at);
  if (read < least) throw new NotOurs();
  return bytes.subarray(0, read);
}

/** Where the pack has the object; null: nowhere. */
function findOffset(index: number, id: Buffer): number | null {
  const head = bytesAt(index, 0, NAMES_AT);
  if (head.readUInt32BE(0) !== SIGNATURE || head.readUInt32BE(4) !== 2) throw new NotOurs();
  const upTo = (first: number): number => (first < 0 ? 0 : head.readUInt32BE(8 + first * 4));
  const first = id[0] as number;
  const total = upTo(255);
  const start = upTo(first - 1);
  const names = bytesAt(index, NAMES_AT + start * id.length, (upTo(first) - start) * id.length);
  let low = 0;
  let high = names.length / id.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = id.compare(names, middle * id.length, (middle + 1) * id.length);
    if (order === 0) {
      const place = bytesAt(index, NAMES_AT + total * (id.length + 4) + (start + middle) * 4, 4).readUInt32BE(0);
      // The highest bit sends to another table, of packs above 2 GiB.
      if (place >= 0x80000000) throw new NotOurs();
      return place;
    }
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return null;
}

interface Files {
  readonly pack: number;
  readonly index: number;
  readonly idLength: number;
}

function readObject(files: Files, at: number, chain: number): GitObject {
  const { pack, index } = files;
  if (chain === 0) throw new NotOurs();
  const head = bytesAt(pack, at, 64, 4);
  let used = 0;
  const next = (): number => {
    const byte = head[used];
    if (byte === undefined) throw new NotOurs();
    used += 1;
    return byte;
  };
  let byte = next();
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let shift = 4; byte >= 0x80; shift += 7) {
    byte = next();
    size += (byte & 0x7f) * 2 ** shift;
  }
  if (size > LARGEST) throw new NotOurs();
  if (kind === OFFSET_DELTA) {
    byte = next();
    let back = byte & 0x7f;
    while (byte >= 0x80) {
      byte = next();
      back = (back + 1) * 128 + (byte & 0x7f);
    }
    const base = readObject(files, at - back, chain - 1);
    return { type: base.type, data: applyDelta(base.data, inflated(pack, at + used, size)) };
  }
  if (kind === NAMED_DELTA) {
    const length = files.idLength;
    const place = findOffset(index, head.subarray(used, used + length));
    if (place === null) throw new NotOurs();
    const base = readObject(files, place, chain - 1);
    return { type: base.type, data: applyDelta(base.data, inflated(pack, at + used + length, size)) };
  }
  const type = TYPES[kind];
  if (type === undefined) throw new NotOurs();
  return { type, data: inflated(pack, at + used, size) };
}

function inflated(pack: number, at: number, size: number): Buffer {
  // The most that deflate makes of it. What follows of the next object is left alone.
  const data = inflateSync(bytesAt(pack, at, size + (size >> 8) + 128, 1));
  if (data.length !== size) throw new NotOurs();
  return data;
}

/** The object that a delta makes of its base: pieces of the base, and bytes of its own. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const next = (): number => {
    const byte = delta[at];
    if (byte === undefined) throw new NotOurs();
    at += 1;
    return byte;
  };
  const length = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = next();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  /** A number in up to `bytes` bytes, of which the bits of `which` say whether they are there. */
  const sparse = (which: number, bytes: number): number => {
    let value = 0;
    for (let index = 0; index < bytes; index += 1) if ((which >> index) & 1) value += next() * 2 ** (8 * index);
    return value;
  };
  if (length() !== base.length) throw new NotOurs();
  const size = length();
  if (size > LARGEST) throw new NotOurs();
  const pieces: Buffer[] = [];
  while (at < delta.length) {
    const step = next();
    if (step >= 0x80) {
      const from = sparse(step, 4);
      const count = sparse((step >> 4) & 7, 3) || 0x10000;
      pieces.push(base.subarray(from, from + count));
    } else if (step > 0) {
      pieces.push(delta.subarray(at, at + step));
      at += step;
    } else throw new NotOurs();
  }
  const whole = Buffer.concat(pieces);
  if (whole.length !== size) throw new NotOurs();
  return whole;
}
