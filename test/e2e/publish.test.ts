// `execution.publish`: the remote is served first, exactly once, and what is here follows (G32 to G35; J34; 07.36, 07.38).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const writes = (...files: readonly string[]): Scenario => ({
  cases: files.map((file) => ({
    when: `write ${file}`,
    execute: [{ write: `${file}.txt`, text: `${file}\n` }, { commit: `Write ${file}` }],
  })),
  execute: [{ exit: 1 }],
});

const CONFIG = `plan: false
execution: { auto_merge: true, publish: true }
checks:
  - { name: test, run: "ls *.txt" }
`;

const ground = async (box: Sandbox, files: readonly string[], config = CONFIG): Promise<Repo> =>
  box.repository({ remote: 'bare', agents: [box.agent('worker', writes(...files))], config });

const onRemote = (repo: Repo, revision = 'main'): Promise<string> => repo.remoteGit('rev-parse', revision);
const shown = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

t.test('G32, J34: the merge is pushed first, under the lease; branch, checkout and state follow', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box, ['one', 'two']);
  const start = await repo.oid('main');
  const one = await repo.add('write one');
  const run = await repo.owl('run', '--json');
  t.match(run.jsonLines()[0].data, { id: one, state: 'done', unit: { merged: true } });
  const main = await onRemote(repo);
  t.equal(await onRemote(repo, 'main^1'), start, 'two parents, also where a fast-forward would do');
  t.equal(await repo.remoteGit('diff', '--name-only', 'main^1', 'main'), 'one.txt', 'without the Handoff');
  t.match(await repo.remoteGit('log', '-1', '--format=%B', 'main'), new RegExp(`Owl-Job: ${one}\nOwl-Lease-Token: 1`));
  t.equal(await repo.oid('refs/heads/main'), main);
  t.equal(await repo.oid('refs/remotes/origin/main'), main);
  t.equal(repo.read('one.txt'), 'one\n', 'the checkout follows (G33)');
  t.equal(await repo.git('status', '--porcelain'), '');
  t.match(await shown(repo, one), {
    state: 'done',
    worktree: null,
    merged: { by: 'owl', ref: 'refs/remotes/origin/main', before: start, after: main, commits: 2, files: 1 },
  });
  t.same((await repo.remoteGit('for-each-ref', '--format=%(refname)', 'refs/heads')).split('\n'), ['refs/heads/main']);
  t.match((await repo.owl('lease', '--json')).json().data.items, [{ target: 'main', state: 'free', token: 1 }]);
  t.notMatch((await repo.owl('status')).stdout + (await repo.owl('status')).stderr, /not on origin/);
  t.equal((await repo.git('for-each-ref', 'refs/owl/local/publish', 'refs/owl/local/landing')) === '', true);

  // What only the local branch has is never published, and the merge is made beside it (03, "The target").
  const mine = await repo.commit('Mine', { 'mine.txt': 'mine\n' });
  const pushed = await repo.colleague('Theirs', { 'theirs.txt': 'theirs\n' });
  const two = await repo.add('write two');
  const before = await repo.untouched(['refs/remotes/origin/main']);
  const second = await repo.owl('run');
  t.match(second.stderr, /main here has commits that origin does not/);
  box.same(t, before, await repo.untouched(['refs/remotes/origin/main']));
  t.equal(await onRemote(repo, 'main^1'), pushed);
  t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'mine.txt'), '');
  t.equal(await repo.oid('refs/heads/main'), mine);
  t.match(await shown(repo, two), { state: 'done' });
  t.match((await repo.owl('merge', two)).stdout, /merged already/);
});

t.test('G33: a checkout that cannot follow waits by a note, and is brought up later', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box, ['one', 'two', 'three']);
  await repo.add('write one');
  repo.write('one.txt', 'mine\n');
  const start = await repo.oid('main');
  const run = await repo.owl('run');
  t.match(run.stderr, /main here follows later/);
  t.not(await onRemote(repo), start);
  t.equal(await repo.oid('refs/heads/main'), start, 'a collision: neither ref nor files');
  t.equal(repo.read('one.txt'), 'mine\n');
  t.match((await repo.owl('status')).stdout, /main/);
  repo.remove('one.txt');
  const two = await repo.add('write two');
  t.equal(await repo.oid('refs/heads/main'), await onRemote(repo), 'the next writing command brings it up');
  t.equal(repo.read('one.txt'), 'one\n');

  repo.write('.git/index.lock', '');
  await repo.owl('run');
  repo.remove('.git/index.lock');
  t.not(await repo.oid('refs/heads/main'), await onRemote(repo));
  t.match(await shown(repo, two), { state: 'done' }, 'the remote has it');
  const three = await repo.add('write three');
  await repo.owl('run');
  t.equal(await repo.oid('refs/heads/main'), await onRemote(repo));
  t.equal(await repo.git('status', '--porcelain'), '');
  t.match(await shown(repo, three), { state: 'done' });
});

t.test('G34, J34: the target moves between the look and the push: replayed, verified, pushed once', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box, ['one', 'clash']);
  await repo.clone('other');
  // Pushes once, just before ours arrives.
  const racer = box.executable(
    'racer',
    `#!/bin/sh
test -e '${box.path('raced')}' && exit 0
touch '${box.path('raced')}'
cd '${box.path('other')}' && echo theirs > theirs.txt && git add . && git commit -qm Theirs && git push -q origin HEAD:main
`,
  );
  // Fetches are answered with the old target until the push of ours has begun.
  box.executable(
    'git',
    `#!/bin/sh\nfor word; do test "$word" = --porcelain && case " $* " in *" push "*:refs/heads/main*) '${racer}';; esac; done\nexec /usr/bin/git "$@"\n`,
  );
  const one = await repo.add('write one');
  const run = await repo.owl('run');
  t.match(run.stderr, /main of origin has moved meanwhile/);
  t.match(run.stderr, /has moved since it was verified/);
  t.match(await shown(repo, one), { state: 'done' });
  t.equal(await repo.remoteGit('log', '-1', '--format=%s', 'main^1'), 'Theirs');
  t.equal(await repo.remoteGit('rev-list', '--merges', '--count', 'main'), '1', 'once');
  t.equal(await repo.oid('main'), await onRemote(repo));
});

t.test('G34, 07.38: declined by the rules of the server: nothing moved, export is the way on', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box, ['one']);
  setHook(
    repo.bare,
    'update',
    '[ "$1" = refs/heads/main ] && { echo "main is protected: open a request" >&2; exit 1; }; exit 0',
  );
  const one = await repo.add('write one');
  const before = await repo.untouched();
  const run = await repo.owlFails(5, 'run', '--json');
  box.same(t, before, await repo.untouched());
  t.match(run.jsonLines()[0].data, {
    state: 'escalated',
    reason: { code: 'declined-by-server', text: /main is protected/ },
  });
  const job = await shown(repo, one);
  t.ok(repo.exists(job.worktree));
  t.match(job.next ?? (await repo.owl('status')).stdout, /export/);
  t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
    event: 'merge_failed_escalated',
  });
  t.equal(await repo.git('for-each-ref', 'refs/owl/local/publish'), '');
  setHook(repo.bare, 'update', 'exit 0');
  await repo.owl('verify', one);
  await repo.owl('merge', one);
  t.equal(await repo.remoteGit('show', 'main:one.txt'), 'one');
});

t.test(
  'G32: a remote that cannot be asked: nothing is merged, and what may have arrived is looked for first',
  async (t) => {
    const box = await sandbox(t);
    const repo = await ground(box, ['one'], CONFIG.replace('auto_merge: true', 'auto_merge: false'));
    const one = await repo.add('write one');
    await repo.owl('run');
    const url = await repo.git('remote', 'get-url', 'origin');
    await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
    const before = await repo.untouched();
    t.match((await repo.owlFails(9, 'merge', one, '--json')).json().error, { code: 'remote' });
    box.same(t, before, await repo.untouched(), 'no local merge either');
    await repo.git('remote', 'set-url', 'origin', url);

    // The push arrives, and then the network is gone before anybody hears of it.
    const cut = `cd '${repo.dir}' && git remote set-url origin '${box.path('nowhere.git')}'`;
    setHook(
      repo.bare,
      'post-update',
      `case "$*" in *refs/heads/main*) unset GIT_DIR GIT_QUARANTINE_PATH; ${cut}; kill -9 $PPID;; esac`,
    );
    const sent = await repo.owlFails(9, 'merge', one, '--json');
    t.match(sent.json().error, { code: 'remote', message: /whether it arrived is not known/ });
    setHook(repo.bare, 'post-update', 'exit 0');
    t.match(await shown(repo, one), { state: 'review', merged: null });
    for (const verb of [['merge'], ['verify'], ['accept'], ['retry', '-m', 'x'], ['drop']])
      t.match((await repo.owlFails(9, verb[0] ?? '', one, ...verb.slice(1), '--json')).json().error, {
        code: 'remote',
        message: /not known/,
      });
    await repo.git('remote', 'set-url', 'origin', url);
    const merged = await onRemote(repo);
    const again = await repo.owl('merge', one);
    t.match(again.stderr, /origin has it, and it is finished/);
    t.match(again.stdout, /merged already/);
    t.equal(await onRemote(repo), merged, 'never merged again');
    t.match(await shown(repo, one), { state: 'done', merged: { after: merged } });
    t.equal(await repo.oid('main'), merged);
  },
);

t.test('G32: killed before and after each step of a publication, the next command finishes or undoes it', async (t) => {
  const box = await sandbox(t);
  const points = [
    ['lease.before-take', false],
    ['lease.after-take', false],
    ['publish.before-push', false],
    ['push.after-send', true, 3],
    ['publish.after-push', true],
    ['publish.before-follow', true],
    ['follow.after-files', true],
    ['publish.after-follow', true],
    ['merged.after-state', true],
    ['merge.after-worktree', true],
    ['lease.before-release', true],
  ] as const;
  const names = points.map((_, at) => `file-${'abcdefghijklmn'[at]}`);
  const repo = await ground(box, names, CONFIG.replace('auto_merge: true', 'auto_merge: false'));
  for (const [at, [point, arrives, count]] of points.entries()) {
    const id = await repo.add(`write ${names[at]}`);
    await repo.owl('run', id);
    const before = await onRemote(repo);
    const env = { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: String(count ?? 1) };
    const killed = await repo.owl('merge', id, { env, fails: 'any' });
    t.equal(killed.signal, 'SIGKILL', point);
    t.equal((await onRemote(repo)) !== before, arrives, `${point}: ${arrives ? 'it arrived' : 'nothing arrived'}`);
    await repo.owl('merge', id);
    const job = await shown(repo, id);
    t.match(job, { state: 'done', merged: { by: 'owl', after: await onRemote(repo) }, worktree: null }, point);
    t.equal(await onRemote(repo, 'main^1'), before, `${point}: merged once`);
    t.equal(await repo.oid(`refs/heads/${job.branch}`), '', `${point}: its branch is gone`);
    t.equal(await repo.oid('refs/heads/main'), await onRemote(repo), point);
    t.equal(await repo.git('status', '--porcelain'), '', point);
    t.equal(await repo.git('for-each-ref', 'refs/owl/local/publish', 'refs/owl/local/landing'), '', point);
  }
  await repo.add('later');
  const tokens = (await repo.owl('lease', '--json')).json().data.items;
  t.match(tokens, [{ state: 'free' }]);
});

t.test('G32, 05.S2, 07.38: the shared state goes along, with this unit only, and is taken in here', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box, ['one', 'two', 'three'], CONFIG.replace('auto_merge: true', 'auto_merge: false'));
  const state = 'refs/heads/refine/state';
  const one = await repo.add('write one');
  const two = await repo.add('write two');
  await repo.owl('run', one, two);
  await repo.git('push', '-q', 'origin', state);
  const other = await repo.clone('other');
  await other.git('fetch', '-q', 'origin', `${state}:${state}`);
  const theirs = await other.add('of the other clone');
  await other.git('push', '-q', 'origin', state);
  const mine = await repo.add('write three');
  const before = await onRemote(repo, state);
  const record = (revision: string, id: string) =>
    repo.gitResult('grep', '-l', `"id": "${id}"`, revision, '--', '**/job.json').then(({ stdout }) => stdout.trim());

  await repo.owl('merge', one);
  t.equal(await onRemote(repo, `${state}^`), before, 'one commit on the fetched tip');
  t.match(
    await repo.remoteGit('log', '-1', '--format=%s%n%b', state),
    /merged 2 commits(?:.|\n)*Owl-Event: task_merged/,
  );
  const remote = await onRemote(repo, state);
  t.match(await record(remote, one), /closed\/jobs/);
  t.match(await record(remote, theirs), /open\/jobs/, 'what the other clone has is still there');
  t.equal(await record(remote, mine), '', 'and nothing else of this clone');
  for (const id of [theirs, mine]) t.match(await record(state, id), /open\/jobs/, 'here is all of it');
  t.match(await record(state, one), /closed\/jobs/);
  t.equal((await repo.gitResult('merge-base', '--is-ancestor', remote, state)).code, 0, 'taken in');
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  t.same(
    (await repo.owl('list', '--json'))
      .json()
      .data.items.map((job: { id: string }) => job.id)
      .sort(),
    [two, theirs, mine].sort(),
  );
  await other.git('fetch', '-q', 'origin', `${state}:${state}`);
  t.match(await shown(other, one), { state: 'done', merged: { after: await onRemote(repo) } });
  t.same((await other.owl('fsck', '--json')).json().data.findings, []);

  // The other clone changes the same Job beside us: that is taken in first, and it is merged on what both say.
  await other.owl('extend', two, '3');
  await other.git('push', '-q', 'origin', state);
  const target = await onRemote(repo);
  await repo.owl('extend', two, '5');
  t.match((await repo.owlFails(7, 'merge', two, '--json')).json().error, {
    code: 'busy',
    message: new RegExp(`${two} was changed on origin too; that is taken in now`),
    next: [`git owl merge ${two}`],
  });
  t.equal(await onRemote(repo), target);
  await repo.owl('merge', two);
  t.match(await shown(repo, two), { state: 'done', ttl: 17 });
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);

  // Both decided: nothing is published, and the error says how it is settled (S3).
  await repo.owl('run', mine);
  await repo.git('push', '-q', 'origin', state);
  await other.git('fetch', '-q', 'origin', `${state}:${state}`);
  await other.owl('retry', mine, '-m', 'once more');
  await other.git('push', '-q', 'origin', state);
  await repo.owl('accept', mine);
  const last = await onRemote(repo);
  const contested = await repo.owlFails(5, 'merge', mine, '--json');
  t.match(contested.json().error, { code: 'contested', message: /sync --take local --record/ });
  t.equal(await onRemote(repo), last);
  t.match((await repo.owlFails(5, 'merge', mine, '--json')).json().error, { code: 'contested' }, 'until it is settled');
});

t.test(
  'G32: the shared state moves under a push: built anew; killed after it: taken in by the next command',
  async (t) => {
    const box = await sandbox(t);
    const repo = await ground(box, ['one', 'two'], CONFIG.replace('auto_merge: true', 'auto_merge: false'));
    const state = 'refs/heads/refine/state';
    const one = await repo.add('write one');
    const two = await repo.add('write two');
    await repo.owl('run', one, two);
    await repo.git('push', '-q', 'origin', state);
    const other = await repo.clone('other');
    await other.git('fetch', '-q', 'origin', `${state}:${state}`);
    const theirs = await other.add('of the other clone');
    const racer = box.executable(
      'racer',
      `#!/bin/sh
test -e '${box.path('raced')}' && exit 0
touch '${box.path('raced')}'
cd '${other.dir}' && git push -q origin ${state}
`,
    );
    box.executable(
      'git',
      `#!/bin/sh\ncase " $* " in *" push "*--porcelain*:refs/heads/main*) '${racer}';; esac\nexec /usr/bin/git "$@"\n`,
    );
    const start = await onRemote(repo);
    await repo.owl('merge', one);
    t.equal(await onRemote(repo, 'main^1'), start, 'merged once, without another verification');
    t.equal(await onRemote(repo, `${state}^`), await other.oid(state), 'on top of what came meanwhile');
    t.match(await shown(repo, theirs), { state: 'pending' });

    const killed = await repo.owl('merge', two, { env: { OWL_FAIL_AT: 'publish.after-push' }, fails: 'any' });
    t.equal(killed.signal, 'SIGKILL');
    t.match(await shown(repo, two), { state: 'review' });
    const sent = await onRemote(repo, state);
    t.match((await repo.owl('merge', two)).stdout, /merged already/);
    t.equal((await repo.gitResult('merge-base', '--is-ancestor', sent, state)).code, 0, 'taken in');
    t.match(await shown(repo, two), { state: 'done', merged: { after: await onRemote(repo) } });
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);
