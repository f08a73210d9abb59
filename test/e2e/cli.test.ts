// The command line as scripts, shells and terminals meet it: help, exit statuses, JSON, pipes, colour, signals, completion.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

const root = join(import.meta.dirname, '../..');
const GIT_COMPLETION = [
  '/usr/share/bash-completion/completions/git',
  '/usr/share/git/completion/git-completion.bash',
].find((path) => existsSync(path));

const shell = (repo: Repo, script: string) =>
  repo.gitResult('-c', 'alias.sh=!f() { cd "./$GIT_PREFIX"; exec bash -c "$1"; }; f', 'sh', script);

t.test('06: help, version and usage need no repository and say what is meant', async (t) => {
  const box = await sandbox(t);
  const repo = box.open(box.path('tmp'));
  const help = await repo.owl('-h');
  t.match(help.stdout, /git owl add[\s\S]*git owl run[\s\S]*git owl merge/);
  t.equal(help.stderr, '');
  t.equal((await repo.owl('help')).stdout, help.stdout);
  t.match((await repo.owl('add', '--help')).stdout, /^usage: git owl add /);
  t.match((await repo.owl('help', 'exit-status')).stdout, /^0 /);
  t.match((await repo.owl('--version')).stdout, /^git-owl version \d+\.\d+\.\d+\n$/);
  t.match((await repo.owl('--version', '--json')).json(), { schema: 'git-owl/version/v1', ok: true });

  const unknown = await repo.owlFails(2, 'stauts');
  t.equal(unknown.stdout, '');
  t.equal(unknown.stderr, 'git owl: unknown command "stauts"; did you mean status?\nhint: git owl -h\n');
  const json = await repo.owlFails(2, '--json', 'add', '--tll', '3');
  t.equal(json.stderr, '');
  t.match(json.json(), { schema: 'git-owl/error/v1', ok: false, error: { code: 'usage', next: ['git owl add -h'] } });

  const outside = await repo.owlFails(3, 'list');
  t.match(outside.stderr, /^git owl: .* is not inside a Git repository\n/);
  t.match((await repo.owlFails(3, 'status', '--json')).json(), { ok: false, error: { code: 'not-a-repository' } });
});

t.test('06: through git, from a subfolder, and with -C, it is the same program', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await repo.add('look around');
  repo.write('deep/er/file', '');
  t.match((await repo.git('owl', 'list')).split('\t')[0], id);
  t.equal((await repo.owl('list', '--format', '%(id)', { cwd: 'deep/er' })).stdout, `${id}\n`);
  t.equal(
    (await repo.owl('-C', repo.dir, '-C', 'deep', 'list', '--format', '%(id)', { cwd: box.dir })).stdout,
    `${id}\n`,
  );
  t.equal((await repo.owl()).stdout, (await repo.owl('status')).stdout, 'git owl alone is status');
});

t.test('06: nodegit is never loaded for help, version and completion', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  // Every file that Node loads, CommonJS and native: a preload that listens at the one place they all pass.
  repo.write(
    'spy.cjs',
    `const m = require('node:module'); const load = m._load;
     m._load = function (request, ...rest) { if (/nodegit/.test(request)) require('node:fs').appendFileSync(${JSON.stringify(box.path('loaded'))}, request + '\\n'); return load.call(this, request, ...rest); };`,
  );
  box.set('NODE_OPTIONS', `--require ${join(repo.dir, 'spy.cjs')}`);
  for (const args of [
    ['-h'],
    ['add', '-h'],
    ['help', 'format'],
    ['--version'],
    ['completion', 'bash'],
    ['completion', 'zsh', '--json'],
    ['status', '--bogus'],
  ]) {
    await repo.owl(...args, { fails: 'any' });
  }
  t.equal(existsSync(box.path('loaded')), false, 'nodegit was not asked for');
  const asked = await repo.owl('list', { env: { OWL_ENGINE: 'nodegit' }, fails: 'any' });
  t.equal(existsSync(box.path('loaded')), true, 'the spy sees it when it is asked for');
  t.ok(asked.code === 0 || /OWL_ENGINE=nodegit/.test(asked.stderr));
});

t.test('06: every published document fits its schema', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ handoff: '# Plan\n\nWrite a.\n' }],
    execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'Write a' }],
  });
  const repo = await box.repository({ agents: [agent], config: 'checks:\n  - { name: ok, run: "true" }\n' });
  const ajv = new Ajv({ strict: false });
  const compiled = new Map<string, ReturnType<Ajv['compile']>>();
  const fits = (document: { readonly schema: string; readonly ok: boolean }, what: string): void => {
    const kind = document.schema.split('/')[1] ?? '';
    const validate =
      compiled.get(kind) ?? ajv.compile(JSON.parse(readFileSync(join(root, 'schema', `${kind}.schema.json`), 'utf8')));
    compiled.set(kind, validate);
    t.ok(validate(document), `${what}: ${document.schema} ${JSON.stringify(validate.errors)}`);
  };
  const says = async (...args: string[]): Promise<void> => {
    const result = await repo.owl(...args, '--json', { fails: 'any' });
    const lines = result.jsonLines();
    t.equal(lines.length, 1, `${args.join(' ')}: one document`);
    fits(lines[0], args.join(' '));
  };
  await says('status');
  await says('list');
  await says('add', 'write a');
  const id = (await repo.owl('list', '--format', '%(id)')).stdout.trim();
  await says('run', '--dry-run');
  await says('run');
  for (const words of [
    ['show', id],
    ['show', id, '--run', '1'],
    ['show', id, '--prompt', '--run', '2'],
    ['review', id],
    ['diff', id],
    ['log', id],
    ['handoff', id],
    ['worktree', id],
    ['worktree', 'list'],
    ['list', '--all'],
    ['status'],
    ['status', '--short'],
    ['events'],
    ['config'],
    ['config', 'ttl'],
    ['config', 'check'],
    ['trust', '--yes'],
    ['doctor'],
    ['fsck'],
    ['stop'],
    ['extend', id, '2'],
    ['retry', id, '-m', 'again', '--dry-run'],
    ['merge', id],
    ['show', id],
    ['gc', '--dry-run'],
    ['run'],
    ['show', 'zzzzzz'],
    ['completion', 'bash'],
    ['help', 'add'],
  ]) {
    await says(...words);
  }
});

t.test('06: a failure is git-owl/error/v1, also where its data is known', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'Write a' }] });
  const repo = await box.repository({ agents: [agent], config: 'checks:\n  - { name: no, run: "false" }\n' });
  const ajv = new Ajv({ strict: false });
  const schema = ajv.compile(JSON.parse(readFileSync(join(root, 'schema/error.schema.json'), 'utf8')));
  const failed = async (code: number, ...words: string[]) => {
    const document = (await repo.owlFails(code, ...words, '--json')).json();
    t.match(document, { schema: 'git-owl/error/v1', ok: false, error: { message: /./ } }, words.join(' '));
    t.ok(schema(document), JSON.stringify(schema.errors));
    return document;
  };
  const id = await repo.add('--no-plan', 'write a');
  t.match(await failed(6, 'run'), { kind: 'run', data: { id, state: 'blocked', unit: { merged: false } } });
  t.match(await failed(6, 'verify', id), { kind: 'job', data: { id, state: 'blocked' } });
  t.match(await failed(3, 'run', '--require'), { kind: 'run', data: { items: [] } });
  t.same(Object.keys(await failed(3, 'show', 'zzzzzz')), ['schema', 'ok', 'error']);
});

t.test('06: --format, -z, --sort, --limit, and a pipe that breaks nothing', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  box.at('2024-05-06T09:00:00Z');
  const one = await repo.add('--label', 'x', '--label', 'y', 'first \u001b[31m\u202e');
  box.at('2024-05-06T10:00:00Z');
  const two = await repo.add('second');
  const format = async (...args: string[]): Promise<string> => (await repo.owl('list', ...args)).stdout;
  t.equal(await format('--format', '%(id)%09%(labels)%%'), `${one}\tx,y%\n${two}\t%\n`);
  t.equal(await format('--format', '%(title)', '--limit', '1'), 'first \\x1b[31m\\u202e\n', 'escaped');
  t.equal(await format('--format', '%(title)', '-z', '--limit', '1'), 'first \u001b[31m\u202e\0', 'with -z as it is');
  t.equal(await format('--format', '%(id)', '--sort', '-title'), `${two}\n${one}\n`);
  const ids = async (...args: string[]): Promise<string[]> =>
    (await format(...args)).split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
  t.same(await ids('--sort', '-title'), [two, one], 'as people see it, too');
  t.same(await ids('--sort', '-title', '--limit', '1'), [two]);
  const events = (await repo.owl('events', '--sort', 'time', '--limit', '1')).stdout;
  t.match(events, new RegExp(`^[^\n]*${one}[^\n]*\n$`), 'the oldest of all, not of the newest');
  t.match((await repo.owl('list', '--json', '--sort', '-title', '--limit', '1')).json(), {
    data: { items: [{ id: two }] },
  });
  t.match(await repo.owlFails(2, 'list', '--format', '%(titel)'), { stderr: /no field "titel"; did you mean title\?/ });
  const piped = (await repo.owl('list')).stdout.replace(/\n$/, '').split('\n');
  t.same(
    piped.map((line) => line.split('\t').length),
    [8, 8],
    'one record a line, fields parted by tabs',
  );
  t.notMatch(piped.join(''), /[\u001b\u202e]/);
  const first = await shell(repo, `git-owl list | head -n 1 | cut -f 1; echo "\${PIPESTATUS[*]}"`);
  t.match(first.stdout, new RegExp(`^${one}\n0 0 0\n`));
  const closed = await shell(repo, 'git-owl list >&-; echo $?');
  t.notMatch(closed.stderr, /at .*\.js/, 'no stack trace');
  const full = await shell(repo, 'git-owl list >/dev/full; echo $?');
  t.equal(full.stdout, '9\n', 'a full disk is no success');
  t.match(full.stderr, /^git owl: cannot write to standard output \(ENOSPC\)/);
});

t.test('06: diff takes paths from the current folder, as git diff does', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'lib/in.txt', text: 'in\n' }, { write: 'top.txt', text: 'top\n' }, { commit: 'two' }],
  });
  const repo = await box.repository({ agents: [agent], config: 'plan: false\n', files: { 'lib/old': 'old\n' } });
  const id = await repo.add('two files');
  await repo.owl('run');
  const names = async (cwd: string, ...paths: string[]): Promise<string> =>
    (await repo.owl('diff', id, '--name-only', '--', ...paths, { cwd })).stdout;
  t.equal(await names('lib', '.'), 'lib/in.txt\n');
  t.equal(await names('lib', 'in.txt', '../top.txt'), 'lib/in.txt\ntop.txt\n');
  t.equal(await names('lib', ':/top.txt'), 'top.txt\n', 'magic is Git\u2019s');
  t.equal(await names('lib', join(repo.dir, 'top.txt')), 'top.txt\n', 'an absolute path');
  t.equal(await names('.', 'lib'), 'lib/in.txt\n');
  const { path } = (await repo.owl('worktree', id, '--json')).json().data;
  t.equal(await names(join(path, 'lib'), '.'), 'lib/in.txt\n', 'in its worktree');
  t.match((await repo.owlFails(2, 'diff', id, '--', '../../out', { cwd: 'lib' })).stderr, /"..\/..\/out" is outside/);
});

t.test('06: colour for a terminal only, as Git and the variables say', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.add('look');
  const ESC = '\u001b[';
  t.notOk((await repo.owl('list')).stdout.includes(ESC));
  t.ok((await repo.owl('list', '--color', 'always')).stdout.includes(ESC));
  t.ok((await repo.owl('list', { env: { FORCE_COLOR: '1' } })).stdout.includes(ESC));
  t.notOk((await repo.owl('list', '--color=never', { env: { FORCE_COLOR: '1' } })).stdout.includes(ESC));
  // script(1) gives a terminal.
  const onTerminal = async (command: string): Promise<string> =>
    (await shell(repo, `script -qec '${command}' /dev/null </dev/null`)).stdout;
  box.set('TERM', 'xterm-256color');
  if ((await shell(repo, 'command -v script')).code !== 0) return t.comment('script(1) is not installed');
  t.ok((await onTerminal('git-owl list')).includes(ESC), 'a terminal');
  t.notOk((await onTerminal('NO_COLOR=1 git-owl list')).includes(ESC), 'NO_COLOR');
  t.notOk((await onTerminal('TERM=dumb git-owl list')).includes(ESC), 'TERM=dumb');
  await repo.git('config', 'color.owl', 'never');
  t.notOk((await onTerminal('git-owl list')).includes(ESC), 'color.owl');
  t.ok((await onTerminal('git-owl list --color=always')).includes(ESC), 'the option is stronger');
});

t.test('06: -v shows the Git commands with times, OWL_DEBUG a stack', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const verbose = await repo.owl('list', '-v');
  t.match(verbose.stderr, /^ +\d+ ms {2}git rev-parse /m);
  t.match((await repo.owlFails(3, 'show', 'zzzzzz', { env: { OWL_DEBUG: '1' } })).stderr, /\n {4}at /);
  t.notMatch((await repo.owlFails(3, 'show', 'zzzzzz')).stderr, /\n {4}at /);
});

t.test('J16: inside a Run, and in a quarantine, it reads and refuses all else', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await repo.add('look');
  const refs = await repo.refs();
  const inside = { env: { OWL_JOB: id } };
  for (const words of [
    ['run'],
    ['merge', id],
    ['drop', id],
    ['retry', id],
    ['handoff', id, '--edit'],
    ['worktree', id, '--ensure'],
    ['fsck', '--repair'],
    ['gc'],
    ['init'],
    ['trust', '--yes'],
    ['add', 'more'],
  ]) {
    const refused = await repo.owlFails(4, ...words, '--json', inside);
    t.match(refused.json(), { ok: false, error: { code: 'inside-a-run' } }, words.join(' '));
  }
  const quarantine = { env: { GIT_QUARANTINE_PATH: repo.dir } };
  t.match((await repo.owlFails(4, 'add', 'x', '--json', quarantine)).json(), { error: { code: 'quarantine' } });
  for (const words of [['list'], ['status'], ['show', id]]) {
    await repo.owl(...words, inside);
    await repo.owl(...words, quarantine);
  }
  t.same(await repo.refs(), refs, 'nothing was changed');
});

t.test('06: a signal ends it with the status of that signal', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.add('look');
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const) {
    const follow = repo.start('events', '-f', '--json');
    await eventually(async () => (await repo.add('look again')) && follow.stdout() !== '', 60_000, 'it follows');
    follow.kill(signal);
    t.equal((await follow.wait()).code, status, signal);
  }
});

t.test(
  '06: bash completes through Git: commands, options, ids, branches, and nothing that would be run',
  { skip: GIT_COMPLETION ? false : "Git's completion is not installed" },
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository();
    const id = await repo.add('look');
    await repo.git('branch', 'topic/one');
    await repo.git('branch', `evil$(touch\${IFS}pwned)`);
    repo.write('sub/file', '');
    const complete = async (line: string, cwd = 'sub'): Promise<string[]> => {
      const script = [
        `source ${GIT_COMPLETION}`,
        `source ${join(root, 'completions/git-owl.bash')}`,
        // Words as readline has them: "=" parts them.
        `COMP_LINE=${quote(line)}; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words(line).map(quote).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`,
        `f=$(complete -p "\${COMP_WORDS[0]}"); f=\${f##*-F }; "\${f%% *}" 2>/dev/null`,
        `printf "%s\\n" "\${COMPREPLY[@]}"`,
      ].join('\n');
      const { stdout } = await repo.gitResult(
        '-c',
        'alias.b=!f() { cd "$2" && exec bash -c "$1"; }; f',
        'b',
        script,
        cwd,
      );
      return stdout
        .split('\n')
        .map((word) => word.trim())
        .filter((word) => word !== '');
    };
    t.same(await complete('git owl st'), ['stop', 'status']);
    t.same(await complete('git-owl st'), ['stop', 'status']);
    t.same(await complete(`git -C ${repo.dir} owl s`, '.'), ['stop', 'status', 'show', 'sync']);
    t.same(await complete('git owl show '), [id], 'ids, from a subfolder too');
    t.same(await complete(`git owl show ${id.slice(0, 2)}`), [id]);
    t.same(await complete('git owl add --needs '), [id]);
    t.same(await complete('git owl add --no-p'), ['--no-plan']);
    t.same(await complete('git owl add --base '), ['main', 'topic/one'], 'plain names only, none of ours');
    t.same(await complete('git owl list --state=r'), ['review']);
    t.same(await complete('git owl completion '), ['bash', 'zsh', 'fish']);
    t.same(await complete('git owl --color '), ['auto', 'always', 'never']);
    t.same(await complete('git owl restore '), []);
    t.equal(repo.exists('sub/pwned') || repo.exists('pwned'), false);
  },
);

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const words = (line: string): string[] =>
  line.split(' ').flatMap((word) => word.split(/(=)/).filter((part, at) => part !== '' || at === 0));
