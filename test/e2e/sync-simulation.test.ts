// Clones and one bare remote, with random operations, syncs and kills; once nothing moves any more all of them have the same state,
// and nothing is lost (05). `OWL_SIM_SEED=<n>` repeats one; `OWL_SIM_STEPS` makes it longer.

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const POINTS = ['sync.after-fetch', 'sync.after-notes', 'sync.before-state', 'sync.after-state', 'push.after-send'];

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

t.test('S1 to S5: after random operations, syncs and kills all clones agree, and every Job is there', async (t) => {
  const seed = Number(process.env['OWL_SIM_SEED'] ?? 20260301);
  const steps = Number(process.env['OWL_SIM_STEPS'] ?? 24);
  t.comment(`OWL_SIM_SEED=${seed} OWL_SIM_STEPS=${steps}`);
  const below = numbers(seed);
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const clones: readonly Repo[] = [repo, await repo.clone('two'), await repo.clone('three')];
  const made: string[] = [];
  const sync = (clone: Repo, env: Record<string, string> = {}) => clone.owl('sync', '--json', { fails: 'any', env });
  for (let step = 0; step < steps; step += 1) {
    const clone = clones[below(clones.length)] as Repo;
    const id = made[below(Math.max(1, made.length))] ?? '';
    switch (below(7)) {
      case 0:
      case 1:
        made.push(await clone.add(`made at step ${step}`));
        break;
      case 2:
        if (id !== '') await clone.owl('extend', id, String(1 + below(3)), { fails: 'any' });
        break;
      case 3:
        if (id !== '') await clone.owl(below(2) === 0 ? 'cancel' : 'reopen', id, { fails: 'any' });
        break;
      case 4:
        if (id !== '') await clone.owl('edit', id, '--prompt', `told at step ${step}`, { fails: 'any' });
        break;
      case 5:
        await sync(clone, { OWL_FAIL_AT: POINTS[below(POINTS.length)] as string });
        break;
      default:
        await sync(clone);
    }
  }
  for (let round = 0; round < 2; round += 1) for (const clone of clones) await sync(clone);
  const tips = await Promise.all(clones.map((clone) => clone.oid(STATE)));
  t.equal(new Set(tips).size, 1, 'all clones agree');
  t.equal(await repo.remoteGit('rev-parse', STATE), tips[0], 'with the remote');
  const known = (await repo.records(/\/job\.json$/)).map((path) => path.split('/').at(-2));
  t.same([...new Set(known.filter((id) => made.includes(id ?? '')))].sort(), [...made].sort(), 'every Job is there');
  const { contested } = (await repo.owl('sync', '--json', { fails: 'any' })).json().data ?? { contested: [] };
  t.comment(`${made.length} Jobs, ${contested?.length ?? 0} contested`);
  const findings = (await repo.owl('fsck', '--json', { fails: 'any' })).json();
  const all = (findings.data ?? findings.value)?.findings ?? [];
  t.same(
    all.filter((finding: { what: string }) => !finding.what.includes('decided differently')),
    [],
  );
});
