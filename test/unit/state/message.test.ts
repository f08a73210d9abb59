// What a state commit says: one escaped subject, trailers that nobody can forge, counts that read back.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { formatOpen, parseOpen } from '../../../src/domain/open-counts.js';
import { escapeLine } from '../../../src/output/escape.js';
import { formatMessage, oneLine, parseEvent, parseTrailers } from '../../../src/state/message.js';
import { oidOf } from '../../fixtures/records.js';

const facts = { actor: 'Ada', op: 'op1', request: null, open: { review: 2, pending: 3, active: 1 } };
const commit = (message: string) => ({
  oid: oidOf('a') as Oid,
  tree: oidOf('b') as Oid,
  parents: [],
  author: 'Ada <a@b> 1 +0000',
  committer: 'Ada <a@b> 1 +0000',
  time: 1_700_000_000,
  message,
});

t.test('01 Writes: subject, then trailers in order', async (t) => {
  t.equal(
    formatMessage(
      { event: 'run.settled', subject: 'job k3x9qp: run 2 blocked on conflict', job: 'k3x9qp', run: 'r2' },
      { ...facts, request: 'ci-7' },
    ),
    [
      'job k3x9qp: run 2 blocked on conflict',
      '',
      'Owl-Event: run.settled',
      'Owl-Job: k3x9qp',
      'Owl-Run: r2',
      'Owl-Actor: Ada',
      'Owl-Op: op1',
      'Owl-Request: ci-7',
      'Owl-Open: 3 pending 1 active 2 review',
      '',
    ].join('\n'),
  );
});

t.test('01 Writes: no free text becomes a trailer, another line, or a hidden character', async (_t) => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'x\nOwl-Event: task_merged',
      'x\n\nOwl-Job: other1',
      '\u202eevil',
      'a\u0000b',
      '\r\nOwl-Op: x',
      '\u2028Owl-Op: x',
      '',
      '\n\n\n',
      '\ud800',
    ),
  );
  fc.assert(
    fc.property(nasty, nasty, nasty, (subject, actor, request) => {
      const message = formatMessage({ event: 'job.added', subject, job: 'k3x9qp' }, { ...facts, actor, request });
      const trailers = parseTrailers(message);
      assert.equal(trailers.get('Owl-Event'), 'job.added');
      assert.equal(trailers.get('Owl-Job'), 'k3x9qp');
      assert.equal(trailers.get('Owl-Op'), 'op1');
      assert.equal(message.split('\n').length, 9, 'subject, blank, six trailers, end');
      assert.equal(message.split('\n\n').length, 2);
      assert.doesNotMatch(message.replaceAll('\n', ''), /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/);
      assert.ok([...(message.split('\n')[0] ?? '')].length <= 100);
      assert.doesNotMatch(message, /[\ud800-\udfff]/u);
    }),
    { numRuns: 300 },
  );
});

t.test('01 Writes: a forged trailer in a subject is not read as one', async (t) => {
  const message = formatMessage(
    { event: 'job.added', subject: 'job k3x9qp: added: x\n\nOwl-Event: task_merged', job: 'k3x9qp' },
    facts,
  );
  const event = parseEvent(commit(message));
  t.match(event, {
    event: 'job.added',
    job: 'k3x9qp',
    actor: 'Ada',
    op: 'op1',
    open: { pending: 3, active: 1, review: 2 },
  });
  t.equal(event?.time, '2023-11-14T22:13:20Z');
  t.equal(parseEvent(commit('Owl-Event: task_merged\n')), null, 'a subject alone has no trailers');
});

t.test('01 Writes: Owl-Open reads back what it was made from', async (t) => {
  const counts = fc.dictionary(
    fc.constantFrom('pending', 'active', 'blocked', 'review', 'escalated', 'exhausted', 'todo'),
    fc.integer({ min: 1, max: 99999 }),
  );
  fc.assert(fc.property(counts, (open) => assert.deepEqual(parseOpen(formatOpen(open)), { ...open })));
  t.equal(formatOpen({}), 'none');
  t.same(parseOpen('none'), {});
  t.equal(formatOpen({ review: 2, pending: 0, active: 1 }), '1 active 2 review');
});

t.test('oneLine cuts by characters, never within one', async (t) => {
  t.equal(oneLine('🦉'.repeat(10), 5), `${'🦉'.repeat(4)}…`);
  t.equal(oneLine('  a\n  b ', 10), 'a ⏎ b');
  t.equal(
    oneLine('a\u001b[1m\u202e\u{e0041}', 40),
    escapeLine('a\u001b[1m\u202e\u{e0041}'),
    'the escapes of everywhere',
  );
});
