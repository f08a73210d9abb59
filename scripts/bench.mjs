// `npm run bench`: the measures of the performance section, each beside its comparator in the same run.
// `--small` shrinks the sizes, to see that it works; `--only P2,P5` picks measures. Writes bench-results.md.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { alternate, row, summary, table, time } from './bench/measure.mjs';
import { memoryRow } from './bench/memory.mjs';
import { measureNames } from './bench/names.mjs';
import { measureSync } from './bench/sync.mjs';
import { fillState, makeWorld } from './bench/world.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(process.env.OWL_DIST ?? join(root, 'dist'), 'main.js');
const USAGE = 'npm run bench [-- [--small] [--only P2,P5]]';
let values;
try {
  ({ values } = parseArgs({
    options: { small: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  }));
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n${USAGE}\n`);
  process.exit(2);
}
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const small = values.small === true;
const only = values.only?.split(',') ?? null;
const wanted = (name) => only === null || only.includes(name);
const rounds = small ? 3 : 11;
const world = makeWorld(main);
// P11 goes with what it is measured of.
const rows = [];
const add = (entry) => {
  rows.push(entry);
  process.stdout.write(`${table([entry]).split('\n')[2]}\n`);
};

const node = () => time(process.execPath, ['-e', '0'], { env: world.env });
const owl =
  (cwd, ...args) =>
  () =>
    time(process.execPath, [main, ...args], world.options(cwd));

function p1() {
  const at = world.repository('p1');
  return alternate(rounds, {
    node,
    version: owl(at, '--version'),
    completion: owl(at, 'completion', 'bash'),
    help: owl(at, '-h'),
  }).then((times) => {
    add(row('P1', '`git owl --version`', times.version, times.node, 1.15));
    add(row('P1', 'a completion call', times.completion, times.node, 1.15));
    add(row('P1', '`git owl -h`', times.help, times.node, 1.7));
  });
}

async function p2() {
  const at = world.repository('p2');
  fillState(world, at, { open: small ? 20 : 100 });
  const times = await alternate(rounds, { node, status: owl(at, 'status', '--short') });
  add(row('P2', '`status --short`, 100 open Jobs', times.status, times.node, 2));
}

async function p3() {
  const sizes = small ? [0, 200] : [0, 1_000, 10_000, 100_000];
  const repos = sizes.map((closed) => {
    const at = world.repository(`p3-${closed}`);
    fillState(world, at, { open: small ? 20 : 100, closed });
    return [closed, at];
  });
  const times = await alternate(
    rounds,
    Object.fromEntries(repos.map(([closed, at]) => [closed, owl(at, 'status', '--short')])),
  );
  for (const [closed] of repos.slice(1))
    add(row('P3', `P2 with ${closed} closed Jobs, against none`, times[closed], times[0], 1.2));
}

async function p4() {
  const count = small ? 100 : 10_000;
  const at = world.repository('p4');
  fillState(world, at, { open: count });
  const blobs = world
    .git(at, 'ls-tree', '-r', 'refine/state', 'open/jobs')
    .split('\n')
    .filter((line) => line.endsWith('/job.json'))
    .map((line) => line.split(/\s/)[2])
    .join('\n');
  const catFile = () =>
    time('git', ['cat-file', '--batch'], {
      ...world.options(at),
      input: `${blobs}\n`,
      stdio: ['pipe', 'pipe', 'pipe'],
    }) + node();
  const times = await alternate(small ? 3 : 7, { list: owl(at, 'list', '--json'), catFile });
  add(row('P4', `\`list --json\`, ${count} open Jobs`, times.list, times.catFile, 3));
  add(memoryRow(world, 'P4', at, 'list', '--json'));
}

/** The same change by Git's plumbing: two blobs, four trees, a commit, a ref; plus one `node` start. */
function plumbingAdd(at) {
  const git = (args, input) => execFileSync('git', args, { ...world.options(at), input, encoding: 'utf8' }).trim();
  return () => {
    const start = process.hrtime.bigint();
    const tip = git(['rev-parse', 'refs/heads/bench']);
    const job = git(['hash-object', '-w', '--stdin'], `${'x'.repeat(900)}${Math.random()}\n`);
    const prompt = git(['hash-object', '-w', '--stdin'], `prompt ${Math.random()}\n`);
    const id = `j${Math.random().toString(36).slice(2, 8)}`;
    const folder = git(['mktree'], `100644 blob ${job}\tjob.json\n100644 blob ${prompt}\tprompt\n`);
    const put = (treeish, name, oid) => {
      const lines = git(['ls-tree', treeish])
        .split('\n')
        .filter((line) => line !== '' && !line.endsWith(`\t${name}`));
      return git(['mktree'], `${[...lines, `040000 tree ${oid}\t${name}`].join('\n')}\n`);
    };
    const shard = put(`${tip}:open/jobs/aa`, id, folder);
    const jobs = put(`${tip}:open/jobs`, 'aa', shard);
    const open = put(`${tip}:open`, 'jobs', jobs);
    const tree = put(tip, 'open', open);
    const commit = git(['commit-tree', tree, '-p', tip, '-m', 'add']);
    git(['update-ref', 'refs/heads/bench', commit, tip]);
    return Number(process.hrtime.bigint() - start) / 1e6 + node();
  };
}

async function p5() {
  const sizes = small ? [20, 200] : [100, 100_000];
  const measured = {};
  for (const size of sizes) {
    const at = world.repository(`p5-${size}`);
    fillState(world, at, { open: Math.min(size, 100), closed: Math.max(0, size - 100) });
    const other = world.repository(`p5-${size}-plumbing`);
    fillState(world, other, { open: Math.min(size, 100), closed: Math.max(0, size - 100) });
    const tree = world.git(other, 'ls-tree', 'refine/state:open/jobs').split('\n')[0].split(/\s/)[2];
    // The comparator needs one shard of a known name.
    const jobs = `${world.git(other, 'ls-tree', 'refine/state:open/jobs')}\n040000 tree ${tree}\taa`
      .split('\n')
      .filter((line, at, all) => all.findIndex((l) => l.split('\t')[1] === line.split('\t')[1]) === at);
    const mk = (lines) =>
      execFileSync('git', ['mktree'], {
        ...world.options(other),
        input: `${lines.join('\n')}\n`,
        encoding: 'utf8',
      }).trim();
    const open = mk([`040000 tree ${mk(jobs)}\tjobs`]);
    const top = mk([
      ...world
        .git(other, 'ls-tree', 'refine/state')
        .split('\n')
        .filter((line) => !line.endsWith('\topen')),
      `040000 tree ${open}\topen`,
    ]);
    world.git(other, 'update-ref', 'refs/heads/bench', world.git(other, 'commit-tree', top, '-m', 'start'));
    const plumbing = plumbingAdd(other);
    const times = await alternate(rounds, { add: owl(at, 'add', '--no-plan', 'one more'), plumbing });
    measured[size] = times.add;
    add(row('P5', `\`add\`, state of ${size} Jobs`, times.add, times.plumbing, 2));
  }
  add(row('P5', `\`add\` at ${sizes[1]} against ${sizes[0]} Jobs`, measured[sizes[1]], measured[sizes[0]], 1.3));
}

// Next to nothing: without one commit there is nothing to check. In a later Run it finds its file and does nothing at all.
const AGENT = 'test -f done || { echo done > done; git add done; git commit -qm done; }';
const config = (agent) => `version: 1
agent: nothing
agents:
  nothing: { command: ["sh", "-c", ${JSON.stringify(agent)}] }
checks:
  - { name: nothing, run: "true" }
`;
const SCRIPT = `set -e
git fetch -q --no-tags origin +refs/heads/main:refs/remotes/origin/main
if [ ! -d "$1" ]; then git worktree add -q -b "job-$2" "$1" refs/remotes/origin/main; else git -C "$1" rebase -q refs/remotes/origin/main; fi
cd "$1"; sh -c '${AGENT}'; sh -c true
mkdir -p .coding-owl; echo run "$3" >> .coding-owl/HANDOFF.md; git add -A; git commit -qm 'run'
`;

async function p6() {
  const bare = join(world.dir, 'p6.git');
  const at = join(world.dir, 'p6');
  world.git(
    world.dir,
    'clone',
    '-q',
    '--bare',
    world.repository('p6-source', { '.coding-owl.yaml': config(AGENT) }),
    bare,
  );
  world.git(world.dir, 'clone', '-q', bare, at);
  writeFileSync(join(world.dir, 'run.sh'), SCRIPT);
  const start = summary(Array.from({ length: 5 }, node)).median;
  const pull = () => {
    const other = join(world.dir, 'p6-other');
    if (!existsSync(other)) world.git(world.dir, 'clone', '-q', bare, other);
    world.git(other, 'commit', '-q', '--allow-empty', '-m', 'more');
    world.git(other, 'push', '-q', 'origin', 'main');
  };
  let number = 0;
  const first = { owl: [], script: [] };
  const later = { owl: [], script: [] };
  for (let round = 0; round < (small ? 2 : 7); round += 1) {
    number += 1;
    const id = world.owl(at, 'add', '--no-plan', 'do nothing');
    pull();
    first.owl.push(owl(at, 'run', id)());
    const tree = join(world.dir, `p6-tree-${number}`);
    first.script.push(time('sh', [join(world.dir, 'run.sh'), tree, String(number), '1'], world.options(at)));
    pull();
    world.owl(at, 'retry', id);
    later.owl.push(owl(at, 'run', id)());
    later.script.push(time('sh', [join(world.dir, 'run.sh'), tree, String(number), '2'], world.options(at)));
    world.owl(at, 'drop', id);
  }
  add(row('P6', 'a first Run, less one `node` start', summary(first.owl), summary(first.script), 1.5, start));
  add(row('P6', 'a later Run, less one `node` start', summary(later.owl), summary(later.script), 1.5, start));
}

const EACH = 'echo "$OWL_RUN" >> done; git add done; git commit -qm done';
const GATED = `${config(EACH)}plan: false
quality: { checks: [{ name: nothing, run: "true" }] }
`;
const MERGE = `set -e
git fetch -q --no-tags origin +refs/heads/main:refs/remotes/origin/main
git merge -q --no-ff --no-edit "$1"
git push -q --atomic origin main "$1"
`;

/** From governance, where nothing more is asked, to review: lease, merge, push, settlement. */
async function p7() {
  const side = (name) => {
    const source = world.repository(`p7-source-${name}`, { '.coding-owl.yaml': GATED });
    const bare = join(world.dir, `p7-${name}.git`);
    const at = join(world.dir, `p7-${name}`);
    world.git(world.dir, 'clone', '-q', '--bare', source, bare);
    world.git(world.dir, 'clone', '-q', bare, at);
    return at;
  };
  const [ours, theirs] = ['owl', 'script'].map(side);
  writeFileSync(join(world.dir, 'merge.sh'), MERGE);
  const start = summary(Array.from({ length: 5 }, node)).median;
  const times = await alternate(rounds, {
    goal: (round) => {
      const id = world.owl(ours, 'goal', 'add', `goal ${round}`, '--request', 'do nothing', '--queue');
      for (let step = 0; step < 4; step += 1) world.owl(ours, 'goal', 'advance', id, '--step');
      return owl(ours, 'goal', 'advance', id)();
    },
    script: (round) => {
      const branch = `round-${round + 2}`;
      world.git(theirs, 'checkout', '-q', '-b', branch, 'origin/main');
      writeFileSync(join(theirs, 'done'), `${round}\n`);
      world.git(theirs, 'add', '-A');
      world.git(theirs, 'commit', '-qm', 'done');
      world.git(theirs, 'checkout', '-q', 'main');
      return time('sh', [join(world.dir, 'merge.sh'), branch], world.options(theirs));
    },
  });
  add(row('P7', 'integration of a Goal, less one `node` start', times.goal, times.script, 1.5, start));
}

async function p8() {
  for (const entry of await measureNames({ world, owl, small })) add(entry);
  add(memoryRow(world, 'P8', join(world.dir, 'p8'), 'gc', '--dry-run', '--json'));
}

async function p9() {
  const { rows: measured, near } = await measureSync({ world, owl, small });
  for (const entry of measured) add(entry);
  add(memoryRow(world, 'P9', near, 'sync', '-q'));
}

async function p10() {
  const writers = small ? 4 : 16;
  const each = small ? 5 : 50;
  const script = `for (let n = 0; n < ${each}; n += 1) require('node:child_process').execFileSync(process.execPath, [${JSON.stringify(main)}, 'add', '-q', '--no-plan', 'job ' + process.argv[1] + '-' + n], { stdio: ['ignore', 'ignore', 'inherit'] })`;
  const together = world.repository('p10-together');
  const alone = world.repository('p10-alone');
  const run = (cwd, name) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['-e', script, name], {
        ...world.options(cwd),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`writer ${name}: ${code}`))));
    });
  const begin = performance.now();
  await Promise.all(Array.from({ length: writers }, (_, at) => run(together, `w${at}`)));
  const parallel = performance.now() - begin;
  const again = performance.now();
  for (let at = 0; at < writers; at += 1) await run(alone, `w${at}`);
  const serial = performance.now() - again;
  const count = JSON.parse(world.owl(together, 'list', '--json')).data.items.length;
  const lost = writers * each - count;
  world.git(together, 'fsck', '--strict');
  const ratio = serial / parallel;
  add({
    name: 'P10',
    what: `${writers} processes that add ${each} Jobs each, throughput; ${lost} lost`,
    measured: `${(parallel / 1000).toFixed(1)} s`,
    compared: `${(serial / 1000).toFixed(1)} s one after the other`,
    ratio,
    aim: 0.7,
    atLeast: true,
    met: ratio >= 0.7 && lost === 0,
  });
}

try {
  for (const [name, measure] of Object.entries({
    P1: p1,
    P2: p2,
    P3: p3,
    P4: p4,
    P5: p5,
    P6: p6,
    P7: p7,
    P8: p8,
    P9: p9,
    P10: p10,
  })) {
    if (wanted(name)) await measure();
  }
  const head = `Node ${process.version}, ${execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, git owl ${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}${small ? ', small sizes' : ''}\n`;
  const text = `${head}\n${table(rows)}`;
  writeFileSync(join(root, 'bench-results.md'), text);
  process.stdout.write(`\n${text}`);
} finally {
  world.remove();
}
