// `npm run year`: months of use in a short time. Goals and Jobs in two clones with shared state and a bare remote, random verbs of
// people, random kills, gc, and a clock that jumps ahead; then everything that must hold is looked at. Options: --goals 200 --jobs 500
// --seed 1, --json for one document, --keep leaves the folder. Ends with 1 where something does not hold.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeWorld } from './bench/world.mjs';
import { seeded } from './fleet/random.mjs';
import { live, settle } from './year/acts.mjs';
import { checkYear } from './year/checks.mjs';
import { makeGround } from './year/world.mjs';

const USAGE = `npm run year -- [--goals 200] [--jobs 500] [--seed 1] [--json] [--keep]

  --goals, --jobs  how many; whole numbers
  --seed           what is random is the same for the same number
  --json           one document
  --keep           leaves the folder
`;
const NUMBERS = ['goals', 'jobs', 'seed'];

/** Options as they were given. Throws Error for what cannot be understood. */
function read() {
  const { values } = parseArgs({
    options: {
      goals: { type: 'string', default: '200' },
      jobs: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  for (const name of NUMBERS)
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name} takes a whole number, not ${values[name]}`);
  return values;
}

function readOrEnd() {
  try {
    const given = read();
    if (!given.help) return given;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`year: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const values = readOrEnd();
const sizes = Object.fromEntries(NUMBERS.map((name) => [name, Number(values[name])]));
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
