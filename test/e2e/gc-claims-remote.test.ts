// Claims of closed work do not stay on the remote for ever: `gc` removes them, each at the value that it judged (05, S7; 04).

import { t } from 'tap';
import { clockOf, gc, HOUR, killedAt, of, said } from '../fixtures/gc.js';
import { WORK } from '../fixtures/goals.js';
import { setHook } from '../fixtures/remote.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test('S7: the claim of closed work goes once nobody holds it; those of open work, and held ones, stay', async (t) => {
  const box = await sandbox(t);
  const later = clockOf(box);
  const agents = [box.agent('worker', WORK)];
  const repo = await box.repository({
    remote: 'bare',
    agents,
    config: 'plan: false\nchecks: [{ name: t, run: "true" }]\n',
  });
  const ids = [await repo.add('one'), await repo.add('two'), await repo.add('three'), await repo.add('four')];
  const [closed = '', open = '', killed = '', held = ''] = ids;
  const claims = async (): Promise<readonly string[]> =>
    (await repo.remoteGit('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/owl/claims'))
      .split('\n')
      .filter(Boolean);
  for (const id of [closed, open, killed]) await repo.owl('run', '--claim-remote', id);
  // Another clone holds it, and was never heard of again.
  const other = await repo.clone('other');
  await other.owl('sync');
  t.equal(
    (await other.owl('run', '--claim-remote', held, { fails: 'any', env: { OWL_FAIL_AT: 'run.before-agent' } })).signal,
    'SIGKILL',
  );
  for (const id of [closed, killed]) await repo.owl('cancel', id);
  await repo.owl('sync');
  await repo.owl('cancel', held, { fails: 'any' });
  await repo.owl('sync');
  t.same(await claims(), [...ids].sort());
  const token = async (): Promise<number> =>
    JSON.parse(await repo.remoteGit('cat-file', 'blob', `refs/owl/claims/${closed}`)).token;
  const before = await token();
  const told = async (...words: string[]): Promise<readonly string[]> => {
    const items = await gc(repo, ...words);
    return [closed, open, held].map((id) => said(of(items, 'claim', id)));
  };
  const GOES = 'remove-claim claim-over';
  t.same(await told('--dry-run'), [`${GOES} planned`, 'none open-job none', 'none claim-held none']);
  t.same(await claims(), [...ids].sort(), 'a dry run removes nothing');

  setHook(repo.bare, 'update', 'case "$1" in refs/owl/claims/*) echo no >&2; exit 1;; esac');
  t.equal((await told())[0], 'none declined kept');
  setHook(repo.bare, 'update', 'exit 0');
  t.ok(await killedAt(repo, 'gc.before-claims', 'gc'));
  t.same(await claims(), [...ids].sort());
  t.ok(await killedAt(repo, 'gc.after-claims', 'gc'));
  t.same(await claims(), [open, held].sort());
  t.same(await told(), ['no item', 'none open-job none', 'none claim-held none']);
  later(25 * HOUR);
  t.equal((await told())[2], `${GOES} done`, 'run out by the clock of this clone');
  t.same(await claims(), [open]);

  // Opened again, it is claimed with a greater token than ever before: the record has kept it.
  await repo.owl('reopen', closed);
  await repo.owl('run', '--claim-remote', closed, { fails: 'any' });
  t.same(await claims(), [closed, open].sort());
  t.ok((await token()) > before, `${before} and ${await token()}`);
});
