// Error events of a Goal: windows, their handlers, and who decides (G40 to G43, G62; 07.43).

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { plant } from '../fixtures/goal-store.js';
import { eventually } from '../fixtures/process.js';
import type { Repo, RepositoryOptions } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const STATE = 'refs/heads/refine/state';

/** Quality never accepts what this makes. */
const BAD: Scenario = { execute: [{ write: 'work.txt', text: 'bad {run}\n' }, { commit: 'Write work.txt' }] };

const config = (skills: readonly object[], window = '1h'): string => `plan: false
quality: { checks: [{ name: style, run: "! cat work* | grep -q bad" }] }
governance: { checks: [{ name: rules, run: "true" }] }
goals: { error_window: ${window} }
skills: ${JSON.stringify(skills.map((skill) => ({ on: 'workflow.quality.error', kind: 'executable', ...skill })))}
`;

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const add = async (repo: Repo, title: string): Promise<string> =>
  (await repo.owl('goal', 'add', title, '--request', `please ${title}`, '--queue')).stdout.trim();
const events = async (repo: Repo, id: string): Promise<string[]> =>
  (await repo.owl('events', '--goal', id, '--json')).json().data.items.map(({ event }: { event: string }) => event);

/** Time stands still, far from now, until the test moves it: what the program waits for in real time passes all the same. */
function clock(box: Sandbox): (time: string) => void {
  const file = box.path('now');
  const set = (time: string): void => writeFileSync(file, time);
  set('2033-03-01T10:00:00Z');
  box.set('OWL_TEST_NOW_FILE', file);
  return set;
}

/** How often a command ran: it writes a line for each start. */
const counted = (box: Sandbox, more = ''): string => `echo start >> '${box.path('starts')}'; ${more}`;
function starts(box: Sandbox): number {
  try {
    return readFileSync(box.path('starts'), 'utf8').trim().split('\n').length;
  } catch {
    return 0;
  }
}

async function failing(box: Sandbox, skills: readonly object[], options: RepositoryOptions & { window?: string } = {}) {
  const { window, ...rest } = options;
  const repo = await box.repository({
    ...rest,
    agents: [box.agent('worker', BAD), ...(rest.agents ?? [])],
    config: config(skills, window),
  });
  return { repo, id: await add(repo, 'write it') };
}

t.test(
  'G41, G62: a handler resolves a conflict in the Round’s worktree, and its decision carries the Goal on',
  async (t) => {
    const box = await sandbox(t);
    const resolve = `set -e
git rebase "$OWL_TARGET" || { printf 'both\\n' > work.txt; git add work.txt; git rebase --continue; }
git rev-parse HEAD > '${box.path('resolved')}'
git owl goal move "$OWL_GOAL" implement --reason "resolved $OWL_PATHS"`;
    const repo = await box.repository({
      remote: 'bare',
      agents: [
        box.agent('worker', {
          execute: [
            [{ write: 'work.txt', text: 'ours\n' }, { commit: 'Write work.txt' }],
            [{ expect: { files: { 'work.txt': 'both\n' } } }, { print: 'nothing is left to do' }],
          ],
        }),
      ],
      config: config([{ name: 'resolve', run: resolve }]),
    });
    // The target's own checkout would follow the merge.
    await repo.git('checkout', '-q', '-b', 'develop');
    const before = await repo.untouched(['refs/heads/main', 'refs/remotes/origin/main']);
    const id = await add(repo, 'write it');
    for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
    const first = await show(repo, id);
    t.match(first, { status: 'quality' });
    const theirs = await repo.colleague('Theirs', { 'work.txt': 'theirs\n' });
    await repo.owl('goal', 'advance', id);
    const done = await show(repo, id);
    t.match(done, {
      status: 'review',
      window: null,
      invocations: [
        { skill: 'resolve', event: 'workflow.quality.error', state: 'ended', outcome: 'succeeded', exit: 0 },
      ],
    });
    t.equal(done.candidate.base, theirs, 'the next attempt stands on what the handler put the branch onto');
    t.not(done.candidate.tip, first.candidate.tip);
    t.equal(await repo.remoteGit('show', 'main:work.txt'), 'both');
    t.match(
      done.evidence.filter(({ type }: { type: string }) => type === 'conflict'),
      [{ reason: { code: 'refresh-conflict', paths: ['work.txt'] } }],
      'the conflict is kept',
    );
    t.match(
      await repo.git('log', '--format=%B', STATE),
      /from quality to implement \(resolved work\.txt\)[\s\S]*?Owl-Actor: skill:resolve/,
    );
    const kept = await repo.git('log', '--format=%s %P', `refs/owl/keep/${id}`);
    t.match(kept, new RegExp(`^tip before resolve s\\w+ .*${first.candidate.tip}$`, 'm'), 'what it rewrote is kept');
    t.match(kept, /^log of resolve /m);
    box.same(t, before, await repo.untouched(['refs/heads/main', 'refs/remotes/origin/main']));
    t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
  },
);

t.test('G41: a handler is told what failed: variables, and a file with everything', async (t) => {
  const box = await sandbox(t);
  const look = `env > '${box.path('env')}'; cp "$OWL_EVENT_FILE" '${box.path('event')}'; cat > '${box.path('input')}'`;
  const looker = box.agent('looker', { skill: [{ reach: 'here' }] });
  const repo = await box.repository({
    remote: 'bare',
    agents: [
      box.agent('worker', {
        execute: [{ write: 'a b.txt', text: 'ours\n' }, { write: 'c\nd.txt', text: 'ours\n' }, { commit: 'Both' }],
      }),
      looker,
    ],
    config: config([
      { name: 'look', run: look },
      { name: 'agent', agent: 'looker' },
    ]).replace('! cat work* | grep -q bad', 'true'),
  });
  const id = await add(repo, 'write it');
  for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
  const theirs = await repo.colleague('Theirs', { 'a b.txt': 'theirs\n', 'c\nd.txt': 'theirs\n' });
  await repo.owlFails(5, 'goal', 'advance', id);
  const { candidate, window, revision } = await show(repo, id);
  const env = readFileSync(box.path('env'), 'utf8');
  for (const [name, value] of Object.entries({
    OWL_SKILL: 'look',
    OWL_EVENT: 'workflow.quality.error',
    OWL_GOAL: id,
    OWL_ROUND: '1',
    OWL_CANDIDATE: candidate.tip,
    OWL_CANDIDATE_BASE: candidate.base,
    OWL_TARGET: theirs,
    OWL_TARGET_REF: 'refs/remotes/origin/main',
    OWL_REASON: 'refresh-conflict',
    OWL_DEADLINE: window.deadline,
  }))
    t.ok(env.split('\n').includes(`${name}=${value}`), `${name}=${value}`);
  t.match(env, /^OWL_OCCURRENCE=\d+:\w+$/m);
  t.notMatch(env, /^OWL_PATHS=/m, 'a name with a line break is in the file alone');
  t.notMatch(env, /^OWL_TRUST=/m);
  const event = readFileSync(box.path('event'), 'utf8');
  t.match(JSON.parse(event), {
    schema: 'git-owl/skill-event/v1',
    goal: id,
    candidate: { tip: candidate.tip },
    target: { oid: theirs },
    reason: { code: 'refresh-conflict', paths: ['a b.txt', 'c\nd.txt'] },
    revision: Number,
  });
  t.equal(readFileSync(box.path('input'), 'utf8'), event, 'a command has it as its standard input too');
  const [seen] = looker.seen();
  t.match(seen?.branch, `refs/heads/refine/${id}/round-1`, 'in the Round’s worktree');
  t.match(seen?.prompt, new RegExp(`refresh-conflict[\\s\\S]*git owl goal move ${id} implement`));
  t.ok(revision > 0);
});

t.test('G41, G43: a handler that merely succeeds, or fails, redirects nothing and emits nothing', async (t) => {
  const box = await sandbox(t);
  const at = clock(box);
  const { repo, id } = await failing(box, [
    { name: 'fine', run: 'echo looked at it; echo left > left.txt' },
    { name: 'broken', run: 'echo broken >&2; exit 3' },
    { name: 'off', run: 'touch never', kind: 'disabled' },
  ]);
  const advanced = await repo.owlFails(6, 'goal', 'advance', id);
  t.match(advanced.stderr, /decide before 2033-03-01T11:00:00Z/);
  const open = await show(repo, id);
  t.match(open, {
    status: 'quality',
    deadline: '2033-03-01T11:00:00Z',
    window: {
      event: 'workflow.quality.error',
      opened: '2033-03-01T10:00:00Z',
      due: false,
      handlers: [
        { skill: 'fine', state: 'ended', outcome: 'succeeded', exit: 0 },
        { skill: 'broken', state: 'ended', outcome: 'failed', exit: 3, text: /status 3: broken/ },
      ],
    },
    reason: { code: 'quality-findings' },
  });
  t.equal(open.invocations.length, 2, 'a disabled one is not bound');
  t.match((await repo.owl('show', id)).stdout, /fine .*succeeded[\s\S]*broken .*failed/);
  t.match((await repo.owl('status')).stdout, /fine succeeded; broken failed; decide before 2033/);
  t.match((await repo.owl('list')).stdout, /decide before 2033-03-01T11:00:00Z/);
  t.match(await repo.git('log', '--format=%s', `refs/owl/keep/${id}`), /^wip of fine$/m, 'what it left is kept');
  t.equal((await events(repo, id)).filter((event) => event === 'goal.failed').length, 1, 'no further Error event');
  await repo.owlFails(6, 'goal', 'advance', id);
  t.equal((await show(repo, id)).invocations.length, 2, 'no handler is started twice');

  // Readers show it as due, and write nothing; the next command that writes settles it.
  at('2033-03-01T11:00:01Z');
  const state = await repo.oid(STATE);
  t.match(await show(repo, id), { status: 'quality', window: { due: true } });
  t.match((await repo.owl('status')).stdout, /its window closed at 2033-03-01T11:00:00Z/);
  t.equal(await repo.oid(STATE), state);
  await repo.owl('add', 'something else');
  t.match(await show(repo, id), {
    status: 'failed',
    window: null,
    deadline: null,
    candidate: { tip: open.candidate.tip },
    reason: { code: 'quality-findings', text: /nobody decided before 2033-03-01T11:00:00Z$/ },
  });
  t.same((await events(repo, id)).slice(0, 1), ['goal.expired']);
  await repo.owl('retry', id);
  t.match(await show(repo, id), { status: 'quality', reason: null });
});

t.test('07.43: a handler that runs past its window is ended with all it started, and decides nothing', async (t) => {
  const box = await sandbox(t);
  clock(box);
  // The test's clock does not pass by itself: the handler moves it, and is ended when its three seconds have passed in truth.
  const stubborn = counted(
    box,
    `echo 2033-03-01T10:00:03Z > '${box.path('now')}'; trap '' TERM
sh -c "trap '' TERM; while :; do sleep 0.2; done" & while :; do sleep 0.2; done`,
  );
  const { repo, id } = await failing(
    box,
    [
      { name: 'endless', run: stubborn },
      { name: 'late', run: counted(box, 'git owl goal move "$OWL_GOAL" implement') },
    ],
    { window: '3s' },
  );
  await repo.owlFails(6, 'goal', 'advance', id);
  t.equal(starts(box), 1, 'nothing is started after the window');
  t.same(box.processes(), [], 'nothing of it lives');
  const failed = await show(repo, id);
  t.match(failed, {
    status: 'failed',
    reason: { text: /its handler late never ran$/ },
    invocations: [
      { skill: 'endless', outcome: 'timeout', text: /what was left of its window/ },
      { skill: 'late', outcome: 'never-ran' },
    ],
  });
  // What outlived it somehow decides nothing: the occurrence is another one.
  const record = await repo.record((await repo.records(/goal\.json$/))[0] ?? '');
  const env = { OWL_SKILL: 'endless', OWL_GOAL: id, OWL_OCCURRENCE: `${record.occurrence.number - 1}:gone` };
  t.match((await repo.owlFails(4, 'retry', id, { env })).stderr, /was decided about since endless was started/);
});

t.test('G42, 07.43: the first accepted decision wins: asked twice, or after somebody else decided', async (t) => {
  const box = await sandbox(t);
  const refused = 'git owl goal move "$OWL_GOAL" implement || test $? -eq 4';
  const asker = box.agent('asker', {
    cases: [{ when: 'please again', skill: [{ reach: 'waits' }, { await: 'decided' }, { sh: refused }] }],
    skill: [
      { owl: ['goal', 'move', 'other', 'todo'], code: 3 },
      { owl: ['add', 'more'], code: 4 },
      { owl: ['cancel', '{job}'], code: 4 },
      { sh: `git owl goal move "$OWL_GOAL" implement --expect-revision 1 || test $? -eq 4` },
      { sh: 'git owl goal move "$OWL_GOAL" backlog --reason first' },
      { sh: refused },
    ],
  });
  const { repo, id } = await failing(
    box,
    [
      { name: 'ask', agent: 'asker' },
      { name: 'second', run: counted(box) },
    ],
    { agents: [asker] },
  );
  await repo.owl('goal', 'advance', id);
  const twice = await show(repo, id);
  t.equal(asker.trace(), '');
  t.match(twice, {
    status: 'backlog',
    window: null,
    invocations: [
      { skill: 'ask', outcome: 'succeeded' },
      { skill: 'second', outcome: 'never-ran', text: /another decision came/ },
    ],
  });
  t.equal(starts(box), 0, 'what was bound behind it does not run any more');

  // The same handler, in another Goal, while a person decides.
  const other = await add(repo, 'again');
  const running = repo.start('goal', 'advance', other);
  await asker.reached('waits', 120_000);
  t.match(await show(repo, other), { window: { handlers: [{ state: 'started' }, { state: 'waiting' }] } });
  t.match((await repo.owl('status')).stdout, /ask is at work; second waits; decide before/);
  t.match((await repo.owlFails(6, 'goal', 'advance', other)).stderr, /ask is at work/, 'nobody starts one beside it');
  await repo.owl('goal', 'move', other, 'implement', '--reason', 'mine');
  t.match((await repo.owlFails(7, 'goal', 'advance', other)).stderr, /ask is still at work in the checkout/);
  await repo.owl('goal', 'move', other, 'backlog', '--force');
  asker.release('decided');
  await running.wait();
  t.equal(asker.trace().split('\n').filter(Boolean).length, 0, asker.trace());
  t.match((await show(repo, other)).invocations, [{ outcome: 'succeeded' }, { outcome: 'never-ran' }]);
});

t.test('G42: retry takes a reason and an expected revision, as any decision about a Goal', async (t) => {
  const box = await sandbox(t);
  clock(box);
  const { repo, id } = await failing(box, [{ name: 'fine', run: 'true' }]);
  await repo.owlFails(6, 'goal', 'advance', id);
  const { revision } = await show(repo, id);
  const state = await repo.oid(STATE);
  const stale = await repo.owlFails(4, 'retry', id, '--expect-revision', String(revision - 1));
  t.match(stale.stderr, new RegExp(`goal ${id} is at revision ${revision}, not ${revision - 1}`));
  t.equal(await repo.oid(STATE), state);
  await repo.owl('retry', id, '--expect-revision', String(revision), '--reason', 'style is fine now');
  t.match(await show(repo, id), { status: 'quality', window: null });
  t.match(await repo.git('log', '-1', '--format=%B', STATE), /\(style is fine now\)/);
  const job = (await repo.owl('add', 'something else')).stdout.trim();
  t.match((await repo.owlFails(2, 'retry', job, '--reason', 'x')).stderr, /are for a Goal[\s\S]*git owl retry/);
});

t.test('G42, G43: advance of a Goal that has no step says what can be done about it', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ config: config([]) });
  const id = (await repo.owl('goal', 'add', 'later', '--request', 'please')).stdout.trim();
  const refused = await repo.owlFails(4, 'goal', 'advance', id);
  t.match(refused.stderr, new RegExp(`is backlog; there is no step to carry out[\\s\\S]*git owl goal move ${id} todo`));
});

t.test('J4, J18, G53: a handler takes a place; stop, SIGTERM, --for and cancel end it', async (t) => {
  const box = await sandbox(t);
  const slow = box.agent('slow', {
    execute: [{ reach: 'in' }, { await: 'go' }, { write: 'job.txt', text: 'done\n' }, { commit: 'Write job.txt' }],
  });
  const hang = counted(box, 'while :; do sleep 0.2; done');
  const { repo, id } = await failing(box, [{ name: 'hang', run: hang }], { window: '24h', agents: [slow] });
  let begun = 0;
  const working = async (): Promise<void> => {
    begun += 1;
    await eventually(() => starts(box) === begun, 120_000, `the handler is at work, ${begun}`);
  };
  const ended = async (how: string): Promise<void> => {
    await eventually(() => box.processes().length === 0, 60_000, `${how}: nothing of it lives`);
    const { invocations } = await show(repo, id);
    t.match(invocations.at(-1), { skill: 'hang', state: 'ended', outcome: 'interrupted' }, how);
  };
  /** The next one fails anew: its handler is another. */
  const anew = (): Promise<unknown> => repo.owl('retry', id);

  const first = repo.start('goal', 'advance', id);
  await working();
  const work = await repo.add('--no-plan', '--agent', 'slow', 'a job');
  const one = ['--max-parallel', '1'];
  t.match(
    (await repo.owl('run', ...one, '--json')).json().data,
    { items: [], full: 1 },
    'it takes the place of its Goal',
  );
  t.match((await repo.owlFails(7, 'run', work, ...one, '--json')).json(), { error: { code: 'busy' } });
  t.match((await repo.owl('stop', '--dry-run', '--json')).json().data.items, [{ goal: id, note: /hang would be/ }]);
  t.match((await repo.owl('stop', id, '--json')).json().data.items, [{ goal: id, how: 'stopped', note: /hang/ }]);
  t.equal((await first.wait()).code, 143);
  await ended('stop');
  t.match(await show(repo, id), { status: 'quality', window: { due: false } }, 'its window stays open');
  await repo.owlFails(4, 'stop', id);

  await anew();
  const second = repo.start('goal', 'advance', id);
  await working();
  second.kill('SIGTERM');
  t.equal((await second.wait()).code, 143);
  await ended('SIGTERM');

  // Beside others of one process it is asked for alone: those go on.
  await anew();
  const both = repo.start('run', id, work, '--max-parallel', '2');
  await working();
  await slow.reached('in', 120_000);
  t.match((await repo.owl('stop', id, '--json')).json().data.items, [{ goal: id, how: 'stopped' }]);
  t.match((await show(repo, id)).invocations.at(-1), { state: 'ended', outcome: 'interrupted' });
  t.match(await show(repo, work), { state: 'active' });
  slow.release('go');
  await both.wait();
  await ended('stop beside others');
  t.match(await show(repo, work), { state: 'review' });

  // What a dead process had bound is carried out within the time that is given, too.
  await anew();
  await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-failure' } });
  await repo.owl('run', '--for', '1s', { fails: 'any' });
  await eventually(() => box.processes().length === 0, 60_000, '--for: nothing of it lives');
  begun = starts(box);

  await anew();
  const last = repo.start('goal', 'advance', id);
  await working();
  t.match((await repo.owl('cancel', id)).stderr, /hang was stopped/);
  await last.wait();
  await ended('cancel');
  t.match(await show(repo, id), { status: 'cancelled' });
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});

t.test('G62, J15: a worktree that is made anew for a handler gets its setup first, until that succeeds', async (t) => {
  const box = await sandbox(t);
  clock(box);
  const skills = config([{ name: 'note', run: counted(box, `cat '${box.path('setups')}' > '${box.path('seen')}'`) }]);
  const setup = `pwd >> '${box.path('setups')}'; test ! -e '${box.path('broken')}'`;
  const repo = await box.repository({
    agents: [box.agent('worker', BAD)],
    config: `${skills}setup: ${JSON.stringify([{ run: setup }])}\n`,
  });
  const id = await add(repo, 'write it');
  await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-failure' } });
  const branch = `branch refs/heads/refine/${id}/round-1`;
  const listed = (await repo.git('worktree', 'list', '--porcelain')).split('\n\n').find((one) => one.includes(branch));
  const path = /^worktree (.*)$/m.exec(listed ?? '')?.[1] ?? '';
  await repo.git('worktree', 'remove', '--force', path);
  writeFileSync(box.path('setups'), '');
  writeFileSync(box.path('broken'), '');
  t.match((await repo.owlFails(6, 'goal', 'advance', id)).stderr, /note was not started: the setup command/);
  rmSync(box.path('broken'));
  await repo.owlFails(6, 'goal', 'advance', id);
  t.equal(starts(box), 1);
  t.equal(readFileSync(box.path('seen'), 'utf8'), `${path}\n${path}\n`);
});

t.test('G42: chains of automatic decisions are bounded, whatever succeeded in between', async (t) => {
  const box = await sandbox(t);
  const { repo, id } = await failing(box, [
    { name: 'again', run: counted(box, 'git owl goal move "$OWL_GOAL" implement') },
  ]);
  await repo.owl('goal', 'advance', id, '--step');
  await plant(t, repo, async (tx) => {
    const found = await tx.goal(id);
    if (found.kind === 'found') tx.putGoal({ ...found.record, chain: 14 });
  });
  await repo.owlFails(6, 'goal', 'advance', id);
  t.equal(starts(box), 3, 'the third decision is the 17th in a row');
  const { status, invocations } = await show(repo, id);
  t.equal(status, 'quality');
  // Those of one second are in no order.
  const sorted = [...invocations].sort((one, two) => (one.outcome < two.outcome ? -1 : 1));
  t.match(sorted, [{ outcome: 'failed', text: /exit status 4/ }, { outcome: 'succeeded' }, { outcome: 'succeeded' }]);
  await repo.owl('goal', 'move', id, 'backlog');
  t.match(await repo.record((await repo.records(/goal\.json$/))[0] ?? ''), { chain: 0 }, 'a person begins anew');
});

t.test('G41: killed around each record, a handler is started once, or never', async (t) => {
  const points = {
    'goal.before-failure': { starts: 1, outcome: 'succeeded' },
    'goal.after-failure': { starts: 1, outcome: 'succeeded' },
    'skill.before-start': { starts: 1, outcome: 'succeeded' },
    'skill.after-start': { starts: 0, outcome: 'interrupted' },
    'run.agent-started': { starts: null, outcome: 'interrupted' },
    'skill.before-end': { starts: 1, outcome: 'interrupted' },
    'skill.after-end': { starts: 1, outcome: 'succeeded' },
  };
  for (const [point, expected] of Object.entries(points)) {
    const box = await sandbox(t);
    const at = clock(box);
    const { repo, id } = await failing(box, [{ name: 'note', run: counted(box, 'echo noted') }]);
    // The agent of implement passes this point first.
    const env = { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: point.startsWith('run.') ? '2' : '1' };
    const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env });
    t.equal(killed.signal, 'SIGKILL', `${point} is reached`);
    await eventually(() => box.processes().length === 0, 60_000, `${point}: nothing outlives git owl`);
    // Both carry on with what was left, and start nothing twice.
    await repo.owl('run', { fails: 'any' });
    await repo.owlFails(6, 'goal', 'advance', id);
    const now = await show(repo, id);
    t.match(now, { status: 'quality', window: { handlers: [{ state: 'ended', outcome: expected.outcome }] } }, point);
    if (expected.starts === null) t.ok(starts(box) <= 1, point);
    else t.equal(starts(box), expected.starts, `${point}: starts`);
    if (point === 'skill.before-end')
      t.match(await repo.git('log', '--format=%s', `refs/owl/keep/${id}`), /^log of note /m, 'its output is kept');
    at('2033-03-01T11:00:00Z');
    for (const kill of ['window.before-close', 'window.after-close']) {
      const ended = await repo.owl('add', 'x', { fails: 'any', env: { OWL_FAIL_AT: kill } });
      t.equal(ended.signal, 'SIGKILL', `${point}, ${kill}`);
    }
    await repo.owl('add', 'y');
    t.match(await show(repo, id), { status: 'failed' }, `${point}: settled`);
    t.equal((await events(repo, id)).filter((event) => event === 'goal.expired').length, 1, `${point}: once`);
    t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
  }
});

t.test('G41: a handler that never ran is said by the failure', async (t) => {
  const box = await sandbox(t);
  const at = clock(box);
  const { repo, id } = await failing(box, [{ name: 'note', run: counted(box) }]);
  await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-failure' } });
  t.match((await repo.owl('show', id)).stdout, /note .*waiting/);
  at('2033-03-02T10:00:00Z');
  await repo.owlFails(4, 'goal', 'advance', id);
  t.match(await show(repo, id), {
    status: 'failed',
    reason: { text: /nobody decided before .*; its handler note never ran$/ },
    invocations: [{ outcome: 'never-ran', started: null, text: /closed before it was started/ }],
  });
  t.equal(starts(box), 0);
  t.match((await repo.owl('show', id)).stdout, /note .*never-ran/);
});

t.test('G41: another clone settles a window after a further one of its own clock, and starts nothing', async (t) => {
  const box = await sandbox(t);
  const at = clock(box);
  const { repo, id } = await failing(box, [{ name: 'note', run: counted(box) }], { remote: 'bare' });
  await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-failure' } });
  await repo.git('push', '--quiet', 'origin', STATE);
  const clones: Repo[] = [];
  for (const name of ['second', 'third']) {
    const clone = await repo.clone(name);
    await clone.git('fetch', '--quiet', 'origin', `${STATE}:${STATE}`);
    clones.push(clone);
  }
  const [second, third] = clones as [Repo, Repo];
  t.match(await show(second, id), { window: { due: false, handlers: [{ state: 'waiting' }] } });
  await second.owlFails(6, 'goal', 'advance', id);
  t.equal(starts(box), 0, 'it belongs to the clone that bound it');
  t.match(await second.git('for-each-ref', '--format=%(refname)', 'refs/owl/local'), /window-seen/);

  at('2033-03-01T11:30:00Z');
  t.match(await show(second, id), { window: { due: true } });
  await second.owl('add', 'x');
  t.match(await show(second, id), { status: 'quality' }, 'one further window has not passed');
  at('2033-03-01T12:00:00Z');
  await second.owl('add', 'y');
  t.match(await show(second, id), {
    status: 'failed',
    reason: { text: /nobody decided before 2033-03-01T11:00:00Z; its handler note never ran/ },
    invocations: [{ state: 'waiting' }],
  });
  t.equal(await second.git('for-each-ref', 'refs/owl/local/window-seen'), '');

  // Seen for the first time only now: a clock that runs ahead proves nothing.
  await third.owl('add', 'z');
  t.match(await show(third, id), { status: 'quality', window: { due: true } });
  at('2033-03-01T12:59:59Z');
  await third.owl('add', 'z');
  t.match(await show(third, id), { status: 'quality' });
  await third.owl('goal', 'move', id, 'backlog');
  t.match(await show(third, id), { status: 'backlog' }, 'settlement loses to a decision');

  await repo.owl('add', 'w');
  t.match(await show(repo, id), { status: 'failed' }, 'the clone that opened it needs no further window');
});
