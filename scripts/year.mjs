// `npm run year`: months of use in a short time. Goals and Jobs in two clones with shared state and a bare remote, random verbs of
// people, random kills, gc, and a clock that jumps ahead; then everything that must hold is looked at. Options: --goals 200 --jobs 500
// --seed 1, --json for one document, --keep leaves the folder. Ends with 1 where something does not hold.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeWorld } from './bench/world.mjs';
import { seeded } from './fleet/random.mjs';
import { readOptions } from './options.mjs';
import { live, settle } from './year/acts.mjs';
import { checkYear } from './year/checks.mjs';
import { makeGround } from './year/world.mjs';

const USAGE = `npm run year -- [--goals 200] [--jobs 500] [--seed 1] [--json] [--keep]

  --goals, --jobs  how many; whole numbers
  --seed           what is random is the same for the same number
  --json           one document
  --keep           leaves the folder
`;
const numbers = { goals: 200, jobs: 500, seed: 1 };
const { values, sizes } = readOptions({ command: 'year', usage: USAGE, numbers });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const world = makeWorld(join(process.env.OWL_DIST ?? join(root, 'dist'), 'main.js'));
const log = (line) => process.stderr.write(`${line}\n`);
const began = Date.now();
let wrong = true;
try {
  log(`${sizes.goals} Goals, ${sizes.jobs} Jobs, seed ${sizes.seed}, in ${world.dir}`);
  const ground = makeGround(world);
  const year = await live(world, ground, { ...sizes, random: seeded(sizes.seed), log });
  await settle(ground, year);
  const { checks, looked } = checkYear(world, ground, year);
  wrong = Object.values(checks).some((found) => found.length > 0);
  const report = {
    ...sizes,
    seconds: Math.round((Date.now() - began) / 1000),
    days: Math.round((year.now - year.start) / 86_400_000),
    acts: Object.fromEntries(year.acts),
    killed: year.killed,
    looked,
    checks,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    for (const [name, found] of Object.entries(checks))
      process.stdout.write(
        `${found.length === 0 ? 'holds ' : 'WRONG '} ${name}${found.map((one) => `\n         ${one}`).join('')}\n`,
      );
    process.stdout.write(
      `seed ${sizes.seed}: ${report.days} days, ${[...year.acts.values()].reduce((sum, count) => sum + count, 0)} commands, ${year.killed} killed, ${looked.commits} commits, ${looked.landed} landed, ${looked.open} open, ${looked.things} checkouts and refs, ${report.seconds} s: ${wrong ? 'something does not hold' : 'all of it holds'}\n`,
    );
  }
} finally {
  if (values.keep || wrong) log(`kept: ${world.dir}`);
  else world.remove();
}
process.exitCode = wrong ? 1 : 0;
