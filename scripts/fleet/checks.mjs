// What must hold after a fleet: each check returns what is wrong, and nothing where nothing is.
import { userThings } from './world.mjs';

const lines = (text) => text.split('\n').filter((line) => line !== '');

/** Goals as they ended, with their evidence. */
export const endOf = (world, { at, goals }) =>
  goals.map((goal) => ({ ...goal, ...JSON.parse(world.owl(at, 'show', goal.id, '--json')).data }));

/** Merges of the target since the start, oldest first: commit, parents, and what their trailers say. */
function mergesOf(world, { bare, start }) {
  const format = ['%H', '%P', 'Owl-Goal', 'Owl-Candidate', 'Owl-Lease-Token']
    .map((part) => (part.startsWith('%') ? part : `%(trailers:key=${part},valueonly,separator=)`))
    .join('%x00');
  return lines(
    world.git(bare, 'log', '--first-parent', '--reverse', `--format=${format}`, `${start}..refs/heads/main`),
  ).map((line) => {
    const [commit, parents, goal, candidate, token] = line.split('\0');
    return { commit, parents: parents.split(' '), goal, candidate, token: Number(token) };
  });
}

/** Ids of the merges that were about to be published, in the order of the log. */
const begunInLog = (world, { at }) =>
  lines(
    world.git(at, 'log', '--reverse', '--format=%(trailers:key=Owl-Event,valueonly,separator=) %s', 'refine/state'),
  ).flatMap((line) => /^goal\.integrating .* merging into \S+ as ([0-9a-f]+)$/.exec(line)?.[1] ?? []);

/** Name of a check -> what is wrong. */
export function checkFleet(world, ground, ended, happened) {
  const { at, bare, goals, before } = ground;
  const merges = mergesOf(world, ground);
  const integrated = ended.filter(({ status }) => status === 'review');
  const failed = ended.filter(({ status }) => status === 'failed');
  const target = (file) => {
    try {
      return lines(world.git(bare, 'show', `main:${file}`));
    } catch {
      return [];
    }
  };
  const count = (goal) => target(goal.file).filter((line) => line === goal.line).length;
  const of = (goal) => merges.filter((merge) => merge.goal === goal.id);
  const exists = (where, oid) => {
    try {
      return world.git(where, 'cat-file', '-t', oid) === 'commit';
    } catch {
      return false;
    }
  };
  const head = (where, branch) => world.git(where, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  return {
    'no process ended as a defect': happened.defects,
    'every integrated Goal exactly once on the remote target': [
      ...integrated.filter((goal) => of(goal).length !== 1 || count(goal) !== 1).map(({ id }) => id),
      ...merges.filter(({ goal }) => !integrated.some(({ id }) => id === goal)).map(({ commit }) => commit),
    ],
    'one two-parent merge for each, of its Candidate, as its evidence says': integrated
      .filter((goal) => {
        const [merge] = of(goal);
        return !(
          merge?.parents.length === 2 &&
          merge.parents[1] === goal.candidate?.tip &&
          merge.candidate === goal.candidate.tip &&
          merge.commit === goal.integration?.merge &&
          goal.integration.status === 'done'
        );
      })
      .map(({ id }) => id),
    'in the order that the log says, under tokens that only grow': [
      ...(same(
        merges.map(({ commit }) => commit),
        begunInLog(world, ground).filter((commit) => merges.some((merge) => merge.commit === commit)),
      )
        ? []
        : ['the log has another order']),
      ...merges.filter(({ token }, n) => n > 0 && token <= merges[n - 1].token).map(({ commit }) => commit),
    ],
    'every other one failed or waiting, with its evidence and its work': [
      ...ended.filter(
        (goal) => !['review', 'failed'].includes(goal.status) && goal.reason === null && goal.waits === undefined,
      ),
      ...failed.filter(
        (goal) =>
          goal.reason === null ||
          !goal.evidence.some(({ type }) => type === 'conflict' || type === 'error') ||
          count(goal) !== 0 ||
          (goal.candidate !== null && head(at, goal.branch) !== goal.candidate.tip) ||
          !lines(world.git(at, 'show', `refs/heads/${goal.branch}:${goal.file}`)).includes(goal.line),
      ),
    ].map(({ id, status, reason }) => `${id} ${status}: ${reason?.text ?? 'without a reason'}`),
    'the branch of every integrated Candidate is on the remote': integrated
      .filter((goal) => head(bare, goal.branch) !== goal.candidate?.tip)
      .map(({ id }) => id),
    'every Candidate ever made is still there': ended
      .flatMap(({ history }) => history.flatMap(({ candidates }) => candidates))
      .flatMap(({ base, tip }) => [base, tip])
      .filter((oid) => !exists(at, oid)),
    'no ref or dirty file of the user was touched': Object.entries(userThings(world, ground))
      .filter(([name, value]) => !same(value, before[name]))
      .map(([name, value]) => `${name}: ${JSON.stringify(before[name])} became ${JSON.stringify(value)}`),
    'the local target follows': [
      world.git(at, 'rev-parse', 'main') === world.git(bare, 'rev-parse', 'main')
        ? []
        : ['main is not where it is there'],
      lines(world.git(at, 'diff', '--name-only', 'HEAD')).filter((path) => path !== 'mine.txt'),
    ].flat(),
    'objects and state are sound': [
      [at, bare].flatMap((where) => lines(world.git(where, 'fsck', '--connectivity-only', '--no-dangling'))),
      JSON.parse(world.owl(at, 'fsck', '--json')).data.findings.map(({ what }) => what),
    ].flat(),
    'nothing is left half done': [
      lines(
        world.git(
          at,
          'for-each-ref',
          '--format=%(refname)',
          ...['intents', 'publish', 'runs', 'lease', 'follow', 'locks', 'stops'].map(
            (name) => `refs/owl/local/${name}`,
          ),
        ),
      ),
      JSON.parse(world.owl(at, 'lease', '--json')).data.items.flatMap(({ holder }) => holder ?? []),
      JSON.parse(world.owl(at, 'list', '--json', '--goals')).data.items.length === goals.length
        ? []
        : ['a Goal is missing'],
    ].flat(),
  };
}
