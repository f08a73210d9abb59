// Why Git finds no repository here: there is none, or there is one that Git does not trust or know. Told apart by looking, not by its words.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OwlError } from '../domain/errors.js';
import type { Variables } from './env.js';
import type { Ask } from './open.js';
import type { ProcessResult } from './process.js';

/** OwlError `not-a-repository`, or `repository-format` with what to do. */
export async function explainNoRepository(
  cwd: string,
  variables: Variables,
  answers: ProcessResult,
  ask: Ask,
): Promise<OwlError> {
  if (answers.code === 0) {
    return new OwlError(
      'repository-format',
      'the path of this repository has a line break in it, and is not supported',
    );
  }
  // With ownership out of the question it opens: then ownership was the question.
  const trusted = await ask([
    '-c',
    'safe.directory=*',
    'rev-parse',
    '--path-format=absolute',
    '--absolute-git-dir',
    '--show-cdup',
  ]);
  if (trusted.code === 0) {
    const [gitDir = cwd, up] = trusted.stdout.toString('utf8').split('\n');
    const folder = up === undefined ? gitDir : resolve(cwd, up);
    return new OwlError('repository-format', `${folder} belongs to another user, and Git does not trust it`, {
      preserved: ['Nothing was read from it and nothing was changed.'],
      next: [`git config --global --add safe.directory ${quote(folder)}`],
      data: { folder },
    });
  }
  const place = variables['GIT_DIR'] === undefined ? nearest(cwd) : gitFolder(resolve(cwd, variables['GIT_DIR']));
  if (place === null) {
    return new OwlError('not-a-repository', `${cwd} is not inside a Git repository`, { next: ['git init'] });
  }
  const said = answers.stderr.replace(/\s+/g, ' ').trim().slice(0, 300) || 'no reason given';
  return new OwlError('repository-format', `Git cannot open ${place}: ${said.replace(/^fatal: /, '')}`, {
    preserved: ['Nothing was changed.'],
    next: ['git version', 'git owl doctor'],
    data: { folder: place, stderr: answers.stderr.slice(0, 4_000) },
  });
}

const quote = (path: string): string => (/^[\w./@%+:-]+$/.test(path) ? path : `'${path.replace(/'/g, `'\\''`)}'`);

/** The Git folder that Git would have come to first, going up. */
function nearest(from: string): string | null {
  for (let at = resolve(from); ; at = dirname(at)) {
    const found = gitFolder(join(at, '.git')) ?? gitFolder(at);
    if (found !== null || dirname(at) === at) return found;
  }
}

/** The path, when it has the shape of a Git folder, or of a file that leads to one. */
function gitFolder(path: string): string | null {
  const stat = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() === true && stat.size < 8_192) {
    const target = /^gitdir: (.+?)\n*$/.exec(readFileSync(path, 'utf8'))?.[1];
    const folder = target === undefined ? null : resolve(dirname(path), target);
    return folder !== null && existsSync(join(folder, 'HEAD')) ? folder : null;
  }
  const has = (name: string): boolean => existsSync(join(path, name));
  return has('HEAD') && has('objects') && has('refs') ? path : null;
}
