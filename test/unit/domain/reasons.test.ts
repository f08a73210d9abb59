// Why something waits or is blocked, in words (06; G40).

import t from 'tap';
import { pathsBeside } from '../../../src/domain/reasons.js';

t.test('G40: no message says a path twice, and none is left out', (t) => {
  const beside = (text: string, ...paths: string[]) => pathsBeside(text, paths);
  t.same(pathsBeside('2 paths conflict'), []);
  t.same(beside('2 paths conflict', 'a', 'b.txt'), ['a', 'b.txt']);
  for (const text of [
    'a was changed',
    'somebody changed a',
    'somebody changed a.',
    'changed: a, c',
    'changed (a)',
    'changed `a`; look',
    "changed 'a'",
    'changed "a": look',
    'a. Then more',
  ])
    t.same(beside(text, 'a', 'b'), ['b'], text);
  for (const text of ['a.txt was changed', 'src/a was changed', 'a/b was changed', 'bar', 'a-b', 'xa', 'a..'])
    t.same(beside(text, 'a'), ['a'], `${text}: another path`);
  t.same(beside('xa and then a', 'a'), [], 'a later place counts');
  t.same(beside('changed my file.txt, really', 'my file.txt', 'file.txt'), [], 'with a space in it');
  t.end();
});
