// Fetch, base and branch of a Run (J6 to J8, J14, J33), through the built command, on every kind of repository.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import { serveSilence } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** Commits one file named after its number, and fails: the Job is blocked and may be tried again. */
const trying = (box: Sandbox) =>
  box.agent('worker', {
    execute: [1, 2, 3].map((number): Step[] => [
      { write: `try-${number}.txt`, text: `${number}\n` },
      { commit: `Try ${number}` },
      { exit: 1 },
    ]),
  });
const working = (box: Sandbox) =>
  box.agent('worker', { execute: [{ write: 'work.txt', text: '{job}\n' }, { commit: 'Work' }] });

/** Names of refs that differ, without the records of git owl and the symbolic HEAD of the remote. */
async function movedSince(repo: Repo, before: Readonly<Record<string, string>>): Promise<string[]> {
  const after = await repo.refs();
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(
      (name) =>
        before[name] !== after[name] &&
        name !== 'refs/heads/refine/state' &&
        !/^refs\/(owl\/|remotes\/.*\/HEAD$)/.test(name),
    )
    .sort();
}

t.test('J6, J7, J11, J14, 07.1 to 07.3: each Run lies on what was pushed, and only the base ref moves', async (t) => {
  const box = await sandbox(t);
  const agent = trying(box);
  const repo = await box.repository({ remote: 'bare', agents: [agent] });
  await repo.git('config', 'remote.origin.tagOpt', '--tags');
  await repo.git('config', '--add', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/second/*');
  await repo.git('config', '--add', 'remote.origin.fetch', '+refs/tags/*:refs/tags/*');
  await repo.git('config', 'remote.origin.prune', 'true');
  const id = await repo.add('--no-plan', 'try it');
  const { branch } = await show(repo, id);
  const local = await repo.oid('refs/heads/main');
  const remoteRefs = () => repo.remoteGit('for-each-ref', '--format=%(refname)');
  for (const name of ['a', 'b']) await repo.colleague(name, { [`${name}.txt`]: name });
  const first = await repo.colleague('c', { 'c.txt': 'c' });
  await repo.remoteGit('tag', 'v1', first);
  const there = await remoteRefs();
  const checkout = await repo.untouched();

  let before = await repo.refs();
  await repo.owlFails(8, 'run');
  t.same(await movedSince(repo, before), [`refs/heads/${branch}`, 'refs/remotes/origin/main'], 'no tag, no second ref');
  box.same(t, checkout, await repo.untouched());
  t.notOk(repo.exists('.git/FETCH_HEAD'), 'no FETCH_HEAD');
  t.equal(await repo.git('merge-base', branch, first), first, 'the pushed commit is under the branch');
  const shown = await show(repo, id);
  t.match(shown, {
    state: 'blocked',
    base: { ref: 'refs/remotes/origin/main', oid: first },
    history: [{ fetch: { status: 'fetched', remote: 'origin' }, onto: { oid: first } }],
  });
  t.equal(agent.seen()[0]?.env['OWL_BASE'], first, 'the agent is told the base commit');

  const dropped = await repo.colleague('dropped', { 'dropped.txt': 'dropped' });
  await repo.owl('retry', id);
  before = await repo.refs();
  await repo.owlFails(8, 'run');
  t.same(await movedSince(repo, before), [`refs/heads/${branch}`, 'refs/remotes/origin/main']);
  t.equal(await repo.git('merge-base', branch, dropped), dropped, 'on the second Run, too');

  const other = box.open(box.path('colleague'), repo.bare);
  await other.git('reset', '--quiet', '--hard', first);
  const instead = await other.commit('instead', { 'instead.txt': 'instead' });
  await other.git('push', '--quiet', '--force', 'origin', 'main');
  await repo.owl('retry', id);
  await repo.owlFails(8, 'run');
  t.same(
    (await repo.git('log', '--reverse', '--format=%s', `${instead}..${branch}`))
      .split('\n')
      .filter((one) => /Try/.test(one)),
    ['Try 1', 'Try 2', 'Try 3'],
    'the own commits, each once',
  );
  t.notMatch(
    await repo.git('log', '--format=%H', branch),
    new RegExp(dropped),
    'what was force-pushed away is not brought back',
  );
  t.same(
    (await repo.owl('diff', id, '--name-only')).stdout.trim().split('\n').sort(),
    ['.coding-owl/HANDOFF.md', 'try-1.txt', 'try-2.txt', 'try-3.txt'],
    "the diff lists the Job's files alone",
  );
  t.equal(await repo.oid('refs/heads/main'), local, 'the local base never moved');
  t.equal(await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD'), 'refs/remotes/origin/main');
  t.equal(await remoteRefs(), there, 'nothing was pushed');
});

t.test('J6, J7, 07.4: a silent remote is bounded, recorded and shown; then merges of ours count', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    cases: [
      { when: 'one', execute: [{ write: 'one.txt' }, { commit: 'One' }] },
      { when: 'two', execute: [{ expect: { files: { 'one.txt': '' } } }, { write: 'two.txt' }, { commit: 'Two' }] },
      { when: 'three', execute: [{ write: 'three.txt' }, { commit: 'Three' }] },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent] });
  const silent = await serveSilence(t);
  await repo.git('config', 'remote.origin.url', silent.url);
  box.set('OWL_FETCH_TIMEOUT', '1500');
  const one = await repo.add('--no-plan', 'one');
  const run = await repo.owl('run');
  t.ok(silent.connections() > 0, 'it was asked');
  t.match(run.stderr, /could not fetch main from origin/);
  t.match(await show(repo, one), {
    state: 'review',
    base: { ref: 'refs/heads/main' },
    history: [{ fetch: { status: 'failed', remote: 'origin', reason: /./ }, onto: { ref: 'refs/heads/main' } }],
  });
  t.match((await repo.owl('show', one)).stdout, /fetch/i, 'shown to people, too');
  await repo.git('config', 'remote.origin.url', repo.bare);
  await repo.owl('merge', one);
  const landed = await repo.oid('refs/heads/main');
  t.not(landed, await repo.oid('refs/remotes/origin/main'), 'it landed here alone');

  t.match((await repo.owl('add', '--no-plan', 'two')).stderr, /not on origin yet/, 'add says so');
  t.match((await repo.owl('status', '--json')).json().data.notes.join('\n'), /not on origin yet/, 'status says so');
  await repo.add('--no-plan', 'two more');
  const second = await repo.owl('run', '--all', '--json');
  t.equal(second.stderr.match(/not on origin yet/g)?.length, 1, 'run says so, once');
  t.match(
    second.jsonLines()[0].data,
    { state: 'review', base: { ref: 'refs/heads/main', oid: landed } },
    'the next Job sees what landed',
  );
  await repo.commit('A commit of the user, not pushed', { 'mine.txt': 'mine' });
  const three = await repo.add('--no-plan', 'three');
  await repo.owl('run', three);
  const shown = await show(repo, three);
  t.match(
    shown,
    { base: { ref: 'refs/remotes/origin/main' } },
    'with anything else on it, the base of the remote counts',
  );
  t.match(await repo.gitResult('cat-file', '-e', `${shown.branch}:mine.txt`), { code: 128 });
});

t.test('J20: one run carries a Job through plan and execute, each a fresh process with its own fetch', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ reach: 'planning' }, { await: 'planning' }, { handoff: '# Plan\n\nWrite work.txt.\n' }],
    execute: [
      { expect: { prompt: ['Write work.txt'], files: { 'pushed.txt': 'pushed' } } },
      { write: 'work.txt' },
      { commit: 'Work' },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent] });
  const first = await repo.oid('refs/heads/main');
  const id = await repo.add('work');
  const running = repo.start('run', '--json');
  await agent.reached('planning', 60_000);
  const pushed = await repo.colleague('Pushed while it was planned', { 'pushed.txt': 'pushed' });
  agent.release('planning');
  const ended = await running.wait();
  t.equal(ended.code, 0, ended.stdout + ended.stderr + agent.trace());
  t.match(ended.json().data, {
    id,
    state: 'review',
    ttl: 8,
    unit: {
      runs: [
        { phase: 'plan', onto: { oid: first }, fetch: { status: 'fetched' } },
        { phase: 'execute', onto: { oid: pushed }, fetch: { status: 'fetched' } },
      ],
    },
  });
  t.equal(new Set(agent.seen().map(({ pid }) => pid)).size, 2);
  t.equal(new Set(agent.seen().map(({ run }) => run)).size, 2);
});

t.test('J33, 01, 07.5: names of bases and remotes, tags of the same name, reserved names', async (t) => {
  const box = await sandbox(t);
  const agent = working(box);
  const repo = await box.repository({
    remote: 'bare',
    remoteName: 'upstream',
    branch: 'release/1.0',
    agents: [agent],
    config: 'branch_prefix: team/owl/\n',
  });
  const root = await repo.oid('refs/heads/release/1.0');
  await repo.commit('more', { 'more.txt': 'more' });
  await repo.git('push', '--quiet', 'upstream', 'refs/heads/release/1.0');
  await repo.git('branch', 'team/other');
  for (const tag of ['release/1.0', 'upstream/release/1.0', 'main']) await repo.git('tag', tag, root);
  const id = await repo.add('--no-plan', 'work');
  await repo.owl('run');
  const shown = await show(repo, id);
  t.equal(shown.branch, `team/owl/${id}/work`, 'the configured prefix');
  t.match(shown, { base: { ref: 'refs/remotes/upstream/release/1.0', oid: await repo.oid('refs/heads/release/1.0') } });

  for (const [base, exit, code] of [
    ['gone', 3, 'missing-base'],
    ['main', 3, 'missing-base'],
    ['refine/state', 4, 'reserved-name'],
    [shown.branch, 4, 'reserved-name'],
    ['-x', 2, 'usage'],
  ] as const) {
    const refused = (await repo.owlFails(exit, 'add', '--json', `--base=${base}`, 'work')).json();
    t.match(refused, { ok: false, error: { code, message: new RegExp(base) } }, base);
  }
  t.match((await repo.owlFails(9, 'add', '--json', '--remote', 'origin', 'work')).json(), {
    error: { code: 'missing-remote' },
  });
  const side = (await repo.owl('add', '--base', 'team/other', 'the prefix reserves what is below it', '--json')).json();
  t.match(side, { ok: true });

  const master = await box.repository({ branch: 'master', agents: [agent] });
  await master.git('tag', 'master', await master.oid('HEAD'));
  await master.commit('second', { 'second.txt': 'second' });
  const one = await master.add('--no-plan', 'work');
  await master.owl('run');
  t.match(await show(master, one), {
    base: { ref: 'refs/heads/master', oid: await master.oid('refs/heads/master') },
    history: [{ fetch: { status: 'no-remote' } }],
  });
});

t.test('J8, J9, 07.11: a branch name that is taken, impossible, or a folder that exists blocks by name', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [working(box)], config: `worktrees: ${box.path('trees')}\n` });
  await repo.git('branch', 'owl');
  t.match((await repo.owlFails(4, 'add', '--json', 'work')).json(), {
    error: { code: 'name-blocked', message: /\bowl\b/ },
  });
  t.equal(await repo.oid('refs/heads/refine/state'), '', 'before anything is written');
  await repo.git('branch', '-D', 'owl');

  const taken = await repo.add('--no-plan', 'taken');
  const impossible = await repo.add('--no-plan', 'impossible');
  const folder = await repo.add('--no-plan', 'folder');
  const fine = await repo.add('--no-plan', 'fine');
  await repo.git('branch', `owl/${taken}/taken`);
  await repo.git('branch', `owl/${impossible}`);
  const before = await repo.untouched();
  const first = (await repo.owlFails(4, 'run', taken, '--json')).json();
  t.match(first, {
    ok: false,
    data: { state: 'blocked', reason: { code: 'name-taken', text: new RegExp(`owl/${taken}/taken`) } },
  });
  const trees = (await show(repo, fine)).worktree;
  t.equal(trees, null);
  await repo.owlFails(4, 'run', '--step');
  t.match(await show(repo, impossible), {
    state: 'blocked',
    ttl: 10,
    reason: { code: 'name-impossible', text: new RegExp(`owl/${impossible}\\b`) },
  });
  await repo.owl('run', fine);
  const place: string = (await show(repo, fine)).worktree;
  t.match(place, box.path('trees'));
  const lying = place.replace(fine, folder);
  repo.write(`${lying}/precious.txt`, 'precious\n');
  const all = await repo.owlFails(4, 'run', '--all');
  t.match(all.stdout, new RegExp(folder));
  t.match(await show(repo, folder), {
    state: 'blocked',
    ttl: 10,
    reason: { code: 'workspace', text: new RegExp(lying) },
  });
  t.equal(repo.read(`${lying}/precious.txt`), 'precious\n', 'left exactly as it is');
  box.same(t, before, await repo.untouched());
  repo.remove(lying);
  await repo.git('branch', '-D', `owl/${taken}/taken`);
  await repo.owl('retry', folder);
  await repo.owl('retry', taken);
  await repo.owl('run', '--all');
  for (const id of [folder, taken]) t.match(await show(repo, id), { state: 'review' }, 'the way out');
});

t.test(
  'J8: --from begins at a branch and is replayed at once; a branch that is gone comes back from what was shared',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [trying(box)] });
    await repo.git('checkout', '--quiet', '-b', 'feature');
    await repo.commit('Feature 1', { 'feature.txt': '1' });
    const feature = await repo.commit('Feature 2', { 'feature.txt': '2' });
    await repo.git('checkout', '--quiet', 'main');
    const base = await repo.colleague('Base', { 'base.txt': 'base' });
    const id = await repo.add('--no-plan', '--from', 'feature', 'go on with the feature');
    const before = await repo.untouched();
    await repo.owlFails(8, 'run');
    const { branch } = await show(repo, id);
    t.match(
      await repo.git('log', '--format=%s', `${base}..${branch}`),
      /Try 1\n.*\nFeature 2\nFeature 1/,
      'replayed in the first Run',
    );
    t.equal(await repo.oid('refs/heads/feature'), feature, 'their branch stays');
    box.same(t, before, await repo.untouched());

    const tip = await repo.oid(`refs/heads/${branch}`);
    await repo.git('worktree', 'remove', '--force', (await show(repo, id)).worktree);
    await repo.git('branch', '-D', branch);
    await repo.owl('retry', id);
    t.match((await repo.owlFails(4, 'run', '--json')).json().data, {
      state: 'blocked',
      reason: { code: 'unknown-here' },
    });
    await repo.git('update-ref', `refs/owl/shared/${id}`, tip);
    await repo.owl('retry', id);
    await repo.owlFails(8, 'run');
    t.equal(await repo.git('rev-parse', `${branch}^`), tip, 'it goes on at the tip that the record names');
  },
);

t.test('07.12: unborn, bare, shallow, sparse, LFS pointers, called in a linked worktree', async (t) => {
  const box = await sandbox(t);
  const agent = working(box);
  const unborn = await box.repository({ unborn: true });
  t.match((await unborn.owlFails(3, 'add', '--json', 'work')).json(), { error: { code: 'no-commit' } });

  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 3\n';
  const repo = await box.repository({
    remote: 'bare',
    agents: [agent],
    files: {
      'in/a.txt': 'a',
      'out/b.txt': 'b',
      'big.bin': pointer,
      '.gitattributes': '*.bin filter=lfs diff=lfs -text\n',
    },
  });
  await repo.commit('second', { 'in/c.txt': 'c' });
  await repo.git('push', '--quiet', 'origin', 'main');
  await repo.git('sparse-checkout', 'set', 'in');
  await repo.git('worktree', 'add', '--quiet', '-b', 'mine', '../linked');
  const linked = box.open(box.path('linked'));
  const before = [await repo.untouched(), await linked.untouched()] as const;
  const id = await linked.add('--no-plan', 'work', { cwd: 'in' });
  await linked.owl('run', { cwd: 'in' });
  const shown = await show(repo, id);
  t.match(shown, { state: 'review' }, 'the same state from a subfolder of a linked worktree');
  box.same(t, before[0], await repo.untouched());
  box.same(t, before[1], await linked.untouched());
  t.ok(repo.exists(`${shown.worktree}/in/a.txt`));
  t.equal(repo.read(`${shown.worktree}/big.bin`), pointer, 'a pointer stays a pointer');
  t.same(
    (await repo.owl('diff', id, '--name-only')).stdout.trim().split('\n').sort(),
    ['.coding-owl/HANDOFF.md', 'work.txt'],
    'nothing that is not checked out counts as deleted',
  );

  const shallow = await repo.clone('shallow', '--depth=1', '--no-local');
  const deep = await repo.colleague('third', { 'third.txt': 'third' });
  const two = await shallow.add('--no-plan', 'work');
  await shallow.owl('run');
  t.match(await show(shallow, two), { state: 'review', base: { oid: deep } });
  t.equal(await shallow.git('rev-parse', '--is-shallow-repository'), 'true', 'it is still shallow');

  const bare = await repo.clone('bare.git', '--bare');
  const three = await bare.add('--no-plan', 'work');
  await bare.owl('run');
  t.match(await show(bare, three), { state: 'review' });
});

t.test('07.12: a planned Job in a sparse checkout has its Handoff in the tree, in every Run', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ handoff: '# Plan\n\nWrite it.\n', commit: false }],
    execute: [
      [{ expect: { files: { 'out/b.txt': null } } }, { sh: 'grep "Write it" "$OWL_HANDOFF"' }, { exit: 1 }],
      [
        { sh: 'grep "Write it" "$OWL_HANDOFF"' },
        { write: 'in/work.txt', text: 'work\n' },
        { handoff: '# Handoff\n\nWritten.\n', commit: false },
        { commit: 'Write it' },
      ],
    ],
  });
  const repo = await box.repository({ agents: [agent], files: { 'in/a.txt': 'a', 'out/b.txt': 'b' } });
  await repo.git('sparse-checkout', 'set', 'in');
  const before = await repo.untouched();
  const patterns = repo.read('.git/info/sparse-checkout');
  const id = await repo.add('work');
  await repo.owlFails(8, 'run');
  // As a checkout from before that was known: the entry is left out, and the file is not there.
  const { worktree, branch } = await show(repo, id);
  await repo.git('-C', worktree, 'update-index', '--skip-worktree', '.coding-owl/HANDOFF.md');
  rmSync(join(worktree, '.coding-owl'), { recursive: true });
  await repo.owl('retry', id);
  await repo.owl('run');
  t.match(await show(repo, id), { state: 'review', handoff: 'current' });
  t.match(await repo.git('show', `${branch}:.coding-owl/HANDOFF.md`), /Written/);
  t.equal(repo.read('.git/info/sparse-checkout'), patterns, "the user's patterns are as they were");
  box.same(t, before, await repo.untouched());
  await repo.owl('merge', id);
  t.equal(await repo.git('show', 'main:in/work.txt'), 'work');
  t.equal(await repo.git('show', 'main:out/b.txt'), 'b');
});

t.test('01: a branch on the remote that makes our names impossible is refused by name, whenever it came', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [working(box)] });
  const refused = async (name: string) => {
    const answer = (await repo.owlFails(4, 'add', '--json', 'work')).json();
    t.match(answer.error, { code: 'name-blocked', message: new RegExp(`refs/remotes/origin/${name}\\b`) }, name);
    t.match(answer.error.next, [`git ls-remote origin refs/heads/${name}`]);
  };
  await repo.remoteGit('branch', 'owl', 'main');
  await repo.git('fetch', '-q');
  await refused('owl');
  t.equal(await repo.oid('refs/heads/refine/state'), '', 'before anything is written');
  await repo.remoteGit('branch', '-D', 'owl');
  await repo.git('fetch', '-q', '--prune');
  await repo.add('the first');
  const state = await repo.oid('refs/heads/refine/state');
  for (const name of ['owl', 'refine']) {
    await repo.remoteGit('branch', name, 'main');
    await repo.git('fetch', '-q');
    await refused(name);
    await repo.remoteGit('branch', '-D', name);
    await repo.git('fetch', '-q', '--prune');
  }
  t.equal(await repo.oid('refs/heads/refine/state'), state, 'nothing was written');
  await repo.add('the second');
});
