// Retirement of names whose work did not come the usual way: Goals that were adopted, and those whose integration was taken back (G52, G60, M7, M10 to M12).

import { type Test, t } from 'tap';
import { clockOf, gc, HOUR } from '../fixtures/gc.js';
import { addGoal, GATED, showGoal, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { both } from '../fixtures/retire.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const RETIRED = 'retire goal-closed done';
const onRemote = (repo: Repo, name: string): Promise<string> =>
  repo.remoteGit('for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);

interface Ground {
  readonly box: Sandbox;
  readonly repo: Repo;
  readonly later: (ms: number) => void;
}

async function ground(t: Test, remote: 'bare' | null = 'bare'): Promise<Ground> {
  const box = await sandbox(t);
  const later = clockOf(box);
  const agents = [box.agent('worker', WORK)];
  const repo = await box.repository({
    ...(remote === null ? {} : { remote }),
    agents,
    config: `${GATED}plan: false\n`,
  });
  return { box, repo, later };
}

/** A branch of the user with one commit of its own. */
async function userBranch(repo: Repo, name: string): Promise<string> {
  await repo.git('checkout', '-q', '-b', name, 'main');
  const tip = await repo.commit(`Work on ${name}`, { [`${name}.txt`]: `${name}\n` });
  await repo.git('checkout', '-q', 'main');
  return tip;
}

for (const remote of ['bare', null] as const) {
  t.test(
    `G60, M7: the Round of an adopted Goal is retired, the branch that was adopted never is; ${remote ?? 'no'} remote`,
    async (t) => {
      const { box, repo, later } = await ground(t, remote);
      const tip = await userBranch(repo, 'feature');
      const unmerged = await userBranch(repo, 'given-up');
      const linked = box.path('linked');
      await repo.git('worktree', 'add', '-q', linked, 'feature');
      if (remote !== null) {
        await repo.git('push', '-q', 'origin', 'feature', 'given-up');
        await repo.owl('sync');
      }
      const adopt = async (source: string): Promise<string> => (await repo.owl('goal', 'adopt', source)).stdout.trim();
      const [id, other] = [await adopt('feature'), await adopt('given-up')];
      const [name, stays] = [`refine/${id}/round-1`, `refine/${other}/round-1`];
      await repo.owl('goal', 'advance', id);
      t.match(await showGoal(repo, id), { status: 'review', candidate: { tip } });
      await repo.owl('goal', 'approve', id);
      await repo.owl('cancel', other);
      if (remote !== null) {
        await repo.git('push', '-q', 'origin', `refs/heads/${stays}`);
        await repo.owl('sync');
        t.equal(await onRemote(repo, name), tip, 'it went there at integration');
      }
      later(2 * HOUR);
      const items = await gc(repo);
      const told = (side: string): string => (remote === null ? 'no item' : side);
      t.same(both(items, name), [RETIRED, told(RETIRED)]);
      t.same(both(items, stays), ['none unique-commits none', told('none unique-commits none')], 'what nobody merged');
      t.same([await repo.oid(`refs/heads/${name}`), await repo.oid(`refs/heads/${stays}`)], ['', unmerged]);
      t.same([await repo.oid('feature'), await repo.oid('given-up')], [tip, unmerged], 'those of the user are theirs');
      t.equal(await box.open(linked).git('symbolic-ref', '--short', 'HEAD'), 'feature');
      t.notOk(
        items.some(({ subject }) => /heads\/(feature|given-up)$/.test(subject)),
        'gc does not even name them',
      );
      if (remote !== null)
        t.same(
          [await onRemote(repo, name), await onRemote(repo, stays), await onRemote(repo, 'feature')],
          ['', unmerged, tip],
        );
      const { evidence, history } = await showGoal(repo, id);
      t.match(history, [{ opened_by: 'adopt', candidates: [{ made_by: 'adopt', tip }] }], 'M11');
      t.ok(evidence.length > 0);

      // What was adopted is merged by hand after all: then it goes too, and the user's branch stays.
      await repo.git('merge', '-q', '--no-ff', '-m', 'By hand', 'given-up');
      if (remote !== null) await repo.git('push', '-q', 'origin', 'main');
      t.same(both(await gc(repo), stays), [RETIRED, told(RETIRED)]);
      t.equal(await repo.oid('given-up'), unmerged);
      await repo.owl('reopen', other);
      t.equal(await repo.oid(`refs/heads/${stays}`), unmerged, 'G53: opened again it has its branch again');
    },
  );
}

t.test(
  'G52, M11, M12: a Goal that was reverted and cancelled, its names retired, goes on where it is opened again',
  async (t) => {
    const { repo, later } = await ground(t);
    await repo.owl('sync');
    const id = await addGoal(repo, 'write it');
    const name = `refine/${id}/round-1`;
    const ref = `refs/heads/${name}`;
    await repo.owl('goal', 'advance', id);
    const { candidate, integration } = await showGoal(repo, id);
    await repo.owl('goal', 'approve', id);
    await repo.owl('sync');
    later(2 * HOUR);
    t.same(both(await gc(repo), name), [RETIRED, RETIRED], 'done');

    // Reverted, it is open: no gc takes anything of it, and nobody makes a name that nobody needs.
    await repo.owl('goal', 'revert', id);
    t.match(await showGoal(repo, id), { status: 'failed', reason: { code: 'reverted' } });
    await repo.owl('sync');
    later(2 * HOUR);
    await gc(repo);
    t.same([await repo.oid(ref), await onRemote(repo, name)], ['', '']);
    await repo.owl('cancel', id);
    await repo.owl('sync');
    later(2 * HOUR);
    await gc(repo);
    t.equal(await repo.git('for-each-ref', `refs/owl/keep/${id}`, `refs/owl/candidates/${id}`), '', 'folded');
    t.match((await repo.owl('review', id)).stdout, /work\.txt/, 'M11');
    t.match((await repo.owl('diff', id)).stdout, /work\.txt/);

    await repo.owl('reopen', id);
    t.equal(await repo.oid(ref), candidate.tip, 'at its Candidate');
    t.not(await repo.git('for-each-ref', `refs/owl/candidates/${id}`), '', 'M12: with what was kept');
    await repo.owl('goal', 'round', id, 'once more', '--from', '1');
    await repo.owl('goal', 'move', id, 'todo', { fails: 'any' });
    await repo.owl('goal', 'advance', id);
    const again = await showGoal(repo, id);
    t.match(again, { status: 'review', round: 2 });
    t.not(again.integration.merge, integration.merge);
    t.match(await repo.remoteGit('ls-tree', '--name-only', 'main'), /^work\.txt$/m, 'delivered again');
    await repo.owl('goal', 'approve', id);
    await repo.owl('sync');
    later(2 * HOUR);
    const last = await gc(repo);
    t.equal(both(last, name)[0], RETIRED);
    t.same(both(last, `refine/${id}/round-2`), [RETIRED, RETIRED]);
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);
