// What a check printed on its way into a record: nothing of a passed variable or a copied file, and no path of this machine (01, Records).

import { t } from 'tap';
import { type Masks, maskedEnd, OF_A_RECORD, TRAVELS, valuesIn, withRoom } from '../../../src/domain/mask.js';

const masks = (values: readonly string[], paths: Readonly<Record<string, string>> = {}): Masks => ({
  values,
  paths: new Map(Object.entries(paths)),
});

t.test('01: values are hidden wherever they stand, also as JSON, URLs and base64 write them', async (t) => {
  const secret = 'p"ss/wörd 42';
  const said = [
    secret,
    `x${secret}y`,
    JSON.stringify({ secret }),
    `https://host/?key=${encodeURIComponent(secret)}`,
    Buffer.from(secret).toString('base64'),
    Buffer.from(`${secret}\n`).toString('base64'),
  ];
  const text = maskedEnd(said.join('\n'), masks([secret]));
  t.equal(text.split('\n').length, said.length);
  for (const line of text.split('\n')) t.match(line, /\*\*\*/);
  t.notMatch(text, /ss.*rd/);
  t.equal(maskedEnd('a key: line one\nline two\n', masks(['line one\nline two'])), 'a key: ***\n');
  t.equal(maskedEnd('> line two\n', masks(['line one\nline two'])), '> ***\n', 'each line of it');
});

t.test('01: a short value is a word of its own, and an empty one is none', async (t) => {
  const hidden = masks(['1', 'true', 'ada', '', ' ']);
  t.equal(maskedEnd('1 of 10 is true, ada: structrue adaptive', hidden), '*** of 10 is ***, ***: structrue adaptive');
  t.equal(maskedEnd('a longer secret, a secret', masks(['secret', 'longer secret'])), 'a ***, a ***');
  t.equal(maskedEnd('$& (.*) [x]', masks(['(.*) [x]'])), '$& ***', 'no pattern');
});

t.test('01: paths of this machine are said without it', async (t) => {
  const paths = masks(['secret'], { '/home/ada': '~', '/home/ada/data/job': '.', '/': 'never' });
  t.equal(
    maskedEnd('/home/ada/data/job/src/a.ts:3 in /home/ada/data/job, /home/ada/x, /home/adam, /usr/bin', paths),
    './src/a.ts:3 in ., ~/x, /home/adam, /usr/bin',
  );
});

t.test('01: of a long output its end travels, from a whole line on, and no half of a value', async (t) => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at} with a-long-secret-value-${at % 7}`);
  const secrets = Array.from({ length: 7 }, (_, at) => `a-long-secret-value-${at}`);
  const text = maskedEnd(lines.join('\n'), masks(secrets));
  t.ok(text.length <= TRAVELS);
  t.match(text, /^line \d+ with \*\*\*\n/);
  t.ok(text.endsWith('line 19999 with ***'));
  t.notMatch(text, /secret/);
  // One line, cut anywhere: at every offset of the cut.
  const long = 'abcdefghijklmnopqrstuvwxyz0123456789';
  for (let at = 0; at < long.length; at += 1)
    t.notMatch(maskedEnd(`${long.repeat(4_000)}${'.'.repeat(at)}`, masks([long])), /[a-z0-9]{3}/, `${at}`);
});

t.test('01: whatever checks print, a record of it stays far below what a record may be', async (t) => {
  const outputs = Array.from({ length: 100 }, (_, at): [string, string] => [`check ${at}`, '\u0001'.repeat(TRAVELS)]);
  const kept = withRoom([['empty', ''], ['first', 'said'], ...outputs, ['last', 'said']]);
  t.ok(JSON.stringify([...kept]).length < 1.5 * OF_A_RECORD);
  t.same([...kept.keys()].slice(0, 2), ['first', 'check 0'], 'the first ones first');
  t.ok(kept.has('last'), 'and what there is room for');
  t.notOk(kept.has('empty'));
});

t.test('01, J15: the values of a file of settings', async (t) => {
  const values = valuesIn(
    [
      '# not a value: but a line',
      'DATABASE_URL="postgres://ada:hunter2@db.example.com/app"',
      "export TOKEN='tok-en'",
      'port: 8080',
      '{ "password": "sesame", "list": ["one more"] }',
      '---',
      '',
      'a bare line',
    ].join('\n'),
  );
  for (const value of [
    'hunter2',
    'postgres://ada:hunter2@db.example.com/app',
    'tok-en',
    '8080',
    'sesame',
    'one more',
    'a bare line',
  ])
    t.ok(values.includes(value), value);
  for (const name of ['DATABASE_URL', 'password', 'port', '---', '']) t.notOk(values.includes(name), name);
});
