// Clones and one bare remote, with random operations, Runs, syncs, kills and cut connections; once nothing moves any more all of them
// have the same state, and nothing is lost (05). `OWL_SIM_SEED=<n>` repeats one; `OWL_SIM_STEPS` and `OWL_SIM_CLONES` make it larger
// (`npm run simulate`).

import { t } from 'tap';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';
import { quiet, ran, type Simulated, simulate } from '../fixtures/simulation.js';

const STATE = 'refs/heads/refine/state';
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const sizes = {
  seed: number('OWL_SIM_SEED', 20260301),
  steps: number('OWL_SIM_STEPS', 24),
  clones: number('OWL_SIM_CLONES', 3),
};

interface RunRecord {
  readonly id: string;
  readonly job: string;
  readonly outcome: string | null;
  readonly superseded: boolean;
  readonly tip_after: string | null;
  readonly occurrence: unknown;
}

const runsOf = async (repo: Repo): Promise<readonly RunRecord[]> =>
  Promise.all((await repo.records(/^(?!.*\/sides\/).*\/runs\/[^/]+\.json$/)).map((path) => repo.record(path)));

const contestedIn = async (repo: Repo): Promise<readonly string[]> => {
  const ids = (await repo.records(/\/sides\//)).map((path) => /jobs\/[0-9a-f]{2}\/([^/]+)\//.exec(path)?.[1] ?? path);
  return [...new Set(ids)].sort();
};

/** Commits of Runs that no clone, and not the remote, reaches from a ref. */
async function unreached({ clones }: Simulated, runs: readonly RunRecord[]): Promise<readonly string[]> {
  const reached = new Set<string>();
  for (const clone of clones) for (const oid of (await clone.git('rev-list', '--all')).split('\n')) reached.add(oid);
  for (const oid of (await (clones[0] as Repo).remoteGit('rev-list', '--all')).split('\n')) reached.add(oid);
  return runs.flatMap(({ id, job, tip_after }) =>
    tip_after === null || reached.has(tip_after) ? [] : [`${tip_after} of run ${id} of ${job}`],
  );
}

/** Runs of one Job that were made for the same decision, both of them counted. */
function twice(simulated: Simulated, runs: readonly RunRecord[], contested: readonly string[]): readonly string[] {
  const claimed = new Set(simulated.made.filter(({ how }) => how === 'claim').map(({ id }) => id));
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const run of runs) {
    if (!claimed.has(run.job) || contested.includes(run.job) || run.superseded || run.outcome !== 'succeeded') continue;
    const key = `${run.job} ${JSON.stringify(run.occurrence)}`;
    const other = seen.get(key);
    if (other !== undefined) found.push(`${run.job}: ${other} and ${run.id}`);
    seen.set(key, run.id);
  }
  return found;
}

t.test(
  'S1 to S7: after random operations, Runs, syncs, kills and cuts all clones agree, and nothing is lost',
  async (t) => {
    t.comment(`OWL_SIM_SEED=${sizes.seed} OWL_SIM_STEPS=${sizes.steps} OWL_SIM_CLONES=${sizes.clones}`);
    const box = await sandbox(t);
    const simulated = await simulate(box, sizes);
    const { clones, made, log } = simulated;
    const [repo] = clones as [Repo];
    t.same(await quiet(simulated), [], 'it comes to rest');
    const agree = async (when: string): Promise<void> => {
      const tips = await Promise.all(clones.map((clone) => clone.oid(STATE)));
      t.equal(new Set(tips).size, 1, `${when}: all clones agree`);
      t.equal(await repo.remoteGit('rev-parse', STATE), tips[0], `${when}: with the remote`);
    };
    await agree('at rest');
    const known = (await repo.records(/\/job\.json$/)).map((path) => /jobs\/[0-9a-f]{2}\/([^/]+)\//.exec(path)?.[1]);
    t.same(
      made.filter(({ id }) => !known.includes(id)),
      [],
      'every Job is there',
    );
    const contested = await contestedIn(repo);
    const runs = await runsOf(repo);
    const recorded = new Set(runs.map(({ id }) => id));
    t.same(
      [...ran(box)].flatMap(([job, ids]) => ids.filter((id) => !recorded.has(id)).map((id) => `${id} of ${job}`)),
      [],
      'every Run is known',
    );
    t.same(await unreached(simulated, runs), [], 'no commit of a Run is lost');
    t.same(twice(simulated, runs, contested), [], 'nothing that was claimed was done twice');
    t.comment(`${made.length} Jobs, ${runs.length} Runs, ${contested.length} contested`);
    for (const clone of clones) {
      const { data, value } = (await clone.owl('sync', '--json', { fails: 'any' })).json();
      const said = ((data ?? value)?.contested ?? []).map(({ id }: { id: string }) => id).sort();
      t.same(said, contested, 'every contested record is reported');
      const fsck = (await clone.owl('fsck', '--json', { fails: 'any' })).json();
      const findings = (fsck.data ?? fsck.value)?.findings ?? [];
      t.same(
        findings.filter(({ what }: { what: string }) => !what.includes('decided differently')),
        [],
        'the state is sound',
      );
      t.equal(await clone.git('fsck', '--connectivity-only', '--no-dangling'), '', 'and so are the objects');
    }
    for (const [at, id] of contested.entries()) {
      const clone = clones[at % clones.length] as Repo;
      const { data, value } = (await clone.owl('sync', '--json', { fails: 'any' })).json();
      const found = (data ?? value).contested.find((one: { id: string }) => one.id === id);
      await clone.owl('sync', '--take', found.sides[0].side, '--record', id, { fails: 'any' });
    }
    t.same(await quiet(simulated), [], 'settled, it comes to rest');
    await agree('settled');
    t.same(await contestedIn(repo), [], 'nothing is contested any more');
    if (!t.passing()) for (const line of log) t.comment(line);
  },
);
