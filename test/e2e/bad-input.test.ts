// Bad input and bad ground: each is refused with its exit status and a sentence, and nothing is changed (06, 07.30 to 07.32).
// Prompts are in queue.test.ts, Runs and quarantine in cli.test.ts.

import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { MINIMUM_GIT } from '../../src/git/version.js';
import { diligent } from '../fixtures/agents.js';
import { DIST, type Result, run } from '../fixtures/process.js';
import type { CallOptions, Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const STATE = 'refs/heads/refine/state';

/** Runs it with --json: that exit status and code, a sentence, and no ref, file or index is changed. Returns what it says. */
async function refused(
  t: Test,
  repo: Repo,
  exit: number,
  code: string,
  ...args: readonly (string | CallOptions)[]
): Promise<string> {
  const words = args.filter((word) => typeof word === 'string');
  const options = args.find((word) => typeof word === 'object') ?? {};
  const before = [await repo.refs(), await repo.untouched()] as const;
  const { stdout, stderr } = await repo.owl(...words, '--json', { ...options, fails: exit });
  const line = words.join(' ').slice(0, 60);
  const { ok, error } = JSON.parse(stdout);
  t.match({ ok, code: error?.code }, { ok: false, code }, `${line}: ${code}`);
  t.match(error?.message, /^[^\n]*[^.\n]$/, `${line}: a sentence`);
  t.notMatch(stderr, /\n {4}at /, `${line}: no stack`);
  t.same(await repo.refs(), before[0], `${line}: no ref was changed`);
  repo.box.same(t, before[1], await repo.untouched(), `${line}: no file was changed`);
  return error?.message ?? '';
}

/** Puts a file into the state by Git's own commands, past the program; null removes it. */
async function plant(repo: Repo, path: string, text: string | null): Promise<void> {
  const env = { GIT_INDEX_FILE: repo.box.path('tmp', 'plant-index') };
  await repo.git('read-tree', STATE, { env });
  if (text === null) await repo.git('update-index', '--force-remove', path, { env });
  else {
    const blob = await repo.git('hash-object', '-w', '--stdin', { input: text });
    await repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`, { env });
  }
  const tree = await repo.git('write-tree', { env });
  await repo.git('update-ref', STATE, await repo.git('commit-tree', '-p', STATE, '-m', 'planted', tree));
}

t.test('06: no commit, no such base, branch, id or agent', async (t) => {
  const box = await sandbox(t);
  const empty = await box.repository({ unborn: true });
  await refused(t, empty, 3, 'no-commit', 'add', 'too early');
  await empty.owl('status');
  await empty.owl('list');
  await empty.owl('gc');

  const repo = await box.repository({ config: 'agent: codex\n' });
  await refused(t, repo, 3, 'missing-base', 'add', '--base', 'nowhere', 'x');
  await refused(t, repo, 3, 'unknown-id', 'show', 'zzzzzz');
  await refused(t, repo, 2, 'usage', 'add', '-x');
  await refused(t, repo, 2, 'usage', 'add', '');
  const id = await repo.add('--', '-x');
  for (const verb of ['merge', 'drop', 'run', 'diff']) await repo.owlFails(3, verb, 'zzzzzz');
  t.match(await refused(t, repo, 9, 'missing-agent', 'run', id), 'codex');
  t.match(
    (await repo.owl('run', '--json')).json().data.waiting,
    [{ job: id, why: /codex/ }],
    'the queue passes it over',
  );
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'pending', prompt: '-x', ttl: 10, runs: 0 });
});

t.test(
  'J16, J2: an agent that is not to be had: said at once, and what to do; nothing is proposed that does nothing',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ config: 'agents: { mine: { command: [my-agent] } }\n' });
    const added = await repo.owl('add', 'work');
    const id = added.stdout.trim();
    const status = (await repo.owl('status')).stdout;
    t.match(status, /agents: defines mine; say agent: mine/);
    t.match(status, /next: git owl doctor\n$/, 'not run, which would do nothing');
    t.match((await repo.owl('run')).stdout, /nothing to run\n.*say agent: mine/);
    t.match(
      (await repo.owl('run', '--dry-run')).stdout,
      /nothing to run\n.*say agent: mine/,
      'a dry run says the same',
    );
    t.match((await repo.owl('doctor', { fails: 'any' })).stdout, /say agent: mine/);
    t.match((await repo.owl('add', '--agent', 'bogus', 'x')).stderr, /the agent 'bogus' is no preset, and .* waits/);
    t.match((await repo.owl('add', '--dry-run', 'x')).stdout, /^would be queued at place 3: x\n/);
    for (const label of ['a b', 'none', 'a,b'])
      t.match((await repo.owlFails(2, 'add', '--label', label, 'x')).stderr, /is no label/, label);
    await repo.owlFails(2, 'edit', id, '--label', 'a b');
    t.match((await repo.owl('reorder', id, '--last')).stdout, /is at place 2 of 2/);
  },
);

t.test('06, J1, 07.27: words that are not text, a start at the state, numbers and titles', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.add('first');
  const latin1 = box.executable('latin1', `#!/bin/sh\nexec git-owl "$@" "$(printf 'caf\\351')"\n`);
  const before = await repo.oid(STATE);
  const latin = await run({ command: latin1, args: ['add'], cwd: repo.dir, env: box.env() });
  t.match(latin, { code: 2, stderr: /not text in UTF-8/ });
  for (const from of ['refine/state', 'refs/heads/refine/state', 'refs/owl/keep/abcd', 'origin/refine/state'])
    await refused(t, repo, 4, 'reserved-name', 'add', '--from', from, 'x');
  t.match(await refused(t, repo, 2, 'usage', 'add', '--ttl', '-1', 'x'), /cannot be negative/);
  const missing = await repo.owl('add', '--base', 'nope', 'x', '--json', { fails: 'any' });
  t.same(missing.json().error.next, ['git branch --all']);
  const large = await repo.owl('add', '-', { input: 'x'.repeat(2_000_000), fails: 2 });
  t.match(large.stderr, /the prompt has more than 524288 bytes/, 'what was not read is not counted');
  t.equal(await repo.oid(STATE), before);
  for (const [prompt, title] of [
    ['--json is ignored', '--json is ignored'],
    ['-5 degrees', '-5 degrees'],
    ['- [ ] item', '[ ] item'],
    ['## A heading', 'A heading'],
    ['\uFFFD as it was typed', '\uFFFD as it was typed'],
  ] as const) {
    const id = await repo.add('--', prompt);
    t.equal((await repo.owl('show', id, '--json')).json().data.title, title);
  }
});

t.test('06: a configuration that is not one, of the base and of the user', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await repo.add('before it broke');
  const bad: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['an unknown key', { '.coding-owl.yaml': 'version: 1\nttll: 3\n' }, /ttll.*ttl/],
    ['a wrong type', { '.coding-owl.yaml': 'version: 1\nttl: many\n' }, /ttl/],
    ['a newer version', { '.coding-owl.yaml': 'version: 99\n' }, /version/],
    ['a syntax error', { '.coding-owl.yaml': 'version: [1\n' }, /coding-owl\.yaml/],
    ['an executable form', { '.coding-owl.cjs': 'require("fs").writeFileSync("pwned", "")\n' }, /coding-owl\.cjs/],
    ['two files', { '.coding-owl.yaml': 'version: 1\n', '.coding-owl.json': '{"version": 1}' }, /coding-owl\.json/],
  ];
  for (const [what, files, says] of bad) {
    const head = await repo.commit(what, files);
    t.match(await refused(t, repo, 9, 'configuration', 'add', 'x'), says, `${what}: named`);
    await refused(t, repo, 9, 'configuration', 'run');
    t.match((await repo.owl('list', '--format', '%(id)')).stdout, id, `${what}: reading works`);
    t.match((await repo.owl('doctor', '--json', { fails: 'any' })).json(), { ok: false, kind: 'doctor' });
    await repo.git('reset', '-q', '--hard', `${head}^`);
  }
  t.notOk(repo.exists('pwned'));
  box.userConfig('version: 1\nagents: 7\n');
  await refused(t, repo, 9, 'configuration', 'add', 'x');
});

t.test('01: branches in the way: refine, the prefix, and an ordinary branch refine/state', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  for (const name of ['refine', 'owl']) {
    await repo.git('branch', name);
    t.match(await refused(t, repo, 4, 'name-blocked', 'add', 'x'), `branch ${name} `);
    await repo.owl('status');
    await repo.git('branch', '-D', name);
  }
  await repo.git('branch', 'refine/state');
  for (const words of [['add', 'x'], ['run'], ['list'], ['gc']]) await refused(t, repo, 9, 'foreign-state', ...words);
  await repo.git('branch', '-D', 'refine/state');
  await repo.add('x');
});

t.test('01: a ref in the place of our own, a checkout of the state, no folder for temporary files', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', diligent())] });
  const id = await repo.add('--no-plan', 'work');
  for (const name of ['refs/owl', 'refs/owl/local', 'refs/owl/keep']) {
    await repo.git('update-ref', name, 'HEAD');
    const before = await repo.refs();
    for (const words of [['run'], ['add', 'x'], ['cancel', id]]) {
      const said = await refused(t, repo, 4, 'name-blocked', ...words);
      t.match(said, name, `${words[0]}: named`);
    }
    t.same(await repo.refs(), before, 'nothing was written');
    t.match((await repo.owl('doctor', { fails: 'any' })).stdout, `${name} makes`);
    t.match((await repo.owl('fsck', { fails: 'any' })).stdout, `${name} makes`);
    await repo.git('update-ref', '-d', name);
  }
  const state = box.path('state');
  await repo.git('worktree', 'add', '-q', state, 'refine/state');
  for (const words of [
    ['add', 'y'],
    ['cancel', id],
    ['reopen', id],
  ])
    t.match((await repo.owl(...words)).stderr, `refine/state is checked out in ${state}`, `${words[0]} warns`);
  await repo.git('worktree', 'remove', '--force', state);
  const env = { TMPDIR: box.path('nowhere') };
  const run = await repo.owl('run', id, { fails: 9, env });
  t.match(run.stderr, /no temporary files can be made in .*nowhere/);
  await repo.owl('run', id);
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'review' });
});

t.test(
  '01, S9, 07.30: a state that is gone or overwritten is said, and never taken for one that was not made',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', diligent())] });
    const id = await repo.add('--no-plan', 'work');
    await repo.owl('run');
    const tip = await repo.oid(STATE);
    await repo.git('update-ref', '-d', STATE);
    for (const words of [['add', 'x'], ['run'], ['show', id], ['list'], ['drop', id]])
      t.match(await refused(t, repo, 9, 'damaged-state', ...words), /seems to be missing/);
    for (const words of [['fsck'], ['fsck', '--repair'], ['doctor']]) {
      const said = await repo.owl(...words, { fails: 9 });
      t.match(said.stdout, /seems to be missing/, words.join(' '));
      t.notMatch(said.stderr, /the rest of the state works|fsck --repair/);
    }
    t.match(await repo.git('fsck', '--no-reflogs'), `dangling commit ${tip}`, 'the way back that fsck names');
    await repo.git('branch', 'refine/state', tip);
    t.match((await repo.owl('show', id, '--json')).json().data, { state: 'review' });
    await repo.git('update-ref', STATE, 'main');
    const over = await repo.owl('fsck', { fails: 9 });
    t.match(over.stderr, /git reflog show/);
    t.notMatch(over.stderr, /the rest of the state works/);
  },
);

t.test(
  '06: where add cannot print its result, the job that it queued is said',
  { skip: !existsSync('/dev/full') },
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository();
    const full = box.executable('full', '#!/bin/sh\nexec git-owl "$@" > /dev/full\n');
    const said = await run({ command: full, args: ['add', 'x'], cwd: repo.dir, env: box.env() });
    const id = (await repo.owl('list', '--format', '%(id)')).stdout.trim();
    t.match(said, { code: 9, stderr: `the job was queued: ${id}` });
  },
);

t.test('07.30: a state that is damaged or newer', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const broken = await repo.add('broken');
  const sound = await repo.add('sound');
  const tip = await repo.oid(STATE);
  const [path = ''] = await repo.records(new RegExp(`/${broken}/job\\.json$`));
  const record = await repo.record(path);
  for (const [what, text] of [
    ['newer', JSON.stringify({ ...record, schema: 99, writer: '99.0.0' })],
    ['truncated', JSON.stringify(record).slice(0, 80)],
  ] as const) {
    await plant(repo, path, text);
    const listed = await repo.owl('list');
    t.match(listed.stdout, sound, `${what}: the rest is listed`);
    t.match(
      listed.stderr,
      `${path} is ${what === 'newer' ? 'newer' : 'damaged'}: `,
      `${what}: what is left out is said`,
    );
    t.match((await repo.owl('gc', '--dry-run')).stderr, path, `${what}: gc says it too`);
    await repo.owl('edit', sound, '--ttl', '7');
    t.match((await repo.owl('fsck', { fails: 'any' })).stdout, broken, `${what}: fsck explains`);
    await refused(t, repo, 9, what === 'newer' ? 'newer-state' : 'damaged-state', 'drop', broken);
    await repo.git('update-ref', STATE, tip);
  }
  const meta = await repo.record('meta.json');
  for (const [code, text] of [
    ['newer-state', JSON.stringify({ ...meta, schema: 99 })],
    ['damaged-state', '{"schema": 1'],
  ] as const) {
    await plant(repo, 'meta.json', text);
    await refused(t, repo, 9, code, 'add', 'x');
    await refused(t, repo, 9, code, 'cancel', sound);
    const listed = await repo.owl('list');
    t.match(listed.stdout, sound, `${code}: reading works`);
    t.match(listed.stderr, /meta\.json is (?:newer|damaged): .*git owl fsck/, `${code}: and says so`);
    t.match((await repo.owl('gc', { fails: 'any' })).stderr, /meta\.json/, `${code}: gc too`);
    t.match((await repo.owl('fsck', { fails: 'any' })).stdout, 'meta.json', `${code}: fsck explains`);
    await repo.git('update-ref', STATE, tip);
  }
  const object = join(repo.dir, '.git/objects', tip.slice(0, 2), tip.slice(2));
  rmSync(object);
  const said = await repo.owlFails(9, 'add', 'x', '--json');
  t.match(said.json(), { ok: false, error: { code: 'damaged-state' } });
  t.equal(repo.read('.git/refs/heads/refine/state').trim(), tip, 'a state that cannot be read is not begun again');
});

t.test('06: a Git that is too old, or none', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.add('x');
  const before = await repo.refs();
  const [major, minor] = MINIMUM_GIT;
  const bin = box.path('old');
  mkdirSync(bin);
  const git = join(bin, 'git');
  writeFileSync(
    git,
    `#!/bin/sh\n[ "$1" = version ] || [ "$1" = --version ] && { echo git version ${major}.${minor - 1}.9; exit; }\nexec /usr/bin/git "$@"\n`,
  );
  chmodSync(git, 0o755);
  const old = { env: { PATH: `${bin}:${box.env()['PATH']}` } };
  for (const words of [['add', 'x'], ['run'], ['list']]) {
    const { stdout } = await repo.owlFails(9, ...words, '--json', old);
    t.match(JSON.parse(stdout), { error: { code: 'git-too-old', message: `${major}.${minor}.0 or newer` } });
  }
  await repo.owl('-h', old);
  const none = { env: { PATH: box.path('tmp') } };
  t.match((await repo.owlFails(9, 'list', '--json', none)).json(), { error: { code: 'git-missing' } });
  await repo.owl('--version', none);
  t.same(await repo.refs(), before);
});

t.test('07.29: a repository that cannot be written', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await repo.add('before');

  // A ref that is a folder, with something in it that no Git removes.
  const keep = join(repo.dir, '.git/refs/owl/keep', id);
  mkdirSync(keep, { recursive: true });
  writeFileSync(join(keep, 'left.lock'), '');
  await repo.owl('drop', id);
  rmSync(keep, { recursive: true });
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'cancelled' }, 'it was not needed');

  // A lock that a dead Git left: it is waited for a moment, then named; nobody removes it.
  const lock = join(repo.dir, `.git/${STATE}.lock`);
  writeFileSync(lock, '');
  const locked = JSON.parse((await repo.owl('add', 'x', '--json', { fails: 'any' })).stdout);
  t.match(locked, { ok: false, error: { code: /^(?:busy|storage)$/ } });
  t.ok(repo.exists(lock), 'the lock of somebody is left alone');
  rmSync(lock);
  writeFileSync(join(repo.dir, '.git/packed-refs.lock'), '');
  const other = await repo.add('beside packed-refs.lock');
  rmSync(join(repo.dir, '.git/packed-refs.lock'));

  // No permission: root has every one, so that it becomes nobody first.
  const state = await repo.oid(STATE);
  chmodSync(box.dir, 0o755);
  await repo.git('config', '--global', 'safe.directory', '*');
  const root = process.getuid?.() === 0;
  const folders = ['.git', '.git/objects', '.git/refs', '.git/refs/heads', '.git/refs/heads/refine'];
  if (!root) for (const folder of folders) chmodSync(join(repo.dir, folder), 0o555);
  const become = root ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];
  const as = (...words: string[]): Promise<Result> => {
    const [command = '', ...args] = [...become, process.execPath, join(DIST, 'main.js'), ...words, '--json'];
    return run({ command, args, cwd: repo.dir, env: { ...box.env(), TMPDIR: '/tmp' } });
  };
  for (const words of [['list'], ['status'], ['show', id]]) t.match((await as(...words)).json(), { ok: true });
  for (const words of [
    ['add', 'x'],
    ['edit', other, '--ttl', '3'],
    ['drop', other],
  ]) {
    const { code, stdout } = await as(...words);
    t.match(JSON.parse(stdout), { ok: false, error: { code: 'storage' } }, words.join(' '));
    t.equal(code, 9);
  }
  if (!root) for (const folder of folders) chmodSync(join(repo.dir, folder), 0o755);
  t.equal(await repo.oid(STATE), state);
});

t.test('07.31, 07.32: the checkout of the user, and the clock, are no obstacle', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ files: { 'file.txt': 'one\n' } });
  await repo.git('checkout', '-q', '-b', 'topic');
  await repo.commit('theirs', { 'file.txt': 'topic\n' });
  await repo.git('checkout', '-q', 'main');
  await repo.commit('ours', { 'file.txt': 'main\n' });
  await repo.git('checkout', '-q', 'topic');
  await repo.gitFails('rebase', 'main');
  repo.write('dirty.txt', 'dirty\n');
  repo.write('staged.txt', 'staged\n');
  await repo.git('add', 'staged.txt');
  const before = await repo.untouched();
  box.set('OWL_TEST_NOW', '2024-05-06T12:00:00Z');
  const first = await repo.add('during a rebase');
  box.set('OWL_TEST_NOW', '2024-05-05T12:00:00Z');
  const second = await repo.add('a day earlier');
  box.set('OWL_TEST_NOW', '2024-05-06T13:00:00Z');
  await repo.owl('edit', first, '--ttl', '5');
  await repo.owl('reorder', second, '--first');
  await repo.owl('status');
  await repo.owl('gc');
  t.equal((await repo.owl('list', '--format', '%(id)')).stdout, `${second}\n${first}\n`, 'order is not by the clock');
  const events = (await repo.owl('events', '--json')).jsonLines();
  t.ok(JSON.stringify(events).includes(first));
  t.match((await repo.owl('show', first, '--json')).json().data, { ttl: 5 });
  box.same(t, before, await repo.untouched());
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});
