// Processes that each run `git owl run --all` again and again, killed at random moments and at random fail points.
import { spawn } from 'node:child_process';

/** Where a process ends itself: around every step of a Goal that moves something. */
const POINTS = [
  'goal.before-start',
  'goal.after-start',
  'run.before-branch',
  'run.after-branch',
  'run.agent-started',
  'run.after-agent',
  'run.before-settle',
  'run.after-settle',
  'goal.before-candidate',
  'goal.after-candidate',
  'gate.before-checks',
  'gate.after-checks',
  'goal.before-proof',
  'goal.after-proof',
  'refresh.before-move',
  'refresh.after-move',
  'goal.before-failure',
  'goal.after-failure',
  'lease.before-take',
  'lease.after-take',
  'lease.before-release',
  'lease.after-release',
  'integrate.before-begin',
  'integrate.after-begin',
  'publish.before-push',
  'publish.after-push',
  'publish.before-follow',
  'publish.after-follow',
  'follow.before-files',
  'follow.after-files',
  'follow.after-ref',
  'integrate.before-settle',
  'integrate.after-settle',
  'git.before-ref',
  'git.after-ref',
];

/** One `git owl run --all` to its end. Returns how it ended; a process that nobody killed must not fail as a defect. */
function once(world, at, env, onStart) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [world.main, 'run', '--all', '--json', '-q'], {
      cwd: at,
      env: { ...world.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said = [];
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.on('close', (code, signal) => resolve({ code, signal, said: Buffer.concat(said).toString() }));
    onStart(child);
  });
}

/**
 * Runs `processes` side by side until no Goal may go on and `kills` of them were killed, or there is nothing left to kill.
 * `isOver`: whether every Goal is where it stays. Returns what happened.
 */
export async function runProcesses(world, at, { processes, kills, random, isOver, log }) {
  const happened = { started: 0, killed: 0, points: new Map(), defects: [] };
  const live = new Set();
  // Those that a kill is meant for already: at a fail point, or by a signal that was sent. So that no more die than were asked for.
  const meant = new Set();
  let over = false;
  const lane = async () => {
    for (let idle = 0; !over && idle < 3; ) {
      // Half of the kills by a fail point, at its first or second time; half by the clock, wherever it is then.
      // The first one is certain: every Goal comes there.
      const drawn = random(2) === 0 ? POINTS[random(POINTS.length)] : null;
      const enough = happened.killed + meant.size >= kills;
      const point = enough ? null : happened.killed === 0 ? 'goal.after-start' : drawn;
      const nth = happened.killed === 0 ? 1 : 1 + random(2);
      const env = point === null ? {} : { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: String(nth) };
      happened.started += 1;
      let own = null;
      const ended = await once(world, at, env, (child) => {
        own = child;
        live.add(child);
        if (point !== null) meant.add(child);
      });
      live.delete(own);
      meant.delete(own);
      if (ended.signal === 'SIGKILL') {
        happened.killed += 1;
        if (point !== null) happened.points.set(point, (happened.points.get(point) ?? 0) + 1);
        log(`killed ${happened.killed} of ${kills}${point === null ? '' : ` at ${point}`}`);
      } else if (ended.code === 1 || ended.code === null) {
        happened.defects.push(`ended with ${ended.code ?? ended.signal}: ${ended.said.slice(-2000)}`);
      }
      over = isOver();
      // A process that found nothing to do while others work looks a few times more, then leaves it to them.
      idle = ended.signal === 'SIGKILL' ? 0 : idle + 1;
    }
  };
  const killer = (async () => {
    while (!over) {
      await new Promise((resolve) => setTimeout(resolve, 300 + random(3_000)));
      const alive = [...live].filter((child) => child.exitCode === null && child.signalCode === null);
      // Of the last ones only those that are to die anyway.
      const children = happened.killed + meant.size >= kills ? alive.filter((child) => meant.has(child)) : alive;
      if (over || happened.killed >= kills || children.length === 0 || random(2) === 0) continue;
      const chosen = children[random(children.length)];
      meant.add(chosen);
      chosen.kill('SIGKILL');
    }
  })();
  await Promise.all(Array.from({ length: processes }, lane));
  over = true;
  await killer;
  // Whatever the last one that was killed left.
  for (let tries = 0; !isOver() && tries < 20; tries += 1) {
    happened.started += 1;
    const ended = await once(world, at, {}, () => undefined);
    if (ended.code === 1 || ended.code === null) happened.defects.push(ended.said.slice(-2000));
  }
  return happened;
}
