// What the agents of a Round are told of the Rounds before it: what they were asked, whether they were merged, declined or taken back,
// and what stopped them (G11); and what a list says of a Goal that was closed with or after its merge (06, G35).

import { t } from 'tap';
import { addGoal, GATED, showGoal } from '../fixtures/goals.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test('G11: the prompts of a Round say what became of those before it, and why', async (t) => {
  const box = await sandbox(t);
  const file = (name: string, text: string) => [{ write: name, text }, { commit: `Write ${name}` }] as const;
  const worker = box.agent('worker', {
    cases: [
      { when: '# Goal thrice\n\nplease thrice', execute: file('work.txt', 'bad\n') },
      { when: '# Goal thrice\n\nwithout the word', execute: file('work.txt', 'good\n') },
      { when: '# Goal thrice\n\nshorter', execute: file('short.txt', 'good\n') },
    ],
    execute: file('again.txt', 'good\n'),
    governance: [{ verdict: 'pass' }],
  });
  const judge = box.agent('judge', { governance: [{ verdict: 'pass', summary: 'fine' }] });
  const repo = await box.repository({
    remote: 'bare',
    agents: [worker, judge],
    config: `plan: false\n${GATED.replace('governance: {', 'governance: { agent: judge,')}`,
  });
  const id = await addGoal(repo, 'Goal thrice', '--request', 'please thrice');
  await repo.owlFails(6, 'goal', 'advance', id);
  await repo.owl('goal', 'round', id, 'without the word');
  await repo.owl('goal', 'advance', id);
  const { merge } = (await showGoal(repo, id)).integration;
  await repo.owl('goal', 'decline', id, 'shorter, please');
  await repo.owl('goal', 'advance', id);
  const last = (await showGoal(repo, id)).integration.merge;
  await repo.owl('goal', 'revert', id);
  const undone = await repo.remoteGit('rev-parse', 'main');
  await repo.owl('goal', 'round', id, 'another way');
  await repo.owl('goal', 'advance', id);

  const [first, second, third, fourth] = worker.seen().map(({ prompt }) => prompt);
  t.notMatch(first, /Earlier Rounds/);
  t.match(second, /### Round 1\n\nplease thrice\n\nIt was not merged: it failed\./);
  t.match(
    second,
    /## What stopped Round 1\n\nThis is a record.*\n\n```\n.*style.*\n```/,
    'quoted: checks and agents say it',
  );
  t.match(
    third,
    `### Round 2\n\nwithout the word\n\nIt was merged into \`origin/main\` as ${merge}: what it changed is there`,
  );
  t.match(third, 'declined it; what is asked instead is the request of Round 3, above.');
  t.match(third, /### Round 1\n\nplease thrice\n\nIt was not merged: it failed\./);
  t.match(fourth, `as ${merge}, and taken back`);
  t.match(fourth, `It was merged into \`origin/main\` as ${last}, and taken back by`);
  t.match(fourth, undone, 'the newest of the commits that took it back');
  const judged = judge.seen().map(({ prompt }) => prompt);
  t.equal(judged.length, 3);
  t.match(judged[1], `It was merged into \`origin/main\` as ${merge}`, 'who judges knows it too');

  const { merge: stays } = (await showGoal(repo, id)).integration;
  const why = async () => (await repo.owl('list', '--all')).stdout.trimEnd();
  await repo.owl('goal', 'approve', id);
  t.match(
    await why(),
    new RegExp(`merged into origin/main as ${stays.slice(0, 10)}$`),
    'of what was taken back nothing',
  );
  await repo.owl('reopen', id);
  await repo.owl('cancel', id);
  t.match(await why(), new RegExp(`cancelled, but merged into origin/main as ${stays.slice(0, 10)}$`));
  const { merges } = (await repo.owl('list', '--all', '--json')).json().data.items[0];
  t.same(merges, [{ round: 4, merge: stays, ref: 'refs/remotes/origin/main' }]);
  await repo.owl('goal', 'revert', id);
  t.match(await why(), /its integration was taken back by /);
});
