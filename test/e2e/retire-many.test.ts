// Many names of Rounds at once: one gc, a number of child processes that does not grow with them, the right ones gone (M7, M10; 10, P8).

import { readFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import type { Oid } from '../../src/domain/git.js';
import type { Item } from '../fixtures/gc.js';
import { goal, round } from '../fixtures/goal-records.js';
import { plant } from '../fixtures/goal-store.js';
import { closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const LONG_AGO = '2024-05-06T09:00:00Z';
/** In turn: retirable, open, with a commit of its own, open, too young. */
const KINDS = ['goal-closed', 'open-goal', 'unique-commits', 'open-goal', 'not-yet'] as const;
const idOf = (number: number): string => `g${String.fromCharCode(97 + Math.floor(number / 26), 97 + (number % 26))}xx`;

/** What a dry run and a gc say of so many Goals with two Rounds each, here and on the remote, and how many processes each started. */
async function retireOf(t: Test, goals: number) {
  const { box, repo, first, tip } = await closedGoals(t);
  const lone = (await repo.git('commit-tree', '-m', 'lone', '-p', tip, `${tip}^{tree}`)) as Oid;
  const target = { name: 'main', remote: 'origin', publish: true, config: null, gates: '' };
  const reasons = new Map<string, string>();
  await plant(t, repo, (tx) => {
    for (let number = 0; number < goals; number += 1) {
      const kind = KINDS[number % KINDS.length] ?? 'open-goal';
      const open = kind === 'open-goal';
      const closed = open ? null : kind === 'not-yet' ? '2024-05-06T11:30:00Z' : LONG_AGO;
      const times = { created: LONG_AGO, updated: LONG_AGO, closed };
      tx.putGoal(goal(idOf(number), { status: open ? 'review' : 'done', round: 2, target, ...times }));
      for (const at of [1, 2]) tx.putRound(round(idOf(number), at));
      for (const name of [1, 2]) reasons.set(`refs/heads/refine/${idOf(number)}/round-${name}`, kind);
    }
  });
  const made = [...reasons].map(([ref, kind]) => `create ${ref} ${kind === 'unique-commits' ? lone : first}\n`);
  await repo.git('update-ref', '--stdin', { input: made.join('') });
  await repo.git('push', '-q', 'origin', 'refs/heads/refine/*:refs/heads/refine/*');
  await repo.git('repack', '-qad');
  const counted = async (...words: string[]) => {
    const trace = box.path(`trace-${words.length}`);
    const { data } = (await repo.owl('gc', '--json', ...words, { env: { GIT_TRACE2_EVENT: trace } })).json();
    const started = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"event":"start"'));
    return { items: data.items as readonly Item[], processes: started.length };
  };
  const planned = await counted('--dry-run');
  const done = await counted();
  const names = async (cwd: string) =>
    (await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/refine/', { cwd }))
      .split('\n')
      .filter((ref) => ref !== 'refs/heads/refine/state');
  return { reasons, planned, done, here: await names(repo.dir), there: await names(repo.bare) };
}

t.test('M7, M10, P8: processes do not grow with the names; the right ones go, every other one says why', async (t) => {
  // From some dozens on, all readers run that may be needed.
  const few = await retireOf(t, 50);
  const many = await retireOf(t, 150);
  for (const { reasons, planned, done, here, there } of [few, many]) {
    const left = [...reasons].flatMap(([ref, kind]) => (kind === 'goal-closed' ? [] : [ref])).sort();
    t.same(here, left);
    t.same(there, left);
    for (const { items } of [planned, done])
      for (const kind of ['branch', 'remote-branch'])
        t.same(
          new Map(items.filter((item) => item.kind === kind).map(({ subject, reason }) => [subject, reason])),
          reasons,
        );
  }
  t.equal(many.planned.processes, few.planned.processes, 'to foresee');
  t.equal(many.done.processes, few.done.processes, 'to retire');
});
