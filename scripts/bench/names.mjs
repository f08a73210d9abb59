// P8: `gc` over many names of Rounds, here and on the remote. A fifth of them is retirable; the rest belongs to open Goals, or has
// commits of its own. The names are really retired at the end, and what is left is compared.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { alternate, row, summary, time } from './measure.mjs';
import { fastImport, idOf, shardOf, sortKeys } from './world.mjs';

const LONG_AGO = '2024-05-06T09:00:00Z';
const HISTORY = 200;
const ROUNDS = 2;

/** Rows of the table. Throws where a name went that should stay, or the other way round. */
export async function measureNames({ world, owl, small }) {
  const count = small ? 200 : 10_000;
  const at = makeNames(world, 'p8', count);
  const half = makeNames(world, 'p8-half', count / 2);
  const merged = () =>
    time('git', ['for-each-ref', '--merged=refs/remotes/origin/main', 'refs/heads/refine/'], world.options(at)) +
    time('git', ['ls-remote', '-q', 'origin'], world.options(at));
  const node = () => time(process.execPath, ['-e', '0'], { env: world.env });
  const start = summary(Array.from({ length: 5 }, node)).median;
  const times = await alternate(small ? 3 : 7, { gc: owl(at, 'gc', '--dry-run', '--json'), merged });
  const foreseen = processesOf(world, at, ['--dry-run']) - processesOf(world, half, ['--dry-run']);
  const begin = performance.now();
  const retired = processesOf(world, at, []);
  const took = performance.now() - begin;
  const grown = retired - processesOf(world, half, []);
  check(world, at, count);
  const fact = `${retired} processes to retire ${count / 5} names on both sides in ${(took / 1000).toFixed(1)} s, ${grown} more than for ${count / 10}`;
  const one = row(
    'P8',
    `\`gc --dry-run\`, ${count} Round refs here and there, less one \`node\` start; ${fact}`,
    times.gc,
    times.merged,
    3,
    start,
  );
  return [{ ...one, met: one.met && grown === 0 && foreseen === 0 }];
}

/** How many times `git` is started by one gc. */
function processesOf(world, at, words) {
  const trace = join(world.dir, 'p8-trace');
  rmSync(trace, { force: true });
  const { env } = world.options(at);
  const child = spawnSync(process.execPath, [world.main, 'gc', '--json', ...words], {
    cwd: at,
    env: { ...env, GIT_TRACE2_EVENT: trace },
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (child.status !== 0) throw new Error(`gc: ${child.stderr}`);
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"event":"start"')).length;
}

/** The Goals in turn: retirable, two in review, one with a commit of its own, one in review. */
const isRetirable = (number) => number % 5 === 0;
const isLone = (number) => number % 5 === 3;

function makeNames(world, name, count) {
  const at = world.repository(name);
  const first = JSON.parse(world.owl(at, 'goal', 'add', 'a goal to copy', '--request', 'x', '--json')).data.id;
  const path = `open/goals/${shardOf(first)}/${first}/goal.json`;
  const pattern = JSON.parse(world.git(at, 'show', `refine/state:${path}`));
  const round = JSON.parse(world.git(at, 'show', `refine/state:${path.replace('goal.json', 'rounds/1.json')}`));
  const stream = [];
  const commit = (ref, from, mark) =>
    stream.push(
      `commit ${ref}\nmark :${mark}\ncommitter Bench <bench@example.com> 1715000000 +0000\ndata 2\n${ref === 'refs/heads/main' ? 'x' : 'y'}\nfrom ${from}\n\n`,
    );
  for (let mark = 1; mark <= HISTORY; mark += 1)
    commit('refs/heads/main', mark === 1 ? 'refs/heads/main^0' : `:${mark - 1}`, mark);
  const goals = count / ROUNDS;
  for (let number = 0; number < goals; number += 1) {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const ref = `refs/heads/refine/${idOf(number)}/round-${round}`;
      const base = 1 + ((number * ROUNDS + round) % HISTORY);
      if (isLone(number)) commit(ref, `:${base}`, HISTORY + 1 + number * ROUNDS + round);
      else stream.push(`reset ${ref}\nfrom :${base}\n\n`);
    }
  }
  stream.push(
    `commit refs/heads/refine/state\ncommitter Bench <bench@example.com> 1715000000 +0000\ndata 5\nfill\n\nfrom refs/heads/refine/state^0\n`,
  );
  const target = { name: 'main', remote: 'origin', publish: true, config: null, gates: '' };
  for (let number = 0; number < goals; number += 1) {
    const id = idOf(number);
    const isDone = isRetirable(number) || isLone(number);
    const times = { created: LONG_AGO, updated: LONG_AGO, closed: isDone ? LONG_AGO : null };
    const record = {
      ...pattern,
      id,
      round: ROUNDS,
      target,
      ...times,
      status: isDone ? 'done' : 'review',
      position: `b${String(number).padStart(6, '0')}V`,
    };
    const folder = `${isDone ? 'closed' : 'open'}/goals/${shardOf(id)}/${id}`;
    const put = (name, value) => {
      const text = `${JSON.stringify(sortKeys(value), null, 2)}\n`;
      stream.push(`M 100644 inline ${folder}/${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    };
    put('goal.json', record);
    for (let number = 1; number <= ROUNDS; number += 1) put(`rounds/${number}.json`, { ...round, goal: id, number });
  }
  stream.push('done\n');
  fastImport(world, at, stream);
  world.owl(at, 'fsck', '--repair');
  // Few objects lie loose otherwise, and are read without a process.
  world.git(at, 'repack', '-qad');
  world.git(at, 'pack-refs', '--all');
  world.git(world.dir, 'clone', '-q', '--mirror', at, join(world.dir, `${name}.git`));
  world.git(at, 'remote', 'add', 'origin', join(world.dir, `${name}.git`));
  world.git(
    at,
    'fetch',
    '-q',
    'origin',
    'main:refs/remotes/origin/main',
    'refine/state:refs/remotes/origin/refine/state',
  );
  world.git(at, 'remote', 'set-head', 'origin', 'main');
  return at;
}

function check(world, at, count) {
  const wanted = [];
  for (let number = 0; number < count / ROUNDS; number += 1)
    if (!isRetirable(number))
      for (let round = 1; round <= ROUNDS; round += 1) wanted.push(`refs/heads/refine/${idOf(number)}/round-${round}`);
  for (const folder of [at, `${at}.git`]) {
    const left = world
      .git(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/refine/')
      .split('\n')
      .filter((ref) => ref !== 'refs/heads/refine/state');
    if (left.join('\n') !== wanted.sort().join('\n'))
      throw new Error(`${folder}: ${left.length} names are left, not the ${wanted.length} that should be`);
  }
}
