// What must hold of every merge of states, over histories that nobody thought of (05, S2 to S4): clones that change records,
// and take each other's state in, in any order.

import fc from 'fast-check';
import t from 'tap';
import { CLOSED_STATES, type Job } from '../../../src/domain/job.js';
import { JOB_TABLE, moveJob, nextEvents } from '../../../src/domain/machine.js';
import { type Clone, comeToRest, makeClones, type Taken, takeStateOf } from '../../fixtures/merge-clones.js';
import { addJob, job, oidOf, run } from '../../fixtures/records.js';

type Step =
  | { readonly kind: 'add'; readonly at: number; readonly id: string }
  | { readonly kind: 'event'; readonly at: number; readonly id: string; readonly event: number; readonly to: number }
  | { readonly kind: 'edit'; readonly at: number; readonly id: string; readonly field: number; readonly value: number }
  | { readonly kind: 'bury'; readonly at: number; readonly id: string }
  | { readonly kind: 'take'; readonly at: number; readonly from: number };

const CLONES = 3;
const IDS = ['aaaa', 'bbbb', 'cccc'];
const at = fc.nat(CLONES - 1);
const id = fc.constantFrom(...IDS);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), at, id }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      at,
      id,
      event: fc.nat(20),
      to: fc.nat(9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), at, id, field: fc.nat(6), value: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bury' as const), at, id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), at, from: at }) },
);

/** Two clones know the same two Jobs; the third begins by itself. */
const BEGIN: readonly Step[] = [
  { kind: 'add', at: 0, id: 'aaaa' },
  { kind: 'add', at: 0, id: 'bbbb' },
  { kind: 'take', at: 1, from: 0 },
];

const found = async (clone: Clone, of: string): Promise<Job | null> => {
  const loaded = await (await clone.store.snapshot()).job(of);
  return loaded.kind === 'found' ? loaded.record : null;
};

/** What a person or worker does to one Job, if it can be done there. */
async function change(clone: Clone, step: Exclude<Step, { kind: 'take' }>, made: number): Promise<void> {
  const before = await found(clone, step.id);
  if (step.kind === 'add') {
    const known = await (await clone.store.snapshot()).jobIds();
    if (known.includes(step.id)) return;
    await clone.store.update({}, async (tx) => addJob(tx, job(step.id, { title: `made by step ${made}` })));
    return;
  }
  if (before === null) return;
  if (step.kind === 'bury') {
    await clone.store.update({}, async (tx) => {
      tx.bury(step.id);
      tx.event({ event: 'job.dropped', subject: 'deleted', job: step.id });
    });
    return;
  }
  await clone.store.update({}, async (tx) => {
    const next = step.kind === 'edit' ? edited(before, step) : moved(before, step, tx.op, made);
    if (next === null) return;
    tx.putJob(next);
    if (step.kind === 'edit' && step.field === 6) tx.putPrompt(step.id, `prompt ${step.value}`);
    if (next.last_run !== null && next.last_run !== before.last_run) tx.putRun(run(next.last_run, next.id, next.runs));
    tx.event({ event: 'job.edited', subject: 'changed', job: step.id });
  });
}

function edited(before: Job, { field, value }: Extract<Step, { kind: 'edit' }>): Job {
  const fields: readonly Partial<Job>[] = [
    { title: `title ${value}` },
    { owner: `owner ${value}` },
    { labels: [...new Set([...before.labels, `label${value}`])] },
    { labels: before.labels.slice(1) },
    { ttl: before.ttl + value },
    { position: `a${value}` },
    {},
  ];
  return { ...before, ...fields[field], revision: before.revision + 1 };
}

function moved(before: Job, step: Extract<Step, { kind: 'event' }>, op: string, made: number): Job | null {
  const events = nextEvents(before.state);
  const event = events[step.event % events.length] ?? 'edit';
  const targets = JOB_TABLE[before.state][event];
  const to = targets?.[step.to % targets.length];
  if (to === undefined) return null;
  const claim = {
    run: `r${made}`,
    host: 'h',
    boot: 'b',
    namespace: 'n',
    pid: made + 1,
    start: '1',
    since: before.created,
  };
  const run: Partial<Job> =
    to === 'active' && before.state === 'pending'
      ? { claim, runs: before.runs + 1, last_run: `r${made}`, ...(made % 3 === 0 ? {} : { token: made }) }
      : {};
  const settled: Partial<Job> =
    before.state === 'active' ? { claim: null, tip: oidOf(String(made % 10)), ttl: Math.max(0, before.ttl - 1) } : {};
  try {
    return moveJob(before, { event, to, op, at: before.updated }, { ...run, ...settled });
  } catch {
    return null;
  }
}

async function take(to: Clone, from: Clone): Promise<Taken> {
  const ids = [...(await (await to.store.snapshot()).jobIds()), ...(await (await from.store.snapshot()).jobIds())];
  const sides = await Promise.all(IDS.map(async (one) => [await found(to, one), await found(from, one)] as const));
  const taken = await takeStateOf(to, from);
  if (!taken.merged) return taken;
  const wrong = [...taken.wrong];
  const after = await (await to.store.snapshot()).jobIds();
  if ([...new Set(ids)].sort().join() !== after.join()) wrong.push(`ids ${[...new Set(ids)].sort()} became ${after}`);
  for (const [index, [mine, yours]] of sides.entries()) {
    const now = await found(to, IDS[index] ?? '');
    if (now === null) continue;
    for (const name of ['state', 'title', 'owner', 'position', 'tip', 'claim'] as const) {
      const known = [mine?.[name], yours?.[name]].map((value) => JSON.stringify(value));
      if (!known.includes(JSON.stringify(now[name]))) wrong.push(`${now.id}: ${name} was invented`);
    }
    for (const label of now.labels)
      if (![...(mine?.labels ?? []), ...(yours?.labels ?? [])].includes(label))
        wrong.push(`label ${label} was invented`);
    if (now.revision < Math.max(mine?.revision ?? 0, yours?.revision ?? 0)) wrong.push('a revision went back');
    if (CLOSED_STATES.has(now.state) !== (now.closed !== null))
      wrong.push(`${now.id} is ${now.state}, closed ${now.closed}`);
  }
  return { ...taken, wrong };
}

const runs = Number(process.env['OWL_MERGE_RUNS'] ?? 30);

t.test(
  'S2 to S4: any histories, merged in any order, come to the same records, and nothing is lost or invented',
  async (t) => {
    const seen = { merged: 0, contested: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (random) => {
        const steps: readonly Step[] = [...BEGIN, ...random];
        const all = await makeClones(CLONES);
        const wrong: string[] = [];
        const note = (taken: Taken): void => {
          seen.contested += taken.contested.length;
          seen.merged += 1;
          wrong.push(...taken.wrong);
        };
        for (const [made, one] of steps.entries()) {
          const clone = all[one.at] as Clone;
          if (one.kind !== 'take') await change(clone, one, made);
          else if (one.at !== one.from) note(await take(clone, all[one.from] as Clone));
        }
        wrong.push(
          ...(await comeToRest(all, async (to, from) => {
            const taken = await take(to, from);
            note({ ...taken, wrong: [] });
            return taken;
          })),
        );
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      }),
      { numRuns: runs, endOnFailure: process.env['OWL_MERGE_SHRINK'] === undefined },
    );
    t.ok(seen.merged > 0 && seen.contested > 0, `${seen.merged} merges, ${seen.contested} contested`);
  },
);
