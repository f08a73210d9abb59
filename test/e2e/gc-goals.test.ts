// Maintenance of Goals as a person meets it: checkouts hibernate and come back on demand (M5).

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { acted, clockOf, gc, HOUR, of, said } from '../fixtures/gc.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const GATED = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
quality: { checks: [{ name: style, run: "! grep -q bad work.txt" }] }
governance: { checks: [{ name: rules, run: "true" }] }
`;

t.test('M5: a checkout hibernates outside the automated statuses, and its branch brings it back', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      [{ write: 'work.txt', text: 'bad\n' }, { commit: 'First' }],
      [{ write: 'work.txt', text: 'good\n' }, { commit: 'Second' }],
    ],
  });
  const later = clockOf(box);
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: GATED });
  const show = async (id: string) => (await repo.owl('show', id, '--json')).json().data;
  const id = (await repo.owl('goal', 'add', 'write it', '--request', 'please', '--queue')).stdout.trim();
  for (let step = 0; step < 3; step += 1) await repo.owl('goal', 'advance', id, '--step');
  const [{ path, job: round }] = (await repo.owl('worktree', 'list', '--json')).json().data.items;
  t.ok(existsSync(path));

  later(100 * HOUR);
  t.equal(said(of(await gc(repo), 'worktree', round)), 'none automated none', 'with no process at all');
  writeFileSync(join(path, 'note.txt'), 'mine\n');
  t.equal(said(of(await gc(repo), 'worktree', round)), 'report uncommitted none', 'what is unfinished is told');
  rmSync(join(path, 'note.txt'));
  await repo.owlFails(6, 'goal', 'advance', id);
  t.match(await show(id), { status: 'failed' });
  t.equal(said(of(await gc(repo), 'worktree', round)), 'none not-yet none');

  later(2 * HOUR);
  writeFileSync(join(path, 'note.txt'), 'mine\n');
  t.equal(said(of(await gc(repo), 'worktree', round)), 'report uncommitted none');
  t.equal(readFileSync(join(path, 'note.txt'), 'utf8'), 'mine\n');
  rmSync(join(path, 'note.txt'));
  const shell = spawn('/bin/sleep', ['600'], { cwd: path });
  t.teardown(() => shell.kill('SIGKILL'));
  t.equal(said(of(await gc(repo), 'worktree', round)), 'none in-use none', 'a process has its folder inside');
  const ended = new Promise((resolve) => shell.on('exit', resolve));
  shell.kill('SIGKILL');
  await ended;
  const branch = `refs/heads/refine/${id}/round-1`;
  const tip = await repo.oid(branch);
  t.equal(said(of(await gc(repo, '--dry-run'), 'worktree', round)), 'remove-worktree goal-inactive planned');
  t.equal(said(of(await gc(repo), 'worktree', round)), 'remove-worktree goal-inactive done');
  t.notOk(existsSync(path));
  t.equal(await repo.oid(branch), tip, 'the branch stays');
  t.match(await show(id), { status: 'failed', candidate: { tip } }, 'and all that is known of it');
  t.same(acted(await gc(repo)), []);

  t.equal((await repo.owl('worktree', round, '--ensure')).stdout.trim(), path, 'on demand');
  t.equal(await repo.git('-C', path, 'rev-parse', 'HEAD'), tip);
  later(2 * HOUR);
  t.equal(said(of(await gc(repo), 'worktree', round)), 'remove-worktree goal-inactive done', 'and again');
  await repo.owl('goal', 'move', id, 'implement');
  await repo.owl('goal', 'advance', id);
  t.match(await show(id), { status: 'review' }, 'a Run makes it again too');
  t.ok(existsSync(path));
});
