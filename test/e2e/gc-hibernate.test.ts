// When the checkouts of Goals hibernate and what keeps them: every status, the configured delay, processes, what lies in them (M1, M5, M6).

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { clockOf, gc, HOUR, of, said } from '../fixtures/gc.js';
import { addGoal, advanceTo, GATED, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

/** Each Run writes another text. */
const WORK: Scenario = {
  plan: [{ handoff: '# Plan\n\nWrite work.txt.\n' }],
  execute: [{ write: 'work.txt', text: 'work of {run}\n' }, { commit: 'Write work.txt' }],
};

const INACTIVE = 'remove-worktree goal-inactive done';

async function working(t: Test, more = '') {
  const box = await sandbox(t);
  const later = clockOf(box);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: `${GATED}${more}` });
  return { box, repo, later };
}

/** The checkout of the current Round, and the id of its Job. */
async function placeOf(repo: Repo, id: string): Promise<{ readonly path: string; readonly job: string }> {
  const { items } = (await repo.owl('worktree', 'list', '--json')).json().data;
  const branch = `refine/${id}/round-${(await showGoal(repo, id)).round}`;
  const found = items.find((one: { branch: string }) => one.branch === branch || one.branch === `refs/heads/${branch}`);
  if (found === undefined) throw new Error(`no checkout of ${branch}: ${JSON.stringify(items)}`);
  return found;
}

t.test(
  'M5: plan, implement, quality and governance own a checkout without any process; the others let go',
  async (t) => {
    const { repo, later } = await working(t);
    const id = await addGoal(repo, 'write it');
    await repo.owl('goal', 'advance', id, '--step');
    for (const status of ['plan', 'implement', 'quality', 'governance'] as const) {
      await advanceTo(repo, id, status);
      if (status === 'plan') continue;
      later(100 * HOUR);
      const { job } = await placeOf(repo, id);
      t.equal(said(of(await gc(repo), 'worktree', job)), 'none automated none', status);
    }
    const { path, job } = await placeOf(repo, id);
    const tip = await repo.oid(`refine/${id}/round-1`);
    const again = async (what: string): Promise<void> => {
      later(2 * HOUR);
      t.equal(said(of(await gc(repo), 'worktree', job)), INACTIVE, what);
      t.notOk(existsSync(path), what);
      t.equal((await repo.owl('worktree', job, '--ensure')).stdout.trim(), path, `${what}: the branch brings it back`);
      t.equal(await repo.git('-C', path, 'rev-parse', 'HEAD'), tip);
    };
    await repo.owl('goal', 'move', id, 'todo', '--force');
    await again('todo');
    await repo.owl('goal', 'move', id, 'backlog');
    await again('backlog');
    await repo.owl('goal', 'move', id, 'todo');
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    const last = await placeOf(repo, id);
    later(2 * HOUR);
    t.equal(said(of(await gc(repo), 'worktree', last.job)), INACTIVE, 'review');
    await repo.owl('worktree', last.job, '--ensure');
    await repo.owl('goal', 'approve', id);
    t.equal(said(of(await gc(repo), 'worktree', last.job)), 'none not-yet none', 'done, too lately');
    later(2 * HOUR);
    t.equal(said(of(await gc(repo), 'worktree', last.job)), INACTIVE, 'done');
  },
);

t.test('M5: at once, or never, as the configuration says; ignored files go with it and are named', async (t) => {
  for (const after of ['0', 'never'] as const) {
    const { repo, later } = await working(t, `gc: { hibernate_after: ${after} }\n`);
    writeFileSync(join(repo.dir, '.git/info/exclude'), 'target/\n');
    const id = await addGoal(repo, 'write it');
    await repo.owl('goal', 'advance', id);
    const { path, job } = await placeOf(repo, id);
    mkdirSync(join(path, 'target/deep'), { recursive: true });
    writeFileSync(join(path, 'target/deep/out'), 'output\n');
    if (after === 'never') {
      later(9_999 * HOUR);
      t.equal(said(of(await gc(repo), 'worktree', job)), 'none never none');
      t.ok(existsSync(join(path, 'target/deep/out')));
      continue;
    }
    const item = of(await gc(repo), 'worktree', job);
    t.equal(said(item), INACTIVE, 'at once');
    t.match(item?.detail, /git-ignored files went with it: target\//);
    t.notOk(existsSync(path));
  }
});

t.test('M5, M6: processes far inside, a lock, uncommitted and staged work keep it, in this order', async (t) => {
  const { repo, later } = await working(t);
  const id = await addGoal(repo, 'write it');
  await repo.owl('goal', 'advance', id);
  const { path, job } = await placeOf(repo, id);
  later(2 * HOUR);
  const says = async (): Promise<string> => said(of(await gc(repo), 'worktree', job));
  mkdirSync(join(path, 'deep/er'), { recursive: true });
  const shell = spawn('/bin/sleep', ['600'], { cwd: join(path, 'deep/er') });
  const ended = new Promise((resolve) => shell.on('exit', resolve));
  t.teardown(() => shell.kill('SIGKILL'));
  t.equal(await says(), 'none in-use none', 'a process whose folder is below it');
  shell.kill('SIGKILL');
  await ended;
  await repo.git('worktree', 'lock', path);
  t.equal(await says(), 'none locked none');
  await repo.git('worktree', 'unlock', path);
  writeFileSync(join(path, 'work.txt'), 'mine\n');
  t.equal(await says(), 'report uncommitted none', 'edited');
  await repo.git('-C', path, 'add', 'work.txt');
  await repo
    .git('-C', path, 'show', 'HEAD:work.txt')
    .then((text) => writeFileSync(join(path, 'work.txt'), `${text}\n`));
  t.equal(await says(), 'report uncommitted none', 'staged alone');
  await repo.git('-C', path, 'reset', '-q');
  t.equal(await says(), INACTIVE);
});

t.test('M1, M2: the checkout of a deleted Goal goes after the same delay, clean, and its commits never', async (t) => {
  const { repo, later } = await working(t);
  const ids: string[] = [];
  for (const title of ['clean', 'dirty', 'detached']) {
    const id = await addGoal(repo, title);
    await advanceTo(repo, id, 'quality');
    ids.push(id);
  }
  const [clean = '', dirty = '', detached = ''] = ids;
  const places = new Map<string, { readonly path: string; readonly job: string }>();
  for (const id of ids) places.set(id, await placeOf(repo, id));
  const path = (id: string): string => places.get(id)?.path ?? '';
  const says = (items: Awaited<ReturnType<typeof gc>>, id: string): string =>
    said(items.find(({ kind, subject }) => kind === 'worktree' && subject === path(id)));
  const tip = await repo.oid(`refine/${clean}/round-1`);
  for (const id of ids) {
    await repo.owl('cancel', id);
    await repo.owl('goal', 'delete', id);
  }
  writeFileSync(join(path(dirty), 'mine.txt'), 'mine\n');
  await repo.git('-C', path(detached), 'checkout', '-q', '--detach');
  await repo.git('-C', path(detached), 'commit', '-q', '--allow-empty', '-m', 'only here');
  const alone = await repo.git('-C', path(detached), 'rev-parse', 'HEAD');
  const early = await gc(repo);
  t.equal(says(early, clean), 'none not-yet none');
  later(2 * HOUR);
  const items = await gc(repo);
  t.equal(says(items, clean), 'remove-worktree job-inactive done');
  t.notOk(existsSync(path(clean)));
  t.equal(await repo.oid(`refine/${clean}/round-1`), tip, 'its branch has commits that the target has not');
  t.equal(says(items, dirty), 'report uncommitted none');
  t.equal(readFileSync(join(path(dirty), 'mine.txt'), 'utf8'), 'mine\n');
  t.equal(says(items, detached), 'report unique-commits none');
  t.equal(await repo.git('-C', path(detached), 'rev-parse', 'HEAD'), alone);
  rmSync(join(path(dirty), 'mine.txt'));
  t.equal(says(await gc(repo), dirty), 'remove-worktree job-inactive done');
});
