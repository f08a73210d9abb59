// Checkouts that have a Goal's target open: what can follow follows, what cannot waits by a note, and without a remote busy is said
// before anything is integrated (G33).

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { takeFolder } from '../fixtures/folder.js';
import { addGoal, advanceTo, onRemote, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CONFIG =
  'plan: false\nchecks: [{ name: test, run: "ls *.txt" }]\nquality: { checks: [{ name: style, run: "true" }] }\n';

interface Obstacle {
  readonly says: RegExp;
  /** `file`: what the move adds. */
  readonly make: (repo: Repo, box: Sandbox, file: string) => Promise<void> | void;
  readonly clear: (repo: Repo, box: Sandbox, file: string) => Promise<void> | void;
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  'its index.lock is held': {
    says: /index is locked/,
    make: (repo) => repo.write('.git/index.lock', ''),
    clear: (repo) => repo.remove('.git/index.lock'),
  },
  'an untracked file is where the move adds one': {
    says: /files there are in the way/,
    make: (repo, _box, file) => repo.write(file, 'mine\n'),
    clear: (repo, _box, file) => repo.remove(file),
  },
  'an ignored file is where the move adds one': {
    says: /files there are in the way/,
    make: (repo, _box, file) => {
      repo.write('.git/info/exclude', `${file}\n`);
      repo.write(file, 'mine, ignored\n');
    },
    clear: (repo, _box, file) => {
      repo.write('.git/info/exclude', '');
      repo.remove(file);
    },
  },
  'a rebase in another worktree will come back to it': {
    says: /in the middle of a rebase/,
    make: async (repo, box) => {
      await repo.git('checkout', '-q', '--detach');
      await repo.git('worktree', 'add', '-q', box.path('rebasing'), 'main');
      const other = box.open(box.path('rebasing'));
      await other.gitResult('-c', 'sequence.editor=sed -i 1s/pick/edit/', 'rebase', '-q', '-i', 'HEAD~1');
    },
    clear: async (repo, box) => {
      await box.open(box.path('rebasing')).git('rebase', '--abort');
      await repo.git('worktree', 'remove', '--force', box.path('rebasing'));
      await repo.git('checkout', '-q', 'main');
    },
  },
};

/** Checkouts that a move of `main` does not concern. */
async function bystanders(repo: Repo, box: Sandbox): Promise<() => unknown> {
  await repo.git('worktree', 'add', '-q', '--detach', box.path('detached'), 'main');
  await repo.git('worktree', 'add', '-q', '-b', 'other', box.path('other'), 'main');
  writeFileSync(box.path('other/README.md'), 'mine\n');
  return () =>
    ['detached', 'other'].map((name) => [
      takeFolder(box.path(name)),
      takeFolder(join(repo.dir, '.git/worktrees', name)),
    ]);
}

async function ground(t: Test, remote: boolean) {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    execute: [{ sh: 'echo x >"$OWL_GOAL.txt" && git add -f "$OWL_GOAL.txt"' }, { commit: 'Write' }],
  });
  const repo = await box.repository({ ...(remote && { remote: 'bare' }), agents: [worker], config: CONFIG });
  await repo.commit('Kept', { 'kept.txt': 'kept\n' });
  if (remote) await repo.git('push', '-q', 'origin', 'main');
  return { box, repo, others: await bystanders(repo, box) };
}

t.test('G33: on a remote it is merged; branch and checkout wait, and are brought up later by themselves', async (t) => {
  const { box, repo, others } = await ground(t, true);
  const around = others();
  repo.write('kept.txt', 'mine\n');
  for (const [name, obstacle] of Object.entries(OBSTACLES)) {
    await t.test(name, async (t) => {
      if (name.includes('rebase')) await repo.git('checkout', '-q', '--', 'kept.txt');
      const id = await addGoal(repo, name);
      const file = `${id}.txt`;
      await obstacle.make(repo, box, file);
      const start = await repo.oid('refs/heads/main');
      const before = await repo.untouched();
      const ended = await repo.owl('goal', 'advance', id);
      t.match(ended.stderr, /main here follows later/);
      t.match(await showGoal(repo, id), { status: 'review' });
      t.equal(await onRemote(repo, 'main^1'), start);
      t.equal(await repo.oid('refs/heads/main'), start);
      box.same(t, before, await repo.untouched(), 'neither the local branch nor its checkout');
      const status = await repo.owl('status');
      t.match(status.stdout + status.stderr, /main/);
      t.match(status.stdout + status.stderr, obstacle.says);
      await obstacle.clear(repo, box, file);
      await repo.owl('goal', 'add', 'another');
      t.equal(await repo.oid('refs/heads/main'), await onRemote(repo), 'the next writing command brings both up');
      t.equal(repo.read(file), 'x\n');
      const dirty = name.includes('rebase') ? '' : ' M kept.txt\n';
      t.equal((await repo.gitResult('status', '--porcelain')).stdout, dirty, 'what the user changed stays changed');
    });
  }
  t.same(others(), around, 'other branches and detached checkouts are byte-identical');
});

t.test('G33: without a remote busy is said before anything is integrated', async (t) => {
  const { box, repo, others } = await ground(t, false);
  const around = others();
  const id = await addGoal(repo, 'write it');
  await advanceTo(repo, id, 'governance');
  for (const [name, obstacle] of Object.entries(OBSTACLES)) {
    await t.test(name, async (t) => {
      await obstacle.make(repo, box, `${id}.txt`);
      const start = await repo.oid('refs/heads/main');
      const before = await repo.untouched();
      const busy = await repo.owlFails(7, 'goal', 'advance', id, '--json');
      t.match(busy.json().error.message, obstacle.says);
      t.match(await showGoal(repo, id), { status: 'governance', integration: null, window: null });
      t.equal(await repo.oid('refs/heads/main'), start);
      box.same(t, before, await repo.untouched());
      t.equal(await repo.git('for-each-ref', 'refs/owl/local/follow'), '', 'nothing waits: nothing was integrated');
      await obstacle.clear(repo, box, `${id}.txt`);
    });
  }
  repo.write('kept.txt', 'mine\n');
  await repo.owl('goal', 'advance', id);
  t.match(await showGoal(repo, id), { status: 'review' });
  t.equal(repo.read(`${id}.txt`), 'x\n');
  t.equal(await repo.git('status', '--porcelain'), ' M kept.txt', 'clean files follow, the user’s changes stay');
  t.same(others(), around);
  rmSync(box.path('detached'), { recursive: true });
});
