// Records as bytes: canonical, validated on every read, unknown fields kept, damaged told from newer.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import type { Job } from '../../../src/domain/job.js';
import { canonical, canonicalLine, digestOf } from '../../../src/state/canonical.js';
import { decodeJob, decodeMeta, decodeRun, encodeRecord, jumped, keepUnknown } from '../../../src/state/codec.js';
import { isWorkId, recordPath, shardOf } from '../../../src/state/layout.js';
import { quickCheck } from '../../../src/state/quick-check.js';
import { jobSchema, metaSchema, requestSchema, runSchema, tombstoneSchema } from '../../../src/state/schema.js';
import { job, NOW, oidOf, run } from '../../fixtures/records.js';

const place = (id: string, area: 'open' | 'closed' = 'open') => ({
  path: recordPath('job', area, id),
  id,
  area,
  now: Date.parse(NOW),
});
const read = (record: object, area: 'open' | 'closed' = 'open') =>
  decodeJob(place('k3x9qp', area), Buffer.from(canonical(record)));
const why = (change: object): string => {
  const loaded = read({ ...job('k3x9qp'), ...change });
  return loaded.kind === 'damaged' ? loaded.why : loaded.kind;
};

t.test('01 Records: canonical JSON does not depend on the order of keys and reads back equal', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonical(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonical(JSON.parse(text)), text);
      assert.doesNotMatch(text, /\r/);
      assert.equal(text.at(-1), '\n');
      assert.doesNotMatch(canonicalLine(value), /\n/);
    }),
    { numRuns: 200 },
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
      const shuffled = Object.fromEntries(Object.entries(value).reverse());
      assert.equal(canonical(shuffled), canonical(value));
      // What is in order already takes another way.
      assert.equal(canonicalLine(shuffled), canonicalLine(JSON.parse(canonical(value))));
      assert.equal(digestOf(shuffled), digestOf(value));
    }),
    { numRuns: 100 },
  );
  t.equal(canonicalLine({ b: 1, a: [true, null], 10: 'x', 9: undefined }), '{"10":"x","a":[true,null],"b":1}');
  t.throws(() => canonical({ at: Number.NaN }), TypeError);
});

const jobs: fc.Arbitrary<Job> = fc
  .record({
    title: fc.string({ unit: 'binary' }).filter((text) => !/[\ud800-\udfff]/u.test(text)),
    revision: fc.nat(1_000_000),
    state: fc.constantFrom<Job['state']>('pending', 'active', 'blocked', 'review', 'escalated', 'exhausted'),
    labels: fc.array(fc.string()),
    ttl: fc.nat(1000),
    tip: fc.option(fc.constantFrom(oidOf('a'), oidOf('b'))),
    feedback: fc.array(fc.string()),
  })
  .map((change) => job('k3x9qp', change));

t.test('01 Records: what is written reads back the same, and equal values are equal bytes', async (_t) => {
  fc.assert(
    fc.property(
      jobs,
      fc.dictionary(
        fc.string({ minLength: 1 }).map((key) => `x_${key}`),
        fc.jsonValue(),
      ),
      (record, unknown) => {
        const bytes = encodeRecord('job', 'job.json', { ...record, ...unknown });
        const loaded = decodeJob(place('k3x9qp'), bytes);
        assert.ok(loaded.kind === 'found');
        assert.ok(encodeRecord('job', 'job.json', loaded.record).equals(bytes));
      },
    ),
    { numRuns: 150 },
  );
});

t.test('01 Records: unknown fields are kept on rewrite, at the top and below', async (t) => {
  const loaded = read({ ...job('k3x9qp'), novel: { deep: 1 }, base: { name: 'main', remote: null, novel: 2 } });
  if (loaded.kind !== 'found') return t.fail(JSON.stringify(loaded));
  const moved = keepUnknown('job', loaded.record, job('k3x9qp', { title: 'made from scratch' }));
  t.same(moved['novel'], { deep: 1 });
  t.equal(moved['title'], 'made from scratch');
  t.match(canonical(loaded.record), /"novel": 2/);
});

t.test('01 Records: a newer schema is told with its writer, never guessed at', async (t) => {
  t.same(read({ schema: 2, kind: 'job', writer: '7.0.0', id: 5 }), {
    kind: 'newer',
    path: recordPath('job', 'open', 'k3x9qp'),
    schema: 2,
    writer: '7.0.0',
  });
  t.equal(decodeMeta('meta.json', Buffer.from('{"schema":3,"kind":"meta"}')).kind, 'newer');
  for (const schema of [0, -1, 1.5, '2', null])
    t.equal(read({ ...job('k3x9qp'), schema }).kind, 'damaged', `schema ${schema}`);
});

t.test('07.30: what is truncated, not JSON, not UTF-8 or too large is damaged and says why', async (t) => {
  const at = (data: Buffer) => decodeJob(place('k3x9qp'), data);
  const whole = Buffer.from(canonical(job('k3x9qp')));
  t.match(at(whole.subarray(0, 100)), { kind: 'damaged', why: 'not JSON' });
  t.match(at(Buffer.alloc(0)), { kind: 'damaged', why: 'not JSON' });
  t.match(at(Buffer.from([0x22, 0xff, 0x22])), { kind: 'damaged', why: 'not UTF-8' });
  t.match(at(Buffer.from('[]')), { kind: 'damaged', why: 'not a JSON object' });
  t.match(at(Buffer.from('null')), { kind: 'damaged', why: 'not a JSON object' });
  t.match(read({ ...job('k3x9qp'), padding: 'x'.repeat(1024 * 1024) }), { kind: 'damaged', why: /1 MiB/ });
  const { title: _, ...untitled } = job('k3x9qp');
  t.match(read(untitled), { kind: 'damaged', why: /title/ });
});

t.test('01 Records: a counter that jumped and a not_before beyond 7 days are damaged, not obeyed', async (t) => {
  t.match(why({ revision: 5_000_000 }), /revision: a counter that jumped/);
  t.match(why({ ttl: -1 }), /ttl/);
  t.match(why({ not_before: '2024-05-14T09:00:00Z' }), /not_before/);
  t.match(
    why({ not_before: '2024-06-01T09:00:00Z', updated: '2024-05-31T09:00:00Z' }),
    /not_before/,
    'a forged update time does not help',
  );
  t.equal(why({ not_before: '2024-05-13T09:00:00Z' }), 'found');
  t.equal(why({ not_before: 'tomorrow' }), 'not_before: not a time in UTC');
  t.ok(jumped(job('k3x9qp'), job('k3x9qp', { revision: 1_000_003 })));
  t.notOk(jumped(job('k3x9qp'), job('k3x9qp', { revision: 2 })));
});

t.test('07.32: a clock that jumps back a day does not damage a record that was right', async (t) => {
  const record = job('k3x9qp', { not_before: '2024-05-13T09:00:00Z' });
  const early = decodeJob(
    { ...place('k3x9qp'), now: Date.parse(NOW) - 24 * 3600 * 1000 },
    Buffer.from(canonical(record)),
  );
  t.equal(early.kind, 'found');
});

t.test('01 Refs: a record whose derived names are wrong is damaged', async (t) => {
  t.match(why({ id: 'zzzzzz' }), /says it is zzzzzz/);
  t.match(why({ prefix: 'refine/' }), /below refine/);
  t.match(why({ slug: '../../main' }), /branch name/);
  t.match(why({ slug: 'a/b' }), /branch name/);
  t.match(why({ slug: 'x.lock' }), /branch name/);
  t.match(why({ prefix: '-x/' }), /branch name/);
  t.match(why({ base: { name: 'owl/k3x9qp/work', remote: null } }), /the base itself/);
  t.match(why({ base: { name: 'owl/other/x', remote: null } }), /below owl/);
  t.match(why({ base: { name: 'refine/g/round-1', remote: null } }), /below refine/);
  t.match(why({ state: 'done' }), /done Job lies in open/);
  t.equal(read(job('k3x9qp', { state: 'done' }), 'closed').kind, 'found');
});

t.test('01 Refs: ids are typeable, safe, and never `state`', async (t) => {
  for (const id of ['k3x9qp', 'abcd', 'a234567890123456']) t.ok(isWorkId(id), id);
  for (const id of ['state', 'abc', 'Abcd', '1abc', 'ab-cd', '../ab', 'a'.repeat(17), '']) t.notOk(isWorkId(id), id);
  t.match(shardOf('k3x9qp'), /^[0-9a-f]{2}$/);
});

t.test('01 Records: a Run is bound to its Job and its name', async (t) => {
  const bytes = encodeRecord('run', 'run', run('r1', 'k3x9qp', 1));
  t.equal(decodeRun('p', 'k3x9qp', 'r1', bytes).kind, 'found');
  t.equal(decodeRun('p', 'other1', 'r1', bytes).kind, 'damaged');
  t.equal(decodeRun('p', 'k3x9qp', 'r2', bytes).kind, 'damaged');
});

t.test('01 Records: what a reader would call damaged is never written', async (t) => {
  t.throws(() => encodeRecord('job', 'p', { ...job('k3x9qp'), ttl: 'ten' }), { code: 'defect' });
  t.throws(() => encodeRecord('job', 'p', { ...job('k3x9qp'), title: 'x'.repeat(1024 * 1024) }), { code: 'storage' });
});

t.test('10 P4: the quick check never says yes where the schema says no, and does for what is whole', async (t) => {
  const claim = {
    run: 'r1',
    host: 'h',
    boot: 'b',
    namespace: 'n',
    pid: 1,
    start: '2',
    since: NOW,
    group: { pid: 2, start: '3' },
  };
  const check = { name: 'test', run: 'npm test', status: 'passed', exit: 0, ms: 1, digest: 'd' };
  const full = {
    ...job('k3x9qp'),
    claim,
    reason: { code: 'conflict', text: 't', paths: ['a'], onto: { ref: 'main', oid: oidOf('a') } },
    verification: { tip: oidOf('a'), base: oidOf('b'), config: null, passed: true, checks: [check], at: NOW },
    not_before: NOW,
  };
  const samples = [
    { schema: jobSchema, value: full },
    { schema: runSchema, value: { ...run('r1', 'k3x9qp', 1), checks: [check], usage: { input: 1 } } },
    { schema: metaSchema, value: { schema: 1, kind: 'meta', repository: 'r', created: NOW, writer: '1' } },
    { schema: tombstoneSchema, value: { schema: 1, kind: 'tombstone', id: 'k3x9qp', of: 'job', at: NOW, op: 'o' } },
    {
      schema: requestSchema,
      value: { schema: 1, kind: 'request', id: 'r', content: 'c', op: 'o', at: NOW, result: null },
    },
  ];
  for (const { schema, value } of samples) {
    const quick = quickCheck(schema);
    t.ok(quick(value), `a whole ${value.kind} is found quickly`);
    const paths = leaves(value);
    const other = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        undefined,
        null,
        '',
        0,
        -1,
        1.5,
        2_000_000,
        Number.NaN,
        true,
        [],
        {},
        'pending',
        NOW,
        oidOf('c'),
        'state',
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), other, fc.boolean(), (path, replacement, drop) => {
        const changed = structuredClone(value) as Record<string, unknown>;
        const parent = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, changed);
        const last = path.at(-1) as string;
        if (drop && !Array.isArray(parent)) delete parent[last];
        else parent[last] = replacement;
        assert.ok(!quick(changed) || v.safeParse(schema, changed).success, path.join('.'));
      }),
      { numRuns: 400 },
    );
  }
});

/** The paths of everything in a value, folders and files alike. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const below = Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}
