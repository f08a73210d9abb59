// How a base or target may be named: one rule for Jobs and Goals. It is a branch, here or of a remote; all else is refused before
// anything is queued (J33; 03, "The target").

import { t } from 'tap';
import { addGoal, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const GATED =
  'plan: false\nchecks: [{ name: test, run: "ls *.txt" }]\nquality: { checks: [{ name: style, run: "true" }] }\n';

/** The record of a Job or Goal, as it is stored. */
async function recordOf(repo: Repo, id: string) {
  const paths = (await repo.git('ls-tree', '-r', '--name-only', 'refine/state')).split('\n');
  return repo.record(paths.find((path) => path.endsWith(`/${id}/job.json`) || path.endsWith(`/${id}/goal.json`)) ?? id);
}

t.test('J33: each way to name a branch means that branch, for a Job and for a Goal', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', { execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Write' }] });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: GATED });
  await repo.git('push', '-q', 'origin', 'main:release/1.0');
  await repo.git('fetch', '-q');
  await repo.git('remote', 'set-head', 'origin', 'release/1.0');
  const forms: readonly (readonly [text: string, name: string, remote: string | null])[] = [
    ['main', 'main', null],
    ['refs/heads/main', 'main', null],
    ['origin/main', 'main', 'origin'],
    ['refs/remotes/origin/main', 'main', 'origin'],
    ['origin/HEAD', 'release/1.0', 'origin'],
    ['refs/remotes/origin/HEAD', 'release/1.0', 'origin'],
  ];
  for (const [text, name, remote] of forms) {
    await t.test(text, async (t) => {
      const job = await repo.add('write it', '--base', text);
      t.match(await recordOf(repo, job), { base: { name, remote } });
      const run = await repo.owl('run', job, '--no-merge');
      t.match(run.stderr, new RegExp(`fetching ${name} from origin`));
      const goal = await addGoal(repo, 'write it', '--target', text);
      t.match(await recordOf(repo, goal), { wish: { target: name, remote } });
      await repo.owl('goal', 'advance', goal);
      t.match(await showGoal(repo, goal), { status: 'review', target: { name } });
      const edited = await addGoal(repo, 'edited');
      await repo.owl('goal', 'edit', edited, '--target', text);
      t.match(await recordOf(repo, edited), { wish: { target: name, remote } });
      await repo.owl('cancel', edited);
    });
  }
});

t.test('J33: what is no branch is refused, whatever else bears the name', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', config: GATED });
  await repo.git('remote', 'set-head', 'origin', 'main');
  await repo.git('tag', 'v1');
  const goal = await addGoal(repo, 'here already');
  const head = await repo.oid('HEAD');
  const before = await repo.untouched();
  const state = await repo.oid('refine/state');
  for (const [text, exit, why] of [
    ['HEAD', 3, /HEAD, is the name of no branch: a base or target is a branch/],
    ['refs/heads/HEAD', 3, /HEAD, is the name of no branch/],
    ['v1', 3, /v1, is a tag: a base or target is a branch/],
    ['refs/tags/v1', 3, /refs\/tags\/v1, is a tag/],
    [head, 3, /is a commit and no branch: a base or target is a branch/],
    [head.slice(0, 10), 3, /is a commit and no branch/],
    ['@', 3, /@, is a commit and no branch/],
    ['nowhere', 3, /nowhere, does not exist/],
    ['origin/nowhere', 3, /nowhere, does not exist/],
    ['HEAD~1', 2, /not a branch name/],
    ['refine/state', 4, /a name that git owl uses itself/],
  ] as const) {
    for (const words of [
      ['add', 'write it', '--base', text],
      ['goal', 'add', 'write it', '--target', text],
      ['goal', 'edit', goal, '--target', text],
      ['goal', 'adopt', 'main', '--target', text],
    ]) {
      const failed = await repo.owlFails(exit, ...words);
      t.match(failed.stderr, why, words.join(' '));
      t.match(failed.stderr, /git branch --all/, 'and what there is to choose from');
    }
  }
  box.same(t, before, await repo.untouched());
  t.equal(await repo.oid('refine/state'), state, 'nothing was queued');

  // A branch wins over a tag of its name.
  await repo.git('branch', 'v1');
  const job = await repo.add('write it', '--base', 'v1');
  t.match(await recordOf(repo, job), { base: { name: 'v1', remote: null } });
});
