// Whole processes, timed in turn: measure and comparator alternate in one run, so that the machine's mood hits both.
import { spawnSync } from 'node:child_process';

/** Runs a command to its end and returns milliseconds. Throws when it fails. */
export function time(command, args, options = {}) {
  const start = process.hrtime.bigint();
  const child = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30, ...options });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (child.error) throw child.error;
  if (child.status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${child.status ?? child.signal}\n${child.stderr}`);
  }
  return ms;
}

const sorted = (list) => [...list].sort((a, b) => a - b);

export function summary(list) {
  const order = sorted(list);
  return { min: order[0], median: order[Math.floor(order.length / 2)], max: order.at(-1) };
}

/**
 * Alternates the named functions (each returns milliseconds) `rounds` times, after one round that does not count.
 * Returns name -> {min, median, max}.
 */
export async function alternate(rounds, sides) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, side] of Object.entries(sides)) {
      const ms = await side(round);
      if (round >= 0) times[name].push(ms);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}

const ms = (value) => `${value.toFixed(0)}`;

export const sayTimes = ({ min, median, max }) => `${ms(min)} / ${ms(median)} / ${ms(max)} ms`;

/** One row of the table: the ratio is of the medians. `plus`: milliseconds of one `node` start that the aim allows. */
export function row(name, what, measured, compared, aim, plus = 0) {
  const ratio = Math.max(0, measured.median - plus) / compared.median;
  return { name, what, measured: sayTimes(measured), compared: sayTimes(compared), ratio, aim, met: ratio <= aim };
}

const sayRatio = ({ ratio, unit }) => (unit === undefined ? `${ratio.toFixed(2)}×` : '–');

export function table(rows) {
  const lines = [
    '| # | measure | min / median / max | comparator | ratio | aim | |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      (r) =>
        `| ${r.name} | ${r.what} | ${r.measured} | ${r.compared} | ${sayRatio(r)} | ${r.atLeast ? '≥' : '≤'} ${r.aim}${r.unit ?? '×'} | ${r.met ? 'met' : 'missed'} |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
