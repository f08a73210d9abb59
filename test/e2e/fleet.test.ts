// Many Goals over several processes that are killed at random: what `npm run fleet` does at a size that a test has time for (07.28, 07.40).

import { join } from 'node:path';
import { t } from 'tap';
import { DIST, run } from '../fixtures/process.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(1_800_000);

t.test('G30, G32, G40, J4, J5: every integrated Goal once on the remote, in order; nothing is lost', async (t) => {
  const box = await sandbox(t);
  const ended = await run({
    command: process.execPath,
    args: [
      join(import.meta.dirname, '../../scripts/fleet.mjs'),
      ...['--goals', '5', '--processes', '2', '--kills', '5', '--seed', '4', '--json'],
    ],
    cwd: box.dir,
    env: { ...box.env(), OWL_DIST: DIST },
    timeout: 1_500_000,
  });
  const { checks, goals, killed } = ended.json();
  for (const [name, wrong] of Object.entries(checks)) t.same(wrong, [], name);
  t.equal(goals.length, 5);
  t.ok(killed > 0 && killed <= 5, `${killed} processes were killed`);
  t.equal(ended.code, 0, ended.stderr);
});

t.test('what its options cannot be is said with how it is used', async (t) => {
  const box = await sandbox(t);
  const fleet = (...words: string[]) =>
    run({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../scripts/fleet.mjs'), ...words],
      cwd: box.dir,
      env: { ...box.env(), OWL_DIST: DIST },
    });
  const help = await fleet('--help');
  t.equal(help.code, 0);
  t.match(help.stdout, /--goals 20/);
  for (const words of [['--goals', 'x'], ['--kills'], ['--nothing'], ['word']]) {
    const bad = await fleet(...words);
    t.equal(bad.code, 2, words.join(' '));
    t.match(bad.stderr, /^fleet: [\s\S]+--goals 20/);
    t.notMatch(bad.stderr, /\n {4}at /, 'no stack');
  }
});
