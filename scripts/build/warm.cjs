// Started by the build, in a repository of its own: runs what must be fast, then writes the code that V8 has made of each pack by now.
// Arguments: the folder of the program.
const { writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const vm = require('node:vm');
const { crc32 } = require('node:zlib');

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename, this);
  }
};

const SHORT = [['-h'], ['add', '--no-plan', 'warm'], ['list', '--json'], ['status', '--short']];
/** Packs that every command loads: what only long ones run of them is not worth its reading in the others. */
const SHARED = ['help.js', 'command.js'];
const LONG = [['run'], ['goal', 'add', 'warm', '--request', 'warm', '--queue'], ['run']];

async function warm(dist) {
  const { run } = require(join(dist, 'chunks/load.js'))('help').run();
  const runAll = async (commands) => {
    for (const words of commands) {
      const source = Object.create(process, { argv: { value: [process.argv[0], join(dist, 'main.js'), ...words] } });
      const exit = await run(source, dirname(dist));
      if (exit !== 0) throw new Error(`git owl ${words.join(' ')} ends with ${exit}`);
    }
  };
  const isShared = (file) => SHARED.includes(basename(file));
  await runAll(SHORT);
  for (const file of scripts.keys()) if (isShared(file)) write(file);
  await runAll(LONG);
  for (const file of scripts.keys()) if (!isShared(file)) write(file);
}

function write(file) {
  const name = `${basename(file, '.js')}-${process.version}-${process.arch}.cache`;
  const code = scripts.get(file).createCachedData();
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(code));
  writeFileSync(join(dirname(file), name), Buffer.concat([code, sum]));
}

warm(process.argv[2]).then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
