// Refs that move at random while names are retired: no commit ever becomes unreachable (07.48). `npm run race` takes a minute.

import { t } from 'tap';
import { race } from '../fixtures/race.js';
import { closedGoals } from '../fixtures/retire.js';

const seconds = Number(process.env['OWL_RACE_SECONDS'] ?? 3);
const seed = Number(process.env['OWL_RACE_SEED'] ?? 48);
t.setTimeout(600_000 + seconds * 10_000);

t.test(`07.48, M8: refs move at random beside gc, and none of their commits is lost (seed ${seed})`, async (t) => {
  const { repo, first, tip, plant, branch, share } = await closedGoals(t);
  const goals = ['gone', 'done', 'deed', 'past', 'old1', 'old2'];
  for (const id of goals) await plant(id, 'done', { round: 50 });
  await share();
  for (const id of goals) await branch(`refine/${id}/round-1`, first);
  const history = [first, await repo.oid(`${tip}~1`), tip];
  const { runs, moves, retired, said, lost } = await race(repo, {
    seed,
    ms: seconds * 1_000,
    least: 3,
    goals,
    history,
  });
  t.same(lost, []);
  t.ok(moves > 0 && retired > 0, `${runs} times gc, ${moves} moves, ${retired} names retired`, { said });
  t.comment(`${runs} times gc, ${moves} moves, ${retired} names retired`);
});
