// Goals as a person queues them and decides about them: records alone, in order, through one control (03, G1 to G3, G42, G44, G51, G53).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import type { Oid, RefName } from '../../src/domain/git.js';
import { candidate, evidence, goal, round, roundJob } from '../fixtures/goal-records.js';
import { plant } from '../fixtures/goal-store.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const root = join(import.meta.dirname, '../..');
const STATE = 'refs/heads/refine/state';

const add = async (repo: Repo, ...words: string[]): Promise<string> =>
  (await repo.owl('goal', 'add', ...words)).stdout.trim();
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const items = async (repo: Repo, ...words: string[]) => (await repo.owl('list', '--json', ...words)).json().data.items;
const ids = async (repo: Repo, ...words: string[]): Promise<string[]> =>
  (await items(repo, ...words)).map(({ id }: { id: string }) => id);
/** Id -> why it waits. */
const waits = async (repo: Repo): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await repo.owl('status', '--json'))
      .json()
      .data.items.flatMap(({ id, waits }: { id: string; waits?: string }) =>
        waits === undefined ? [] : [[id, waits]],
      ),
  );

t.test('G1: adding, editing and moving change the state alone, and nothing is fetched', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  await repo.git('remote', 'set-url', 'origin', box.path('gone.git'));
  const before = await repo.untouched();
  const first = await repo.owl('goal', 'add', 'Tabs in the parser', '--request', 'accept\ntabs');
  t.match(first.stdout, /^[a-z][a-z0-9]{5}\n$/, 'the id alone in a pipe');
  t.match(first.stderr, /it will land on main on origin, before you review it/);
  const id = first.stdout.trim();
  t.match((await repo.owl('goal', 'add', 'Local', '--json')).json(), {
    data: { status: 'backlog', landing: { name: 'main', remote: 'origin', publish: true } },
  });
  for (const to of ['todo', 'backlog', 'todo', 'backlog', 'todo']) await repo.owl('goal', 'move', id, to);
  await repo.owl('goal', 'edit', id, '--title', 'Tabs', '--priority', 'high', '--label', 'parser', '--owner', 'ada');
  await repo.owl('goal', 'round', id, 'and empty files');
  t.match(await show(repo, id), {
    kind: 'goal',
    title: 'Tabs',
    status: 'todo',
    state: 'todo',
    round: 2,
    rounds: 2,
    feature: null,
    priority: 'high',
    labels: ['parser'],
    owner: 'ada',
    target: null,
    base: { ref: null, oid: null },
    branch: null,
    candidate: null,
    integration: null,
    deadline: null,
    reason: null,
    history: [
      { number: 1, request: 'accept\ntabs', job: null, opened_by: 'add' },
      { number: 2, request: 'and empty files', job: null, opened_by: 'round' },
    ],
  });
  box.same(t, before, await repo.untouched());
  t.same(
    Object.keys(await repo.refs()).filter((ref) => !/^refs\/(heads\/main|remotes\/)/.test(ref)),
    [STATE],
    'no branch, no pin, no note',
  );
  t.match(await repo.git('worktree', 'list'), /^[^\n]*$/, 'no worktree');
  t.same(box.processes(), [], 'no process');
  t.match(
    await repo.git('log', '-1', '--format=%(trailers:key=Owl-Open,valueonly,separator=)', STATE),
    '1 goal-backlog 1 goal-todo',
  );
  const events = (await repo.owl('events', '--goal', id, '--json')).json().data.items;
  t.equal(events.length, 8);
  t.match(events[0], { event: 'goal.round', goal: id, job: null });
  const elsewhere = await box.repository({ config: 'goals: { target: next }\n' });
  await elsewhere.git('branch', 'next');
  t.match((await elsewhere.owl('goal', 'add', 'x')).stderr, /it will land on next,/, 'goals.target');
  t.match((await elsewhere.owl('goal', 'add', 'x', '--target', 'main')).stderr, /it will land on main,/);
  await repo.owlFails(2, 'goal', 'add', ' ');
  await repo.owlFails(2, 'goal', 'add', 'x', '--request', '');
  await repo.owlFails(3, 'goal', 'add', 'x', '--target', 'nowhere');
  await repo.owlFails(3, 'goal', 'add', 'x', '--feature', 'zzzz');
  await repo.owlFails(2, 'goal', 'edit', id);
  await repo.owlFails(2, 'goal', 'edit', id, '--needs', id);
  t.equal((await items(repo, '--goals')).length, 2, 'what was refused made nothing');
});

t.test('06: every document of a Goal is of its schema', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const check = async (...words: string[]) => {
    const document = (await repo.owl(...words, '--json')).json();
    const kind = document.schema.split('/')[1];
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(join(root, 'schema', `${kind}.schema.json`), 'utf8')),
    );
    t.ok(validate(document), `${words.join(' ')}: ${JSON.stringify(validate.errors)}`);
    return document.data;
  };
  const { id: feature } = await check('feature', 'add', 'Parser');
  const { id } = await check('goal', 'add', 'Tabs', '--request', 'x', '--queue', '--feature', feature);
  const { id: other } = await check('goal', 'add', 'Other', '--request', 'x');
  for (const words of [
    ['feature', 'list'],
    ['feature', 'order', feature, '--first'],
    ['goal', 'move', id, 'backlog'],
    ['goal', 'edit', id, '--needs', other],
    ['goal', 'round', id, 'more'],
    ['show', id],
    ['list'],
    ['status'],
    ['events'],
    ['cancel', id],
    ['reopen', id],
    ['goal', 'delete', other],
  ])
    await check(...words);
  const rows = (await repo.owl('list', '--format', '%(id) %(kind) %(state) %(branch)')).stdout;
  t.equal(rows, `${id} goal backlog \n`);
});

t.test('G2, G3: order, Features, needs and priority, each with why it waits', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', {})] });
  const feature = (await repo.owl('feature', 'add', 'Parser')).stdout.trim();
  const one = await add(repo, 'one', '--request', 'x', '--queue', '--feature', feature);
  const two = await add(repo, 'two', '--request', 'x', '--queue', '--feature', feature);
  const free = await add(repo, 'free', '--request', 'x', '--queue');
  const work = await repo.add('a job');
  t.same(await ids(repo), [one, two, free, work], 'one queue, in the order of adding');
  t.match(await waits(repo), { [two]: `goal ${one}, before it in its feature, is todo` });

  const blank = await add(repo, 'blank', '--queue', '--feature', feature, '--order', '1');
  t.same(await ids(repo, '--goals'), [blank, one, two, free]);
  const why = await waits(repo);
  t.match(why[blank], /no round/);
  t.notOk(why[one], 'it holds no place');
  await repo.owl('goal', 'edit', blank, '--request', 'now there is something');
  t.match(await waits(repo), { [one]: /before it in its feature/ });
  await repo.owl('goal', 'edit', blank, '--order', '9');
  t.same(await ids(repo, '--goals'), [one, two, blank, free]);

  await repo.owl('feature', 'order', feature, '--last');
  t.same(await ids(repo), [free, work, one, two, blank]);
  await repo.owl('reorder', work, '--before', free);
  t.same(await ids(repo), [work, free, one, two, blank]);
  await repo.owlFails(2, 'feature', 'order', feature, '--first', '--last');
  await repo.owlFails(2, 'feature', 'order', feature);

  await repo.owl('goal', 'edit', free, '--priority', 'high', '--needs', two);
  t.match(await waits(repo), { [free]: `needs ${two}, which is todo` });
  await repo.owlFails(2, 'goal', 'edit', two, '--needs', free);
  await repo.owl('goal', 'edit', free, '--needs', 'none');
  const gated = await waits(repo);
  t.equal(gated[one], `goal ${free} has a higher priority (high)`);
  t.equal(gated[work], `goal ${free} has a higher priority (high)`);
  t.same(await ids(repo), [free, work, one, two, blank], 'higher first');

  await plant(t, repo, async (tx) => {
    for (const [id, status] of [
      [free, 'review'],
      [one, 'failed'],
    ] as const) {
      const loaded = await tx.goal(id);
      if (loaded.kind === 'found') tx.putGoal({ ...loaded.record, status });
    }
  });
  t.match(await waits(repo), { [two]: `goal ${one}, before it in its feature, failed` });
  const status = (await repo.owl('status')).stdout;
  t.match(status, new RegExp(`Needs a decision[\\s\\S]*${free}[\\s\\S]*Blocked[\\s\\S]*${one}`));
  t.equal(
    (await repo.owl('status', '--short')).stdout,
    '1 pending 2 goal-todo 1 goal-review 1 goal-failed\n',
    'both kinds are counted',
  );
  t.same(await ids(repo, '--state', 'failed'), [one]);
  t.same(await ids(repo, '--jobs'), [work]);

  const late = await add(repo, 'late', '--request', 'x', '--queue', '--needs', one, '--needs', two);
  await repo.owl('cancel', one);
  t.match(
    (await waits(repo))[late],
    new RegExp(`was cancelled; lift it with git owl goal edit ${late} --needs ${two}$`),
  );
  await repo.owl('cancel', two);
  await repo.owl('goal', 'edit', late, '--needs', two);
  const lift = /lift it with git owl (goal edit \S+ --needs none)$/.exec((await waits(repo))[late] ?? '')?.[1] ?? '';
  await repo.owl(...lift.split(' '));
  t.notMatch((await waits(repo))[late], /needs/, 'what is said can be typed');
});

t.test('G42, 01: one control: revision, request id, the same status, and bounded chains of Skills', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await add(repo, 'one', '--request', 'x');
  const tip = () => repo.oid(STATE);
  const before = await tip();
  await repo.owl('goal', 'move', id, 'backlog');
  t.equal(await tip(), before, 'selecting the status that it has writes nothing');
  const { revision } = await show(repo, id);
  t.match((await repo.owlFails(4, 'goal', 'move', id, 'todo', '--expect-revision', '9', '--json')).json(), {
    error: { code: 'superseded', data: { revision } },
  });
  await repo.owl('goal', 'move', id, 'todo', '--expect-revision', String(revision), '--reason', 'it is time\nnow');
  t.match(await repo.git('log', '-1', '--format=%s', STATE), `goal ${id}: from backlog to todo (it is time ⏎ now)`);
  const moved = await tip();
  await repo.owl('goal', 'move', id, 'backlog', '--dry-run');
  t.equal(await tip(), moved);

  const once = ['goal', 'move', id, 'backlog', '--request-id', 'r1'];
  await repo.owl(...once);
  const answered = await tip();
  t.match((await repo.owl(...once)).stdout, /as answered before/);
  t.equal(await tip(), answered);
  await repo.owlFails(4, 'goal', 'move', id, 'todo', '--request-id', 'r1');
  await repo.owlFails(4, 'cancel', id, '--request-id', 'r1');

  const skill = { OWL_SKILL: 'resolve' };
  const occurrence = async () => {
    const record = await repo.record((await repo.records(/goal\.json$/))[0] ?? '');
    return `${record.occurrence.number}:${record.occurrence.decision}`;
  };
  const old = await occurrence();
  await repo.owl('goal', 'move', id, 'todo', { env: { ...skill, OWL_OCCURRENCE: old } });
  t.match(await repo.git('log', '-1', '--format=%B', STATE), /^Owl-Actor: skill:resolve$/m);
  t.match(
    (
      await repo.owlFails(4, 'goal', 'move', id, 'backlog', '--json', { env: { ...skill, OWL_OCCURRENCE: old } })
    ).json(),
    { error: { code: 'superseded', message: /was decided about since resolve/ } },
    '07.43: the first decision wins',
  );
  for (let at = 1; at < 16; at++) await repo.owl('goal', 'move', id, at % 2 ? 'backlog' : 'todo', { env: skill });
  t.match((await repo.owlFails(4, 'goal', 'move', id, 'todo', { env: skill })).stderr, /16 automatic decisions/);
  await repo.owl('goal', 'move', id, 'todo');
  await repo.owl('goal', 'move', id, 'backlog', { env: skill });
});

t.test('G53: cancel deletes nothing, reopen goes on, delete leaves a tombstone', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const id = await add(repo, 'one', '--request', 'x', '--queue');
  await repo.owlFails(4, 'goal', 'delete', id);
  await repo.owl('cancel', id);
  t.match(await show(repo, id), { status: 'cancelled', next: [`git owl reopen ${id}`], history: [{ request: 'x' }] });
  const cancelled = await repo.oid(STATE);
  await repo.owl('cancel', id);
  t.equal(await repo.oid(STATE), cancelled);
  t.same(await ids(repo), []);
  t.same(await ids(repo, '--all'), [id]);
  t.same(await ids(repo, '--state', 'cancelled'), [id]);
  await repo.owlFails(4, 'goal', 'move', id, 'todo');
  await repo.owl('reopen', id);
  t.match(await show(repo, id), { status: 'backlog' });
  await repo.owlFails(4, 'retry', id);
  await repo.owl('goal', 'delete', id, '--dry-run');
  await repo.owl('goal', 'delete', id);
  t.match((await repo.owlFails(3, 'show', id)).stderr, /goal .* was deleted at/);
  t.match((await repo.records(/^tombstones\//))[0], new RegExp(`${id}\\.json$`));
  t.match((await repo.owl('events', '--goal', id)).stdout, /goal\.deleted/);
  t.match((await repo.owl('fsck')).stdout, /sound|nothing|no/i);
});

/** A Goal that failed in governance, with a Round's Job, a Candidate and what was found about it. */
async function failed(t: Parameters<typeof plant>[0], repo: Repo, id = 'g3x9qp') {
  const base = (await repo.oid('main')) as Oid;
  await repo.git('branch', `refine/${id}/round-1`, 'main');
  const tip = (await repo.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'work')) as Oid;
  await repo.git('update-ref', `refs/heads/refine/${id}/round-1`, tip);
  const pair = { base, tip };
  const onto = { ref: 'refs/heads/main', oid: base };
  await plant(t, repo, (tx) => {
    tx.putJob(
      roundJob('r5r5r5', id, 1, { state: 'review', phase: 'execute', closure: 'resolved', onto, tip, runs: 2 }),
    );
    tx.putPrompt('r5r5r5', 'do it');
    tx.putGoal(
      goal(id, {
        status: 'failed',
        base: onto,
        candidate: { id: 'c1', ...pair },
        gates: { quality: 'e1', governance: 'e2' },
        failed_in: 'governance',
        reason: { code: 'governance-findings', text: 'governance found something', paths: ['a b.txt'] },
      }),
    );
    tx.putRound(round(id, 1, { job: 'r5r5r5' }));
    tx.putCandidate(candidate(id, 'c1', pair));
    tx.putEvidence(evidence(id, 'e1', { candidate: pair }));
    tx.putEvidence(
      evidence(id, 'e2', {
        type: 'governance',
        status: 'findings',
        candidate: pair,
        findings: [{ gate: 'protect', text: 'a protected path changed\u202e', paths: ['LICENSE'] }],
      }),
    );
  });
  return { id, tip, base, job: 'r5r5r5' };
}

t.test("03: a Round's Job is its Goal's: hidden, and its verbs are refused with the Goal's", async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', {})] });
  const { id, job, tip } = await failed(t, repo);
  t.same(await ids(repo), [id], 'hidden');
  t.match(await items(repo, '--goal', id), [{ id: job, branch: `refine/${id}/round-1`, goal: id, round: 1 }]);
  t.match(await show(repo, job), { branch: `refine/${id}/round-1`, tip, auto_merge: null });
  t.equal((await repo.owl('status', '--short')).stdout, '1 goal-failed\n');
  const before = await repo.oid(STATE);
  for (const [words, next] of [
    [['retry', job], `git owl retry ${id}`],
    [['cancel', job], `git owl cancel ${id}`],
    [['drop', job], `git owl cancel ${id}`],
    [['accept', job], `git owl show ${id}`],
    [['merge', job], `git owl show ${id}`],
    [['verify', job], `git owl show ${id}`],
    [['export', job, 'mine'], `git owl show ${id}`],
    [['extend', job, '3'], `git owl retry ${id} --ttl 5`],
    [['edit', job, '--label', 'x'], `git owl goal edit ${id}`],
    [['reorder', job, '--first'], `git owl goal edit ${id} --order 1`],
    [['handoff', job, '--edit'], `git owl goal edit ${id}`],
    [['reopen', job], `git owl reopen ${id}`],
    [['restore', job], `git owl show ${id}`],
  ] as const)
    t.match(
      (await repo.owlFails(4, ...words, '--json')).json(),
      { error: { code: 'refused', message: new RegExp(`does round 1 of goal ${id}|belongs to goal`), next: [next] } },
      words[0],
    );
  await repo.owlFails(4, 'run', job);
  t.equal(await repo.oid(STATE), before, 'nothing was changed');
  for (const verb of ['merge', 'accept', 'verify'])
    t.match((await repo.owlFails(3, verb, id)).stderr, /is a goal, and a job is needed here/, verb);
  t.match((await repo.owl('gc', '--json')).json().data.items, [], 'maintenance has nothing to say of it');
  t.same(await repo.oid(`refs/heads/refine/${id}/round-1`), tip);
});

t.test(
  'G43, 11: a Goal that failed keeps what was seen, says what can be done, and goes on where it must',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository();
    const { id, job, tip } = await failed(t, repo);
    const shown = await show(repo, id);
    t.match(shown, {
      status: 'failed',
      candidate: { tip },
      reason: { code: 'governance-findings', paths: ['a b.txt'] },
      evidence: [{ status: 'passed' }, { status: 'findings', findings: [{ paths: ['LICENSE'] }] }],
      proposals: [
        { verb: `git owl log ${id}`, evidence: 'e2' },
        { verb: `git owl goal move ${id} governance --allow-guarded` },
        { verb: `git owl goal move ${id} implement` },
        { verb: `git owl goal round ${id} "<what to do>" --from 1`, why: /takes over what applies/ },
        { verb: `git owl retry ${id}` },
      ],
    });
    t.match(await repo.git('for-each-ref', '--format=%(refname)', 'refs/owl'), `refs/owl/candidates/${id}`);
    const text = (await repo.owl('show', id)).stdout;
    t.match(text, /governance found something: a b\.txt[\s\S]*a protected path changed\\u202e: LICENSE/);

    await repo.owlFails(2, 'retry', id, '-m', 'better');
    await repo.owl('retry', id, '--dry-run');
    t.match(await show(repo, id), { status: 'failed' });
    await repo.owl('retry', id);
    t.match(await show(repo, id), { status: 'governance', candidate: { tip }, reason: null });
    await repo.owlFails(4, 'retry', id);
    t.match((await repo.owlFails(4, 'goal', 'move', id, 'implement')).stderr, /is at work: governance[\s\S]*--force/);
    await repo.owl('goal', 'move', id, 'plan', '--force');
    t.match(await show(repo, job), { state: 'pending', phase: 'plan' }, "the Round's Job is in the queue again");
    await repo.owl('goal', 'move', id, 'implement', '--force');
    t.match(await show(repo, job), { state: 'pending', phase: 'execute' });
    await repo.owl('goal', 'move', id, 'quality', '--force');
    await repo.owl('goal', 'move', id, 'governance', '--force', '--allow-guarded');
    t.match(await repo.record((await repo.records(/goal\.json$/))[0] ?? ''), { allow_guarded: 'c1' });
    await repo.owl('goal', 'edit', id, '--request', 'do it otherwise');
    t.match(await show(repo, id), { status: 'governance', history: [{ request: 'do it otherwise' }] });
    await repo.owl('goal', 'move', id, 'todo', '--force');
    t.match(await show(repo, id), { status: 'todo', candidate: null, target: null });
    t.match(await repo.record((await repo.records(/goal\.json$/))[0] ?? ''), { allow_guarded: null });

    await repo.owl('cancel', id);
    t.match(await show(repo, job), { state: 'cancelled' }, "a Round's Job closes with its Goal");
    await repo.owl('reopen', id);
    t.match(await show(repo, job), { state: 'pending' });
    t.equal(await repo.oid(`refs/heads/refine/${id}/round-1`), tip, 'nothing was removed');
  },
);

t.test('G44: a Round from an earlier one, and only from one that has a Candidate', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const { id } = await failed(t, repo);
  t.match((await repo.owlFails(4, 'goal', 'round', id, 'again', '--from', '2')).stderr, /no candidate to go on from/);
  await repo.owlFails(2, 'goal', 'round', id);
  repo.write('request.md', 'again, with care\n');
  await repo.owl('goal', 'round', id, '-F', 'request.md', '--from', '1');
  t.match(await show(repo, id), {
    status: 'todo',
    round: 2,
    candidate: null,
    reason: null,
    history: [
      { number: 1, candidates: [{ id: 'c1' }] },
      { number: 2, from: 1, request: 'again, with care\n', opened_by: 'round', candidates: [] },
    ],
  });
});

/** A Goal in review whose merge is on the target. */
async function integrated(t: Parameters<typeof plant>[0], repo: Repo, remote: string | null) {
  const { id, tip, base } = await failed(t, repo);
  const merge = (await repo.git('commit-tree', `${tip}^{tree}`, '-p', base, '-p', tip, '-m', 'merge')) as Oid;
  await repo.git('update-ref', 'refs/heads/main', merge);
  if (remote !== null) await repo.git('push', '--quiet', remote, 'main');
  await plant(t, repo, async (tx) => {
    const loaded = await tx.goal(id);
    if (loaded.kind !== 'found') throw new Error('it is not there');
    tx.putEvidence(
      evidence(id, 'i1', {
        type: 'integration',
        status: 'done',
        candidate: { base, tip },
        commits: { merge },
        target: {
          ref: (remote === null ? 'refs/heads/main' : `refs/remotes/${remote}/main`) as RefName,
          remote,
          token: null,
        },
      }),
    );
    const target = { name: 'main', remote, publish: remote !== null, config: base, gates: 'd1' };
    tx.putGoal({ ...loaded.record, status: 'review', reason: null, failed_in: null, integration: 'i1', target });
  });
  return { id, base, merge };
}

t.test(
  'G51, 07.42: approve looks at the published target, twice is once, and a force-push away is refused',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    const { id, base, merge } = await integrated(t, repo, 'origin');
    t.match(await show(repo, id), {
      integration: { merge, status: 'done', ref: 'refs/remotes/origin/main', remote: 'origin' },
    });
    await repo.remoteGit('update-ref', 'refs/heads/main', base);
    t.match(
      (await repo.owlFails(4, 'goal', 'approve', id)).stderr,
      /its integration is not in refs\/remotes\/origin\/main/,
    );
    await repo.remoteGit('update-ref', 'refs/heads/main', merge);
    await repo.git('remote', 'set-url', 'origin', box.path('gone.git'));
    await repo.owlFails(9, 'goal', 'approve', id);
    await repo.git('remote', 'set-url', 'origin', repo.bare);
    const main = await repo.oid('main');
    await repo.owl('goal', 'approve', id);
    t.match(await show(repo, id), { status: 'done' });
    t.match(await show(repo, 'r5r5r5'), { state: 'done' }, "the Round's Job closes with it");
    t.equal(await repo.oid('main'), main, 'nothing is merged');
    const state = await repo.oid(STATE);
    await repo.owl('goal', 'approve', id);
    t.equal(await repo.oid(STATE), state, 'approved twice is once');
  },
);

t.test('G51, G20: a reverted integration is not approved; declined, it begins anew from the target', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const { id, merge } = await integrated(t, repo, null);
  await repo.git('commit', '--quiet', '--allow-empty', '-m', `Revert it\n\nThis reverts commit ${merge}.`);
  t.match((await repo.owlFails(4, 'goal', 'approve', id)).stderr, /was reverted in refs\/heads\/main/);
  await repo.owlFails(4, 'goal', 'edit', id, '--request', 'more');
  await repo.owl('goal', 'decline', id, 'do', 'it', 'better');
  t.match(await show(repo, id), {
    status: 'todo',
    round: 2,
    base: { ref: null, oid: null },
    integration: null,
    history: [{}, { request: 'do it better', opened_by: 'decline' }],
  });
  t.match(
    (await show(repo, id)).evidence.map(({ type }: { type: string }) => type),
    ['quality', 'governance', 'integration'],
  );
});
