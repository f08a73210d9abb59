// `avoid_conflicts`: what collides comes after the rest of its priority (06, conflicts).

import { t } from 'tap';
import { collidingLater, type Unit } from '../../../src/domain/goal-queue.js';

const job = (id: string, wait: Unit['wait'] = { kind: 'eligible' }): Unit =>
  ({ kind: 'job', id, wait, job: { id, state: 'pending', goal: null } }) as Unit;
const goal = (id: string, priority: 'high' | 'medium' | 'low', status = 'todo'): Unit =>
  ({ kind: 'goal', id, wait: { kind: 'eligible' }, goal: { id, priority, status } }) as Unit;
const collides = (id: string, other: string | null) => ({ id, with: other, says: `${id}/${other}` });
const order = (units: readonly Unit[], ...pairs: readonly (readonly [string, string | null])[]): readonly string[] =>
  collidingLater(
    units,
    pairs.map(([id, other]) => collides(id, other)),
  ).map(({ id, later }) => (later === undefined ? id : `${id} (${later})`));

t.test('06: what collides with its target, or with what nobody may take now, comes last', async (t) => {
  const units = [job('a'), job('b'), job('c')];
  t.equal(collidingLater(units, []), units);
  t.same(order(units, ['a', null]), ['b', 'c', 'a (a/null)']);
  t.same(order(units, ['b', 'review']), ['a', 'c', 'b (b/review)']);
  t.same(order(units, ['review', 'a']), ['b', 'c', 'a (review/a)'], 'whichever of the two is named first');
});

t.test('06: of two that collide with each other the first keeps its place', async (t) => {
  const units = [job('a'), job('b'), job('c')];
  t.same(order(units, ['a', 'b']), ['a', 'c', 'b (a/b)']);
  t.same(order(units, ['b', 'a']), ['a', 'c', 'b (b/a)']);
  t.same(order(units, ['a', null], ['b', null], ['c', null]), ['a', 'b', 'c'], 'with nothing better the order stays');
});

t.test('06, G3: priorities, what waits and what was begun keep their places', async (t) => {
  const waits = job('w', { kind: 'waits', why: 'needs x' });
  t.same(order([goal('h', 'high'), job('a'), goal('l', 'low')], ['h', null], ['a', null]), ['h', 'a', 'l']);
  t.same(order([job('a'), waits, job('b')], ['a', null], ['w', null]), ['b', 'w', 'a (a/null)']);
  const begun = goal('g', 'medium', 'implement');
  t.same(order([begun, job('a'), job('b')], ['g', null], ['a', 'g']), ['g', 'b', 'a (a/g)']);
});
