// `npm run drain`: small Jobs, drained from one shared queue by runners in clones of their own, through the remote, some of them
// killed on the way; then everything that must hold is looked at. Options: --clones 8 --jobs 200 --kills 2 --seed 1 --lease 30
// (seconds until a claim may be taken over), --json for one document, --keep leaves the folder. Ends with 1 where something does not hold.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeWorld } from './bench/world.mjs';
import { checkDrain } from './drain/checks.mjs';
import { makeGround } from './drain/ground.mjs';
import { comeBack, drain } from './drain/runners.mjs';
import { seeded } from './fleet/random.mjs';
import { readOptions } from './options.mjs';

const USAGE = `npm run drain -- [--clones 8] [--jobs 200] [--kills 2] [--seed 1] [--lease 30] [--json] [--keep]

  --clones, --jobs, --kills  how many; whole numbers; at least one clone is not killed
  --seed                     what is random is the same for the same number
  --lease                    seconds without a sign of life after which a claim is taken over
  --json                     one document
  --keep                     leaves the folder
`;
const { values, sizes } = readOptions({
  command: 'drain',
  usage: USAGE,
  numbers: { clones: 8, jobs: 200, kills: 2, seed: 1, lease: 30 },
  check: ({ clones, kills }) => (clones <= kills ? 'one clone must stay alive' : undefined),
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const world = makeWorld(join(process.env.OWL_DIST ?? join(root, 'dist'), 'main.js'));
const log = (line) => process.stderr.write(`${line}\n`);
let wrong = true;
try {
  const ground = makeGround(world, { ...sizes, length: sizes.lease * 1000 });
  log(`${sizes.jobs} Jobs, ${sizes.clones} clones, ${sizes.kills} kills, seed ${sizes.seed}, in ${world.dir}`);
  const limit = (120 + sizes.jobs * 10 + sizes.lease * 4) * 1000;
  const happened = await drain(world, ground, { ...sizes, random: seeded(sizes.seed), log, limit });
  comeBack(world, ground, happened);
  const checks = checkDrain(world, ground, happened);
  wrong = Object.values(checks).some((found) => found.length > 0);
  const { seconds, calls } = happened;
  const each = (count) => Math.round((count / sizes.jobs) * 100) / 100;
  const report = {
    ...sizes,
    seconds,
    killed: happened.killed.length,
    points: happened.killed.map(({ point }) => point),
    jobs_a_minute: Math.round((sizes.jobs / seconds) * 60),
    a_job: Object.fromEntries(Object.entries(calls).map(([verb, count]) => [verb, each(count)])),
    checks,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    for (const [name, found] of Object.entries(checks))
      process.stdout.write(
        `${found.length === 0 ? 'holds ' : 'WRONG '} ${name}${found.map((one) => `\n         ${one}`).join('')}\n`,
      );
    const said = Object.entries(report.a_job).map(([verb, count]) => `${count} ${verb}`);
    process.stdout.write(
      `${seconds} s, ${report.jobs_a_minute} Jobs a minute; a Job takes ${said.join(', ')}; ${report.killed} killed: ${wrong ? 'something does not hold' : 'all of it holds'}\n`,
    );
  }
} finally {
  if (values.keep || wrong) log(`kept: ${world.dir}`);
  else world.remove();
}
process.exitCode = wrong ? 1 : 0;
