// What protects a checkout, and whose registrations go: ours alone, by name, and never after a refusal (M3, M6; 07.50).

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { gc, ground, type Item, killedAt, of, said } from '../fixtures/gc.js';
import { eventually } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const at = (items: readonly Item[], path: string): string =>
  said(items.find(({ kind, subject }) => kind === 'worktree' && subject === path));

t.test('M3, M6: whatever took the place of a checkout of ours is ambiguous, and stays as it is', async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const jobs = await reviewed('linked', 'copied', 'repository', 'foreign', 'backlink', 'mark', 'file');
  const [linked, copied, own, foreign, backlink, mark, file] = jobs;
  for (const job of jobs) await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  const mine = (folder: string): void => writeFileSync(join(folder, 'mine.txt'), 'mine\n');
  const admin = (path: string): Promise<string> => repo.git('-C', path, 'rev-parse', '--absolute-git-dir');
  renameSync(linked.path, box.path('elsewhere'));
  symlinkSync(box.path('elsewhere'), linked.path);
  // The same files, the same `.git` file, and another folder.
  cpSync(copied.path, box.path('copy'), { recursive: true });
  rmSync(copied.path, { recursive: true });
  renameSync(box.path('copy'), copied.path);
  rmSync(join(own.path, '.git'));
  await repo.git('init', '-q', own.path);
  const other = await box.repository({ name: 'other' });
  await other.git('worktree', 'add', '-q', box.path('theirs'));
  cpSync(box.path('theirs/.git'), join(foreign.path, '.git'));
  writeFileSync(join(await admin(backlink.path), 'gitdir'), `${box.path('nowhere/.git')}\n`);
  writeFileSync(join(await admin(mark.path), 'owl-mark'), 'another');
  rmSync(file.path, { recursive: true });
  writeFileSync(file.path, 'mine\n');
  for (const job of [copied, own, foreign, backlink, mark]) mine(job.path);

  const before = await repo.git('worktree', 'list', '--porcelain');
  for (const items of [await gc(repo, '--dry-run'), await gc(repo)])
    for (const job of jobs)
      t.equal(at(items, job.path), 'none ambiguous none', JSON.stringify(of(items, 'worktree', job.id)));
  t.equal(await repo.git('worktree', 'list', '--porcelain'), before);
  for (const job of [copied, own, foreign, backlink, mark])
    t.equal(readFileSync(join(job.path, 'mine.txt'), 'utf8'), 'mine\n');
  t.ok(lstatSync(linked.path).isSymbolicLink() && existsSync(box.path('elsewhere/README.md')));
  t.equal(readFileSync(file.path, 'utf8'), 'mine\n');
});

t.test('M3: one that a person moved elsewhere is theirs then: its registration and its files stay', async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const [moved] = await reviewed('moved');
  await killedAt(repo, 'drop.after-state', 'drop', moved.id);
  await repo.git('worktree', 'move', moved.path, box.path('moved'));
  writeFileSync(box.path('moved/mine.txt'), 'mine\n');
  await gc(repo);
  const items = await gc(repo);
  t.equal(at(items, box.path('moved')), 'none standalone none');
  t.equal(said(of(items, 'branch', moved.id)), 'none checked-out none', 'nor does its branch go');
  t.equal(readFileSync(box.path('moved/mine.txt'), 'utf8'), 'mine\n');
  t.equal(await repo.git('-C', box.path('moved'), 'rev-parse', 'HEAD'), moved.tip);
});

t.test('M6: what cannot be looked at, and the state as the checkout of the user', async (t) => {
  const { repo, reviewed } = await ground(t);
  const [broken, fine] = await reviewed('broken', 'fine');
  for (const job of [broken, fine]) await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  const index = await repo.git('-C', broken.path, 'rev-parse', '--path-format=absolute', '--git-path', 'index');
  writeFileSync(index, 'no index\n');
  await repo.git('checkout', '-q', 'refine/state');
  const items = await gc(repo);
  t.match(at(items, broken.path), /^none inspection-failed none: .*index/);
  t.equal(at(items, fine.path), 'remove-worktree job-done done', 'one bad entry never stops the others');
  t.equal(at(items, repo.dir), 'none state-checkout none');
  t.ok(existsSync(broken.path));
});

t.test('M3: registrations go one by one, by name: no prune, no force, not by the packing of Git either', async (t) => {
  const { box, repo, reviewed } = await ground(t);
  const [clean, stale, raced] = await reviewed('clean', 'stale', 'raced');
  for (const job of [clean, stale, raced]) await killedAt(repo, 'accept.before-worktree', 'accept', job.id);
  rmSync(stale.path, { recursive: true });
  await repo.git('worktree', 'add', '-q', box.path('unmounted'), '-b', 'unmounted');
  const admin = await repo.git('-C', box.path('unmounted'), 'rev-parse', '--absolute-git-dir');
  rmSync(box.path('unmounted'), { recursive: true });
  // Git forgets a checkout that it did not see for three months, whenever it packs.
  const long = Date.now() / 1000 - 400 * 86_400;
  for (const name of ['index', 'gitdir', 'HEAD']) utimesSync(join(admin, name), long, long);
  const real = 'PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"';
  const write = `case "$*" in *"worktree remove"*${raced.id}*) echo mine > '${raced.path}/late.txt';; esac`;
  box.executable('git', `#!/bin/sh\necho "$*" >> '${box.path('calls')}'\n${write}\n${real}\n`);
  const items = await gc(repo);
  t.equal(at(items, clean.path), 'remove-worktree job-done done');
  t.equal(at(items, stale.path), 'remove-worktree stale-registration done');
  t.equal(at(items, raced.path), 'none changed kept', 'there is no removal after a refusal');
  t.equal(at(items, box.path('unmounted')), 'none not-there none');
  t.equal(readFileSync(join(raced.path, 'late.txt'), 'utf8'), 'mine\n');
  const calls = readFileSync(box.path('calls'), 'utf8').split('\n');
  const removals = calls.filter((line) => /worktree (?:remove|prune|repair)/.test(line));
  t.equal(removals.length, 3, removals.join('\n'));
  for (const line of removals) t.match(line, /worktree remove \/[^ ]*$/, 'by name, without force');

  await repo.git('config', 'gc.auto', '1');
  await repo.git('config', 'maintenance.auto', 'true');
  // Git counts the loose objects whose id begins with 17.
  for (let number = 0, found = 0; found < 4; number += 1) {
    const text = `${number}\n`;
    const oid = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
    if (!oid.startsWith('17')) continue;
    found += 1;
    await repo.git('hash-object', '-w', '--stdin', { input: text });
    await repo.git('update-ref', `refs/tags/loose-${found}`, oid);
  }
  await repo.owl('gc');
  const packs = () => readdirSync(join(repo.dir, '.git/objects/pack')).filter((name) => name.endsWith('.pack'));
  await eventually(() => packs().length > 0, 60_000, 'Git packs');
  await eventually(() => !existsSync(join(repo.dir, '.git/gc.pid')), 30_000, 'and ends');
  t.ok(existsSync(admin), 'the registration of the disk that is not mounted is there');
});
