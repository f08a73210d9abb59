// What `init` finds in a repository's files, and that what it writes is a configuration.

import t from 'tap';
import { PRESETS, presetNamed } from '../../../src/agent/presets/index.js';
import { checkMachine } from '../../../src/app/doctor/machine.js';
import { detectProject } from '../../../src/config/detect.js';
import { mergeSources } from '../../../src/config/merge.js';
import { parseFile, parseText } from '../../../src/config/parse.js';
import { buildPolicy } from '../../../src/config/policy.js';
import { PRESET_NAMES } from '../../../src/config/schema.js';
import { renderTemplate } from '../../../src/config/template.js';

const detect = (files: Record<string, string>) =>
  detectProject({ has: (path) => path in files, read: (path) => files[path] ?? null });

t.test('06: the test command and what it needs are found', async (t) => {
  const script = (test: string) => JSON.stringify({ scripts: { test } });
  const cases: [Record<string, string>, string | null, string?][] = [
    [{ 'package.json': script('tap'), 'package-lock.json': '' }, 'npm test', 'npm ci'],
    [{ 'package.json': script('tap') }, 'npm test'],
    [{ 'package.json': script('x'), 'pnpm-lock.yaml': '' }, 'pnpm test', 'pnpm install --frozen-lockfile'],
    [{ 'package.json': script('x'), 'yarn.lock': '' }, 'yarn test', 'yarn install --frozen-lockfile'],
    [{ 'package.json': script('x'), 'yarn.lock': '', '.yarnrc.yml': '' }, 'yarn test', 'yarn install --immutable'],
    [{ 'package.json': script('x'), 'bun.lock': '' }, 'bun run test', 'bun install --frozen-lockfile'],
    [
      { 'package.json': script('echo "Error: no test specified" && exit 1'), Makefile: 'all:\n\ntest: all\n\tx\n' },
      'make test',
    ],
    [{ 'package.json': '{', 'Cargo.toml': '' }, 'cargo test'],
    [{ 'package.json': 'null', 'go.mod': '' }, 'go test ./...'],
    [{ Makefile: 'test := x\ncheck:\n\tx\n' }, 'make check'],
    [{ Makefile: 'test := x\ntested:\n\tx\n' }, null],
    [{ justfile: 'test *args:\n  x\n' }, 'just test'],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]', 'uv.lock': '' }, 'uv run pytest', 'uv sync --locked'],
    [{ 'pytest.ini': '' }, 'python -m pytest'],
    [{ 'pyproject.toml': '[build-system]' }, null],
    [{ gradlew: '' }, './gradlew test'],
    [{}, null],
  ];
  for (const [files, run, setup] of cases) {
    const found = detect(files);
    t.same(
      [found.checks.map((check) => check.run), found.setup],
      [run === null ? [] : [run], setup === undefined ? [] : [setup]],
      JSON.stringify(files),
    );
  }
});

t.test('06: what init writes is accepted, and says what was found', async (t) => {
  const hostile = '"; rm -rf #: {x} \u2028';
  for (const detected of [
    detect({}),
    detect({ 'go.mod': '' }),
    { setup: [hostile, 'make: deps'], checks: [{ name: 'test', run: hostile }], from: [] },
  ]) {
    for (const [base, baseIsFound] of [
      ['main', true],
      ['release/1.0', false],
      ['true', false],
      ['#1', false],
    ] as const) {
      for (const agents of [[], ['claude', 'codex']]) {
        const text = renderTemplate({ ...detected, base, baseIsFound, agent: agents[0] ?? null, agents });
        const read = await parseText('yaml', text);
        const parsed = 'value' in read ? parseFile('base', read.value, text) : null;
        if (parsed?.kind !== 'ok') return void t.fail(`${JSON.stringify(parsed ?? read)}\n${text}`);
        const policy = buildPolicy(mergeSources({ label: 'x', file: parsed.file }, null).values);
        t.equal(policy.base, baseIsFound ? null : base);
        t.equal(policy.agent, agents[0] ?? null);
        t.same(
          policy.setup.map((step) => step.run),
          detected.setup,
        );
        t.same(
          policy.checks.map((check) => check.run),
          detected.checks.map((check) => check.run),
        );
        t.ok(
          text.split('\n').every((line) => line.length <= 130),
          'fits a screen',
        );
      }
    }
  }
});

t.test('06: every commented line of the template is right once the comment goes', async (t) => {
  const text = renderTemplate({ ...detect({}), base: 'main', baseIsFound: true, agent: null, agents: [] });
  const bare = text
    .replace(/^# (?=[a-z_]+: |[a-z_]+:$| {2}(?:mine|plan|execute|- ))/gm, '')
    .replace(/^#( {3}- \{ name: (?:format|resolve))/gm, '$1')
    .replace(/^#( {3}(?:mine|plan|execute|-) ?)/gm, '$1');
  const read = await parseText('yaml', bare);
  t.ok('value' in read, JSON.stringify(read));
  if ('value' in read)
    t.match(parseFile('base', read.value, bare), {
      kind: 'ok',
      file: { base: 'main', ttl: 10, execution: { auto_merge: true }, checks: [{ name: 'test' }, { name: 'format' }] },
    });
});

t.test('09: the presets that the schema names are the ones there are, and write their plans themselves', async (t) => {
  t.same([...PRESET_NAMES].sort(), PRESETS.map((preset) => preset.name).sort());
  const { policy } = {
    policy: buildPolicy(
      mergeSources(
        { label: 'x', file: { agents: Object.fromEntries(PRESET_NAMES.map((name) => [name, { env: ['A'] }])) } },
        null,
      ).values,
    ),
  };
  for (const name of PRESET_NAMES) {
    t.match(policy.agents[name], { preset: name, command: [], env: ['A'], plan: presetNamed(name)?.plan }, name);
  }
});

t.test('06: doctor looks for the manual page where man does', async (t) => {
  const dir = t.testdir({
    share: { man: { man1: { 'git-owl.1.gz': '' } } },
    bin: {},
    empty: {},
    package: { man: { 'git-owl.1': '' } },
  });
  const manual = (variables: Record<string, string>, root = `${dir}/empty`) =>
    checkMachine({ variables }, root).find((one) => one.name === 'manual');
  t.match(manual({ PATH: `${dir}/bin` }), { status: 'pass' });
  t.match(manual({ PATH: '/nowhere', MANPATH: `${dir}/share/man` }), { status: 'pass' });
  t.match(manual({ PATH: `${dir}/bin`, MANPATH: `${dir}/empty` }), {
    status: 'warn',
    mend: 'npm install --global git-owl',
  });
  t.match(manual({ PATH: `${dir}/bin`, MANPATH: `${dir}/empty:` }), { status: 'pass' });
  t.match(manual({ PATH: '/nowhere', MANPATH: '/nowhere' }, `${dir}/package`)?.mend, 'man -l');
});
