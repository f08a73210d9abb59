// One process a clone that takes Jobs from the shared queue until nothing is left of it, some of them killed on the way.
import { execFileSync, spawn } from 'node:child_process';

/** Where a runner ends itself: with a claim and nothing done, at work, settled but not published, published but not released. */
const POINTS = ['run.agent-started', 'claim.before-publish', 'claim.before-work', 'lease.before-release'];

/** Kinds of open work that the state on the remote counts: one look at one commit. */
const openOnRemote = (world, bare) =>
  world.git(bare, 'log', '-1', '--format=%(trailers:key=Owl-Open,valueonly,separator=%x20)', 'refine/state');

const claimsOnRemote = (world, bare) =>
  world.git(bare, 'for-each-ref', '--format=%(refname)', 'refs/owl/claims').split('\n').filter(Boolean).length;

/** Runs until nothing is pending or active on the remote. Returns what happened. */
export async function drain(world, ground, { kills, random, log, limit }) {
  const happened = { killed: [], ended: [], defects: [], units: 0, stuck: null };
  const isOver = () => !/pending|active/.test(openOnRemote(world, ground.bare));
  // With few Jobs each runner may get one alone.
  const many = ground.ids.length >= ground.runners.length * 5;
  const begin = (at, number) => {
    // A clone that is killed stays dead until the queue is empty.
    const point = number < kills ? POINTS[number % POINTS.length] : null;
    const doomed = point === null ? {} : { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: String(many ? 2 + random(3) : 1) };
    const child = spawn(
      process.execPath,
      [world.main, 'run', '--claim-remote', '--watch', '--interval', '1s', '--json'],
      { cwd: at, env: { ...ground.env, ...doomed }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const said = [];
    let left = '';
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.stdout.on('data', (chunk) => {
      const lines = (left + chunk).split('\n');
      left = lines.pop();
      happened.units += lines.length;
    });
    const closed = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        const text = Buffer.concat(said).toString();
        if (signal === 'SIGKILL') {
          happened.killed.push({ at, point, time: Date.now() });
          log(`killed at ${point}`);
        } else {
          happened.ended.push({ at, code, signal, text });
          if (code !== 143 && code !== 0) happened.defects.push(`ended with ${code ?? signal}: ${text.slice(-2000)}`);
        }
        resolve();
      });
    });
    return { child, closed };
  };
  const began = Date.now();
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const children = ground.runners.slice(0, kills).map(begin);
  // Those that are to be killed take a Job first: else the others may leave them none.
  while (claimsOnRemote(world, ground.bare) < kills && Date.now() - began < 60_000) await pause(200);
  children.push(...ground.runners.slice(kills).map((at, number) => begin(at, kills + number)));
  let units = 0;
  for (;;) {
    await pause(500);
    if (isOver()) break;
    if (Math.floor(happened.units / 20) > units) {
      units = Math.floor(happened.units / 20);
      log(`${happened.units} carried, ${Math.round((Date.now() - began) / 1000)} s`);
    }
    if (Date.now() - began > limit || children.every(({ child }) => child.exitCode !== null)) {
      happened.stuck = openOnRemote(world, ground.bare);
      break;
    }
  }
  happened.seconds = (Date.now() - began) / 1000;
  happened.calls = ground.calls();
  for (const { child } of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await Promise.all(children.map(({ closed }) => closed));
  return happened;
}

/** The clones that were killed come back: what they still have to say must move nothing. Then all of them sync. */
export function comeBack(world, ground, happened) {
  const options = { env: ground.env, encoding: 'utf8', stdio: 'pipe' };
  for (const { at } of happened.killed)
    execFileSync(process.execPath, [world.main, 'run', '--claim-remote', '--all'], { ...options, cwd: at });
  for (let round = 0; round < 2; round += 1) for (const at of ground.runners) world.owl(at, 'sync');
}
