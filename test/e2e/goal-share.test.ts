// A Goal's merge, its Candidate's branch and its records in the shared state are one push; what moves meanwhile, and what dies (G32; 05).

import { type Test, t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const STATE = 'refs/heads/refine/state';
const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
`;
const WORK: Scenario = { execute: [{ write: '{job}.txt', text: 'work\n' }, { commit: 'Work' }] };

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const add = async (repo: Repo, title: string): Promise<string> =>
  (await repo.owl('goal', 'add', title, '--request', `please ${title}`, '--queue')).stdout.trim();
const onRemote = (repo: Repo, revision = 'main'): Promise<string> => repo.remoteGit('rev-parse', revision);
const push = (repo: Repo) => repo.git('push', '-q', 'origin', STATE);
const fetch = (repo: Repo) => repo.git('fetch', '-q', 'origin', `${STATE}:${STATE}`);
const sound = async (t: Test, repo: Repo, message: string) =>
  t.same((await repo.owl('fsck', '--json')).json().data.findings, [], message);

/** A repository whose state is shared through its remote. */
async function ground(box: Sandbox, config = CONFIG): Promise<Repo> {
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config });
  await repo.add('of this clone');
  await push(repo);
  return repo;
}

/** Governance is next. */
async function ready(repo: Repo, title: string): Promise<string> {
  const id = await add(repo, title);
  for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
  return id;
}

const contains = async (repo: Repo, commit: string) =>
  (await repo.gitResult('merge-base', '--is-ancestor', commit, STATE)).code === 0;

/** Runs `script` on the remote once, while it receives a push, at the look of the `update` hook at `ref`. */
function inside(box: Sandbox, repo: Repo, name: string, ref: string, script: string): void {
  const done = box.path(`inside-${name}`);
  setHook(
    repo.bare,
    'update',
    `if [ "$1" = ${ref} ] && [ ! -e '${done}' ]; then touch '${done}'; ${script}; fi; exit 0`,
  );
}

t.test('G32, 05.S2: the records of the Goal go along, and nothing else; a fresh clone sees it in review', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const id = await ready(repo, 'write it');
  const mine = await repo.add('not shared yet');
  const before = await onRemote(repo, STATE);
  await repo.owl('goal', 'advance', id);
  const main = await onRemote(repo);
  t.equal(await onRemote(repo, `${STATE}^`), before, 'one commit on the fetched tip');
  t.match(await repo.remoteGit('log', '-1', '--format=%b', STATE), /Owl-Event: goal.integrated/);
  const shared = await onRemote(repo, STATE);
  t.ok(await contains(repo, shared), 'taken in');
  await sound(t, repo, 'here');

  const fresh = await repo.clone('fresh');
  await fresh.git('branch', '-q', 'refine/state', 'origin/refine/state');
  const here = await show(repo, id);
  const there = await show(fresh, id);
  t.match(there, { status: 'review', integration: { status: 'done', merge: main } });
  for (const what of ['candidate', 'base', 'history', 'evidence', 'integration'])
    t.same(there[what], here[what], `${what} went along`);
  const [round] = there.history;
  t.match(await show(fresh, round.job), { id: round.job, state: 'review', goal: id });
  await fresh.owlFails(3, 'show', mine);
  await sound(t, fresh, 'there');
  t.match(await show(repo, mine), { state: 'pending' });

  // The other clone decides, and its decision comes back.
  await fresh.owl('goal', 'approve', id);
  t.match(await show(fresh, id), { status: 'done' });
  t.equal(await onRemote(repo), main, 'approving pushes nothing (G51)');
  t.equal(await onRemote(repo, STATE), shared);
});

t.test('G32, G34: what moves on the remote while it receives: only a moved target fails the Goal', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const other = await repo.clone('other');
  await fetch(other);
  const theirs = await other.add('of the other clone');
  await other.git('push', '-q', 'origin', `${STATE}:refs/heads/side`);

  const one = await ready(repo, 'state moves');
  inside(box, repo, 'state', 'refs/heads/main', `git update-ref ${STATE} refs/heads/side`);
  const start = await onRemote(repo);
  await repo.owl('goal', 'advance', one);
  t.match(await show(repo, one), { status: 'review' });
  t.equal(await onRemote(repo, 'main^1'), start, 'merged once');
  t.equal(await onRemote(repo, `${STATE}^`), await onRemote(repo, 'side'), 'built anew on what came meanwhile');
  t.match(await show(repo, theirs), { state: 'pending' }, 'and taken in');
  await sound(t, repo, 'after a state that moved');

  const two = await ready(repo, 'branch moves');
  const branch = `refs/heads/refine/${two}/round-1`;
  inside(box, repo, 'branch', 'refs/heads/main', `git update-ref ${branch} refs/heads/main`);
  const middle = await onRemote(repo);
  await repo.owl('goal', 'advance', two);
  const done = await show(repo, two);
  t.match(done, { status: 'review' });
  t.equal(await onRemote(repo, branch), done.candidate.tip, 'what the new tip contains is replaced');
  t.equal(await onRemote(repo, 'main^1'), middle);

  // Somebody's own commits under that name are never lost.
  const three = await ready(repo, 'foreign branch');
  const foreign = await other.commit('Foreign', { 'foreign.txt': 'x\n' });
  await other.git('push', '-q', 'origin', `${foreign}:refs/heads/foreign`);
  const taken = `refs/heads/refine/${three}/round-1`;
  inside(box, repo, 'foreign', 'refs/heads/main', `git update-ref ${taken} refs/heads/foreign`);
  const held = await onRemote(repo);
  const stopped = await repo.owlFails(4, 'goal', 'advance', three, '--json');
  t.match(stopped.json().error, { code: 'branch-taken', message: /no candidate of goal/ });
  t.match(await show(repo, three), { status: 'governance' });
  t.equal(await onRemote(repo), held, 'nothing was merged');
  t.equal(await onRemote(repo, taken), foreign);
  await repo.remoteGit('update-ref', '-d', taken);
  await repo.owl('goal', 'advance', three);
  t.match(await show(repo, three), { status: 'review' });

  const four = await ready(repo, 'target moves');
  const pushed = await other.commit('Beside', { 'beside.txt': 'x\n' });
  await other.git('push', '-q', 'origin', `${pushed}:refs/heads/beside`);
  const state = await onRemote(repo, STATE);
  inside(box, repo, 'target', `refs/heads/refine/${four}/round-1`, 'git update-ref refs/heads/main refs/heads/beside');
  t.match((await repo.owlFails(5, 'goal', 'advance', four, '--json')).json().error, { code: 'target-moved' });
  t.match(await show(repo, four), { status: 'failed', reason: { code: 'target-moved' } });
  t.equal(await onRemote(repo, STATE), state, 'and nothing of it in the shared state');
  t.equal((await repo.remoteGit('for-each-ref', `refs/heads/refine/${four}`)).trim(), '');
});

t.test('05.S2 to S4, G32: what another clone said of the Goal comes here first; in turns, and at once', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const other = await repo.clone('other');
  await fetch(other);
  const one = await ready(repo, 'labelled elsewhere');
  await push(repo);
  await fetch(other);
  await other.owl('goal', 'edit', one, '--label', 'theirs');
  await push(other);
  await repo.owl('goal', 'edit', one, '--label', 'mine');
  const main = await onRemote(repo);
  for (let at = 0; at < 3 && (await show(repo, one)).status !== 'review'; at += 1)
    await repo.owl('goal', 'advance', one, { fails: 'any' });
  const labelled = await show(repo, one);
  t.match(labelled, { status: 'review' });
  t.same([...labelled.labels].sort(), ['mine', 'theirs'], 'both labels are here');
  t.equal(await onRemote(repo, 'main^1'), main, 'merged once');
  await sound(t, repo, 'taken in');

  // In turns: each sees what the other one published.
  const mine = await ready(repo, 'mine');
  await repo.owl('goal', 'advance', mine);
  await fetch(other);
  const theirs = await ready(other, 'theirs');
  await other.owl('goal', 'advance', theirs);
  for (const id of [mine, theirs]) t.match(await show(other, id), { status: 'review' });
  const again = await ready(repo, 'mine again');
  await repo.owl('goal', 'advance', again);
  for (const id of [mine, theirs, again]) t.match(await show(repo, id), { status: 'review' });
  await sound(t, repo, 'in turns');

  // At once: one after the other, both merged, both in the shared state.
  const [here, there] = [await ready(repo, 'at once'), await ready(other, 'at once too')];
  const wait = { fails: 'any', env: { OWL_LEASE_WAIT: '120000' } } as const;
  await Promise.all([repo.owl('goal', 'advance', here, wait), other.owl('goal', 'advance', there, wait)]);
  for (const [clone, id] of [
    [repo, here],
    [other, there],
  ] as const) {
    for (let at = 0; at < 3 && (await show(clone, id)).status !== 'review'; at += 1)
      await clone.owl('goal', 'advance', id, wait);
    t.match(await show(clone, id), { status: 'review' });
    await sound(t, clone, 'at once');
  }
  const fresh = await repo.clone('fresh');
  await fresh.git('branch', '-q', 'refine/state', 'origin/refine/state');
  for (const id of [one, mine, theirs, again, here, there]) t.match(await show(fresh, id), { status: 'review' });
  const merged = await repo.remoteGit('log', '--format=%s', '--first-parent', '--merges', 'main');
  t.equal(merged.split('\n').length, 6, 'each once');
});

t.test(
  'G52, G32: a revert carries the Goal as it is after it, and is taken in; also where its command died',
  async (t) => {
    const box = await sandbox(t);
    const repo = await ground(box);
    const points = [null, 'publish.after-push', 'reverted.after-state'] as const;
    for (const point of points) {
      const id = await ready(repo, `revert it ${point}`);
      await repo.owl('goal', 'advance', id);
      if (point === null) await repo.owl('goal', 'approve', id);
      const before = await onRemote(repo, STATE);
      if (point === null) await push(repo);
      const shared = point === null ? await repo.oid(STATE) : before;
      if (point !== null) await repo.owl('revert', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
      await repo.owl('revert', id, { fails: 'any' });
      t.match(await show(repo, id), { status: 'failed', reason: { code: 'reverted' } }, `${point}: reverted`);
      t.equal(await onRemote(repo, `${STATE}^`), shared, `${point}: one commit on the fetched tip`);
      t.ok(await contains(repo, await onRemote(repo, STATE)), `${point}: taken in`);
      const fresh = await repo.clone(`fresh-${point}`);
      await fresh.git('branch', '-q', 'refine/state', 'origin/refine/state');
      const [here, there] = [await show(repo, id), await show(fresh, id)];
      t.same(there.evidence, here.evidence, `${point}: with its evidence`);
      t.match(there, { status: 'failed', reason: { code: 'reverted' }, revision: here.revision });
      t.match(await show(fresh, there.history[0].job), { state: 'review' }, `${point}: its Round is open`);
      await sound(t, repo, `${point}: here`);
      await sound(t, fresh, `${point}: there`);
    }
  },
);

t.test('05.S6, G32: a remote that takes no state: the merge goes without it, and that is said', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const id = await ready(repo, 'write it');
  setHook(repo.bare, 'update', `case "$1" in ${STATE}) echo no state here >&2; exit 1;; esac; exit 0`);
  const state = await onRemote(repo, STATE);
  const done = await repo.owl('goal', 'advance', id);
  t.match(done.stderr, /origin takes no state with main/);
  t.match(await show(repo, id), { status: 'review' });
  t.equal(await onRemote(repo, STATE), state);
  t.equal(await onRemote(repo, `refine/${id}/round-1`), (await show(repo, id)).candidate.tip);
});

t.test('G32, 07.39: killed at every step of a publication with its state: merged once, and taken in', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const other = await repo.clone('other');
  await fetch(other);
  const points = [
    'integrate.after-begin',
    'publish.before-push',
    'publish.after-push',
    'publish.after-follow',
    'goal-settle.before-state',
    'goal-settle.after-state',
    'share.before-take-in',
    'share.after-take-in',
  ];
  for (const point of points) {
    const start = await onRemote(repo);
    const theirs = await other.add(`beside ${point}`);
    await push(other);
    const id = await ready(repo, `survive ${point}`);
    const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
    t.equal(killed.signal, 'SIGKILL', `${point} is reached ${killed.stderr}`);
    await repo.owl('goal', 'advance', id, { fails: 'any' });
    t.match(await show(repo, id), { status: 'review', integration: { status: 'done' } }, point);
    t.equal(await onRemote(repo, 'main^1'), start, `${point}: merged once`);
    t.ok(await contains(repo, await onRemote(repo, STATE)), `${point}: taken in`);
    t.match(await show(repo, theirs), { state: 'pending' }, `${point}: with what others shared`);
    await fetch(other);
    t.match(await show(other, id), { status: 'review' }, `${point}: seen elsewhere`);
    await sound(t, repo, point);
  }
});

t.test('G11: base, configuration and gates of a Goal move in one write with its Run, wherever it dies', async (t) => {
  const box = await sandbox(t);
  const twice: Scenario = {
    execute: [
      [{ write: '{job}.txt', text: 'work\n' }, { commit: 'Work' }],
      [{ write: '{job}.txt', text: 'once more\n' }, { commit: 'Once more' }],
    ],
  };
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', twice)], config: CONFIG });
  const config = repo.read('.coding-owl.yaml');
  const record = async (id: string) => {
    const path = (await repo.git('ls-tree', '-r', '--name-only', STATE))
      .split('\n')
      .find((name) => name.endsWith(`/${id}/goal.json`));
    const goal = JSON.parse(await repo.git('show', `${STATE}:${path}`));
    return { base: goal.base.oid, config: goal.target.config, gates: goal.target.gates };
  };
  for (const [at, [point, moved]] of (
    [
      ['progress.before-state', false],
      ['progress.after-state', true],
      ['settle.before-state', true],
      ['settle.after-state', true],
    ] as const
  ).entries()) {
    const id = await add(repo, `survive ${point}`);
    await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-start' } });
    const before = await record(id);
    const text = config.replace('name: rules', `name: rules-${at}`);
    const pushed = await repo.colleague('Other gates', { '.coding-owl.yaml': text });
    const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
    t.equal(killed.signal, 'SIGKILL', `${point} is reached ${killed.stderr}`);
    const after = await record(id);
    if (moved) t.match(after, { base: pushed, config: pushed }, `${point}: all of it`);
    else t.same(after, before, `${point}: nothing of it`);
    t.equal(after.gates === before.gates, !moved, `${point}: the gates with it`);
    await repo.owl('goal', 'advance', id);
    const done = await show(repo, id);
    t.match(done, { status: 'review' }, `${point}: goes on`);
    const gates = done.evidence.find((one: { type: string }) => one.type === 'governance');
    t.match(gates.checks, [{ name: /test/ }, { name: new RegExp(`rules-${at}`) }].slice(-gates.checks.length), point);
  }
});
