// What is listed on top of a review (G50).

import t from 'tap';
import { addedLines, notableChanges } from '../../../src/domain/notable.js';

const file = (path: string, oldMode: string, newMode: string) => ({ path, oldMode, newMode });
const NONE = '000000';
const RLO = '\u202e';

t.test('G50: attributes, modes, links, gitlinks, guarded paths and bidirectional characters', (t) => {
  const files = [
    file('plain.txt', '100644', '100644'),
    file('deep/.gitattributes', NONE, '100644'),
    file('run.sh', '100644', '100755'),
    file('new.sh', NONE, '100755'),
    file('tame.sh', '100755', '100644'),
    file('gone.sh', '100755', NONE),
    file('link', NONE, '120000'),
    file('was-a-file', '100644', '120000'),
    file('other-link', '120000', '120000'),
    file('lib', '160000', '160000'),
    file('old-lib', '160000', NONE),
    file(`a${RLO}b`, NONE, '100644'),
  ];
  const added = new Map([
    ['plain.txt', ['fine', `if (${RLO}admin)`]],
    ['calm.txt', ['caf\u00e9']],
  ]);
  t.same(
    notableChanges(files, added, ['.github/workflows/ci.yml']).map(
      ({ kind, path, what }) => `${kind} ${path}: ${what}`,
    ),
    [
      'attributes deep/.gitattributes: attributes are changed',
      'mode run.sh: made executable',
      'mode new.sh: a new executable file',
      'mode tame.sh: no longer executable',
      'symlink link: a symbolic link is added',
      'symlink was-a-file: a file becomes a symbolic link',
      'symlink other-link: a symbolic link points elsewhere',
      'gitlink lib: a submodule points elsewhere',
      'gitlink old-lib: a submodule is removed',
      'guarded .github/workflows/ci.yml: a guarded path',
      `bidirectional a${RLO}b: its name has bidirectional characters`,
      'bidirectional plain.txt: 1 line has bidirectional characters',
    ],
  );
  t.same(notableChanges([file('plain.txt', '100644', '100644')], new Map(), []), []);
  t.end();
});

t.test('G50: added lines of a diff, whatever they look like', (t) => {
  const diff = [
    'diff --git a/a.txt b/a.txt',
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1,2 +1,3 @@',
    ' same',
    '-old',
    '+++ b/not-a-path',
    '+@@ -1 +1 @@',
    '\\ No newline at end of file',
    'diff --git a/b c.txt b/b c.txt',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/b c.txt\t',
    '@@ -0,0 +1 @@',
    '+one',
    '',
  ].join('\n');
  t.same(
    [...addedLines(diff)],
    [
      ['a.txt', ['++ b/not-a-path', '@@ -1 +1 @@']],
      ['b c.txt', ['one']],
    ],
  );
  t.end();
});
