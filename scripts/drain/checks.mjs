// What must hold after a drain: each check returns what is wrong, and nothing where nothing is.
import { execFileSync } from 'node:child_process';

const lines = (text) => text.split('\n').filter((line) => line !== '');

/** Name of a check -> what is wrong. */
export function checkDrain(world, ground, happened) {
  const { bare, runners, ids } = ground;
  const [first] = runners;
  const state = runners.map((at) => world.git(at, 'rev-parse', 'refine/state'));
  const read = recordsOf(world, first);
  const jobs = new Map();
  const runs = new Map(ids.map((id) => [id, []]));
  for (const [path, text] of read) {
    const [, id, rest] = /^[a-z]+\/jobs\/[^/]+\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (rest === 'job.json') jobs.set(id, JSON.parse(text));
    else if (rest?.startsWith('runs/')) runs.get(id)?.push(JSON.parse(text));
  }
  const counting = (id) => runs.get(id).filter((run) => run.outcome === 'succeeded' && !run.superseded);
  const written = (id) => {
    try {
      return lines(world.git(bare, 'show', `refs/owl/shared/${id}:${id}.txt`));
    } catch {
      return [];
    }
  };
  const claims = lines(world.git(bare, 'for-each-ref', '--format=%(refname)', 'refs/owl/claims')).map((ref) => [
    ref,
    JSON.parse(world.git(bare, 'cat-file', '-p', ref)),
  ]);
  return {
    'no runner ended as a defect': happened.defects,
    'the queue is empty': happened.stuck === null ? [] : [`left: ${happened.stuck}`],
    'every Job is in review': ids.filter((id) => jobs.get(id)?.state !== 'review').map((id) => say(id, jobs.get(id))),
    'each has exactly one settled execute Run that counts': ids
      .filter((id) => counting(id).length !== 1)
      .map((id) => `${id}: ${runs.get(id).map((run) => `${run.outcome}${run.superseded ? ' superseded' : ''}`)}`),
    'and that one moved its branch': ids.filter((id) => {
      const [run] = counting(id);
      const job = jobs.get(id);
      const there = world.git(bare, 'for-each-ref', '--format=%(objectname)', `refs/owl/shared/${id}`);
      return run === undefined || run.tip_after !== job.tip || there !== job.tip || written(id).join() !== run.id;
    }),
    'no two agents had one Job at once': overlaps(ground.ledger(), happened),
    'every Run that is not it was interrupted, or came too late': ids.flatMap((id) =>
      runs
        .get(id)
        .filter((run) => run !== counting(id)[0] && run.outcome !== 'interrupted' && !run.superseded)
        .map((run) => `${id} ${run.id}: ${run.outcome}`),
    ),
    'no claim is held': claims.filter(([, { holder }]) => holder !== null).map(([ref]) => ref),
    'all clones and the remote have one state': [
      ...new Set([...state, world.git(bare, 'rev-parse', 'refine/state')]),
    ].slice(1),
    'the base never moved': world.git(bare, 'rev-parse', 'main') === ground.base ? [] : ['main moved'],
    'objects and state are sound': [
      ...[...runners, bare].flatMap((at) => lines(world.git(at, 'fsck', '--connectivity-only', '--no-dangling'))),
      ...JSON.parse(world.owl(first, 'fsck', '--json')).data.findings.map(({ what }) => what),
    ],
  };
}

const say = (id, job) => `${id}: ${job?.state ?? 'no record'}${job?.reason ? ` (${job.reason.text})` : ''}`;

/** An agent of a killed runner ended with it. */
function overlaps(ledger, { killed }) {
  const spans = new Map();
  for (const { what, job, run, at } of ledger) {
    if (what === 'begin') spans.set(run, { job, run, begin: at, end: null });
    else if (spans.has(run)) spans.get(run).end = at;
  }
  const wrong = [];
  const byJob = new Map();
  for (const span of [...spans.values()].sort((one, other) => one.begin - other.begin)) {
    const end = span.end ?? killed.find(({ time }) => time >= span.begin)?.time ?? Number.POSITIVE_INFINITY;
    const before = byJob.get(span.job);
    if (before !== undefined && before > span.begin) wrong.push(`${span.job}: ${span.run} began before the last ended`);
    byJob.set(span.job, end);
  }
  return wrong;
}

/** Path -> text of every record of Jobs and Runs. */
function recordsOf(world, at) {
  const rows = lines(world.git(at, 'ls-tree', '-r', 'refine/state', 'open/jobs', 'closed/jobs'))
    .map((line) => /^\d+ blob (\S+)\t(.*)$/.exec(line))
    .filter((row) => row?.[2].endsWith('.json'));
  const input = `${rows.map(([, oid]) => oid).join('\n')}\n`;
  const out = execFileSync('git', ['cat-file', '--batch'], { cwd: at, env: world.env, input, maxBuffer: 1 << 30 });
  const records = new Map();
  let offset = 0;
  for (const [, , path] of rows) {
    const end = out.indexOf(10, offset);
    const size = Number(out.toString('utf8', offset, end).split(' ')[2]);
    records.set(path, out.toString('utf8', end + 1, end + 1 + size));
    offset = end + size + 2;
  }
  return records;
}
