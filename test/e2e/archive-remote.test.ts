// What closed work keeps in the archive of the remote: it comes back in whatever clone opens the work again (M12).

import { t } from 'tap';
import { clockOf } from '../fixtures/gc.js';
import { addGoal, advanceTo, GATED, showGoal, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const has = async (repo: Repo, oid: string): Promise<boolean> =>
  (await repo.gitResult('cat-file', '-e', `${oid}^{commit}`)).code === 0;

t.test('M12: work that one clone closed has its pins before another clone opens it again', async (t) => {
  const box = await sandbox(t);
  clockOf(box);
  const agents = [box.agent('worker', WORK)];
  const repo = await box.repository({
    remote: 'bare',
    agents,
    config: `${GATED}plan: false\nsync: { rounds: true }\n`,
  });
  const job = await repo.add('do it');
  const goal = await addGoal(repo, 'write it');
  await repo.owl('run', '--claim-remote', job);
  await advanceTo(repo, goal, 'governance');
  await repo.owl('sync');
  const { tip } = (await repo.owl('show', job, '--json')).json().data;
  const { candidate } = await showGoal(repo, goal);
  await repo.owl('cancel', job);
  await repo.owl('cancel', goal);
  t.same((await repo.owl('sync', '--json')).json().data.folded, [
    `refs/owl/candidates/${goal}`,
    `refs/owl/shared/${job}`,
  ]);
  await repo.remoteGit('update-ref', '-d', `refs/heads/refine/${goal}/round-1`);

  const other = await repo.clone('other', '--no-local');
  await other.owl('sync');
  t.same([await has(other, tip), await has(other, candidate.tip)], [false, false], 'their ids alone');
  const { dir } = other;
  const away = await repo.git('remote', 'get-url', 'origin');
  await other.git('remote', 'set-url', 'origin', `${away}.away`);
  const offline = await other.owl('reopen', goal, '--dry-run');
  t.notMatch(offline.stderr, /could not be fetched/, `a dry run asks nobody: ${dir}`);
  await other.git('remote', 'set-url', 'origin', away);

  for (const id of [job, goal]) {
    const killed = await other.owl('reopen', id, { fails: 'any', env: { OWL_FAIL_AT: 'reopen.after-pins' } });
    t.equal(killed.signal, 'SIGKILL', 'the pins are there before the record is open');
    t.match(
      (await other.owl('show', id, '--json')).json().data,
      id === job ? { state: 'cancelled' } : { status: 'cancelled' },
    );
    t.ok(await has(other, id === job ? tip : candidate.tip));
    await other.owl('reopen', id);
  }
  t.equal(await other.oid(`refs/owl/shared/${job}`), tip);
  t.match(await other.git('for-each-ref', `refs/owl/candidates/${goal}`), /commit/);
  const { branch } = (await other.owl('show', job, '--json')).json().data;
  t.equal(await other.oid(branch), tip, 'and the work goes on where it was');
  t.equal(await other.oid(`refs/heads/refine/${goal}/round-1`), candidate.tip);
  t.same((await other.owl('fsck', '--json')).json().data.findings, []);
});
