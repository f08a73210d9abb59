// Who may have the lease of a target (G30), without a repository.

import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { decideLease, type LeaseFacts, type LeaseValue, parseLease, sightOf } from '../../../src/domain/lease.js';

const oid = (digit: string): Oid => digit.repeat(40) as Oid;
const unit = { kind: 'job' as const, id: 'abcdef', occurrence: { number: 3, decision: 'op1' } };
const other = { ...unit, id: 'ghjkmn' };
const value: LeaseValue = {
  schema: 1,
  kind: 'lease',
  target: 'main',
  token: 7,
  holder: 'h1',
  unit: other,
  length: 600_000,
  beat: 0,
};
const facts = (more: Partial<LeaseFacts> = {}, change: Partial<LeaseValue> = {}): LeaseFacts => ({
  read: { kind: 'value', oid: oid('1'), value: { ...value, ...change } },
  sight: { oid: oid('1'), token: 7, since: 1_000 },
  now: 2_000,
  unit,
  holder: null,
  ...more,
});

t.test('G30: free, held, expired by the own clock, dead, mine; the token only grows', async (t) => {
  t.same(decideLease(facts({ read: { kind: 'absent' }, sight: { oid: null, token: 0, since: 0 } })), {
    kind: 'take',
    token: 1,
    how: 'free',
  });
  t.match(
    decideLease(facts({ read: { kind: 'absent' } })),
    { token: 8 },
    'somebody deleted the ref: the token goes on',
  );
  t.same(decideLease(facts({}, { holder: null, unit: null })), { kind: 'take', token: 8, how: 'free' });
  t.match(decideLease(facts()), { kind: 'held', left: 599_000 });
  t.match(decideLease(facts({ now: 600_999 })), { kind: 'held' });
  t.same(decideLease(facts({ now: 601_000 })), { kind: 'take', token: 8, how: 'expired' });
  t.same(decideLease(facts({ holder: 'dead' })), { kind: 'take', token: 8, how: 'dead' });
  t.match(decideLease(facts({ holder: 'live' }, { unit })), { kind: 'held' }, 'another process of this clone');
  t.match(decideLease(facts({ holder: 'dead' }, { unit })), { kind: 'mine' });
  t.match(decideLease(facts({ holder: 'self' }, { unit })), { kind: 'mine' });
  t.match(decideLease(facts({ holder: 'self' })), { kind: 'held' }, 'two Jobs of one process');
  const before = { ...unit, occurrence: { number: 2, decision: 'op0' } };
  t.match(
    decideLease(facts({ holder: 'dead' }, { unit: before })),
    { kind: 'take' },
    'an older occurrence is not this',
  );
  t.match(decideLease(facts({}, { token: 3 })), { kind: 'damaged' }, 'it went back');
  t.match(decideLease(facts({ sight: { oid: oid('2'), token: 7, since: 0 } }, { token: 2_000_000 })), {
    kind: 'damaged',
  });
});

t.test('G30: the first sight of a value counts, and a clock that was put back begins anew', async (t) => {
  const read = { kind: 'value' as const, oid: oid('1'), value };
  const first = sightOf(null, read, 5_000);
  t.same(first, { oid: oid('1'), token: 7, since: 5_000 });
  t.equal(sightOf(first, read, 9_000), first);
  t.equal(sightOf(first, read, 4_000).since, 4_000);
  t.same(sightOf(first, { ...read, oid: oid('2') }, 9_000), { oid: oid('2'), token: 7, since: 9_000 }, 'renewed');
  t.same(sightOf(first, { kind: 'absent' }, 9_000), { oid: null, token: 7, since: 9_000 });
});

t.test('01: what the ref holds is data: a length beyond 24 h and anything odd is not obeyed', async (t) => {
  t.same(parseLease(JSON.stringify(value)), value);
  for (const [change, why] of [
    [{ length: 86_400_001 }, /24 hours/],
    [{ schema: 2 }, /schema 2/],
    [{ token: -1 }, /token/],
    [{ holder: 'a b' }, /holder/],
    [{ unit: { ...unit, id: '../x' } }, /unit/],
    [{ kind: 'note' }, /not a lease/],
  ] as const)
    t.match(parseLease(JSON.stringify({ ...value, ...change })), why);
  t.equal(parseLease('{'), 'not JSON');
});
