// Configuration as a person meets it: init, config, trust, doctor, and what must not be believed (06, 07.54).

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { type Test, t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import { sandbox } from '../fixtures/sandbox.js';

/** The document is what `schema/` publishes for its kind. */
function published(t: Test, document: { readonly schema: string }): void {
  const [, kind = ''] = document.schema.split('/');
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, `../../schema/${kind}.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false });
  t.ok(ajv.validate(schema, document), `${kind}: ${ajv.errorsText()}`);
}

t.test('06: init writes one commented file, trusts it, and says when it counts', async (t) => {
  const box = await sandbox(t);
  box.set('OWL_TRUST', undefined);
  box.executable('claude', '#!/bin/sh\necho 9.9.9\n');
  const repo = await box.repository({ remote: 'bare', files: { 'package.json': '{"scripts": {"test": "true"}}' } });
  const before = await repo.refs();

  const dry = await repo.owl('init', '--dry-run');
  t.match(dry.stdout, /^version: 1$/m);
  t.notOk(repo.exists('.coding-owl.yaml'), 'a dry run writes nothing');

  const written = await repo.owl('init', '--json');
  t.match(written.json(), {
    ok: true,
    data: {
      path: '.coding-owl.yaml',
      written: true,
      base: 'main',
      remote: 'origin',
      agent: 'claude',
      checks: [{ run: 'npm test' }],
    },
  });
  t.same(await repo.refs(), before, 'no ref was moved or made');
  t.equal(await repo.git('status', '--porcelain'), '?? .coding-owl.yaml', 'and nothing else was written or staged');
  const text = repo.read('.coding-owl.yaml');
  t.match(text, /^agent: claude$/m);
  t.match((await repo.owlFails(4, 'init')).stderr, 'there is a configuration already: .coding-owl.yaml');
  t.equal(repo.read('.coding-owl.yaml'), text, 'never over one that is there');

  published(t, written.json());
  const doctor = (await repo.owl('doctor', '--json')).json();
  published(t, doctor);
  published(t, (await repo.owl('trust', '--json')).json());
  t.match(
    doctor.data.items.find((one: { name: string }) => one.name === 'in-force'),
    { status: 'warn', mend: 'commit it on main and push it: git push origin main' },
  );
  t.match((await repo.owl('config', 'check')).stdout, /valid\s+\.coding-owl\.yaml in this checkout/);

  await repo.commit('configure');
  const added = await repo.owl('add', 'some work');
  t.match(
    added.stderr,
    'refs/heads/main:.coding-owl.yaml is not in force (refs/remotes/origin/main has none): push it: git push origin main',
  );
  await repo.git('push', '-q', 'origin', 'main');
  t.match((await repo.owl('trust')).stdout, 'trusted already', 'what init wrote is trusted');
  t.match((await repo.owlFails(4, 'init')).stderr, 'there is a configuration already');
  repo.remove('.coding-owl.yaml');
  t.match(
    (await repo.owlFails(4, 'init')).stderr,
    'there is a configuration already: refs/remotes/origin/main:.coding-owl.yaml',
  );
});

t.test('06: config says every value with its origin, one key alone, and what is wrong', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    files: { '.coding-owl.yaml': 'ttl: 5\nchecks: [{ name: test, run: make test }]\n' },
  });
  box.userConfig('checks: [{ name: lint, run: make lint }]\nmax_parallel: 1\n');
  await repo.git('config', 'owl.color', 'never');
  await repo.git('config', 'owl.checks', 'none');

  const all = (await repo.owl('config', '--json')).json();
  published(t, all);
  for (const args of [['ttl'], ['execution'], ['check'], ['base']])
    published(t, (await repo.owl('config', ...args, '--json')).json());
  t.equal(all.schema, 'git-owl/config/v1');
  const value = (key: string) => all.data.values.find((row: { key: string }) => row.key === key);
  t.match(value('ttl'), { value: 5, origin: { kind: 'base', where: 'refs/heads/main:.coding-owl.yaml' } });
  t.match(value('max_parallel'), { value: 1, origin: { kind: 'user', where: '~/.config/coding-owl/config.yaml' } });
  t.match(value('plan'), { value: true, origin: { kind: 'built-in' } });
  t.match(all.data.git_config, [{ key: 'owl.color', value: 'never' }]);
  t.match(all.data.warnings, ["owl.checks in Git's configuration was ignored"]);
  const lines = (await repo.owl('config')).stdout.split('\n');
  t.ok(lines.includes('checks.lint\t{"run":"make lint"}\t~/.config/coding-owl/config.yaml'));
  t.equal((await repo.owl('config', 'ttl')).stdout, '5\n');
  t.equal((await repo.owl('config', 'agent')).stdout, '');
  t.match((await repo.owl('config', 'execution')).stdout, /^execution\.auto_merge\tfalse/m);
  t.match((await repo.owlFails(2, 'config', 'tll')).stderr, 'the nearest one is ttl');

  await repo.owl('config', 'check');
  repo.write('.coding-owl.yaml', 'ttl: 5\nchekcs: []\n');
  const bad = await repo.owlFails(9, 'config', 'check', '--json');
  published(t, bad.json());
  t.match(bad.json(), { ok: false, error: { code: 'configuration' } });
  t.match(
    (await repo.owlFails(9, 'config', 'check')).stdout,
    'line 2: unknown key "chekcs"; the nearest known one is "checks"',
  );
  t.equal((await repo.owl('config', 'ttl')).stdout, '5\n', 'the checkout is not in force');
  await repo.commit('break it');
  const broken = await repo.owlFails(9, 'add', 'work');
  t.match(broken.stderr, 'refs/heads/main:.coding-owl.yaml:2: unknown key "chekcs"');
  t.match(broken.stderr, 'git owl config check');
  t.match((await repo.owlFails(9, 'doctor')).stdout, /^fail\tconfiguration\t/m);
  await repo.commit('mend it', { '.coding-owl.yaml': 'ttl: 5\n' });
  box.userConfig('execution: { auto_merge: true }\n');
  t.match(
    (await repo.owlFails(9, 'config', 'check')).stdout,
    'execution.auto_merge: true would weaken what the base says',
  );
});

t.test('06: owl.label of Git gives every Job its labels, owl.editor edits, but not from the repository', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.git('config', '--global', 'owl.label', 'mine');
  await repo.git('config', 'owl.editor', `touch ${box.path('evil')}; false`);
  await repo.git('config', '--global', 'owl.editor', box.executable('ed-test', '#!/bin/sh\necho "# Edited" > "$1"\n'));
  const added = (await repo.owl('add', 'work', '--label', 'ui', '--json')).json();
  t.same([...added.data.labels].sort(), ['mine', 'ui']);
  await repo.owl('handoff', added.data.id, '--edit', { fails: 'any' });
  t.notOk(existsSync(box.path('evil')));
});

t.test('06: trust is asked for before anything of the repository runs', async (t) => {
  const box = await sandbox(t);
  box.set('OWL_TRUST', undefined);
  const agent = box.agent('worker', diligent());
  const repo = await box.repository({ agents: [agent], config: `setup: [touch ${box.path('ran')}]\n` });
  await repo.add('work');
  const refused = await repo.owlFails(4, 'run');
  t.match(refused.stderr, 'git owl trust');
  t.notOk(existsSync(box.path('ran')));
  t.same(agent.seen(), []);
  const shown = await repo.owlFails(4, 'trust');
  t.match(shown.stdout, `setup[0]: touch ${box.path('ran')}`, 'nobody can be asked: they are shown');
  t.match((await repo.owl('trust', '--dry-run')).stdout, 'not trusted');
  await repo.owl('trust', '--yes');
  await repo.owl('run');
  t.ok(existsSync(box.path('ran')));

  await repo.commit('another command', {
    '.coding-owl.yaml': `${repo.read('.coding-owl.yaml')}checks: [{ name: evil, run: touch ${box.path('evil')} }]\n`,
  });
  await repo.add('more');
  const changed = await repo.owlFails(4, 'trust', '--json');
  t.match(changed.json(), { ok: false, error: { code: 'untrusted' } });
  t.match((await repo.owlFails(4, 'trust')).stdout, /^\+ checks\.evil/m, 'what is new is marked');
  await repo.owlFails(4, 'run');
  t.notOk(existsSync(box.path('evil')));
  await repo.owl('trust', '--yes');
  t.match((await repo.owl('trust', '--revoke')).stdout, 'forgotten');
  await repo.owlFails(4, 'run');
});

t.test('07.54: nothing planted beside the configuration counts or runs', async (t) => {
  const box = await sandbox(t);
  const plant = (name: string) =>
    `require('node:fs').writeFileSync(${JSON.stringify(box.path(name))}, '')\nmodule.exports = { searchPlaces: ['evil.yaml'] }\n`;
  const repo = await box.repository({
    files: {
      '.coding-owl.yaml': 'ttl: 5\nchecks: [{ name: test, run: "false" }]\n',
      '.config/config.cjs': plant('ran-1'),
      'evil.yaml': 'ttl: 99\n',
    },
  });
  repo.write('.config/config.js', plant('ran-2'));
  repo.write('coding-owl.config.cjs', plant('ran-3'));
  await repo.git(
    'update-ref',
    `refs/replace/${await repo.oid('main:.coding-owl.yaml')}`,
    await repo.oid('main:evil.yaml'),
  );
  writeFileSync(join(repo.dir, '.git/info/grafts'), '');
  for (const [key, value] of Object.entries({ 'owl.agent': 'evil', 'owl.checks': '', 'coding-owl.ttl': '99' }))
    await repo.git('config', key, value);
  for (const args of [['config', 'ttl'], ['config'], ['doctor'], ['config', 'check'], ['add', 'work']]) {
    const result = await repo.owl(...args, { fails: 'any' });
    t.notMatch(result.stdout, /^ttl\t99|^99$/m, args.join(' '));
  }
  t.equal((await repo.owl('config', 'ttl')).stdout, '5\n');
  for (const name of ['ran-1', 'ran-2', 'ran-3']) t.notOk(existsSync(box.path(name)), name);
});

t.test('06: doctor names each fault with its mend and changes nothing', async (t) => {
  const box = await sandbox(t);
  box.executable('claude', '#!/bin/sh\n[ "$1" = --version ] && [ -z "$SECRET" ] && echo "9.9.9 (Claude Code)"\n');
  box.set('SECRET', 'x');
  const repo = await box.repository({
    remote: 'bare',
    files: { '.coding-owl.yaml': 'agent: claude\nchecks: [{ name: test, run: "true" }]\n' },
  });
  const items = async (
    code: number,
    ...args: string[]
  ): Promise<Record<string, { status: string; message: string; mend: string | null }>> => {
    const result = await repo.owl('doctor', '--json', ...args, { fails: code });
    return Object.fromEntries(result.json().data.items.map((one: { name: string }) => [one.name, one]));
  };
  const before = await repo.refs();
  const well = await items(0, '--agent');
  for (const name of [
    'git',
    'format',
    'engine',
    'state',
    'base',
    'remote',
    'names',
    'worktrees',
    'configuration',
    'agent',
    'agent-answer',
    'checks',
  ])
    t.equal(well[name]?.status, 'pass', `${name}: ${well[name]?.message}`);
  t.match(well['agent-answer']?.message, '9.9.9 (Claude Code)');
  t.match(well['rights']?.message, 'all your rights');
  t.same(await repo.refs(), before);
  t.notOk(existsSync(join(box.home, '.local/share/git-owl')), 'no folder was made');

  box.executable('claude', '#!/bin/sh\necho broken >&2; exit 3\n');
  t.match((await items(9, '--agent'))['agent-answer'], { status: 'fail', message: /exit 3: broken/ });
  await repo.git('config', 'remote.origin.url', box.path('gone.git'));
  t.match((await items(0))['remote'], { status: 'warn', mend: 'git ls-remote origin' });
  await repo.git('branch', 'owl');
  t.match((await items(9))['names'], { status: 'fail', message: /the branch owl/ });
  await repo.git('branch', '-m', 'owl', 'other');
  box.userConfig(`worktrees: ${box.path('home/.gitconfig')}/x\n`);
  t.match((await items(9))['worktrees'], { status: 'fail' });
  box.userConfig('worktrees: [\n');
  t.match((await items(9))['configuration'], { status: 'fail', mend: 'git owl config check' });

  box.userConfig('');
  const nowhere = box.open(box.path('tmp'));
  const outside = await nowhere.owl('doctor', { fails: 3 });
  t.match(outside.stdout, /^fail\trepository\t/m);
  const unborn = await box.repository({ unborn: true });
  t.match((await unborn.owl('doctor', { fails: 9 })).stdout, /^fail\tbase\t/m);
});
