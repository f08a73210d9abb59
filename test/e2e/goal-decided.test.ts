// Decisions about a Goal at the wrong moment lose nothing and start nothing: edited or cancelled before its worktree is made and while
// its agent works; cancelled from every status; a Round beside an older one (G4, G9 to G11, G42, G53; 07.44).

import { rmSync } from 'node:fs';
import { t } from 'tap';
import { APART, addGoal, advanceTo, door, onRemote, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const GATED =
  'checks: [{ name: test, run: "ls *.txt" }]\nquality: { checks: [{ name: style, run: "! grep -q bad *.txt" }] }\n';

/** Branch, worktree, Job: everything that a Goal which left the queue has. */
const made = async (repo: Repo, id: string) => ({
  branches: await repo.git('for-each-ref', '--format=%(refname)', `refs/heads/refine/${id}`),
  worktrees: (await repo.git('worktree', 'list')).split('\n').length - 1,
  job: (await showGoal(repo, id)).history.at(-1).job,
});

t.test('G4, 07.44: edited or cancelled between its admission and its worktree: nothing is created', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', { execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Write' }] });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: `plan: false\n${GATED}` });
  const wrapper = box.path('looked');
  /** While the target is fetched, somebody decides. */
  const meanwhile = (...words: string[]) => meanwhileOnce('true', words);
  const meanwhileOnce = async (when: string, words: readonly string[]) => {
    const call = `cd '${repo.dir}' && env -u GIT_DIR git owl ${words.join(' ')} >&2`;
    const once = `test -e '${wrapper}.done' || ! ${when} || { touch '${wrapper}.done'; ( ${call} ); }`;
    repo.write(wrapper, `${once}\nexec git-upload-pack "$@"\n`);
    repo.remove(`${wrapper}.done`);
    await repo.git('config', 'remote.origin.uploadpack', `sh ${wrapper}`);
  };
  await t.test('while its target is looked at it is cancelled', async (t) => {
    const id = await addGoal(repo, 'write it');
    const before = await repo.untouched();
    await meanwhile('cancel', id);
    await repo.owlFails(4, 'goal', 'advance', id);
    await repo.git('config', '--unset', 'remote.origin.uploadpack');
    t.match(await showGoal(repo, id), { status: 'cancelled', target: null, base: { oid: null } });
    t.same(await made(repo, id), { branches: '', worktrees: 0, job: null });
    box.same(t, before, await repo.untouched());
    t.same(worker.seen(), []);
  });
  await t.test('while its target is looked at its request is edited', async (t) => {
    const id = await addGoal(repo, 'write it');
    await meanwhile('goal', 'edit', id, '--request', 'otherwise');
    const ended = await repo.owl('goal', 'advance', id, '--step', { fails: 'any' });
    await repo.git('config', '--unset', 'remote.origin.uploadpack');
    t.ok(ended.code === 0 || ended.code === 4, 'it is looked at again, or said');
    t.match((await made(repo, id)).branches, '', 'nothing was cut for what it was asked before');
    await advanceTo(repo, id, 'quality');
    t.same(
      worker.seen().map(({ prompt }) => [/otherwise/.test(prompt), /please write it/.test(prompt)]),
      [[true, false]],
    );
    await repo.owl('cancel', id);
  });
  for (const [point, count] of [
    ['goal.after-start', 0],
    ['run.before-branch', 0],
    ['run.after-branch', 1],
  ] as const) {
    await t.test(`after ${point} it is cancelled`, async (t) => {
      const seen = worker.seen().length;
      const id = await addGoal(repo, point);
      const killed = await repo.owl('goal', 'advance', id, { env: { OWL_FAIL_AT: point }, fails: 'any' });
      t.equal(killed.signal, 'SIGKILL', killed.stderr);
      await repo.owl('cancel', id);
      t.match((await repo.owlFails(4, 'goal', 'advance', id)).stderr, /is cancelled/);
      const left = await made(repo, id);
      t.equal(left.branches.split('\n').filter(Boolean).length, count);
      t.equal(left.worktrees, 1, 'no worktree is made for it');
      t.equal(worker.seen().length, seen, 'no agent is started');
    });
  }
  await t.test('while the base of its first Run is looked at its request is edited', async (t) => {
    const seen = worker.seen().length;
    const id = await addGoal(repo, 'write it');
    const claimed = `git -C '${repo.dir}' log -1 --format=%s refine/state | grep -q 'run 1 .* begins'`;
    await meanwhileOnce(claimed, ['goal', 'edit', id, '--request', 'anew']);
    const ended = await repo.owlFails(4, 'goal', 'advance', id, '--json');
    t.ok(repo.exists(`${wrapper}.done`));
    t.match(ended.json().error, { preserved: ['its evidence is kept'], next: [`git owl run ${id}`] });
    await repo.git('config', '--unset', 'remote.origin.uploadpack');
    t.match(await made(repo, id), { branches: '' });
    t.equal(worker.seen().length, seen, 'no agent is started for what was asked before');
    const run = (await repo.owl('show', (await made(repo, id)).job, '--json')).json().data;
    t.match(run, { state: 'pending', reason: { text: 'stopped before the agent was started' } });
    await advanceTo(repo, id, 'quality');
    t.match(worker.seen().slice(seen), [{ prompt: /anew/ }]);
    await repo.owl('cancel', id);
  });
  await t.test('once its branch is cut its request is edited: no agent is started either', async (t) => {
    const seen = worker.seen().length;
    const gate = door(box, 'setup');
    await repo.commit('Setup', {
      '.coding-owl.yaml': repo.read('.coding-owl.yaml').concat(`setup: ["${gate.command}"]\n`),
    });
    await repo.git('push', '-q', 'origin', 'main');
    const id = await addGoal(repo, 'write it');
    gate.shut();
    const first = repo.start('goal', 'advance', id, '--json');
    await gate.reached();
    await repo.owl('goal', 'edit', id, '--request', 'once more');
    gate.open();
    const ended = await first.wait();
    t.equal(ended.code, 4, ended.stderr);
    t.match(ended.json().error, { preserved: ['its branch and evidence are kept'], next: [`git owl run ${id}`] });
    t.equal(worker.seen().length, seen);
    await advanceTo(repo, id, 'quality');
    t.match(worker.seen().slice(seen), [{ prompt: /once more/ }]);
    await repo.owl('cancel', id);
  });
});

t.test(
  'G11, G42: edited while its agent works: that Run answers nothing, and the next one what is asked',
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      cases: [
        {
          when: 'please slow',
          plan: [{ reach: 'plan' }, { await: 'plan' }, { handoff: '# Plan\n\nThe old one.\n' }],
          execute: [{ exit: 1 }],
        },
        {
          when: 'please better',
          plan: [{ handoff: '# Plan\n\nThe new one.\n' }],
          execute: [{ write: 'slow.txt', text: 'x\n' }, { commit: 'Slow' }, { reach: 'execute' }, { await: 'execute' }],
        },
      ],
      plan: [{ exit: 1 }],
      execute: [{ write: 'last.txt', text: 'x\n' }, { commit: 'Last' }],
    });
    const repo = await box.repository({ agents: [worker], config: GATED });
    const id = await addGoal(repo, 'slow');
    const first = repo.start('goal', 'advance', id);
    await worker.reached('plan', 100_000);
    await repo.owl('goal', 'edit', id, '--request', 'please better');
    worker.release('plan');
    const superseded = await first.wait();
    t.equal(superseded.code, 4, superseded.stderr);
    t.match(await showGoal(repo, id), { status: 'plan', candidate: null });

    const second = repo.start('goal', 'advance', id);
    await worker.reached('execute', 100_000);
    t.same(
      worker.seen().map(({ phase }) => phase),
      ['plan', 'plan', 'execute'],
      'it is planned anew, for what is asked now',
    );
    await repo.owl('goal', 'edit', id, '--request', 'the last word');
    worker.release('execute');
    const again = await second.wait();
    t.equal(again.code, 4, again.stderr);
    t.match(await showGoal(repo, id), { status: 'implement', candidate: null });

    await repo.owl('goal', 'advance', id);
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'review' });
    t.match(worker.seen().at(-1)?.prompt, /the last word/);
    t.equal(await repo.git('ls-tree', '--name-only', 'main', 'last.txt'), 'last.txt');
  },
);

t.test('G53, G9: cancelled from every status everything stays, and reopened it is all there', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    cases: [{ when: 'fails', execute: [{ write: '{job}.txt', text: 'bad\n' }, { commit: 'Bad' }] }],
    execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Write' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: `plan: false\n${GATED}` });
  const cancelled = async (id: string, from: string) => {
    t.match(await showGoal(repo, id), { status: from });
    const occurrence = (await repo.git('log', '-1', '--format=%H', 'refine/state')) as string;
    const refs = await repo.refs();
    const before = await repo.untouched();
    await repo.owl('cancel', id);
    t.match(await showGoal(repo, id), { status: 'cancelled' }, from);
    const now = await repo.refs();
    for (const [ref, oid] of Object.entries(refs))
      if (/^refs\/heads\/refine\/[^s]/.test(ref) || ref.startsWith('refs/owl/candidates/')) t.equal(now[ref], oid, ref);
    box.same(t, before, await repo.untouched());
    const state = await repo.oid('refine/state');
    t.not(state, occurrence);
    await repo.owl('cancel', id);
    t.equal(await repo.oid('refine/state'), state, 'cancelled twice is once');
  };
  const backlog = (await repo.owl('goal', 'add', 'later', '--request', 'x')).stdout.trim();
  await cancelled(backlog, 'backlog');
  await cancelled(await addGoal(repo, 'queued'), 'todo');

  const failed = await addGoal(repo, 'fails');
  await repo.owlFails(6, 'goal', 'advance', failed);
  const { worktree } = (await repo.owl('show', (await showGoal(repo, failed)).history[0].job, '--json')).json().data;
  repo.write(`${worktree}/draft.txt`, 'mine\n');
  await cancelled(failed, 'failed');
  t.equal(repo.read(`${worktree}/draft.txt`), 'mine\n');

  const review = await addGoal(repo, 'fine');
  await repo.owl('goal', 'advance', review);
  const main = await onRemote(repo);
  await cancelled(review, 'review');
  t.equal(await onRemote(repo), main, 'what is integrated stays integrated');

  const { candidate, branch } = await showGoal(repo, failed);
  const keep = `refs/owl/keep/${failed}`;
  const kept = await repo.oid(keep);
  await repo.owl('gc', { env: { OWL_TEST_NOW: '2031-01-01T00:00:00Z' } });
  t.equal(await repo.oid(keep), '', 'folded into the archive');
  await repo.owl('reopen', failed);
  t.match(await showGoal(repo, failed), { status: 'backlog', candidate: { tip: candidate.tip } });
  t.equal(await repo.oid(keep), kept, 'and back before it is open again');
  t.equal(await repo.oid(`refs/heads/${branch}`), candidate.tip);
  t.equal(await repo.git('cat-file', '-t', candidate.tip), 'commit');
});

t.test(
  'G53, G32: cancelled once it was merged, it is reopened into review and taken back, never merged again',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', APART)], config: GATED });
    const id = await addGoal(repo, 'write it');
    await advanceTo(repo, id, 'review');
    const merged = await repo.oid('main');
    t.match((await repo.owl('cancel', id)).stderr, new RegExp(`${merged.slice(0, 10)}.*git owl goal revert ${id}`));
    await repo.owl('reopen', id);
    t.match(await showGoal(repo, id), { status: 'review', integration: { merge: merged } });
    await repo.owl('run');
    t.equal(await repo.oid('main'), merged, 'not once more');
    await repo.owl('goal', 'revert', id);
    t.not(await repo.oid('main'), merged);
    await repo.owl('cancel', id);
    await repo.owl('reopen', id);
    t.match(await showGoal(repo, id), { status: 'backlog' });
  },
);

t.test(
  'G9, G10: a new Round has its own branch and worktree and keeps the other one; a missing one is made again',
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      cases: [{ when: 'Earlier Rounds', execute: [{ write: 'good.txt', text: 'x\n' }, { commit: 'Good' }] }],
      execute: [{ write: 'work.txt', text: 'bad\n' }, { commit: 'Bad' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [worker], config: `plan: false\n${GATED}` });
    const placeOf = async (id: string, round: number): Promise<string> =>
      (await repo.owl('show', (await showGoal(repo, id)).history[round - 1].job, '--json')).json().data.worktree;
    const id = await addGoal(repo, 'write it');
    await repo.owlFails(6, 'goal', 'advance', id);
    const source = await placeOf(id, 1);
    repo.write(`${source}/draft.txt`, 'mine\n');
    const tip = await repo.oid(`refs/heads/refine/${id}/round-1`);
    await repo.owl('goal', 'round', id, 'better');
    await advanceTo(repo, id, 'quality');
    const own = await placeOf(id, 2);
    t.not(own, source);
    t.match(await showGoal(repo, id), { branch: `refine/${id}/round-2` });
    t.equal(repo.read(`${source}/draft.txt`), 'mine\n');
    t.equal(await repo.oid(`refs/heads/refine/${id}/round-1`), tip);
    t.notOk(repo.exists(`${own}/work.txt`), 'it begins at the target');

    rmSync(own, { recursive: true });
    await repo.colleague('Beside', { 'beside.txt': 'x\n' });
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    t.equal(repo.read(`${own}/beside.txt`), 'x\n', 'made again from branch and Candidate, for the refresh');
    t.equal(await repo.remoteGit('diff', '--name-only', 'main^1', 'main'), 'good.txt');
    t.equal(await repo.oid(`refs/heads/refine/${id}/round-1`), tip);
  },
);
