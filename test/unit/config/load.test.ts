// The configuration from the base's commit, the user's own file and Git's configuration, on real repositories.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { configurationElsewhere } from '../../../src/config/elsewhere.js';
import { loadBaseNames, loadPolicy } from '../../../src/config/load.js';
import type { PolicyOptions } from '../../../src/config/merge.js';
import { gatesDigest } from '../../../src/config/policy.js';
import { loadTaste } from '../../../src/config/taste.js';
import { isOwlError, type OwlError } from '../../../src/domain/errors.js';
import type { Oid, RefName } from '../../../src/domain/git.js';
import type { LoadedPolicy } from '../../../src/domain/policy.js';
import { opened } from '../../fixtures/opened.js';
import type { Repo } from '../../fixtures/repository.js';
import { type Sandbox, sandbox } from '../../fixtures/sandbox.js';

const MAIN = 'refs/heads/main' as RefName;
const places = (box: Sandbox) => ({ configDir: join(box.home, '.config/coding-owl'), home: box.home });

async function load(t: Test, repo: Repo, options?: PolicyOptions, ref: string = MAIN): Promise<LoadedPolicy> {
  const repository = await opened(t, repo);
  const commit = (await repo.oid(ref)) as Oid;
  return loadPolicy({ repository, environment: places(repo.box), commit: commit === '' ? null : commit, ref, options });
}

async function refusal(t: Test, repo: Repo, options?: PolicyOptions): Promise<OwlError> {
  try {
    await load(t, repo, options);
  } catch (error) {
    if (isOwlError(error, 'configuration')) {
      t.equal(error.exit, 9);
      t.same(error.next, ['git owl config check']);
      return error;
    }
    throw error;
  }
  throw new Error('the configuration was accepted');
}

t.test('06: without a configuration the built-in values count, and say so', async (t) => {
  const box = await sandbox(t);
  const loaded = await load(t, await box.repository());
  t.equal(loaded.path, null);
  t.equal(loaded.policy.ttl, 10);
  t.equal(loaded.policy.plan, true);
  t.same(loaded.policy.phases.execute, {
    timeout: { ms: 14_400_000, text: '4h' },
    stall: { ms: 900_000, text: '15m' },
    model: null,
    budget: null,
  });
  t.same(loaded.origins.get('ttl'), { kind: 'built-in', where: 'built-in' });
  t.same(loaded.commands, []);
  const unborn = await box.repository({ unborn: true });
  t.equal((await load(t, unborn)).commit, null);
});

t.test('J7: the file is read from the commit, never from checkout, index or HEAD', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: {
      '.coding-owl.yaml': 'ttl: 3\nchecks: [{ name: test, run: make test }]\nphases: { plan: { timeout: 90s } }\n',
    },
  });
  repo.write('.coding-owl.yaml', 'ttl: 99\n');
  await repo.git('add', '-A');
  await repo.git('checkout', '-q', '-b', 'other');
  await repo.commit('weaken', { '.coding-owl.yaml': 'ttl: 77\n' });
  const loaded = await load(t, repo);
  t.equal(loaded.policy.ttl, 3);
  t.same(loaded.policy.checks, [
    { name: 'test', run: 'make test', timeout: { ms: 900_000, text: '15m' }, expect: 'success' },
  ]);
  t.same(loaded.policy.phases.plan.timeout, { ms: 90_000, text: '90s' });
  t.same(loaded.origins.get('checks'), { kind: 'base', where: 'refs/heads/main:.coding-owl.yaml' });
  t.equal(loaded.blob, await repo.oid('main:.coding-owl.yaml'));
  t.same(loaded.commands, [{ key: 'checks.test', command: 'make test' }]);
});

t.test('06: every place is found; two are refused by name', async (t) => {
  const box = await sandbox(t);
  const texts: Record<string, string> = {
    '.coding-owl.yaml': 'ttl: 4\n',
    '.config/coding-owl.yaml': 'ttl: 4\n',
    '.coding-owl.json': '{"ttl": 4}\n',
    'package.json': '{"name": "x", "coding-owl": {"ttl": 4}}\n',
  };
  for (const [path, text] of Object.entries(texts)) {
    const loaded = await load(
      t,
      await box.repository({
        files: { [path]: text, 'package.json': texts['package.json'] === text ? text : '{"name": "x"}' },
      }),
    );
    t.equal(loaded.policy.ttl, 4, path);
    t.equal(loaded.path, path);
  }
  const two = await refusal(
    t,
    await box.repository({ files: { '.coding-owl.yaml': 'ttl: 1\n', 'package.json': '{"coding-owl": {}}' } }),
  );
  t.match(
    two.message,
    'refs/heads/main:.coding-owl.yaml: there is a second configuration, package.json ("coding-owl")',
  );
});

t.test('06: an error names the file, the line and the key', async (t) => {
  const box = await sandbox(t);
  const yaml = await refusal(t, await box.repository({ files: { '.coding-owl.yaml': 'ttl: 4\nchekcs: []\n' } }));
  t.equal(yaml.message, 'refs/heads/main:.coding-owl.yaml:2: unknown key "chekcs"; the nearest known one is "checks"');
  t.match(yaml.data, { file: 'refs/heads/main:.coding-owl.yaml', line: 2, key: 'chekcs' });
  const inPackage = await refusal(
    t,
    await box.repository({ files: { 'package.json': '{\n "ttl": 1,\n "coding-owl": {\n  "ttl": 0\n }\n}' } }),
  );
  t.match(inPackage.message, 'refs/heads/main:package.json:4: ttl: expected');
  const stranger = await refusal(t, await box.repository({ files: { '.coding-owl.yaml': 'agent: clade\n' } }));
  t.match(stranger.message, 'agent "clade" is neither a preset nor a name under agents');
});

t.test('06, 07.54: what would have to be run is refused, and a planted .config/config.cjs never runs', async (t) => {
  const box = await sandbox(t);
  const touch = (name: string) =>
    `require('node:fs').writeFileSync(${JSON.stringify(box.path(name))}, '')\nmodule.exports = { searchPlaces: ['evil.json'] }\n`;
  const repo = await box.repository({
    files: {
      '.coding-owl.yaml': 'ttl: 3\n',
      '.config/config.cjs': touch('ran-1'),
      '.config/config.js': touch('ran-2'),
      '.config/config.json': '{"cosmiconfig": {"searchPlaces": ["evil.json"]}}',
      'evil.json': '{"ttl": 99}',
    },
  });
  const before = process.cwd();
  process.chdir(repo.dir);
  try {
    t.equal((await load(t, repo)).policy.ttl, 3);
  } finally {
    process.chdir(before);
  }
  for (const name of ['ran-1', 'ran-2']) t.notOk(existsSync(box.path(name)), name);
  for (const path of ['.coding-owl.cjs', 'coding-owl.config.ts', '.config/coding-owl.js', '.coding-owlrc.mjs']) {
    const error = await refusal(
      t,
      await box.repository({ files: { '.coding-owl.yaml': 'ttl: 3\n', [path]: touch('ran-3') } }),
    );
    t.match(error.message, `refs/heads/main:${path}: a configuration that would have to be run is refused`);
  }
  t.notOk(existsSync(box.path('ran-3')));
});

t.test('06: names that only look right are pointed out', async (t) => {
  const box = await sandbox(t);
  const loaded = await load(
    t,
    await box.repository({
      files: { '.coding-owl.yml': 'ttl: 3\n', '.coding-owl.toml': '', '.coding-owl/HANDOFF.md': '# x\n' },
    }),
  );
  t.equal(loaded.policy.ttl, 10);
  t.same(loaded.warnings, [
    'refs/heads/main:.coding-owl.toml is not read: the configuration is called .coding-owl.yaml',
    'refs/heads/main:.coding-owl.yml is not read: the configuration is called .coding-owl.yaml',
  ]);
});

t.test('06: a link, a submodule, a folder, a large or a binary file is refused', async (t) => {
  const box = await sandbox(t);
  const linked = await box.repository();
  symlinkSync('/etc/passwd', join(linked.dir, '.coding-owl.yaml'));
  await linked.commit('link');
  t.match((await refusal(t, linked)).message, 'it is a symbolic link');

  const gitlink = await box.repository();
  await gitlink.git('update-index', '--add', '--cacheinfo', `160000,${await gitlink.oid('HEAD')},.coding-owl.yaml`);
  await gitlink.git('commit', '-qm', 'gitlink');
  t.match((await refusal(t, gitlink)).message, 'it is a submodule');

  t.match((await refusal(t, await box.repository({ files: { '.coding-owl.yaml/x': '' } }))).message, 'it is a folder');
  t.match(
    (await refusal(t, await box.repository({ files: { '.coding-owl.yaml': `# ${'x'.repeat(65 * 1024)}\n` } }))).message,
    'at most 65536 are read',
  );
  t.match(
    (await refusal(t, await box.repository({ files: { '.coding-owl.yaml': Buffer.from([0x61, 0xff, 0xfe]) } })))
      .message,
    'it is not UTF-8 text',
  );
});

t.test('01, 07.54: a replacement of the blob, the tree or the commit does not count, nor does a graft', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: { '.coding-owl.yaml': 'checks: [{ name: test, run: make test }]\n', 'weak.yaml': 'checks: []\n' },
  });
  const replace = async (from: string, to: string): Promise<string> =>
    repo.git('update-ref', `refs/replace/${await repo.oid(from)}`, await repo.oid(to));
  await replace('main:.coding-owl.yaml', 'main:weak.yaml');
  t.equal((await load(t, repo)).policy.checks.length, 1, 'blob');
  const start = await repo.oid('main');
  await repo.commit('weak', { '.coding-owl.yaml': 'checks: []\n' });
  const weak = await repo.oid('main');
  await repo.git('update-ref', 'refs/heads/main', start);
  await repo.git('update-ref', `refs/replace/${start}`, weak);
  t.equal((await load(t, repo)).policy.checks.length, 1, 'commit');
  writeFileSync(join(repo.dir, '.git/info/grafts'), `${start} ${weak}\n`);
  t.equal((await load(t, repo)).policy.checks.length, 1, 'graft');
});

t.test('06: the own file adds checks, setup, gates and agents', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: {
      '.coding-owl.yaml':
        'setup: [make deps]\nchecks: [{ name: test, run: make test }]\nttl: 5\nmax_parallel: 2\nguard: [docs/**]\nagents: { mine: { command: [a] } }\n',
    },
  });
  box.userConfig(
    'setup: [echo own]\nchecks: [{ name: lint, run: make lint }]\nttl: 3\nmax_parallel: 8\nguard: [docs/**, src/**]\nagents: { other: { command: [b] } }\nagent: other\nquality: { checks: [{ name: q, run: make q }] }\nworktrees: /tmp/trees\ngc: { unfenced: true }\nsync: { run: true }\nverification: { checkout: fresh }\nsigning: require\nremote: fork\n',
  );
  const loaded = await load(t, repo);
  const { policy, origins } = loaded;
  const label = '~/.config/coding-owl/config.yaml';
  t.same(
    policy.checks.map((check) => check.name),
    ['test', 'lint'],
  );
  t.same(
    policy.setup.map((step) => step.run),
    ['make deps', 'echo own'],
  );
  t.same(Object.keys(policy.agents), ['mine', 'other']);
  t.equal(policy.agent, 'other');
  t.equal(policy.ttl, 3, 'the lower one');
  t.equal(policy.max_parallel, 2, 'not raised above what the base says');
  t.same(policy.guard, ['docs/**', 'src/**']);
  t.same(
    [policy.worktrees, policy.verification.checkout, policy.signing, policy.remote],
    ['/tmp/trees', 'fresh', 'require', 'fork'],
  );
  t.equal(loaded.values?.get('gc.unfenced'), true);
  t.same(origins.get('checks.lint'), { kind: 'user', where: label });
  t.same(origins.get('checks.test'), { kind: 'base', where: 'refs/heads/main:.coding-owl.yaml' });
  t.same(origins.get('setup[1]'), { kind: 'user', where: label });
  t.same(origins.get('ttl'), { kind: 'user', where: label });
  t.same(
    loaded.commands.map((one) => one.command),
    ['make deps', 'make test', 'a'],
    'trust is about the repository',
  );
});

t.test('06: the own file cannot remove or weaken', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: {
      '.coding-owl.yaml':
        'checks: [{ name: test, run: make test }]\nexecution: { auto_merge: true }\nsigning: require\nphases: { execute: { timeout: 1h, budget: 2 } }\n',
    },
  });
  const cases: Record<string, string> = {
    'checks: [{ name: test, run: "true" }]':
      'checks: the base has one named "test"; your own file may add to it, not replace one',
    'execution: { auto_merge: true }': 'execution.auto_merge: true would weaken what the base says',
    'execution: { publish: true }': 'execution.publish: true would weaken',
    'goals: { ungated: true }': 'goals.ungated: true would weaken',
    'verification: { checkout: worktree }': 'verification.checkout: "worktree" would weaken',
    'base: other': "base counts only in the base's configuration",
    'branch_prefix: me/': "branch_prefix counts only in the base's configuration",
    'copy: [.env]': "copy counts only in the base's configuration",
    'modes: { m: { auto_merge: true } }': "modes counts only in the base's configuration",
    'chekcs: []': 'config.yaml:1: unknown key "chekcs"',
  };
  for (const [text, message] of Object.entries(cases)) {
    box.userConfig(`${text}\n`);
    const error = await refusal(t, repo);
    t.ok(
      error.message.startsWith('~/.config/coding-owl/config.yaml') && error.message.includes(message),
      `${text}: ${error.message}`,
    );
  }
  box.userConfig(
    'execution: { auto_merge: false }\nsigning: inherit\nphases: { execute: { timeout: 4h, budget: 9 } }\n',
  );
  const { policy } = await load(t, repo);
  t.equal(policy.execution.auto_merge, false, 'stricter counts');
  t.equal(policy.signing, 'require', 'laxer does not');
  t.same([policy.phases.execute.timeout.text, policy.phases.execute.budget], ['1h', '2']);
});

t.test('06: the command line counts before all files', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ files: { '.coding-owl.yaml': 'ttl: 5\n' } });
  const loaded = await load(t, repo, { ttl: 7, 'execution.auto_merge': true });
  t.equal(loaded.policy.ttl, 7);
  t.same(loaded.origins.get('ttl'), { kind: 'option', where: '--ttl' });
  t.same(loaded.origins.get('execution.auto_merge'), { kind: 'option', where: '--auto-merge' });
});

t.test('06: near misses beside the own file are pointed out, and one that cannot be read is an error', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  mkdirSync(join(box.home, '.config/coding-owl'), { recursive: true });
  writeFileSync(join(box.home, '.config/coding-owl/config.yml'), 'ttl: 1\n');
  t.same((await load(t, repo)).warnings, [
    '~/.config/coding-owl/config.yml is not read: your own configuration is called config.yaml',
  ]);
  mkdirSync(join(box.home, '.config/coding-owl/config.yaml'));
  t.match((await refusal(t, repo)).message, '~/.config/coding-owl/config.yaml: it is not a file');
});

t.test('06: owl.* of Git counts for taste alone; the rest is said and ignored', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  for (const [key, value] of Object.entries({
    'owl.agent': 'evil',
    'owl.autoMerge': 'true',
    'owl.editor': 'evil-editor',
    'owl.color': 'never',
    'owl.colour': 'always',
  })) {
    await repo.git('config', key, value);
  }
  await repo.git('config', '--global', '--add', 'owl.label', 'mine');
  await repo.git('config', '--global', 'owl.editor', 'vi\nx');
  await repo.git('config', '--add', 'owl.label', 'here');
  const loaded = await load(t, repo);
  t.equal(loaded.policy.agent, null);
  t.equal(loaded.policy.execution.auto_merge, false);
  const taste = await loadTaste((await opened(t, repo)).git);
  t.match(taste, { color: 'never', editor: 'vi\nx', labels: ['mine', 'here'] });
  t.same([...taste.warnings].sort(), [
    "owl.agent in Git's configuration was ignored: policy is read from the base branch",
    "owl.automerge in Git's configuration was ignored: policy is read from the base branch",
    "owl.colour in Git's configuration was ignored: the nearest known one is owl.color",
    "owl.editor was ignored: what names a command does not come from the repository's .git/config",
  ]);
});

t.test('J33: base and remote are read alone, whatever else is wrong with the file', async (t) => {
  const box = await sandbox(t);
  const names = async (text: string) => {
    const repo = await box.repository({ files: { '.coding-owl.yaml': text } });
    const repository = await opened(t, repo);
    return loadBaseNames({ repository, environment: places(box), commit: (await repo.oid(MAIN)) as Oid, ref: MAIN });
  };
  t.same(await names('base: release/1.0\nremote: upstream\n'), { base: 'release/1.0', remote: 'upstream' });
  t.same(await names('base: develop\nchekcs: []\n'), { base: 'develop', remote: null });
  t.same(await names('base: -x\nremote: 7\n'), { base: null, remote: null });
  t.same(await names('base: [\n'), { base: null, remote: null });
  box.userConfig('remote: fork\n');
  t.same(await names('ttl: 1\n'), { base: null, remote: 'fork' });
  t.same(await names('remote: origin\n'), { base: null, remote: 'origin' });
});

t.test('11: a configuration that is not in force is named, with what makes it count', async (t) => {
  const box = await sandbox(t);
  const say = async (repo: Repo, ref: string): Promise<readonly string[]> => {
    const loaded = await load(t, repo, undefined, ref);
    return configurationElsewhere({ repository: await opened(t, repo), loaded, ref: ref as RefName });
  };
  const remote = 'refs/remotes/origin/main';
  const repo = await box.repository({ remote: 'bare' });
  t.same(await say(repo, remote), []);

  repo.write('.coding-owl.yaml', 'ttl: 3\n');
  t.same(await say(repo, MAIN), [
    '.coding-owl.yaml in this checkout is not in force (refs/heads/main has none): commit it on main',
  ]);
  t.same(await say(repo, remote), [
    '.coding-owl.yaml in this checkout is not in force (refs/remotes/origin/main has none): commit it on main and push it: git push origin main',
  ]);
  await repo.commit('configure');
  t.same(await say(repo, MAIN), []);
  t.same(await say(repo, remote), [
    'refs/heads/main:.coding-owl.yaml is not in force (refs/remotes/origin/main has none): push it: git push origin main',
  ]);
  await repo.git('push', '-q', 'origin', 'main');
  t.same(await say(repo, remote), []);

  await repo.git('checkout', '-q', '-b', 'topic');
  await repo.commit('more', { '.coding-owl.yaml': 'ttl: 4\n' });
  t.same(await say(repo, remote), [
    '.coding-owl.yaml of this branch is not in force (refs/remotes/origin/main:.coding-owl.yaml is): it counts once it is on main',
  ]);
  await repo.git('checkout', '-q', 'main');

  await repo.colleague('change it', { '.coding-owl.yaml': 'ttl: 9\n' });
  await repo.git('fetch', '-q');
  t.same(await say(repo, remote), [], 'an old checkout is no news');
  await repo.commit('work', { 'work.txt': 'x' });
  t.same(await say(repo, remote), [], 'nor is a base that diverged elsewhere');

  const packaged = await box.repository({ files: { 'package.json': '{"name": "x", "coding-owl": {"ttl": 3}}' } });
  packaged.write('package.json', '{"name": "y", "version": "2", "coding-owl": {"ttl": 3}}');
  t.same(await say(packaged, MAIN), [], "the rest of a package.json is somebody else's");
  packaged.write('package.json', '{"coding-owl": {"ttl": 4}}');
  t.equal((await say(packaged, MAIN)).length, 1);
});

t.test('01: the same from a SHA-256 repository and a linked worktree', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ init: ['--object-format=sha256'], files: { '.coding-owl.yaml': 'ttl: 3\n' } });
  await repo.git('worktree', 'add', '-q', box.path('linked'));
  const repository = await opened(t, repo, box.path('linked'));
  const loaded = await loadPolicy({
    repository,
    environment: places(box),
    commit: (await repo.oid(MAIN)) as Oid,
    ref: MAIN,
  });
  t.equal(loaded.policy.ttl, 3);
  t.equal(dirname(repository.commonDir), repo.dir);
});

const GATES = `quality: { checks: [{ name: lint, run: make lint }], agent: claude }
governance:
  checks: [{ name: audit, run: make audit, timeout: 5m }]
  agent: judge
  rules: [docs/rules.md]
  protect: [LICENSE]
  max_changed: { files: 10, lines: 500 }
agents: { judge: { command: [judge] } }
goals: { target: release/1.0, error_window: 1h }
skills:
  - { name: resolve, on: workflow.quality.error, kind: executable, run: ./resolve, timeout: 90s }
  - { name: tone, on: workflow.plan.enter, kind: context, text: Be brief. }
`;

t.test(
  "06: the gates of Goals and the Skills; the user's own file adds checks and tightens, and never weakens",
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ config: GATES });
    const { policy } = await load(t, repo);
    t.match(policy.quality, { checks: [{ name: 'lint', run: 'make lint', expect: 'success' }], agent: 'claude' });
    t.match(policy.governance, { agent: 'judge', rules: ['docs/rules.md'], protect: ['LICENSE'] });
    t.same(policy.governance.checks[0]?.timeout, { ms: 300_000, text: '5m' });
    t.same(policy.governance.max_changed, { files: 10, lines: 500 });
    t.match(policy.goals, { target: 'release/1.0', publish: true, error_window: { text: '1h' }, ungated: false });
    t.same(policy.skills, [
      {
        name: 'resolve',
        on: 'workflow.quality.error',
        kind: 'executable',
        run: './resolve',
        agent: null,
        text: null,
        timeout: { ms: 90_000, text: '90s' },
      },
      {
        name: 'tone',
        on: 'workflow.plan.enter',
        kind: 'context',
        run: null,
        agent: null,
        text: 'Be brief.',
        timeout: { ms: 900_000, text: '15m' },
      },
    ]);
    t.match(policy.sync, { trust: false });
    const before = gatesDigest(policy);
    box.userConfig(
      'governance: { checks: [{ name: mine, run: make mine }], protect: [docs], max_changed: { files: 100, lines: 50 } }\nsync: { trust: true }\n',
    );
    const stricter = (await load(t, repo)).policy;
    t.same(
      stricter.governance.checks.map((check) => check.name),
      ['audit', 'mine'],
    );
    t.same(stricter.governance.protect, ['LICENSE', 'docs']);
    t.same(stricter.governance.max_changed, { files: 10, lines: 50 });
    t.match(stricter.sync, { trust: true });
    t.not(gatesDigest(stricter), before, 'other gates have another digest');
    box.userConfig('ttl: 3\n');
    t.equal(gatesDigest((await load(t, repo)).policy), before, 'what is no gate does not count');
    for (const text of [
      'quality: { agent: claude }',
      'governance: { agent: null }',
      'governance: { rules: [x] }',
      'goals: { ungated: true }',
    ]) {
      box.userConfig(`${text}\n`);
      t.match(await refusal(t, repo), { message: /counts only in the base|would weaken/ }, text);
    }
  },
);

t.test('06: a gate or a Skill that names an agent which is not known is refused by its key', async (t) => {
  const box = await sandbox(t);
  for (const [name, text] of [
    ['quality.agent', 'quality: { agent: nobody }'],
    ['governance.agent', 'governance: { agent: nobody }'],
    ['skills.fix', 'skills: [{ name: fix, on: workflow.quality.error, kind: executable, agent: nobody }]'],
  ] as const) {
    const repo = await box.repository({ config: `${text}\n` });
    t.match(await refusal(t, repo), { message: `${name} "nobody" is neither a preset nor a name under agents` }, name);
  }
});
