// After a name is retired: everything is still told, here and in another clone; nothing makes the name again by itself; and work that is
// opened again has its branch again (M10, M11, M12, G53).

import { t } from 'tap';
import { clockOf, gc, HOUR } from '../fixtures/gc.js';
import { addGoal as add, GATED as CONFIG, showGoal as show, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { both } from '../fixtures/retire.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const RETIRED = ['retire goal-closed done', 'retire goal-closed done'];

t.test(
  'M10, M11, M12: a retired Goal tells all that it told, in both clones; a stale clone makes no name again',
  async (t) => {
    const box = await sandbox(t);
    const later = clockOf(box);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
    await repo.owl('sync');
    const id = await add(repo, 'write it');
    await repo.owl('goal', 'advance', id);
    const name = `refine/${id}/round-1`;
    const ref = `refs/heads/${name}`;
    const { candidate, status } = await show(repo, id);
    t.equal(status, 'review');
    await repo.owl('sync');
    const other = await repo.clone('other');
    await other.owl('sync');
    await other.git('branch', '--no-track', name, `refs/remotes/origin/${name}`);
    const told = async (at: Repo) => ({
      review: (await at.owl('review', id)).stdout,
      diff: (await at.owl('diff', id)).stdout,
      commits: await at.git('log', '--format=%H', `${candidate.base}..${candidate.tip}`),
      evidence: (await show(at, id)).evidence,
    });
    const log = await repo.owl('log', id);
    await repo.owl('goal', 'approve', id);
    const before = await told(repo);
    await repo.owl('sync');
    later(2 * HOUR);
    t.same(both(await gc(repo), name), RETIRED);
    t.same([await repo.oid(ref), await repo.remoteGit('for-each-ref', ref)], ['', '']);
    t.same(await told(repo), before, 'M11: here');
    t.equal((await repo.owl('log', id)).stdout, log.stdout, 'M11: and what its Run said');
    t.match((await repo.owl('events', id)).stdout, /integrated|merged/);

    // The other clone has not heard of it: it has the branch, and an open Goal.
    t.match(await show(other, id), { status: 'review' });
    await other.owl('run');
    await other.owl('goal', 'advance', id, { fails: 'any' });
    await other.owl('sync');
    await other.owl('sync');
    t.equal(await repo.remoteGit('for-each-ref', ref), '', 'M10: neither its run nor its sync makes the name again');
    t.match(await show(other, id), { status: 'done' });
    t.same((await told(other)).commits, before.commits);
    t.same((await told(other)).diff, before.diff, 'M11: there');
    t.same((await told(other)).evidence, before.evidence);
    t.same(both(await gc(other), name), ['retire goal-closed done', 'no item'], 'its own goes as well');
    await repo.owl('sync');
    t.equal(await repo.oid(ref), '', 'and it does not come back here');

    // M12: what it keeps lies in the archive of a month now.
    await gc(repo);
    t.equal(await repo.git('for-each-ref', `refs/owl/candidates/${id}`, `refs/owl/keep/${id}`), '');
    t.same(await told(repo), before, 'M12');

    // G53: opened again, its branch is there again, and work goes on to its end.
    await repo.owl('reopen', id);
    t.equal(await repo.oid(ref), candidate.tip, 'at the Candidate');
    t.match(await show(repo, id), { status: 'review' });
    await repo.owl('goal', 'decline', id, 'once more');
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review', round: 2 });
    await repo.owl('goal', 'approve', id);
    await repo.owl('sync');
    later(2 * HOUR);
    const last = await gc(repo);
    t.same(both(last, name)[0], RETIRED[0]);
    t.same(both(last, `refine/${id}/round-2`), RETIRED);
  },
);

t.test('M10, J30: a cancelled Job whose branch was retired goes on where it was', async (t) => {
  const box = await sandbox(t);
  const later = clockOf(box);
  const agent = box.agent('worker', {
    execute: [
      [{ write: 'one.txt', text: '1\n' }, { commit: 'One' }],
      [{ write: 'two.txt', text: '2\n' }, { commit: 'Two' }],
    ],
  });
  const repo = await box.repository({
    remote: 'bare',
    agents: [agent],
    config: 'plan: false\nchecks: [{ name: t, run: "true" }]\n',
  });
  const id = await repo.add('do it');
  await repo.owl('run');
  const { branch, tip } = (await repo.owl('show', id, '--json')).json().data;
  await repo.git('push', '-q', 'origin', `${tip}:refs/heads/main`);
  await repo.owl('cancel', id);
  later(2 * HOUR);
  const items = await gc(repo);
  t.same(both(items, branch), ['retire job-closed done', 'no item'], JSON.stringify(items));
  t.equal(await repo.oid(branch), '');
  await repo.owl('reopen', id);
  t.equal(await repo.oid(branch), tip);
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'pending' });
  await repo.owl('run');
  t.match((await repo.owl('show', id, '--json')).json().data, { state: /review|done/ });
});
