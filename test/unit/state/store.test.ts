// The store's semantics on the in-memory twin: what a change sees, what it leaves, what is refused. The contract suite repeats the core on real repositories.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Oid, RefName } from '../../../src/domain/git.js';
import type { Job, JobState } from '../../../src/domain/job.js';
import { newBlob, newCommit, newTree } from '../../../src/git/objects.js';
import { inspect } from '../../../src/state/fsck.js';
import { memoryEngine } from '../../../src/state/memory.js';
import { resolveJobId } from '../../../src/state/resolve-id.js';
import { openEnv } from '../../../src/state/store.js';
import { addJob, job, type Memory, memory, run } from '../../fixtures/records.js';

const STATE = 'refs/heads/refine/state' as RefName;
const add = (given: Memory, record: Job) => given.store.update({ step: 'add' }, async (tx) => addJob(tx, record));
const wrong = async (given: Memory) => inspect(await openEnv(given.deps));

t.test(
  '01 Writes: a fresh repository has no state, and the first change makes it in a commit of its own',
  async (t) => {
    const twin = memory();
    t.equal((await twin.store.snapshot()).tip, null);
    t.equal(await (await twin.store.snapshot()).meta(), null);
    t.same(await (await twin.store.snapshot()).openJobs(), []);
    const updated = await add(twin, job('k3x9qp'));
    t.equal(twin.engine.refs.get(STATE), updated.commit);
    const events = await twin.store.events();
    t.same(
      events.map((event) => event.event),
      ['job.added', 'state.created'],
    );
    t.same(events[0]?.open, { pending: 1 });
    t.match(await (await twin.store.snapshot()).meta(), { schema: 1, kind: 'meta', repository: /^[a-z0-9]{20,}$/ });
    t.same(await wrong(twin), []);
  },
);

t.test('01 Writes: a change that fails writes nothing, not even the state itself', async (t) => {
  const twin = memory();
  await t.rejects(
    twin.store.update({}, async () => Promise.reject(new Error('no'))),
    /no/,
  );
  t.equal(twin.engine.refs.size, 0);
  t.equal(twin.engine.stored.size, 0);
  const nothing = await twin.store.update({}, async () => 'nothing to do');
  t.match(nothing, { result: 'nothing to do', commit: null });
  t.equal(twin.engine.refs.size, 0);
});

t.test('01 Writes: a change must say what happened', async (t) => {
  const twin = memory();
  await t.rejects(
    twin.store.update({}, async (tx) => tx.putJob(job('k3x9qp'))),
    { code: 'defect' },
  );
  await add(twin, job('k3x9qp'));
  await t.rejects(
    twin.store.update({}, async (tx) => tx.putJob(job('k3x9qp', { title: 'other' }))),
    { code: 'defect' },
  );
  const same = await twin.store.update({}, async (tx) => tx.putJob(job('k3x9qp')));
  t.equal(same.commit, null, 'the same record again is no change');
});

t.test('01 Writes: a change sees its own writes, in queue order, and others do not before it is made', async (t) => {
  const twin = memory();
  await add(twin, job('k3x9qp', { position: 'a1' }));
  await twin.store.update({}, async (tx) => {
    addJob(tx, job('m4m4m4', { position: 'a0' }), 'second');
    tx.putRun(run('r1', 'm4m4m4', 1));
    t.same(
      (await tx.openJobs()).map((one) => one.id),
      ['m4m4m4', 'k3x9qp'],
    );
    t.equal(await tx.prompt('m4m4m4'), 'second');
    t.equal((await tx.run('m4m4m4', 'r1')).kind, 'found');
    t.same(
      (await tx.runs('m4m4m4')).map((one) => one.id),
      ['r1'],
    );
    t.same(await tx.openCounts(), { pending: 2 });
    t.same(await tx.jobIds(), ['k3x9qp', 'm4m4m4']);
    t.same(
      (await (await twin.store.snapshot()).openJobs()).map((one) => one.id),
      ['k3x9qp'],
    );
    tx.putJob(job('k3x9qp', { state: 'done', revision: 2, closed: '2024-05-06T09:00:00Z' }));
    t.same(
      (await tx.openJobs()).map((one) => one.id),
      ['m4m4m4'],
    );
    t.same(
      (await tx.closedJobs()).map((one) => one.id),
      ['k3x9qp'],
    );
  });
  const after = await twin.store.snapshot();
  t.same(
    (await after.openJobs()).map((one) => one.id),
    ['m4m4m4'],
  );
  t.same(
    (await after.closedJobs()).map((one) => one.id),
    ['k3x9qp'],
  );
  t.same(await wrong(twin), []);
});

t.test('01 Records: the revision goes up on every write, also when the change forgot it', async (t) => {
  const twin = memory();
  await add(twin, job('k3x9qp'));
  await twin.store.update({}, async (tx) => {
    tx.putJob(job('k3x9qp', { title: 'new' }));
    tx.event({ event: 'job.edited', subject: 'x', job: 'k3x9qp' });
  });
  t.match(await (await twin.store.snapshot()).job('k3x9qp'), { record: { revision: 2, title: 'new' } });
});

t.test('01 Records: a Job moves as a whole when it closes, with what we do not know, and back', async (t) => {
  const twin = memory();
  await add(twin, { ...job('k3x9qp'), ...{ novel: 'kept' } } as Job);
  await twin.store.update({}, async (tx) => {
    tx.putRun(run('r1', 'k3x9qp', 1));
    tx.event({ event: 'run.claimed', subject: 'x' });
  });
  const move = (state: JobState) =>
    twin.store.update({}, async (tx) => {
      tx.putJob(job('k3x9qp', { state, revision: 5 }));
      tx.event({ event: 'job.edited', subject: state });
    });
  for (const state of ['done', 'review'] as const) {
    await move(state);
    const now = await twin.store.snapshot();
    t.match(await now.job('k3x9qp'), { record: { state, novel: 'kept' } });
    t.equal(await now.prompt('k3x9qp'), 'do it');
    t.equal((await now.runs('k3x9qp')).length, 1);
    t.same(await now.openCounts(), state === 'done' ? {} : { review: 1 });
    t.same(await wrong(twin), []);
  }
});

t.test('01 Records: a deletion is a tombstone for ever; absent without one is unknown here', async (t) => {
  const twin = memory();
  await add(twin, job('k3x9qp'));
  await twin.store.update({}, async (tx) => {
    tx.bury('k3x9qp');
    t.equal((await tx.job('k3x9qp')).kind, 'deleted');
    tx.event({ event: 'job.dropped', subject: 'gone', job: 'k3x9qp' });
  });
  const now = await twin.store.snapshot();
  t.same(await now.job('k3x9qp'), { kind: 'deleted', at: '2024-05-06T09:00:00Z' });
  t.same(await now.job('m4m4m4'), { kind: 'unknown' });
  t.same(await now.job('../../x'), { kind: 'unknown' });
  t.same(await now.openJobs(), []);
  t.same(await now.jobIds(), ['k3x9qp']);
  await t.rejects(add(twin, job('k3x9qp')), { code: 'wrong-state' });
  t.same(await wrong(twin), []);
});

t.test('01 Writes: a lost race applies again on the newer state', async (t) => {
  const engine = memoryEngine();
  const one = memory({ engine });
  const two = memory({ engine });
  await add(one, job('k3x9qp'));
  let tries = 0;
  const seen: (string | null)[] = [];
  const updated = await one.store.update({}, async (tx) => {
    tries += 1;
    seen.push(tx.tip);
    const found = await tx.job('k3x9qp');
    if (tries === 1) {
      await two.store.update({}, async (other) => {
        other.putJob(job('k3x9qp', { revision: 2, labels: ['theirs'] }));
        other.event({ event: 'job.edited', subject: 'theirs' });
      });
    }
    if (found.kind !== 'found') throw new Error(found.kind);
    tx.putJob({ ...found.record, revision: found.record.revision + 1, labels: [...found.record.labels, 'ours'] });
    tx.event({ event: 'job.edited', subject: 'ours' });
    return tx.op;
  });
  t.equal(tries, 2);
  t.not(seen[0], seen[1]);
  t.match(await (await one.store.snapshot()).job('k3x9qp'), { record: { labels: ['theirs', 'ours'], revision: 3 } });
  t.equal((await one.store.events())[0]?.op, updated.result, 'the operation id is the same in every try');
});

t.test('01 Writes: a race that is never won ends as busy, and nothing of it is left', async (t) => {
  const engine = memoryEngine();
  const twin = memory({ engine });
  await add(twin, job('k3x9qp'));
  const real = engine.swap;
  let denied = 0;
  Object.assign(engine, {
    swap: async (update: Parameters<typeof real>[0], reason: string) => {
      if (update.ref !== STATE) return real(update, reason);
      denied += 1;
      return { kind: 'lost', found: 'unknown' } as const;
    },
  });
  const before = new Map(engine.refs);
  await t.rejects(
    twin.store.update({}, async (tx) => {
      tx.putJob(job('k3x9qp', { title: 'x' }));
      tx.move({ ref: 'refs/heads/owl/x' as RefName, old: 'absent', new: engine.refs.get(STATE) as Oid }, 'cut');
      tx.event({ event: 'job.edited', subject: 'x' });
    }),
    { code: 'busy', exit: 7 },
  );
  t.ok(denied > 10 && denied <= 60, `bounded: ${denied} tries`);
  engine.refs.delete('refs/owl/local/queue' as RefName);
  t.same(new Map(engine.refs), before, 'no intent and no moved ref is left');
});

t.test(
  '01 Writes: objects that vanish after the state moved are written again, or the state is said to be at risk',
  async (t) => {
    const change = (twin: Memory, id: string) =>
      twin.store.update({}, async (tx) => {
        addJob(tx, job(id));
        tx.move(
          { ref: `refs/heads/owl/${id}/work` as RefName, old: 'absent', new: twin.engine.refs.get(STATE) as Oid },
          'cut',
        );
      });
    /** Takes every object that the state commit brought, as a prune does, at each of the next `times` looks. */
    const prune = (twin: Memory, times: number): void => {
      const real = twin.engine.exists;
      const before = new Set(twin.engine.stored.keys());
      let left = times;
      Object.assign(twin.engine, {
        exists: async (oids: readonly Oid[]) => {
          if (left > 0) for (const oid of oids) if (!before.has(oid)) twin.engine.stored.delete(oid);
          left -= 1;
          return real(oids);
        },
      });
    };
    const mended = memory();
    await add(mended, job('m4m4m4'));
    prune(mended, 2);
    await change(mended, 'k3x9qp');
    t.equal((await (await mended.store.snapshot()).openJobs()).length, 2);
    t.same(
      (await wrong(mended)).filter((finding) => finding.severity === 'error'),
      [],
    );

    const lost = memory();
    await add(lost, job('m4m4m4'));
    const events = (await lost.store.events()).length;
    prune(lost, 1000);
    await t.rejects(change(lost, 'k3x9qp'), { code: 'state-at-risk', exit: 9 });
    t.equal(lost.engine.refs.get('refs/heads/owl/k3x9qp/work' as RefName), undefined);
    t.equal(
      [...lost.engine.refs.keys()].filter((ref) => ref.startsWith('refs/owl/local/intents/')).length,
      1,
      'the intent stays: the state may be whole again',
    );
    t.equal(events, 2, 'and the change was not tried twice');
  },
);

t.test('01 Writes: a request id gives its first result again, and other content is refused', async (t) => {
  const twin = memory();
  let calls = 0;
  const send = (content: unknown, id = 'req 1') =>
    twin.store.update({ request: { id, content } }, async (tx) => {
      calls += 1;
      addJob(tx, job(`k3x9q${calls}`));
      return { id: `k3x9q${calls}` };
    });
  const first = await send({ prompt: 'a', b: 1 });
  const tip = twin.engine.refs.get(STATE);
  const again = await send({ b: 1, prompt: 'a' });
  t.match(again, { result: first.result, repeated: true, commit: null });
  t.equal(first.repeated, false);
  t.equal(calls, 1);
  t.equal(twin.engine.refs.get(STATE), tip);
  await t.rejects(send({ prompt: 'other' }), { code: 'request-reused', exit: 4 });
  await t.rejects(send({}, 'bad\nOwl-Event: x'), { code: 'usage' });
  t.equal((await twin.store.events())[0]?.request, 'req 1');
  const idle = () => twin.store.update({ request: { id: 'idle', content: 1 } }, async () => `${(calls += 1)}`);
  t.equal((await idle()).result, '2');
  t.match(await idle(), { result: '2', repeated: true });
});

t.test('01 Writes: inside a Run the actor is the Run', async (t) => {
  const twin = memory({ variables: { OWL_JOB: 'k3x9qp', OWL_RUN: 'r77' } });
  await add(twin, job('m4m4m4'));
  t.equal((await twin.store.events())[0]?.actor, 'run:r77');
  const person = memory();
  await add(person, job('m4m4m4'));
  t.equal((await person.store.events())[0]?.actor, 'Test');
});

t.test('01 Refs: any unique prefix names a Job; an ambiguous one lists the matches', async (t) => {
  const twin = memory();
  for (const id of ['k3x9qp', 'k3xa', 'k3xab', 'm4m4m4']) await add(twin, job(id));
  await twin.store.update({}, async (tx) => {
    tx.putJob(job('m4m4m4', { state: 'done', revision: 2 }));
    tx.event({ event: 'job.accepted', subject: 'x' });
  });
  const now = await twin.store.snapshot();
  t.equal(await resolveJobId(now, 'k3x9'), 'k3x9qp');
  t.equal(await resolveJobId(now, 'm'), 'm4m4m4', 'closed ones too');
  t.equal(await resolveJobId(now, 'k3xa'), 'k3xa', 'an exact match wins');
  await t.rejects(resolveJobId(now, 'k3x'), {
    code: 'ambiguous-id',
    exit: 3,
    message: /k3x9qp, k3xa, k3xab/,
    data: { matches: ['k3x9qp', 'k3xa', 'k3xab'] },
  });
  for (const text of ['zz', '', '../x', 'state', '\u202e'])
    await t.rejects(resolveJobId(now, text), { code: 'unknown-id', exit: 3 });
});

t.test('01 Records: indexes and counts always say what the records say, whatever is done', async (_t) => {
  const ids = ['aaaa', 'bbbb', 'cccc', 'dddd'];
  const states: JobState[] = ['pending', 'active', 'blocked', 'review', 'escalated', 'done', 'cancelled', 'exhausted'];
  const step = fc.record({ id: fc.constantFrom(...ids), what: fc.constantFrom(...states, 'bury', 'run') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), async (changes) => {
      const twin = memory();
      const model = new Map<string, JobState | 'buried'>();
      for (const [at, steps] of changes.entries()) {
        await twin.store.update({}, async (tx) => {
          for (const { id, what } of steps) {
            if (model.get(id) === 'buried') continue;
            if (what === 'bury') {
              if (tx.tip === null || (await (await twin.store.snapshot()).job(id)).kind !== 'found') continue;
              tx.bury(id);
              model.set(id, 'buried');
            } else if (what === 'run') {
              if (model.has(id)) tx.putRun(run(`r${at}`, id, at));
            } else {
              tx.putJob(job(id, { state: what, revision: at + 1 }));
              model.set(id, what);
            }
          }
          tx.event({ event: 'job.edited', subject: `step ${at}` });
        });
      }
      const now = await twin.store.snapshot();
      const open = [...model].filter(([, state]) => !['buried', 'done', 'cancelled'].includes(state));
      assert.deepEqual(
        new Set((await now.openJobs()).map((one) => `${one.id} ${one.state}`)),
        new Set(open.map(([id, state]) => `${id} ${state}`)),
      );
      const counts: Record<string, number> = {};
      for (const [, state] of open) counts[state] = (counts[state] ?? 0) + 1;
      assert.deepEqual(await now.openCounts(), counts);
      if (now.tip !== null) assert.deepEqual((await twin.store.events({ limit: 1 }))[0]?.open, counts);
      const findings = (await wrong(twin)).filter((finding) => !finding.where.endsWith('/prompt'));
      assert.deepEqual(findings, []);
    }),
    { numRuns: 40 },
  );
});

t.test('01 Writes: events end at a limit, at a commit, and are woven by time after a merge', async (t) => {
  const twin = memory();
  await add(twin, job('k3x9qp'));
  const base = twin.engine.refs.get(STATE) as Oid;
  twin.clock.set('2024-05-06T10:00:00Z');
  await add(twin, job('m4m4m4'));
  const ours = twin.engine.refs.get(STATE) as Oid;
  twin.engine.refs.set(STATE, base);
  twin.clock.set('2024-05-06T09:30:00Z');
  await add(twin, job('n5n5n5'));
  const theirs = twin.engine.refs.get(STATE) as Oid;
  const who = 'x <x@y> 1900000000 +0000';
  const tree = newTree('sha1', []);
  const merge = newCommit('sha1', {
    tree: tree.oid,
    parents: [ours, theirs],
    author: who,
    committer: who,
    message: 'merge\n',
  });
  await twin.engine.write([tree, merge]);
  twin.engine.refs.set(STATE, merge.oid);
  const jobs = (await twin.store.events()).map((event) => event.job);
  t.same(jobs, ['m4m4m4', 'n5n5n5', 'k3x9qp', null]);
  t.same(
    (await twin.store.events({ since: base })).map((event) => event.job),
    ['m4m4m4', 'n5n5n5'],
  );
  t.same((await twin.store.events({ limit: 1 })).length, 1);
  t.same((await twin.store.events({ job: 'n5n5n5' })).length, 1);
});

t.test('01 Refs: notes are compare-and-swap, and a broken one is told', async (t) => {
  const twin = memory();
  t.equal(await twin.notes.read('worktrees/k3x9qp'), null);
  t.ok(await twin.notes.write('worktrees/k3x9qp', { b: 1, a: 2 }, 'absent'));
  t.notOk(await twin.notes.write('worktrees/k3x9qp', { c: 1 }, 'absent'));
  const read = await twin.notes.read<{ a: number }>('worktrees/k3x9qp');
  t.same(read?.value, { a: 2, b: 1 });
  t.same(
    (await twin.notes.list('worktrees')).map((note) => note.name),
    ['worktrees/k3x9qp'],
  );
  t.ok(await twin.notes.write('worktrees/k3x9qp', { c: 1 }, read?.oid as Oid));
  t.notOk(await twin.notes.remove('worktrees/k3x9qp', read?.oid as Oid));
  const broken = newBlob('sha1', '{');
  await twin.engine.write([broken]);
  twin.engine.refs.set('refs/owl/local/bad' as RefName, broken.oid);
  await t.rejects(twin.notes.read('bad'), { code: 'damaged-state' });
  await t.rejects(twin.notes.write('../heads/main', 1, 'absent'), { code: 'defect' });
});
