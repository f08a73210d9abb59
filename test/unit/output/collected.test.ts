// What `gc` prints for people: each thing with its reason, and what simply stays in groups where it is much (04).

import t from 'tap';
import { COLLECT_REASONS } from '../../../src/domain/collect-reasons.js';
import { createTheme, plainTheme } from '../../../src/output/theme.js';
import { type CollectedItem, collectedView } from '../../../src/output/views/collected.js';

const terminal = createTheme({ level: 0, terminal: true, unicode: true });
const WIDTH = 100;
const LONG =
  'a reason that goes on and on, well beyond what a terminal of a hundred columns has room for in one line of it';

const item = (subject: string, change: Partial<CollectedItem> = {}): CollectedItem => ({
  kind: 'branch',
  subject,
  job: null,
  action: 'none',
  reason: 'open-job',
  detail: 'job x is pending',
  result: 'none',
  proof: [],
  ...change,
});
const many = (count: number, change: Partial<CollectedItem> = {}): readonly CollectedItem[] =>
  Array.from({ length: count }, (_, at) => item(`refs/heads/owl/job${at}/work`, change));

t.test('04: much that stays for one reason is one line with its count, and all of it is to be had', async (t) => {
  const items = [
    ...many(30),
    ...many(4, { kind: 'kept' }),
    item('refs/heads/refine/done/round-1', { action: 'retire', reason: 'goal-closed', result: 'done', detail: 'gone' }),
    ...many(9, { action: 'report', reason: 'uncommitted', detail: 'it has work' }),
    ...many(9, { action: 'none', reason: 'declined', result: 'kept', detail: 'origin said no' }),
  ];
  const lines = collectedView(items, terminal, WIDTH, { all: false });
  const stays = lines.filter((line) => line.startsWith('stays'));
  t.equal(stays.length, 5, '4 of a few, and 1 of many');
  t.match(
    stays.find((line) => /30 of them/.test(line)),
    new RegExp(`branch +30 of them +open-job +${COLLECT_REASONS['open-job']}`),
  );
  t.equal(lines.filter((line) => /^(unfinished|kept|done) /.test(line)).length, 19, 'what matters is never grouped');
  t.match(lines.at(-2), /30 .* git owl gc --dry-run --all/);
  t.equal(lines.at(-1), '1 thing settled, 9 kept after all, 9 things unfinished');

  const all = collectedView(items, terminal, WIDTH, { all: true });
  t.equal(all.filter((line) => line.startsWith('stays')).length, 34);
  t.notMatch(all.join('\n'), /--all/);
  t.equal(
    collectedView(items, plainTheme(), WIDTH, { all: false }).length,
    items.length + 1,
    'a pipe gets a line for each',
  );
});

t.test('04: no reason is cut', async (t) => {
  const [, line = ''] = collectedView([item('refs/heads/owl/x/work', { detail: LONG })], terminal, WIDTH, {
    all: false,
  });
  t.ok(line.endsWith(LONG), line);
});
