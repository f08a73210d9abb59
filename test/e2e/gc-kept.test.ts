// What closed work keeps: folded, expired, let go by name, brought back; work that landed by hand; and gc killed at each step.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { acted, everything, gc, ground, HOUR, killedAt, of, said } from '../fixtures/gc.js';
import { eventually } from '../fixtures/sandbox.js';

t.test('J31: a branch merged by ordinary Git tooling counts as accepted, by ancestry, squash or rebase', async (t) => {
  const { repo, reviewed, show } = await ground(t, { remote: 'bare' });
  const jobs = await reviewed('merged', 'squashed', 'picked on the remote', 'left alone', 'reverted');
  const [merged, squashed, picked, left, reverted] = jobs;
  const empty = await repo.add('--no-plan', 'not begun');
  await repo.git('merge', '-q', '--no-ff', '--no-edit', merged.branch);
  await repo.git('merge', '-q', '--squash', squashed.branch);
  await repo.git('commit', '-q', '-m', 'squashed');
  await repo.git('merge', '-q', '--no-ff', '--no-edit', reverted.branch);
  await repo.git('revert', '--no-edit', '-m', '1', 'HEAD');
  await repo.git('checkout', '-q', '-b', 'pick', 'origin/main');
  await repo.commit('something else', { 'else.txt': 'else\n' });
  await repo.git('cherry-pick', `origin/main..${picked.branch}`);
  await repo.git('push', '-q', 'origin', 'pick:main');
  await repo.git('checkout', '-q', 'main');

  const before = await everything(repo);
  const plan = await gc(repo, '--dry-run');
  t.same(await everything(repo), before);
  t.equal(said(of(plan, 'job', merged.id)), 'land landed planned');
  t.equal(said(of(plan, 'worktree', merged.id)), 'remove-worktree landed planned', 'the whole plan');
  const items = await gc(repo);
  for (const job of [merged, squashed, picked]) {
    t.equal(said(of(items, 'job', job.id)), 'land landed done');
    t.match(await show(job.id), { state: 'done', merged: { by: 'hand', files: 1 } });
    t.equal(said(of(items, 'worktree', job.id)), 'remove-worktree job-done done');
    t.equal(await repo.oid(job.ref), job.tip, 'as after accept, the branch stays');
  }
  t.equal((await show(picked.id)).merged.ref, 'refs/remotes/origin/main');
  t.match(await show(left.id), { state: 'review' });
  t.match(await show(reverted.id), { state: 'review' }, 'never so after a revert');
  t.match(await show(empty), { state: 'pending' }, 'never so for a branch without a change of its own');
  t.match((await repo.owl('events')).stdout, new RegExp(`the work of job ${merged.id} is on refs/heads/main`));
  t.same(acted(await gc(repo)), []);
});

t.test(
  'M12, J36: what closed work keeps is folded, a merge only once published; reopening brings it back',
  async (t) => {
    const { repo, reviewed, later, show } = await ground(t, { remote: 'bare' });
    const [merged, dropped, cancelled, open] = await reviewed('merged', 'dropped', 'cancelled', 'open');
    await repo.owl('merge', merged.id);
    await repo.owl('drop', dropped.id);
    await repo.owl('cancel', cancelled.id);
    const keep = (id: string): Promise<string> => repo.oid(`refs/owl/keep/${id}`);
    const links = async (id: string): Promise<number> => (await show(id)).kept.length;
    const chain = await keep(cancelled.id);
    const before = await links(dropped.id);
    const first = await gc(repo);
    t.equal(said(of(first, 'kept', merged.id)), 'none not-published none', 'J36: kept until the remote has it');
    t.equal(said(of(first, 'kept', dropped.id)), 'fold closed-work done');
    t.equal(said(of(first, 'kept', cancelled.id)), 'fold closed-work done');
    t.equal(said(of(first, 'kept', open.id)), 'none open-job none');
    t.ok(await keep(merged.id));
    t.equal(await keep(dropped.id), '');
    t.ok(await repo.oid('refs/owl/archive/2024-05'));
    t.equal(await links(dropped.id), before, 'what is folded is shown as before');
    await repo.git('push', '-q', 'origin', 'main');
    t.equal(said(of(await gc(repo), 'kept', merged.id)), 'fold closed-work done');

    await repo.owl('reopen', cancelled.id);
    t.equal(await keep(cancelled.id), chain, 'reopening brings the pins back');
    await repo.owl('restore', dropped.id);
    t.ok(await keep(dropped.id), 'so does restore');
    await repo.owl('drop', dropped.id);
    t.same(acted(await gc(repo)).length, 1, 'and they are folded again');

    t.equal(said(of(await gc(repo), 'archive')), 'none too-young none');
    // The month ended on May 31st: 90 days later it goes, and what may not go moves on.
    later(120 * 24 * HOUR);
    const plan = await gc(repo, '--dry-run');
    t.equal(said(of(plan, 'archive')), 'expire older-than-keep planned');
    t.ok(await repo.oid('refs/owl/archive/2024-05'));
    const killed = await repo.owl('gc', { fails: 'any', env: { OWL_FAIL_AT: 'gc.before-expire' } });
    t.equal(killed.signal, 'SIGKILL');
    t.ok(await repo.oid('refs/owl/archive/2024-05'), 'killed before it expires: nothing went');
    const expired = (await gc(repo)).find((item) => item.subject === 'refs/owl/archive/2024-05');
    t.equal(said(expired), 'expire older-than-keep done');
    t.match(expired?.detail, /^1 entry goes; 2 /, 'the merged one: a branch has all of it');
    t.equal(await repo.oid('refs/owl/archive/2024-05'), '');
    t.equal(await links(merged.id), 0);
    await repo.git('reflog', 'expire', '--all', '--expire=now');
    await repo.git('gc', '--quiet', '--prune=now');
    await repo.owl('restore', dropped.id);
    t.equal(await repo.oid(dropped.ref), dropped.tip, 'a tip that nothing else holds does not expire by itself');
    t.equal(await links(cancelled.id), before - 1, 'open work keeps all of it');
    t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
  },
);

t.test('M12: gc --expire lets a commit go by name, and only where nothing else holds it', async (t) => {
  const { repo, reviewed } = await ground(t);
  const [job, other] = await reviewed('dropped', 'other');
  await repo.owl('drop', job.id);
  await repo.owl('gc', '--expire', 'main', { fails: 2 });
  await repo.owl('gc', '--expire', 'abcdef0123456789', { fails: 3 });
  t.equal(said(of(await gc(repo, '--dry-run', '--expire', job.tip), 'commit')), 'expire asked planned');
  const held = await gc(repo, '--dry-run', '--expire', other.tip, '--expire', await repo.oid('main'));
  t.same(held.filter((item) => item.kind === 'commit').map(said), ['none still-held none', 'none still-held none']);
  for (const point of [
    'gc.before-expire-commit',
    'expire.before-move',
    'expire.after-move',
    'gc.after-expire-commit',
  ]) {
    await killedAt(repo, point, 'gc', '--expire', job.tip);
    t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '', point);
  }
  await repo.owl('gc');
  await repo.git('reflog', 'expire', '--all', '--expire=now');
  await repo.git('gc', '--quiet', '--prune=now');
  t.not((await repo.gitResult('cat-file', '-e', job.tip)).code, 0, 'Git has let it go');
  await repo.owl('log', job.id);
  t.match((await repo.owlFails(3, 'restore', job.id)).stderr, /is not in this clone/);
  t.equal(await repo.oid(other.ref), other.tip);
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
});

t.test('M1, M12, 00.1: kill -9 at each step of removing and folding, and a second gc finishes', async (t) => {
  const points = [
    'gc.before-remove-worktree',
    'workspace.before-remove',
    'workspace.after-remove',
    'gc.after-remove-worktree',
    'gc.before-delete-branch',
    'gc.after-delete-branch',
    'gc.before-remove-scratch',
    'gc.after-remove-scratch',
    'gc.before-fold',
    'archive.after-append',
    'archive.after-delete',
    'gc.after-fold',
    'gc.before-event',
    'gc.after-event',
  ];
  const { repo, reviewed } = await ground(t);
  const [job] = await reviewed('dropped again and again');
  const record = (await repo.records()).find((path) => path.includes(`/${job.id}/runs/`)) ?? '';
  const scratch = join(repo.dir, '.git/owl/runs', record.replace(/^.*\/|\.json$/g, ''));
  const main = await repo.oid('main');
  for (const point of points) {
    await killedAt(repo, 'drop.after-state', 'drop', job.id);
    mkdirSync(join(scratch, 'out'), { recursive: true });
    writeFileSync(join(scratch, 'prompt'), 'x');
    t.ok(existsSync(job.path));
    t.ok(await killedAt(repo, point, 'gc'), `${point} is reached`);
    await repo.owl('gc');
    t.notOk(existsSync(job.path) || existsSync(scratch), `${point}: checkout and scratch are gone`);
    const refs = Object.keys(await repo.refs()).filter((ref) => ref.includes(job.id));
    t.same(refs, [], `${point}: so are its branch, its kept ref and its registration`);
    await repo.owl('restore', job.id);
    t.equal(await repo.oid(job.ref), job.tip, `${point}: and nothing of it is lost`);
    await repo.owl('worktree', job.id, '--ensure');
  }
  t.same(acted(await gc(repo)), [], 'nothing is left to do');
  t.equal(await repo.oid('main'), main);
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});

t.test('J31, 00.1: kill -9 while a Job that landed by hand is closed: it is closed once', async (t) => {
  const points = ['gc.before-land', 'landed.before-state', 'landed.after-state', 'gc.after-land'] as const;
  const { repo, reviewed, show } = await ground(t);
  const jobs = await reviewed(...points);
  for (const [at, point] of points.entries()) {
    const job = jobs[at];
    if (job === undefined) throw new Error(point);
    await repo.git('merge', '-q', '--no-ff', '--no-edit', job.branch);
    t.ok(await killedAt(repo, point, 'gc'), `${point} is reached`);
    await repo.owl('gc');
    t.same(acted(await gc(repo)), [], point);
    t.match(await show(job.id), { state: 'done', merged: { by: 'hand' } });
    const log = (await repo.git('log', '--format=%s', 'refs/heads/refine/state')).split('\n');
    t.equal(log.filter((line) => line.startsWith(`job ${job.id}: the work`)).length, 1, `${point}: closed once`);
  }
});

t.test('01: gc packs in the background the way Git does it, unless the user turned that off', async (t) => {
  const { repo } = await ground(t);
  await repo.add('something');
  const folder = join(repo.dir, '.git/objects/pack');
  const packs = () => readdirSync(folder).filter((name) => name.endsWith('.pack'));
  // Git estimates the number of loose objects by those whose id begins with 17.
  for (let at = 0, found = 0; found < 4; at += 1) {
    const text = `${at}\n`;
    const oid = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
    if (!oid.startsWith('17')) continue;
    found += 1;
    t.equal(await repo.git('hash-object', '-w', '--stdin', { input: text }), oid);
    await repo.git('update-ref', `refs/tags/loose-${found}`, oid);
  }
  const pause = () => new Promise((resolve) => setTimeout(resolve, 700));
  await repo.git('config', 'gc.auto', '1');
  await repo.owl('gc');
  await pause();
  t.same(packs(), [], 'maintenance.auto is false here');
  await repo.git('config', 'maintenance.auto', 'true');
  await repo.owl('gc', '--dry-run');
  await pause();
  t.same(packs(), [], 'a dry run packs nothing');
  await repo.owl('gc');
  await eventually(() => packs().length > 0, 30_000, 'a pack appears');
  await eventually(() => !existsSync(join(repo.dir, '.git/gc.pid')), 30_000, 'and gc ends');
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
});
