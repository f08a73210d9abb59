// Clock, ids, environment and fail points.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { formatTimestamp, systemClock } from '../../../src/system/clock.js';
import { parseStart, readEnvironment, readStart } from '../../../src/system/environment.js';
import { systemIds } from '../../../src/system/ids.js';
import { run } from '../../fixtures/process.js';
import { sandbox } from '../../fixtures/sandbox.js';

t.test('clock: real time, and sleep that ends early without an error', async (t) => {
  const clock = systemClock({});
  t.ok(Math.abs(clock.now() - Date.now()) < 1000);
  t.match(clock.timestamp(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const began = clock.elapsed();
  await clock.sleep(30);
  t.ok(clock.elapsed() - began >= 25, 'it slept');
  await clock.sleep(60_000, AbortSignal.timeout(10));
  await clock.sleep(60_000, AbortSignal.abort());
  t.ok(clock.elapsed() - began < 30_000, 'an aborted sleep ends');
});

t.test('clock: OWL_TEST_NOW stops it, OWL_TEST_NOW_FILE is read at every look', async (t) => {
  const box = await sandbox(t);
  t.equal(systemClock({ OWL_TEST_NOW: '2026-03-01T10:00:00+02:00' }).timestamp(), '2026-03-01T08:00:00Z');
  t.throws(() => systemClock({ OWL_TEST_NOW: 'soon' }).now(), { code: 'usage' });
  const file = box.path('now');
  writeFileSync(file, '2026-03-01T10:00:00Z\n');
  const clock = systemClock({ OWL_TEST_NOW_FILE: file });
  t.equal(clock.timestamp(), '2026-03-01T10:00:00Z');
  writeFileSync(file, '2026-02-28T10:00:00Z\n');
  t.equal(clock.timestamp(), '2026-02-28T10:00:00Z', 'a clock that jumps back a day');
  t.equal(formatTimestamp(0), '1970-01-01T00:00:00Z');
});

t.test('ids: typeable, of their length, never `state`, and not the same twice', async (t) => {
  const ids = systemIds();
  const jobs = Array.from({ length: 2000 }, () => ids.job());
  for (const id of jobs) if (!/^[a-hjkmnp-z][a-hjkmnp-z2-9]{5}$/.test(id)) t.fail(`not a typeable id: ${id}`);
  t.ok(new Set(jobs).size >= 1998);
  for (const id of [ids.run(), ids.operation()]) t.match(id, /^[a-z][a-z0-9]{3,15}$/);
  t.not(ids.operation(), ids.operation());
  const random = ids.random();
  t.ok(random >= 0 && random < 1);
});

t.test('environment: folders by XDG, and what is not absolute is ignored', async (t) => {
  const source = (env: Record<string, string>) => readEnvironment({ env, pid: process.pid, cwd: () => '/here' });
  const set = { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'relative', XDG_STATE_HOME: '', OWL_JOB: 'k3x9qp' };
  t.match(source(set), {
    cwd: '/here',
    home: '/h',
    configDir: '/c/coding-owl',
    dataDir: '/h/.local/share/git-owl',
    stateDir: '/h/.local/state/git-owl',
    insideJob: 'k3x9qp',
  });
  t.equal(source({ HOME: '/h', OWL_JOB: '' }).insideJob, null);
  const variables: Record<string, string> = { HOME: '/h' };
  const environment = source(variables);
  variables['LATER'] = '1';
  t.notOk(environment.variables['LATER'], 'variables are those of the start');
});

t.test('environment: a folder that was deleted under the shell', async (t) => {
  const box = await sandbox(t);
  const gone = box.path('gone');
  const back = process.cwd();
  mkdirSync(gone);
  process.chdir(gone);
  rmSync(gone, { recursive: true });
  t.teardown(() => process.chdir(back));
  t.equal(readEnvironment({ env: { PWD: gone, HOME: '/h' }, pid: 1, cwd: () => process.cwd() }).cwd, gone);
});

t.test('environment: who we are, as /proc knows it', async (t) => {
  const environment = readEnvironment(process);
  const identity = await environment.process();
  t.match(identity, { host: hostname(), pid: process.pid });
  t.equal(await environment.process(), identity, 'read once');
  if (process.platform === 'linux') {
    t.equal(identity.boot, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    t.match(identity.namespace, /^pid:\[\d+\]$/);
    t.match(identity.start, /^\d+$/);
    t.equal(await readStart(process.pid), identity.start);
  }
  t.equal(await readStart(2 ** 22 + 7), null, 'no such process');
});

t.test('environment: the start time is counted from the last bracket of the name', async (t) => {
  const rest = Array.from({ length: 30 }, (_, index) => String(index + 3)).join(' ');
  t.equal(parseStart(`7 (a) b) ${rest}`), '22');
  t.equal(parseStart('7 (sh) S 1'), null);
});

t.test('fail points: SIGKILL at the named one, at the n-th time, and nothing otherwise', async (t) => {
  const box = await sandbox(t);
  const module = join(import.meta.dirname, '../../../src/system/failpoint.ts');
  const bundle = box.path('failpoint.mjs');
  const { build } = await import('esbuild');
  await build({
    entryPoints: [module],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const script = `import { failpoint } from ${JSON.stringify(bundle)};
    for (const name of ['a', 'b', 'a', 'b']) { console.log(name); await failpoint(name); }`;
  const call = (env: Record<string, string>) =>
    run({
      command: process.execPath,
      args: ['--input-type=module', '-e', script],
      cwd: box.dir,
      env: { ...box.env(), ...env },
    });
  t.match(await call({}), { code: 0, stdout: 'a\nb\na\nb\n' });
  t.match(await call({ OWL_FAIL_AT: 'c' }), { code: 0 });
  t.match(await call({ OWL_FAIL_AT: 'b' }), { signal: 'SIGKILL', stdout: 'a\nb\n' });
  t.match(await call({ OWL_FAIL_AT: 'a', OWL_FAIL_AT_COUNT: '2' }), { signal: 'SIGKILL', stdout: 'a\nb\na\n' });
  t.match(await call({ OWL_FAIL_AT: 'a', OWL_FAIL_AT_COUNT: '3' }), { code: 0 });
});
