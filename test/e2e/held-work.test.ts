// What only the Git folder of a worktree has: refs of its own, a detached HEAD, an operation. Whoever would take the worktree away,
// or make it anew, leaves it or keeps it first (M4, J30, G9).

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

interface Place {
  readonly id: string;
  readonly path: string;
  /** A commit that nothing else has. */
  readonly alone: string;
}

/** Jobs in review; `hold` lets the worktree of each hold a commit that nothing else has. */
async function holding(
  t: Test,
  count: number,
): Promise<{ readonly repo: Repo; hold(how: keyof typeof WAYS): Promise<Place> }> {
  const box = await sandbox(t);
  const repo = await box.repository({
    agents: [box.agent('worker', { execute: [{ sh: 'echo work > "work-$OWL_JOB.txt"' }, { commit: 'Write it' }] })],
    config: 'plan: false\nchecks:\n  - { name: test, run: "true" }\n',
  });
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await repo.add(`work ${at}`));
  await repo.owl('run', '--all');
  return {
    repo,
    async hold(how) {
      const id = ids.shift() ?? '';
      const path = (await repo.owl('show', id, '--json')).json().data.worktree as string;
      const alone = await repo.git('commit-tree', '-p', 'main', '-m', `only in ${id}`, 'main^{tree}');
      await WAYS[how](repo, path, alone);
      return { id, path, alone };
    },
  };
}

const WAYS = {
  ref: async (repo: Repo, path: string, alone: string) => {
    await repo.git('-C', path, 'update-ref', 'refs/worktree/mine', alone);
  },
  'ref, folder gone': async (repo: Repo, path: string, alone: string) => {
    await repo.git('-C', path, 'update-ref', 'refs/worktree/mine', alone);
    rmSync(path, { recursive: true });
  },
  'detached, folder gone': async (repo: Repo, path: string, alone: string) => {
    await repo.git('-C', path, 'checkout', '-q', '--detach', alone);
    rmSync(path, { recursive: true });
  },
};

/** Does anything hold it, a ref or the Git folder of a checkout? (Git's own collection does not look at refs of other checkouts.) */
async function lives(t: Test, repo: Repo, { id, alone }: Place, what: string): Promise<void> {
  const held = [...(await repo.git('rev-list', '--all')).split('\n')];
  const folder = join(repo.dir, '.git', 'worktrees');
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const own = `--git-dir=${join(folder, name)}`;
    held.push(await repo.git(own, 'rev-parse', 'HEAD'));
    held.push(...(await repo.git(own, 'for-each-ref', '--format=%(objectname)', 'refs/worktree/')).split('\n'));
  }
  t.ok(held.includes(alone), `${what}: what only the worktree of ${id} had is held`);
}

for (const verb of ['drop', 'merge', 'accept'])
  t.test(`M4, J30: ${verb} refuses what only the worktree has, and --force keeps it`, async (t) => {
    const { repo, hold } = await holding(t, 3);
    for (const how of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
      const place = await hold(how);
      for (const more of [['--dry-run'], []]) {
        const { error } = (await repo.owlFails(4, verb, place.id, '--json', ...more)).json();
        t.match(error, { code: 'workspace', message: /--force keeps its commits first/ }, how);
        t.ok(
          error.next.some((line: string) => line.includes(place.alone)),
          'the next command shows it',
        );
      }
      t.equal((await repo.owl('show', place.id, '--json')).json().data.state, 'review');
      await lives(t, repo, place, how);
      await repo.owl(verb, place.id, '--force');
      t.notMatch(await repo.git('worktree', 'list', '--porcelain'), place.path, 'the worktree is gone');
      t.match(await repo.git('rev-list', `refs/owl/keep/${place.id}`), place.alone, `${how}: kept`);
      await repo.git('gc', '--quiet', '--prune=now');
      t.equal(await repo.git('cat-file', '-t', place.alone), 'commit');
    }
  });

t.test('M4: a ref of its own to what a branch has holds nothing up; one to no commit cannot be kept', async (t) => {
  const { repo, hold } = await holding(t, 2);
  const plain = await hold('ref');
  await repo.git('-C', plain.path, 'update-ref', 'refs/worktree/mine', 'main');
  await repo.owl('drop', plain.id);
  t.notMatch(await repo.git('worktree', 'list', '--porcelain'), plain.path);
  const odd = await hold('ref');
  const tree = await repo.git('rev-parse', 'main^{tree}');
  await repo.git('-C', odd.path, 'update-ref', 'refs/worktree/mine', tree);
  t.match((await repo.owlFails(4, 'drop', odd.id, '--force')).stderr, /ref of its own, refs\/worktree\/mine at/);
  t.equal(await repo.git('-C', odd.path, 'rev-parse', 'refs/worktree/mine'), tree);
});

t.test('G9: a missing worktree is not made again over what only its registration has', async (t) => {
  const { repo, hold } = await holding(t, 6);
  for (const how of ['ref, folder gone', 'detached, folder gone'] as const) {
    const ensured = await hold(how);
    t.match((await repo.owlFails(4, 'worktree', ensured.id, '--ensure')).stderr, /its registration was left alone/);
    await lives(t, repo, ensured, 'worktree --ensure');
    await repo.git('branch', `kept-${ensured.id}`, ensured.alone);
    t.equal(
      (await repo.owl('worktree', ensured.id, '--ensure')).stdout.trim(),
      ensured.path,
      'named, it is made again',
    );

    const verified = await hold(how);
    t.match((await repo.owlFails(4, 'verify', verified.id)).stderr, /--force keeps its commits first/);
    await lives(t, repo, verified, 'verify');
    await repo.owl('verify', verified.id, '--force');
    await lives(t, repo, verified, 'verify --force');

    const retried = await hold(how);
    await repo.owl('retry', retried.id, '--restart');
    await repo.owl('run', retried.id, { fails: 'any' });
    await lives(t, repo, retried, 'retry --restart');
  }
});
