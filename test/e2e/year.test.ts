// Months of use in two clones with shared state: what `npm run year` does at a size that a test has time for (00, rule 1; M1 to M12; 07.28, 07.29).

import { join } from 'node:path';
import { t } from 'tap';
import { DIST, run } from '../fixtures/process.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(1_800_000);

const year = (box: Awaited<ReturnType<typeof sandbox>>, ...words: string[]) =>
  run({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../scripts/year.mjs'), ...words],
    cwd: box.dir,
    env: { ...box.env(), OWL_DIST: DIST },
    timeout: 1_500_000,
  });

t.test(
  '00 rule 1, M1, M2, M11: killed at random and cleaned up, nothing is lost and nothing unexplained',
  async (t) => {
    const box = await sandbox(t);
    const ended = await year(box, '--goals', '4', '--jobs', '8', '--seed', '7', '--json');
    const { checks, acts, killed, looked, days } = ended.json();
    for (const [name, wrong] of Object.entries(checks)) t.same(wrong, [], name);
    t.equal(Object.keys(checks).length, 9);
    t.equal(acts.add + acts['goal add'], 12);
    // How many are killed depends on how fast the machine is.
    t.type(killed, 'number');
    t.ok(days > 60, `${days} days`);
    // What the checks were about was there.
    for (const [name, count] of Object.entries(looked)) t.ok(Number(count) > 0, `${count} ${name}`);
    t.equal(ended.code, 0, ended.stderr);
  },
);

t.test('what its options cannot be is said with how it is used', async (t) => {
  const box = await sandbox(t);
  const help = await year(box, '--help');
  t.equal(help.code, 0);
  t.match(help.stdout, /--goals 200/);
  for (const words of [['--goals', 'x'], ['--jobs'], ['--nothing'], ['word']]) {
    const bad = await year(box, ...words);
    t.equal(bad.code, 2, words.join(' '));
    t.match(bad.stderr, /^year: [\s\S]+--goals 200/);
    t.notMatch(bad.stderr, /\n {4}at /, 'no stack');
  }
});
