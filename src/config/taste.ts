// `owl.*` of Git's configuration: matters of taste only (06, "Configuration"). Everything else there is said and left alone.

import { nearest } from '../domain/nearest.js';
import type { Git } from '../git/git.js';

export interface Taste {
  /** `owl.color`: auto, always or never; null: not said there (`color.owl` and `color.ui` are Git's own names for it). */
  readonly color: 'auto' | 'always' | 'never' | null;
  /** `owl.editor`: a command, so never taken from the repository's own `.git/config`. */
  readonly editor: string | null;
  /** `owl.label`, as often as wanted: labels that `add` gives to every Job. */
  readonly labels: readonly string[];
  readonly origins: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

const KNOWN = ['color', 'editor', 'label'] as const;

/** Reads it with one call of Git. Throws OwlError `git-missing`, `timeout`, `git-failed`. */
export async function loadTaste(git: Git): Promise<Taste> {
  const result = await git.run(['config', '--show-scope', '--null', '--get-regexp', '^owl\\.']);
  // 1: no such key. Anything else that is wrong with the configuration is for Git to say, at the next thing it does.
  return result.code === 0 ? readTaste(parseScoped(result.stdout.toString('utf8'))) : readTaste([]);
}

interface ScopedValue {
  /** system, global, local, worktree, command. */
  readonly scope: string;
  readonly key: string;
  /** Null: the key stands there without a value. */
  readonly value: string | null;
}

/** `<scope> NUL <key> LF <value> NUL`, repeated. */
function parseScoped(text: string): readonly ScopedValue[] {
  const fields = text.split('\0');
  const values: ScopedValue[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const entry = fields[at + 1] ?? '';
    const end = entry.indexOf('\n');
    values.push({
      scope: fields[at] ?? '',
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? null : entry.slice(end + 1),
    });
  }
  return values;
}

/** What counts of it. Pure. */
function readTaste(values: readonly ScopedValue[]): Taste {
  let color: Taste['color'] = null;
  let editor: string | null = null;
  const labels: string[] = [];
  const origins = new Map<string, string>();
  const warnings: string[] = [];
  for (const { scope, key, value } of values) {
    const name = key.slice('owl.'.length);
    const repository = scope === 'local' || scope === 'worktree';
    if (name === 'color') {
      if (value === 'auto' || value === 'always' || value === 'never') [color] = [value, origins.set(key, scope)];
      else warnings.push(`${key} in Git's configuration is auto, always or never, and was ignored`);
    } else if (name === 'editor' && value !== null) {
      if (repository)
        warnings.push(`${key} was ignored: what names a command does not come from the repository's .git/config`);
      else [editor] = [value, origins.set(key, scope)];
    } else if (name === 'label' && value !== null) {
      if (value !== '' && !labels.includes(value)) labels.push(value);
      origins.set(key, scope);
    } else {
      const near = nearest(name, KNOWN);
      const hint = near === null ? 'policy is read from the base branch' : `the nearest known one is owl.${near}`;
      warnings.push(`${key} in Git's configuration was ignored: ${hint}`);
    }
  }
  return { color, editor, labels, origins, warnings };
}
