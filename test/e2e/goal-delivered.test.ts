// What became of a merge since it was integrated, as far as is known here: a target that somebody moved back or a revert by hand is said
// wherever the Goal is (03, "Contained"; G50, G51).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CONFIG = `plan: false
checks:
  - { name: test, run: "test -f aa.txt" }
`;

const aa: Scenario = { execute: [{ write: 'aa.txt', text: 'aa\n' }, { commit: 'Write aa' }] };

async function integrated(repo: Repo): Promise<string> {
  const id = (await repo.owl('goal', 'add', 'aa', '--request', 'write aa', '--queue')).stdout.trim();
  await repo.owl('goal', 'advance', id);
  return id;
}

/** What `show` and `status` say: fields, and text. */
async function said(repo: Repo, id: string) {
  const status = (await repo.owl('status', '--json')).json().data;
  return {
    show: (await repo.owl('show', id, '--json')).json().data,
    shown: (await repo.owl('show', id)).stdout,
    status: status.items.find((item: { id: string }) => item.id === id),
    next: status.next as readonly string[],
    stated: (await repo.owl('status')).stdout,
  };
}

t.test('G51, G54: once the target was force-pushed away, `show` and `status` say so, as `approve` does', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', aa)], config: CONFIG });
  const before = await repo.remoteGit('rev-parse', 'main');
  const id = await integrated(repo);
  const merge = await repo.remoteGit('rev-parse', 'main');
  const there = await said(repo, id);
  t.match(there.show, { delivered: 'contained', next: [`git owl review ${id}`, `git owl goal approve ${id}`] });
  t.match(there.status, { delivered: 'contained' });
  t.match(there.stated, /integrated into origin\/main, round 1/);
  await repo.remoteGit('update-ref', 'refs/heads/main', before, merge);
  t.match(await said(repo, id), there, 'nothing is fetched for it');
  t.match((await repo.owlFails(4, 'goal', 'approve', id)).stderr, /is not in refs\/remotes\/origin\/main/);
  const gone = await said(repo, id);
  t.match(gone.show, { status: 'review', delivered: 'missing', integration: { status: 'done', merge } });
  t.match(gone.shown, /integration .* in refs\/remotes\/origin\/main once, and no longer on it/);
  t.match(gone.status, { delivered: 'missing' });
  t.match(gone.stated, /no longer on origin\/main, round 1/);
  const anew = `git owl goal round ${id} "<what to do>" --from 1`;
  t.equal(gone.show.next[0], anew);
  t.equal(gone.next[0], anew);
  t.notMatch([gone.show.next, gone.next], [/goal approve/], 'what would be refused is not proposed');
  t.match((await repo.owl('list', '--json')).json().data.items, [{ id, delivered: 'missing' }]);
});

t.test('G51, G52: without a remote the local target is what counts, reset or reverted by hand', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', aa)], config: CONFIG });
  const before = await repo.oid('main');
  const id = await integrated(repo);
  const merge = await repo.oid('main');
  await repo.git('revert', '--no-edit', '-m', '1', merge);
  const reverted = await said(repo, id);
  t.match([reverted.show, reverted.status], [{ delivered: 'reverted' }, { delivered: 'reverted' }]);
  t.match(reverted.shown, /integration .* and taken back since/);
  t.match(reverted.stated, /reverted on main, round 1/);
  await repo.git('reset', '-q', '--hard', before);
  const gone = await said(repo, id);
  t.match([gone.show, gone.status], [{ delivered: 'missing' }, { delivered: 'missing' }]);
  t.match(gone.stated, /no longer on main, round 1/);
  await repo.git('reset', '-q', '--hard', merge);
  t.match((await said(repo, id)).show, { delivered: 'contained' });
  await repo.owl('goal', 'approve', id);
  await repo.git('reset', '-q', '--hard', before);
  t.match((await repo.owl('show', id)).stdout, /no longer on it/, 'of one that is done as well');
});
