// The core loop of a Job as a person lives it: add, run, look, merge; with a colleague who pushes and a crash in the middle.

import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import { run } from '../fixtures/process.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.test(
  'core loop, 07.2: plan, a push to the base, a killed execute Run, checks, review, merge, nothing left',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      plan: [{ handoff: '# Plan\n\nWrite tabs.txt.\n' }],
      execute: [
        [
          { write: 'tabs.txt', text: 'half\n' },
          { commit: 'Half of it' },
          { write: 'draft.txt', text: 'draft\n' },
          { reach: 'middle' },
          { sleep: 60_000 },
        ],
        [
          { expect: { prompt: ['Write tabs.txt'] } },
          { write: 'tabs.txt', text: 'whole\n' },
          { handoff: '# Handoff\n\nWrote tabs.txt, since the plan asks for it.\n', commit: false },
          { commit: 'The other half' },
        ],
      ],
    });
    const repo = await box.repository({
      remote: 'bare',
      agents: [agent],
      config: 'checks:\n  - { name: test, run: grep -q whole tabs.txt && test -f pushed.txt }\n',
    });
    await repo.git('checkout', '-q', '-b', 'mine');
    repo.write('README.md', 'dirty\n');
    repo.write('staged.txt', 'staged\n');
    await repo.git('add', 'staged.txt');
    repo.write('README.md', 'dirtier\n');
    const before = await repo.untouched(['refs/heads/main']);

    const id = await repo.add('make the parser accept tabs');
    t.match(id, /^[a-z][a-z0-9]{3,15}$/, 'add prints the id alone when piped');
    t.equal((await repo.refs())['refs/heads/refine/state'] !== undefined, true, 'the state branch was made on the way');

    await repo.owl('run', '--step');
    const planned = (await repo.owl('show', id, '--json')).json();
    t.match(planned, { ok: true, data: { id, state: 'pending', phase: 'execute', ttl: 9 } });

    const pushed = await repo.colleague('Push to the base', { 'pushed.txt': 'pushed\n' });

    const killed = repo.start('run', '--step');
    await agent.reached('middle');
    const [, second] = agent.seen();
    killed.kill('SIGKILL');
    await killed.wait();
    await eventually(
      () => !box.processes().some(({ pid }) => pid === second?.pid),
      15_000,
      'the agent is gone with it',
    );
    const dead = (await repo.owl('status', '--json')).json();
    t.equal(dead.ok, true, 'status shows a dead Run without writing');

    await repo.owl('run');
    const shown = (await repo.owl('show', id, '--json')).json().data;
    t.equal(shown.state, 'review');
    t.equal(shown.verified, 'current');
    t.equal(shown.ttl, 7, 'the plan, the killed and the last Run each cost one');
    const base = await repo.oid('refs/remotes/origin/main');
    t.equal(base, pushed, 'the fetch moved the remote-tracking base');
    t.equal(await repo.git('merge-base', shown.branch, base), base, 'the branch lies on the pushed commit');
    t.equal(await repo.git('rev-list', '--merges', '--count', `${base}..${shown.branch}`), '0', 'it is linear');
    t.match(
      await repo.git('log', '--format=%s', `${base}..${shown.branch}`),
      /Half of it/,
      'commits of the killed Run are there',
    );
    t.match(
      await repo.git('show', `${shown.branch}:draft.txt`),
      /draft/,
      'uncommitted work of the killed Run was committed by the next one',
    );

    const review = (await repo.owl('review', id)).stdout;
    t.match(review, /tabs\.txt/);
    t.match(review, /whole/);
    t.notMatch(review, /diff --git a\/pushed\.txt/, "the review diff has the Job's files alone");

    await repo.owl('merge', id);
    const main = await repo.oid('refs/heads/main');
    t.equal(await repo.git('rev-parse', 'refs/heads/main^1'), base, 'first parent is the verified base');
    t.equal(await repo.git('show', 'refs/heads/main:tabs.txt'), 'whole');
    t.match(
      await repo.gitResult('cat-file', '-e', 'refs/heads/main:.coding-owl/HANDOFF.md'),
      { code: 128 },
      'the Handoff did not land',
    );
    t.equal(await repo.oid(`refs/heads/${shown.branch}`), '', 'the branch is gone');

    const status = (await repo.owl('status', '--json')).json().data;
    t.match((await repo.owl('list', '--json')).json(), { ok: true, data: { items: [] } }, 'nothing is open');
    t.ok(status);
    t.match((await repo.owl('gc', '--json')).json(), { ok: true });
    t.equal(await repo.oid('refs/heads/main'), main, 'gc moved nothing');
    box.same(
      t,
      before,
      await repo.untouched(['refs/heads/main']),
      'the user on another branch, with staged and dirty files',
    );
    t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '', 'git fsck is clean');
  },
);

t.test('core loop: a conflict with the base blocks, keeps everything, and leaves by retry --restart', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      [{ write: 'file.txt', text: 'ours\n' }, { commit: 'Ours' }, { exit: 1 }],
      [{ expect: { prompt: ['Begun again'] } }, { write: 'file.txt', text: 'both\n' }, { commit: 'Both' }],
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], files: { 'file.txt': 'start\n' } });
  const id = await repo.add('--no-plan', 'change the file');
  await repo.owlFails(8, 'run');
  const branch = (await repo.owl('show', id, '--json')).json().data.branch;
  const tip = await repo.oid(`refs/heads/${branch}`);
  await repo.colleague('Theirs', { 'file.txt': 'theirs\n' });
  await repo.owl('retry', id);
  const before = agent.seen().length;
  const failed = await repo.owlFails(5, 'run', '--json');
  t.match(failed.stdout, /file\.txt/);
  const blocked = (await repo.owl('show', id, '--json')).json().data;
  t.match(blocked, { state: 'blocked', reason: { code: 'conflict', paths: ['file.txt'] } });
  t.equal(await repo.oid(`refs/heads/${branch}`), tip, 'the branch stands where it was');
  t.equal(agent.seen().length, before, 'no agent was started');
  await repo.owl('retry', id, '--restart');
  const foretold = (await repo.owl('show', id, '--prompt')).stdout;
  t.match(foretold, new RegExp(`Begun again[^]*${tip}`), '06: the next prompt is told as it will be');
  await repo.owl('run');
  t.equal(foretold.trimEnd(), agent.seen().at(-1)?.prompt.trimEnd());
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'review' });
  await repo.owl('merge', id);
  t.equal(await repo.git('show', 'main:file.txt'), 'both');
});

t.test('core loop: a failing check blocks with its output, and leaves by retry -m', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      [{ write: 'answer.txt', text: '41\n' }, { commit: 'A guess' }],
      [
        { expect: { prompt: ['the answer is 42', 'not the answer'] } },
        { write: 'answer.txt', text: '42\n' },
        { commit: 'Right' },
      ],
    ],
  });
  const repo = await box.repository({
    agents: [agent],
    config:
      'checks:\n  - { name: answer, run: "grep -q 42 answer.txt || { echo not the answer $(cat answer.txt); exit 3; }" }\n',
  });
  const id = await repo.add('--no-plan', 'find the answer');
  const first = (await repo.owl('show', id, '--prompt')).stdout;
  await repo.owlFails(6, 'run');
  t.equal(first.trimEnd(), agent.seen()[0]?.prompt.trimEnd(), '06: the first prompt is told as it will be');
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'blocked', reason: { code: 'checks-failed' } });
  for (const words of [['show'], ['show', '--run', '1'], ['review'], ['log']])
    t.match((await repo.owl(...words, id)).stdout, /\n *not the answer 41\n/, `${words.join(' ')}: why it failed`);
  await box.open((await repo.owl('show', id, '--json')).json().data.worktree).commit('43', { 'answer.txt': '43\n' });
  await repo.owlFails(6, 'verify', id);
  for (const words of ['show', 'review', 'log'])
    t.match((await repo.owl(words, id)).stdout, /not the answer 43\n/, `J29: ${words} after a verification`);
  await repo.owl('retry', id, '-m', 'the answer is 42');
  await repo.owl('run');
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'review', verified: 'current' });
});

t.test('core loop: an empty Run is not accepted, and leaves by drop', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { execute: [{ refused: 'I may not use any tool' }] });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('--no-plan', 'do something');
  await repo.owlFails(6, 'run');
  t.match((await repo.owl('show', id, '--json')).json().data, {
    state: 'blocked',
    reason: { code: 'nothing-changed' },
  });
  await repo.owl('drop', id);
  t.match((await repo.owl('list', '--json')).json().data.items, []);
});

t.test('core loop: a conflict while landing escalates, changes nothing, and leaves by verify', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', diligent('file.txt', 'ours\n'));
  const repo = await box.repository({ remote: 'bare', agents: [agent], files: { 'file.txt': 'start\n' } });
  const id = await repo.add('change the file');
  await repo.owl('run');
  await repo.colleague('Theirs', { 'file.txt': 'theirs\n' });
  const before = await repo.untouched();
  const merge = await repo.owlFails(5, 'merge', id, '--json');
  t.match(merge.json(), { ok: false });
  box.same(t, before, await repo.untouched(), 'base, index and files are as they were');
  const shown = (await repo.owl('show', id, '--json')).json().data;
  t.match(shown, { state: 'escalated', reason: { paths: ['file.txt'] } });
  t.match((await repo.owl('status')).stdout, new RegExp(id), 'status shows it');
  t.match((await repo.owl('events', '--json')).stdout, /merge_conflict_escalated/);
  t.ok(repo.exists(shown.worktree), 'the worktree is there');
  // The person resolves it in the worktree, on top of the new base, as it is told by hint, `show` and `status`.
  const byHand = `git -C "$(git owl worktree ${id} --ensure)" rebase refs/remotes/origin/main`;
  t.same(merge.json().error.next.slice(1, 3), [byHand, `git owl verify ${id}`]);
  for (const words of [['show', id], ['status']] as const)
    t.ok((await repo.owl(...words)).stdout.includes(byHand), `${words[0]}: how to do it by hand`);
  const clone = box.open(shown.worktree);
  const pasted = await run({ command: 'sh', args: ['-c', byHand], cwd: repo.dir, env: box.env() });
  t.match(pasted.stdout, /CONFLICT/, 'it is what a shell takes');
  clone.write('file.txt', 'both\n');
  await clone.git('add', 'file.txt');
  await clone.git('-c', 'core.editor=true', 'rebase', '--continue');
  await repo.owl('verify', id);
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'review' });
  await repo.owl('merge', id);
  t.equal(await repo.git('show', 'main:file.txt'), 'both');
});
