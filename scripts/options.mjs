// Options of the commands that try the program out at size: whole numbers with a default, and flags. What cannot be understood ends
// the process with 2 and the usage, `--help` with 0.
import { parseArgs } from 'node:util';

/** `numbers`: name -> default. `check` says what is wrong with the numbers together, or nothing. */
export function readOptions({ command, usage, numbers, flags = [], check = () => undefined }) {
  try {
    const given = read(numbers, ['json', 'keep', ...flags]);
    if (given.help) {
      process.stdout.write(usage);
      process.exit(0);
    }
    const sizes = Object.fromEntries(Object.keys(numbers).map((name) => [name, Number(given[name])]));
    const wrong = check(sizes);
    if (wrong !== undefined) throw new Error(wrong);
    return { values: given, sizes };
  } catch (error) {
    process.stderr.write(`${command}: ${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

function read(numbers, flags) {
  const options = { help: { type: 'boolean', short: 'h', default: false } };
  for (const [name, value] of Object.entries(numbers)) options[name] = { type: 'string', default: String(value) };
  for (const name of flags) options[name] = { type: 'boolean', default: false };
  const { values } = parseArgs({ options });
  for (const name of Object.keys(numbers))
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name} takes a whole number, not ${values[name]}`);
  return values;
}
