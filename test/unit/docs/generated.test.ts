// Manual, completions and JSON Schemas are made from the command table: none is stale, each is well formed, and all are complete.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import t from 'tap';
import { COMMANDS } from '../../../src/cli/table.js';
import { ERRORS } from '../../../src/domain/errors.js';
import { EVENTS } from '../../../src/domain/events.js';
import { KINDS } from '../../../src/output/schema.js';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const run = (command: string, ...args: string[]) =>
  spawnSync(
    '/usr/bin/env',
    ['-i', `PATH=${process.env['PATH'] ?? ''}`, 'LC_ALL=C.UTF-8', 'MANWIDTH=80', command, ...args],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
const has = (command: string): boolean => run('sh', '-c', `command -v ${command}`).status === 0;

t.test('06: nothing generated is stale', async (t) => {
  const { status, stderr } = run(process.execPath, 'scripts/docs.mjs', '--check');
  t.equal(status, 0, stderr);
});

t.test('06: the manual names every command, option, error and event', async (t) => {
  const manual = read('man/git-owl.1').replaceAll('\\-', '-').replace(/\\f./g, '');
  for (const spec of COMMANDS) {
    t.match(manual, `git owl ${spec.name}`);
    for (const option of spec.options ?? []) t.ok(manual.includes(`--${option.name}`), `${spec.name} --${option.name}`);
  }
  for (const code of Object.keys(ERRORS)) t.ok(manual.includes(`${code} (`), code);
  const state = read('man/gitowl-state.5').replaceAll('\\-', '-').replaceAll('\\_', '_');
  for (const event of Object.keys(EVENTS)) t.ok(state.includes(event), event);
});

t.test('06: man has no complaint about a page', { skip: has('man') ? false : 'man is not installed' }, async (t) => {
  for (const page of ['git-owl.1', 'gitowl-config.5', 'gitowl-state.5']) {
    const { stdout, stderr } = run('man', '--warnings', '-l', `man/${page}`);
    t.equal(stderr, '', page);
    t.match(stdout, /NAME[\s\S]*SEE ALSO/, page);
  }
});

t.test('06: the completion scripts are valid for their shells', async (t) => {
  for (const [shell, file] of [
    ['bash', 'git-owl.bash'],
    ['zsh', '_git-owl'],
    ['fish', 'git-owl.fish'],
  ] as const) {
    if (!has(shell)) {
      t.comment(`${shell} is not installed`);
      continue;
    }
    t.match(run(shell, '-n', `completions/${file}`), { status: 0, stderr: '' }, shell);
  }
  t.equal(read('completions/_git-owl').split('\n')[0], '#compdef git-owl');
  t.match(read('completions/_git-owl').split('\n')[1], /^#description /);
});

t.test('06: every schema compiles, and there is one for each kind', async (t) => {
  const ajv = new Ajv({ strict: false });
  const files = readdirSync(join(root, 'schema'));
  for (const kind of KINDS) t.ok(files.includes(`${kind}.schema.json`), kind);
  for (const file of files) t.doesNotThrow(() => ajv.compile(JSON.parse(read(`schema/${file}`))), file);
});
