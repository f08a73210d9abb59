// What lets an integrated Candidate go to review: proofs of exactly it; anything missing or failed fails closed (G54).

import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { decideReconcile, failedProof, type ReconcileFacts, standingOf } from '../../../src/domain/reconcile.js';
import { evidence } from '../../fixtures/goal-records.js';

const oid = (digit: string): Oid => digit.repeat(40) as Oid;
const candidate = { base: oid('a'), tip: oid('b') };
const proof = (id: string, change: Parameters<typeof evidence>[2] = {}) =>
  evidence('g1g1', id, { candidate, config: oid('c'), clone: 'here', ...change });
const governed = proof('gov', { type: 'governance' });

const facts = (
  proofs: ReconcileFacts['evidence'],
  gates: ReconcileFacts['goal']['gates'] = { quality: 'qua', governance: 'gov' },
): ReconcileFacts => ({ goal: { round: 1, gates }, candidate, evidence: proofs, config: oid('c'), clone: 'here' });

t.test('G54: a proof is retained, normalised from a complete identity, or made again', async (t) => {
  const none = { quality: null, governance: null };
  t.match(standingOf('quality', facts([proof('qua')])), { kind: 'retained', proof: { id: 'qua' } });
  t.match(standingOf('quality', facts([proof('qua')], none)), { kind: 'normalised', proof: { id: 'qua' } });
  const unlike = [
    { candidate: { ...candidate, base: oid('d') } },
    { candidate: { ...candidate, tip: oid('d') } },
    { candidate: null },
    { round: 2 },
    { type: 'governance' as const },
    { status: 'trouble' as const },
    { status: 'void' as const },
  ];
  for (const change of unlike) t.same(standingOf('quality', facts([proof('qua', change)])), { kind: 'missing' });
  const again = [{ config: oid('d') }, { config: null }, { clone: 'another' }];
  for (const change of again) t.match(standingOf('quality', facts([proof('qua', change)])), { kind: 'again' });
  const bare = { ...facts([proof('qua', { config: null })], none), config: null };
  t.match(standingOf('quality', bare), { kind: 'again' }, 'what does not say by what it was run could be of any gates');
});

t.test('G54: anything missing or failed fails closed; a failed proof stands', async (t) => {
  t.match(decideReconcile(facts([proof('qua'), governed])), {
    kind: 'proofs',
    quality: { id: 'qua' },
    governance: { id: 'gov' },
  });
  t.match(decideReconcile(facts([governed])), { kind: 'proofs', quality: null, governance: { id: 'gov' } });
  t.match(decideReconcile(facts([proof('qua')])), { kind: 'refused', why: /governance has not passed/ });
  const elsewhere = facts([proof('qua', { clone: 'b' }), proof('gov', { type: 'governance', clone: 'b' })]);
  t.match(decideReconcile(elsewhere), { kind: 'proofs', quality: null, governance: null }, 'G31: run again here');
  const failed = proof('bad', { status: 'findings' });
  t.match(decideReconcile(facts([proof('qua'), failed, governed])), { kind: 'refused', why: /quality did not pass/ });
  t.match(
    decideReconcile(facts([failed, proof('qua'), governed])),
    { kind: 'proofs' },
    'the newest that says so counts',
  );
  const ungoverned = proof('gov', { type: 'governance', status: 'findings' });
  t.match(decideReconcile(facts([proof('qua'), ungoverned])), { kind: 'refused', why: /governance did not pass/ });
  t.equal(failedProof(facts([proof('qua'), ungoverned]))?.id, 'gov');
  t.equal(failedProof(facts([])), null);
});
