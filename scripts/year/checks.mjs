// What must hold after a year: each check returns what is wrong, and nothing where nothing is.
import { spawnSync } from 'node:child_process';
import { userThings } from './world.mjs';

const lines = (text) => text.split('\n').filter((line) => line !== '');

/** Every Job and Goal as a clone knows it. */
const workOf = (world, at) => JSON.parse(world.owl(at, 'list', '--all', '--json')).data.items;

/** `checks`: name of a check -> what is wrong. `looked`: how much each of those that could be empty was about. */
export function checkYear(world, ground, year) {
  const { bare, clones, before } = ground;
  const name = (at) => at.split('/').at(-1);
  const refs = (at, ...prefixes) => lines(world.git(at, 'for-each-ref', '--format=%(refname)', ...prefixes));
  const plans = clones.map((at) => gcPlan(world, at, year));
  const work = workOf(world, clones[0]);
  const looked = {
    landed: work.filter((one) => year.lines.has(one.id) && hasLanded(one)).length,
    open: work.filter(({ state, status }) => !['done', 'cancelled'].includes(state ?? status)).length,
    things: clones.reduce((sum, at) => sum + ourThings(world, at, refs).length, 0),
    commits: year.seen.size,
  };
  const checks = {
    'no command ended as a defect': year.defects,
    'objects and state are sound': [
      ...[bare, ...clones].flatMap((at) => fsck(world, at)),
      ...clones.flatMap((at) => JSON.parse(quietly(world, at, 'fsck', '--json')).data.findings.map(({ what }) => what)),
    ],
    'both clones and the remote have the same state':
      new Set([bare, ...clones].map((at) => world.git(at, 'rev-parse', 'refine/state^{tree}'))).size === 1
        ? []
        : [bare, ...clones].map((at) => `${name(at)}: ${world.git(at, 'rev-parse', 'refine/state')}`),
    'every accepted change is on the target, once': accepted(world, ground, year, work),
    'whatever is open says why it waits, or what can be done': clones.flatMap((at) => unexplained(world, at)),
    'every worktree, branch and kept ref has an explanation': clones.flatMap((at, n) =>
      withoutReason(world, at, refs, plans[n]).map((what) => `${name(at)}: ${what}`),
    ),
    'no commit is lost': lost(world, ground, year),
    'nothing of the user was touched': clones.flatMap((at, n) => {
      const now = userThings(world, at);
      return now === before[n] ? [] : [`${name(at)}: ${before[n]} became ${now}`];
    }),
    'nothing is left half done': clones.flatMap((at) =>
      refs(
        at,
        ...['intents', 'publish', 'runs', 'lease', 'locks', 'landing'].map((one) => `refs/owl/local/${one}`),
      ).map((ref) => `${name(at)}: ${ref}`),
    ),
  };
  return { checks, looked };
}

/** In its target, as its record says, and not taken back. */
const hasLanded = ({ kind, status, merged, reverted, integration }) =>
  kind === 'goal' ? ['review', 'done'].includes(status) && integration !== null : merged !== null && reverted !== true;

/** What it prints, however it ends. */
const quietly = ({ main, env }, cwd, ...words) =>
  spawnSync(process.execPath, [main, ...words], { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 }).stdout;

function fsck(world, at) {
  try {
    return lines(world.git(at, 'fsck', '--connectivity-only', '--no-dangling'));
  } catch (error) {
    return [`${at}: ${error.stderr}`];
  }
}

const gcPlan = (world, at, { now }) =>
  JSON.parse(
    quietly(
      { ...world, env: { ...world.env, OWL_TEST_NOW: new Date(now).toISOString() } },
      at,
      'gc',
      '--dry-run',
      '--json',
    ),
  ).data.items;

/** The line of each Goal in review or done, and of each merged Job, that was not taken back: exactly once in its file on the target. */
function accepted(world, { bare }, { lines: wanted }, work) {
  const known = new Map();
  const count = ({ file, line }) => {
    if (!known.has(file)) known.set(file, lines(quietGit(world, bare, 'show', `main:${file}`)));
    return known.get(file).filter((one) => one === line).length;
  };
  return work.flatMap((one) => {
    const line = wanted.get(one.id);
    if (line === undefined || !hasLanded(one)) return [];
    const times = count(line);
    return times === 1 ? [] : [`${one.id} (${one.state ?? one.status}): ${line.line} is there ${times} times`];
  });
}

function quietGit(world, at, ...words) {
  try {
    return world.git(at, ...words);
  } catch {
    return '';
  }
}

/** Open work that neither waits for something, nor has a reason or a next command. */
function unexplained(world, at) {
  const open = JSON.parse(world.owl(at, 'list', '--json')).data.items;
  return open
    .filter(
      ({ state, status, reason, waits }) =>
        !(reason || waits || ['review', 'pending', 'todo', 'backlog'].includes(state ?? status)),
    )
    .map(({ id, state, status }) => `${id} is ${state ?? status}`);
}

/** Checkouts, branches and kept refs of ours. */
function ourThings(world, at, refs) {
  const places = lines(world.git(at, 'worktree', 'list', '--porcelain'))
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .slice(1);
  const ours = refs(
    at,
    'refs/heads/owl',
    'refs/heads/refine',
    'refs/owl/keep',
    'refs/owl/candidates',
    'refs/owl/shared',
  );
  return [...places, ...ours.filter((ref) => ref !== 'refs/heads/refine/state')];
}

/** Ours, and gc says nothing of it. */
function withoutReason(world, at, refs, plan) {
  const told = new Set(plan.map(({ subject }) => subject));
  return ourThings(world, at, refs).filter((what) => !told.has(what));
}

/** Commits that once stood on a ref of ours, that nothing anywhere reaches, and that nobody let go by name. */
function lost(world, { bare, clones }, { seen, letGo }) {
  const reached = new Set([bare, ...clones].flatMap((at) => lines(world.git(at, 'rev-list', '--all'))));
  const gone = new Set(
    clones.flatMap((at) => [...letGo].flatMap((oid) => lines(quietGit(world, at, 'rev-list', oid, '--not', '--all')))),
  );
  return [...seen].flatMap(([oid, where]) => (reached.has(oid) || gone.has(oid) ? [] : [`${oid}, once ${where}`]));
}
