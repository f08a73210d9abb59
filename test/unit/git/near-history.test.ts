// Short looks from objects against Git itself: ancestry, merge bases, logs and changed files of small histories (10, P6).

import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { changedFiles } from '../../../src/git/diff.js';
import type { TreeEntry } from '../../../src/git/engine.js';
import { commitLog } from '../../../src/git/log.js';
import { newBlob, newCommit, newTree } from '../../../src/git/objects.js';
import { openRepository } from '../../../src/git/open.js';
import { parseRawDiff } from '../../../src/git/parse/raw-diff.js';
import { loadSteps } from '../../../src/git/replay-steps.js';
import { sandbox } from '../../fixtures/sandbox.js';

const WHO = 'Ada Tester <ada@example.com> 1700000000 +0100';

/** Always the same numbers, so that what fails once fails again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

t.test('P6: ancestry and merge bases of small histories are those that Git finds', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const asked: string[] = [];
  const trace = (line: { readonly args: readonly string[] }): void => void asked.push(line.args[0] ?? '');
  const repository = await openRepository({ cwd: repo.dir, variables: box.env(), trace });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  const tree = newTree(engine.format, []);
  const commit = async (message: string, ...parents: readonly Oid[]): Promise<Oid> => {
    const made = newCommit(engine.format, { tree: tree.oid, parents, author: WHO, committer: WHO, message });
    await engine.write([tree, made]);
    return made.oid;
  };
  for (const seed of [1, 2, 3]) {
    const next = numbers(seed);
    const all: Oid[] = [await commit(`root ${seed}`), await commit(`other root ${seed}`)];
    for (let at = 0; at < 9; at += 1) {
      const parents = next(3) === 0 ? [all.at(-1), all[next(all.length)]] : [all[all.length - 1 - next(2)]];
      all.push(await commit(`${seed} ${at}`, ...new Set(parents as Oid[])));
    }
    for (const one of all) {
      for (const two of all) {
        const bases = await repo.git('merge-base', '--all', one, two).catch(() => '');
        const expected = bases.split('\n').filter(Boolean).sort();
        const found = await engine.mergeBases(one, two);
        t.same(Array.isArray(found) ? [...found].sort() : found, expected, `merge bases, seed ${seed}`);
        const is = expected.includes(one) ? 'ancestor' : 'not-ancestor';
        t.equal(await engine.isAncestor(one, two), is, `ancestry, seed ${seed}`);
      }
    }
  }
  const line: Oid[] = [await commit('start of a line')];
  for (let at = 0; at < 80; at += 1) line.push(await commit(`line ${at}`, line.at(-1) as Oid));
  const side = await commit('side', line[70] as Oid);
  asked.length = 0;
  t.equal(await engine.isAncestor(line[75] as Oid, line[80] as Oid), 'ancestor');
  t.same(await engine.mergeBases(side, line[80] as Oid), [line[70]]);
  t.same(await loadSteps(repository, { base: line[70] as Oid, tip: side, onto: line[80] as Oid }), [
    { kind: 'commit', oid: side, before: tree.oid, flattens: 0 },
  ]);
  t.same(asked, [], 'what is near takes no process');
  t.equal(await engine.isAncestor(line[2] as Oid, line[80] as Oid), 'ancestor', 'what is far is asked');
  t.equal(await engine.isAncestor(line[2] as Oid, line[80] as Oid), 'ancestor');
  t.same(asked, ['merge-base'], 'once');
  t.equal(await engine.isAncestor(line[80] as Oid, line[79] as Oid), 'not-ancestor');
  t.same(await engine.mergeBases(line[0] as Oid, line[80] as Oid), [line[0]]);
});

t.test('P6: the log of a short line of commits is that of Git', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const repository = await openRepository({ cwd: repo.dir, variables: box.env() });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  const tree = newTree(engine.format, []);
  const start = (await repo.oid('main')) as Oid;
  const messages = [
    'plain\n',
    '\n  \n  first after blanks  \nsecond line\n\nbody\n',
    'no line break',
    '',
    'ünïcode 😀\r\nand more\r\n\r\nbody',
    'trailer only\n\nOwl: x\n',
  ];
  const authors = [WHO, ' Odd <odd@example.com> 1700000000 +0100', 'A  B <a b@c> 1700000000 -0930'];
  for (const author of authors) {
    let tip = start;
    for (const message of messages) {
      const draft = { tree: tree.oid, parents: [tip], author, committer: WHO, message };
      const made = newCommit(engine.format, draft);
      await engine.write([tree, made]);
      tip = made.oid;
    }
    const format = '--format=%H%n%P%n%ct%n%an <%ae>%n%s';
    const git = (await repo.git('log', '-z', '--max-count=5', format, `${start}..${tip}`)).split('\0');
    const ours = await commitLog(repository, start, tip, { limit: 5 });
    t.same(
      ours.map((one) => [one.oid, one.parents.join(' '), one.time, one.author, one.subject].join('\n')),
      git.filter(Boolean),
      author,
    );
  }
});

t.test('P6: changed files are those of `git diff-tree`, in its order, renames too', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const repository = await openRepository({ cwd: repo.dir, variables: box.env() });
  t.teardown(() => repository.close());
  const engine = await repository.engine();
  const blob = async (text: string): Promise<Oid> => {
    const made = newBlob(engine.format, text.repeat(20));
    await engine.write([made]);
    return made.oid;
  };
  const tree = async (...entries: readonly TreeEntry[]): Promise<Oid> => {
    const made = newTree(engine.format, entries);
    await engine.write([made]);
    return made.oid;
  };
  const [one, two, three] = [await blob('one\n'), await blob('two\n'), await blob('three\n')];
  const file = (name: string, oid: Oid, mode: TreeEntry['mode'] = '100644'): TreeEntry => ({ mode, name, oid });
  const folder = (name: string, oid: Oid): TreeEntry => ({ mode: '040000', name, oid });
  const trees = [
    await tree(),
    await tree(file('a', one), file('a.b', two), file('b', three)),
    await tree(folder('a', await tree(file('x', one), file('y', two))), file('a.b', two), file('a0', three)),
    await tree(file('a', one, '100755'), file('a.b', two, '120000'), file('c', three)),
    await tree(
      file('m', '1'.repeat(40) as Oid, '160000'),
      file('b', three),
      file(Buffer.from('ä').toString('latin1'), one),
    ),
    await tree(folder('a', await tree(folder('b', await tree(file('deep', one))), file('b.c', two)))),
  ];
  for (const from of trees) {
    for (const to of trees) {
      for (const renames of [false, true]) {
        const option = renames ? '-M' : '--no-renames';
        const raw = await repo.git('diff-tree', '-r', '-z', '--raw', '--no-abbrev', option, from, to);
        const expected = parseRawDiff(Buffer.from(raw, 'utf8'));
        t.same(await changedFiles(repository, from, to, { renames }), expected);
      }
    }
  }
});
