// The table of promises in CONTRIBUTING.md: every test that it names is there.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = join(import.meta.dirname, '../../..');
const table = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').match(/^## Promises\n[\s\S]*?(?=^## )/m)?.[0] ?? '';

/** The names of a file's tests, as they are written there. */
const namesIn = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\bt\.test\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g)].map(([, , name]) =>
    (name ?? '').replace(/\\(.)/g, '$1'),
  );

t.test('00: every test that the table of promises names exists, and every row names one', async (t) => {
  const rows = table.split('\n').filter((line) => /^\| (?!promise \||-)/.test(line));
  const later = table.slice(table.indexOf('### For a later issue'));
  const proven = rows.filter((row) => !later.includes(row));
  t.ok(proven.length >= 70, `${proven.length} promises`);
  t.ok(later.split('\n').length > 6, 'what waits is named');
  for (const row of proven) {
    const [, promise = '', number = ''] = row.split(' | ').length > 2 ? (/^\| (.*?) \| (.*?) \|/.exec(row) ?? []) : [];
    t.match(number, /^(?:[JGMS]\d+|\d\d)/, `${promise}: its number`);
    const tests = [...row.matchAll(/`((?:unit|e2e|contract)\/[\w/-]+)` "([^"]+)"/g)];
    t.ok(tests.length > 0, `${promise}: its test`);
    for (const [, file = '', name = ''] of tests) {
      const path = join(root, 'test', `${file}.test.ts`);
      const found = existsSync(path) && namesIn(path).some((one) => one.includes(name));
      t.ok(found, `${promise}: test/${file}.test.ts has "${name}"`);
    }
  }
});
