// The ground of a year: a bare remote and two clones with work of their users in them; an agent that writes the line it is asked for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Every fifth line is not written at the first attempt, every seventh leaves a file that nobody committed. What an earlier Run left is
// taken up.
const AGENT = `text=$(cat)
line=$(printf '%s\\n' "$text" | grep -o 'line [0-9]* of [a-z0-9-]*\\.txt' | head -n 1)
file=\${line##* }
number=$(printf '%s' "$line" | tr -dc '0-9 ' | awk '{ print $1 }')
if [ $((number % 5)) = 3 ] && ! git log --format=%s | grep -qx "tried $line"; then
  git commit -q --allow-empty -m "tried $line"
  exit 1
fi
grep -qxF "$line" "$file" 2>/dev/null || echo "$line" >> "$file"
git add -- "$file"
git diff --cached --quiet || git commit -qm "$line"
[ $((number % 7)) != 4 ] || echo left > "left-$number"
`;

const CONFIG = `version: 1
plan: false
ttl: 6
max_parallel: 3
agent: writer
agents:
  writer: { command: ["sh", "-c", ${JSON.stringify(AGENT)}], prompt: stdin }
checks: [{ name: test, run: "ls *.txt" }]
quality: { checks: [{ name: whole, run: "! grep -q '<<<<<<<' *.txt" }] }
governance: { checks: [{ name: rules, run: "test ! -f forbidden" }] }
execution: { auto_merge: false, publish: true }
gc: { hibernate_after: 1h, keep: 3650d }
sync: { auto: true, rounds: true }
`;

export const CLONES = ['one', 'two'];

export function makeGround(world) {
  const bare = join(world.dir, 'remote.git');
  const source = world.repository('source', {
    '.coding-owl.yaml': CONFIG,
    'shared.txt': 'line 0 of shared.txt\n',
    'mine.txt': 'mine\n',
  });
  world.git(world.dir, 'clone', '-q', '--bare', source, bare);
  const clones = CLONES.map((name) => {
    const at = join(world.dir, name);
    world.git(world.dir, 'clone', '-q', bare, at);
    writeFileSync(join(at, 'mine.txt'), `dirty in ${name}\n`);
    writeFileSync(join(at, 'untracked'), 'untracked\n');
    world.owl(at, 'sync');
    return at;
  });
  const ground = { bare, clones, start: world.git(bare, 'rev-parse', 'main') };
  return { ...ground, before: clones.map((at) => userThings(world, at)) };
}

/** What is the user's in a clone: files, index, HEAD, and every ref that is not ours. */
export function userThings(world, at) {
  const ours = /^refs\/(heads\/(main|owl\/.*|refine\/.*)|owl\/.*|remotes\/origin\/.*)$/;
  return JSON.stringify({
    head: world.git(at, 'symbolic-ref', 'HEAD'),
    dirty: world.git(at, 'hash-object', 'mine.txt', 'untracked'),
    status: world.git(at, 'status', '--porcelain'),
    refs: world
      .git(at, 'for-each-ref', '--format=%(refname) %(objectname)')
      .split('\n')
      .filter((line) => !ours.test(line.split(' ')[0])),
  });
}
