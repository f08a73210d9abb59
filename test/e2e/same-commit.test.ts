// Two agents make the very same commit: the same tree, parent, author and second. Whose it is follows from the branch, not from the
// commit (J16b, J19, G20).

import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const WHEN = '2026-01-01T00:00:00Z';
const commit = `GIT_AUTHOR_DATE=${WHEN} GIT_COMMITTER_DATE=${WHEN} git commit -q -m 'The same'`;
/** The very same object, whoever makes it: on the base, without the Handoff, which names its Job. */
const SAME: readonly Step[] = [
  { git: ['reset', '--hard', '-q', 'main'] },
  { write: 'same.txt', text: 'same\n' },
  { sh: `git add same.txt && ${commit}` },
];
const plan: readonly Step[] = [{ handoff: '# Plan\n\nWrite a file.\n' }];

t.test('J16b: an agent that took such a commit back did not move the branch that has it', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    cases: [
      {
        when: 'take it back',
        plan,
        execute: [
          { reach: 'one' },
          { await: 'one' },
          ...SAME,
          { reach: 'one-made' },
          { await: 'one-made' },
          { git: ['reset', '--hard', '-q', 'HEAD~1'] },
          { write: 'own.txt', text: 'own\n' },
          { commit: 'Own' },
        ],
      },
    ],
    plan,
    execute: [{ reach: 'two' }, { await: 'two' }, ...SAME],
  });
  const repo = await box.repository({ agents: [worker], config: 'max_parallel: 2\n' });
  const one = await repo.add('take it back');
  const two = await repo.add('leave it there');
  await repo.owl('run', one, '--step');
  await repo.owl('run', two, '--step');
  const [first, second] = [repo.start('run', one), repo.start('run', two)];
  await worker.reached('one', 60_000);
  await worker.reached('two', 60_000);
  worker.release('one');
  await worker.reached('one-made', 60_000);
  worker.release('two');
  t.equal((await second.wait()).code, 0);
  worker.release('one-made');
  t.equal((await first.wait()).code, 0);
  const shown = async (id: string) => (await repo.owl('show', id, '--json')).json().data;
  const [a, b] = [await shown(one), await shown(two)];
  t.match([a, b], [{ state: 'review', reason: null }, { state: 'review' }]);
  const made = await repo.git('rev-parse', b.branch);
  t.match(await repo.git('log', '--walk-reflogs', '--format=%H', a.branch), made, 'it was the very same commit');
  t.notMatch(a.history.at(-1).notes.join('\n'), /changed while it ran/);
});
