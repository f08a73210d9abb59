// `npm run fleet`: many Goals over several processes into one target with a remote, half of them touching the same file, the
// processes killed at random; then everything that must hold is looked at. Options: --goals 20 --processes 4 --kills 40 --seed 1,
// --share has the state on the remote too, --json for one document, --keep leaves the folder. Ends with 1 where something does not hold.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeWorld } from './bench/world.mjs';
import { checkFleet, endOf } from './fleet/checks.mjs';
import { runProcesses } from './fleet/processes.mjs';
import { seeded } from './fleet/random.mjs';
import { makeGround } from './fleet/world.mjs';
import { readOptions } from './options.mjs';

const USAGE = `npm run fleet -- [--goals 20] [--processes 4] [--kills 40] [--seed 1] [--share] [--json] [--keep]

  --goals, --processes, --kills  how many; whole numbers
  --seed                         what is random is the same for the same number
  --share                        the state is on the remote too
  --json                         one document
  --keep                         leaves the folder
`;
const numbers = { goals: 20, processes: 4, kills: 40, seed: 1 };
const { values, sizes } = readOptions({ command: 'fleet', usage: USAGE, numbers, flags: ['share'] });

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const world = makeWorld(join(process.env.OWL_DIST ?? join(root, 'dist'), 'main.js'));
const log = (line) => process.stderr.write(`${line}\n`);
const began = Date.now();
let wrong = true;
try {
  const ground = makeGround(world, { ...sizes, share: values.share });
  log(`${sizes.goals} Goals, ${sizes.processes} processes, ${sizes.kills} kills, seed ${sizes.seed}, in ${world.dir}`);
  const isOver = () => !/todo|plan|implement|quality|governance/.test(world.owl(ground.at, 'status', '--short'));
  const random = seeded(sizes.seed);
  const happened = await runProcesses(world, ground.at, { ...sizes, random, isOver, log });
  const ended = endOf(world, ground);
  const checks = checkFleet(world, ground, ended, happened);
  wrong = Object.values(checks).some((found) => found.length > 0);
  const report = {
    ...sizes,
    seconds: Math.round((Date.now() - began) / 1000),
    started: happened.started,
    killed: happened.killed,
    points: Object.fromEntries(happened.points),
    goals: ended.map(({ id, status, reason, line }) => ({ id, status, reason: reason?.code ?? null, line })),
    checks,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    for (const goal of report.goals) process.stdout.write(`${goal.id} ${goal.status} ${goal.reason ?? ''}\n`);
    for (const [name, found] of Object.entries(checks))
      process.stdout.write(
        `${found.length === 0 ? 'holds ' : 'WRONG '} ${name}${found.map((one) => `\n         ${one}`).join('')}\n`,
      );
    process.stdout.write(
      `${report.started} processes, ${report.killed} killed, ${report.seconds} s: ${wrong ? 'something does not hold' : 'all of it holds'}\n`,
    );
  }
} finally {
  if (values.keep || wrong) log(`kept: ${world.dir}`);
  else world.remove();
}
process.exitCode = wrong ? 1 : 0;
