// What `gc` lists it lists before it reads the state: a record that came in between is not missed (M1).

import t from 'tap';
import { type Ground, takeInventory } from '../../../src/app/collect/inventory.js';
import { ensureWorkspace, requireWorkspace } from '../../../src/app/workspace/create.js';
import { worktreePath } from '../../../src/app/workspace/path.js';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import { openEnv } from '../../../src/state/store.js';
import { workbench } from '../../fixtures/bench.js';
import { job, run } from '../../fixtures/records.js';

t.test('M1: what is listed is compared with a state that is read after it', async (t) => {
  const { repo, bench, policy } = await workbench(t);
  const { repository, clock, ids, environment } = bench;
  const { policy: rules } = await policy();
  const oid = (await repo.oid('main')) as Oid;
  const onto = { ref: 'refs/heads/main', oid };
  /** A Job with all that `gc` looks at: a branch, a checkout, something kept, a folder and a note of a Run. */
  const begin = async (id: string): Promise<void> => {
    const record = { title: id, state: 'active', slug: 'work', onto, tip: oid, runs: 1, last_run: `run${id}` } as const;
    await bench.store.update({}, async (tx) => {
      tx.putJob(job(id, record));
      tx.putPrompt(id, id);
      tx.putRun(run(`run${id}`, id, 1, { onto, tip_after: oid }));
      tx.keep({ job: id, commit: oid, subject: 'tip before replay' });
      tx.event({ event: 'job.added', subject: `job ${id}: added`, job: id });
    });
    await repo.git('branch', '--no-track', `owl/${id}/work`, 'main');
    const path = await worktreePath({ environment, policy: null, repository, id });
    requireWorkspace(await ensureWorkspace(bench, { id, path, branch: branchRef(`owl/${id}/work`), commit: oid }));
    repo.write(`.git/owl/runs/run${id}/prompt`, 'x');
    await bench.notes.write(`runs/run${id}`, { job: id }, 'absent');
  };
  await begin('before');
  const stages: string[] = [];
  const ground: Ground = {
    bench: {
      ...bench,
      store: {
        ...bench.store,
        // Somebody begins at this very moment: after this state was read.
        snapshot: async () => {
          const read = await bench.store.snapshot();
          stages.push('read');
          if (stages.length === 1) await begin('meanwhile');
          return read;
        },
      },
    },
    env: await openEnv({ repository, clock, ids, environment }),
    limits: { now: clock.now(), gc: rules.gc },
    policy: rules,
    month: '2024-05',
    base: oid,
  };
  const items = await takeInventory(ground, new Set());
  const told = items.map(({ kind, owner, reason }) => `${kind} ${owner ?? ''} ${reason}`).sort();
  t.same(
    told.filter((line) => line.includes('no-record')),
    [],
    'nothing is taken for a stray',
  );
  t.same(
    items.filter(({ subject, detail }) => `${subject} ${detail}`.includes('meanwhile')),
    [],
    'what came later is not looked at',
  );
  t.same(
    told.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['branch before', 'kept before', 'note before', 'scratch before', 'worktree before'],
  );
});
