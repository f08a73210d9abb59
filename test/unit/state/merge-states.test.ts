// Two states that grew apart become one, the same in every clone (05, S2 to S4), and the decisions behind it.

import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { loadRoot } from '../../../src/state/guard.js';
import { indexAnew } from '../../../src/state/index-anew.js';
import { mergeStates } from '../../../src/state/merge-states.js';
import { openEnv } from '../../../src/state/store.js';
import { openBench } from '../../fixtures/bench-clock.js';
import { sandbox } from '../../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';

t.test('S2: a merge of states is a function of its two parents, in whichever clone it is made', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const shared = await repo.add('shared');
  const dropped = await repo.add('dropped');
  await repo.git('push', '-q', 'origin', STATE);
  const other = await repo.clone('other');
  await other.git('fetch', '-q', 'origin', `${STATE}:${STATE}`);
  const here = [await repo.add('here'), await repo.add('here too')];
  await repo.owl('cancel', dropped);
  const there = await other.add('there');
  await other.owl('extend', shared, '3');
  const [ours, theirs] = [await repo.oid(STATE), await other.oid(STATE)] as [Oid, Oid];
  await repo.git('fetch', '-q', other.dir, STATE);
  await other.git('fetch', '-q', repo.dir, STATE);
  const time = { now: Date.parse('2030-01-01T00:00:00Z') };
  const one = await openEnv(await openBench(t, repo, { time }));
  const two = await openEnv(await openBench(t, other, { time: { now: time.now + 86_400_000 } }));
  const merged = await mergeStates(one, ours, theirs);
  t.match(merged, { kind: 'merged' });
  if (merged.kind !== 'merged') return;
  t.match(await mergeStates(two, theirs, ours), { kind: 'merged', tip: merged.tip });
  t.match(await mergeStates(one, ours, merged.tip), { kind: 'behind', tip: merged.tip });
  t.match(await mergeStates(one, merged.tip, theirs), { kind: 'ahead', tip: merged.tip });
  t.match(await mergeStates(one, ours, ours), { kind: 'same' });

  await repo.git('update-ref', STATE, merged.tip);
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  const listed = (await repo.owl('list', '--all', '--json')).json().data.items;
  t.same(
    listed.map((job: { id: string; state: string }) => `${job.id} ${job.state}`).sort(),
    [...[shared, there, ...here].map((id) => `${id} pending`), `${dropped} cancelled`].sort(),
  );
  t.equal((await repo.owl('show', shared, '--json')).json().data.ttl, 13, 'changed on one side takes that side');
  t.match(await repo.git('log', '-1', '--format=%an %s %b', STATE), /git-owl state merged(?:.|\n)*Owl-Open: 4 pending/);
  const root = await loadRoot(one.objects, merged.tip);
  t.equal((await indexAnew(one, root, time.now)).root, root, 'the index is what the records say');

  // Both sides decide about the same Job, and one side is known to have the last word.
  await other.owl('extend', dropped, '2');
  const theirs2 = (await other.oid(STATE)) as Oid;
  await repo.git('fetch', '-q', other.dir, STATE);
  const settled = await mergeStates(one, ours, theirs2, { settled: new Set([dropped]) });
  t.match(settled, { kind: 'merged', contested: [] });
  if (settled.kind !== 'merged') return;
  await repo.git('update-ref', STATE, settled.tip);
  t.match((await repo.owl('show', dropped, '--json')).json().data, { state: 'cancelled', ttl: 10 }, 'ours');

  const stranger = await box.repository({ name: 'stranger' });
  await stranger.add('of another repository');
  await repo.git('fetch', '-q', stranger.dir, STATE);
  t.match(await mergeStates(one, ours, (await stranger.oid(STATE)) as Oid), { kind: 'foreign' }, 'S9');
});
