// Objects made in memory are the objects that Git makes, for any content; what Git reads, we read.

import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import type { TreeEntry, TreeMode } from '../../../src/git/engine.js';
import { formatSignature, newBlob, newCommit, newTree, parseCommit, parseTree } from '../../../src/git/objects.js';
import { encodePack } from '../../../src/git/pack.js';
import { sandbox } from '../../fixtures/sandbox.js';

const RUNS = { numRuns: 40 };

for (const format of ['sha1', 'sha256'] as const) {
  t.test(format, async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ init: [`--object-format=${format}`] });
    const git = (args: readonly string[], input: Buffer): Buffer =>
      execFileSync('git', args, { cwd: repo.dir, env: box.env(), input, maxBuffer: 1e8 });
    const oids = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(
      (bytes) =>
        Buffer.from(bytes)
          .toString('hex')
          .slice(0, format === 'sha1' ? 40 : 64) as Oid,
    );
    const nameByte = fc.integer({ min: 1, max: 255 }).filter((byte) => byte !== 0x2f);
    const names = fc
      .array(nameByte, { minLength: 1, maxLength: 12 })
      .map((bytes) => Buffer.from(bytes).toString('latin1'))
      .filter((name) => !/^\.{1,2}$|^\.git$/i.test(name));
    const modes = fc.constantFrom<TreeMode>('040000', '100644', '100755', '120000', '160000');
    const trees = fc.uniqueArray(fc.record({ mode: modes, name: names, oid: oids }), {
      selector: (entry) => entry.name,
      maxLength: 30,
    });

    t.test('a blob has the id that `git hash-object` gives it', async () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
          const data = Buffer.from(bytes);
          return newBlob(format, data).oid === git(['hash-object', '--stdin'], data).toString().trim();
        }),
        RUNS,
      );
    });

    t.test('a tree has the id that `git mktree` gives it, and comes back entry by entry', async (t) => {
      const type = (mode: TreeMode): string => (mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob');
      fc.assert(
        fc.property(trees, (entries: readonly TreeEntry[]) => {
          const lines = entries.map(({ mode, name, oid }) => `${mode} ${type(mode)} ${oid}\t${name}\0`).join('');
          const tree = newTree(format, entries);
          const theirs = git(['mktree', '--missing', '-z'], Buffer.from(lines, 'latin1')).toString().trim();
          const back = parseTree(format, tree.data);
          const byName = (list: readonly TreeEntry[]) =>
            JSON.stringify([...list].sort((a, b) => (a.name < b.name ? -1 : 1)));
          return tree.oid === theirs && byName(back) === byName(entries);
        }),
        RUNS,
      );
      t.throws(() => parseTree(format, Buffer.from('100644 cut off\0abc')), TypeError);
    });

    t.test('a commit is taken by Git as it is, and comes back field by field', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 60 });
      const draft = fc.record({
        parents: fc.array(oids, { maxLength: 3 }),
        tree: oids,
        name: text,
        email: text,
        time: fc.integer({ min: 0, max: 4_000_000_000 }),
        offset: fc.integer({ min: -720, max: 840 }),
        message: fc.string({ unit: 'grapheme', maxLength: 200 }).map((message) => message.replaceAll('\0', '')),
      });
      fc.assert(
        fc.property(draft, ({ parents, tree, message, ...who }) => {
          const signature = formatSignature(who);
          const commit = newCommit(format, { tree, parents, author: signature, committer: signature, message });
          // `hash-object` without --literally refuses a commit that it finds malformed.
          const theirs = git(['hash-object', '-t', 'commit', '--stdin'], commit.data).toString().trim();
          const back = parseCommit(commit.oid, commit.data);
          return (
            commit.oid === theirs &&
            back.tree === tree &&
            back.parents.join() === parents.join() &&
            back.author === signature &&
            back.time === who.time &&
            back.message === message
          );
        }),
        RUNS,
      );
    });

    t.test('a pack of any objects is unpacked to the same objects', async () => {
      const blobs = fc.uniqueArray(fc.uint8Array({ maxLength: 40_000, size: 'max' }), {
        maxLength: 8,
        minLength: 1,
        selector: (bytes) => Buffer.from(bytes).toString('latin1'),
      });
      fc.assert(
        fc.property(blobs, (contents) => {
          const objects = contents.map((bytes) => newBlob(format, Buffer.from(bytes)));
          git(['unpack-objects', '-q', '--strict'], encodePack(format, objects));
          const listed = git(
            ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
            Buffer.from(objects.map(({ oid }) => `${oid}\n`).join('')),
          );
          return listed.toString() === objects.map(({ oid, data }) => `${oid} ${data.length}\n`).join('');
        }),
        { numRuns: 15 },
      );
    });
  });
}

t.test('a signature holds nothing that would break the object', async (t) => {
  const signature = formatSignature({ name: ' A <b>\nc\0 ', email: '<x@y>\n', time: 1_700_000_000.9, offset: -90 });
  t.equal(signature, 'A bc <x@y> 1700000000 -0130');
  t.equal(formatSignature({ name: '<>', email: '', time: 0, offset: 0 }), 'git-owl <> 0 +0000');
});
