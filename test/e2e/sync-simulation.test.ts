// Clones and one bare remote, with random operations on Jobs and Goals, Runs, gates, syncs, kills and cut connections; once nothing moves
// any more all of them have the same state, and nothing is lost (05). `OWL_SIM_SEED=<n>` repeats one; `OWL_SIM_STEPS` and
// `OWL_SIM_CLONES` make it larger (`npm run simulate`).

import { type Test, t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';
import { carryOn, quiet, type Simulated, simulate } from '../fixtures/simulation.js';
import { leftIn, loadRecords, lookAt } from '../fixtures/simulation-looks.js';

t.setTimeout(3_600_000);

const STATE = 'refs/heads/refine/state';
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const sizes = {
  seed: number('OWL_SIM_SEED', 20260301),
  steps: number('OWL_SIM_STEPS', 24),
  clones: number('OWL_SIM_CLONES', 3),
};

async function agree(t: Test, { clones }: Simulated, when: string): Promise<void> {
  const tips = await Promise.all(clones.map((clone) => clone.oid(STATE)));
  t.equal(new Set(tips).size, 1, `${when}: all clones agree`);
  t.equal(await (clones[0] as Repo).remoteGit('rev-parse', STATE), tips[0], `${when}: with the remote`);
}

/** Every look, at the records of the first clone. Returns what is contested. */
async function holds(t: Test, simulated: Simulated, when: string): Promise<readonly string[]> {
  const records = await loadRecords(simulated.clones[0] as Repo);
  for (const [what, wrong] of Object.entries(await lookAt(simulated, records))) t.same(wrong, [], `${when}: ${what}`);
  const status = [...records.goals.values()].map((goal) => goal.status).sort();
  t.comment(
    `${when}: ${records.jobs.size} Jobs, ${records.runs.length} Runs, Goals ${status.join(' ')}; ${records.contested.length} contested`,
  );
  return records.contested;
}

/**
 * Settles what is contested, one after the other in one clone after the other, as the report there says. What belongs to one that is
 * settled is settled with it.
 */
async function settle(t: Test, { clones, log }: Simulated, contested: readonly string[]): Promise<void> {
  for (const [at, id] of contested.entries()) {
    const clone = clones[at % clones.length] as Repo;
    const { data } = (await clone.owl('sync', '--json', { fails: 'any' })).json();
    const found = data.contested.find((one: { id: string }) => one.id === id);
    if (found === undefined) continue;
    const { side } = found.sides[at % found.sides.length];
    const taken = await clone.owl('sync', '--take', side, '--record', id, { fails: 'any' });
    log.push(`settled ${id} in clone ${at % clones.length} by ${side}: ${taken.code} ${JSON.stringify(found)}`);
    t.ok(taken.code === 0 || taken.code === 5, `${id} is settled: ${taken.code === 0 ? '' : taken.stderr}`);
  }
}

t.test(
  'S1 to S7, G30, G32: after random operations, Runs, syncs, kills and cuts all clones agree, and nothing is lost',
  async (t) => {
    t.comment(`OWL_SIM_SEED=${sizes.seed} OWL_SIM_STEPS=${sizes.steps} OWL_SIM_CLONES=${sizes.clones}`);
    const box = await sandbox(t);
    const simulated = await simulate(box, sizes);
    const { clones, log, defects } = simulated;
    t.same(defects, [], 'no command ended as a defect');
    t.same(await quiet(simulated), [], 'it comes to rest');
    await agree(t, simulated, 'at rest');
    const contested = await holds(t, simulated, 'at rest');
    for (const clone of clones) {
      const { data } = (await clone.owl('sync', '--json', { fails: 'any' })).json();
      const said = data.contested.map(({ id }: { id: string }) => id).sort();
      t.same(said, contested, 'every contested record is reported');
      const { findings } = (await clone.owl('fsck', '--json', { fails: 'any' })).json().data;
      t.same(
        findings.filter(({ what }: { what: string }) => !what.includes('decided differently')),
        [],
        'the state is sound',
      );
    }
    await settle(t, simulated, contested);
    t.same(await quiet(simulated), [], 'settled, it comes to rest');
    await agree(t, simulated, 'settled');
    t.same(await holds(t, simulated, 'settled'), [], 'nothing is contested any more');

    t.same(await carryOn(simulated), [], 'what may go on goes on');
    t.same(await quiet(simulated), [], 'at last it comes to rest');
    await agree(t, simulated, 'at last');
    t.same(await holds(t, simulated, 'at last'), [], 'nothing is contested at last');
    for (const clone of clones) t.same(await leftIn(clone), [], 'nothing is left half done');
    if (!t.passing()) for (const line of log) t.comment(line);
  },
);
