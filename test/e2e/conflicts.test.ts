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

t.test('06: with avoid_conflicts what would collide is taken after the rest', async (t) => {
  const box = await sandbox(t);
  const file = (rest: string) => `version: 1${agent('new')}${rest}`;
  const repo = await box.repository({ files: { 'list.txt': LINES, '.coding-owl.yaml': file('') } });
  const [one, same] = [await repo.add('change one'), await repo.add('change one')];
  await repo.owl('run', '--all');
  await repo.owl('retry', same);
  const fresh = await repo.add('change six');
  const order = async () =>
    (await repo.owl('run', '--all', '--dry-run', '--json')).json().data.items.map(({ id }: { id: string }) => id);
  t.same(await order(), [same, fresh], 'the order of the queue');

  await repo.commit('avoid', { '.coding-owl.yaml': file('avoid_conflicts: true\n') });
  t.same(await order(), [fresh, same]);
  const says = `job ${same} comes after the others of its priority: `;
  t.match((await repo.owl('status')).stdout, `note: ${says}`);
  const ran = await repo.owl('run');
  t.match(ran.stderr, says);
  t.match((await repo.owl('show', fresh, '--json')).json().data, { state: 'review' });
  t.match((await repo.owl('show', same, '--json')).json().data, { state: 'pending' });
  t.match((await repo.owl('conflicts', '--json')).json().data.items, [{ paths: ['list.txt'] }]);
  await repo.owl('drop', one);
  t.same(await order(), [same], 'alone it would be taken');
});
