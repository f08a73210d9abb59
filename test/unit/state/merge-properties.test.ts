// What must hold of every merge of states, over histories that nobody thought of (05, S2 to S4): clones that change records,
// and take each other's state in, in any order.

import fc from 'fast-check';
import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { CLOSED_STATES, type Job } from '../../../src/domain/job.js';
import { JOB_TABLE, moveJob, nextEvents } from '../../../src/domain/machine.js';
import { inspect } from '../../../src/state/fsck.js';
import { loadRoot } from '../../../src/state/guard.js';
import { indexAnew } from '../../../src/state/index-anew.js';
import { STATE_REF } from '../../../src/state/layout.js';
import { mergeStates } from '../../../src/state/merge-states.js';
import { openEnv } from '../../../src/state/store.js';
import type { StoreEnv } from '../../../src/state/store-env.js';
import { addJob, job, type Memory, memory, oidOf, run } from '../../fixtures/records.js';

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

interface Clone extends Memory {
  readonly env: StoreEnv;
}

async function clones(): Promise<readonly Clone[]> {
  const all: Clone[] = [];
  for (let one = 0; one < CLONES; one += 1) {
    const made = memory();
    all.push({ ...made, env: await openEnv(made.deps) });
  }
  return all;
}

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

/** All objects of another clone, as a fetch brings them. */
const fetchAll = (to: Clone, from: Clone): void => {
  for (const [oid, object] of from.engine.stored) to.engine.stored.set(oid, object);
};

interface Taken {
  readonly contested: number;
  readonly wrong: readonly string[];
}

async function take(to: Clone, from: Clone): Promise<Taken> {
  const [ours, theirs] = [to.engine.refs.get(STATE_REF), from.engine.refs.get(STATE_REF)];
  if (theirs === undefined) return { contested: 0, wrong: [] };
  fetchAll(to, from);
  fetchAll(from, to);
  if (ours === undefined) {
    to.engine.refs.set(STATE_REF, theirs);
    return { contested: 0, wrong: [] };
  }
  const ids = [...(await (await to.store.snapshot()).jobIds()), ...(await (await from.store.snapshot()).jobIds())];
  const sides = await Promise.all(IDS.map(async (one) => [await found(to, one), await found(from, one)] as const));
  const merged = await mergeStates(to.env, ours, theirs, { unrelated: true });
  const other = await mergeStates(from.env, theirs, ours, { unrelated: true });
  const wrong: string[] = [];
  if (merged.kind === 'foreign' || other.kind === 'foreign') return { contested: 0, wrong: ['foreign'] };
  if (merged.tip !== other.tip) wrong.push(`not the same commit: ${merged.tip} ${other.tip}`);
  to.engine.refs.set(STATE_REF, merged.tip);
  const again = await mergeStates(to.env, merged.tip, theirs, { unrelated: true });
  if (again.kind !== (merged.tip === theirs ? 'same' : 'ahead')) wrong.push(`merged again: ${again.kind}`);
  wrong.push(...(await flawsOf(to, merged.tip)));
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
  return { contested: merged.kind === 'merged' ? merged.contested.length : 0, wrong };
}

/** What fsck finds beside contested records, and an index that is not that of the records. */
async function flawsOf(clone: Clone, tip: Oid): Promise<readonly string[]> {
  const findings = (await inspect(clone.env)).filter((finding) => !finding.what.includes('decided differently'));
  const root = await loadRoot(clone.env.objects, tip);
  const index = (await indexAnew(clone.env, root, clone.clock.now())).root === root ? [] : ['the index is stale'];
  return [...findings.map((finding) => `${finding.where}: ${finding.what}`), ...index];
}

const runs = Number(process.env['OWL_MERGE_RUNS'] ?? 30);

t.test(
  'S2 to S4: any histories, merged in any order, come to the same records, and nothing is lost or invented',
  async (t) => {
    const seen = { merged: 0, contested: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (random) => {
        const steps: readonly Step[] = [...BEGIN, ...random];
        const all = await clones();
        const wrong: string[] = [];
        const note = (taken: Taken): void => {
          seen.contested += taken.contested;
          seen.merged += 1;
          wrong.push(...taken.wrong);
        };
        for (const [made, one] of steps.entries()) {
          const clone = all[one.at] as Clone;
          if (one.kind !== 'take') await change(clone, one, made);
          else if (one.at !== one.from) note(await take(clone, all[one.from] as Clone));
        }
        // Quiescence: each takes the others in until nothing moves.
        for (let round = 0; round < CLONES + 1; round += 1)
          for (const to of all) for (const from of all) if (to !== from) note(await take(to, from));
        const tips = new Set(all.map((clone) => clone.engine.refs.get(STATE_REF)));
        if (tips.size > 1) wrong.push('the clones do not agree');
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      }),
      { numRuns: runs, endOnFailure: process.env['OWL_MERGE_SHRINK'] === undefined },
    );
    t.ok(seen.merged > 0 && seen.contested > 0, `${seen.merged} merges, ${seen.contested} contested`);
  },
);
