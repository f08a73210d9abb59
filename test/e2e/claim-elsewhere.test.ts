// What the shared state says of a runner on another machine: live, it is said; gone, its work is taken over once its claim ran out
// (05, S7; 01, Liveness).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const claimOf = async (repo: Repo, id: string) =>
  JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** The remote's state as a runner on another machine would have published it while it worked on this Job. */
async function asOfAnotherMachine(repo: Repo, id: string): Promise<void> {
  const [path = ''] = await repo.records(new RegExp(`${id}/job.json$`));
  const job = await repo.record(path);
  const record = { ...job, claim: { ...job.claim, host: 'far', boot: 'of-another-machine' } };
  const env = { GIT_INDEX_FILE: repo.box.path('far-index') };
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: `${JSON.stringify(record, null, 2)}\n` });
  await repo.git('read-tree', STATE, { env });
  await repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`, { env });
  const tree = await repo.git('write-tree', { env });
  const message = await repo.git('log', '-1', '--format=%B', STATE);
  const commit = await repo.git('commit-tree', tree, '-p', STATE, '-m', message);
  await repo.git('push', '-q', 'origin', `${commit}:${STATE}`, `${job.tip}:refs/owl/shared/${id}`);
}

t.test(
  'S7, 01: work at a runner of another machine is taken over once its claim ran out, and not before',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [{ write: '{job}.txt', text: 'work {run}\n' }, { commit: 'Write it' }, { reach: 'at' }, { await: 'go' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [agent], config: 'plan: false\nchecks: []\n' });
    const other = await repo.clone('other');
    const id = await repo.add('write a');
    await repo.owl('sync');
    const far = repo.start('run', '--claim-remote', { env: { OWL_LEASE_LENGTH: '4000' } });
    await agent.reached('at');
    await asOfAnotherMachine(repo, id);
    await other.owl('sync');
    t.match(await show(other, id), { state: 'active' });
    t.match((await other.owl('run')).stderr, new RegExp(`another clone is at work on ${id}.*--claim-remote`));
    t.match((await other.owl('run', '--claim-remote', '--json')).json().data, { items: [] }, 'its claim stands');
    t.match(await claimOf(repo, id), { token: 1 });
    far.kill('SIGKILL');
    agent.release('go');
    await eventually(async () => {
      const result = await other.owl('run', '--claim-remote', '--json', { fails: 'any' });
      return result.jsonLines()[0]?.data?.id === id;
    }, 60_000);
    const now = await show(other, id);
    t.match(now, { state: 'review', runs: 2 }, JSON.stringify(now.reason));
    const runs = (await show(other, id)).history.map(({ outcome }: { outcome: string }) => outcome);
    t.same(runs, ['interrupted', 'succeeded']);
    const { token, holder } = await claimOf(repo, id);
    t.same([token >= 3, holder], [true, null]);
    // What was killed comes back, and has no say.
    await repo.owl('sync');
    await repo.owl('run', '--claim-remote');
    await other.owl('sync');
    t.equal(await repo.oid(STATE), await other.oid(STATE));
    t.match(await show(repo, id), { state: 'review' });
  },
);
