// The ground of a drain: a bare remote, clones of it, small Jobs in its state, and a `git` on the PATH that counts what goes to it.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// One line with its Run, committed; when it began and ended is noted outside of every repository.
const agent = (ledger) => `cat > /dev/null
note() { echo "$1 $OWL_JOB $OWL_RUN $(date +%s%3N)" >> '${ledger}'; }
note begin
echo "$OWL_RUN" >> "$OWL_JOB.txt"
git add -A .
git commit -qm "Write $OWL_JOB"
note end
`;

const config = (ledger) => `version: 1
plan: false
agent: writer
agents:
  writer: { command: ["sh", "-c", ${JSON.stringify(agent(ledger))}], prompt: stdin }
checks: [{ name: there, run: "ls *.txt" }]
`;

const VERBS = ['push', 'fetch', 'ls-remote'];

/** Counts the calls to a remote by their verb. */
function countingGit(world, file) {
  const bin = join(world.dir, 'bin');
  mkdirSync(bin);
  const real = world.git(world.dir, '--exec-path');
  const cases = VERBS.map((verb) => `*" ${verb} "*) echo ${verb} >> '${file}' ;;`).join(' ');
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ncase " $* " in ${cases} esac\nexec '${join(real, 'git')}' "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return `${bin}${delimiter}${world.env.PATH}`;
}

/** `length`: milliseconds without a sign of life after which a claim may be taken over. */
export function makeGround(world, { clones, jobs, length }) {
  const bare = join(world.dir, 'remote.git');
  const ledger = join(world.dir, 'ledger');
  const calls = join(world.dir, 'calls');
  writeFileSync(ledger, '');
  writeFileSync(calls, '');
  const source = world.repository('source', { '.coding-owl.yaml': config(ledger), 'first.txt': 'first\n' });
  world.git(world.dir, 'clone', '-q', '--bare', source, bare);
  const runners = Array.from({ length: clones }, (_, number) => {
    const at = join(world.dir, `runner-${number + 1}`);
    world.git(world.dir, 'clone', '-q', bare, at);
    return at;
  });
  const [first] = runners;
  const ids = Array.from({ length: jobs }, (_, number) => world.owl(first, 'add', `Write part ${number + 1}`));
  world.owl(first, 'sync');
  const env = { ...world.env, PATH: countingGit(world, calls), OWL_LEASE_LENGTH: String(length) };
  return {
    bare,
    runners,
    ids,
    env,
    base: world.git(bare, 'rev-parse', 'main'),
    /** Agents as they began and ended, in order. */
    ledger: () =>
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [what, job, run, at] = line.split(' ');
          return { what, job, run, at: Number(at) };
        }),
    calls: () => {
      const all = readFileSync(calls, 'utf8').split('\n');
      return Object.fromEntries(VERBS.map((verb) => [verb, all.filter((line) => line === verb).length]));
    },
  };
}
