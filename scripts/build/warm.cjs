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

const COMMANDS = [
  ['-h'],
  ['add', '--no-plan', 'warm'],
  ['list', '--json'],
  ['status', '--short'],
  ['run'],
  ['goal', 'add', 'warm', '--request', 'warm', '--queue'],
  ['run'],
];

async function warm(dist) {
  const { run } = require(join(dist, 'chunks/load.js'))('help').run();
  for (const words of COMMANDS) {
    const source = Object.create(process, { argv: { value: [process.argv[0], join(dist, 'main.js'), ...words] } });
    const exit = await run(source, dirname(dist));
    if (exit !== 0) throw new Error(`git owl ${words.join(' ')} ends with ${exit}`);
  }
  for (const [file, script] of scripts) {
    const name = `${basename(file, '.js')}-${process.version}-${process.arch}.cache`;
    const code = script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(code));
    writeFileSync(join(dirname(file), name), Buffer.concat([code, sum]));
  }
}

warm(process.argv[2]).then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
