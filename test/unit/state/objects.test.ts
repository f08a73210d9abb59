// Objects of the state: many trees at once, and what is forgotten meanwhile (01, 10).

import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { newBlob, newTree } from '../../../src/git/objects.js';
import { memoryEngine } from '../../../src/state/memory.js';
import { createObjects } from '../../../src/state/objects.js';

t.test('01 Records: a tree that is forgotten while others are read is answered all the same', async (t) => {
  const engine = memoryEngine();
  const blob = newBlob('sha1', 'x\n');
  const trees = Array.from({ length: 6000 }, (_, at) =>
    newTree('sha1', [{ mode: '100644', name: `file-${at}`, oid: blob.oid }]),
  );
  await engine.write([blob, ...trees]);
  const oids = trees.map(({ oid }): Oid => oid);
  const objects = createObjects(engine, async () => {});
  await objects.trees(oids.slice(0, 1000));
  const [others, some] = await Promise.all([
    objects.trees(oids.slice(2000)),
    // Of these half is known, and forgotten while the other half is waited for.
    objects.trees(oids.slice(0, 2000)),
  ]);
  t.same(
    [...some, ...others].map((tree) => [...(tree?.keys() ?? ['nothing'])].join()),
    oids.map((_, at) => `file-${at}`),
  );
});
