// What is predicted of branches (06, conflicts) against what Git's own merge makes of each pair.

import t from 'tap';
import { hunksTouch, pairsThatMeet } from '../../../src/domain/collision.js';
import type { Oid } from '../../../src/domain/git.js';
import { parseZeroContextPatch } from '../../../src/git/parse/zero-context-patch.js';
import { predictCollisions } from '../../../src/git/predict.js';
import { opened } from '../../fixtures/opened.js';
import { randomOf } from '../../fixtures/race.js';
import type { Repo } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';

const text = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name} ${at}`);

/** A tree as text: path -> content, `null` for nothing there. */
type Files = Map<string, string>;

function edited(files: Files, random: (below: number) => number): Files {
  const next = new Map(files);
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const names = [...next.keys()];
    const name = names[random(names.length)] as string;
    const lines = (next.get(name) as string).split('\n').slice(0, -1);
    const at = random(lines.length + 1);
    switch (random(8)) {
      case 0:
        if (names.length > 1) next.delete(name);
        break;
      case 1:
        next.set(`new${random(3)}`, `added ${random(4)}\n`);
        break;
      case 2:
        next.delete(name);
        next.set(`moved${random(3)}/${name.replaceAll('/', '-')}`, `${lines.join('\n')}\n`);
        break;
      case 3:
        next.set(name, `${[...lines.slice(0, at), ...lines.slice(at + 1)].join('\n')}\n`);
        break;
      case 4:
        // Without an end of the last line.
        next.set(name, `${lines.join('\n')}\nlast ${random(3)}`);
        break;
      default:
        next.set(name, `${[...lines.slice(0, at), `edit ${random(5)}`, ...lines.slice(at + random(3))].join('\n')}\n`);
    }
  }
  return next;
}

async function committed(repo: Repo, files: Files, parent: string | null): Promise<Oid> {
  const stream = ['commit refs/heads/made', 'committer T <t@example.com> 1700000000 +0000', 'data 0', ''];
  if (parent !== null) stream.push(`from ${parent}`);
  stream.push('deleteall');
  for (const [path, content] of files)
    stream.push(`M 100644 inline ${path}`, `data ${Buffer.byteLength(content)}`, content);
  await repo.git('fast-import', '--quiet', '--force', { input: `${stream.join('\n')}\n` });
  return (await repo.oid('refs/heads/made')) as Oid;
}

t.test('06: every pair is predicted as git merge-tree has it, for random edits, moves and deletions', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const repository = await opened(t, repo);
  for (const seed of [1, 2, 3]) {
    const random = randomOf(seed);
    const base: Files = new Map([
      ['one', `${text('one', 12).join('\n')}\n`],
      ['dir/two', `${text('two', 9).join('\n')}\n`],
      ['dir/three', `${text('three', 6).join('\n')}\n`],
    ]);
    const start = await committed(repo, base, null);
    const target = await committed(repo, edited(base, random), start);
    const tips: Oid[] = [];
    for (let number = 0; number < 9; number += 1) tips.push(await committed(repo, edited(base, random), start));

    const landed = new Map<number, string>();
    const expected: string[] = [];
    for (const [at, tip] of tips.entries()) {
      const merged = await repo.gitResult('merge-tree', '--write-tree', target, tip);
      if (merged.code === 0)
        landed.set(at, (await repo.git('commit-tree', merged.stdout.trim(), '-p', target, '-m', 'x')).trim());
      else expected.push(`${at} target`);
    }
    for (const [one, ours] of landed)
      for (const [two, theirs] of landed)
        if (one < two && (await repo.gitResult('merge-tree', '--write-tree', ours, theirs)).code !== 0)
          expected.push(`${one} ${two}`);

    const found = await predictCollisions(repository, { target, tips, handoff: HANDOFF });
    const said = found.map(({ tip, with: other }) => `${tip} ${other ?? 'target'}`);
    t.same(said.sort(), expected.sort(), `seed ${seed}`);
    t.ok(
      found.every(({ paths }) => paths.length > 0),
      'each with its paths',
    );
  }
});

t.test('06: attributes of the target decide what is merged line by line', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: { '.gitattributes': 'CHANGES merge=union\n*.lock -merge\n', CHANGES: 'a\n', 'x.lock': 'a\nb\nc\nd\n' },
  });
  const repository = await opened(t, repo);
  const target = (await repo.oid('main')) as Oid;
  const tip = async (files: Record<string, string>): Promise<Oid> => {
    await repo.git('checkout', '--quiet', '--detach', target);
    await repo.commit('tip', files);
    return (await repo.oid('HEAD')) as Oid;
  };
  const tips = [
    await tip({ CHANGES: 'a\none\n', 'x.lock': 'A\nb\nc\nd\n' }),
    await tip({ CHANGES: 'a\ntwo\n' }),
    await tip({ 'x.lock': 'a\nb\nc\nD\n' }),
  ];
  t.same(await predictCollisions(repository, { target, tips, handoff: HANDOFF }), [
    { tip: 0, with: 2, paths: ['x.lock'] },
  ]);
});

t.test('06: lines that touch are one change; the same change twice is none', async (t) => {
  const hunk = (from: number, count: number, words = 'x') => ({ from, count, text: words });
  t.equal(hunksTouch([hunk(3, 1)], [hunk(4, 1)]), true, 'no line between them');
  t.equal(hunksTouch([hunk(3, 1)], [hunk(5, 1)]), false);
  t.equal(hunksTouch([hunk(3, 0)], [hunk(3, 0)]), false, 'the same line put in by both');
  t.equal(hunksTouch([hunk(3, 0)], [hunk(3, 0, 'y')]), true);
  t.equal(hunksTouch([hunk(1, 1), hunk(30, 2)], [hunk(10, 1), hunk(20, 5), hunk(31, 9)]), true);
  t.equal(hunksTouch([hunk(1, 9)], [hunk(2, 1, 'a'), hunk(20, 1)]), true, 'one inside the other');
  const change = (...paths: string[]) => ({
    files: paths.map((path) => ({ path, old: null, new: '100644 a', hunks: null })),
  });
  t.same(pairsThatMeet([change('a', 'b/c'), change('b'), change('a'), change('d')]), [
    { one: 0, two: 2, paths: ['a'] },
    { one: 0, two: 1, paths: ['b'] },
  ]);
});

t.test('06: a patch is read by its counts, whatever its lines look like', async (t) => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  const patch = [
    `diff --git a/x b/x`,
    `index ${one}..${two} 100644`,
    '--- a/x',
    '+++ b/x',
    '@@ -2 +2,2 @@ context',
    '--- gone',
    '+@@ -9 +9 @@',
    `+index ${two}..${one}`,
    '@@ -7,0 +9 @@',
    '+last',
    '\\ No newline at end of file',
    '',
  ].join('\n');
  const hunks = parseZeroContextPatch(Buffer.from(patch)).get(`${one} ${two}`);
  t.match(hunks, [
    { from: 1, count: 1 },
    { from: 7, count: 0 },
  ]);
  t.equal(hunks?.length, 2);
});
