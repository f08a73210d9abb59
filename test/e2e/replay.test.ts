// Later Runs, through the built command: the worktree as it was left, uncommitted work, the replay, setup (J9 to J13, J15).

import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** Commits one file at each Run, and fails: the Job is blocked and may be tried again. */
const trying = (box: Sandbox, more: readonly Step[] = []) =>
  box.agent('worker', {
    execute: [1, 2, 3, 4, 5, 6].map((number): Step[] => [
      { write: `try-${number}.txt`, text: `${number}\n` },
      { commit: `Try ${number}` },
      ...(number === 1 ? more : []),
      { exit: 1 },
    ]),
  });

/** Subjects of the Job's own commits, oldest first, without the Handoff's. */
const subjects = async (repo: Repo, base: string, branch: string): Promise<string[]> =>
  (await repo.git('log', '--reverse', '--format=%s', `${base}..${branch}`))
    .split('\n')
    .filter((one) => !/^Handoff/.test(one));

t.test(
  'J9, J12, 07.8, 07.9: a worktree that is not as it should be is left as it is, and no agent starts',
  async (t) => {
    const box = await sandbox(t);
    const agent = trying(box);
    const repo = await box.repository({ agents: [agent] });
    await repo.git('checkout', '--quiet', '-b', 'side');
    await repo.commit('Side', { 'try-1.txt': 'side\n' });
    const patch = box.path('patch');
    await repo.git('format-patch', '-1', `--output=${patch}`);
    await repo.git('checkout', '--quiet', 'main');
    const id = await repo.add('--no-plan', 'try it');
    await repo.owlFails(8, 'run');
    const { branch, worktree } = await show(repo, id);
    const tree = box.open(worktree);
    const tip = await repo.oid(`refs/heads/${branch}`);
    const git = tree.read('.git');
    const cases: readonly (readonly [string, () => Promise<unknown>, () => Promise<unknown>])[] = [
      ['operation-in-progress', () => tree.gitFails('merge', 'side'), () => tree.git('merge', '--abort')],
      ['operation-in-progress', () => tree.gitFails('cherry-pick', 'side'), () => tree.git('cherry-pick', '--abort')],
      ['operation-in-progress', () => tree.gitFails('rebase', 'side'), () => tree.git('rebase', '--abort')],
      ['operation-in-progress', () => tree.git('bisect', 'start'), () => tree.git('bisect', 'reset')],
      ['operation-in-progress', () => tree.gitFails('am', '--quiet', patch), () => tree.git('am', '--abort')],
      [
        'wrong-branch',
        () => tree.git('checkout', '--quiet', '-b', 'elsewhere'),
        () => tree.git('checkout', '--quiet', branch),
      ],
      ['workspace', async () => tree.remove('.git'), async () => tree.write('.git', git)],
      [
        'workspace',
        async () => {
          tree.remove('.git');
          await tree.git('init', '--quiet');
        },
        async () => {
          tree.remove('.git');
          tree.write('.git', git);
        },
      ],
    ];
    for (const [code, disturb, mend] of cases) {
      await disturb();
      const before = await look(tree);
      await repo.owl('retry', id);
      const run = (await repo.owlFails(4, 'run', '--json')).json();
      t.match(run, { ok: false, data: { state: 'blocked', ttl: 9, reason: { code } } }, code);
      t.same(await look(tree), before, 'left exactly as it is');
      t.notMatch(run.error.message, / a [aeiou]/, 'in English');
      t.equal((await repo.owl('worktree', id)).stdout, `${worktree}\n`, `${code}: the way there is always told`);
      t.equal(await repo.oid(`refs/heads/${branch}`), tip, 'the branch too');
      await mend();
    }
    // What is proposed gets out of it, and loses nothing.
    tree.remove('.git');
    await repo.owl('retry', id);
    const gone = (await repo.owlFails(4, 'run', '--json')).json().error;
    t.match(gone.next, [`git owl worktree ${id}`, 'git worktree repair']);
    await repo.git('worktree', 'repair');
    t.equal(tree.read('.git'), git);
    tree.remove('.git');
    await tree.git('init', '--quiet');
    tree.write('mine.txt', 'mine\n');
    const refused = (await repo.owlFails(4, 'drop', id, '--json')).json().error;
    t.match(refused.next, [/^ls -la /, `mv ${worktree} ${worktree}.aside`]);
    await repo.git('-c', `alias.sh=!${refused.next[1]}`, 'sh');
    t.ok(repo.exists(`${worktree}.aside/mine.txt`));
    t.equal(agent.seen().length, 1, 'no agent was started');
    await repo.owl('retry', id);
    await repo.owlFails(8, 'run');
    t.equal(agent.seen()[1]?.branch, `refs/heads/${branch}`, 'a place that is free again is used again');
    await repo.git('worktree', 'remove', '--force', worktree);
    await repo.owl('retry', id);
    await repo.owlFails(8, 'run');
    t.equal(agent.seen()[2]?.branch, `refs/heads/${branch}`, 'a missing one is made again');
    t.same(await subjects(repo, 'main', branch), ['Try 1', 'Try 2', 'Try 3']);
  },
);

async function look(tree: Repo): Promise<string[]> {
  const head = tree.exists('.git') ? (await tree.gitResult('status', '--porcelain=v2', '--branch')).stdout : 'no .git';
  return [head, tree.exists('try-1.txt') ? tree.read('try-1.txt') : ''];
}

t.test('J10, J11, J12, 07.7: uncommitted work is kept and committed; nothing of the user interferes', async (t) => {
  const box = await sandbox(t);
  const agent = trying(box, [
    { write: 'draft.txt', text: 'draft\n' },
    { handoff: '# Half a thought\n', commit: false },
  ]);
  const repo = await box.repository({
    remote: 'bare',
    agents: [agent],
    files: { '.gitignore': '*.log\n', 'README.md': '# Example\n' },
  });
  const id = await repo.add('--no-plan', 'try it');
  await repo.owlFails(8, 'run');
  const { branch, worktree } = await show(repo, id);
  const tree = box.open(worktree);
  const handoff = await repo.git('show', `${branch}:.coding-owl/HANDOFF.md`);

  tree.write('huge.bin', Buffer.alloc(51 * 1024 * 1024, 1));
  await repo.owl('retry', id);
  const much = (await repo.owlFails(4, 'run', '--json')).json().data;
  t.match(much, { state: 'blocked', ttl: 9, reason: { code: 'too-much-uncommitted', paths: ['huge.bin'] } });
  t.ok(tree.exists('huge.bin') && tree.exists('draft.txt'), 'all of it is there');
  tree.remove('huge.bin');

  const base = await repo.colleague('Base', { 'base.txt': 'base\n' });
  await repo.git('branch', 'theirs', branch);
  const theirs = await repo.oid('refs/heads/theirs');
  // Everything of the user's that could get into a rebase.
  for (const hook of [
    'pre-commit',
    'commit-msg',
    'post-checkout',
    'post-rewrite',
    'reference-transaction',
    'post-merge',
  ])
    setHook(box.dir, hook, `touch '${box.path('hooked')}'; exit 1`);
  for (const [name, value] of Object.entries({
    'rerere.enabled': 'true',
    'rerere.autoUpdate': 'true',
    'rebase.autoStash': 'true',
    'rebase.updateRefs': 'true',
    'commit.gpgSign': 'true',
    'gpg.program': box.executable('signer', '#!/bin/sh\nsleep 600\n'),
    'core.hooksPath': box.path('hooks'),
  }))
    await repo.git('config', name, value);
  agentCommitsPlainly(box, agent.name);
  await repo.owl('retry', id);
  await repo.owlFails(8, 'run');
  await repo.git('config', '--unset', 'core.hooksPath');
  t.notOk(repo.exists(box.path('hooked')), 'no hook ran');
  t.same(await subjects(repo, base, branch), ['Try 1', 'Uncommitted work found before run 3', 'Plain']);
  t.equal(await repo.git('show', `${branch}:draft.txt`), 'draft', 'uncommitted work is a commit of its own');
  t.equal(await repo.git('show', `${branch}:.coding-owl/HANDOFF.md`), handoff, 'the committed Handoff stands');
  t.notMatch(await repo.git('cat-file', 'commit', `${branch}~1`), /gpgsig/, 'nothing was signed');
  t.equal(await repo.oid('refs/heads/theirs'), theirs, "somebody's branch on a Job commit stays");
  t.equal(await repo.git('stash', 'list'), '', 'no stash');
  const kept = await repo.git('log', '-m', '--first-parent', '--format=%s', `refs/owl/keep/${id}`);
  t.match(kept, /wip/, 'the uncommitted work is kept');
  t.match(kept, /tip before replay/, 'the old tip is kept');
  t.match(
    await repo.git('log', '-m', '--format=%H', '--all', '-S', 'Half a thought', '--', '.coding-owl/HANDOFF.md'),
    /./,
    'and so are the uncommitted bytes of the Handoff',
  );

  // An ignored file where the base has one now.
  tree.write('out.log', 'precious\n');
  await repo.colleague('A log', { '.gitignore': '', 'out.log': 'theirs\n' });
  const tip = await repo.oid(`refs/heads/${branch}`);
  await repo.owl('retry', id);
  const way = (await repo.owlFails(4, 'run', '--json')).json().data;
  t.match(
    way,
    { state: 'blocked', reason: { code: 'could-not-start', paths: ['out.log'] } },
    'told apart from a conflict',
  );
  t.equal(tree.read('out.log'), 'precious\n');
  t.equal(await repo.oid(`refs/heads/${branch}`), tip);
  t.equal(await tree.git('status', '--porcelain'), '', 'the tree is as it was');
});

/** From now on the agent commits past hooks and signing of the user. */
function agentCommitsPlainly(box: Sandbox, name: string): void {
  box.agent(name, {
    execute: [
      { write: 'plain.txt', text: 'plain\n' },
      { git: ['add', 'plain.txt'] },
      { git: ['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', 'commit', '--quiet', '-m', 'Plain'] },
      { exit: 1 },
    ],
  });
}

t.test(
  'J12, J13, 07.6, 07.10: a conflict names every path exactly and moves nothing; what landed is done',
  async (t) => {
    const box = await sandbox(t);
    const odd = 'two words\n\u00fcber "x".txt';
    const agent = box.agent('worker', {
      execute: [
        { write: odd, text: 'ours\n' },
        { write: 'plain.txt', text: 'ours\n' },
        { commit: 'Ours' },
        { exit: 1 },
      ],
    });
    const repo = await box.repository({
      remote: 'bare',
      agents: [agent],
      files: { [odd]: 'start\n', 'plain.txt': 'start\n', 'README.md': 'r' },
    });
    const id = await repo.add('--no-plan', 'change both');
    await repo.owlFails(8, 'run');
    const { branch, worktree } = await show(repo, id);
    const tree = box.open(worktree);
    const tip = await repo.oid(`refs/heads/${branch}`);
    const before = await tree.untouched();
    const theirs = await repo.colleague('Theirs', { [odd]: 'theirs\n', 'plain.txt': 'theirs\n' });
    for (const again of [false, true]) {
      await repo.owl('retry', id);
      const run = await repo.owlFails(5, 'run', '--json');
      const { data, error } = run.json();
      t.match(data, {
        state: 'blocked',
        ttl: 9,
        reason: { code: 'conflict', onto: { ref: 'refs/remotes/origin/main', oid: theirs } },
      });
      t.same([...data.reason.paths].sort(), ['plain.txt', odd].sort(), 'both are named exactly');
      t.match(error.next, [`git owl retry ${id} --restart`]);
      t.equal(/smaller jobs/.test(data.reason.text), again, 'from the second one in a row smaller Jobs are the remedy');
      t.equal(await repo.oid(`refs/heads/${branch}`), tip);
      box.same(t, before, await tree.untouched(), 'the worktree is on the branch, at the old tip');
      await repo.owlFails(5, 'verify', id);
      const looked = (await show(repo, id)).reason.text;
      t.equal(/smaller jobs/.test(looked), again, 'the same conflict, looked at again, is no second one');
    }
    t.equal(agent.seen().length, 1, 'no agent was started');
    t.notMatch((await repo.owl('status')).stdout, /\n\u00fcber/, 'a name with a newline breaks no line');
    t.match((await show(repo, id)).history.at(-1), { outcome: 'failed', counted: false, conflicts: [/./, /./] });

    // The colleague takes the work over: it is upstream.
    const other = box.open(box.path('colleague'), repo.bare);
    await other.git('fetch', '--quiet', repo.dir, `refs/heads/${branch}`);
    await other.git('checkout', '--quiet', 'FETCH_HEAD', '--', odd, 'plain.txt');
    await other.git('commit', '--quiet', '-m', 'Taken over');
    await other.git('push', '--quiet', 'origin', 'main');
    await repo.owl('retry', id);
    const landed = await repo.owl('run', '--json');
    t.match(landed.json(), { ok: true, data: { state: 'done', ttl: 9 } }, 'done, not empty');
    t.match(landed.stderr, /landed|upstream/, 'and it says so');
    t.equal(agent.seen().length, 1, 'no agent was started for it');
  },
);

t.test(
  'J5, J11, 07.8: killed in the middle of the replay, the next Run goes on and no tree is mid-rebase',
  async (t) => {
    const box = await sandbox(t);
    const agent = trying(box);
    const repo = await box.repository({ remote: 'bare', agents: [agent] });
    const id = await repo.add('--no-plan', 'try it');
    await repo.owlFails(8, 'run');
    const { branch, worktree } = await show(repo, id);
    const tree = box.open(worktree);
    for (const [at, point] of [
      'run.before-move',
      'follow.after-files',
      'follow.after-ref',
      'run.after-move',
    ].entries()) {
      const base = await repo.colleague(point, { [`base-${at}.txt`]: point, 'shared.txt': point });
      await repo.owl('retry', id);
      t.equal((await repo.owl('run', { fails: 'any', env: { OWL_FAIL_AT: point } })).signal, 'SIGKILL', point);
      t.match(await tree.git('symbolic-ref', 'HEAD'), branch, `${point}: HEAD is on the branch`);
      t.notMatch(await tree.git('status'), /in progress/, `${point}: nothing is in progress`);
      const failed = await repo.owlFails(8, 'run');
      t.match(failed.stderr, /was dead/, `${point}: the next command explains`);
      t.equal(await tree.git('status', '--porcelain'), '', `${point}: the tree is clean`);
      t.same(
        await subjects(repo, base, branch),
        Array.from({ length: at + 2 }, (_, number) => `Try ${number + 1}`),
        `${point}: every commit is there once`,
      );
      t.match(await show(repo, id), { ttl: 8 - at, state: 'blocked' }, 'the killed Run cost nothing');
    }
  },
);

t.test('J15: setup, copied files and submodules come before the agent', async (t) => {
  const box = await sandbox(t);
  const setup = box.path('setup.sh');
  const agent = box.agent('worker', {
    execute: [
      { expect: { files: { '.env': 'SECRET=1\n', '.cache/made': 'made\n' } } },
      { sh: 'cp .env leak.txt' },
      { commit: 'Leak' },
    ],
  });
  const library = await box.repository({ name: 'library' });
  const repo = await box.repository({
    agents: [agent],
    files: { '.gitignore': '.env\n.cache\nother\n', '.worktreeinclude': 'other\n', 'README.md': 'r' },
    config: `setup:\n  - sh ${setup}\n  - { run: "test ! -e slow || sleep 60", timeout: 4s }\ncopy: [.env]\n`,
  });
  await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `file://${library.dir}`, 'lib');
  await repo.commit('with a submodule');
  repo.write('.env', 'SECRET=1\n');
  repo.write('other', 'other\n');
  const id = await repo.add('--no-plan', 'work');
  const blocked = async (text: RegExp) => {
    t.match((await repo.owlFails(8, 'run', '--json')).json(), {
      ok: false,
      data: { state: 'blocked', ttl: 10, reason: { code: 'setup-failed', text } },
    });
    await repo.owl('retry', id);
  };
  repo.write(setup, 'echo no way; exit 3\n');
  await blocked(/setup\.sh' failed with exit status 3/);
  t.match((await repo.owl('log', id)).stdout, /--- setup-1\nno way/, 'its output is kept and shown');
  repo.write(setup, 'touch slow\n');
  await blocked(/passed its time limit of 4s/);

  repo.write(setup, 'rm -f slow; echo started > .cache-started; sleep 600\n');
  const place: string = (await show(repo, id)).worktree;
  const running = repo.start('run');
  await eventually(() => repo.exists(`${place}/.cache-started`), 60_000, 'setup runs');
  running.kill('SIGTERM');
  t.equal((await running.wait()).code, 143);
  t.match(
    await show(repo, id),
    { state: 'pending', ttl: 10, reason: { code: 'interrupted' } },
    'stopped is not failed',
  );
  t.equal(agent.seen().length, 0, 'no agent was ever started');

  repo.write(setup, 'rm -f .cache-started; mkdir -p .cache; echo made > .cache/made; test -f .env && test -f other\n');
  const leak = (await repo.owlFails(4, 'run', '--json')).json().data;
  t.match(leak, { state: 'blocked', reason: { code: 'copied-file', text: /carries a copied file/ } });
  t.equal(agent.seen().length, 1, agent.trace());
  t.match(leak.unit.runs.at(-1).notes.join('\n'), /submodule lib was not initialised/, 'what was left out is said');
  t.equal((await repo.refs())[`refs/owl/shared/${id}`], undefined, 'not pushed');
});
