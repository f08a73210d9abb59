// The transition table of Jobs: printed as a snapshot, and walked (02; 08, Habits 6).

import fc from 'fast-check';
import { t } from 'tap';
import { isOwlError } from '../../../src/domain/errors.js';
import { branchRef } from '../../../src/domain/git.js';
import { CLOSED_STATES, type Job, type JobState } from '../../../src/domain/job.js';
import {
  isFinal,
  JOB_TABLE,
  type JobEvent,
  mayHappen,
  moveJob,
  nextEvents,
  stands,
} from '../../../src/domain/machine.js';
import { nextCommands } from '../../../src/domain/next.js';
import { job, NOW } from '../../fixtures/records.js';

const STATES = Object.keys(JOB_TABLE) as JobState[];
const EVENTS = [...new Set(STATES.flatMap((state) => nextEvents(state)))];
const OWN = { by: 'owl', ref: branchRef('main'), before: null, after: null, commits: 1, files: 1, at: NOW } as const;

/** Verbs of people alone: a way out that waits for nobody. */
const VERBS: readonly JobEvent[] = [
  'retry',
  'verify',
  'accept',
  'merge',
  'cancel',
  'drop',
  'restore',
  'reopen',
  'extend',
];

const anyMove = fc
  .constantFrom(...STATES)
  .chain((state) =>
    fc
      .constantFrom(...nextEvents(state))
      .chain((event) => fc.constantFrom(...(JOB_TABLE[state][event] ?? [])).map((to) => ({ state, event, to }))),
  );

t.test('02: the transition table', (t) => {
  const lines = STATES.flatMap((state) =>
    Object.entries(JOB_TABLE[state]).map(([event, to]) => `${state} --${event}--> ${to.join(' | ')}`),
  );
  t.matchSnapshot(lines.join('\n'));
  t.end();
});

t.test('02: every state has a way out by a verb of a person, and every open one leads to a closed one', (t) => {
  for (const state of STATES) {
    const out = VERBS.filter((verb) => (JOB_TABLE[state][verb] ?? []).some((to) => to !== state));
    t.ok(out.length > 0, `${state}: ${out.join(', ')}`);
    const reached = new Set<JobState>([state]);
    for (const from of reached) for (const verb of VERBS) for (const to of JOB_TABLE[from][verb] ?? []) reached.add(to);
    t.ok(reached.has('done') && reached.has('cancelled'), `from ${state} a person gets a Job done, and rid of it`);
  }
  t.end();
});

t.test('02: a closed Job is opened by a decision of a person alone, a merged one never', (t) => {
  for (const state of CLOSED_STATES) {
    const openers = nextEvents(state).filter((event) =>
      (JOB_TABLE[state][event] ?? []).some((to) => !CLOSED_STATES.has(to)),
    );
    t.same(
      openers.filter((event) => !['merge', 'reopen', 'restore'].includes(event)),
      [],
      `${state} is not opened by a Run that settles late`,
    );
  }
  const merged = job('abcd', { state: 'done', merged: OWN });
  t.equal(isFinal(merged), true);
  fc.assert(
    fc.property(fc.constantFrom(...EVENTS), fc.constantFrom(...STATES), (event, to) => {
      try {
        return moveJob(merged, { event, to, op: 'op2', at: NOW }).state === 'done';
      } catch (error) {
        return isOwlError(error, 'wrong-state');
      }
    }),
  );
  t.end();
});

t.test('01: a walk of any length keeps both clocks and `closed` true', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 40 }), (steps) => {
      let now: Job = job('abcd');
      for (const [at, [one, two]] of steps.entries()) {
        const events = nextEvents(now.state);
        const event = events[one % events.length] as JobEvent;
        const targets = JOB_TABLE[now.state][event] ?? [];
        const to = targets[two % targets.length] as JobState;
        const next = moveJob(now, { event, to, op: `op${at}`, at: NOW });
        if (next.state !== to || next.revision !== now.revision + 1) return false;
        if ((next.closed !== null) !== CLOSED_STATES.has(to)) return false;
        // Another state is another decision: a worker that began under the old one is superseded.
        if (to !== now.state && stands(next, now.occurrence)) return false;
        if (next.occurrence.number < now.occurrence.number) return false;
        now = next;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
  t.end();
});

t.test('02: every refused move names the state it found, and keeps the Job', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STATES),
      fc.constantFrom(...EVENTS),
      fc.constantFrom(...STATES),
      (state, event, to) => {
        if (JOB_TABLE[state][event]?.includes(to)) return true;
        try {
          moveJob(job('abcd', { state }), { event, to, op: 'op2', at: NOW });
          return false;
        } catch (error) {
          return (
            isOwlError(error, 'wrong-state') && error.message.includes(`abcd is ${state}`) && error.next.length > 0
          );
        }
      },
    ),
  );
  t.end();
});

t.test('01: the occurrence stands only in both of its parts', (t) => {
  const now = job('abcd', { occurrence: { number: 3, decision: 'b' } });
  t.equal(stands(now, { number: 3, decision: 'b' }), true);
  t.equal(stands(now, { number: 3, decision: 'a' }), false, 'the same number of another decision (two clones)');
  t.equal(stands(now, { number: 2, decision: 'b' }), false);
  t.end();
});

t.test('G1: of the Job of a Round its Goal decides', (t) => {
  t.same(nextCommands(job('abcd', { state: 'review', goal: 'gggg', round: 1 })), ['git owl show gggg']);
  t.end();
});

t.test('00: what is said to run next is a verb that this state has, and none that destroys', (t) => {
  const reading = ['show', 'log', 'review', 'handoff', 'run'];
  fc.assert(
    fc.property(
      anyMove,
      fc.constantFrom('conflict', 'checks-failed', 'nothing-changed', 'agent-blocked', 'x'),
      (move, code) => {
        const found = job('abcd', {
          state: move.to,
          reason: { code, text: 'why' },
          dropped: move.event === 'drop' ? { state: move.state, tip: null, at: NOW } : null,
        });
        const commands = nextCommands(found);
        return (
          commands.length > 0 &&
          commands.every((command) => {
            const verb = command.split(' ')[2] ?? '';
            return (
              verb !== 'drop' && verb !== 'cancel' && (reading.includes(verb) || mayHappen(move.to, verb as JobEvent))
            );
          })
        );
      },
    ),
  );
  t.end();
});
