// A Goal that two clones started, each without a claim: once it is settled which start counts, the Job of the other start is closed, said
// why, and none of its commits is lost (05, S3, S4; 00.1).

import { type Test, t } from 'tap';
import { APART, addGoal, GATED, onRemote, showGoal } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const roundJob = async (repo: Repo, goal: string): Promise<string> =>
  (await repo.record((await repo.records(new RegExp(`${goal}/rounds/1.json$`)))[0] ?? '')).job;
const jobRecord = async (repo: Repo, id: string) =>
  repo.record((await repo.records(new RegExp(`${id}/job.json$`)))[0] ?? '');
const isHere = async (repo: Repo, commit: string): Promise<boolean> =>
  (await repo.git('for-each-ref', '--format=%(refname)', '--contains', commit)) !== '';

interface Ground {
  readonly goal: string;
  readonly repo: Repo;
  readonly other: Repo;
  /** The Job that each made, and where its plan is. */
  readonly mine: { readonly id: string; readonly tip: string };
  readonly theirs: { readonly id: string; readonly tip: string };
}

/** Started, and planned, in two clones; the second one is told so when it syncs. */
async function ground(t: Test): Promise<Ground> {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', APART)], config: GATED });
  const other = await repo.clone('other');
  const goal = await addGoal(repo, 'write it');
  await repo.owl('sync');
  await other.owl('sync');
  const started = async (clone: Repo) => {
    await clone.owl('goal', 'advance', goal, '--step');
    await clone.owl('goal', 'advance', goal, '--step');
    const id = await roundJob(clone, goal);
    return { id, tip: (await jobRecord(clone, id)).tip };
  };
  const [mine, theirs] = [await started(repo), await started(other)];
  t.not(mine.id, theirs.id, 'each made a Job of its own');
  await repo.owl('sync');
  t.match((await other.owlFails(5, 'sync')).stderr, new RegExp(goal));
  return { goal, repo, other, mine, theirs };
}

for (const take of ['local', 'remote'] as const)
  t.test(`S3, S4: started by two clones, and settled with --take ${take}`, async (t) => {
    const { goal, repo, other, mine, theirs } = await ground(t);
    await other.owl('sync', '--take', take, '--record', goal);
    await repo.owl('sync');
    await other.owl('sync');
    const [winner, loser] = take === 'local' ? [theirs, mine] : [mine, theirs];
    const [of, by] = take === 'local' ? [other, repo] : [repo, other];
    t.equal(await roundJob(repo, goal), winner.id);
    for (const clone of [repo, other]) {
      t.match(await jobRecord(clone, loser.id), { state: 'cancelled', reason: { code: 'started-twice' } }, clone.dir);
      t.match((await clone.owl('show', loser.id)).stdout, new RegExp(`round 1 of goal ${goal} is job ${winner.id}`));
      t.notMatch((await clone.owl('list')).stdout, new RegExp(loser.id));
    }
    t.equal(await repo.oid(STATE), await other.oid(STATE), 'one state');
    // Whoever made the work has it still, also when everything was collected.
    for (const clone of [repo, other]) await clone.owl('gc');
    t.ok(await isHere(by, loser.tip), 'the commits of the start that does not count are kept');
    t.ok(await isHere(of, winner.tip));
    if (take === 'remote') {
      // The branch of the Round that is there is not the work that counts: it is not gone on with.
      t.match((await by.owl('goal', 'advance', goal, { fails: 'any' })).stderr, /is\s+not\s+here.*\s.*publishes/);
      return;
    }
    // And the Goal goes on from the work that counts.
    await of.owl('run', goal);
    t.match(await showGoal(of, goal), { status: 'review' });
    t.match(await repo.remoteGit('show', '--name-only', '--format=', 'main^2'), new RegExp(`${winner.id}.txt`));
    for (const clone of [of, by, of]) await clone.owl('sync');
    t.match(await showGoal(by, goal), { status: 'review' });
    t.equal(await onRemote(repo, STATE), await of.oid(STATE));
    for (const clone of [repo, other]) t.equal((await clone.owl('fsck')).code, 0);
  });

t.test('S3, 07.29: killed before or after the Job of the other start is closed, gc closes it', async (t) => {
  const { goal, other, mine, theirs } = await ground(t);
  const take = ['sync', '--take', 'remote', '--record', goal] as const;
  await other.owl(...take, { fails: 'any', env: { OWL_FAIL_AT: 'goal.before-close-start' } });
  t.match(await jobRecord(other, theirs.id), { state: 'pending' });
  const foreseen = (await other.owl('gc', '-n')).stdout;
  t.match(foreseen, new RegExp(`job ${theirs.id} is cancelled: round 1 of goal ${goal} is job ${mine.id}`));
  t.match(await jobRecord(other, theirs.id), { state: 'pending' }, 'only said');
  await other.owl('gc', { fails: 'any', env: { OWL_FAIL_AT: 'goal.after-close-start' } });
  t.match(await jobRecord(other, theirs.id), { state: 'cancelled', reason: { code: 'started-twice' } });
  t.notMatch((await other.owl('gc')).stdout, new RegExp(`job ${theirs.id} is cancelled`), 'once');
  t.ok(await isHere(other, theirs.tip));
  await other.owl('sync');
  t.equal(await onRemote(other, STATE), await other.oid(STATE));
});
