// What people do in a year, at random: one command after the other, in one clone or the other, some of them killed.
import { spawn } from 'node:child_process';

const DAY = 86_400_000;

/** Where a command ends itself. */
const POINTS = [
  'add.after-state',
  'claim.after-state',
  'run.after-branch',
  'run.agent-started',
  'run.after-agent',
  'run.before-settle',
  'run.after-settle',
  'goal.after-start',
  'goal.before-candidate',
  'goal.after-candidate',
  'goal.after-proof',
  'goal.before-failure',
  'goal.after-failure',
  'lease.after-take',
  'lease.before-release',
  'integrate.after-begin',
  'integrate.before-settle',
  'publish.before-push',
  'publish.after-push',
  'publish.before-follow',
  'follow.after-ref',
  'git.before-ref',
  'git.after-ref',
  'collected.before-state',
  'gc.after-settle',
];

/** Verb, how often, and what it is about: a Job or Goal in one of these states; null: nothing. */
const VERBS = [
  [['run'], 14, null],
  [['gc'], 4, null],
  [['gc', '--dry-run'], 1, null],
  [['sync'], 2, null],
  [['merge'], 10, { jobs: ['review', 'escalated'] }],
  [['accept'], 2, { jobs: ['review'] }],
  [['verify'], 1, { jobs: ['review', 'blocked'] }],
  [['retry'], 6, { jobs: ['blocked', 'escalated', 'exhausted', 'review'] }],
  [['cancel'], 1, { jobs: ['pending', 'blocked', 'review'] }],
  [['drop', '--force'], 1, { jobs: ['pending', 'blocked', 'review'] }],
  [['restore'], 1, { jobs: ['cancelled'] }],
  [['reopen'], 1, { jobs: ['cancelled'] }],
  [['revert'], 1, { jobs: ['done'] }],
  [['gc', '--expire', ':tip'], 1, { jobs: ['cancelled'] }],
  [['goal', 'approve'], 8, { goals: ['review'] }],
  [['goal', 'decline'], 1, { goals: ['review'] }],
  [['goal', 'revert'], 1, { goals: ['review', 'done'] }],
  [['goal', 'move', ':id', 'todo', '--reason', 'again'], 2, { goals: ['failed'] }],
  [['retry'], 4, { goals: ['failed'] }],
  [['cancel'], 1, { goals: ['todo', 'failed', 'review'] }],
  [['reopen'], 1, { goals: ['cancelled'] }],
];
const LOTS = VERBS.flatMap((verb) => Array.from({ length: verb[1] }, () => verb));

/** One command to its end, killed after `after` milliseconds or at a fail point where that is given. */
export function command(world, at, words, { now, env = {}, after = null }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [world.main, ...words], {
      cwd: at,
      env: { ...world.env, OWL_TEST_NOW: new Date(now).toISOString(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = [];
    const said = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    const timer = after === null ? null : setTimeout(() => child.kill('SIGKILL'), after);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, out: Buffer.concat(out).toString(), said: Buffer.concat(said).toString() });
    });
  });
}

/** Every commit that stands on a branch of ours, on the state or on the target, anywhere. */
function remember(world, { bare, clones }, seen) {
  for (const at of [bare, ...clones])
    for (const line of world
      .git(at, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/owl/shared')
      .split('\n')) {
      const [oid, ref] = line.split(' ');
      if (ref !== undefined && !seen.has(oid)) seen.set(oid, `${ref} of ${at.split('/').at(-1)}`);
    }
}

/** Adds what there is to do bit by bit, and acts at random until it is all added and as much was done as there is. */
export async function live(world, ground, { goals, jobs, random, log }) {
  const start = Date.parse('2026-01-05T08:00:00Z');
  const year = {
    start,
    now: start,
    acts: new Map(),
    killed: 0,
    defects: [],
    seen: new Map(),
    letGo: new Set(),
    lines: new Map(),
  };
  const total = goals + jobs;
  let added = 0;
  let goalsLeft = goals;
  const act = async (at, words, kill = null) => {
    const env = kill?.point === undefined ? {} : { OWL_FAIL_AT: kill.point };
    const ended = await command(world, at, words, { now: year.now, env, after: kill?.after ?? null });
    const name = words.filter((word) => /^[a-z]+$/.test(word)).slice(0, words[0] === 'goal' ? 2 : 1);
    year.acts.set(name.join(' '), (year.acts.get(name.join(' ')) ?? 0) + 1);
    if (ended.signal === 'SIGKILL') year.killed += 1;
    else if (ended.code === 1 || ended.code === null)
      year.defects.push(`${words.join(' ')}: ${ended.code ?? ended.signal}: ${ended.said.slice(-1500)}`);
    remember(world, ground, year.seen);
    return ended;
  };
  const one = (list) => list[random(list.length)];
  const kill = () => {
    if (random(3) !== 0) return null;
    return random(2) === 0 ? { point: one(POINTS) } : { after: 150 + random(2_500) };
  };
  year.act = act;
  for (let acts = 0; added < total || acts < total * 4; acts += 1) {
    const at = one(ground.clones);
    year.now += random(36) * 3_600_000;
    if (acts % 50 === 0) log(`${acts} of ${total * 4}: ${added} added, ${year.killed} killed`);
    if (added < total && random(3) === 0) {
      added += 1;
      const file = added % 3 === 0 ? 'shared.txt' : `own-${added}.txt`;
      const line = `line ${added} of ${file}`;
      const isGoal = goalsLeft > 0 && random(total) < goals + 1;
      if (isGoal) goalsLeft -= 1;
      const words = isGoal
        ? ['goal', 'add', `Write ${line}`, '--request', `Write ${line}.`, '--queue']
        : ['add', `Write ${line}.`];
      const { out } = await act(at, words, kill());
      if (out.trim() !== '') year.lines.set(out.trim(), { line, file });
      continue;
    }
    const [verb, , about] = one(LOTS);
    if (about === null) {
      await act(at, [...verb], kill());
      continue;
    }
    const listed = await command(world, at, ['list', '--all', '--json', about.jobs ? '--jobs' : '--goals'], year);
    const all = listed.code === 0 ? JSON.parse(listed.out).data.items : [];
    const wanted = about.jobs ?? about.goals;
    const items = all.filter(({ state, status }) => wanted.includes(state ?? status));
    if (items.length === 0) {
      await act(at, ['run'], kill());
      continue;
    }
    const { id, tip } = one(items);
    if (verb.includes(':tip') && !tip) continue;
    const named = verb.some((word) => word.startsWith(':'));
    const words = named ? verb.map((word) => ({ ':id': id, ':tip': tip })[word] ?? word) : [...verb, id];
    // Asked for is let go, whether or not the command came to the end of it.
    if (verb.includes(':tip')) year.letGo.add(tip);
    await act(at, words, kill());
  }
  return year;
}

/** Lets everything that may go on go on, and cleans up long after; nobody is killed any more. */
export async function settle({ clones }, year) {
  const both = async (...words) => {
    for (const at of clones) await year.act(at, words);
  };
  for (let times = 0; times < 2; times += 1) {
    await both('run', '--all', '-q');
    await both('sync');
  }
  // What both decided at once, while a killed command kept it from the other: one of them has the last word.
  await year.act(clones[0], ['sync', '--take', 'local']);
  await both('sync');
  year.now += 60 * DAY;
  for (let times = 0; times < 2; times += 1) {
    await both('gc');
    await both('sync');
  }
}
