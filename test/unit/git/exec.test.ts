// The door to the executable: what of the environment gets through, what is pinned, how a call ends.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { batchSsh, childEnvironment, LOCAL_VARIABLES, withoutRepository } from '../../../src/git/env.js';
import { createGit, type TraceLine } from '../../../src/git/exec.js';
import { PINS } from '../../../src/git/pins.js';
import { isAtLeast, MINIMUM_GIT, parseVersion, requireVersion, splitVersion } from '../../../src/git/version.js';
import { eventually, sandbox } from '../../fixtures/sandbox.js';

t.test('01: the list of variables that is removed holds all that this Git names', async (t) => {
  const named = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
  t.same(
    named.filter((name) => !LOCAL_VARIABLES.includes(name)),
    [],
  );
});

t.test('01: nothing of a hook or an alias reaches a child, and the rest does', async (t) => {
  const hook = Object.fromEntries(
    [...LOCAL_VARIABLES, 'GIT_QUARANTINE_PATH', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'].map((name) => [name, 'x']),
  );
  t.same(withoutRepository({ ...hook, PATH: '/bin', GIT_AUTHOR_NAME: 'Ada', GONE: undefined }), {
    PATH: '/bin',
    GIT_AUTHOR_NAME: 'Ada',
  });
  const child = childEnvironment(hook, { reading: true, unpinned: [], config: [], ssh: null });
  const set = [
    'GIT_GRAFT_FILE',
    'GIT_NO_REPLACE_OBJECTS',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_VALUE_0',
  ];
  t.same(
    Object.keys(hook).filter((name) => child[name] === 'x' && !set.includes(name)),
    [],
  );
  t.not(child['GIT_CONFIG_COUNT'], 'x');
});

t.test('01: ssh is in batch mode, and the command of the user stays', async (t) => {
  t.equal(batchSsh(null), 'ssh -o BatchMode=yes');
  t.equal(batchSsh('ssh -i "my key"'), 'ssh -i "my key" -o BatchMode=yes');
  t.equal(batchSsh('"/opt/my ssh/ssh" -v'), '"/opt/my ssh/ssh" -v -o BatchMode=yes');
  t.equal(batchSsh('plink -P 22'), 'plink -P 22 -batch');
  t.equal(batchSsh('my-wrapper'), 'my-wrapper');
});

t.test('versions', async (t) => {
  t.same(parseVersion('git version 2.39.5 (Apple Git-154)'), [2, 39, 5]);
  t.same(parseVersion('git version 2.45.0.windows.1'), [2, 45, 0]);
  t.same(parseVersion('git version 2.55.GIT'), [2, 55, 0]);
  t.equal(parseVersion('hub version 2'), null);
  t.ok(isAtLeast([3, 0, 0], MINIMUM_GIT));
  t.ok(isAtLeast(MINIMUM_GIT, MINIMUM_GIT));
  t.notOk(isAtLeast([2, 37, 9], MINIMUM_GIT));
  t.throws(() => requireVersion('git version 2.20.1'), { code: 'git-too-old', exit: 9, message: /2\.38\.0.*2\.20\.1/ });
  t.throws(() => requireVersion('nonsense'), { code: 'git-too-old', message: /nonsense/ });
  t.same(splitVersion('{"event":"version","sid":"x","evt":"3","exe":"2.39.5"}\nfatal: no\n{"event":"exit"}\n'), {
    said: 'git version 2.39.5',
    stderr: 'fatal: no\n',
  });
});

t.test('with a repository', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const gitDir = join(repo.dir, '.git');
  const lines: TraceLine[] = [];
  const make = (variables: Record<string, string> = {}) =>
    createGit({ gitDir, cwd: gitDir, variables: { ...box.env(), ...variables }, trace: (line) => lines.push(line) });
  const git = make();

  t.test('every exit status is a value, `text` and `fields` want success', async (t) => {
    t.match(await git.run(['rev-parse', '--verify', '-q', 'refs/heads/none']), { code: 1 });
    t.match(await git.run(['no-such-command']), { code: 1 });
    t.equal(await git.text(['rev-parse', '--abbrev-ref', 'HEAD']), 'main');
    t.same(await git.fields(['ls-tree', '-z', '--name-only', 'HEAD']), ['README.md']);
    t.same(await git.fields(['ls-tree', '-z', '--name-only', 'HEAD', 'none']), []);
    await t.rejects(git.text(['rev-parse', '--verify', 'refs/heads/none']), {
      code: 'git-failed',
      exit: 9,
      data: { status: 128 },
    });
    t.match(lines[0], { args: ['rev-parse', '--verify', '-q', 'refs/heads/none'], code: 1 });
    t.type(lines[0]?.ms, 'number');
    t.same(git.version, parseVersion(await repo.git('version')));
  });

  t.test('input goes in whole, output comes out as bytes, without input there is none', async (t) => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7) % 256));
    const oid = (await git.run(['hash-object', '-w', '--stdin'], { input: bytes, reading: false })).stdout
      .toString()
      .trim();
    t.ok((await git.run(['cat-file', 'blob', oid])).stdout.equals(bytes));
    t.equal(
      (await git.run(['hash-object', '--stdin'])).stdout.toString().trim(),
      await repo.git('hash-object', '--stdin', { input: '' }),
    );
    t.match(
      await git.run(['rev-parse', 'HEAD'], { input: bytes }),
      { code: 0 },
      'a child that does not read its input',
    );
  });

  t.test('01: the configuration of the user does not count where it is pinned, and `unpinned` lets it', async (t) => {
    await repo.git('config', 'core.quotePath', 'true');
    await repo.git('config', 'commit.gpgSign', 'true');
    const listed = async (options = {}) => git.text(['config', '--get', 'commit.gpgSign'], options);
    t.equal(await listed(), 'false');
    t.equal(await listed({ unpinned: ['commit.gpgSign'] }), 'true');
    t.equal(await listed({ config: ['commit.gpgSign=maybe=so'] }), 'maybe=so');
    t.equal(await git.text(['config', '--get', 'core.hooksPath']), '/dev/null');
    await repo.git('config', '--unset', 'commit.gpgSign');
    for (const [key, value] of PINS) t.equal(await git.text(['config', '--get', key]), value, key);
  });

  t.test('01: the pins are values that every command takes', async (t) => {
    await repo.commit('second', { 'b.txt': 'b' });
    for (const args of [
      ['log', '--stat', '-p', '--no-ext-diff'],
      ['diff', '--no-ext-diff', 'HEAD~1', 'HEAD'],
      ['merge-tree', '--write-tree', 'HEAD', 'HEAD~1'],
      ['ls-remote', repo.dir],
      ['for-each-ref'],
    ]) {
      t.match(await git.run(args), { code: 0, stderr: '' }, args.join(' '));
    }
    const checkout = { gitDir, workTree: repo.dir };
    t.match(await git.run(['status', '--porcelain=v2', '-z'], { checkout }), { code: 0, stderr: '' });
    t.match(
      await git.run(['fetch', '--no-tags', '--no-write-fetch-head', repo.dir, 'HEAD:refs/owl/test/f'], {
        reading: false,
      }),
      { code: 0 },
    );
    t.match(await git.run(['push', repo.dir, 'HEAD:refs/owl/test/p'], { reading: false }), { code: 0 });
  });

  t.test('01: GIT_DIR and its kin of a caller do not lead astray, hooks and replacements do not count', async (t) => {
    const other = await box.repository({ name: 'other' });
    const led = make({
      GIT_DIR: join(other.dir, '.git'),
      GIT_WORK_TREE: other.dir,
      GIT_INDEX_FILE: '/nonexistent/index',
      GIT_OBJECT_DIRECTORY: '/nonexistent',
    });
    t.equal(await led.text(['rev-parse', 'HEAD']), await repo.oid('HEAD'));
    const alone = await repo.git('commit-tree', '-m', 'alone', 'HEAD^{tree}');
    await repo.git('replace', 'HEAD', alone);
    t.equal(await git.text(['rev-list', '--count', 'HEAD']), '2');
    await repo.git('replace', '-d', 'HEAD');
  });

  t.test('01: a checkout is named outright, whatever `.git` lies in it', async (t) => {
    const tree = box.path('tree');
    await repo.git('worktree', 'add', '--quiet', '--detach', tree);
    const own = await repo.git('-C', tree, 'rev-parse', '--absolute-git-dir');
    writeFileSync(join(tree, '.git'), `gitdir: /nonexistent\n`);
    writeFileSync(join(tree, 'new'), '');
    t.same(await git.fields(['status', '--porcelain', '-z'], { checkout: { gitDir: own, workTree: tree } }), [
      '?? new',
    ]);
  });

  t.test('01: paths are literal, unless a call says otherwise', async (t) => {
    t.same(await git.fields(['ls-tree', '-z', '--name-only', 'HEAD', '--', '*']), []);
    const listed = await git.fields(['ls-files', '-z', '--', ':(exclude)README.md'], {
      checkout: { gitDir, workTree: repo.dir },
      env: { GIT_LITERAL_PATHSPECS: '0' },
    });
    t.same(listed, ['b.txt']);
  });

  t.test('01: nothing prompts: no terminal, no askpass', async (t) => {
    const asked = box.path('asked');
    box.executable('ask-me', `#!/bin/sh\ntouch '${asked}'\necho secret\n`);
    const unattended = make({ GIT_ASKPASS: 'ask-me', SSH_ASKPASS: 'ask-me' });
    const filled = await unattended.run(['credential', 'fill'], {
      input: 'protocol=https\nhost=example.com\n\n',
      timeout: 10_000,
    });
    t.not(filled.code, 0);
    t.notOk(existsSync(asked));
  });

  t.test('01: ssh of a remote is called in batch mode, also the one in core.sshCommand', async (t) => {
    const said = box.path('ssh-said');
    mkdirSync(box.path('tools'), { recursive: true });
    writeFileSync(box.path('tools/ssh'), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${said}'\nexit 255\n`, { mode: 0o755 });
    const fetch = (from: ReturnType<typeof make>) =>
      from.run(['ls-remote', 'ssh://somewhere.invalid/x'], { timeout: 20_000 });
    await fetch(make({ PATH: `${box.path('tools')}:${box.env()['PATH']}` }));
    await repo.git('config', 'core.sshCommand', `${box.path('tools/ssh')} -v`);
    await fetch(make());
    await repo.git('config', '--unset', 'core.sshCommand');
    const calls = readFileSync(said, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes('somewhere.invalid'));
    t.ok(calls.length >= 2);
    for (const call of calls) t.match(call, /BatchMode=yes/);
  });

  t.test('a deadline ends the whole process group', async (t) => {
    const note = box.path('grandchild');
    const alias = `!sh -c 'sleep 60 & echo $! > ${note}; trap "" TERM; wait; sleep 60'`;
    const start = Date.now();
    await t.rejects(git.run(['hang'], { config: [`alias.hang=${alias}`], timeout: 700 }), {
      code: 'timeout',
      exit: 9,
      message: /0\.7 s/,
    });
    t.ok(Date.now() - start < 10_000);
    const pid = Number(readFileSync(note, 'utf8'));
    t.ok(await eventually(() => !isRunning(pid)), 'the grandchild is gone');
  });

  t.test('a stop signal ends it, too', async (t) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort('SIGINT'), 200);
    await t.rejects(git.run(['hang'], { config: ['alias.hang=!sleep 60'], signal: abort.signal }), {
      code: 'git-failed',
    });
    await t.rejects(
      git.run(['version'], { signal: abort.signal }),
      { code: 'git-failed' },
      'and nothing is started after it',
    );
  });

  t.test('a descendant that keeps the pipes does not hold up a command that has ended', async (t) => {
    const start = Date.now();
    const result = await git.run(['leave'], { config: ['alias.leave=!setsid sleep 20 & echo done'], timeout: 15_000 });
    t.match(result, { code: 0 });
    t.equal(result.stdout.toString(), 'done\n');
    t.ok(Date.now() - start < 10_000);
  });

  t.test('what cannot be started says why', async (t) => {
    await t.rejects(make({ PATH: box.path('empty') }).run(['version']), { code: 'git-missing', exit: 9 });
    await t.rejects(git.run(['version'], { cwd: box.path('nowhere') }), {
      code: 'git-failed',
      message: /does not exist/,
    });
    await t.rejects(git.run(['die'], { config: ['alias.die=!kill -9 $PPID'] }), {
      code: 'git-failed',
      message: /SIGKILL/,
    });
  });

  t.test('a call that writes nothing leaves the index as it is', async (t) => {
    const checkout = { gitDir, workTree: repo.dir };
    const before = readFileSync(join(gitDir, 'index'));
    const { utimesSync } = await import('node:fs');
    utimesSync(join(repo.dir, 'README.md'), 1_700_000_000, 1_700_000_000);
    await git.run(['status', '--porcelain'], { checkout });
    t.ok(readFileSync(join(gitDir, 'index')).equals(before));
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
