// Who lives, by /proc: identities, groups, markers and folders (01, "Liveness"; J5, J19).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readEnvironment } from '../../../src/system/environment.js';
import {
  cwdInside,
  describeProcess,
  findMarked,
  groupMembers,
  isAlive,
  type ProcessInfo,
  parseStat,
  processInfo,
  processStart,
  processTimes,
} from '../../../src/system/processes.js';
import { endGroup, endMarked } from '../../../src/system/processes-end.js';

const here = await readEnvironment(process).process();
const PATH = process.env['PATH'] ?? '';

interface Child extends ChildProcess {
  readonly pid: number;
  /** What `before` printed. */
  readonly said: string;
}

/** A shell in a group of its own; `before` has run when this resolves, and `script` goes on. */
async function start(
  t: Test,
  script: string,
  options: { env?: Record<string, string>; cwd?: string; before?: string } = {},
): Promise<Child> {
  const child = spawn('sh', ['-c', `${options.before ?? ':'}; echo up; ${script}`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: options.cwd ?? '/',
    env: { PATH, ...options.env },
  });
  t.teardown(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Ended already.
    }
  });
  let said = '';
  while (!said.endsWith('up\n')) said += String(((await once(child.stdout, 'data')) as [Buffer])[0]);
  return Object.assign(child, { pid: child.pid ?? 0, said: said.slice(0, -3) });
}

t.test('01, Liveness: the same process, a reused pid, another host', async (t) => {
  t.equal(isAlive(here, here), 'alive');
  t.equal(isAlive({ ...here, start: `${here.start}1` }, here), 'dead', 'a reused pid is not the same process');
  t.equal(isAlive({ ...here, boot: 'other' }, here), 'elsewhere');
  t.equal(isAlive({ ...here, namespace: 'pid:[1]' }, here), 'elsewhere');
  t.equal(isAlive({ ...here, host: 'renamed' }, here), 'alive', 'the name of the host says nothing');
  t.equal(isAlive({ ...here, start: '' }, here), 'unknown', 'without a start time a live pid proves nothing');
  const child = await start(t, 'exec sleep 60');
  const identity = { ...here, pid: child.pid, start: processStart(child.pid) ?? '' };
  t.equal(isAlive(identity, here), 'alive');
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.equal(isAlive(identity, here), 'dead');
  t.equal(isAlive({ ...identity, start: '' }, here), 'dead', 'no such pid is proof enough');
});

t.test('01, Liveness: a zombie is dead', async (t) => {
  // Its parent never waits for it: the child ends only when its parent has become `sleep`, since a shell would reap it.
  const child = "sh -c 'until grep -qx sleep /proc/$PPID/comm; do :; done' & echo $!";
  const parent = await start(t, 'exec sleep 60', { before: child });
  const pid = Number(parent.said);
  const end = performance.now() + 5000;
  let info = processInfo(pid);
  while (typeof info === 'object' && info.state !== 'Z' && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    info = processInfo(pid);
  }
  if (typeof info !== 'object') return t.fail('the zombie was waited for');
  t.equal(isAlive({ ...here, pid, start: info.start }, here), 'dead');
  t.strictSame(
    (groupMembers(parent.pid) as readonly ProcessInfo[]).map((member) => member.pid),
    [parent.pid],
  );
});

t.test('/proc: a name with blanks and brackets', async (t) => {
  const fields = ['S', '1', '77', '77', ...Array(7).fill('0'), '1', '2', '3', '4', '20', '0', '1', '0', '4711', '9'];
  t.strictSame(parseStat(`42 (a ) (b) c) ${fields.join(' ')}`), {
    pid: 42,
    name: 'a ) (b) c',
    state: 'S',
    parent: 1,
    group: 77,
    ticks: 10,
    start: '4711',
  });
});

t.test('J18: members of a group and their processor time', async (t) => {
  const child = await start(t, 'sleep 60 & while :; do :; done');
  let members = groupMembers(child.pid) as readonly ProcessInfo[];
  // Between fork and exec it still has its parent's name.
  while (!members.some((info) => info.name === 'sleep')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    members = groupMembers(child.pid) as readonly ProcessInfo[];
  }
  t.equal(members.length, 2);
  t.match(members.map(describeProcess), [/^\d+ sh -c/, /^\d+ sleep 60$/]);
  const before = processTimes(child.pid) as number;
  await new Promise((resolve) => setTimeout(resolve, 800));
  t.ok((processTimes(child.pid) as number) > before);
  t.strictSame(groupMembers(999_999_999), []);
  t.equal(processTimes(999_999_999), 0);
});

t.test('J19: processes with a Run’s marker, and what is in a folder', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'owl-cwd-')));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'in'));
  const run = `mark${process.pid}`;
  const child = await start(t, 'exec sleep 60', { env: { OWL_RUN: run }, cwd: join(folder, 'in') });
  const other = await start(t, 'exec sleep 60', { env: { OWL_RUN: `${run}9`, NOTE: `OWL_RUN=${run}` } });
  t.strictSame(
    (findMarked(run) as readonly ProcessInfo[]).map((info) => info.pid),
    [child.pid],
  );
  t.strictSame(
    (cwdInside(folder) as readonly ProcessInfo[]).map((info) => info.pid),
    [child.pid],
  );
  t.strictSame(cwdInside(`${folder}/i`), [], 'a folder is not a prefix');
  t.match(await endMarked(run, { grace: 300 }), { ended: [`${child.pid} sleep 60`], survivors: [] });
  t.strictSame(findMarked(run), []);
  t.type(processStart(other.pid), 'string');
});

t.test('J5: a group is ended only when it is proven ours', async (t) => {
  const run = `group${process.pid}`;
  const child = await start(t, 'sleep 60 & exit 0', { env: { OWL_RUN: run } });
  await once(child, 'exit');
  t.match(await endGroup(child.pid, ''), { kind: 'not-ours', members: [/sleep 60/] });
  t.match(await endGroup(child.pid, '', { marker: 'another' }), { kind: 'not-ours' });
  t.match(await endGroup(child.pid, '', { marker: run, grace: 300 }), { kind: 'ended', ended: [/sleep 60/] });
  t.strictSame(await endGroup(child.pid, ''), { kind: 'absent' });
  const stopped = await start(t, 'exec sleep 60');
  process.kill(stopped.pid, 'SIGSTOP');
  const begin = performance.now();
  t.match(await endGroup(stopped.pid, processStart(stopped.pid) ?? '', { grace: 10_000 }), { kind: 'ended' });
  t.ok(performance.now() - begin < 8000, 'a stopped process takes SIGTERM too');
});
