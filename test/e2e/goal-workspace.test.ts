// A Goal's worktree is admitted before every launch and every write to its Candidate; any doubt stops the step, and the place stays
// as it is, byte for byte (G8 to G10; 07.35).

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Test, t } from 'tap';
import { takeFolder } from '../fixtures/folder.js';
import { addGoal, advanceTo, onRemote, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

interface Place {
  readonly box: Sandbox;
  readonly repo: Repo;
  /** Of the Round's worktree. */
  readonly path: string;
  readonly admin: string;
  readonly branch: string;
}

interface Doubt {
  /** What the refusal says. */
  readonly says: RegExp;
  readonly make: (place: Place) => Promise<void> | void;
  readonly undo: (place: Place) => Promise<void> | void;
}

/** A person has the Round's branch open in the primary checkout, with work of theirs. */
const primary: Doubt = {
  says: /is open in .*repo/,
  make: async ({ repo, branch }) => {
    await repo.git('checkout', '-q', '--ignore-other-worktrees', branch);
    repo.write('README.md', 'staged\n');
    await repo.git('add', 'README.md');
    repo.write('README.md', 'and more\n');
  },
  undo: async ({ repo }) => void (await repo.git('checkout', '-q', '--force', 'main')),
};

const foreign: Doubt = {
  says: /is open in .*foreign/,
  make: async ({ repo, box, branch }) => {
    await repo.git('worktree', 'add', '-q', '--force', box.path('foreign'), branch);
    writeFileSync(box.path('foreign/README.md'), 'theirs\n');
  },
  undo: async ({ repo, box }) => void (await repo.git('worktree', 'remove', '--force', box.path('foreign'))),
};

const aside = ({ path }: Place) => `${path}-aside`;
const putAside = (place: Place) => renameSync(place.path, aside(place));
const putBack = (place: Place) => {
  rmSync(place.path, { recursive: true, force: true });
  renameSync(aside(place), place.path);
};
/** Of the folder aside, with the bytes that are written back. */
const rewritten = (file: (place: Place) => string, text: (place: Place) => string, says: RegExp): Doubt => {
  let before = Buffer.alloc(0);
  return {
    says,
    make: (place) => {
      before = readFileSync(file(place));
      writeFileSync(file(place), text(place));
    },
    undo: (place) => writeFileSync(file(place), before),
  };
};

const DOUBTS: Readonly<Record<string, Doubt>> = {
  'its branch is open in the primary checkout, with staged edits': primary,
  'its branch is open in a foreign worktree': foreign,
  'the same, and its own worktree is missing': {
    says: /is open in .*foreign/,
    make: async (place) => {
      await foreign.make(place);
      putAside(place);
    },
    undo: async (place) => {
      putBack(place);
      await foreign.undo(place);
    },
  },
  'the managed folder is a symbolic link': {
    says: /is a symbolic link/,
    make: (place) => {
      putAside(place);
      symlinkSync(aside(place), place.path);
    },
    undo: putBack,
  },
  'the backlink was rewritten': rewritten(
    ({ admin }) => join(admin, 'gitdir'),
    ({ box }) => `${box.path('elsewhere')}/.git\n`,
    /names another place/,
  ),
  'the .git file names another repository': rewritten(
    ({ path }) => join(path, '.git'),
    ({ repo }) => `gitdir: ${repo.dir}/.git\n`,
    /points to another repository/,
  ),
  'the folder was removed and created again': {
    says: /the folder was made again/,
    make: (place) => {
      const link = readFileSync(join(place.path, '.git'));
      putAside(place);
      mkdirSync(place.path);
      writeFileSync(join(place.path, '.git'), link);
    },
    undo: putBack,
  },
  'git init inside': {
    says: /another repository was made in it/,
    make: async ({ box, path }) => {
      renameSync(join(path, '.git'), box.path('git-file'));
      await box.open(path).git('init', '-q');
    },
    undo: ({ box, path }) => {
      rmSync(join(path, '.git'), { recursive: true });
      renameSync(box.path('git-file'), join(path, '.git'));
    },
  },
  'a checkout of another repository is nested in its place': {
    says: /another repository was made in it|the folder was made again/,
    make: async (place) => {
      putAside(place);
      await place.repo.git('clone', '-q', '--branch', 'main', place.repo.bare, place.path);
    },
    undo: putBack,
  },
  'a person locked it': {
    says: /is locked \("mine"\)/,
    make: async ({ repo, path }) => void (await repo.git('worktree', 'lock', '--reason', 'mine', path)),
    undo: async ({ repo, path }) => void (await repo.git('worktree', 'unlock', path)),
  },
  'it is on another branch': {
    says: /is on refs\/heads\/else, not on/,
    make: async ({ box, path }) => void (await box.open(path).git('checkout', '-q', '-B', 'else')),
    undo: async ({ box, path, branch }) => void (await box.open(path).git('checkout', '-q', branch)),
  },
};

const look = ({ repo, path, admin, box }: Place) =>
  [path, `${path}-aside`, box.path('foreign'), admin, join(repo.dir, '.git/worktrees')].map((one) => takeFolder(one));

/** The step is refused with what to do, nothing of any checkout has changed, and the Goal keeps its branch and Candidate. */
async function refused(t: Test, place: Place, id: string, doubt: Doubt): Promise<void> {
  const { repo, box, branch } = place;
  const before = [await repo.untouched(), look(place), await repo.oid(branch)] as const;
  const goal = await showGoal(repo, id);
  const { error } = (await repo.owlFails(4, 'goal', 'advance', id, '--json')).json();
  t.match(error.message, doubt.says);
  t.ok(
    error.next.length > 0 && !error.next.some((line: string) => /--force|--hard|clean|rm /.test(line)),
    'what to do',
  );
  box.same(t, before[0], await repo.untouched());
  t.same(look(place), before[1], 'byte-identical');
  t.equal(await repo.oid(branch), before[2], 'the branch is where it was');
  t.same((await showGoal(repo, id)).candidate, goal.candidate);
}

const CONFIG = `plan: false
checks: [{ name: test, run: "ls *.txt" }]
quality: { checks: [], agent: worker }
`;

t.test('G8, 07.35: launch, refresh and correction: refused, untouched, with what to do', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    execute: [{ write: 'work.txt', text: 'work {run}\n' }, { commit: 'Work' }],
    quality: [
      { write: 'better.txt', text: 'better\n' },
      { commit: 'Better' },
      { verdict: 'pass', summary: 'made better' },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: CONFIG });
  const id = await addGoal(repo, 'write it');
  await advanceTo(repo, id, 'implement');
  await repo.owl('goal', 'advance', id, '--step');
  await repo.owl('goal', 'move', id, 'implement', '--force');
  const job = (await showGoal(repo, id)).history[0].job;
  const path = (await repo.owl('show', job, '--json')).json().data.worktree;
  const branch = `refine/${id}/round-1`;
  const place: Place = { box, repo, path, branch, admin: join(repo.dir, '.git/worktrees', basename(path)) };

  for (const [name, doubt] of Object.entries(DOUBTS)) {
    await t.test(`before a launch: ${name}`, async (t) => {
      const launches = worker.seen().length;
      await doubt.make(place);
      await refused(t, place, id, doubt);
      t.equal(worker.seen().length, launches, 'no agent was started');
      await doubt.undo(place);
      await repo.owl('goal', 'move', id, 'implement');
    });
  }
  await repo.owl('goal', 'advance', id, '--step');
  t.match(await showGoal(repo, id), { status: 'quality' }, 'with everything as it was it goes on');

  await repo.colleague('Beside', { 'beside.txt': 'x\n' });
  for (const [name, doubt] of Object.entries({ primary, foreign })) {
    await t.test(`before a refresh: ${name}`, async (t) => {
      await doubt.make(place);
      await refused(t, place, id, doubt);
      await doubt.undo(place);
      await repo.owl('retry', id);
    });
  }
  await t.test('before a refresh: a repository nested in it, with a filter of its own', async (t) => {
    const inner = join(path, 'inner');
    mkdirSync(inner);
    await box.open(inner).git('init', '-q');
    await box.open(inner).git('config', 'filter.x.clean', `touch ${box.path('ran')}`);
    await refused(t, place, id, { ...primary, says: /uncommitted work: inner/ });
    t.notOk(box.open(inner).exists(box.path('ran')));
    rmSync(inner, { recursive: true });
    await repo.owl('retry', id);
  });
  await t.test('G13: before a correction: a person has the branch open', async (t) => {
    await repo.git('checkout', '-q', 'main');
    // Brought onto the target first, so that nothing but the correction is to be written.
    box.agent('worker', { quality: [{ verdict: 'pass', summary: 'fine' }] });
    await repo.owl('goal', 'advance', id, '--step');
    await repo.owl('goal', 'move', id, 'quality', '--force');
    box.agent('worker', {
      quality: [{ write: 'better.txt', text: 'x\n' }, { commit: 'Better' }, { verdict: 'pass', summary: 'better' }],
    });
    await primary.make(place);
    await refused(t, place, id, primary);
    await primary.undo(place);
    await repo.owl('goal', 'move', id, 'quality');
  });
  await t.test('an alias of the right path is accepted', async (t) => {
    box.set('XDG_DATA_HOME', box.path('home/.local/alias'));
    mkdirSync(box.path('home/.local/alias'));
    symlinkSync(dirname(dirname(path)), box.path('home/.local/alias/git-owl'));
    const start = await onRemote(repo);
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    t.equal(await onRemote(repo, 'main^1'), start);
    t.equal(box.open(path).read('better.txt'), 'x\n', 'the worktree has the correction');
    t.equal(await box.open(path).git('status', '--porcelain'), '');
  });
});
