// The command line: what is parsed, what is refused and in which words, and that one table feeds everything.

import t, { type Test } from 'tap';
import { findHelp, guessGlobals } from '../../../src/cli/find-help.js';
import { commandHelp, GROUPS, overview, sayOption, synopsis } from '../../../src/cli/help.js';
import { GLOBAL_OPTIONS } from '../../../src/cli/options.js';
import { parse } from '../../../src/cli/parse.js';
import type { Request } from '../../../src/cli/spec.js';
import { COMMANDS } from '../../../src/cli/table.js';
import { configurationHelp } from '../../../src/cli/topic-configuration.js';
import { isTopic, TOPICS, topicHelp } from '../../../src/cli/topics.js';
import { OwlError } from '../../../src/domain/errors.js';
import { plainTheme } from '../../../src/output/theme.js';

/** The message of the usage error, or what was parsed instead. */
function refused(...argv: string[]): string {
  try {
    return `parsed as ${parse(argv).spec.name}`;
  } catch (error) {
    if (!(error instanceof OwlError)) throw error;
    return `${error.exit} ${error.message} [${error.next.join('; ')}]`;
  }
}

const request = (...argv: string[]): Request => parse(argv).request;

t.test('06: words, options and values', async (t) => {
  const add = request('add', '--label', 'a', '--ttl', '3', '--label=b', 'make', 'tabs', 'work');
  t.same(add.rest, ['make', 'tabs', 'work']);
  t.same(add.list('label'), ['a', 'b']);
  t.equal(add.number('ttl'), 3);
  t.equal(add.text('agent'), undefined);
  t.equal(add.flag('plan'), false);
  t.equal(request('add', '--no-plan', 'x').flag('no-plan'), true, 'a flag that begins with no- is a flag of its own');
  t.equal(request('run', '--for', '1h30m').duration('for'), 5_400_000);
  t.equal(request('edit', 'abcd', '--agent', 'one', '--agent', 'two').text('agent'), 'two', 'the last one wins');
  t.equal(parse([]).spec.name, 'status', 'git owl alone is status');
  t.equal(parse(['--json']).globals.json, true);
  t.same(parse(['-C', 'a', '-Cb', 'list', '-C', 'c']).globals.directories, ['a', 'b', 'c']);
  t.equal(parse(['--color', 'never', 'list']).globals.color, 'never');
  t.equal(parse(['--color=always', 'list']).globals.color, 'always');
  t.match(parse(['-qv', 'run']).globals, { quiet: true, verbose: true });
});

t.test('07.27: free text may begin with a dash, hold quotes and look like a number', async (t) => {
  t.same(request('add', '--', '-x', '--plan').rest, ['-x', '--plan']);
  t.same(request('add', '-').rest, ['-']);
  t.same(request('add', '"quoted"', "'single'", '007').rest, ['"quoted"', "'single'", '007']);
  t.equal(request('retry', 'abcd', '-m', '-x is wrong').text('message'), '-x is wrong');
  t.equal(request('retry', 'abcd', '--message', '--force').text('message'), '--force');
  t.equal(request('retry', 'abcd', '--message="a"').text('message'), '"a"', 'quotation marks stay');
  t.equal(request('retry', 'abcd', '-mshort').text('message'), 'short');
  t.equal(request('retry', 'abcd', '-m', '12').text('message'), '12');
  t.equal(request('add', '-Ffile').text('file'), 'file');
  t.equal(request('list', '--format', '%(id) = "%(title)"').text('format'), '%(id) = "%(title)"');
  t.same(request('list', '--sort', '-updated', '--sort', 'id').list('sort'), ['-updated', 'id']);
  t.equal(request('list', '-z').flag('null'), true);
  t.equal(request('show', '__proto__').args['id'], '__proto__');
});

t.test('06: diff passes on what it does not know', async (t) => {
  const diff = request('diff', 'k3x9qp', '--stat', '-U5', '-C', '--worktree', 'src', '--', '-odd', 'lib');
  t.equal(diff.args['id'], 'k3x9qp');
  t.same(diff.unknown, ['--stat', '-U5', '-C', 'src']);
  t.same(diff.passed, ['-odd', 'lib']);
  t.equal(diff.flag('worktree'), true);
  t.same(request('diff', '--stat').args['id'], undefined);
  t.equal(parse(['-C', 'x', 'diff', '--color=always']).globals.color, 'always');
  t.same(parse(['-C', 'x', 'diff']).globals.directories, ['x']);
});

t.test('06: usage errors name the word, the nearest one that is known, and the help', async (t) => {
  const table: readonly (readonly [argv: string[], expected: string])[] = [
    [['stauts'], '2 unknown command "stauts"; did you mean status? [git owl -h]'],
    [['xyzzy'], '2 unknown command "xyzzy" [git owl -h]'],
    [['constructor'], '2 unknown command "constructor" [git owl -h]'],
    [['--', 'add'], '2 no command before "--" [git owl -h]'],
    [['add', '--tll', '3'], '2 unknown option "--tll" of add; did you mean --ttl? [git owl add -h]'],
    [['add', '--tll=3'], '2 unknown option "--tll" of add; did you mean --ttl? [git owl add -h]'],
    [['add', '-x'], '2 unknown option "-x" of add [git owl add -h]'],
    [['add', '-qx'], '2 unknown option "-qx" of add [git owl add -h]'],
    [['list', '--dry-run'], '2 unknown option "--dry-run" of list [git owl list -h]'],
    [['add', '--C', 'x'], '2 unknown option "--C" of add [git owl add -h]'],
    [['add', '--ttl', 'abc'], '2 option --ttl needs a whole number, not "abc" [git owl add -h]'],
    [['add', '--ttl', '-1'], '2 option --ttl cannot be negative, as "-1" is [git owl add -h]'],
    [['add', '--ttl', '1.5'], '2 option --ttl needs a whole number, not "1.5" [git owl add -h]'],
    [['add', 'x', '--ttl'], '2 option --ttl needs a value [git owl add -h]'],
    [['add', '--label='], '2 option --label needs a value [git owl add -h]'],
    [['add', '--plan=yes'], '2 option --plan takes no value [git owl add -h]'],
    [['add', '--plan', '--no-plan', 'x'], '2 options --plan and --no-plan exclude each other [git owl add -h]'],
    [
      ['run', '--for', '15'],
      '2 option --for needs a length of time such as 15m, 1h30m or 7d, not "15" [git owl run -h]',
    ],
    [
      ['list', '--state', 'gone'],
      '2 option --state is one of pending, active, blocked, review, escalated, exhausted, done, cancelled, backlog, todo, plan, implement, quality, governance, failed, not "gone" [git owl list -h]',
    ],
    [['--color', 'blue', 'list'], '2 option --color is auto, always or never, not "blue" [git owl list -h]'],
    [['merge'], '2 merge needs <id> [git owl merge -h]'],
    [['extend', 'abcd'], '2 extend needs <n> [git owl extend -h]'],
    [['merge', 'abcd', 'efgh'], '2 unexpected argument "efgh" of merge [git owl merge -h]'],
    [['status', 'now'], '2 unexpected argument "now" of status [git owl status -h]'],
    [['completion', 'tcsh'], '2 <shell> is bash or zsh or fish, not "tcsh" [git owl completion -h]'],
    [['approve', 'x'], '2 unknown command "approve"; did you mean goal approve? [git owl goal -h]'],
    [['goal', 'aprove', 'x'], '2 unknown command "goal aprove"; did you mean goal approve? [git owl goal -h]'],
    [['goal', 'review', 'x'], '2 unknown command "goal review"; did you mean review? [git owl review -h]'],
    [['goal', 'list'], '2 unknown command "goal list"; did you mean list? [git owl list -h]'],
    [['goal', 'xyzzy'], '2 unknown command "goal xyzzy" [git owl goal -h]'],
    [['a\u001b[2J\u202e'], '2 unknown command "a\\u001b[2J\u202e" [git owl -h]'],
  ];
  for (const [argv, expected] of table) t.equal(refused(...argv), expected, argv.join(' '));
  t.match(refused('goal'), /^2 goal needs one of .*approve.* \[git owl goal -h\]$/, 'a noun alone');
});

t.test('06: help is found before anything is parsed', async (t) => {
  t.equal(findHelp(['-h'])?.spec, null);
  t.equal(findHelp(['add', '--bogus', '-h'])?.spec?.name, 'add');
  t.equal(findHelp(['-C', 'add', 'list', '--help'])?.spec?.name, 'list');
  t.equal(findHelp(['add', '--', '-h']), null, 'words after -- are text');
  t.equal(findHelp(['bogus', '-h']), null);
  t.match(guessGlobals(['--json', 'add', '--color=never', '-q']), { json: true, color: 'never', quiet: true });
  t.equal(guessGlobals(['add', '--', '--json']).json, false);
});

t.test('08: every command has what the table asks for', async (t) => {
  const names = COMMANDS.map((spec) => spec.name);
  t.equal(new Set(names).size, names.length, 'names are unique');
  for (const spec of COMMANDS) checkCommand(t, spec.name);
  t.same([...new Set(COMMANDS.map((spec) => spec.group))].sort(), Object.keys(GROUPS).sort());
});

function checkCommand(t: Test, name: string): void {
  const spec = COMMANDS.find((one) => one.name === name);
  if (spec === undefined) throw new Error(name);
  t.match(spec.summary, /^[A-Z].*[^.]$/, `${name}: a summary without a period`);
  t.ok(spec.examples.length > 0, `${name}: an example`);
  const options = [...(spec.options ?? []), ...(spec.lenient ? [] : GLOBAL_OPTIONS)];
  const long = options.map((option) => option.name);
  const short = options.flatMap((option) => option.short ?? []);
  t.equal(new Set(long).size, long.length, `${name}: no option twice`);
  t.equal(new Set(short).size, short.length, `${name}: no letter twice`);
  for (const option of options) {
    t.match(option.summary, /[^.]$/, `${name} --${option.name}: no period`);
    for (const other of option.conflicts ?? []) t.ok(long.includes(other), `${name} --${option.name}: knows ${other}`);
    if (option.kind === 'choice') t.ok((option.choices ?? []).length > 1, `${name} --${option.name}: has choices`);
  }
  for (const { command } of spec.examples) {
    const words = /git owl ([^|>)"]*(?:"[^"]*"[^|>)"]*)*)/.exec(command)?.[1] ?? '';
    const argv = [...words.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? word[3] ?? '');
    t.doesNotThrow(() => parse(argv), `${name}: its example parses: ${command}`);
    t.equal(parse(argv).spec.name, name, `${name}: its example is of it`);
  }
  if ((spec.args ?? []).some((argument) => argument.many)) t.ok(spec.args?.at(-1)?.many, `${name}: many comes last`);
}

t.test('06: --dry-run on all that moves or removes, --request-id on all that decides', async (t) => {
  const without = (option: string): readonly string[] =>
    COMMANDS.filter((spec) => spec.writes && !(spec.options ?? []).some(({ name }) => name === option)).map(
      (spec) => spec.name,
    );
  t.same(without('dry-run'), ['demo']);
  t.same(without('request-id'), ['run', 'stop', 'goal advance', 'demo', 'init', 'trust', 'gc']);
});

t.test('06: help is one screen, grouped by task, with the one path first', async (t) => {
  const theme = plainTheme();
  const lines = overview(COMMANDS, theme);
  t.ok(lines.length <= 60, `${lines.length} lines`);
  t.ok(
    lines.every((line) => line.length <= 100),
    'none is wider than 100 columns',
  );
  const text = lines.join('\n');
  t.ok(text.indexOf('git owl add') < text.indexOf('git owl run'));
  t.ok(text.indexOf('git owl run') < text.indexOf('git owl merge <id>'));
  t.matchSnapshot(text, 'git owl -h');
  for (const spec of COMMANDS) t.matchSnapshot(commandHelp(spec, theme, 100).join('\n'), `git owl ${spec.name} -h`);
  for (const topic of Object.keys(TOPICS)
    .filter(isTopic)
    .filter((one) => one !== 'configuration'))
    t.matchSnapshot(topicHelp(topic, theme, 100).join('\n'), `git owl help ${topic}`);
  t.matchSnapshot(configurationHelp(theme, 100).join('\n'), 'git owl help configuration');
});

t.test('06: narrow terminals', async (t) => {
  for (const spec of COMMANDS) {
    const wide = commandHelp(spec, plainTheme(), 60).filter(
      (line) => line.length > 60 && !/^(usage| {3}git owl| {3}id=| {3}cd |.*#)/.test(line),
    );
    t.same(wide, [], spec.name);
  }
});

t.test('06: how an option and a synopsis are written', async (t) => {
  t.equal(sayOption({ name: 'file', short: 'F', kind: 'text', value: '<file>', summary: '' }), '-F, --file <file>');
  t.equal(sayOption({ name: 'C', short: 'C', kind: 'list', value: '<path>', summary: '' }), '-C <path>');
  t.equal(sayOption({ name: 'color', kind: 'choice', choices: ['a', 'b'], summary: '' }), '--color (a|b)');
  t.equal(synopsis(parse(['diff']).spec), 'git owl diff [<options>] [<id>] [<git diff options>] [-- <path>...]');
});
