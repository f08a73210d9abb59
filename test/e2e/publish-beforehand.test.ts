// What goes before a publication: LFS objects of its range are sent, gitlinks are looked for at their remotes; for Goals and Jobs (G32).

import { readFileSync, renameSync, rmSync } from 'node:fs';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CONFIG = `plan: false
execution: { publish: true }
checks:
  - { name: test, run: "true" }
quality: { checks: [{ name: style, run: "true" }] }
`;

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const onRemote = (repo: Repo, revision = 'main'): Promise<string> => repo.remoteGit('rev-parse', revision);
const digest = (letter: string): string => letter.repeat(64);
const pointer = (letter: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${digest(letter)}\nsize 12\n`;

/** Two commits, of which the second takes the pointer of the first away: the range has both. */
const writesPointers = (one: string, two: string): Scenario => ({
  execute: [
    { write: `${one}.bin`, text: pointer(one) },
    { commit: 'A pointer' },
    { write: `${one}.bin`, text: pointer(two) },
    { commit: 'Another pointer' },
  ],
});

/**
 * Stands in for Git LFS, which is not on every machine: it answers `git lfs version` and `git lfs pre-push <remote> <url>` with the
 * lines of a pre-push hook on standard input, and notes which objects of the range it was to send, and where the target was then.
 */
function standIn(box: Sandbox, repo: Repo): void {
  box.executable(
    'git-lfs',
    `#!/bin/sh
case "$1" in
  version) echo git-lfs/3.4.0; exit 0;;
  pre-push) ;;
  *) exit 64;;
esac
test -e '${box.path('lfs-down')}' && { echo 'batch response: the server is down' >&2; exit 2; }
while read -r ref new remote old; do
  echo "$2 $3 $remote at $(git --git-dir='${repo.bare}' rev-parse main) was $old" >> '${box.path('calls')}'
  for blob in $(git rev-list --objects --no-object-names "$new" "^$old"); do
    git cat-file -p "$blob" 2>/dev/null | sed -n 's/^oid sha256://p' >> '${box.path('sent')}'
  done
done
`,
  );
}

const lines = (box: Sandbox, name: string): readonly string[] =>
  readFileSync(box.path(name), 'utf8').trim().split('\n');

t.test('G32: LFS objects of the range are sent before the push, for a Job and for a Goal', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', writesPointers('a', 'b'))];
  const repo = await box.repository({ remote: 'bare', agents, config: CONFIG });
  const start = await onRemote(repo);
  const job = await repo.add('write it');
  await repo.owl('run');
  // Without Git LFS they cannot be sent, and nothing is published.
  const missing = await repo.owlFails(9, 'merge', job, '--json');
  t.match(missing.json().error, { code: 'remote', message: /2 LFS objects.*not installed/ });
  t.equal(await onRemote(repo), start);
  t.match(await show(repo, job), { state: 'review' });

  standIn(box, repo);
  repo.write('../lfs-down', '');
  t.match((await repo.owlFails(9, 'merge', job, '--json')).json().error, { message: /the server is down/ });
  t.equal(await onRemote(repo), start, 'they could not be sent: nothing was published');
  rmSync(box.path('lfs-down'), { force: true });
  for (const point of ['publish.before-lfs', 'publish.after-lfs']) {
    const killed = await repo.owl('merge', job, { fails: 'any', env: { OWL_FAIL_AT: point } });
    t.equal(killed.signal, 'SIGKILL', point);
    t.equal(await onRemote(repo), start, point);
  }
  await repo.owl('merge', job);
  const url = await repo.git('remote', 'get-url', 'origin');
  const calls = lines(box, 'calls');
  t.equal(calls.at(-1), `origin ${url} refs/heads/main at ${start} was ${start}`, 'the target had not moved yet');
  t.same([...new Set(lines(box, 'sent'))].sort(), [digest('a'), digest('b')], 'of every commit');
  t.not(await onRemote(repo), start);

  const before = await onRemote(repo);
  rmSync(box.path('sent'));
  const goal = (await repo.owl('goal', 'add', 'more', '--request', 'more', '--queue')).stdout.trim();
  box.agent('worker', writesPointers('c', 'd'));
  repo.write('../lfs-down', '');
  t.match((await repo.owlFails(9, 'goal', 'advance', goal, '--json')).json().error, { code: 'lfs-unsent' });
  t.match(await show(repo, goal), { status: 'governance' });
  t.equal(await onRemote(repo), before);
  rmSync(box.path('lfs-down'), { force: true });
  await repo.owl('goal', 'advance', goal);
  t.match(await show(repo, goal), { status: 'review' });
  t.same([...new Set(lines(box, 'sent'))].sort(), [digest('c'), digest('d')]);
  t.equal(await onRemote(repo, 'main^1'), before);
});

t.test('G32: a gitlink is looked for at its remote before what names it is published', async (t) => {
  const box = await sandbox(t);
  const library = await box.repository({ name: 'library' });
  const shared = await library.oid('main');
  await library.git('checkout', '-q', '-b', 'own');
  const own = await library.commit('Own', { 'own.txt': 'x\n' });
  await library.git('checkout', '-q', 'main');
  const moves: Scenario = {
    execute: [
      { git: ['-C', 'lib', 'checkout', '-q', own] },
      { git: ['add', 'lib'] },
      { git: ['commit', '-qm', 'Move the link'] },
    ],
  };
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', moves)], config: CONFIG });
  await repo.git('config', '--global', 'protocol.file.allow', 'always');
  await repo.git('update-index', '--add', '--cacheinfo', `160000,${shared},lib`);
  repo.write('.gitmodules', `[submodule "lib"]\n\tpath = lib\n\turl = ${library.dir}\n`);
  await repo.git('add', '.gitmodules');
  await repo.git('commit', '-qm', 'A submodule');
  await repo.git('push', '-q', 'origin', 'main');
  const start = await onRemote(repo);
  const job = await repo.add('move the link');
  await repo.owl('run', { fails: 'any' });
  t.match(await show(repo, job), { state: 'review' });

  // Nobody has it any more but the worktree of the Job.
  await library.git('branch', '-q', '-D', 'own');
  await library.git('reflog', 'expire', '--expire=now', '--all');
  await library.git('prune', '--expire=now');
  const refused = await repo.owlFails(4, 'merge', job, '--json');
  t.match(refused.json().error, { code: 'refused', message: /submodule lib does not have/ });
  t.equal(await onRemote(repo), start);
  const away = box.path('away');
  renameSync(library.dir, away);
  const unseen = await repo.owlFails(9, 'merge', job, '--json');
  t.match(unseen.json().error, { code: 'remote', message: /could not be asked/ }, 'not to be had is not absent');
  t.equal(await onRemote(repo), start);
  renameSync(away, library.dir);

  // Below a branch, not at its tip: the server is asked for the commit itself.
  const worktree = (await show(repo, job)).worktree;
  await repo.git('-C', `${worktree}/lib`, 'push', '-q', library.dir, `${own}:refs/heads/again`);
  await library.git('checkout', '-q', 'again');
  await library.commit('On top', { 'top.txt': 'x\n' });
  await repo.owl('merge', job);
  t.match(await repo.remoteGit('ls-tree', 'main', 'lib'), new RegExp(own));
});
