// What closed work keeps in the archive of the remote: it comes back in whatever clone opens the work again (M12).

import { t } from 'tap';
import { clockOf, gc, HOUR, killedAt, said } from '../fixtures/gc.js';
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

t.test('M12: a month of the remote goes by the rules of those here, fenced; what no target has moves on', async (t) => {
  const box = await sandbox(t);
  const later = clockOf(box);
  const agents = [box.agent('worker', WORK)];
  const config = 'plan: false\nchecks: [{ name: t, run: "true" }]\n';
  const repo = await box.repository({ remote: 'bare', agents, config });
  const [merged, alone] = [await repo.add('one'), await repo.add('two')];
  for (const id of [merged, alone]) await repo.owl('run', '--claim-remote', id);
  const tipOf = async (id: string): Promise<string> => (await repo.owl('show', id, '--json')).json().data.tip;
  const kept = await tipOf(alone);
  await repo.git('push', '-q', 'origin', `${await tipOf(merged)}:refs/heads/main`);
  await repo.owl('accept', merged);
  await repo.owl('cancel', alone);
  await repo.owl('sync');
  const months = (): Promise<string> =>
    repo.remoteGit('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/owl/archive');
  const told = async (...words: string[]): Promise<readonly string[]> =>
    (await gc(repo, ...words)).filter(({ kind, ...item }) => kind === 'archive' && 'remote' in item).map(said);
  t.same([await told(), await months()], [['none too-young none'], '2024-05'], 'the current one');
  later(60 * 24 * HOUR);
  t.same([await told(), await months()], [['none too-young none'], '2024-05']);
  later(90 * 24 * HOUR);
  t.same([await told('--dry-run'), await months()], [['expire older-than-keep planned'], '2024-05']);
  await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
  t.same([await told(), await months()], [['none no-fence kept'], '2024-05']);
  await repo.remoteGit('config', '--unset', 'receive.advertiseAtomic');
  t.ok(await killedAt(repo, 'gc.between-expire-there', 'gc'));
  t.equal(await months(), '2024-05\n2024-10', 'what moves on is there first');
  t.same((await told()).toSorted(), ['expire older-than-keep done', 'none too-young none']);
  t.equal(await months(), '2024-10');
  await repo.remoteGit('merge-base', '--is-ancestor', kept, 'refs/owl/archive/2024-10');
  t.notMatch(await repo.remoteGit('ls-tree', '-r', '--name-only', 'refs/owl/archive/2024-10'), new RegExp(merged));
  t.equal(await repo.remoteGit('fsck', '--connectivity-only', '--no-dangling'), '');
  const other = await repo.clone('other', '--no-local');
  await other.owl('sync');
  await other.owl('reopen', alone);
  t.equal(await other.oid(`refs/owl/shared/${alone}`), kept, 'and comes back from there');
});
