// Which open branches will collide, from the built command (06, conflicts).

import { t } from 'tap';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', ''].join('\n');
const agent = (line: string): string => `
agents:
  by-prompt:
    command: ["sh", "-c", "sed -i \\"s/^$(cat \\"$OWL_PROMPT_FILE\\" | grep -o 'change [a-z]*' | head -n 1 | cut -d' ' -f2)$/${line}-$OWL_JOB/\\" list.txt && git commit -qam change"]
agent: by-prompt
plan: false
`;

t.test(
  '06: Jobs that will collide with each other, and with their base, are told before anything is merged',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      remote: 'bare',
      files: { 'list.txt': LINES, '.coding-owl.yaml': `version: 1${agent('new')}` },
    });
    t.same((await repo.owl('conflicts', '--json')).json().data, { branches: [], items: [] }, 'nothing is open');
    const [one, same, apart] = await Promise.all(['one', 'one', 'six'].map((word) => repo.add(`change ${word}`)));
    await repo.owl('run', '--all');
    const before = [await repo.refs(), await repo.git('count-objects', '-v')];

    const { branches, items } = (await repo.owl('conflicts', '--json')).json().data;
    t.equal(branches.length, 3);
    t.match(items, [{ kind: 'job', target: 'refs/remotes/origin/main', paths: ['list.txt'] }]);
    t.same([items[0].id, items[0].with.id].sort(), [one, same].sort());
    t.match((await repo.owl('status')).stdout, /note: [a-z0-9]+ will collide with [a-z0-9]+ in list\.txt/);
    t.same((await repo.owl('conflicts', apart ?? '', '--json')).json().data.items, [], 'it collides with none');
    t.equal((await repo.owl('conflicts', apart ?? '', '--exit-code')).stdout, '');
    await repo.owlFails(5, 'conflicts', one ?? '', '--exit-code');
    t.match((await repo.owl('conflicts', '--format', '%(id) %(paths)')).stdout, /^[a-z0-9]+ .*list\.txt/);
    await repo.owlFails(3, 'conflicts', 'nosuchid');
    t.same([await repo.refs(), await repo.git('count-objects', '-v')], before, 'nothing was written');

    await repo.colleague('overtakes', { 'list.txt': LINES.replace('six', 'SIX') });
    await repo.git('fetch', '--quiet');
    const after = (await repo.owl('conflicts', apart ?? '', '--json')).json().data.items;
    t.match(after, [{ id: apart, with: null, paths: ['list.txt'] }], 'with the base as it stands now');
  },
);

t.test('06: a Goal is where its Candidate is, and once it is integrated no more', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    files: { 'list.txt': LINES, '.coding-owl.yaml': `version: 1${agent('new')}goals: { ungated: true }\n` },
  });
  const job = await repo.add('change one');
  await repo.owl('run', job);
  const goal = (await repo.owl('goal', 'add', 'G', '--request', 'change one', '--queue')).stdout.trim();
  await repo.owl('run', goal, '--no-merge');
  const told = async () => (await repo.owl('conflicts', '--json')).json().data.items;
  t.match(await told(), [{ id: job, with: { kind: 'goal', id: goal, title: 'G' } }]);
  await repo.owl('goal', 'advance', goal);
  t.match(await told(), [{ id: job, with: null, target: 'refs/remotes/origin/main' }], 'it is in the target now');
});
