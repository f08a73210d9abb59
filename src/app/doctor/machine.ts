// What this machine has: nodegit, the manual page. Nothing here needs a repository.

import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { loadBinding } from '../../git/libgit2.js';
import type { Environment } from '../../system/environment.js';
import { type Finding, pass, warn } from './types.js';

export function checkMachine(environment: Pick<Environment, 'variables'>, root: string): readonly Finding[] {
  return [checkNodegit(), checkManual(environment.variables, root)];
}

function checkNodegit(): Finding {
  const loaded = loadBinding();
  if ('missing' in loaded)
    return warn(
      'nodegit',
      `${loaded.missing}: Git's own commands do the work, which is slower for large writes`,
      'it is optional; where a C++ compiler is at hand: npm rebuild nodegit, in the folder that git-owl is installed in',
    );
  return pass('nodegit', `loaded from ${loaded.place}`);
}

const PAGE = join('man1', 'git-owl.1');

/** `git owl --help` and `git help owl` open a manual page, which must lie where `man` looks (06). */
function checkManual(variables: Environment['variables'], root: string): Finding {
  const folders = manualFolders(variables);
  const place = folders.find((folder) =>
    ['', '.gz', '.xz', '.zst', '.bz2'].some((suffix) => existsSync(join(folder, `${PAGE}${suffix}`))),
  );
  if (place !== undefined) return pass('manual', `git help owl opens ${join(place, PAGE)}`);
  const packaged = existsSync(join(root, 'man', 'git-owl.1'));
  const mend = packaged
    ? `man -l ${join(root, 'man', 'git-owl.1')} shows it; npm install --global git-owl puts it where man looks`
    : 'npm install --global git-owl';
  return warn('manual', 'git help owl finds no manual page', mend);
}

/** Where `man` looks: `$MANPATH` (an empty part stands for the usual places), beside each folder of `$PATH`, and the usual places. */
function manualFolders(variables: Environment['variables']): readonly string[] {
  const written = variables['MANPATH'];
  const own = (written ?? '').split(delimiter);
  const usual = ['/usr/local/share/man', '/usr/local/man', '/usr/share/man', '/opt/homebrew/share/man'];
  const beside = (variables['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => [join(dirname(folder), 'share', 'man'), join(dirname(folder), 'man')]);
  const all = written === undefined || own.includes('') ? [...own, ...beside, ...usual] : own;
  return [...new Set(all.filter(isAbsolute))];
}
