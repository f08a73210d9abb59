// One shared queue, drained through the remote by runners in clones of their own, one of them killed: what `npm run drain` does at a
// size that a test has time for (07.16, 07.53).

import { join } from 'node:path';
import { t } from 'tap';
import { DIST, run } from '../fixtures/process.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const DRAIN = join(import.meta.dirname, '../../scripts/drain.mjs');

t.test('07.53, S5, S7: each Job has exactly one settled execute Run, and that one moved its branch', async (t) => {
  const box = await sandbox(t);
  const ended = await run({
    command: process.execPath,
    args: [DRAIN, ...['--clones', '3', '--jobs', '9', '--kills', '1', '--lease', '8', '--seed', '3', '--json']],
    cwd: box.dir,
    env: { ...box.env(), OWL_DIST: DIST },
    timeout: 500_000,
  });
  const { checks, killed, a_job: calls } = ended.json();
  for (const [name, wrong] of Object.entries(checks)) t.same(wrong, [], name);
  t.equal(killed, 1);
  t.ok(calls.push < 4, `${calls.push} pushes for each Job`);
  t.equal(ended.code, 0, ended.stderr);
});

t.test('what its options cannot be is said with how it is used', async (t) => {
  const box = await sandbox(t);
  const drain = (...words: string[]) =>
    run({ command: process.execPath, args: [DRAIN, ...words], cwd: box.dir, env: { ...box.env(), OWL_DIST: DIST } });
  const help = await drain('--help');
  t.equal(help.code, 0);
  t.match(help.stdout, /--clones 8/);
  for (const words of [['--jobs', 'x'], ['--kills'], ['--clones', '2', '--kills', '2'], ['word']]) {
    const bad = await drain(...words);
    t.equal(bad.code, 2, words.join(' '));
    t.match(bad.stderr, /^drain: [\s\S]+--clones 8/);
  }
});
