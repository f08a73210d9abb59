// `git owl lease`: who works under the lease of a target, and breaking one (G30).

import { t } from 'tap';
import { leaseRef } from '../../src/app/lease/place.js';
import { sandbox } from '../fixtures/sandbox.js';

t.test('G30: leases are listed from here and from the remote, and broken only with --force', async (t) => {
  const box = await sandbox(t);
  box.at('2026-03-01T10:00:00Z');
  const repo = await box.repository({ remote: 'bare' });
  t.same((await repo.owl('lease', '--json')).json().data, { items: [] });
  const ref = leaseRef('main');
  const unit = { kind: 'goal', id: 'k3x9qp', occurrence: { number: 4, decision: 'op' } };
  const value = { schema: 1, kind: 'lease', target: 'main', token: 5, holder: 'abc', unit, length: 600_000, beat: 2 };
  const blob = await repo.git('hash-object', '-w', '--stdin', { input: JSON.stringify(value) });
  await repo.git('push', '-q', 'origin', `${blob}:${ref}`);
  const before = await repo.untouched();
  const { data } = (await repo.owl('lease', '--json')).json();
  t.match(data.items, [
    { target: 'main', remote: 'origin', ref, state: 'held', token: 5, unit: { id: 'k3x9qp' }, length: 600_000 },
  ]);
  t.match((await repo.owl('lease')).stdout, /main\s.*origin\s.*held\s.*5\s.*goal k3x9qp/);
  t.match((await repo.owl('lease', '--format', '%(target) %(state)')).stdout, /^main held$/m);
  t.match((await repo.owlFails(4, 'lease', '--break', 'main', '--json')).json().error, {
    code: 'refused',
    message: /held by goal k3x9qp/,
    next: ['git owl lease --break main --force'],
  });
  await repo.owl('lease', '--break', 'main', '--force', '--dry-run');
  t.equal(await repo.remoteGit('rev-parse', ref), blob);
  const broken = await repo.owl('lease', '--break', 'main', '--force', '--json');
  t.match(broken.json().data, { broken: true, state: 'free', token: 6, unit: null });
  t.match(JSON.parse(await repo.remoteGit('cat-file', 'blob', ref)), { token: 6, holder: null });
  t.match((await repo.owl('lease', '--break', 'main', '--force')).stdout, /is free already/);
  t.match((await repo.owlFails(3, 'lease', '--break', 'other', '--force')).stderr, /there is no lease of other/);
  box.same(t, before, await repo.untouched());

  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.match((await repo.owl('lease')).stderr, /origin could not be asked/);
  t.match((await repo.owlFails(9, 'lease', '--break', 'main', '--force')).stderr, /cannot be reached/);
});
