// Refreshing a Candidate on real repositories (G20 to G23), and the shared test of containment (03).

import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { lookContained } from '../../../src/app/goal/contained.js';
import { type RefreshRequest, type RefreshResult, refreshCandidate } from '../../../src/app/goal/refresh.js';
import { settleLeftovers } from '../../../src/app/leftovers.js';
import { lookNotable } from '../../../src/app/review/notable.js';
import { ensureWorkspace, requireWorkspace } from '../../../src/app/workspace/create.js';
import { worktreePath } from '../../../src/app/workspace/path.js';
import type { Oid, RefName } from '../../../src/domain/git.js';
import { type Bench, workbench } from '../../fixtures/bench.js';
import { bundle } from '../../fixtures/bundle.js';
import { candidate, goal } from '../../fixtures/goal-records.js';
import { run } from '../../fixtures/process.js';
import { recordRefresh } from '../../fixtures/record-refresh.js';
import type { Repo } from '../../fixtures/repository.js';

t.jobs = 2;

const GOAL = 'gk3x9q';
const JOB = 'rk3x9q';
const NAME = `refine/${GOAL}/round-1`;
const BRANCH = `refs/heads/${NAME}` as RefName;
const HANDOFF = '.coding-owl/HANDOFF.md';

interface Ground extends Bench {
  readonly base: Oid;
  readonly tip: Oid;
  /** The Round's worktree, with the words of a person. */
  readonly tree: Repo;
  request(change?: Partial<RefreshRequest>): Promise<RefreshRequest>;
  refresh(change?: Partial<RefreshRequest>): Promise<RefreshResult>;
  /** A commit on the target, by plumbing: the user's checkout stays. */
  target(message: string, files: Readonly<Record<string, string>>): Promise<Oid>;
}

async function ground(t: Test): Promise<Ground> {
  const world = await workbench(t, () => ({ files: { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' } }));
  const { bench, repo, box } = world;
  const { environment, repository } = bench;
  const base = (await repo.oid('main')) as Oid;
  await repo.git('branch', '--no-track', NAME, 'main');
  const path = await worktreePath({ environment, policy: null, repository, id: JOB });
  const made = requireWorkspace(await ensureWorkspace(bench, { id: JOB, path, branch: BRANCH, commit: base }));
  const tree = box.open(made.path);
  await tree.commit('Handoff', { [HANDOFF]: 'handoff\n' });
  const tip = (await tree.commit('Own work', { 'a.txt': '1\n2\nthree\n', 'own.txt': 'own\n' })) as Oid;
  await repo.git('checkout', '--quiet', '--detach');
  const request: Ground['request'] = async (change = {}) => ({
    goal: GOAL,
    branch: BRANCH,
    worktree: { id: JOB, path },
    candidate: { base, tip: (await repo.oid(BRANCH)) as Oid },
    target: { ref: 'refs/heads/main', oid: (await repo.oid('main')) as Oid },
    contained: false,
    signing: 'never',
    ...change,
  });
  return {
    ...world,
    base,
    tip,
    tree,
    request,
    refresh: async (change) => refreshCandidate(bench, await request(change)),
    target: async (message, files) => {
      await repo.git('checkout', '--quiet', 'main');
      const made = (await repo.commit(message, files)) as Oid;
      await repo.git('checkout', '--quiet', '--detach');
      return made;
    },
  };
}

/** The attempt failed with this diagnostic, and everything is as it was (G23). */
async function fails(
  t: Test,
  world: Ground,
  code: string,
  change: Partial<RefreshRequest> = {},
): Promise<RefreshResult> {
  const before = await world.repo.untouched();
  const status = await world.tree.git('status', '--porcelain');
  const files = [world.tree.read('a.txt'), world.tree.read(HANDOFF)];
  const result = await world.refresh(change);
  t.match(result, { kind: 'failed', reason: { code } }, JSON.stringify(result));
  world.box.same(t, before, await world.repo.untouched(), 'no ref moved, nothing of the user was touched');
  t.equal(await world.tree.git('status', '--porcelain'), status, 'the worktree is as it was');
  t.same([world.tree.read('a.txt'), world.tree.read(HANDOFF)], files);
  t.same(await world.bench.notes.list('follow/'), [], 'nothing waits');
  return result;
}

t.test('G20: the target has not moved, or contains the integration: one look', async (t) => {
  const world = await ground(t);
  world.tree.write('a.txt', 'uncommitted\n');
  t.same(await world.refresh(), { kind: 'current', why: 'not-moved' });
  await world.target('Moved', { 'c.txt': 'c\n' });
  t.same(await world.refresh({ contained: true }), { kind: 'current', why: 'contained' });
});

t.test(
  'G20, G21: the target has the first commits of the Candidate, by another branch: the rest is replayed',
  async (t) => {
    const world = await ground(t);
    const { repo, tree, base, tip } = world;
    // Another Round made the very same commit, and brought it there.
    await repo.git('checkout', '--quiet', 'main');
    await repo.git('merge', '--quiet', '--no-ff', '--no-edit', `${NAME}~1`);
    await repo.git('checkout', '--quiet', '--detach');
    const onto = await repo.oid('main');
    const result = await world.refresh();
    t.match(result, { kind: 'refreshed', old: { base, tip }, candidate: { base: onto }, commits: 1 });
    t.equal(await repo.git('log', '--format=%s', `main..${NAME}`), 'Own work');
    t.equal(tree.read('own.txt'), 'own\n');
    t.equal(await tree.git('status', '--porcelain'), '');
  },
);

t.test(
  'G21, G22: the delta is replayed onto the pinned target; branch and worktree follow, the old Candidate is kept',
  async (t) => {
    const world = await ground(t);
    const { repo, tree, base, tip, bench } = world;
    const target = await world.target('Moved', { 'a.txt': 'one\n2\n3\n', 'c.txt': 'c\n' });
    const before = await repo.untouched([BRANCH]);
    const result = await world.refresh();
    t.match(result, { kind: 'refreshed', old: { base, tip }, candidate: { base: target }, commits: 2, dropped: 0 });
    if (result.kind !== 'refreshed') return;
    t.equal(await repo.oid(BRANCH), result.candidate.tip);
    t.equal(await repo.oid(`${BRANCH}~2`), target, 'a line from the target');
    t.equal(tree.read('a.txt'), 'one\n2\nthree\n');
    t.equal(tree.read('c.txt'), 'c\n');
    t.equal(tree.read(HANDOFF), 'handoff\n');
    t.equal(await tree.git('status', '--porcelain'), '');
    t.equal(await repo.git('log', '-1', '--format=%an %s', BRANCH), 'Ada Tester Own work');
    t.ok((await bench.store.kept(GOAL)).some((link) => link.kept === tip));
    world.box.same(t, before, await repo.untouched([BRANCH]));
    t.same(await world.refresh({ candidate: result.candidate }), { kind: 'current', why: 'not-moved' });
  },
);

t.test('G20, G9: a worktree that is missing is made again', async (t) => {
  const world = await ground(t);
  const { path } = (await world.request()).worktree;
  await world.target('Moved', { 'c.txt': 'c\n' });
  world.tree.remove('.');
  t.match(await world.refresh(), { kind: 'refreshed' });
  t.ok(existsSync(`${path}/c.txt`));
});

t.test('G23: a conflict names every path, the target and the commit; nothing moves', async (t) => {
  const world = await ground(t);
  const target = await world.target('Other', { 'a.txt': '1\n2\nother\n', 'own.txt': 'theirs\n' });
  const result = await fails(t, world, 'refresh-conflict');
  t.match(result, {
    reason: { onto: { ref: 'refs/heads/main', oid: target }, text: /2 paths conflict/ },
    conflict: { commit: world.tip, subject: 'Own work' },
  });
  if (result.kind === 'failed') t.same([...(result.reason.paths ?? [])].sort(), ['a.txt', 'own.txt']);
});

t.test('G20: each condition that is not met', async (t) => {
  t.test('uncommitted work, tracked or not', async (t) => {
    const world = await ground(t);
    await world.target('Moved', { 'c.txt': 'c\n' });
    world.tree.write('stray.txt', 'x\n');
    t.match(await fails(t, world, 'unclean'), { reason: { paths: ['stray.txt'] } });
    world.tree.remove('stray.txt');
    world.tree.write('a.txt', 'x\n');
    await fails(t, world, 'unclean');
  });

  t.test('the branch is not at the Candidate, or not there', async (t) => {
    const world = await ground(t);
    await world.target('Moved', { 'c.txt': 'c\n' });
    const other = { base: world.base, tip: world.base };
    await fails(t, world, 'stale-candidate', { candidate: other });
    await fails(t, world, 'stale-candidate', { branch: `${BRANCH}-none` as RefName });
  });

  t.test(
    '07.35: the worktree is on another branch, in the middle of an operation, or the branch is open elsewhere',
    async (t) => {
      const world = await ground(t);
      const { tree, repo } = world;
      await world.target('Moved', { 'c.txt': 'c\n' });
      await tree.git('checkout', '--quiet', '-b', 'else');
      await fails(t, world, 'workspace');
      await tree.git('checkout', '--quiet', NAME);
      await tree.git('bisect', 'start');
      await fails(t, world, 'workspace');
      await tree.git('bisect', 'reset');
      await repo.git('checkout', '--quiet', '--ignore-other-worktrees', NAME);
      repo.write('staged.txt', 'x\n');
      await repo.git('add', 'staged.txt');
      t.match(await fails(t, world, 'workspace'), { reason: { text: /open in .*repo;/ } });
    },
  );

  t.test('the recorded base is not there, or no ancestor of the Candidate', async (t) => {
    const world = await ground(t);
    const moved = await world.target('Moved', { 'c.txt': 'c\n' });
    const { tip } = world;
    await fails(t, world, 'base-missing', { candidate: { base: 'd'.repeat(40) as Oid, tip } });
    const later = await world.target('Later', { 'c.txt': 'cc\n' });
    await fails(t, world, 'lineage', {
      candidate: { base: moved, tip },
      target: { ref: 'refs/heads/main', oid: later },
    });
  });

  t.test('the target was rewound behind the base', async (t) => {
    const world = await ground(t);
    const orphan = (await world.repo.git('commit-tree', '-m', 'root', `${world.base}^{tree}`)) as Oid;
    await fails(t, world, 'target-rewound', { target: { ref: 'refs/heads/main', oid: orphan } });
  });

  t.test('07.36: the agent merged the target into its branch: "not linear"', async (t) => {
    const world = await ground(t);
    await world.target('Moved', { 'c.txt': 'c\n' });
    await world.tree.git('merge', '--quiet', '--no-edit', 'main');
    await world.target('Again', { 'c.txt': 'cc\n' });
    t.match(await fails(t, world, 'not-linear'), { reason: { text: /not linear: it has a merge commit/ } });
  });

  t.test('somebody merged the Candidate, or a part of it, by hand', async (t) => {
    const world = await ground(t);
    const { repo } = world;
    const merge = async (what: string) => {
      await repo.git('checkout', '--quiet', 'main');
      await repo.git('merge', '--quiet', '--no-ff', '--no-edit', what);
      await repo.git('checkout', '--quiet', '--detach');
    };
    await merge(`${NAME}~1`);
    const part = await repo.oid('main');
    await repo.git('checkout', '--quiet', 'main');
    await repo.git('revert', '--no-edit', '--mainline', '1', 'main');
    await repo.git('checkout', '--quiet', '--detach');
    await fails(t, world, 'ambiguous');
    await repo.git('update-ref', 'refs/heads/main', part);
    await merge(NAME);
    await fails(t, world, 'merged-elsewhere');
  });

  t.test('history is missing: below the edge of a shallow clone nobody can see', async (t) => {
    const world = await ground(t);
    const { repo, base, tip } = world;
    await world.target('Moved', { 'c.txt': 'c\n' });
    const elsewhere = (await repo.git('commit-tree', '-m', 'root', `${base}^{tree}`)) as Oid;
    const unseen = { candidate: { base: elsewhere, tip } };
    await fails(t, world, 'lineage', unseen);
    repo.write('.git/shallow', `${await repo.oid(`${NAME}~1`)}\n`);
    await fails(t, world, 'unknown-history', unseen);
  });
});

t.test('G21: an empty result is refused: the target has every change of the Candidate', async (t) => {
  const world = await ground(t);
  await world.target('The same', { 'a.txt': '1\n2\nthree\n', 'own.txt': 'own\n' });
  await fails(t, world, 'empty-refresh');
});

t.test('G23: a file in the way of the worktree, and a record that is refused: nothing moves', async (t) => {
  const world = await ground(t);
  world.repo.write('.git/info/exclude', 'c.txt\n');
  world.tree.write('c.txt', 'ignored, and mine\n');
  await world.repo.git('checkout', '--quiet', 'main');
  world.repo.write('c.txt', 'c\n');
  await world.repo.git('add', '-f', 'c.txt');
  await world.repo.git('commit', '--quiet', '-m', 'Moved');
  await world.repo.git('checkout', '--quiet', '--detach');
  t.match(await fails(t, world, 'workspace'), { reason: { text: /cannot follow/, paths: ['c.txt'] } });
  t.equal(world.tree.read('c.txt'), 'ignored, and mine\n');
  world.tree.remove('c.txt');
  await fails(t, world, 'stale-candidate', { record: async () => false });
});

t.test('G22: recorded in one write with the branch; killed at any moment it is done, or was never begun', async (t) => {
  for (const failAt of [
    'refresh.before-move',
    'follow.before-files',
    'follow.after-files',
    'refresh-record.before-state',
    'refresh-record.after-state',
    'refresh-record.before-move',
    'refresh-record.after-move',
    'follow.after-ref',
    'follow.after-index',
    'refresh.after-move',
  ]) {
    const world = await ground(t);
    const { bench, repo, box, base, tip, tree } = world;
    await bench.store.update({}, async (tx) => {
      tx.putGoal(
        goal(GOAL, {
          status: 'quality',
          candidate: { id: 'c1', base, tip },
          gates: { quality: 'e1', governance: null },
        }),
      );
      tx.putCandidate(candidate(GOAL, 'c1', { base, tip }));
      tx.event({ event: 'goal.edited', subject: 'x', goal: GOAL });
    });
    const target = await world.target('Moved', { 'a.txt': 'one\n2\n3\n', 'c.txt': 'c\n' });
    const driver = bundle('test/fixtures/refresh-driver.ts', box.path('tmp'), 'refresh-driver');
    const args = [driver, repo.dir, JSON.stringify(await world.request())];
    const killed = await run({
      command: process.execPath,
      args,
      cwd: repo.dir,
      env: { ...box.env(), OWL_FAIL_AT: failAt },
    });
    t.equal(killed.signal, 'SIGKILL', `${failAt} ${killed.stderr}`);
    await settleLeftovers(bench);
    const found = await (await bench.store.snapshot()).goal(GOAL);
    if (found.kind !== 'found') return t.fail(failAt);
    const { candidate: now, gates } = found.record;
    const done = now?.id === 'c2';
    t.equal(await repo.oid(BRANCH), now?.tip, `${failAt}: branch and record agree`);
    t.equal(await tree.git('status', '--porcelain'), '', `${failAt}: so does the worktree`);
    t.equal(tree.read('a.txt'), done ? 'one\n2\nthree\n' : '1\n2\nthree\n', failAt);
    t.equal(gates.quality, done ? null : 'e1', failAt);
    t.equal(now?.base, done ? target : base, failAt);
    if (!done) {
      const request = await world.request();
      t.match(await refreshCandidate(bench, { ...request, record: recordRefresh(bench, request) }), {
        kind: 'refreshed',
      });
    }
    await repo.git('gc', '--prune=now', '--quiet');
    t.equal(await repo.git('cat-file', '-t', tip), 'commit', `${failAt}: the old Candidate is there`);
  }
});

t.test('03: contained is the merge of our own evidence in the target, with no revert after it', async (t) => {
  const { bench, repo } = await ground(t);
  await repo.git('checkout', '--quiet', 'main');
  const before = (await repo.oid('main')) as Oid;
  await repo.git('merge', '--quiet', '--no-ff', '--no-edit', NAME);
  const merge = (await repo.oid('main')) as Oid;
  const look = async (target = 'main', reverted = false) =>
    lookContained(bench, { merge, reverted }, (await repo.oid(target)) as Oid);
  t.equal(await look(), 'contained');
  t.equal(await look('main', true), 'reverted', 'our own evidence');
  t.equal(await look(before), 'missing', 'the target was rewound');
  t.equal(await look(NAME), 'missing', 'that the Candidate is reachable proves nothing');
  await repo.commit('later', { 'z.txt': 'z\n' });
  t.equal(await look(), 'contained');
  await repo.git(
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    `Talk\n\nNot so: This reverts commit ${merge}. Or does it?`,
  );
  t.equal(await look(), 'contained', 'only the exact line counts');
  await repo.git('revert', '-m', '1', '--no-edit', merge);
  t.equal(await look(), 'reverted');
  await repo.git('revert', '--no-edit', 'HEAD');
  t.equal(await look(), 'contained', 'the revert was reverted');
  await repo.git('commit', '--quiet', '--allow-empty', '-m', `Ours\n\nThis reverts commit ${merge}.`);
  t.equal(await look(), 'reverted');
  const gone = { merge: 'd'.repeat(40) as Oid, reverted: false };
  t.equal(await lookContained(bench, gone, before), 'unknown');
});

t.test('G50: what a review lists on top, from commits, with the configuration of the user against it', async (t) => {
  const world = await ground(t);
  const { tree, repo, bench } = world;
  await repo.git('config', 'diff.noprefix', 'true');
  await repo.git('config', 'diff.external', 'true');
  tree.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(tree.dir, 'run.sh'), 0o755);
  const tip = (await tree.commit('More', {
    '.gitattributes': '* -diff\n',
    'b.txt': 'b\nif (\u202eadmin)\n',
    [HANDOFF]: '\u202e\n',
    'run.sh': '#!/bin/sh\n# more\n',
  })) as Oid;
  const found = await lookNotable(bench, await world.policy(), { base: world.base, tip });
  t.same(
    found.map(({ kind, path }) => `${kind} ${path}`),
    [
      'attributes .gitattributes',
      'mode run.sh',
      'guarded .gitattributes',
      `bidirectional ${HANDOFF}`,
      'bidirectional b.txt',
    ],
  );
});
