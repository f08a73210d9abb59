// P9: `sync` of two clones whose states went apart, beside the same trees fetched, merged as text and pushed by Git alone.
import { join } from 'node:path';
import { alternate, row, summary, time } from './measure.mjs';
import { fastImport, fillState, idOf, shardOf, sortKeys } from './world.mjs';

const SCRIPT = `git fetch -q origin +refs/heads/refine/state:refs/remotes/origin/refine/state || exit 1
tree=$(git merge-tree --write-tree refine/state refs/remotes/origin/refine/state | head -n 1)
commit=$(git commit-tree "$tree" -p refine/state -p refs/remotes/origin/refine/state -m merged) || exit 1
git push -q origin "$commit:refs/heads/refine/state"
`;

/** The rows of the table, and a clone that has something to sync, for a look at its memory. */
export async function measureSync({ world, owl, small }) {
  const count = small ? 200 : 10_000;
  const changed = small ? 10 : 100;
  const source = world.repository('p9-source');
  fillState(world, source, { open: count });
  world.git(source, 'repack', '-qad');
  const place = (name) => join(world.dir, `p9-${name}`);
  const bare = place('remote.git');
  const other = place('plain.git');
  for (const at of [bare, other]) world.git(world.dir, 'clone', '-q', '--bare', source, at);
  for (const [name, from] of [
    ['far', bare],
    ['near', bare],
    ['plain', other],
  ]) {
    world.git(world.dir, 'clone', '-q', from, place(name));
    world.git(place(name), 'branch', '-q', 'refine/state', 'origin/refine/state');
  }
  world.owl(place('near'), 'sync');
  const part = (round, side) => ((round + 1) * 2 + side) * changed;
  const goApart = (round) => {
    const [from, to] = [part(round, 0) % count, part(round, 1) % count];
    change(world, place('far'), { from, changed, owner: `far ${round}` });
    world.git(place('far'), 'push', '-q', 'origin', 'refine/state');
    change(world, place('near'), { from: to, changed, owner: `near ${round}` });
    // The same two states, each where it is known there.
    world.git(other, 'fetch', '-q', place('far'), '+refine/state:refs/heads/refine/state');
    world.git(place('plain'), 'fetch', '-q', place('near'), '+refine/state:refs/heads/refine/state');
  };
  const rounds = small ? 2 : 5;
  const start = summary(
    Array.from({ length: 5 }, () => time(process.execPath, ['-e', '0'], { env: world.env })),
  ).median;
  const times = await alternate(rounds, {
    sync: (round) => {
      goApart(round);
      return owl(place('near'), 'sync', '-q')();
    },
    plain: () => {
      const took = time('sh', ['-c', SCRIPT], world.options(place('plain')));
      // The far clone goes on from what both have.
      world.git(place('far'), 'fetch', '-q', 'origin', '+refine/state:refs/heads/refine/state');
      return took;
    },
  });
  const what = `\`sync\`, ${count} records, ${changed} changed on each side, less one \`node\` start`;
  goApart(rounds + 1);
  return { rows: [row('P9', what, times.sync, times.plain, 3, start)], near: place('near') };
}

/** Another owner for these Jobs, as one commit, with the index made again. */
function change(world, at, { from, changed, owner }) {
  const stream = [
    `commit refs/heads/refine/state\ncommitter Bench <bench@example.com> 1715000000 +0000\ndata 7\nchange\n\nfrom refs/heads/refine/state^0\n`,
  ];
  for (let number = from; number < from + changed; number += 1) {
    const id = idOf(number);
    const path = `open/jobs/${shardOf(id)}/${id}/job.json`;
    const job = JSON.parse(world.git(at, 'show', `refine/state:${path}`));
    const text = `${JSON.stringify(sortKeys({ ...job, owner, revision: job.revision + 1 }), null, 2)}\n`;
    stream.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  }
  stream.push('done\n');
  fastImport(world, at, stream);
  world.owl(at, 'fsck', '--repair');
}
