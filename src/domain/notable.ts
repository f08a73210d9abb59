// What a reviewer must not overlook in a change, listed on top of it (G50): attributes, modes, links, gitlinks, guarded paths, and text
// that does not read as it runs. Pure.

export interface NotableFile {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
}

export interface Notable {
  readonly kind: 'attributes' | 'mode' | 'symlink' | 'gitlink' | 'guarded' | 'bidirectional';
  readonly path: string;
  /** A few words, such as `made executable`. */
  readonly what: string;
}

const ABSENT = '000000';

const SHOWN: Readonly<Record<string, string>> = {
  '100644': 'a file',
  '100755': 'executable',
  '120000': 'a symbolic link',
  '160000': 'a submodule',
};

const say = (mode: string): string => SHOWN[mode] ?? mode;

/** Bidirectional embeddings, overrides, isolates and marks: the order on a screen is not the order in the file. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * @param added lines that the change adds, by path, without their `+`.
 * @param guarded paths that no merge made without a person may change (J37).
 */
export function notableChanges(
  files: readonly NotableFile[],
  added: ReadonlyMap<string, readonly string[]>,
  guarded: readonly string[],
): readonly Notable[] {
  const found: Notable[] = [];
  for (const { path, oldMode, newMode } of files) {
    const gone = newMode === ABSENT;
    if (/(?:^|\/)\.gitattributes$/.test(path)) {
      found.push({ kind: 'attributes', path, what: gone ? 'attributes are removed' : 'attributes are changed' });
    }
    const kind = (mode: string): string => mode.slice(0, 2);
    for (const [special, name] of [
      ['12', 'symlink'],
      ['16', 'gitlink'],
    ] as const) {
      if (kind(oldMode) !== special && kind(newMode) !== special) continue;
      const how =
        oldMode === ABSENT ? 'is added' : gone ? 'is removed' : oldMode === newMode ? 'points elsewhere' : null;
      found.push({
        kind: name,
        path,
        what:
          how === null
            ? `${say(oldMode)} becomes ${say(newMode)}`
            : `${say(special === '12' ? '120000' : '160000')} ${how}`,
      });
    }
    const files = kind(newMode) === '10' && (kind(oldMode) === '10' || oldMode === ABSENT);
    if (files && oldMode === '100644' && newMode === '100755')
      found.push({ kind: 'mode', path, what: 'made executable' });
    else if (files && oldMode === ABSENT && newMode === '100755')
      found.push({ kind: 'mode', path, what: 'a new executable file' });
    else if (files && oldMode === '100755' && newMode === '100644')
      found.push({ kind: 'mode', path, what: 'no longer executable' });
  }
  for (const path of guarded) found.push({ kind: 'guarded', path, what: 'a guarded path' });
  for (const { path } of files)
    if (BIDI.test(path)) found.push({ kind: 'bidirectional', path, what: 'its name has bidirectional characters' });
  for (const [path, lines] of added) {
    const count = lines.filter((line) => BIDI.test(line)).length;
    if (count === 0) continue;
    found.push({
      kind: 'bidirectional',
      path,
      what: count === 1 ? '1 line has bidirectional characters' : `${count} lines have bidirectional characters`,
    });
  }
  return found;
}

/** The lines that a unified diff adds, by the path in its `+++ b/` line; what it quotes or shows as binary has none. */
export function addedLines(diff: string): ReadonlyMap<string, readonly string[]> {
  const added = new Map<string, string[]>();
  const linesOf = (of: string): string[] => {
    const known = added.get(of) ?? [];
    added.set(of, known);
    return known;
  };
  let path = '';
  let left = 0;
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (left > 0) {
      if (line.startsWith('+')) linesOf(path).push(line.slice(1));
      if (!line.startsWith('\\')) left -= line.startsWith(' ') ? 2 : 1;
    } else if (hunk !== null) left = Number(hunk[1] ?? 1) + Number(hunk[2] ?? 1);
    else if (line.startsWith('+++ '))
      path = line
        .slice(4)
        .replace(/^"?b\//, '')
        .replace(/"?\t?$/, '');
  }
  return added;
}
