// Text on its way out: what is escaped, coloured, measured, fitted, formatted and wrapped in JSON.

import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import t from 'tap';
import { OwlError } from '../../../src/domain/errors.js';
import { parseColorWish } from '../../../src/git/color.js';
import { type ColorFacts, decideColor, isUnicode } from '../../../src/output/color.js';
import { escapeJson, escapeLine, escapeLines, escapeText, guardActions } from '../../../src/output/escape.js';
import { arrange, fieldOf, formatRows, parseFormat, sayValue } from '../../../src/output/format.js';
import { encodeJson, failure, success } from '../../../src/output/json.js';
import { createLive } from '../../../src/output/progress-live.js';
import { createStreams, type Sink } from '../../../src/output/streams.js';
import { table } from '../../../src/output/table.js';
import { createTheme, plainTheme } from '../../../src/output/theme.js';
import { sayAge, sayLength } from '../../../src/output/time.js';
import { cut, widthOf } from '../../../src/output/width.js';

const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/;

t.test('06: control and bidirectional characters are shown, not obeyed', async (t) => {
  t.equal(escapeLine('\x1b[31mred\x07\u009b2J'), '\\x1b[31mred\\x07\\x9b2J');
  t.equal(escapeLine('a\nb\tc\rd'), 'a\\nb\\tc\\rd');
  t.equal(escapeLine('user\u202egpj.exe\u2066x\u200fy'), 'user\\u202egpj.exe\\u2066x\\u200fy');
  t.equal(escapeLine('tag\u{e0041}lone\ud800'), 'tag\\u{e0041}lone\\ud800');
  t.equal(escapeLine('Grüße 日本 👩‍👩‍👧'), 'Grüße 日本 👩‍👩‍👧', 'text stays, joined emoji too');
  t.equal(escapeText('a\r\n\tb\x1b\n'), 'a\n        b\\x1b\n');
  t.same(escapeLines('one\ntwo\n'), ['one', 'two']);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => !UNSAFE.test(escapeLine(text)) && !escapeLine(text).includes('\n'),
    ),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => escapeLine(escapeLine(text)) === escapeLine(text)));
});

t.test('06: under GITHUB_ACTIONS no line is a workflow command', async (t) => {
  t.equal(guardActions('::set-output name=x::y'), '\\x3a:set-output name=x::y');
  t.equal(guardActions('  ::error::x'), '  \\x3a:error::x');
  t.equal(guardActions('say ##[error]x'), 'say #\\x23[error]x');
  t.equal(guardActions('Foo::bar'), 'Foo::bar');
  const lines = await printed({ GITHUB_ACTIONS: 'true' }, (streams) => streams.stdout.line('::stop-commands::x'));
  t.equal(lines, '\\x3a:stop-commands::x\n');
  t.equal(await printed({}, (streams) => streams.stdout.line('::x')), '::x\n');
});

t.test('06: JSON keeps the value and is safe on a terminal', async (t) => {
  const value = { text: 'a\u009bb\u202e"\\\n\x7f日' };
  const json = escapeJson(JSON.stringify(value));
  t.notMatch(json, UNSAFE);
  t.same(JSON.parse(json), value);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const encoded = escapeJson(JSON.stringify(text));
      return JSON.parse(encoded) === text && !UNSAFE.test(encoded);
    }),
  );
  t.equal(encodeJson(success('list', { items: [] })), '{"schema":"git-owl/list/v1","ok":true,"data":{"items":[]}}\n');
  const error = { code: 'busy', message: 'm', preserved: ['p'], next: ['git owl status'] };
  t.same(failure(error), { schema: 'git-owl/error/v1', ok: false, error });
  t.same(failure(error, { kind: 'job', value: 1 }), {
    schema: 'git-owl/error/v1',
    ok: false,
    error,
    kind: 'job',
    data: 1,
  });
});

t.test('06: colour is decided by option, variables, Git, terminal, in that order', async (t) => {
  const facts = (change: Partial<ColorFacts>): ColorFacts => ({
    choice: undefined,
    variables: {},
    terminal: true,
    depth: () => 8,
    configured: () => true,
    ...change,
  });
  const level = (change: Partial<ColorFacts>): number => decideColor(facts(change));
  t.equal(level({}), 2);
  t.equal(level({ depth: () => 24 }), 3);
  t.equal(level({ depth: () => 1 }), 0);
  t.equal(level({ terminal: false }), 0);
  t.equal(level({ configured: () => false }), 0, 'color.owl or color.ui');
  t.equal(level({ variables: { TERM: 'dumb' } }), 0);
  t.equal(level({ variables: { NO_COLOR: '1' } }), 0);
  t.equal(level({ variables: { NO_COLOR: '' } }), 2, 'an empty NO_COLOR says nothing');
  t.equal(level({ variables: { NO_COLOR: '1', FORCE_COLOR: '3' } }), 3, 'FORCE_COLOR is stronger');
  t.equal(level({ terminal: false, variables: { FORCE_COLOR: '' } }), 1);
  t.equal(level({ variables: { FORCE_COLOR: '0' } }), 0);
  t.equal(level({ choice: 'never', variables: { FORCE_COLOR: '3' } }), 0);
  t.equal(level({ choice: 'always', terminal: false, variables: { NO_COLOR: '1' } }), 1);
  t.equal(level({ choice: 'always', depth: () => 1 }), 1);
  t.equal(level({ choice: 'auto', variables: { NO_COLOR: '1' } }), 0);
  const never = (): boolean => t.fail('Git is not asked without need');
  level({ terminal: false, configured: never });
  level({ choice: 'always', configured: never });
  level({ variables: { NO_COLOR: '1' }, configured: never });
  t.equal(parseColorWish('color.ui\nfalse\0'), false);
  t.equal(parseColorWish('color.ui\nalways\0color.owl\nnever\0'), false, 'color.owl before color.ui');
  t.equal(parseColorWish('color.ui\nnever\0owl.color\nauto\0'), true);
  t.equal(parseColorWish('color.ui\nfalse\0color.ui\ntrue\0'), true, 'the last value counts');
  t.equal(parseColorWish('color.ui\0'), true, 'a key without a value is true');
  t.equal(parseColorWish(''), true);
  t.equal(isUnicode({ LANG: 'en_US.UTF-8' }), true);
  t.equal(isUnicode({ LANG: 'en_US.UTF-8', LC_ALL: 'C' }), false);
});

t.test('06: roles escape what they are given; without colour they add nothing', async (t) => {
  const colored = createTheme({ level: 1, terminal: true, unicode: true });
  t.equal(colored.id('k3\x1b'), '\x1b[33mk3\\x1b\x1b[39m');
  t.equal(colored.state('blocked'), '\x1b[31mblocked\x1b[39m');
  t.equal(colored.state('odd\x1b'), 'odd\\x1b');
  t.equal(colored.id(''), '');
  const plain = plainTheme();
  t.equal(plain.id('k3'), 'k3');
  t.notMatch(Object.values(plain.glyphs).join(''), /[^ -~]/, 'ASCII where the locale says no UTF-8');
});

t.test('06: --format in the way of git for-each-ref', async (t) => {
  const rows = [
    {
      id: 'a',
      base: { ref: 'r', oid: null },
      labels: ['x', 'y'],
      reason: { code: 'c', text: 'why' },
      merged: { by: 'owl' },
      ttl: 3,
    },
  ];
  const fields = ['id', 'base', 'labels', 'reason', 'merged', 'ttl'];
  const say = (format: string): string => formatRows(rows, format, fields)[0] ?? '';
  t.equal(say('%(id) %(base.ref)|%(base.oid)|%(base.none)'), 'a r||');
  t.equal(say('%%(id)%00%0a%(ttl)%'.slice(0, -1)), '%(id)\0\n3');
  t.equal(say('%(labels)'), 'x,y');
  t.equal(say('%(reason) %(reason.code)'), 'why c');
  t.equal(say('%(merged)'), '{"by":"owl"}');
  t.equal(say(''), '');
  t.equal(fieldOf({ a: 1 }, '__proto__'), undefined);
  t.equal(fieldOf({ a: [1] }, 'a.length'), undefined);
  t.equal(sayValue(undefined), '');
  t.throws(() => say('%(titel)'), { code: 'usage', message: '--format has no field "titel"' });
  t.throws(() => say('%(lables)'), { code: 'usage', message: '--format has no field "lables"; did you mean labels?' });
  t.throws(() => parseFormat('%(id'), { code: 'usage' });
  t.throws(() => parseFormat('100%'), OwlError);
  t.same(formatRows([], '%(anything)', []), [], 'an empty list without known fields refuses nothing');
  t.throws(() => formatRows([], '%(anything)', ['id']), { code: 'usage' });
});

t.test('06: --sort and --limit', async (t) => {
  const rows = [
    { id: 'b', n: 10, s: { x: 'q' } },
    { id: 'a', n: 9, s: { x: 'q' } },
    { id: 'c', n: 9, s: { x: 'p' } },
  ];
  const fields = ['id', 'n', 's'];
  const order = (sort: string[], limit?: number): string =>
    arrange(rows, { sort, limit }, fields)
      .map((at) => rows[at]?.id)
      .join('');
  t.equal(order([]), 'bac');
  t.equal(order(['id']), 'abc');
  t.equal(order(['-id']), 'cba');
  t.equal(order(['n']), 'acb', 'numbers as numbers; equal ones keep their order');
  t.equal(order(['id', '-n']), 'bac', 'the last key counts most');
  t.equal(order(['s.x', 'n']), 'cab');
  t.equal(order(['id'], 2), 'ab');
  t.equal(order([], 0), '');
  t.throws(() => order(['-nn']), { code: 'usage', message: '--sort has no field "nn"; did you mean n?' });
});

t.test('06: tables fit a terminal, never hide an id, and are tab-separated in a pipe', async (t) => {
  const columns = [
    { title: 'id' },
    { title: 'n', right: true },
    { title: 'title', cut: true },
    { title: 'why', cut: true },
  ];
  const rows = [
    [
      { text: 'k3x9qp', role: 'id' as const },
      { text: '7' },
      { text: 'make the parser accept 日本 tabs' },
      { text: 'a very long reason indeed, too long for this' },
    ],
    [{ text: 'abcdefghijklmnop', role: 'id' as const }, { text: '10' }, { text: 'x\ny' }, { text: '' }],
  ];
  const terminal = createTheme({ level: 0, terminal: true, unicode: true });
  for (const width of [200, 80, 60, 40]) {
    const lines = table(terminal, width, columns, rows);
    t.ok(
      lines.every((line) => widthOf(line) <= Math.max(width, 16 + 2 + 2 + 2 + 8 + 2 + 8)),
      `${width} columns`,
    );
    t.match(lines[2], /^abcdefghijklmnop /, 'the id is whole');
  }
  t.equal(
    table(terminal, 200, columns, rows)[1],
    'k3x9qp             7  make the parser accept 日本 tabs  a very long reason indeed, too long for this',
  );
  t.match(table(terminal, 60, columns, rows)[1], /…/);
  t.same(table(terminal, 80, columns, []), []);
  t.same(table(plainTheme(), Number.POSITIVE_INFINITY, columns, rows), [
    'k3x9qp\t7\tmake the parser accept 日本 tabs\ta very long reason indeed, too long for this',
    'abcdefghijklmnop\t10\tx\\ny\t',
  ]);
  t.equal(cut('日本語', 4), '日本');
  t.equal(cut('日本語', 3), '日');
});

t.test('06: times for people', async (t) => {
  const now = Date.parse('2026-01-02T03:04:05Z');
  t.equal(sayAge('2026-01-02T03:04:00Z', now), 'just now');
  t.equal(sayAge('2026-01-02T03:03:05Z', now), '1m ago');
  t.equal(sayAge('2026-01-01T00:00:00Z', now), '1d ago');
  t.equal(sayAge('2026-01-02T05:04:05Z', now), 'in 2h');
  t.equal(sayAge('never', now), 'never');
  t.equal(sayLength(0), '0s');
  t.equal(sayLength(252_000), '4m12s');
  t.equal(sayLength(3_600_000), '1h');
  t.equal(sayLength(93_784_000), '1d2h');
  t.equal(sayLength(-5), '0s');
});

t.test('06: progress is plain lines where no terminal is, and nothing under -q', async (t) => {
  const steps = (streams: ReturnType<typeof createStreams>): void => {
    streams.progress.step('fetching \x1b');
    streams.progress.detail('not shown');
    streams.progress.note('done');
    streams.progress.done();
  };
  t.equal(await printed({}, steps, { to: 'stderr' }), 'fetching \\x1b\ndone\n');
  t.equal(await printed({}, steps, { to: 'stderr', quiet: true }), '');
  t.equal(await printed({}, (streams) => streams.warn('look'), { to: 'stderr', quiet: true }), 'look\n');
});

t.test('06: the live line stays on one line and goes away', async (t) => {
  const text = await printed(
    {},
    (streams) => {
      streams.progress.step('a very long step that does not fit at all');
      streams.warn('a warning');
      streams.progress.done();
    },
    { to: 'stderr', columns: 20 },
  );
  const shown = text.split('\r\x1b[2K');
  t.ok(
    shown.every((part) => part === 'a warning\n' || widthOf(part) <= 19 || part.startsWith('a warning\n')),
    JSON.stringify(text),
  );
  t.equal(shown.at(-1), '', 'nothing is left');
  t.match(text, 'a warning\n');
});

t.test('06: a reader that goes away is no fault; another error is', async (t) => {
  const outcome = async (code: string): Promise<{ failure: Error | null; closed: boolean }> => {
    const sink = new PassThrough() as Sink;
    const { stdout } = createStreams({ ...base({}), stdout: sink });
    sink.emit('error', Object.assign(new Error(code), { code }));
    stdout.line('more');
    await stdout.flush();
    return { failure: stdout.failure(), closed: stdout.closed.aborted };
  };
  t.same(await outcome('EPIPE'), { failure: null, closed: true });
  t.match(await outcome('ENOSPC'), { failure: { message: 'ENOSPC' }, closed: true });
});

const base = (variables: Record<string, string>) => ({
  stdin: new PassThrough(),
  stdout: new PassThrough() as Sink,
  stderr: new PassThrough() as Sink,
  variables,
  color: undefined,
  configured: () => false,
  quiet: false,
  live: null,
});

/** What a stream got. With `columns` it is a terminal of that width. */
async function printed(
  variables: Record<string, string>,
  use: (streams: ReturnType<typeof createStreams>) => void,
  how: { readonly to?: 'stdout' | 'stderr'; readonly quiet?: boolean; readonly columns?: number } = {},
): Promise<string> {
  const options = base(variables);
  const sink = Object.assign(
    new PassThrough(),
    how.columns === undefined ? {} : { isTTY: true, columns: how.columns },
  ) as Sink & PassThrough;
  const chunks: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => chunks.push(chunk));
  const live = how.columns === undefined ? null : createLive;
  const streams = createStreams({ ...options, [how.to ?? 'stdout']: sink, quiet: how.quiet ?? false, live });
  use(streams);
  await new Promise((resolve) => setImmediate(resolve));
  return Buffer.concat(chunks).toString('utf8');
}
