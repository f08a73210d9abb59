// Runs tap and retells it: a line for each file, all about what failed, and at the end `N passed, N failed` (assertions).
// Arguments are test files or folders; other options (`--jobs=1`, `--bail`) are tap's own.
// Of the whole suite, a few files that failed are run once more, alone: a machine that did two other things at the time is told
// from a defect. A file that passes then is named as unstable, with what it said the first time above: a defect, too, to be mended.
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';

/** More than these failed: no accident. */
const AGAIN = 3;

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2).filter((word) => word.startsWith('-'));
// tap leaves one processor free; these tests mostly wait for processes and for the disk.
const jobs = `--jobs=${Math.min(4, Math.max(2, availableParallelism()))}`;
const options = given.some((word) => /^(?:--jobs|-j)/.test(word)) ? given : [jobs, ...given];
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const files = (named.length > 0 ? named : [join(root, 'test')]).flatMap(testFiles);
if (files.length === 0) {
  console.log(`no test file in ${named.join(' ')}\n0 passed, 1 failed`);
  process.exit(1);
}

const first = await runTap(files, options);
let { passed, failed } = first;
if (named.length === 0 && first.broken.length > 0 && first.broken.length <= AGAIN) {
  console.log(`\nonce more, alone: ${first.broken.join(' ')}`);
  const second = await runTap(first.broken, [...given, '--jobs=1']);
  for (const file of first.broken.filter((file) => !second.broken.includes(file)))
    console.log(`UNSTABLE ${file}: failed beside others, passed alone`);
  passed += second.passed;
  failed = second.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** Assertions that passed, that failed, and the files that did not pass. */
async function runTap(files, options) {
  const tap = spawn(
    process.execPath,
    [join(root, 'node_modules/tap/dist/esm/run.mjs'), '--reporter=tap', ...options, ...files],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const broken = [];
  let block = [];
  let total = null;
  let done = 0;
  let detail = false;
  // What one failure printed may be lost in hundreds of lines of successes: `ok` lines are left out, all else is retold.
  for await (const line of createInterface({ input: tap.stdout })) {
    // tap's own detail of a whole file, behind its line: how it was started.
    if (line === '  ---') detail = true;
    if (detail) {
      detail = line !== '  ...';
      continue;
    }
    const end = /^(not )?ok \d+ - (.*?)(?: # (.*))?$/.exec(line);
    const sum = /^# \{ total: (\d+)(?:, pass: (\d+))?(?:, fail: (\d+))?/.exec(line);
    if (end) {
      done += 1;
      if (end[1] && files.includes(end[2])) broken.push(end[2]);
      const told = end[1] ? block.filter(isTold) : [];
      if (told.length > 0) console.log(told.join('\n'));
      console.log(`[${done}/${files.length}] ${end[1] ? 'FAILED' : 'passed'} ${end[2]} ${end[3] ?? ''}`);
      block = [];
    } else if (sum) {
      const skipped = /skip: \d+|todo: \d+/.exec(line)?.[0];
      if (skipped) console.log(`(${skipped})`);
      total = { passed: Number(sum[2] ?? 0), failed: Number(sum[3] ?? 0) };
    } else block.push(line);
  }
  const code = tap.exitCode ?? (await new Promise((resolve) => tap.on('close', (status) => resolve(status ?? 1))));
  const passed = total?.passed ?? 0;
  // Whatever tap finds wrong counts, also what it has no number for: a file that broke off, a run without any assertion.
  return { passed, failed: total?.failed || (code !== 0 || passed === 0 ? 1 : 0), broken };
}

function isTold(line) {
  return !/^\s*(?:ok \d|\d+\.\.\d+|# time=|TAP )/.test(line) && line.trim() !== '';
}

function testFiles(path) {
  if (statSync(path).isFile()) return [relative(root, path)];
  const found = readdirSync(path, { recursive: true }).map((name) => relative(root, join(path, name)));
  return found.filter((name) => name.endsWith('.test.ts')).sort();
}
