// The schema of the configuration: what is refused and how it is said, the table of keys, and the published JSON Schema.

import { Ajv } from 'ajv';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { configJsonSchema } from '../../../src/config/json-schema.js';
import { CONFIG_KEYS, childKeys, tablePath, whoMaySet } from '../../../src/config/keys.js';
import { lineOf, parseFile, parseText } from '../../../src/config/parse.js';
import { classifyName } from '../../../src/config/places.js';
import { durationOf, parseDuration } from '../../../src/domain/duration.js';
import { editDistance, nearest } from '../../../src/domain/nearest.js';

/** Loads a text as the base's file (or the user's) and returns the issues, `line: message`. */
async function issues(
  text: string,
  which: 'base' | 'user' = 'base',
  syntax: 'yaml' | 'json' = 'yaml',
): Promise<string[]> {
  const read = await parseText(syntax, text);
  if ('issue' in read) return [`${read.issue.line}: ${read.issue.message}`];
  const parsed = parseFile(which, read.value, text);
  return parsed.kind === 'ok' ? [] : parsed.issues.map((issue) => `${issue.line}: ${issue.message}`);
}

async function says(t: Test, text: string, ...expected: string[]): Promise<void> {
  t.same(await issues(text), expected, JSON.stringify(text));
}

// The example of the documentation, every key of it.
const EVERYTHING = `version: 1
base: main
remote: origin
branch_prefix: owl/
worktrees: ~/.local/share/git-owl
agent: mine
agents:
  mine: { command: ["my-agent", "--yes"], prompt: stdin, env: [MY_KEY], sandbox: [], account: work, plan: writes, model: small }
  claude: { env: [ANTHROPIC_API_KEY] }
  second: { preset: codex }
setup: [pnpm install --frozen-lockfile, { run: make deps, timeout: 5m }]
copy: [.env]
env: [CI]
checks:
  - { name: test, run: npm test, timeout: 15m }
  - { name: format, run: gofmt -l ., expect: empty_output }
verification: { checkout: fresh }
guard: [migrations/**]
sandbox: [bwrap, --die-with-parent]
phases:
  plan: { timeout: 1h, stall: 15m }
  execute: { timeout: 4h30m, stall: 15m, model: large, budget: 2.5 }
contract: [Never touch the migrations directory.]
plan: true
ttl: 10
max_parallel: 2
signing: never
execution: { auto_merge: false, publish: false, agents_may_add: false }
modes:
  docs: { auto_merge: true }
  code: { auto_merge: null }
quality: { checks: [{ name: lint, run: make lint }], agent: null }
governance: { checks: [], agent: null, rules: [docs/rules.md], protect: [LICENSE], max_changed: { files: 10, lines: 500 } }
goals: { target: main, publish: true, error_window: 10m, ungated: false }
skills:
  - { name: triage, on: workflow.backlog.enter, kind: executable, run: ./scripts/triage }
  - { name: tone, on: job.review, kind: context, text: Be brief. }
  - { name: off, on: job.done, kind: disabled }
gc: { hibernate_after: 1h, review_after: 7d, keep: 90d }
sync: { auto: false }
`;

t.test('06: the whole example is accepted, and so is a file that says nothing', async (t) => {
  t.same(await issues(EVERYTHING), []);
  for (const text of ['', '# nothing yet\n', '{}', '\ufeffttl: 3'])
    t.same(await issues(text), [], JSON.stringify(text));
  t.same(
    await issues(
      `${EVERYTHING.replace('auto: false }', 'auto: false, run: true, trust: false, claim: true }').replace('keep: 90d', 'keep: 90d, unfenced: true')}`,
      'user',
    ),
    [],
  );
});

t.test('06: an unknown key is refused by name, with the nearest known one', async (t) => {
  await says(t, 'ttl: 3\nchekcs: []', '2: unknown key "chekcs"; the nearest known one is "checks"');
  await says(
    t,
    'checks:\n  - name: a\n    run: b\n  - name: c\n    run: d\n    timeot: 1m',
    '6: unknown key "timeot" in checks[1]; the nearest known one is "timeout"',
  );
  await says(t, 'auto_merge: true', '1: unknown key "auto_merge"; there is execution.auto_merge');
  await says(t, 'max-parallel: 3', '1: unknown key "max-parallel"; the nearest known one is "max_parallel"');
  await says(
    t,
    'agents: { mine: { comand: [x] } }',
    '1: unknown key "comand" in agents.mine; the nearest known one is "command"',
  );
  await says(
    t,
    'phases: { plan: { zzz: 1 } }',
    '1: unknown key "zzz" in phases.plan; known are timeout, stall, model, budget',
  );
  await says(t, 'gc: { unfenced: true }', '1: gc.unfenced counts only in your own configuration file');
  await says(t, 'sync:\n  claim: true', '2: sync.claim counts only in your own configuration file');
  await says(t, '$import: ./other.yaml', '1: $import is not supported: the configuration is one file of one commit');
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString'])
    t.ok((await issues(`${key}: {}`)).length > 0, key);
  for (const key of ['__proto__', 'constructor', 'prototype'])
    t.ok((await issues(`modes: { ${key}: {} }`)).length > 0, `modes.${key}`);
});

t.test('06: a wrong type names the key, what was expected and what was found', async (t) => {
  await says(t, 'ttl: ten', '1: ttl: expected a whole number from 1 to 10000, found "ten"');
  await says(t, 'ttl: 0', '1: ttl: expected a whole number from 1 to 10000, found 0');
  await says(t, 'base:', "1: base: expected a branch's name such as main, not below refine/, found nothing");
  await says(t, 'checks: { test: npm test }', '1: checks: expected a list of checks, found keys with values');
  await says(t, 'verification: []', '1: verification: expected keys with values, found a list');
  await says(t, 'modes: []', '1: modes: expected keys with values, found a list');
  await says(t, '[]', 'null: expected keys with values, found a list');
  await says(t, 'just text', 'null: expected keys with values, found "just text"');
  await says(
    t,
    'account: 1\nplan: yes',
    '1: unknown key "account"; there is agents.<name>.account',
    '2: plan: expected true or false, found "yes"',
  );
  await says(t, 'signing: always', '1: signing: expected one of never, inherit, require, found "always"');
  await says(
    t,
    'setup:\n  - run: make\n    timeout: soon',
    '3: setup[0].timeout: expected a length of time such as 90s, 15m, 4h30m or 2d, at most 9d, found "soon"',
  );
  await says(t, 'setup: [{ timeout: 5m }]', '1: setup[0].run is missing');
  await says(
    t,
    'setup: [7]',
    '1: setup[0]: expected a shell command, or run: with a command and timeout: with a length of time, found 7',
  );
  await says(t, 'checks: [{ name: a }]', '1: checks[0].run is missing');
  await says(
    t,
    'env: [OWL_JOB]',
    '1: env[0]: expected a variable\'s name, not one that begins with OWL_, found "OWL_JOB"',
  );
  await says(
    t,
    'copy: [../secret]',
    '1: copy[0]: expected a path below the repository\'s top, with / between its parts, found "../secret"',
  );
  await says(t, 'base: 2020-01-01', "1: base: expected a branch's name such as main, not below refine/, found a date");
  await says(t, 'checks:\n- {name: a, run: b}\n- {name: a, run: c}', '3: checks: the name "a" is used twice');
  await says(t, 'agents: { mine: { env: [A] } }', '1: agents.mine: either command or preset is missing');
  await says(t, 'version: 2\nnew_key: 1', '1: version 2 is newer than what this program reads, which is 1');
  await says(
    t,
    'skills: [{ name: a, on: job.review, kind: executable }]',
    '1: skills[0]: either run or agent is missing',
  );
  await says(
    t,
    'skills: [{ name: a, on: job.review, kind: executable, run: x, agent: claude }]',
    '1: skills[0]: run and agent exclude each other',
  );
  await says(
    t,
    'skills: [{ name: a, on: job.review, kind: magic }]',
    '1: skills[0].kind: expected one of executable, context, disabled, found "magic"',
  );
});

t.test('06: text that is no YAML or JSON is refused with its line', async (t) => {
  await says(t, 'a: 1\na: 2', '2: not valid YAML: duplicated mapping key');
  await says(t, 'ttl: [1', '1: not valid YAML: unexpected end of the stream within a flow collection');
  await says(
    t,
    'ttl: 1\n---\nttl: 2',
    'null: not valid YAML: expected a single document in the stream, but found more',
  );
  const [json] = await issues('{\n "ttl": 3,\n}', 'base', 'json');
  t.match(json, /^3: not valid JSON: \S/);
  t.same(await issues('run: !!js/function "function () { process.exit(1) }"'), [
    '1: not valid YAML: unknown tag !<tag:yaml.org,2002:js/function>',
  ]);
});

t.test('06: a file of aliases of aliases is refused before it is walked', async (t) => {
  const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 12; at++)
    rows.push(`a${at}: &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join(', ')}]`);
  const start = performance.now();
  t.same(await issues(rows.join('\n')), ['null: too many values, or too deep']);
  t.ok(performance.now() - start < 2_000);
});

t.test('J18: lengths of time keep their written form and are bounded', async (t) => {
  t.same(parseDuration('4h30m'), { ms: 16_200_000, text: '4h30m' });
  t.same(parseDuration('1d'), { ms: 86_400_000, text: '1d' });
  t.same(parseDuration('250ms'), { ms: 250, text: '250ms' });
  for (const text of ['', '0m', '15', '15 m', '-1m', '1m1h', '1.5h', 'm', '1M'])
    t.equal(parseDuration(text), null, text);
  t.throws(() => durationOf('soon'), TypeError);
  // What a timer of Node cannot wait is over at once.
  for (const text of ['9d99h9999m99999s9999999ms', '9d']) {
    t.same(await issues(`phases: { plan: { timeout: ${text} } }`), [], text);
    t.ok(durationOf(text).ms < 2 ** 31, text);
  }
  t.equal((await issues('phases: { plan: { timeout: 30d } }')).length, 1);
  for (const good of ['1s', '86400s', '1440m', '24h', '1d', '10m'])
    t.same(await issues(`goals: { error_window: ${good} }`), [], good);
  for (const bad of ['0s', '86401s', '1441m', '25h', '2d'])
    t.equal((await issues(`goals: { error_window: ${bad} }`)).length, 1, bad);
  for (const good of ['0', 'never', '1h', '"0"']) t.same(await issues(`gc: { hibernate_after: ${good} }`), [], good);
});

t.test('the words nearest to one that is not known', async (t) => {
  t.equal(editDistance('chekcs', 'checks'), 1, 'neighbours swapped');
  t.equal(editDistance('', 'abc'), 3);
  t.equal(nearest('branchprefix', ['branch_prefix', 'base']), 'branch_prefix');
  t.equal(nearest('Remote', ['remote']), 'remote');
  t.equal(nearest('zebra', ['remote', 'base']), null);
});

t.test('06: the line of a key is found in the usual ways of writing it', async (t) => {
  const text =
    '# ttl: 1\nchecks:\n  - name: a\n    run: ttl: no\n  - name: b\n    run: c\n\nphases:\n  plan: { stall: 1m }\n  execute:\n    stall: 2m\n';
  t.equal(lineOf(text, ['checks', 1, 'run']), 6);
  t.equal(lineOf(text, ['phases', 'execute', 'stall']), 11);
  t.equal(lineOf(text, ['phases', 'plan', 'stall']), 9);
  t.equal(lineOf(text, ['ttl']), null);
  t.equal(lineOf('{"checks": [\n {"name": 1}]}', ['checks', 0, 'name']), 2);
});

t.test('06: names of places, executable forms and near misses are told apart', async (t) => {
  const kinds: Record<string, string[]> = {
    place: ['.coding-owl.yaml', '.config/coding-owl.yaml', '.coding-owl.json', 'package.json'],
    executable: [
      '.coding-owl.js',
      '.coding-owl.cjs',
      '.coding-owl.mjs',
      '.coding-owl.ts',
      'coding-owl.config.js',
      'coding-owl.config.ts',
      '.coding-owlrc.cjs',
      '.config/coding-owl.js',
      '.config/coding-owlrc.ts',
      '.Coding-Owl.JS',
    ],
    'near-miss': [
      '.coding-owl.yml',
      'coding-owl.yaml',
      '.coding-owl.toml',
      '.codingowl.yaml',
      '.coding_owl.yaml',
      '.coding-owlrc',
      '.coding-owlrc.json',
      '.coding-owl',
      '.Coding-Owl.yaml',
      '.config/coding-owl.yml',
      '.config/.coding-owl.yaml',
      '.git-owl.yaml',
      'coding-owl.json',
    ],
    other: [
      'README.md',
      'coding-owl.js',
      'owl.yaml',
      '.config/config.cjs',
      'coding-owl',
      'src/.coding-owl.yaml',
      'tsconfig.json',
    ],
  };
  for (const [kind, names] of Object.entries(kinds)) for (const name of names) t.equal(classifyName(name), kind, name);
});

/** All paths of a JSON Schema, in the form of the table. */
function schemaPaths(node: Record<string, unknown>, path = ''): string[] {
  const found: string[] = [];
  const visit = (child: unknown, at: string): void => {
    if (typeof child === 'object' && child !== null) found.push(...schemaPaths(child as Record<string, unknown>, at));
  };
  const properties = (path === 'agents' ? {} : (node['properties'] ?? {})) as Record<string, unknown>;
  for (const [name, child] of Object.entries(properties)) {
    const at = path === '' ? name : `${path}.${name}`;
    found.push(at);
    visit(child, at);
  }
  visit(node['items'], `${path}[]`);
  if (typeof node['additionalProperties'] === 'object') visit(node['additionalProperties'], `${path}.<name>`);
  for (const form of (node['anyOf'] ?? node['oneOf'] ?? []) as unknown[]) visit(form, path);
  return found;
}

t.test('06: the table of keys and the schema have the same keys', async (t) => {
  const paths = new Set(schemaPaths(configJsonSchema('user')));
  const leaves = [...paths].filter(
    (path) =>
      ![...paths].some((other) => other.startsWith(`${path}.`) && !CONFIG_KEYS.some((key) => key.path === path)),
  );
  t.same(leaves.sort(), CONFIG_KEYS.map((key) => key.path).sort());
  t.equal(new Set(CONFIG_KEYS.map((key) => key.path)).size, CONFIG_KEYS.length, 'each once');
  for (const key of CONFIG_KEYS) {
    t.ok(key.meaning.length > 3 && key.type !== '', key.path);
    t.ok(whoMaySet(key).length > 3, key.path);
  }
  t.equal(tablePath(['agents', 'mine', 'env', 0]), 'agents.<name>.env[]');
  t.same(childKeys('verification'), ['checkout']);
});

t.test('06: the defaults of the table are valid in a file', async (t) => {
  for (const key of CONFIG_KEYS) {
    if (key.default === undefined || key.default === null) continue;
    const file = key.path.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), key.default);
    t.same(await issues(JSON.stringify(file), 'user', 'json'), [], key.path);
  }
});

// Values that are likely to be near the border of something.
const VALUES: unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  10_000,
  10_001,
  1e12,
  '',
  ' ',
  'x',
  'true',
  'owl/',
  'owl',
  'a/b/',
  'refine/',
  'refine/x',
  'a..b',
  '-x',
  'main',
  'release/1.0',
  'a.lock',
  'a.lock/',
  '@',
  'ü',
  'a b',
  'a\nb',
  '\u0000',
  '~/x',
  '/x',
  'x/../y',
  '../x',
  '..',
  'a/..',
  '.git/config',
  '.gitignore',
  'a\\b',
  '**/*.ts',
  '1m',
  '0m',
  '10d',
  '9d',
  '90d',
  '24h',
  '25h',
  '1d',
  'never',
  '0',
  '2.5',
  '0.0',
  '5usd',
  'stdin',
  'file',
  'preset',
  'fresh',
  'worktree',
  'require',
  'success',
  'empty_output',
  'claude',
  'nobody',
  'job.review',
  'job.open',
  'workflow.todo.enter',
  'PATH',
  'OWL_X',
  '1A',
  'executable',
  'context',
  [],
  {},
  ['x'],
  [''],
  [1],
  [[]],
  [{}],
  [null],
  { x: 1 },
  ['x', 'x'],
  [{ run: 'x' }],
  [{ run: 'x', timeout: '1m' }],
  [{ run: 'x', extra: 1 }],
  [{ name: 'a', run: 'b' }],
  [{ name: 'a b', run: 'c' }],
  [{ name: 'a', run: 'b', expect: 'success' }],
  { mine: { command: ['x'] } },
  { mine: {} },
  { claude: {} },
  { mine: { preset: 'claude' } },
  { claude: { preset: 'nobody' } },
  { 'a b': { command: ['x'] } },
  { mine: [] },
  { mine: { auto_merge: null } },
  { mine: { auto_merge: 1 } },
  [{ name: 'a', on: 'job.review', kind: 'executable', run: 'x' }],
  [{ name: 'a', on: 'job.review', kind: 'context' }],
  [{ name: 'a', on: 'job.review', kind: 'context', text: 'x', run: 'y' }],
  [{ name: 'a', on: 'job.done', kind: 'disabled' }],
];

t.test('06: the JSON Schema accepts exactly what the loader accepts', async (t) => {
  for (const which of ['base', 'user'] as const) {
    const accepts = new Ajv({
      strict: true,
      strictRequired: false,
      allowUnionTypes: true,
      unicodeRegExp: true,
    }).compile(configJsonSchema(which));
    const loads = (value: unknown): boolean => {
      const parsed = parseFile(which, value, '');
      // The two rules that a JSON Schema cannot say are no part of the comparison.
      return parsed.kind === 'ok' || parsed.issues.every((issue) => issue.message.includes('is used twice'));
    };
    const agree = (value: unknown): void => {
      const [schema, loader] = [accepts(value), loads(value)];
      if (schema !== loader) t.fail(`${which}: ${JSON.stringify(value)}: schema ${schema}, loader ${loader}`);
    };
    const whole = await parseText('yaml', EVERYTHING);
    t.ok('value' in whole && accepts(whole.value), which);
    const paths = CONFIG_KEYS.map((key) => key.path).filter((path) => !path.includes('<') && !path.includes('['));
    const tops = new Set(paths.map((path) => path.split('.', 1)[0] ?? ''));
    const put = (path: string, value: unknown): unknown =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    let accepted = 0;
    for (const value of VALUES) {
      agree(value);
      for (const path of [
        ...paths,
        ...tops,
        'agents.mine.command',
        'agents.claude.env',
        'agents.claude.account',
        'modes.docs.auto_merge',
        'nope',
        'gc.nope',
      ]) {
        const file = put(path, value);
        agree(file);
        if (accepts(file)) accepted += 1;
      }
    }
    t.ok(accepted > 150, `${accepted} accepted ones among them`);
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...tops, 'other'),
          fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 3 })),
        ),
        (file) => {
          // Keys that JavaScript does not treat as data are refused by the loader alone: JSON Schema has no word for them.
          if (/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(file))) return true;
          return accepts(file) === loads(file);
        },
      ),
      { numRuns: 500 },
    );
  }
});
