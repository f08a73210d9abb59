// A replay that leaves out what does not apply (G44), on real repositories.

import t, { type Test } from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { type PartlyReplayed, replayPartly } from '../../../src/git/replay-partly.js';
import { opened } from '../../fixtures/opened.js';
import type { Repo } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';

/** `main`, and a branch `round` that starts at its first commit. */
async function ground(
  t: Test,
): Promise<{ repo: Repo; replay: () => Promise<PartlyReplayed>; tree: (of: string) => Promise<string> }> {
  const box = await sandbox(t);
  const repo = await box.repository({ files: { 'one.txt': 'one\n', 'two.txt': 'two\n', 'deep/three.txt': 'three\n' } });
  const base = (await repo.oid('main')) as Oid;
  await repo.git('checkout', '-q', '-b', 'round');
  const repository = await opened(t, repo);
  const oid = async (name: string) => (await repo.oid(`refs/heads/${name}`)) as Oid;
  return {
    repo,
    tree: (of) => repo.git('ls-tree', '-r', '--name-only', of),
    replay: async () =>
      replayPartly(repository, {
        base,
        tip: await oid('round'),
        onto: await oid('main'),
        paths: { handoff: HANDOFF },
        identity: await repository.identity(),
        signing: 'never',
      }),
  };
}

t.test('G44: paths that conflict are as the target has them, in every commit; the Handoff stays behind', async (t) => {
  const { repo, replay } = await ground(t);
  await repo.commit('One', { 'one.txt': 'round\n', 'two.txt': 'round\n', [HANDOFF]: 'of the round\n' });
  await repo.commit('Two', { 'one.txt': 'one\nround again\n', 'new.txt': 'new\n' });
  await repo.commit('Only the Handoff', { [HANDOFF]: 'more\n' });
  await repo.git('checkout', '-q', 'main');
  const onto = await repo.commit('Main', { 'one.txt': 'main\n' });
  const made = await replay();
  t.match(made, { commits: 2, dropped: 1, leftOut: ['one.txt'] });
  t.equal(await repo.git('diff', '--name-only', onto, made.tip), 'new.txt\ntwo.txt');
  t.equal(await repo.git('log', '--format=%s', made.tip, `^${onto}`), 'Two\nOne');
});

t.test('G44: what the target has and took back comes again; what it has is no new commit', async (t) => {
  const { repo, replay } = await ground(t);
  await repo.commit('One', { 'one.txt': 'round\n' });
  await repo.git('checkout', '-q', 'main');
  await repo.git('merge', '-q', '--no-ff', '--no-edit', 'round');
  t.match(await replay(), { tip: await repo.oid('main'), commits: 0, dropped: 1, leftOut: [] });
  await repo.git('revert', '--no-edit', '-m', '1', 'HEAD');
  const made = await replay();
  t.match(made, { commits: 1, leftOut: [] });
  t.equal(await repo.git('show', `${made.tip}:one.txt`), 'round');
});

t.test(
  'G44: a path that was renamed, a file in the place of a folder, a delta with a merge, names that are odd',
  async (t) => {
    const { repo, replay, tree } = await ground(t);
    await repo.git('checkout', '-q', '-b', 'side');
    await repo.commit('Side', { 'side.txt': 'side\n' });
    await repo.git('checkout', '-q', 'round');
    await repo.git('mv', 'one.txt', 'renamed.txt');
    await repo.commit('Rename', { 'renamed.txt': 'renamed and changed\n', 'odd\n"name.txt': 'odd\n' });
    await repo.git('merge', '-q', '--no-ff', '--no-edit', 'side');
    await repo.commit('Deeper', { 'two.txt': 'of the round\n', 'deep/four.txt': 'four\n' });
    await repo.git('checkout', '-q', 'main');
    await repo.commit('Main', { 'one.txt': 'main\n', 'two.txt': 'of main\n' });
    await repo.git('rm', '-q', '-r', 'deep');
    await repo.commit('A file there', { deep: 'a file\n' });
    const made = await replay();
    t.equal(made.commits, 1, 'as one');
    t.ok(made.leftOut.includes('two.txt'));
    t.equal(await repo.git('show', `${made.tip}:two.txt`), 'of main');
    t.equal(await repo.git('show', `${made.tip}:deep`), 'a file');
    t.match(await tree(made.tip), /side\.txt/);
    t.equal(await repo.git('show', `${made.tip}:one.txt`), 'main');
  },
);
