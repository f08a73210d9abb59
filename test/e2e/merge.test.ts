// Merges: the opt-in, what lands, what escalates, guarded paths, signing, merges by hand (J31 to J38; 07, 22 to 25).

import { t } from 'tap';
import type { Scenario, Step } from '../fixtures/agents.js';
import { sandbox } from '../fixtures/sandbox.js';

/** Commits one file of the given name: the first word of the prompt. */
const byPrompt = (...files: readonly string[]): Scenario => ({
  cases: files.map((file) => ({ when: `write ${file}`, execute: commits(file) })),
  execute: [{ exit: 1 }],
});
const commits = (file: string, text = `${file}\n`): readonly Step[] => [
  { write: file, text },
  { commit: `Write ${file}` },
];

/** The same where Git would sign: the agent's own commits are its own affair. */
const unsigned = (file: string, text = `${file}\n`): readonly Step[] => [
  { write: file, text },
  { git: ['add', '--all'] },
  { git: ['-c', 'commit.gpgSign=false', 'commit', '-qm', `Write ${file}`] },
];

t.test(
  'J27, J32, J36: option, mode and execution decide; what is merged goes, what is not stays and is said',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', byPrompt('plain', 'docs', 'given', 'held'));
    const repo = await box.repository({
      remote: 'bare',
      agents: [agent],
      config: `plan: false
checks:
  - { name: test, run: "ls plain docs given held 2>/dev/null | grep -q ." }
modes:
  docs: { auto_merge: true }
  held: { auto_merge: false }
`,
    });
    t.match((await repo.owlFails(2, 'add', '--mode', 'nosuch', 'x')).stderr, /nosuch/, 'an unknown mode is refused');
    const plain = await repo.add('write plain');
    const docs = await repo.add('write docs', '--mode', 'docs');
    const given = await repo.add('write given', '--mode', 'held', '--auto-merge');
    const held = await repo.add('write held', '--mode', 'docs', '--no-auto-merge');
    await repo.git('checkout', '-q', '-b', 'mine');
    const start = await repo.oid('refs/heads/main');
    const before = await repo.untouched(['refs/heads/main']);
    const run = await repo.owl('run', '--all', '--json');
    box.same(t, before, await repo.untouched(['refs/heads/main']));
    const units = run.jsonLines().map(({ data }) => [data.id, data.state, data.unit.merged]);
    t.same(units, [
      [plain, 'review', false],
      [docs, 'done', true],
      [given, 'done', true],
      [held, 'review', false],
    ]);
    t.match(
      run.stderr,
      new RegExp(
        `${plain}: it waits for your merge, the base has not moved: auto_merge is off \\(execution.auto_merge\\)`,
      ),
    );
    t.match(
      run.stderr,
      new RegExp(`${held}: it waits for your merge, the base has not moved: auto_merge is off \\(the option`),
    );

    const events = (await repo.owl('events', '--json')).json().data.items;
    const named = (event: string) => events.filter((one: { event: string }) => one.event === event);
    t.same(
      named('task_unmerged')
        .map((one: { job: string }) => one.job)
        .sort(),
      [plain, held].sort(),
    );
    const [second, first] = named('task_merged');
    t.match(
      first,
      { job: docs, subject: new RegExp(`merged 2 commits, 1 file into main: ${start.slice(0, 7)}\\w*\\.\\.\\w+$`) },
      'before, commits and files',
    );
    const merges = (await repo.git('log', '--first-parent', '--format=%H %s', `${start}..main`)).split('\n');
    t.match(merges, [new RegExp(`Merge job ${given}`), new RegExp(`Merge job ${docs}`)]);
    t.match(second.subject, `..${merges[0]?.slice(0, 7)}`, 'and after');
    const shown = (await repo.owl('show', docs, '--json')).json().data;
    t.match(shown.merged, { by: 'owl', ref: 'refs/heads/main', before: start, commits: 2, files: 1 });
    t.equal(await repo.oid(`refs/heads/${shown.branch}`), '', 'the branch of a merged one is gone');
    t.equal(shown.worktree, null);
    t.match(
      await repo.git('log', '--format=%s', `refs/owl/keep/${docs}`),
      /merged tip/,
      'kept until the remote has it',
    );
    const left = (await repo.owl('show', plain, '--json')).json().data;
    t.ok(repo.exists(left.worktree) && (await repo.oid(`refs/heads/${left.branch}`)), 'what was not merged has both');

    // By hand. The base moved by two merges since: replayed onto it, verified again, merged; and once only.
    const main = await repo.oid('refs/heads/main');
    t.match(
      (await repo.owl('merge', plain, '--dry-run')).stdout,
      /would be merged into main after another verification/,
    );
    t.equal(await repo.oid('refs/heads/main'), main);
    const verified = (await repo.owl('list', '--format', '%(verified)', '--state', 'review')).stdout;
    t.equal(
      verified,
      'void\ncurrent\n',
      'J28: what was merged here meanwhile counts for what is shown as for the merge',
    );
    t.match((await repo.owl('review', plain)).stdout, /verified +void/);
    const merged = await repo.owl('merge', plain, '--request-id', 'm1');
    t.match(merged.stderr, /has moved since it was verified/, 'J34');
    t.match(merged.stderr, /not on origin yet: git push origin main/, 'it says that nothing was pushed');
    t.equal(await repo.oid('main^1'), main);
    t.equal(await repo.git('diff', '--name-only', 'main^1', 'main'), 'plain', 'and without the Handoff');
    const after = await repo.oid('refs/heads/main');
    t.match((await repo.owl('merge', plain, '--request-id', 'm1')).stdout, /is merged .*as answered before/);
    t.match((await repo.owlFails(4, 'merge', held, '--request-id', 'm1', '--json')).json().error, {
      code: 'request-reused',
    });
    t.match((await repo.owl('merge', plain)).stdout, /merged already/, '06: nothing to do is no failure');
    t.match((await repo.owlFails(4, 'reopen', plain)).stderr, /merged/);
    t.equal(await repo.oid('refs/heads/main'), after);
    await repo.owl('accept', held);
    await repo.owl('merge', held);
    t.equal(await repo.git('show', 'main:held'), 'held', '11: merge after accept');
    t.equal(await repo.remoteGit('rev-parse', 'main'), start, 'nothing was pushed');
  },
);

t.test(
  'J34, J35, 07.22, 07.23: the base moves while checks run: verified again, or escalated by the paths',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      cases: [{ when: 'clash', execute: commits('theirs-1', 'ours\n') }],
      execute: commits('work'),
    });
    // A colleague pushes once for each Job, while its checks run.
    const push = box.executable(
      'push-once',
      `#!/bin/sh
cd '${box.path('other')}' && git fetch -q && git checkout -q -B main origin/main || exit 1
test -e theirs-$1 && exit 0
echo theirs > theirs-$1 && git add . && git -c user.name=Bo -c user.email=bo@example.com commit -qm "Theirs $1" && git push -q origin main
`,
    );
    const repo = await box.repository({
      remote: 'bare',
      agents: [agent],
      config: `plan: false
execution: { auto_merge: true }
checks:
  - { name: push, run: "if grep -qs ours theirs-1; then '${push}' 1; else '${push}' 2; fi" }
  - { name: test, run: "ls work theirs-1 2>/dev/null | grep -q ." }
`,
    });
    await repo.clone('other');
    const clash = await repo.add('clash');
    const clean = await repo.add('do it');
    await repo.git('checkout', '-q', '-b', 'mine');
    const before = await repo.untouched(['refs/heads/main']);
    const run = await repo.owlFails(5, 'run', '--all', '--json');
    box.same(t, before, await repo.untouched(['refs/heads/main']));
    const units = run.jsonLines().map(({ data }) => [data.id, data.state, data.reason?.code ?? null, data.unit.exit]);
    t.same(units, [
      [clash, 'escalated', 'landing-conflict', 5],
      [clean, 'done', null, 0],
    ]);
    const main = await repo.oid('refs/heads/main');
    t.equal(
      await repo.git('log', '-1', '--format=%s', 'main^1'),
      'Theirs 2',
      'the commit that came meanwhile is below it',
    );
    t.equal(await repo.git('rev-list', '--merges', '--count', 'main^2'), '0', 'the branch was replayed onto it');
    const shown = (await repo.owl('show', clash, '--json')).json().data;
    t.match(shown, { state: 'escalated', closure: 'resolved', reason: { paths: ['theirs-1'] } });
    t.ok(repo.exists(shown.worktree) && (await repo.oid(`refs/heads/${shown.branch}`)) === shown.tip, 'both survive');
    const events = (await repo.owl('events', '--json', '--job', clash)).json().data.items;
    t.match(events[0], { event: 'merge_conflict_escalated', subject: /theirs-1/ });
    t.match((await repo.owl('status')).stdout, new RegExp(`${clash}.*escalated`));
    t.match((await repo.owl('list')).stdout, new RegExp(`${clash}.*escalated`));
    t.match((await repo.owlFails(4, 'merge', clash)).stderr, /is escalated/, 'out by verify, retry, accept, drop');
    t.equal(await repo.oid('refs/heads/main'), main);
    await repo.owl('accept', clash);
    t.match((await repo.owl('show', clash, '--json')).json().data, { state: 'done', merged: null });
  },
);

t.test(
  'J34, J35, G33, 07.22: a checkout of the base with local edits follows, is busy, collides, diverges',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      cases: [{ when: 'clean', execute: commits('clean.txt', 'job\n') }],
      execute: commits('dirty.txt', 'job\n'),
    });
    const files = { 'clean.txt': 'base\n', 'dirty.txt': 'base\n', 'other.txt': 'base\n' };
    const config = 'plan: false\nchecks:\n  - { name: test, run: "true" }\n';
    const repo = await box.repository({ remote: 'bare', agents: [agent], files, config });
    const pushed = await repo.colleague('Behind', { 'behind.txt': 'pushed\n' });
    const first = await repo.add('clean');
    const second = await repo.add('dirty');
    await repo.owl('run', '--all');
    repo.write('dirty.txt', 'mine\n');
    repo.write('other.txt', 'staged\n');
    await repo.git('add', 'other.txt');
    repo.write('other.txt', 'edited\n');
    repo.write('untracked.txt', 'mine\n');

    repo.write('.git/index.lock', '');
    const locked = await repo.untouched();
    t.match(
      (await repo.owlFails(7, 'merge', first, '--json')).json().error,
      { code: 'busy' },
      'busy is said, nothing moves',
    );
    box.same(t, locked, await repo.untouched());
    repo.remove('.git/index.lock');

    await repo.owl('merge', first);
    t.equal(await repo.oid('main^1'), pushed, 'the local base was behind and follows in the same move');
    t.equal(repo.read('clean.txt'), 'job\n');
    t.equal(repo.read('behind.txt'), 'pushed\n');
    t.same([repo.read('dirty.txt'), repo.read('other.txt')], ['mine\n', 'edited\n'], 'edits stay');
    t.equal(await repo.git('show', ':other.txt'), 'staged', 'and what is staged');
    t.equal(await repo.git('status', '--porcelain'), ' M dirty.txt\nMM other.txt\n?? untracked.txt');

    const before = await repo.untouched();
    const inTheWay = (await repo.owlFails(4, 'merge', second, '--json')).json();
    box.same(t, before, await repo.untouched(), 'base, index and files are as they were, byte for byte');
    t.match(inTheWay.error, { code: 'uncommitted', message: /dirty\.txt/ });
    t.match(
      (await repo.owl('show', second, '--json')).json().data,
      { state: 'review' },
      'a person moves them: no escalation',
    );
    const third = await repo.add('--auto-merge', 'dirty by itself');
    const collided = await repo.owlFails(5, 'run', third, '--json');
    box.same(t, before, await repo.untouched(), 'nor does a merge that nobody asked for touch them');
    t.match(collided.jsonLines().at(-1)?.error, { code: 'landing-failed', message: /dirty\.txt/ });
    t.match((await repo.owl('show', third, '--json')).json().data, { state: 'escalated' });
    t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
      event: 'merge_failed_escalated',
    });

    // The person settles it, and then the remote moves beside a commit of their own: diverged.
    await repo.git('checkout', '-q', 'dirty.txt');
    await repo.owl('drop', third);
    await repo.colleague('Remote', { 'remote.txt': 'x\n' });
    await repo.git('commit', '-qm', 'Mine', 'other.txt');
    const mine = await repo.untouched();
    t.match((await repo.owlFails(5, 'merge', second, '--json')).json().error, {
      code: 'landing-failed',
      message: /diverged/,
    });
    box.same(t, mine, await repo.untouched());
    await repo.git('pull', '-q', '--rebase');
    // A Run works on what the remote has; landing meets what only this clone has (J7, J34).
    const fourth = await repo.add('--no-plan', 'dirty too');
    await repo.git('stash', '-q', '--include-untracked');
    await repo.owl('run', fourth);
    await repo.git('checkout', '-q', '-b', 'aside');
    await repo.git('checkout', '-q', 'main');
    await box.open(repo.dir).commit('Mine too', { 'dirty.txt': 'mine too\n' });
    const unpushed = (await repo.owlFails(5, 'merge', fourth, '--json')).json();
    t.match(unpushed.error, { code: 'landing-conflict', message: /main here has commits that origin does not/ });
    t.equal(unpushed.error.next[0], 'git push origin main', 'what helps is said first');
    await repo.git('push', '-q', 'origin', 'main');
    await repo.owl('retry', fourth, '--restart');
    t.match(
      (await repo.owl('show', fourth, '--prompt')).stdout,
      /could not be merged[\s\S]*dirty\.txt/,
      'J29: and the next Run is told',
    );
    await repo.owl('drop', fourth);
    await repo.git('reset', '-q', '--hard', 'HEAD~1');
    await repo.git('push', '-q', '--force', 'origin', 'HEAD~1:main');
    await repo.git('fetch', '-q', 'origin');
    await repo.git('stash', 'pop', '-q');
    await repo.owl('verify', second);
    await repo.owl('merge', second);
    t.equal(repo.read('dirty.txt'), 'job\n');
    t.equal(await repo.git('log', '-1', '--format=%s', 'main^1'), 'Mine', 'unpushed commits stay, and are merged upon');
    t.equal(await repo.git('status', '--porcelain'), '?? untracked.txt');
  },
);

t.test('J37, J38: guarded paths wait for a person; what is not signed as required does not land', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    cases: [
      { when: 'weaken', execute: unsigned('.coding-owl.yaml', 'version: 1\n') },
      { when: 'script', execute: unsigned('ci/test.sh', 'exit 0\n') },
      { when: 'secret', execute: unsigned('secret/a.txt') },
    ],
    execute: unsigned('free.txt'),
  });
  const config = (signing: string) => `plan: false
guard: [secret/]
signing: ${signing}
execution: { auto_merge: true }
checks:
  - { name: test, run: sh ci/test.sh }
`;
  // Commits of the user and of ours would be signed, and the signer fails.
  box.executable('gpg', '#!/bin/sh\necho no key >&2\nexit 1\n');
  const repo = await box.repository({ agents: [agent], files: { 'ci/test.sh': 'true\n' }, config: config('never') });
  await repo.git('config', 'commit.gpgSign', 'true');
  const ids = [await repo.add('weaken'), await repo.add('script'), await repo.add('secret'), await repo.add('free')];
  const run = await repo.owl('run', '--all', '--json', { timeout: 300_000 });
  t.same(
    run.jsonLines().map(({ data }) => data.state),
    ['review', 'review', 'review', 'done'],
    'none of the guarded is merged by itself',
  );
  t.notMatch(await repo.git('cat-file', 'commit', 'main'), /gpgsig/, 'J38: never is the default, whatever Git says');
  const main = await repo.oid('refs/heads/main');
  const paths = ['.coding-owl.yaml', 'ci/test.sh', 'secret/a.txt'];
  for (const [at, path] of paths.entries()) {
    const id = ids[at] ?? '';
    const { guarded, next } = (await repo.owl('show', id, '--json')).json().data;
    t.same(guarded, [path]);
    t.ok(next.includes(`git owl merge ${id} --allow-guarded`), 'what is proposed is what will be allowed');
    t.match((await repo.owl('review', id)).stdout, /touches guarded paths/i);
  }
  const [, script = '', secret = ''] = ids;
  t.match((await repo.owlFails(4, 'merge', secret, '--json')).json().error, {
    code: 'guarded',
    message: /secret\/a\.txt/,
  });
  t.equal(await repo.oid('refs/heads/main'), main);
  await repo.owl('merge', secret, '--allow-guarded');
  t.equal(await repo.git('show', 'main:secret/a.txt'), 'secret/a.txt');

  const text = repo.read('.coding-owl.yaml').replace('signing: never', 'signing: require');
  repo.write('.coding-owl.yaml', text);
  await repo.git('-c', 'commit.gpgSign=false', 'commit', '-qam', 'Require signatures');
  const before = await repo.untouched();
  const failed = (await repo.owlFails(5, 'merge', script, '--allow-guarded', '--json')).json();
  t.match(failed.error, { code: 'landing-failed', message: /signed/ });
  box.same(t, before, await repo.untouched());
  t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
    event: 'merge_failed_escalated',
  });
  box.executable(
    'gpg',
    "#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nZm9v\\n-----END PGP SIGNATURE-----\\n'\n",
  );
  await repo.owl('verify', script);
  await repo.owl('merge', script, '--allow-guarded');
  t.match(await repo.git('cat-file', 'commit', 'main'), /gpgsig/);
  t.match(await repo.git('cat-file', 'commit', 'main^2'), /gpgsig/, 'what was replayed, too');
});

t.test(
  'J31, 07.25: a squash merge by hand counts as accepted; an empty branch, or a reverted one, does not',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', { plan: [{ handoff: '# Plan\n\nWait.\n' }], ...byPrompt('one', 'two') });
    const repo = await box.repository({ agents: [agent] });
    const empty = await repo.add('only planned');
    const one = await repo.add('--no-plan', 'write one');
    const two = await repo.add('--no-plan', 'write two');
    await repo.owl('run', '--step', empty, one, two);
    for (const id of [one, two]) {
      const { branch } = (await repo.owl('show', id, '--json')).json().data;
      await repo.git('merge', '--squash', branch);
      await repo.git('rm', '-rqf', '--ignore-unmatch', '.coding-owl');
      await repo.git('commit', '-qm', `Squashed ${id}`);
    }
    await repo.git('revert', '--no-edit', 'HEAD');
    const main = await repo.oid('refs/heads/main');
    t.match((await repo.owl('merge', one)).stdout, /is done: the work of job .* is on refs\/heads\/main/);
    t.equal(await repo.oid('refs/heads/main'), main, 'nothing is merged twice');
    t.match((await repo.owl('show', one, '--json')).json().data, { state: 'done', merged: { by: 'hand' } });
    await repo.owl('gc');
    t.match((await repo.owl('show', two, '--json')).json().data, { state: 'review', merged: null }, 'after the revert');
    t.match((await repo.owl('show', empty, '--json')).json().data, { state: 'pending', merged: null });
    t.match((await repo.owlFails(4, 'merge', empty)).stderr, /is pending/);
  },
);

t.test(
  'J36, 07.26: a branch that somebody has checked out stays, and is said; gc takes it when it is free',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      agents: [box.agent('worker', byPrompt('one', 'two', 'three', 'four'))],
      config: 'plan: false\n',
    });
    const job = async (file: string) => {
      const id = await repo.add(`write ${file}`);
      await repo.owl('run', id);
      return (await repo.owl('show', id, '--json')).json().data;
    };
    const one = await job('one');
    await repo.owl('accept', one.id);
    await repo.git('checkout', '-q', one.branch);
    const mine = await repo.untouched(['refs/heads/main']);
    const merged = await repo.owl('merge', one.id);
    t.match(merged.stderr, new RegExp(`branch ${one.branch} stays: it is checked out in ${repo.dir}`));
    t.match(merged.stdout, /is merged into main/);
    box.same(t, mine, await repo.untouched(['refs/heads/main']), 'HEAD is not left on a branch that is not born');
    t.match((await repo.owl('show', one.id, '--json')).json().data, { state: 'done', merged: { by: 'owl' } });
    await repo.owl('gc');
    t.equal(await repo.oid(`refs/heads/${one.branch}`), one.tip, 'nor by gc');
    await repo.git('checkout', '-q', 'main');
    await repo.owl('gc');
    t.equal(await repo.oid(`refs/heads/${one.branch}`), '', 'it goes when nobody is on it');

    const two = await job('two');
    await repo.owl('accept', two.id);
    await repo.git('worktree', 'add', '-q', box.path('elsewhere'), two.branch);
    t.match((await repo.owl('merge', two.id)).stderr, /stays: it is checked out in .*elsewhere/);
    t.equal(await box.open(box.path('elsewhere')).git('status', '--porcelain'), '');

    const three = await job('three');
    await repo.git('worktree', 'remove', three.worktree);
    await repo.git('checkout', '-q', three.branch);
    t.match((await repo.owl('merge', three.id, { fails: 'any' })).stderr, /is open in|is checked out in/);
    t.equal(await repo.oid('HEAD'), three.tip, 'a worktree that is gone protects nobody else');
    await repo.git('checkout', '-q', 'main');

    const four = await job('four');
    await repo.git('worktree', 'remove', four.worktree);
    await repo.git('checkout', '-q', four.branch);
    await repo.owl('merge', four.id, { env: { OWL_FAIL_AT: 'merge.after-state' }, fails: 'any' });
    t.match(
      (await repo.owl('gc')).stderr,
      /stays: it is checked out in/,
      'nor by the command that finishes a killed merge',
    );
    t.equal(await repo.oid('HEAD'), four.tip);
  },
);

t.test(
  'J30, J31: what somebody merged by hand is said and recorded by accept, merge and verify; a revert is not',
  async (t) => {
    const box = await sandbox(t);
    const files = ['one', 'two', 'three', 'four'];
    const repo = await box.repository({
      agents: [box.agent('worker', byPrompt(...files))],
      config: 'plan: false\nchecks:\n  - { name: test, run: "true" }\n',
    });
    const shown = async (id: string) => (await repo.owl('show', id, '--json')).json().data;
    const job = async (file: string) => {
      const id = await repo.add(`write ${file}`);
      await repo.owl('run', id);
      return shown(id);
    };
    const one = await job('one');
    await repo.git('merge', '-q', '--ff-only', one.branch);
    const accepted = await repo.owl('accept', one.id);
    t.match(accepted.stderr, /the work of job .* is on refs\/heads\/main \(merged\)/);
    t.notMatch(accepted.stderr, /has not moved/);
    t.match(await shown(one.id), { state: 'done', merged: { by: 'hand', ref: 'refs/heads/main' } });
    t.match((await repo.owl('merge', one.id)).stdout, /is merged already/);

    const two = await job('two');
    t.match((await repo.owl('accept', two.id)).stderr, /the base has not moved/);
    await repo.git('merge', '-q', '--ff-only', two.branch);
    t.match((await repo.owl('merge', two.id, '--dry-run')).stdout, /would be done: the work of job/);
    t.match((await repo.owl('merge', two.id)).stdout, /is done: the work of job .* is on refs\/heads\/main \(merged\)/);
    t.match(await shown(two.id), { state: 'done', merged: { by: 'hand' } });

    const three = await job('three');
    await repo.git('merge', '-q', '--ff-only', three.branch);
    t.match((await repo.owl('verify', three.id)).stdout, /is in done|is done/);
    t.match(await shown(three.id), { state: 'done', merged: { by: 'hand' } });

    const four = await job('four');
    await repo.git('merge', '-q', '--no-ff', '--no-edit', four.branch);
    await repo.git('revert', '--no-edit', '-m', '1', 'HEAD');
    const main = await repo.untouched();
    const reverted = { code: 'refused', message: /merged into refs\/heads\/main and reverted there/ };
    t.match((await repo.owlFails(4, 'merge', four.id, '--json')).json().error, reverted);
    t.match((await repo.owlFails(4, 'merge', four.id, '--dry-run', '--json')).json().error, reverted);
    t.match(await shown(four.id), { state: 'review', merged: null });
    await repo.owl('accept', four.id);
    const late = (await repo.owlFails(4, 'merge', four.id, '--json')).json().error;
    t.match(late, { ...reverted, next: [`git owl reopen ${four.id}`] });
    t.match(await shown(four.id), { state: 'done', merged: null }, 'a done Job does not escalate for it');
    box.same(t, main, await repo.untouched());
  },
);
