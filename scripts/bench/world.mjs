// Repositories of known size for the benchmark: made once a run, in a temporary folder, with a HOME of their own.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeWorld(main) {
  const dir = mkdtempSync(join(tmpdir(), 'owl-bench-'));
  const home = join(dir, 'home');
  mkdirSync(home);
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n',
  );
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    OWL_TRUST: '1',
  };
  const world = {
    dir,
    env,
    main,
    git: (cwd, ...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 }).trim(),
    owl: (cwd, ...args) =>
      execFileSync(process.execPath, [main, ...args], { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 }).trim(),
    options: (cwd) => ({ cwd, env }),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
    repository: (name, files = {}) => {
      const at = join(dir, name);
      mkdirSync(at);
      world.git(at, 'init', '-q');
      for (const [path, text] of Object.entries({ 'README.md': '# Bench\n', ...files }))
        writeFileSync(join(at, path), text);
      world.git(at, 'add', '-A');
      world.git(at, 'commit', '-qm', 'start');
      return at;
    },
  };
  return world;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
export const idOf = (number) => {
  let id = '';
  for (let at = 0, rest = number; at < 5; at += 1, rest = Math.floor(rest / 26)) id = ALPHABET[rest % 26] + id;
  return `b${id}`;
};

export const shardOf = (id) => createHash('sha256').update(id).digest('hex').slice(0, 2);

/**
 * Adds `open` pending and `closed` done Jobs to the state of a repository, by `git fast-import`, in the form of a Job that
 * `add` made there; then lets the program derive what is derived.
 */
export function fillState(world, at, { open = 0, closed = 0 }) {
  const first = world.owl(at, 'add', '-q', '--no-plan', 'a job to copy');
  const path = world
    .git(at, 'ls-tree', '-r', '--name-only', 'refine/state', 'open/jobs')
    .split('\n')
    .find((line) => line.endsWith(`${first}/job.json`));
  const pattern = JSON.parse(world.git(at, 'show', `refine/state:${path}`));
  const stamp = '2024-05-06T09:00:00Z';
  const total = open + closed;
  const stream = [];
  stream.push(
    `commit refs/heads/refine/state\ncommitter Bench <bench@example.com> 1715000000 +0000\ndata 5\nfill\n\nfrom refs/heads/refine/state^0\n`,
  );
  for (let number = 0; number < total; number += 1) {
    const id = idOf(number);
    const isOpen = number < open;
    const job = {
      ...pattern,
      id,
      title: `work number ${number} of the benchmark`,
      slug: `work-${number}`,
      position: `b${String(number).padStart(6, '0')}V`.replace(/^b/, 'c'),
      ...(isOpen ? {} : { state: 'done', closed: stamp }),
    };
    const folder = `${isOpen ? 'open' : 'closed'}/jobs/${shardOf(id)}/${id}`;
    for (const [name, text] of [
      ['job.json', `${JSON.stringify(sortKeys(job), null, 2)}\n`],
      ['prompt', `${job.title}\n`],
    ]) {
      stream.push(`M 100644 inline ${folder}/${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    }
  }
  stream.push('done\n');
  fastImport(world, at, stream);
  world.owl(at, 'fsck', '--repair');
}

export const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sortKeys(value[key])]),
        )
      : value;

/** Runs a stream of `git fast-import`; a branch may be moved back. */
export function fastImport(world, at, stream) {
  const child = spawnSync('git', ['fast-import', '--quiet', '--done', '--force'], {
    ...world.options(at),
    input: stream.join(''),
    maxBuffer: 1 << 30,
  });
  if (child.status !== 0) throw new Error(`fast-import: ${child.stderr}`);
}
