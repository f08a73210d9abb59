// Submodules of a Job's worktree, initialised from the base's `.gitmodules` and from nowhere else (J15).

import type { Oid } from '../../domain/git.js';
import { shownName } from '../../git/path-bytes.js';
import type { Repository } from '../../git/repository.js';
import { isRelative, loadSubmoduleRows, type SubmoduleRow } from '../../git/submodule-rows.js';
import type { Workspace } from './types.js';

export type Submodules =
  | { readonly kind: 'done'; readonly paths: readonly string[]; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

const TIMEOUT = 10 * 60_000;

/** scp-like (`host:path`), or one of these schemes; a relative URL is judged by Git, once it is resolved. */
const ALLOWED = /^(?:https:\/\/|ssh:\/\/|git:\/\/|\.\.?\/|(?:[^/:@\s]+@)?[^/:\s]+:(?!\/\/|:))/;

/**
 * Clones and checks out the submodules that the worktree's commit has, by the rows of the base's `.gitmodules`. Nothing
 * is written to the repository's configuration; submodules of submodules are left alone. `file://` and plain paths only
 * when the user's own `protocol.file.allow` is `always`. Bounded; a row that the branch changed is left out with a note.
 */
export async function initialiseSubmodules(
  repository: Repository,
  workspace: Workspace,
  base: Oid,
): Promise<Submodules> {
  const rows = await loadSubmoduleRows(repository, base);
  if (rows.length === 0) return { kind: 'done', paths: [], notes: [] };
  const own = new Map((await loadSubmoduleRows(repository, workspace.head)).map((row) => [row.name, row]));
  const local = await allowsFiles(repository);
  const notes: string[] = [];
  const wanted: SubmoduleRow[] = [];
  for (const row of rows) {
    const here = own.get(row.name);
    const shown = shownName(row.path);
    const relative = isRelative(row.url);
    if (here === undefined || here.path !== row.path || (relative && here.url !== row.url))
      notes.push(`submodule ${shown} was changed on the branch and not initialised`);
    else if (!isAllowed(row.url, local))
      notes.push(`submodule ${shown} was not initialised: only https, ssh and git URLs are followed`);
    else if (await isGitlink(repository, workspace, row)) wanted.push(row);
  }
  if (wanted.length === 0) return { kind: 'done', paths: [], notes };
  const result = await repository.git.run(
    ['submodule', '--quiet', 'update', '--checkout', '--', ...wanted.map(({ path }) => shownName(path))],
    {
      reading: false,
      checkout: workspace.checkout,
      cwd: workspace.path,
      timeout: TIMEOUT,
      env: { GIT_ALLOW_PROTOCOL: protocolsOf(local) },
      config: wanted.flatMap((row) => rowConfig(row)),
    },
  );
  if (result.code === 0) return { kind: 'done', paths: wanted.map(({ path }) => shownName(path)), notes };
  const said = result.stderr.split('\n').find((line) => line.startsWith('fatal: ')) ?? '';
  return {
    kind: 'failed',
    message: `submodules could not be initialised${said === '' ? '' : `: ${said.slice('fatal: '.length)}`}`,
  };
}

/** Given with the call, so that the user's configuration is not written. A relative URL only Git's own reading resolves. */
const rowConfig = (row: SubmoduleRow): readonly string[] => [
  ...(isRelative(row.url) ? [] : [`submodule.${row.name}.url=${row.url}`]),
  `submodule.${row.name}.active=true`,
  `submodule.${row.name}.update=checkout`,
];

/** As in GIT_ALLOW_PROTOCOL. */
export const protocolsOf = (local: boolean): string => (local ? 'https:ssh:git:file' : 'https:ssh:git');

export const isAllowed = (url: string, local: boolean): boolean =>
  ALLOWED.test(url) || (local && /^(?:file:\/\/|\/)/.test(url));

/** What the repository's own configuration says does not count: an agent can write it. */
export async function allowsFiles(repository: Repository): Promise<boolean> {
  const found = await repository.git.run(['config', '-z', '--show-scope', '--get-all', 'protocol.file.allow']);
  const fields = found.stdout.toString('utf8').split('\0');
  let allowed = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at] === 'global' || fields[at] === 'system') allowed = fields[at + 1] === 'always';
  }
  return allowed;
}

async function isGitlink(repository: Repository, workspace: Workspace, row: SubmoduleRow): Promise<boolean> {
  const found = await repository.git.run(['ls-tree', '-z', '--full-tree', workspace.head, '--', shownName(row.path)]);
  return found.stdout.toString('latin1').startsWith('160000 ');
}
