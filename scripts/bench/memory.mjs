// P11: the most memory that the program itself had at once; Git's own processes are not in it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { time } from './measure.mjs';

const LIMIT = 200;

/** One row of the table for one call. */
export function memoryRow(world, what, cwd, ...words) {
  const note = join(world.dir, 'peak');
  const hook = join(world.dir, 'peak.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').appendFileSync(process.env.OWL_BENCH_PEAK, process.resourceUsage().maxRSS + '\\n'));\n`,
  );
  rmSync(note, { force: true });
  const { env } = world.options(cwd);
  time(process.execPath, ['--require', hook, world.main, ...words], { cwd, env: { ...env, OWL_BENCH_PEAK: note } });
  const peak = Math.max(...readFileSync(note, 'utf8').trim().split('\n').map(Number)) / 1024;
  return {
    name: 'P11',
    what: `peak memory of ${what}`,
    measured: `${Math.round(peak)} MB`,
    compared: '–',
    ratio: peak,
    aim: LIMIT,
    unit: ' MB',
    met: peak <= LIMIT,
  };
}
