// Moving a branch with the checkouts that have it open (G33; 07.22, 07.34), and a Job's own worktree with its branch (J11).

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkBranchMove, moveBranchWithCheckouts } from '../../../src/app/follow.js';
import { waitingFollows } from '../../../src/app/follow-note.js';
import { resumeFollows } from '../../../src/app/resume-follows.js';
import { checkTip, followTip } from '../../../src/app/workspace/tip.js';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import { type Checkouts, checkouts } from '../../fixtures/checkouts.js';
import { takeFolder } from '../../fixtures/folder.js';
import type { Repo } from '../../fixtures/repository.js';

const MAIN = branchRef('main');
const FILES = {
  'README.md': '# Example\n',
  'kept.txt': 'kept\n',
  'changed.txt': 'old\n',
  'gone.txt': 'gone\n',
  'dir/in.txt': 'in\n',
  '.gitignore': '*.log\n',
};

interface Ground extends Checkouts {
  readonly old: Oid;
  readonly next: Oid;
  readonly move: { readonly ref: typeof MAIN; readonly old: Oid; readonly new: Oid; readonly reason: string };
  /** Runs the move and proves that nothing moved: ref, files, index. */
  waits(t: Test, why: string, paths?: readonly string[]): Promise<void>;
  main(): Promise<string>;
}

/** `main` is open in the user's checkout at `old`; `next` changes, adds and deletes files on top of it. */
async function ground(
  t: Test,
  files: Readonly<Record<string, string>> = FILES,
  change?: (repo: Repo) => void,
): Promise<Ground> {
  const made = await checkouts(t, { files });
  const { repo } = made;
  const old = (await repo.oid('main')) as Oid;
  await repo.git('checkout', '--quiet', '-b', 'next');
  if (change !== undefined) change(repo);
  else {
    repo.write('changed.txt', 'new\n');
    repo.remove('gone.txt');
    repo.write('added.txt', 'added\n');
    repo.write('dir/more.txt', 'more\n');
  }
  const next = (await repo.commit('next')) as Oid;
  await repo.git('checkout', '--quiet', 'main');
  const move = { ref: MAIN, old, new: next, reason: 'test' };
  return {
    ...made,
    old,
    next,
    move,
    main: () => repo.oid('refs/heads/main'),
    async waits(t, why, paths) {
      const look = () =>
        takeFolder(repo.dir).filter((line) => !line.includes('/.git/refs/owl') && !line.includes('/.git/logs'));
      const before = look();
      const could = await checkBranchMove(made, move);
      t.match(could, { kind: 'waits', why });
      t.same(look(), before, 'a look changes nothing');
      const result = await moveBranchWithCheckouts(made, move);
      t.match(result, { kind: 'waits', why, ...(paths && { paths }) });
      t.same(look(), before, 'neither ref nor checkout moved');
      t.same(await made.notes.list('locks/'), [], 'no lock is left');
    },
  };
}

t.test("G33: clean files follow, the user's changes to others stay, index and HEAD fit", async (t) => {
  const g = await ground(t);
  g.repo.write('kept.txt', 'mine, unstaged\n');
  g.repo.write('dir/in.txt', 'mine, staged\n');
  await g.repo.git('add', 'dir/in.txt');
  g.repo.write('untracked.txt', 'untracked\n');
  g.repo.write('trace.log', 'ignored\n');
  t.same(await checkBranchMove(g, g.move), { kind: 'free', checkouts: [g.repo.dir] });
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved', followed: [g.repo.dir] });
  t.equal(await g.main(), g.next);
  t.equal(g.repo.read('changed.txt'), 'new\n');
  t.equal(g.repo.read('added.txt'), 'added\n');
  t.notOk(g.repo.exists('gone.txt'));
  t.equal(await g.repo.git('status', '--porcelain'), 'M  dir/in.txt\n M kept.txt\n?? untracked.txt');
  t.equal(g.repo.read('trace.log'), 'ignored\n');
  t.equal(await g.repo.git('symbolic-ref', 'HEAD'), MAIN);
  t.same([await g.notes.list('locks/'), await g.notes.list('follow/')], [[], []]);
  t.notOk(existsSync(join(g.repo.dir, '.git/index.lock')));
});

t.test('07.34: a file that the user and the move change is a collision: nothing moves', async (t) => {
  const cases: Record<string, (g: Ground) => Promise<void> | void> = {
    unstaged: (g) => g.repo.write('changed.txt', 'mine\n'),
    staged: async (g) => {
      g.repo.write('changed.txt', 'mine\n');
      await g.repo.git('add', 'changed.txt');
      g.repo.write('changed.txt', 'old\n');
    },
    'under assume-unchanged': async (g) => {
      await g.repo.git('update-index', '--assume-unchanged', 'changed.txt');
      g.repo.write('changed.txt', 'mine\n');
    },
    'under skip-worktree': async (g) => {
      await g.repo.git('update-index', '--skip-worktree', 'changed.txt');
      g.repo.write('changed.txt', 'mine\n');
    },
    'deleted by the user': (g) => g.repo.remove('changed.txt'),
    'replaced by a link': (g) => {
      g.repo.remove('changed.txt');
      symlinkSync('kept.txt', join(g.repo.dir, 'changed.txt'));
    },
  };
  const g = await ground(t);
  for (const [name, change] of Object.entries(cases)) {
    await t.test(name, async (t) => {
      await change(g);
      await g.waits(t, 'collision', ['changed.txt']);
      await g.repo.git('update-index', '--no-assume-unchanged', 'changed.txt');
      await g.repo.git('update-index', '--no-skip-worktree', 'changed.txt');
      await g.repo.git('reset', '--quiet', '--hard');
    });
  }
  await t.test('changed, and deleted by the move', async (t) => {
    g.repo.write('gone.txt', 'mine\n');
    await g.waits(t, 'collision', ['gone.txt']);
  });
});

t.test('G33: what lies where the move adds a path is a collision, ignored or not', async (t) => {
  const g = await ground(t);
  g.repo.write('.git/info/exclude', 'added.txt\n');
  g.repo.write('added.txt', 'mine, ignored\n');
  await g.waits(t, 'collision', ['added.txt']);
  g.repo.write('added.txt', 'added\n');
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved' }, 'equal content counts as clean');
  t.equal(await g.repo.git('status', '--porcelain'), '');
});

t.test('G33: untracked, a folder with an ignored file, and a link above are in the way', async (t) => {
  const g = await ground(t);
  g.repo.write('added.txt', 'mine\n');
  await g.waits(t, 'collision', ['added.txt']);
  g.repo.remove('added.txt');
  mkdirSync(join(g.repo.dir, 'added.txt'));
  g.repo.write('added.txt/trace.log', 'ignored\n');
  await g.waits(t, 'collision', ['added.txt']);
  rmSync(join(g.repo.dir, 'added.txt'), { recursive: true });
  rmSync(join(g.repo.dir, 'dir'), { recursive: true });
  mkdirSync(g.box.path('outside'));
  symlinkSync(g.box.path('outside'), join(g.repo.dir, 'dir'));
  await g.waits(t, 'collision', ['dir/more.txt']);
  t.same(takeFolder(g.box.path('outside')).length, 1);
});

t.test('G33: a file becomes a folder, a folder becomes a file, names of all kinds', async (t) => {
  const odd = 'odd "name\nline\\ \u00e9.txt';
  const g = await ground(t, { ...FILES, [odd]: 'old\n', '"quoted': 'old\n' }, (repo) => {
    repo.remove('kept.txt');
    repo.write('kept.txt/inner.txt', 'inner\n');
    rmSync(join(repo.dir, 'dir'), { recursive: true });
    repo.write('dir', 'a file now\n');
    repo.write(odd, 'new\n');
    repo.write('"quoted', 'new\n');
  });
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved' });
  t.equal(g.repo.read('kept.txt/inner.txt'), 'inner\n');
  t.equal(g.repo.read('dir'), 'a file now\n');
  t.equal(g.repo.read(odd), 'new\n');
  t.equal(await g.repo.git('status', '--porcelain'), '');
});

t.test('G33: a clean file under a hiding bit follows, and keeps the bit', async (t) => {
  const g = await ground(t);
  await g.repo.git('update-index', '--assume-unchanged', 'changed.txt');
  await g.repo.git('update-index', '--skip-worktree', 'dir/in.txt');
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved' });
  t.equal(g.repo.read('changed.txt'), 'new\n');
  t.match(await g.repo.git('ls-files', '-v', 'changed.txt', 'dir/in.txt'), /^h changed\.txt\nS dir\/in\.txt$/);
});

t.test('G33: line endings and filters of the user are no changes of the user', async (t) => {
  const g = await ground(t, { ...FILES, '.gitattributes': 'changed.txt text eol=crlf\n' });
  rmSync(join(g.repo.dir, 'changed.txt'));
  await g.repo.git('checkout', '--quiet', '--', 'changed.txt');
  t.equal(g.repo.read('changed.txt'), 'old\r\n');
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved' });
  t.equal(g.repo.read('changed.txt'), 'new\r\n');
  t.equal(await g.repo.git('status', '--porcelain'), '');
});

t.test('G33: an operation in progress that has or names the branch waits', async (t) => {
  const g = await ground(t);
  await g.repo.git('checkout', '--quiet', '-b', 'upstream');
  await g.repo.commit('theirs', { 'changed.txt': 'theirs\n' });
  await g.repo.git('checkout', '--quiet', 'main');
  const start = await g.main();
  await g.repo.commit('ours', { 'changed.txt': 'ours\n' });
  const tip = (await g.main()) as Oid;
  const move = { ...g.move, old: tip };
  const busy = async (name: string, begin: readonly string[], end: readonly string[]): Promise<void> => {
    await g.repo.gitResult(...begin);
    const before = takeFolder(g.repo.dir);
    t.match(await moveBranchWithCheckouts(g, move), { kind: 'waits', why: 'operation', where: g.repo.dir }, name);
    t.same(takeFolder(g.repo.dir), before, `${name}: byte-identical`);
    await g.repo.git(...end);
  };
  await busy('rebase', ['rebase', 'upstream'], ['rebase', '--abort']);
  await busy('rebase --apply', ['rebase', '--apply', 'upstream'], ['rebase', '--abort']);
  await busy('merge', ['merge', 'upstream'], ['merge', '--abort']);
  await busy('cherry-pick', ['cherry-pick', 'upstream'], ['cherry-pick', '--abort']);
  await g.repo.git('bisect', 'start', tip, start);
  t.match(await moveBranchWithCheckouts(g, move), { kind: 'waits', why: 'operation' }, 'bisect');
  await g.repo.git('bisect', 'reset');
  t.equal(await g.main(), tip);
});

t.test('G33: the index lock of somebody else waits and stays; a note brings it up later', async (t) => {
  const g = await ground(t);
  const lock = join(g.repo.dir, '.git/index.lock');
  writeFileSync(lock, '');
  await g.waits(t, 'index-locked');
  t.match(await moveBranchWithCheckouts(g, { ...g.move, whenBusy: 'note' }), { kind: 'waits' });
  t.match(await waitingFollows(g), [{ step: 'waiting', ref: MAIN, waits: { why: 'index-locked' } }]);
  t.match(await resumeFollows(g), [/still waits/]);
  t.ok(existsSync(lock), 'a lock that is not ours is never removed');
  rmSync(lock);
  t.match(await resumeFollows(g), [/was moved to/]);
  t.equal(await g.main(), g.next);
  t.equal(await g.repo.git('status', '--porcelain'), '');
  t.same(await waitingFollows(g), []);
});

t.test('G33: other branches, detached and missing checkouts', async (t) => {
  const g = await ground(t);
  const detached = g.box.path('detached');
  const other = g.box.path('other');
  await g.repo.git('worktree', 'add', '--quiet', '--detach', detached, 'main');
  await g.repo.git('worktree', 'add', '--quiet', '-b', 'other', other, 'main');
  const look = () =>
    [detached, other].flatMap((path) => [
      takeFolder(path),
      takeFolder(join(g.repo.dir, '.git/worktrees', path.split('/').at(-1) ?? '')),
    ]);
  const before = look();
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved', followed: [g.repo.dir] });
  t.same(look(), before, 'byte-identical');

  const unplugged = { ref: branchRef('other'), old: g.old, new: g.next, reason: 'test' };
  rmSync(other, { recursive: true });
  t.match(await moveBranchWithCheckouts(g, unplugged), { kind: 'waits', why: 'not-there' });
  t.equal(await g.repo.oid('other'), g.old);
  const free = await moveBranchWithCheckouts(g, { ...unplugged, ref: branchRef('next'), old: g.next, new: g.old });
  t.same(free, { kind: 'moved', followed: [] }, 'a branch that is open nowhere');
});

t.test('G33: a branch that is open twice follows in both, or in none', async (t) => {
  const g = await ground(t);
  const second = g.box.path('second');
  await g.repo.git('worktree', 'add', '--quiet', '--force', second, 'main');
  writeFileSync(join(second, 'changed.txt'), 'mine\n');
  await g.waits(t, 'collision', ['changed.txt']);
  writeFileSync(join(second, 'changed.txt'), 'old\n');
  t.match(await moveBranchWithCheckouts(g, g.move), { kind: 'moved' });
  t.equal(readFileSync(join(second, 'changed.txt'), 'utf8'), 'new\n');
  t.equal(await g.box.open(second).git('status', '--porcelain'), '');
});

t.test('a lost race puts everything back', async (t) => {
  const g = await ground(t);
  const before = await g.repo.untouched();
  let seen = '';
  const move = async (): Promise<boolean> => {
    seen = g.repo.read('changed.txt');
    t.ok(existsSync(join(g.repo.dir, '.git/index.lock')), 'nobody can commit while the ref moves');
    return false;
  };
  t.match(await moveBranchWithCheckouts(g, { ...g.move, move }), { kind: 'lost', found: g.old });
  t.equal(seen, 'new\n');
  const after = await g.repo.untouched();
  t.equal(g.repo.read('changed.txt'), 'old\n');
  t.ok(g.repo.exists('gone.txt'));
  t.notOk(g.repo.exists('added.txt'));
  t.equal(await g.repo.git('status', '--porcelain'), '');
  t.equal(after.get('.git/index'), before.get('.git/index'), 'the index was not touched');
  t.match(await moveBranchWithCheckouts(g, { ...g.move, old: g.next, new: g.old }), { kind: 'lost', found: g.old });
});

t.test('G33: killed at any moment, the next writing command finishes or takes back', async (t) => {
  const points: readonly (readonly [string, 'old' | 'new'])[] = [
    ['lock.before-take', 'old'],
    ['lock.after-take', 'old'],
    ['follow.before-files', 'old'],
    ['follow.after-files', 'old'],
    ['follow.after-ref', 'new'],
    ['lock.after-install', 'new'],
    ['lock.after-release', 'new'],
    ['follow.after-index', 'new'],
  ];
  const g = await ground(t);
  g.repo.write('kept.txt', 'mine\n');
  for (const [point, end] of points) {
    await t.test(point, async (t) => {
      const killed = await g.drive({ step: 'move', ...g.move }, point);
      t.equal(killed.signal, 'SIGKILL', killed.stderr);
      const said = await resumeFollows(g);
      t.equal(await g.main(), end === 'new' ? g.next : g.old, said.join('; '));
      t.equal(await g.repo.git('status', '--porcelain'), 'M kept.txt'.padStart(11), 'only what the user changed');
      t.equal(g.repo.read('changed.txt'), `${end}\n`);
      t.notOk(existsSync(join(g.repo.dir, '.git/index.lock')));
      t.notOk(
        takeFolder(join(g.repo.dir, '.git')).some((line) => line.includes('index.owl-')),
        'no copy is left',
      );
      t.same([await g.notes.list('locks/'), await g.notes.list('follow/')], [[], []]);
      if (end === 'new') await moveBranchWithCheckouts(g, { ...g.move, old: g.next, new: g.old });
    });
  }
  await t.test('the resuming process is killed too', async (t) => {
    await g.drive({ step: 'move', ...g.move }, 'follow.after-files');
    await g.drive({ step: 'resume' }, 'lock.after-take');
    await g.drive({ step: 'resume' }, 'follow.after-resume-files');
    await resumeFollows(g);
    t.equal(await g.main(), g.old);
    t.equal(await g.repo.git('status', '--porcelain'), 'M kept.txt'.padStart(11));
    t.same([await g.notes.list('locks/'), await g.notes.list('follow/')], [[], []]);
  });
  await t.test('a file that the user changed in between is left as it is', async (t) => {
    await g.drive({ step: 'move', ...g.move }, 'follow.after-ref');
    g.repo.write('added.txt', 'mine now\n');
    await resumeFollows(g);
    t.equal(await g.main(), g.next);
    t.equal(g.repo.read('added.txt'), 'mine now\n');
    t.equal(await g.repo.git('status', '--porcelain'), ' M added.txt\n M kept.txt');
  });
});

t.test('G33: a lock of a live owner is left alone, and one with another content too', async (t) => {
  const g = await ground(t);
  await g.drive({ step: 'move', ...g.move }, 'lock.after-take');
  const lock = join(g.repo.dir, '.git/index.lock');
  writeFileSync(lock, 'somebody else');
  await resumeFollows(g);
  t.equal(readFileSync(lock, 'utf8'), 'somebody else');
  t.same(await g.notes.list('locks/'), []);
  rmSync(lock);
  const held = moveBranchWithCheckouts(g, {
    ...g.move,
    move: async () => {
      t.same(await resumeFollows(g), []);
      t.ok(existsSync(lock), 'ours, and we live');
      return false;
    },
  });
  t.match(await held, { kind: 'lost' });
});

t.test("J11, J12: a Job's worktree follows its branch, or neither moves", async (t) => {
  const g = await ground(t);
  const job = await g.job('k3x9qp');
  const tip = { from: g.old, to: g.next, reason: 'replay' };
  job.tree.write('added.txt', 'in the way\n');
  t.same(await checkTip(g, job.workspace, tip), { kind: 'blocked-by', paths: ['added.txt'] });
  t.same(await followTip(g, job.workspace, tip), { kind: 'blocked-by', paths: ['added.txt'] });
  job.tree.remove('added.txt');
  const lock = join(job.workspace.admin, 'index.lock');
  writeFileSync(lock, '');
  t.match(await followTip(g, job.workspace, tip), { kind: 'locked' });
  rmSync(lock);
  t.same(await checkTip(g, job.workspace, tip), { kind: 'free' });
  t.same(await followTip(g, job.workspace, tip), { kind: 'moved' });
  t.equal(await job.tree.git('status', '--porcelain'), '');
  t.equal(await g.repo.oid(job.ref), g.next);
  t.equal(job.tree.read('changed.txt'), 'new\n');
  t.equal(await g.repo.git('status', '--porcelain'), '', "the user's checkout is not concerned");
});
