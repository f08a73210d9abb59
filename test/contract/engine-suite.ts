// The one suite that every engine passes (01): objects, refs and ancestry, as Git sees them. Real repositories, real Git beside it.
// Run by engine-*.test.ts, one file an engine.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import t, { type Test } from 'tap';
import type { Oid, RefName } from '../../src/domain/git.js';
import type { Engine, NewObject, RefUpdate } from '../../src/git/engine.js';
import { newBlob, newCommit, newObject, newTree } from '../../src/git/objects.js';
import { openRepository } from '../../src/git/open.js';
import type { Repository } from '../../src/git/repository.js';
import { run } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const ROOT = join(import.meta.dirname, '../..');
const WHO = 'Ada Tester <ada@example.com> 1700000000 +0100';
export const ref = (name: string): RefName => `refs/owl/test/${name}` as RefName;

export interface Ground {
  readonly repo: Repo;
  readonly repository: Repository;
  readonly engine: Engine;
  /** A commit with no parent and this message, written. */
  commit(message: string, ...parents: readonly Oid[]): Promise<Oid>;
  /** An id in this format that no object has. */
  readonly nobody: Oid;
}

export interface Kind {
  readonly title: string;
  readonly engine: 'nodegit' | 'plumbing' | undefined;
  readonly init: readonly string[];
}

export async function ground(t: Test, kind: Kind, options: { readonly unborn?: boolean } = {}): Promise<Ground> {
  const box = await sandbox(t);
  if (kind.engine !== undefined) box.set('OWL_ENGINE', kind.engine);
  const repo = await box.repository({ init: kind.init, ...options });
  return take(t, repo);
}

async function take(t: Test, repo: Repo): Promise<Ground> {
  const repository = await openRepository({ cwd: repo.dir, variables: repo.box.env() });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  return {
    repo,
    repository,
    engine,
    nobody: newBlob(engine.format, `nobody has written this: ${Math.random()}`).oid,
    async commit(message, ...parents) {
      const tree = newTree(engine.format, []);
      const commit = newCommit(engine.format, { tree: tree.oid, parents, author: WHO, committer: WHO, message });
      await engine.write([tree, commit]);
      return commit.oid;
    },
  };
}

export const loose = (repo: Repo, oid: Oid): string => join(repo.dir, '.git/objects', oid.slice(0, 2), oid.slice(2));

function damage(path: string, how: (path: string) => void): void {
  chmodSync(path, 0o644);
  how(path);
}

/** All promises of the interface, for one engine on one kind of repository. */
export function engineSuite(kind: Kind): void {
  t.test(kind.title, async (t) => {
    t.test('01: objects of every kind come back as they were, and Git finds no fault in them', async (t) => {
      const { engine, repo } = await ground(t, kind);
      const { format } = engine;
      const empty = newBlob(format, '');
      const text = newBlob(format, 'two\nlines\n');
      const binary = newBlob(format, Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256)));
      const big = newBlob(format, Buffer.alloc(5_000_000, 'no two of these are the same? '));
      const tree = newTree(format, [
        { mode: '100644', name: 'a', oid: empty.oid },
        { mode: '100755', name: 'a.sh', oid: text.oid },
        { mode: '120000', name: 'link \u00ff\u00fe', oid: text.oid },
        { mode: '100644', name: Buffer.from('naïve 😀\n').toString('latin1'), oid: big.oid },
      ]);
      const outer = newTree(format, [
        { mode: '040000', name: 'a', oid: tree.oid },
        { mode: '100644', name: 'a.b', oid: binary.oid },
      ]);
      const commit = newCommit(format, {
        tree: outer.oid,
        parents: [],
        author: WHO,
        committer: WHO,
        message: 'subject\n\nbody ü\n',
      });
      const tag = newObject(
        format,
        'tag',
        Buffer.from(`object ${commit.oid}\ntype commit\ntag v1\ntagger ${WHO}\n\nmessage\n`),
      );
      const all: NewObject[] = [commit, outer, tree, empty, text, binary, big, tag];
      await engine.write(all);
      for (const [at, found] of (await engine.readMany(all.map(({ oid }) => oid))).entries()) {
        t.equal(found?.type, all[at]?.type);
        t.ok(found?.data.equals(all[at]?.data ?? Buffer.alloc(1)), `${all[at]?.type} ${all[at]?.data.length} bytes`);
      }
      t.same(
        await engine.exists(all.map(({ oid }) => oid)),
        all.map(() => true),
      );
      await repo.git('update-ref', 'refs/owl/test/tag', tag.oid);
      await repo.git('fsck', '--strict', '--no-dangling');
      t.match(await repo.git('ls-tree', '-r', '-z', tag.oid), 'a/naïve 😀\n');
      await engine.write(all);
      t.pass('written again, it is nothing');
    });

    t.test('01: packed objects are read, also those packed after the engine began to read', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      t.equal((await engine.swap({ ref: ref('x'), old: 'absent', new: one }, 'test')).kind, 'moved');
      const blobs = Array.from({ length: 100 }, (_, at) => newBlob(engine.format, `blob ${at}\n`));
      await engine.write(blobs);
      const tree = newTree(
        engine.format,
        blobs.map(({ oid }, at) => ({ mode: '100644' as const, name: `f${at}`, oid })),
      );
      const two = newCommit(engine.format, {
        tree: tree.oid,
        parents: [one],
        author: WHO,
        committer: WHO,
        message: 'two',
      });
      await engine.write([tree, two]);
      await engine.swap({ ref: ref('x'), old: one, new: two.oid }, 'test');
      t.ok((await engine.readMany(blobs.map(({ oid }) => oid))).every((object) => object !== null));
      await repo.git('gc', '--quiet', '--prune=now');
      t.notOk(existsSync(loose(repo, one)), 'they are packed now');
      t.equal((await engine.read(one))?.type, 'commit');
      t.equal((await engine.read(two.oid))?.data.equals(two.data), true);
      t.ok(
        (await engine.readMany(blobs.map(({ oid }) => oid))).every((object, at) =>
          object?.data.equals(blobs[at]?.data ?? Buffer.alloc(0)),
        ),
      );
      t.same(await engine.exists([one, two.oid]), [true, true]);
    });

    t.test('01: absent and unreadable are two results', async (t) => {
      const { engine, repo, nobody } = await ground(t, kind);
      t.equal(await engine.read(nobody), null);
      t.same(await engine.exists([nobody]), [false]);
      const good = newBlob(engine.format, 'good');
      const ways: readonly [string, (path: string) => void][] = [
        ['empty file', (path) => truncateSync(path, 0)],
        ['cut off', (path) => truncateSync(path, 12)],
        ['garbage', (path) => writeFileSync(path, 'this was never compressed')],
        ['of another object', (path) => writeFileSync(path, readFileSync(loose(repo, good.oid)))],
      ];
      await engine.write([good]);
      for (const [name, how] of ways) {
        const blob = newBlob(engine.format, `to be damaged: ${name} ${'.'.repeat(200)}`);
        await engine.write([blob]);
        damage(loose(repo, blob.oid), how);
        await t.rejects(engine.read(blob.oid), { code: 'unreadable-object', data: { oid: blob.oid } }, name);
        t.equal((await engine.read(good.oid))?.data.toString(), 'good', 'the others are still read');
        await t.rejects(engine.readMany([good.oid, blob.oid, nobody]), { code: 'unreadable-object' });
      }
      t.same(
        (await engine.readMany([nobody, good.oid, nobody])).map((object) => object?.data.toString() ?? null),
        [null, 'good', null],
      );
    });

    t.test('01: an object that a power loss left empty is written again', async (t) => {
      const { engine, repo } = await ground(t, kind);
      const blob = newBlob(engine.format, 'written twice');
      await engine.write([blob]);
      damage(loose(repo, blob.oid), (path) => truncateSync(path, 0));
      t.same(await engine.exists([blob.oid]), [false]);
      await engine.write([blob]);
      t.equal((await engine.read(blob.oid))?.data.toString(), 'written twice');
    });

    t.test('01: writing an object that exists keeps `gc` from it', async (t) => {
      const { engine, repo } = await ground(t, kind);
      const blob = newBlob(engine.format, 'old but wanted');
      await engine.write([blob]);
      await repo.git('-c', 'gc.pruneExpire=now', 'count-objects');
      const path = loose(repo, blob.oid);
      const { utimesSync } = await import('node:fs');
      utimesSync(path, 1_000_000_000, 1_000_000_000);
      await engine.write([blob]);
      await repo.git('prune', '--expire=1.hour.ago');
      t.ok(existsSync(path));
    });

    t.test('01: many objects at once', async (t) => {
      const { engine, repo } = await ground(t, kind);
      const blobs = Array.from({ length: 500 }, (_, at) => newBlob(engine.format, `many ${at} `.repeat(at)));
      await engine.write(blobs);
      const read = await Promise.all([
        engine.readMany(blobs.map(({ oid }) => oid)),
        ...blobs.slice(0, 50).map(({ oid }) => engine.read(oid)),
      ]);
      t.ok(read[0].every((object, at) => object?.data.equals(blobs[at]?.data ?? Buffer.alloc(0))));
      t.ok(existsSync(loose(repo, blobs[7]?.oid as Oid)), 'they are loose');
      await repo.git('fsck');
    });

    t.test('01: create, move and delete a ref, each by compare-and-swap', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const two = await commit('two', one);
      const swap = (update: Omit<RefUpdate, 'ref'>) => engine.swap({ ref: ref('a'), ...update }, 'because of a test');
      t.equal(await engine.resolve(ref('a')), null);
      t.same(await swap({ old: one, new: two }), { kind: 'lost', found: 'absent' });
      t.same(await swap({ old: 'absent', new: one }), { kind: 'moved' });
      t.equal(await engine.resolve(ref('a')), one);
      t.same(await swap({ old: 'absent', new: two }), { kind: 'lost', found: one });
      t.same(await swap({ old: two, new: one }), { kind: 'lost', found: one });
      t.same(await swap({ old: one, new: two }), { kind: 'moved' });
      t.equal(await repo.git('rev-parse', ref('a')), two);
      t.same(await swap({ old: one, new: 'absent' }), { kind: 'lost', found: two });
      t.same(await swap({ old: two, new: 'absent' }), { kind: 'moved' });
      t.equal(await engine.resolve(ref('a')), null);
      t.same(await swap({ old: two, new: 'absent' }), { kind: 'lost', found: 'absent' });
      t.same(await swap({ old: 'absent', new: 'absent' }), { kind: 'moved' });
    });

    t.test('01: packed refs are read, moved and deleted like loose ones', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const two = await commit('two', one);
      for (const name of ['a', 'b', 'c']) await engine.swap({ ref: ref(name), old: 'absent', new: one }, 'test');
      await repo.git('pack-refs', '--all');
      t.equal(await engine.resolve(ref('a')), one);
      t.same(await engine.swap({ ref: ref('a'), old: 'absent', new: two }, 'test'), { kind: 'lost', found: one });
      t.same(await engine.swap({ ref: ref('a'), old: two, new: one }, 'test'), { kind: 'lost', found: one });
      t.same(await engine.swap({ ref: ref('a'), old: one, new: two }, 'test'), { kind: 'moved' });
      t.same(await engine.swap({ ref: ref('b'), old: one, new: 'absent' }, 'test'), { kind: 'moved' });
      t.same(await engine.list('refs/owl/test/'), [
        { ref: ref('a'), oid: two },
        { ref: ref('c'), oid: one },
      ]);
      t.equal((await engine.swap({ ref: ref('c/below'), old: 'absent', new: one }, 'test')).kind, 'impossible');
    });

    t.test('01: a list holds what lies below the prefix, and only that', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      for (const name of ['refs/owl/list/b', 'refs/owl/list/a/x', 'refs/owl/listing', 'refs/tags/owl/list/b']) {
        await repo.git('update-ref', name, one);
      }
      t.same(
        (await engine.list('refs/owl/list/')).map((row) => row.ref),
        ['refs/owl/list/a/x', 'refs/owl/list/b'],
      );
      t.same(await engine.list('refs/owl/nothing/'), []);
      t.equal(await engine.resolve('refs/owl/list' as RefName), null, 'a folder of refs is no ref');
    });

    t.test('01: a tag or a path of the same name does not matter', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const two = await commit('two');
      await repo.git('update-ref', 'refs/tags/same', one);
      await repo.git('update-ref', 'refs/refs/heads/same', one);
      t.equal(await engine.resolve('refs/heads/same' as RefName), null);
      await engine.swap({ ref: 'refs/heads/same' as RefName, old: 'absent', new: two }, 'test');
      t.equal(await engine.resolve('refs/heads/same' as RefName), two);
    });

    t.test('01: a lock file in the way is "locked", and is left alone', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const two = await commit('two', one);
      await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test');
      const lock = join(repo.dir, '.git', `${ref('a')}.lock`);
      writeFileSync(lock, 'somebody');
      const result = await engine.swap({ ref: ref('a'), old: one, new: two }, 'test');
      t.match(result, { kind: 'locked', message: lock });
      t.same(
        await engine.swap({ ref: ref('a'), old: two, new: one }, 'test'),
        { kind: 'lost', found: one },
        'lost comes before locked',
      );
      t.match(await engine.swap({ ref: ref('a'), old: one, new: 'absent' }, 'test'), { kind: 'locked' });
      t.equal(readFileSync(lock, 'utf8'), 'somebody');
      t.equal(await engine.resolve(ref('a')), one);
      rmSync(lock);
      t.same(await engine.swap({ ref: ref('a'), old: one, new: two }, 'test'), { kind: 'moved' });
    });

    t.test('J8: a name that another ref makes impossible', async (t) => {
      const { engine, commit } = await ground(t, kind);
      const one = await commit('one');
      await engine.swap({ ref: ref('a/b'), old: 'absent', new: one }, 'test');
      t.match(await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test'), {
        kind: 'impossible',
        message: ref('a/b'),
      });
      t.match(await engine.swap({ ref: ref('a/b/c/d'), old: 'absent', new: one }, 'test'), {
        kind: 'impossible',
        message: ref('a/b'),
      });
      t.equal(await engine.resolve(ref('a')), null);
      t.equal(await engine.resolve(ref('a/b/c/d')), null);
      await engine.swap({ ref: ref('a/b'), old: one, new: 'absent' }, 'test');
      t.same(
        await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test'),
        { kind: 'moved' },
        'empty folders do not count',
      );
    });

    t.test('01: a damaged ref is not an absent one', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const path = join(repo.dir, '.git', ref('a'));
      mkdirSync(dirname(path), { recursive: true });
      for (const text of ['', 'not an id\n', `${'\0'.repeat(41)}`]) {
        writeFileSync(path, text);
        await t.rejects(engine.resolve(ref('a')), { code: 'unreadable-object', data: { ref: ref('a') } });
        t.same(await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test'), {
          kind: 'lost',
          found: 'unknown',
        });
        t.equal(readFileSync(path, 'utf8'), text, 'it is left as it is');
      }
    });

    t.test('01: a symbolic ref is followed when read and never moved', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const main = await repo.oid('refs/heads/main');
      await repo.git('symbolic-ref', ref('s'), 'refs/heads/main');
      t.equal(await engine.resolve(ref('s')), main);
      t.match(await engine.swap({ ref: ref('s'), old: main as Oid, new: one }, 'test'), { kind: 'impossible' });
      t.match(await engine.swap({ ref: ref('s'), old: main as Oid, new: 'absent' }, 'test'), { kind: 'impossible' });
      t.equal(await repo.oid('refs/heads/main'), main);
      t.equal(await repo.git('symbolic-ref', ref('s')), 'refs/heads/main');
    });

    t.test('01: a ref is never moved to an object that is gone', async (t) => {
      const { engine, commit, nobody } = await ground(t, kind);
      const one = await commit('one');
      await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test');
      await t.rejects(engine.swap({ ref: ref('a'), old: one, new: nobody }, 'test'), {
        code: 'unreadable-object',
        data: { missing: true },
      });
      t.equal(await engine.resolve(ref('a')), one);
    });

    t.test('01: the reflog of a branch says why, and no other ref gets one', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      const one = await commit('one');
      await engine.swap({ ref: 'refs/heads/b' as RefName, old: 'absent', new: one }, 'because\nof that');
      await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'because');
      t.equal(await repo.git('log', '-g', '--format=%gs %gn', 'refs/heads/b'), 'because of that Ada Tester');
      t.notOk(existsSync(join(repo.dir, '.git/logs', ref('a'))));
    });

    t.test('rule 2: the checkout, HEAD and index stay as they are, hooks do not run', async (t) => {
      const { engine, repo, commit } = await ground(t, kind);
      for (const hook of ['reference-transaction', 'post-commit', 'post-index-change']) {
        writeFileSync(join(repo.dir, '.git/hooks', hook), '#!/bin/sh\ntouch "$GIT_DIR/hook-ran"\nexit 1\n', {
          mode: 0o755,
        });
      }
      // Not refreshed by the look at it.
      const look = async () => [
        await repo.git('status', '--porcelain=v2', '--branch', { env: { GIT_OPTIONAL_LOCKS: '0' } }),
        statSync(join(repo.dir, '.git/index')).mtimeMs,
      ];
      const before = await look();
      const one = await commit('one');
      t.same(await engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test'), { kind: 'moved' });
      t.same(await engine.swap({ ref: ref('a'), old: one, new: 'absent' }, 'test'), { kind: 'moved' });
      rmSync(join(repo.dir, '.git/hooks'), { recursive: true });
      t.same(await look(), before);
      t.notOk(existsSync(join(repo.dir, '.git/hook-ran')));
    });

    t.test('01: "not an ancestor", "missing" and "could not look" are three results', async (t) => {
      const { engine, repo, commit, nobody } = await ground(t, kind);
      const one = await commit('one');
      const two = await commit('two', one);
      const three = await commit('three', two);
      const side = await commit('side', one);
      const alone = await commit('alone');
      t.equal(await engine.isAncestor(one, three), 'ancestor');
      t.equal(await engine.isAncestor(one, one), 'ancestor');
      t.equal(await engine.isAncestor(three, one), 'not-ancestor');
      t.equal(await engine.isAncestor(side, three), 'not-ancestor');
      t.equal(await engine.isAncestor(nobody, three), 'missing');
      t.equal(await engine.isAncestor(one, nobody), 'missing');
      t.same(await engine.mergeBases(side, three), [one]);
      t.same(await engine.mergeBases(alone, three), []);
      t.equal(await engine.mergeBases(nobody, three), 'missing');
      const blob = newBlob(engine.format, 'no commit');
      await engine.write([blob]);
      t.equal(await engine.isAncestor(blob.oid, three), 'unknown');
      rmSync(loose(repo, two));
      t.equal(await engine.isAncestor(alone, three), 'unknown', 'history is broken below');
      t.equal(await engine.mergeBases(one, three), 'unknown');
    });

    t.test('01: replace refs and grafts do not count', async (t) => {
      const { repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const alone = await commit('alone');
      const fake = await commit('alone, they say', one);
      await repo.git('replace', alone, fake);
      mkdirSync(join(repo.dir, '.git/info'), { recursive: true });
      if (kind.engine !== 'nodegit') writeFileSync(join(repo.dir, '.git/info/grafts'), `${alone} ${one}\n`);
      const { engine } = await take(t, repo);
      t.equal(await engine.isAncestor(one, alone), 'not-ancestor');
      t.same(await engine.mergeBases(one, alone), []);
      t.match((await engine.read(alone))?.data.toString(), /\n\nalone$/);
    });

    t.test('01: a shallow clone does not say "no" where it cannot know', async (t) => {
      const { repo: origin, commit, engine: writer } = await ground(t, kind);
      const commits: Oid[] = [];
      for (const message of ['one', 'two', 'three', 'four', 'five'])
        commits.push(await commit(message, ...commits.slice(-1)));
      const [, , three, four, five] = commits as [Oid, Oid, Oid, Oid, Oid];
      await writer.swap({ ref: 'refs/heads/deep' as RefName, old: 'absent', new: five }, 'test');
      const alone = await commit('alone');
      await writer.swap({ ref: 'refs/heads/alone' as RefName, old: 'absent', new: alone }, 'test');
      const dir = origin.box.path('shallow');
      await origin.git(
        'clone',
        '--quiet',
        '--no-single-branch',
        '--depth=3',
        '--no-checkout',
        `file://${origin.dir}`,
        dir,
      );
      const { engine, repository } = await take(t, origin.box.open(dir));
      t.ok(repository.shallow);
      t.equal(await engine.isAncestor(three, five), 'ancestor');
      t.equal(await engine.isAncestor(five, three), 'not-ancestor', 'what lies below the edge cannot be above it');
      t.equal(await engine.isAncestor(alone, five), 'unknown');
      t.equal(await engine.isAncestor(five, alone), 'not-ancestor', 'this history is whole');
      t.same(await engine.mergeBases(four, five), [four]);
      t.equal(await engine.mergeBases(alone, five), 'unknown');
    });

    t.test('01: with GIT_QUARANTINE_PATH set reading works and writing is refused', async (t) => {
      const { repo, commit } = await ground(t, kind);
      const one = await commit('one');
      const variables = { ...repo.box.env(), GIT_QUARANTINE_PATH: join(repo.dir, '.git/objects/incoming-x') };
      const repository = await openRepository({ cwd: repo.dir, variables });
      t.teardown(() => repository.close());
      const engine = await repository.engine();
      t.equal((await engine.read(one))?.type, 'commit');
      await t.rejects(engine.write([newBlob(engine.format, 'x')]), { code: 'quarantine' });
      await t.rejects(engine.swap({ ref: ref('q'), old: 'absent', new: one }, 'test'), { code: 'quarantine' });
      await t.rejects(repository.git.run(['update-ref', ref('q'), one], { reading: false }), { code: 'quarantine' });
      t.equal(await repo.oid(ref('q')), '');
    });

    t.test(
      '01: killed before and after each step, the ref is at the old or the new value and the next one goes on',
      async (t) => {
        const { repo } = await ground(t, kind);
        const worker = await buildWorker(t);
        const count = (env: Record<string, string>) =>
          run({
            command: process.execPath,
            args: [worker, repo.dir, ref('count'), '3'],
            cwd: repo.dir,
            env: { ...repo.box.env(), ...env },
          });
        let stands = 0;
        for (const [point, survives] of [
          ['git.after-objects', 1],
          ['git.before-ref', 1],
          ['git.after-ref', 2],
        ] as const) {
          const killed = await count({ OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: '2' });
          t.equal(killed.signal, 'SIGKILL', point);
          stands += survives;
          t.equal(await repo.git('rev-list', '--count', ref('count')), String(stands), point);
        }
        t.match(await count({}), { code: 0 });
        t.equal(await repo.git('rev-list', '--count', ref('count')), String(stands + 3));
        await repo.git('fsck', '--strict', '--no-dangling');
      },
    );

    t.test('scenario 28: eight processes count on one ref beside `pack-refs` and `gc`, and none is lost', async (t) => {
      const { repo, engine, commit } = await ground(t, kind);
      const [processes, times] = [8, 6];
      await engine.swap({ ref: ref('bystander'), old: 'absent', new: await commit('bystander') }, 'test');
      const worker = await buildWorker(t);
      let over = false;
      const disturber = (async () => {
        for (let round = 0; !over; round++) {
          await repo.gitResult('pack-refs', '--all');
          if (round % 3 === 2) await repo.gitResult('gc', '--quiet', '--prune=2.weeks.ago');
        }
      })();
      const results = await Promise.all(
        Array.from({ length: processes }, () =>
          run({
            command: process.execPath,
            args: [worker, repo.dir, ref('count'), String(times)],
            cwd: repo.dir,
            env: repo.box.env(),
            timeout: 120_000,
          }),
        ),
      );
      over = true;
      await disturber;
      for (const result of results) t.equal(result.code, 0, result.stderr);
      t.equal(await repo.git('log', '-1', '--format=%s', ref('count')), String(processes * times));
      t.equal(await repo.git('rev-list', '--count', ref('count')), String(processes * times));
      t.ok(await engine.resolve(ref('bystander')), 'an unrelated ref is still there');
      await repo.git('fsck', '--strict', '--no-dangling');
    });
  });
}

/** The counter as one file: it has to lie where nodegit can be found from. */
async function buildWorker(t: Test): Promise<string> {
  const outfile = join(ROOT, '.tap', `engine-counter-${process.pid}-${Date.now()}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'test/fixtures/engine-counter.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['nodegit'],
    logLevel: 'warning',
  });
  t.teardown(() => rmSync(outfile, { force: true }));
  return outfile;
}
