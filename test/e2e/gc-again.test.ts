// Each thing is looked at again at the moment of acting: what changed between the look and the act stays, whatever it is (M1).

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { gc, ground, killedAt, of, type Reviewed, said } from '../fixtures/gc.js';
import type { Sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

/** These lines run once, before the first checkout is removed: when everything was looked at, and nothing has gone. */
function beforeTheFirst(box: Sandbox, lines: readonly string[]): void {
  const once = `case "$*" in *"worktree remove"*) mkdir '${box.path('once')}' 2>/dev/null && {
PATH='${box.env()['PATH']}'
${lines.join('\n')}
} ;; esac`;
  box.executable('git', `#!/bin/sh\n( ${once} ) >&2\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`);
}

t.test('M1: checkouts, branches and what is kept, each changed while the first one goes', async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const all = await reviewed('1', '2', '3', '4', '5', '6', '7', '8', '9');
  // They go in the order of their names.
  const [first, edited, detached, locked, reopened, restored, grown, opened, merging] = [...all].sort((one, two) =>
    one.id < two.id ? -1 : 1,
  ) as unknown as readonly [Reviewed, Reviewed, Reviewed, Reviewed, Reviewed, Reviewed, Reviewed, Reviewed, Reviewed];
  for (const job of [first, edited, detached, locked, reopened, merging])
    await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  for (const job of [restored, grown, opened]) await killedAt(repo, 'drop.after-state', 'drop', job.id);
  const grows = `git -C '${grown.path}' commit -q --allow-empty -m grown`;
  beforeTheFirst(box, [
    `echo mine > '${edited.path}/mine.txt'`,
    `git -C '${detached.path}' checkout -q --detach`,
    `git worktree lock --reason 'a person' '${locked.path}'`,
    `git-owl reopen ${reopened.id}`,
    `git-owl restore ${restored.id}`,
    grows,
    `git -C '${opened.path}' checkout -q --detach; git worktree add -q '${box.path('look')}' ${opened.branch}`,
    `git -C '${merging.path}' bisect start`,
  ]);
  const plan = await gc(repo, '--dry-run');
  for (const job of all) t.equal(of(plan, 'worktree', job.id)?.action, 'remove-worktree');
  const items = await gc(repo);
  t.ok(existsSync(box.path('once')), 'the moment came');
  const says = (kind: string, job: Reviewed): string => said(of(items, kind, job.id));
  t.equal(says('worktree', first), 'remove-worktree job-done done');
  t.equal(says('worktree', edited), 'report uncommitted kept');
  t.equal(says('worktree', detached), 'none detached kept');
  t.equal(says('worktree', locked), 'none locked kept');
  t.equal(says('worktree', reopened), 'none open-job kept');
  t.equal(says('worktree', restored), 'none open-job kept');
  t.equal(says('branch', restored), 'none open-job kept');
  t.equal(says('kept', restored), 'none open-job kept', 'nor is folded what it keeps');
  t.equal(says('worktree', merging), 'report operation kept');
  t.equal(says('worktree', grown), 'remove-worktree job-dropped done', 'it is clean, and its branch has the commit');
  t.equal(says('branch', grown), 'report unique-commits kept', 'which stays with it');
  t.equal(says('worktree', opened), 'none detached kept');
  t.equal(says('branch', opened), 'none checked-out kept');
  for (const job of [edited, detached, locked, reopened, restored, merging, opened]) t.ok(existsSync(job.path));
  t.equal(readFileSync(join(edited.path, 'mine.txt'), 'utf8'), 'mine\n');
  t.equal(await repo.oid(restored.ref), restored.tip);
  t.equal(await repo.oid(`${grown.ref}~1`), grown.tip);
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
});
