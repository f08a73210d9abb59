// Rows of a commit's `.gitmodules`, read from the blob: what counts is the base's, never the file in a checkout (J15).

import type { Oid } from '../domain/git.js';
import { blobAt } from './blob.js';
import type { Repository } from './repository.js';

export interface SubmoduleRow {
  readonly name: string;
  /** Binary name. */
  readonly path: string;
  readonly url: string;
}

/** Empty when the commit has no `.gitmodules`, or one that Git cannot read. */
export async function loadSubmoduleRows(repository: Repository, commit: Oid): Promise<readonly SubmoduleRow[]> {
  if ((await blobAt(repository, commit, '.gitmodules')).kind !== 'blob') return [];
  const args = ['config', '--blob', `${commit}:.gitmodules`, '--no-includes', '--list', '-z'];
  const result = await repository.git.run(args);
  if (result.code !== 0) return [];
  const rows = new Map<string, { path?: string; url?: string }>();
  for (const entry of result.stdout.toString('latin1').split('\0')) {
    const match = /^submodule\.(.+)\.(path|url)\n([\s\S]*)$/.exec(entry);
    if (match === null) continue;
    const [, name = '', key, value = ''] = match;
    const row = rows.get(name) ?? {};
    rows.set(name, key === 'path' ? { ...row, path: value } : { ...row, url: value });
  }
  return [...rows].flatMap(([name, { path, url }]) =>
    path === undefined || url === undefined ? [] : [{ name, path: path.replace(/\/+$/, ''), url }],
  );
}

const RELATIVE = /^\.\.?\//;

export const isRelative = (url: string): boolean => RELATIVE.test(url);

/** Where a relative URL leads from the one of a remote, as Git resolves it: `../sub.git` beside the repository. Pure. */
export function resolveUrl(remote: string, url: string): string {
  let base = remote.replace(/\/+$/, '');
  let rest = url;
  for (;;) {
    if (rest.startsWith('./')) rest = rest.slice(2);
    else if (rest.startsWith('../')) {
      rest = rest.slice(3);
      const slash = base.lastIndexOf('/');
      // `host:path` has one more part to go.
      if (slash >= 0) base = base.slice(0, slash);
      else if (base.includes(':')) return `${base.slice(0, base.lastIndexOf(':'))}:${rest}`;
      else return rest;
    } else return `${base}/${rest}`;
  }
}
