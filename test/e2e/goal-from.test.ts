// `goal round --from`: a Round begins on the target with what applies of another Round's Candidate, after a revert too; what does not is
// left out and named in the prompt (G44, G10).

import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const HANDOFF = '.coding-owl/HANDOFF.md';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const queued = async (repo: Repo, request: string): Promise<string> =>
  (await repo.owl('goal', 'add', 'Tabs', '--request', request, '--queue')).stdout.trim();

const FIRST: readonly Step[] = [
  { write: 'shared.txt', text: 'from round 1\n' },
  { write: 'aa.txt', text: 'aa\n' },
  { commit: 'First of round 1' },
  { write: 'bb.txt', text: 'bb\n' },
  { append: 'shared.txt', text: 'more of round 1\n' },
  { commit: 'Second of round 1' },
];

t.test(
  'G44, G10: after a conflict: what applies is there, what does not is named, and nothing of the first Round is touched',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      cases: [
        {
          when: '# Tabs\n\nfinish it',
          execute: [
            [
              {
                expect: {
                  prompt: ['Taken over from Round 1', 'left out', 'shared\\.txt'],
                  promptLacks: ['aa\\.txt were left out'],
                  files: { 'aa.txt': 'aa\n', 'bb.txt': 'bb\n', 'shared.txt': 'theirs\n' },
                },
              },
              { append: 'shared.txt', text: 'and ours\n' },
              { commit: 'Of round 2' },
            ],
          ],
        },
      ],
      execute: FIRST,
    });
    const config = 'plan: false\nchecks:\n  - { name: test, run: "ls *.txt" }\n';
    const files = { 'README.md': '# Example\n', 'shared.txt': 'before\n' };
    const repo = await box.repository({ remote: 'bare', agents: [agent], config, files });
    const id = await queued(repo, 'begin it');
    for (let at = 0; at < 4; at += 1) await repo.owl('goal', 'advance', id, '--step');
    const theirs = await repo.colleague('Theirs', { 'shared.txt': 'theirs\n' });
    await repo.owlFails(5, 'goal', 'advance', id);
    const failed = await show(repo, id);
    const first = `refs/heads/refine/${id}/round-1`;
    t.match((await repo.owlFails(4, 'goal', 'round', id, 'finish it', '--from', '3', '--json')).json().error, {
      code: 'refused',
      message: /round 3 .* has no candidate/,
    });
    await repo.owl('goal', 'round', id, 'finish it', '--from', '1');
    t.equal(await repo.oid(`refs/heads/refine/${id}/round-2`), '', 'nothing is made before it starts');
    const killed = { fails: 'any', env: { OWL_FAIL_AT: 'branch.after-state' } } as const;
    t.equal((await repo.owl('goal', 'advance', id, killed)).signal, 'SIGKILL');
    await repo.owl('goal', 'advance', id);
    const now = await show(repo, id);
    t.match(now, { status: 'review', round: 2 }, agent.trace());
    t.match(now.history[1], { number: 2, from: 1, left_out: ['shared.txt'], opened_by: 'round' });
    t.equal(now.candidate.base, theirs, 'it stands on the target');
    const subjects = await repo.git('log', '--reverse', '--format=%s', now.candidate.tip, `^${theirs}`);
    t.match(subjects, /First of round 1\nSecond of round 1\n(?:.*\n)?Of round 2/, 'commit by commit');
    t.equal(await repo.oid(first), failed.candidate.tip, 'the branch of the first Round stays');
    t.equal(await repo.remoteGit('show', 'main:shared.txt'), 'theirs\nand ours');
    t.match((await repo.owl('show', id)).stdout, /left out\s+shared\.txt/);
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
    await repo.owl('goal', 'round', id, 'once more', '--from', '1');
    const { stderr } = await repo.owl('goal', 'advance', id);
    t.match(stderr, /what round 1 changed was taken over; left out: shared\.txt\n/, 'and said by who cuts the branch');
  },
);

t.test('G44, G52: after a revert, planned: its commits are below the target, and come again', async (t) => {
  const box = await sandbox(t);
  const again: readonly Step[] = [
    { expect: { files: { [HANDOFF]: null, 'aa.txt': 'aa\n' }, promptLacks: ['left out'] } },
    { handoff: '# Plan\n\nMore.\n' },
  ];
  const agent = box.agent('worker', {
    cases: [
      { when: 'more of it', plan: again, execute: [{ write: 'cc.txt', text: 'cc\n' }, { commit: 'Of round 2' }] },
    ],
    plan: [{ handoff: '# Plan\n\nWrite it.\n' }],
    execute: FIRST,
  });
  const config = 'checks:\n  - { name: test, run: "ls *.txt" }\n';
  const repo = await box.repository({ agents: [agent], config });
  const id = await queued(repo, 'begin it');
  await repo.owl('goal', 'advance', id);
  await repo.owl('goal', 'revert', id);
  const reverted = await repo.oid('main');
  t.equal(repo.exists('aa.txt'), false);
  await repo.owl('goal', 'round', id, 'more of it', '--from', '1');
  const killed = { fails: 'any', env: { OWL_FAIL_AT: 'run.after-branch' } } as const;
  t.equal((await repo.owl('goal', 'advance', id, killed)).signal, 'SIGKILL');
  await repo.owl('goal', 'advance', id);
  const now = await show(repo, id);
  t.match(now, { status: 'review', round: 2 }, agent.trace());
  t.same(now.history[1].left_out, []);
  t.equal(await repo.oid('main^1'), reverted);
  t.equal(await repo.git('diff', '--name-only', reverted, 'main'), 'aa.txt\nbb.txt\ncc.txt\nshared.txt');
});
