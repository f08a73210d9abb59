// What kind of repository it is, from its own files: extensions, partial clone, grafts. Reads two files, starts nothing.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Format {
  readonly extensions: readonly string[];
  readonly partial: boolean;
  readonly reftable: boolean;
  readonly grafts: boolean;
  /** `core.sharedRepository` is set. */
  readonly shared: boolean;
}

/**
 * Reads `config` and `info/grafts` of a common directory. Only the choice of the engine and warnings depend on it, so a line that
 * is taken for more than it is costs nothing but speed.
 */
export function loadFormat(commonDir: string): Format {
  let text = '';
  try {
    text = readFileSync(join(commonDir, 'config'), 'utf8');
  } catch {
    // Git has opened it without; what cannot be read here is left to Git's own engine.
    return { extensions: ['unreadable'], partial: true, reftable: false, grafts: false, shared: true };
  }
  const settings = parseSettings(text);
  const extensions = settings.filter(({ section }) => section === 'extensions');
  const value = (name: string): string | undefined => extensions.findLast(({ key }) => key === name)?.value;
  return {
    extensions: [...new Set(extensions.map(({ key }) => key))],
    partial:
      value('partialclone') !== undefined ||
      settings.some(({ key }) => key === 'promisor' || key === 'partialclonefilter'),
    reftable: (value('refstorage') ?? 'files') !== 'files',
    grafts: (statSync(join(commonDir, 'info', 'grafts'), { throwIfNoEntry: false })?.size ?? 0) > 0,
    shared: settings.some(({ section, key }) => section === 'core' && key === 'sharedrepository'),
  };
}

interface Setting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

function parseSettings(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    const head = /^\s*\[([^\s\]"]+)[^\]]*\](.*)$/.exec(line);
    if (head !== null) section = (head[1] ?? '').toLowerCase();
    const body = /^\s*([a-z][\w-]*)\s*(?:=\s*(.*?))?\s*$/i.exec(head?.[2] ?? line);
    if (body?.[1] !== undefined)
      settings.push({
        section,
        key: body[1].toLowerCase(),
        value: (body[2] ?? 'true').replace(/"/g, '').toLowerCase(),
      });
  }
  return settings;
}
