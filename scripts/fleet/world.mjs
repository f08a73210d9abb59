// The ground of a fleet: a bare remote, a clone with work of its user in it, and Goals of which half change the same file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Its line in its file, committed. What an earlier Run of it left is taken up: a killed one may have written or committed it.
const AGENT = `text=$(cat)
line=$(printf '%s\\n' "$text" | grep -o 'line [0-9]* of [a-z0-9-]*\\.txt' | head -n 1)
file=\${line##* }
grep -qxF "$line" "$file" 2>/dev/null || echo "$line" >> "$file"
git add -- "$file"
git diff --cached --quiet || git commit -qm "$line"
`;

const config = (processes) => `version: 1
plan: false
ttl: 100
max_parallel: ${processes}
agent: writer
agents:
  writer: { command: ["sh", "-c", ${JSON.stringify(AGENT)}], prompt: stdin }
checks: [{ name: test, run: "ls *.txt" }]
quality: { checks: [{ name: whole, run: "! grep -q '<<<<<<<' *.txt" }] }
governance: { checks: [{ name: rules, run: "test ! -f forbidden" }] }
`;

/** `share`: the state is on the remote too, and goes along in each push (G32). */
export function makeGround(world, { goals, processes, share }) {
  const at = join(world.dir, 'clone');
  const bare = join(world.dir, 'remote.git');
  const source = world.repository('source', {
    '.coding-owl.yaml': config(processes),
    'shared.txt': 'line 0 of shared.txt\n',
    'mine.txt': 'mine\n',
  });
  world.git(world.dir, 'clone', '-q', '--bare', source, bare);
  world.git(world.dir, 'clone', '-q', bare, at);
  world.git(at, 'tag', 'v1');
  world.git(at, 'branch', 'side');
  world.git(at, 'push', '-q', 'origin', 'side', 'v1');
  world.git(at, 'fetch', '-q');
  writeFileSync(join(at, 'mine.txt'), 'stashed\n');
  world.git(at, 'stash', '-q');
  writeFileSync(join(at, 'mine.txt'), 'dirty\n');
  mkdirSync(join(at, 'notes'));
  writeFileSync(join(at, 'notes', 'untracked'), 'untracked\n');
  const start = world.git(bare, 'rev-parse', 'main');
  const all = Array.from({ length: goals }, (_, number) => {
    const file = number % 2 === 0 ? 'shared.txt' : `own-${number + 1}.txt`;
    const line = `line ${number + 1} of ${file}`;
    return { id: world.owl(at, 'goal', 'add', `Write ${line}`, '--request', `Write ${line}.`, '--queue'), file, line };
  });
  if (share) world.owl(at, 'sync');
  return { at, bare, start, goals: all, before: userThings(world, { at, bare }) };
}

/** What is the user's: files, index, stash, and every ref that no Goal was told to move. */
export function userThings(world, { at, bare }) {
  const ours = /^refs\/(heads\/(main|refine\/.*)|owl\/.*|remotes\/origin\/(HEAD|main|refine\/.*))$/;
  const refs = (where) =>
    world
      .git(where, 'for-each-ref', '--format=%(refname) %(objectname)')
      .split('\n')
      .filter((line) => !ours.test(line.split(' ')[0]));
  return {
    head: world.git(at, 'symbolic-ref', 'HEAD'),
    status: world.git(at, 'status', '--porcelain'),
    dirty: world.git(at, 'hash-object', 'mine.txt', 'notes/untracked'),
    local: refs(at),
    remote: refs(bare),
  };
}
