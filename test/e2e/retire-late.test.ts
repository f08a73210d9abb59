// A name once retired is not created again by whoever comes late: a push that was held up, a process that was stopped (M10).

import { readFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import { gc } from '../fixtures/gc.js';
import { addGoal, advanceTo, door, GATED, showGoal, WORK } from '../fixtures/goals.js';
import { eventually, type Running } from '../fixtures/process.js';
import { heldPush } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { both } from '../fixtures/retire.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const RETIRED = 'retire goal-closed done';
const AT_ONCE = `${GATED}plan: false\nsync: { rounds: true }\ngc: { hibernate_after: 0 }\n`;

interface Ground {
  readonly box: Sandbox;
  readonly repo: Repo;
  readonly other: Repo;
  readonly id: string;
  /** Branch of its first Round. */
  readonly name: string;
}

/** A queued Goal that two clones know. */
async function ground(t: Test, config: (box: Sandbox) => string = () => AT_ONCE): Promise<Ground> {
  const box = await sandbox(t);
  const agents = [box.agent('worker', WORK)];
  const repo = await box.repository({ remote: 'bare', agents, config: config(box) });
  const id = await addGoal(repo, 'write it');
  await repo.owl('sync');
  const other = await repo.clone('other');
  await other.owl('sync');
  return { box, repo, other, id, name: `refine/${id}/round-1` };
}

/** Waits until it has stopped itself at that fail point. */
async function stopped(running: Running): Promise<void> {
  const state = () => readFileSync(`/proc/${running.pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  await eventually(() => state() === 'T', 100_000, 'it has stopped');
}

const stopsAt = (point: string) => ({ env: { OWL_FAIL_AT: point, OWL_FAIL_WITH: 'SIGSTOP' } });
const onRemote = (repo: Repo, name: string): Promise<string> =>
  repo.remoteGit('for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);

/** The other clone cancels it, and this one hears of that. */
async function closedElsewhere({ repo, other, id }: Ground): Promise<void> {
  await other.owl('cancel', id);
  await other.owl('sync');
  await repo.owl('sync');
  t.match(await showGoal(repo, id), { status: 'cancelled' });
}

t.test('M10: a push of a sync that is held up brings no name back that another clone retired meanwhile', async (t) => {
  const at = await ground(t);
  const { box, repo, other, id, name } = at;
  await advanceTo(repo, id, 'governance');
  const { tip } = (await showGoal(repo, id)).candidate;
  const push = heldPush(box, repo.bare, name);
  push.hold();
  const slow = repo.start('sync');
  await push.reached();
  await other.owl('sync');
  await other.git('fetch', '-q', repo.dir, `refs/heads/${name}`);
  await other.git('push', '-q', 'origin', `${tip}:refs/heads/main`, `${tip}:refs/heads/${name}`);
  await other.owl('cancel', id);
  await other.owl('sync');
  t.equal(both(await gc(other), name)[1], RETIRED);
  await push.letGo();
  t.equal((await slow.wait()).code, 0, slow.stderr());
  t.equal(await onRemote(repo, name), '', 'the name stays away');
  await repo.owl('sync');
  t.equal(await onRemote(repo, name), '');
  t.match(await showGoal(repo, id), { status: 'cancelled' });
  t.same(both(await gc(repo), name), [RETIRED, 'no item']);
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test(
  'M10: branches of Rounds go with a commit of the state, once; a host without atomic pushes has them too',
  async (t) => {
    const { repo, other, id, name } = await ground(t);
    await advanceTo(repo, id, 'governance');
    const sync = async (at: Repo) => (await at.owl('sync', '--json')).json().data;
    const first = await sync(repo);
    t.ok(first.shared.includes(`refs/heads/${name}`));
    t.equal(first.tip, await repo.remoteGit('rev-parse', 'refine/state'));
    t.equal(first.tip, await repo.oid('refs/heads/refine/state'));
    t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items, [
      { event: 'round.sent', goal: id },
    ]);
    t.match(await sync(repo), { shared: [], pushed: false, tip: first.tip }, 'and then nothing');
    t.same((await sync(other)).tip, first.tip);
    await repo.remoteGit('update-ref', '-d', `refs/heads/${name}`);
    await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
    t.same((await sync(repo)).shared, [`refs/heads/${name}`]);
    t.equal((await repo.remoteGit('rev-parse', name)) !== '', true);
  },
);

t.test(
  'M10: a Run that was stopped after its agent keeps its branch from gc, and does not make it again',
  async (t) => {
    const at = await ground(t);
    const { repo, id, name } = at;
    const ref = `refs/heads/${name}`;
    const slow = repo.start('goal', 'advance', id, stopsAt('run.after-agent'));
    await stopped(slow);
    const tip = await repo.oid(ref);
    await repo.git('push', '-q', 'origin', `${tip}:refs/heads/main`);
    await closedElsewhere(at);
    t.equal(both(await gc(repo), name)[0], 'none checked-out none', 'as long as its process lives');
    await repo.git('update-ref', '-d', ref);
    process.kill(slow.pid, 'SIGCONT');
    await slow.wait();
    t.equal(await repo.oid(ref), '', slow.stderr());
    t.match(await showGoal(repo, id), { status: 'cancelled' });
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);

t.test('M10: nor does a Skill whose Goal was closed and whose branch is gone', async (t) => {
  const skills = [
    { name: 'triage', kind: 'executable', on: 'workflow.todo.enter', run: 'git commit -qm Triage --allow-empty' },
  ];
  const at = await ground(t, () => `${AT_ONCE}skills: ${JSON.stringify(skills)}\n`);
  const { repo, id } = at;
  const slow = repo.start('goal', 'advance', id, '--step', stopsAt('run.after-agent'));
  await stopped(slow);
  const [ref = '', tip = ''] = (
    await repo.git('for-each-ref', '--format=%(refname) %(objectname)', `refs/heads/refine/${id}`)
  ).split(' ');
  t.match(ref, /skill-/);
  await closedElsewhere(at);
  t.equal(both(await gc(repo), ref.slice('refs/heads/'.length))[0], 'none live-run none', 'gc leaves it alone');
  await repo.git('update-ref', '-d', ref);
  process.kill(slow.pid, 'SIGCONT');
  await slow.wait();
  t.equal(await repo.oid(ref), '', slow.stderr());
  t.match((await showGoal(repo, id)).invocations, [{ state: 'ended', outcome: 'succeeded' }], tip);
});

t.test('M10: nor does a check whose Goal was closed and whose branch is gone', async (t) => {
  let gate: ReturnType<typeof door> | undefined;
  const at = await ground(t, (box) => {
    gate = door(box, 'check');
    return AT_ONCE.replace('checks:\n', `checks:\n  - { name: door, run: "${gate.command}" }\n`);
  });
  const { repo, id, name } = at;
  gate?.shut();
  const slow = repo.start('goal', 'advance', id);
  await gate?.reached();
  const tip = await repo.oid(`refs/heads/${name}`);
  await closedElsewhere(at);
  await repo.git('update-ref', '-d', `refs/heads/${name}`);
  gate?.open();
  await slow.wait();
  t.equal(await repo.oid(`refs/heads/${name}`), '', slow.stderr());
  const kept = await repo.git('for-each-ref', '--format=%(refname)', '--contains', tip, 'refs/owl');
  t.not(kept, '', 'what it held is kept');
});
