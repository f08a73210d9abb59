// What a person sees: views over published fields, as snapshots, without colour and in a pipe; and the published fields themselves.

import t from 'tap';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import { JOB_FIELDS, type JobFacts, jobFields, runFields } from '../../../src/output/job-fields.js';
import type { JobReview } from '../../../src/output/review-fields.js';
import { createTheme, plainTheme } from '../../../src/output/theme.js';
import { eventFields, eventsView } from '../../../src/output/views/events.js';
import { type ListItem, listView, whyNot } from '../../../src/output/views/list.js';
import { reviewView } from '../../../src/output/views/review.js';
import { runLines, showView } from '../../../src/output/views/show.js';
import { type StatusData, statusView } from '../../../src/output/views/status.js';
import { statusShort } from '../../../src/output/views/status-short.js';
import { job, NOW, run } from '../../fixtures/records.js';

const now = Date.parse('2024-05-06T10:00:00Z');
const terminal = createTheme({ level: 0, terminal: true, unicode: true });
const colored = createTheme({ level: 1, terminal: true, unicode: true });
const pipe = plainTheme();
const WIDE = 100;
const one = '1'.repeat(40) as Oid;
const two = '2'.repeat(40) as Oid;
const BASE = { ref: 'refs/remotes/origin/main', oid: one };

const facts = (change: Partial<JobFacts> = {}): JobFacts => ({
  branch: 'owl/k3x9qp/work',
  tip: two,
  base: BASE,
  worktree: null,
  ...change,
});

const check = { name: 'test', run: 'npm test', status: 'failed', exit: 1, ms: 61_000, digest: 'd' } as const;
const proof = {
  tip: two,
  base: one,
  config: null,
  passed: true,
  checks: [{ ...check, status: 'passed', exit: 0 }],
  at: NOW,
} as const;

const items: readonly ListItem[] = [
  jobFields(
    job('actv', {
      state: 'active',
      phase: 'execute',
      claim: {
        run: 'r1',
        host: 'box\x1b',
        boot: 'b',
        namespace: 'n',
        pid: 7,
        start: '1',
        since: '2024-05-06T09:55:00Z',
      },
    }),
    facts(),
  ),
  jobFields(
    job('dead', {
      state: 'active',
      claim: { run: 'r1', host: 'box', boot: 'b', namespace: 'n', pid: 7, start: '1', since: NOW },
    }),
    facts({ dead: true }),
  ),
  jobFields(job('rvw1', { state: 'review', verification: proof }), facts()),
  jobFields(job('rvw2', { state: 'review', verification: proof }), facts({ base: { ...BASE, oid: two } })),
  jobFields(job('rvw3', { state: 'review' }), facts()),
  jobFields(
    job('escl', {
      state: 'escalated',
      reason: { code: 'landing-conflict', text: 'merging met a conflict', paths: ['a b.txt'] },
    }),
    facts(),
  ),
  jobFields(
    job('blkd', {
      state: 'blocked',
      title: 'evil\u202e\x1b[2J',
      reason: { code: 'conflict', text: 'the base changed the same lines' },
    }),
    facts(),
  ),
  jobFields(job('exhs', { state: 'exhausted', ttl: 0, runs: 10 }), facts()),
  jobFields(job('nxt1'), facts({ tip: null })),
  { ...jobFields(job('wait', { needs: ['nxt1'] }), facts({ tip: null })), waits: 'needs nxt1, which is pending' },
];

t.test('06: the published fields of a Job', async (t) => {
  const published = jobFields(job('k3x9qp', { onto: BASE, tip: two, verification: proof }), facts({ worktree: '/w' }));
  t.matchSnapshot(JSON.stringify(published, null, 2), 'a Job');
  t.same(
    Object.keys(published).filter((key) => !(JOB_FIELDS as readonly string[]).includes(key)),
    [],
    'all are known to --format',
  );
  t.same(
    JOB_FIELDS.filter((field) => !(field in published)),
    ['elsewhere', 'live'],
    'a missing field means that it does not apply',
  );
});

t.test('J28: verified is void when either tip moves', async (t) => {
  const verified = (change: Partial<JobFacts>, state: 'review' | 'done' = 'review', passed = true): string =>
    jobFields(job('k3x9qp', { state, verification: { ...proof, passed } }), facts(change)).verified;
  t.equal(verified({}), 'current');
  t.equal(verified({ tip: one }), 'void');
  t.equal(verified({ tip: null }), 'void', 'the branch is gone');
  t.equal(verified({ base: { ...BASE, oid: two } }), 'void');
  t.equal(verified({ base: null }), 'current', 'an unknown base is no move');
  t.equal(verified({}, 'review', false), 'none', 'failed checks verify nothing');
  t.equal(verified({ tip: null }, 'done'), 'current', 'a closed Job keeps what it was closed with');
  t.equal(jobFields(job('k3x9qp'), facts()).verified, 'none');
});

t.test('06: the published fields of a Run', async (t) => {
  t.matchSnapshot(JSON.stringify(runFields(run('r1', 'k3x9qp', 2, { checks: [check] })), null, 2), 'a Run');
});

t.test('06: list', async (t) => {
  t.matchSnapshot(listView(items, terminal, WIDE, { now }).join('\n'), 'on a terminal');
  t.matchSnapshot(listView(items, terminal, 60, { now }).join('\n'), 'on a narrow terminal');
  t.matchSnapshot(listView(items, colored, WIDE, { now }).join('\n').replaceAll('\x1b', '<ESC>'), 'in colour');
  t.matchSnapshot(listView(items, pipe, Number.POSITIVE_INFINITY, { now }).join('\n'), 'in a pipe');
  t.same(listView([], terminal, WIDE, { now }), ['nothing is queued']);
  t.same(listView([], pipe, WIDE, { now }), [], 'nothing in a pipe is no line');
  for (const theme of [terminal, colored, pipe]) {
    t.notMatch(
      listView(items, theme, WIDE, { now })
        .join('')
        .replace(/\x1b\[\d+m/g, ''),
      /[\x1b\u202e]/,
      'nothing foreign is obeyed',
    );
  }
});

const status = (change: Partial<StatusData> = {}): StatusData => ({
  initialized: true,
  counts: { pending: 2, active: 2, blocked: 1, review: 3, escalated: 1, exhausted: 1 },
  items,
  checkouts: [{ path: '/home/ada/repo', ref: 'refs/heads/main', why: 'README.md has local changes' }],
  unfinished: ['refs/owl/keep/zzzz keeps uncommitted work of run 2'],
  notes: ['main is ahead of origin/main by 1 merge'],
  next: ['git owl review rvw1', 'git owl merge rvw1'],
  ...change,
});

t.test('06, G35: a list says how closed Jobs were closed, and what landed of them', (t) => {
  const merged = { by: 'owl', ref: branchRef('main'), before: one, after: two, commits: 1, files: 1, at: NOW } as const;
  const why = (change: Parameters<typeof job>[1]): string | null => whyNot(jobFields(job('k3x9qp', change), facts()));
  t.equal(why({ state: 'done', merged }), 'merged into main as 2222222222');
  t.equal(why({ state: 'done', merged: { ...merged, by: 'hand', after: null } }), 'merged by hand into main');
  t.equal(why({ state: 'done' }), 'accepted, not merged');
  t.equal(why({ state: 'cancelled' }), null);
  t.equal(why({ state: 'cancelled', merged }), 'cancelled, but merged into main as 2222222222');
  t.equal(why({ state: 'cancelled', merged, reverted: true }), null);
  t.end();
});

t.test('06: status', async (t) => {
  t.matchSnapshot(statusView(status(), terminal, WIDE, now).join('\n'), 'everything at once');
  t.matchSnapshot(
    statusView(status({ items: [], counts: {}, checkouts: [], unfinished: [], notes: [] }), terminal, WIDE, now).join(
      '\n',
    ),
    'nothing open',
  );
  t.matchSnapshot(
    statusView(
      status({ initialized: false, items: [], counts: {}, checkouts: [], unfinished: [], notes: [] }),
      pipe,
      WIDE,
      now,
    ).join('\n'),
    'never used',
  );
  t.equal(statusShort({ active: 1, pending: 3, review: 2, done: 9 }), '3 pending 1 active 2 review');
  t.equal(statusShort({}), 'idle');
});

t.test('06: show and review', async (t) => {
  const data = {
    job: {
      ...jobFields(
        job('k3x9qp', {
          state: 'blocked',
          onto: BASE,
          runs: 1,
          reason: { code: 'conflict', text: 'conflict', paths: ['a\nb'], onto: BASE },
        }),
        facts(),
      ),
      prompt: 'make it\n\x1b[1mso',
    },
    runs: [
      runFields(
        run('r1', 'k3x9qp', 1, {
          outcome: 'failed',
          started: NOW,
          ended: '2024-05-06T09:04:12Z',
          onto: BASE,
          fetch: { status: 'failed', remote: 'origin', reason: 'timed out' },
          agent: { name: 'worker', preset: null, account: null },
          exit: { code: 1, signal: null },
          ended_by: 'stall',
          usage: { input: 10, output: 20, turns: 1, cost: 0.5 },
          checks: [check],
          notes: ['changed while it ran: refs/tags/x'],
          reason: { code: 'limit-passed', text: 'no sign of life for 15m' },
        }),
      ),
    ],
    failures: [{ ...check, status: 'failed' as const, exit: 3, output: `one\n\x1b[2Jtwo\n${'more\n'.repeat(20)}` }],
    policy: [{ key: 'ttl', value: '10', origin: 'built-in' }],
    branchless: false,
    guarded: ['.github/workflows/ci.yml'],
    kept: [{ subject: 'wip of run 1', oid: two }],
    next: ['git owl retry k3x9qp --restart'],
  };
  t.matchSnapshot(showView(data, terminal, WIDE, now).join('\n'), 'show');
  t.matchSnapshot(
    runLines(runFields(run('r2', 'k3x9qp', 2, { started: NOW })), terminal, now).join('\n'),
    'a live Run',
  );
  const review: JobReview = {
    job: data.job,
    prompt: 'make it so',
    handoff: '# Plan\n\nWrite tabs.\n',
    commits: [{ oid: two, subject: 'Write\x1btabs' }],
    files: [
      { path: 'src/a b.ts', added: 12, removed: 3 },
      { path: 'logo.png', added: null, removed: null },
    ],
    checks: [check],
    failures: [],
    notable: [
      { kind: 'guarded', path: '.ci/run', what: 'a guarded path' },
      { kind: 'mode', path: 'run.sh', what: 'made executable' },
    ],
    summaries: [
      { agent: 'worker', of: 'execute', text: 'All\x1bdone.', candidate: { base: one, tip: two }, current: false },
    ],
    guarded: ['.ci/run'],
    questions: ['the Handoff is stale'],
    undo: [{ verb: 'git owl cancel k3x9qp', why: 'nothing has landed', git: null }],
    next: ['git owl merge k3x9qp'],
  };
  t.matchSnapshot(reviewView(review, terminal).join('\n'), 'review');
});

t.test('06: events', async (t) => {
  const event = eventFields({
    commit: one,
    event: 'job.added',
    subject: 'job k3x9qp: added',
    job: 'k3x9qp',
    goal: null,
    run: null,
    actor: 'Ada <ada@example.com>',
    op: 'o',
    request: null,
    time: NOW,
    open: { pending: 1 },
  });
  t.notOk('op' in event, 'operation ids are ours');
  t.matchSnapshot(eventsView([event], terminal, WIDE, now).join('\n'), 'events on a terminal');
  t.matchSnapshot(eventsView([event], pipe, WIDE, now).join('\n'), 'events in a pipe');
  t.same(eventsView([], pipe, WIDE, now), []);
});
