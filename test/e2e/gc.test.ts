// Maintenance as a person meets it: what is dead is settled, checkouts that nobody needs go, unfinished work is told and
// never deleted. What is kept, and gc being killed: gc-kept.test.ts.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { t } from 'tap';
import { acted, everything, gc, ground, HOUR, killedAt, of, said } from '../fixtures/gc.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.test('04: a repository that git owl never touched has nothing to do, in words and in JSON', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const before = await everything(repo);
  t.equal((await repo.owl('gc')).stdout, 'nothing to do\n');
  t.same(await gc(repo), []);
  t.same(await everything(repo), before, 'and nothing was made');
  const unborn = await box.repository({ name: 'unborn', unborn: true });
  t.equal((await unborn.owl('gc')).stdout, 'nothing to do\n', 'nor has one without a commit');
});

t.test('M1: worktrees of done, dropped and cancelled Jobs', async (t) => {
  const { repo, reviewed, later } = await ground(t);
  const [accepted, dropped, cancelled, open] = await reviewed('accepted', 'dropped', 'cancelled', 'open');
  t.ok(await killedAt(repo, 'accept.before-worktree', 'accept', accepted.id));
  t.ok(await killedAt(repo, 'drop.after-state', 'drop', dropped.id));
  await repo.owl('cancel', cancelled.id);
  t.ok(existsSync(accepted.path) && existsSync(dropped.path), 'both were killed before the worktree went');

  const before = await everything(repo);
  const plan = await gc(repo, '--dry-run');
  t.same(await everything(repo), before, 'a dry run writes nothing');
  t.equal(said(of(plan, 'worktree', accepted.id)), 'remove-worktree job-done planned');
  t.equal(said(of(plan, 'worktree', dropped.id)), 'remove-worktree job-dropped planned');
  t.equal(said(of(plan, 'branch', dropped.id)), 'delete-branch job-dropped planned', 'the whole plan: then its branch');

  const done = await gc(repo);
  t.equal(said(of(done, 'worktree', accepted.id)), 'remove-worktree job-done done');
  t.equal(said(of(done, 'branch', accepted.id)), 'none not-yet none');
  t.equal(said(of(done, 'worktree', dropped.id)), 'remove-worktree job-dropped done');
  t.equal(said(of(done, 'branch', dropped.id)), 'delete-branch job-dropped done');
  t.equal(said(of(done, 'worktree', cancelled.id)), 'none not-yet none');
  t.equal(said(of(done, 'worktree', open.id)), 'none open-job none');
  t.notOk(existsSync(accepted.path) || existsSync(dropped.path));
  t.equal(await repo.oid(accepted.ref), accepted.tip, 'an accepted branch stays');
  t.equal(await repo.oid(dropped.ref), '', 'a dropped one is gone');
  const event = await repo.git('log', '-1', '--format=%B', 'refs/heads/refine/state');
  t.match(event, /^gc: 2 checkouts removed, 1 branch deleted, 3 chains folded\n/);
  t.match(event, /Owl-Event: gc\.collected/);
  t.same(acted(await gc(repo)), [], 'a second gc has nothing to do');

  later(HOUR - 60_000);
  t.equal(said(of(await gc(repo), 'worktree', cancelled.id)), 'none not-yet none');
  later(120_000);
  t.equal(said(of(await gc(repo, '--dry-run'), 'branch', accepted.id)), 'none accepted-branch none');
  t.equal(said(of(await gc(repo), 'worktree', cancelled.id)), 'remove-worktree job-inactive done');
  t.equal(await repo.oid(cancelled.ref), cancelled.tip, 'the branch of a cancelled Job stays');
  await repo.owl('reopen', cancelled.id);
  t.equal((await repo.owl('worktree', cancelled.id, '--ensure')).stdout.trim(), cancelled.path, 'and brings it back');
  await repo.owl('restore', dropped.id);
  t.equal(await repo.oid(dropped.ref), dropped.tip, 'a dropped Job comes back whole');
});

t.test('M1: a merge that was killed is finished, and nothing of its Job is left', async (t) => {
  const { repo, reviewed, show } = await ground(t);
  const [job] = await reviewed('merged');
  t.ok(await killedAt(repo, 'merge.after-base', 'merge', job.id));
  const plan = await gc(repo, '--dry-run');
  t.equal(said(plan.find((item) => item.subject === `refs/owl/local/landing/${job.id}`)), 'settle interrupted planned');
  const done = await gc(repo);
  t.equal(said(done.find((item) => item.subject === `refs/owl/local/landing/${job.id}`)), 'settle interrupted done');
  t.match(await show(job.id), { state: 'done', merged: { by: 'owl' } });
  t.notOk(existsSync(job.path));
  t.equal(await repo.oid(job.ref), '');
  t.same(acted(await gc(repo)), []);
});

t.test('M1: a dead Run is settled, its temporary checkout and scratch go', async (t) => {
  const { box, repo, show } = await ground(t, {
    config: `verification: { checkout: fresh }\nchecks:\n  - { name: slow, run: 'touch "$HOME/checking"; sleep 60' }\n`,
  });
  const id = await repo.add('--no-plan', 'do it');
  const run = repo.start('run', id);
  await eventually(() => existsSync(box.path('home/checking')), 60_000, 'the check runs');
  const { worktree } = await show(id);
  const fresh = () => readdirSync(dirname(worktree)).filter((name) => name.startsWith('fresh-'));
  t.equal(fresh().length, 1, 'there is a temporary checkout');
  const live = await gc(repo);
  t.equal(said(of(live, 'run', id)), 'none live-run none', 'a live Run is left alone');
  t.equal(
    said(live.find((item) => item.subject.includes('/fresh-'))),
    'none in-use none',
    'and its temporary checkout',
  );
  run.kill('SIGKILL');
  await run.wait();

  const plan = await gc(repo, '--dry-run');
  t.equal(said(of(plan, 'run', id)), 'settle-run dead-run planned');
  t.equal((await show(id)).state, 'active');
  const done = await gc(repo);
  t.equal(said(of(done, 'run', id)), 'settle-run dead-run done');
  t.equal(said(done.find((item) => item.subject.includes('/fresh-'))), 'remove-worktree process-gone done');
  t.match(await show(id), { state: 'pending', history: [{ outcome: 'interrupted' }] });
  t.same(readdirSync(join(repo.dir, '.git/owl/runs')), [], 'no scratch is left');
  t.same(fresh(), []);
  t.same(
    Object.keys(await repo.refs()).filter((ref) => /local\/(?:runs|worktrees\/fresh)/.test(ref)),
    [],
  );
  t.same(acted(await gc(repo)), []);
});

t.test('M1: scratch of settled Runs and of killed verifications goes, that of unknown Runs is reported', async (t) => {
  const { repo, reviewed, later } = await ground(t);
  const [{ id }] = await reviewed('do it');
  const record = (await repo.records()).find((path) => path.includes(`/${id}/runs/`)) ?? '';
  const run = record.replace(/^.*\/|\.json$/g, '');
  const runs = join(repo.dir, '.git/owl/runs');
  const names = [
    [run, 'prompt'],
    ['vvvvvvvvvv', '1-test'],
    ['uuuuuuuuuu', 'prompt'],
  ] as const;
  const then = Date.parse('2024-05-06T11:59:00Z') / 1000;
  for (const [name, file] of names) {
    mkdirSync(join(runs, name, 'out'), { recursive: true });
    writeFileSync(join(runs, name, file), 'x');
    for (const path of [join(runs, name, file), join(runs, name, 'out'), join(runs, name)])
      utimesSync(path, then, then);
  }
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: `{"job":"${id}","pid":1,"start":"1"}` });
  await repo.git('update-ref', `refs/owl/local/runs/${run}`, blob);
  const named = async (name: string) => (await gc(repo)).filter((item) => item.subject.endsWith(name)).map(said);
  t.same(await named(run), ['remove-scratch run-settled done', 'remove-note run-settled done']);
  t.same(await named('vvvvvvvvvv'), ['none in-use none'], 'a command may still write there');
  t.same(await named('uuuuuuuuuu'), ['report no-record none']);
  later(25 * HOUR);
  t.same(await named('vvvvvvvvvv'), ['remove-scratch left-output done']);
  t.same(readdirSync(runs), ['uuuuuuuuuu']);
});

t.test('M2, J12: unfinished work is reported and never deleted', async (t) => {
  const { repo, reviewed, later } = await ground(t);
  const [dirty, rebasing] = await reviewed('dirty', 'rebasing');
  writeFileSync(join(dirty.path, 'notes.txt'), 'mine\n');
  await repo.commit('conflict', { [`work-${rebasing.id}.txt`]: 'theirs\n' });
  await repo.gitFails('-C', rebasing.path, 'rebase', 'main');
  await repo.git('branch', 'owl/zzzz9/lost', 'main');
  await repo.git('branch', 'owl/yyyy9/lost', dirty.ref);
  await repo.git('update-ref', 'refs/owl/keep/xxxx9', 'main');

  const items = await gc(repo);
  t.equal(said(of(items, 'worktree', dirty.id)), 'report uncommitted none');
  t.match(of(items, 'worktree', dirty.id)?.detail, /notes\.txt/);
  t.equal(said(of(items, 'worktree', rebasing.id)), 'report operation none', 'J12: a tree in the middle of a rebase');
  t.equal(said(of(items, 'branch', 'zzzz9')), 'report no-record none');
  t.match(of(items, 'branch', 'yyyy9')?.detail, /1 commit that the base does not have/);
  t.equal(said(of(items, 'kept', 'xxxx9')), 'report no-record none');
  t.notOk(of(items, 'job'), 'nobody waits too long yet');
  t.same(acted(items), []);
  later(7 * 24 * HOUR + 60_000);
  const late = (await gc(repo)).filter((item) => item.reason === 'waits-for-review').map((item) => item.job);
  t.same(late.sort(), [dirty.id, rebasing.id].sort(), 'in review longer than gc.review_after');

  await repo.owl('cancel', dirty.id, '--force');
  writeFileSync(join(dirty.path, 'again.txt'), 'mine\n');
  later(2 * HOUR);
  t.equal(said(of(await gc(repo), 'worktree', dirty.id)), 'report uncommitted none', 'whatever the record says');
  t.equal(readFileSync(join(dirty.path, 'again.txt'), 'utf8'), 'mine\n');
  t.ok(await repo.oid('refs/owl/keep/xxxx9'));
  t.match((await repo.owl('gc')).stdout, /uncommitted[\s\S]*\nnothing to do, 6 things unfinished\n$/);
});

t.test('M2: a record that cannot be read is reported, and what belongs to it stays', async (t) => {
  const { repo, reviewed } = await ground(t);
  const [job, other] = await reviewed('damaged', 'other');
  t.ok(await killedAt(repo, 'accept.before-worktree', 'accept', other.id));
  const path = (await repo.records()).find((one) => one.endsWith(`/${job.id}/job.json`)) ?? '';
  const index = { env: { GIT_INDEX_FILE: join(repo.dir, 'tmp-index') } };
  await repo.git('read-tree', 'refine/state', index);
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: '{ not json' });
  await repo.git('update-index', '--cacheinfo', `100644,${blob},${path}`, index);
  const tree = await repo.git('write-tree', index);
  const state = await repo.git('commit-tree', '-p', 'refine/state', '-m', 'damage', tree);
  await repo.git('update-ref', 'refs/heads/refine/state', state);
  const items = await gc(repo);
  t.equal(said(of(items, 'record')), 'report damaged-record none');
  t.equal(said(of(items, 'worktree', job.id)), 'none damaged-record none', 'it is not taken for absent');
  t.equal(said(of(items, 'worktree', other.id)), 'remove-worktree job-done done', 'the rest works');
  t.ok(existsSync(job.path));
  t.ok(await repo.oid(job.ref));
});

const LOOKS =
  'untracked with showUntrackedFiles=no, assume-unchanged, skip-worktree, nested, and a file written between the look and the removal';

t.test(`M4, 07.46: ${LOOKS}`, async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const jobs = await reviewed('untracked', 'assumed', 'skipped', 'nested', 'raced', 'holding');
  const [untracked, assumed, skipped, nested, raced, holding] = jobs;
  for (const job of jobs) await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  await repo.git('config', 'status.showUntrackedFiles', 'no');
  writeFileSync(join(untracked.path, 'untracked.txt'), 'mine\n');
  await repo.git('-C', assumed.path, 'update-index', '--assume-unchanged', 'README.md');
  writeFileSync(join(assumed.path, 'README.md'), 'mine\n');
  await repo.git('-C', skipped.path, 'update-index', '--skip-worktree', 'README.md');
  writeFileSync(join(skipped.path, 'README.md'), 'mine\n');
  writeFileSync(join(repo.dir, '.git/info/exclude'), 'inner/\n');
  await repo.git('init', '-q', join(nested.path, 'inner'));
  await repo.git('-C', join(nested.path, 'inner'), 'commit', '-q', '--allow-empty', '-m', 'inner');
  await repo.git('-C', holding.path, 'update-ref', 'refs/worktree/mine', 'HEAD');
  // Somebody writes at the very moment when Git is called to remove.
  const real = 'PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"';
  const write = `case "$*" in *"worktree remove"*${raced.id}*) echo mine > '${raced.path}/late.txt';; esac`;
  box.executable('git', `#!/bin/sh\n${write}\n${real}\n`);

  const items = await gc(repo);
  for (const job of [untracked, assumed, skipped]) {
    t.equal(said(of(items, 'worktree', job.id)), 'report uncommitted none');
  }
  t.equal(said(of(items, 'worktree', nested.id)), 'report uncommitted none', 'a nested repository, though ignored');
  t.equal(said(of(items, 'worktree', holding.id)), 'report own-refs none', 'refs that would go with its Git folder');
  t.equal(said(of(items, 'worktree', raced.id)), 'none changed kept', 'what was written a moment ago survives');
  t.equal(readFileSync(join(untracked.path, 'untracked.txt'), 'utf8'), 'mine\n');
  t.equal(readFileSync(join(assumed.path, 'README.md'), 'utf8'), 'mine\n');
  t.equal(readFileSync(join(skipped.path, 'README.md'), 'utf8'), 'mine\n');
  t.equal(readFileSync(join(raced.path, 'late.txt'), 'utf8'), 'mine\n');
  t.ok(existsSync(join(nested.path, 'inner/.git')));

  rmSync(join(raced.path, 'late.txt'));
  box.executable('git', `#!/bin/sh\n${real}\n`);
  t.equal(said(of(await gc(repo), 'worktree', raced.id)), 'remove-worktree job-done done', 'clean again, it goes');
});

t.test('M3, M6, 07.50: our own registrations go by name; locks, the user and strangers are honoured', async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const jobs = await reviewed('stale', 'locked and gone', 'locked', 'replaced', 'inside', 'open elsewhere', 'making');
  const [stale, lockedGone, locked, replaced, inside, open, making] = jobs;
  for (const job of [stale, lockedGone, locked, replaced, inside]) {
    await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  }
  rmSync(stale.path, { recursive: true });
  await repo.git('worktree', 'lock', '--reason', 'on a stick', lockedGone.path);
  rmSync(lockedGone.path, { recursive: true });
  await repo.git('worktree', 'lock', '--reason', 'a person', locked.path);
  rmSync(replaced.path, { recursive: true });
  mkdirSync(replaced.path);
  writeFileSync(join(replaced.path, 'theirs.txt'), 'theirs\n');
  const folder = join(dirname(stale.path), 'theirs');
  mkdirSync(folder);
  await repo.git('worktree', 'add', '-q', box.path('users'), '-b', 'users');
  await repo.git('worktree', 'add', '-q', box.path('unmounted'), '-b', 'unmounted');
  rmSync(box.path('unmounted'), { recursive: true });
  await repo.git('worktree', 'add', '-q', '--detach', box.path('detached'));
  await repo.git('worktree', 'add', '-q', box.path('state'), 'refine/state');
  const shell = spawn('/bin/sleep', ['300'], { cwd: inside.path });
  t.teardown(() => shell.kill('SIGKILL'));
  await killedAt(repo, 'drop.after-worktree', 'drop', open.id);
  await repo.git('worktree', 'add', '-q', box.path('look'), open.branch);
  // Removed, and killed while it was made again; then cancelled.
  rmSync(making.path, { recursive: true });
  t.ok(await killedAt(repo, 'workspace.after-add', 'worktree', making.id, '--ensure'));
  await killedAt(repo, 'drop.after-state', 'drop', making.id);

  const items = await gc(repo);
  const at = (path: string): string => said(items.find((item) => item.subject === path));
  t.equal(at(stale.path), 'remove-worktree stale-registration done');
  t.equal(at(lockedGone.path), 'none locked none', 'a lock is honoured though the folder is gone');
  t.equal(at(locked.path), 'none locked none');
  t.equal(at(replaced.path), 'none ambiguous none', 'a folder that only lies in our place is not ours');
  t.equal(at(folder), 'none not-ours none');
  t.equal(at(box.path('users')), 'none standalone none');
  t.equal(at(box.path('unmounted')), 'none not-there none');
  t.equal(at(box.path('detached')), 'none detached none');
  t.equal(at(box.path('state')), 'none state-checkout none');
  t.equal(at(inside.path), 'none in-use none', 'a process works in it');
  t.equal(said(of(items, 'branch', open.id)), 'none checked-out none', 'a branch that somebody has open stays');
  const list = `${await repo.git('worktree', 'list', '--porcelain')}\n`;
  t.notOk(list.includes(`worktree ${stale.path}\n`), 'the stale one alone is gone');
  for (const path of [
    lockedGone.path,
    locked.path,
    ...['users', 'unmounted', 'detached', 'state'].map((one) => box.path(one)),
  ]) {
    t.ok(list.includes(`worktree ${path}\n`), `${path} is registered still`);
  }
  t.equal(readFileSync(join(replaced.path, 'theirs.txt'), 'utf8'), 'theirs\n');
  t.notOk(existsSync(making.path), 'a half-made one is finished and removed');
  t.equal(await repo.oid(`refs/owl/local/worktrees/${making.id}`), '');

  await repo.git('-C', box.path('look'), 'commit', '-q', '--allow-empty', '-m', 'more');
  await repo.git('-C', box.path('look'), 'checkout', '-q', '--detach');
  t.equal(said(of(await gc(repo), 'branch', open.id)), 'report unique-commits none', 'nor does one that grew since');
});

t.test('04: --explain says what proof a thing has or lacks, and only looks', async (t) => {
  const { repo, reviewed } = await ground(t);
  const [job] = await reviewed('do it');
  await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  const before = await everything(repo);
  const [clean] = await gc(repo, '--explain', job.path);
  t.match(clean, { action: 'remove-worktree', result: 'planned', meaning: 'its Job is done' });
  t.ok(
    clean?.proof.every((proof) => proof.holds),
    'all is proven',
  );
  writeFileSync(join(job.path, 'mine.txt'), 'mine\n');
  const [dirty] = await gc(repo, '--explain', join(job.path, 'mine.txt'));
  t.match(dirty, { action: 'report', reason: 'uncommitted' });
  t.same(dirty?.proof.at(-1), { what: 'it is clean', holds: false }, 'up to what is lacking');
  t.match(
    (await repo.owl('gc', '--explain', job.branch)).stdout,
    /not-yet[\s\S]*lacking: it was closed for long enough/,
  );
  t.match((await gc(repo, '--explain', 'main'))[0], { subject: 'refs/heads/main', reason: 'not-ours' });
  const nowhere = await repo.owlFails(3, 'gc', '--explain', 'nowhere', '--json');
  t.match(nowhere.json(), { ok: false, error: { code: 'nothing-kept' } });
  rmSync(join(job.path, 'mine.txt'));
  t.same(await everything(repo), before, 'it only looks');
});
