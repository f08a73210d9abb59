// Opens the repository that the command was called in: discovery by Git itself, its facts, its engine, who the user is (01).

import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OwlError } from '../domain/errors.js';
import { isOid, type Oid } from '../domain/git.js';
import type { Engine } from './engine.js';
import { discoveryEnvironment, type Variables, withoutRepository } from './env.js';
import { createGit, type TraceLine } from './exec.js';
import { loadFormat } from './format.js';
import type { RepositoryFacts } from './git.js';
import { loadIdentity } from './identity.js';
import { explainNoRepository } from './open-failure.js';
import { isFolder, type ProcessResult, runProcess } from './process.js';
import type { Repository } from './repository.js';
import { isWrapped, requireVersion, SAY_VERSION, splitVersion } from './version.js';

export interface OpenSettings {
  readonly cwd: string;
  /** As the process was given them: GIT_DIR and its kin are obeyed here, and by nothing after it. */
  readonly variables: Variables;
  readonly trace?: ((line: TraceLine) => void) | undefined;
}

// HEAD is last: an unborn one prints nothing, and turns what follows into plain words.
const QUESTIONS = [
  'rev-parse',
  '--is-bare-repository',
  '--is-shallow-repository',
  '--show-object-format',
  '--is-inside-work-tree',
  '--path-format=absolute',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-cdup',
  '--revs-only',
  'HEAD',
];

interface AskOptions {
  readonly cwd?: string;
  readonly plain?: boolean;
  readonly sayVersion?: boolean;
}

/** Asks Git before there is a repository; `plain` leaves out what a hook or an alias set. */
export type Ask = (args: readonly string[], options?: AskOptions) => Promise<ProcessResult>;

interface Found {
  readonly bare: boolean;
  readonly shallow: boolean;
  readonly format: 'sha1' | 'sha256';
  readonly gitDir: string;
  readonly commonDir: string;
  readonly workTree: string | null;
  readonly head: Oid | null;
}

/**
 * Opens it from any folder of it, a linked worktree, a bare repository, a hook or an alias.
 * Throws OwlError `not-a-repository`, `repository-format`, `git-missing`, `git-too-old`.
 */
export async function openRepository(settings: OpenSettings): Promise<Repository> {
  const { cwd, variables, trace } = settings;
  if (!isFolder(cwd)) {
    throw new OwlError('not-a-repository', `no such folder: ${cwd}`);
  }
  const given = discoveryEnvironment(variables);
  const plain = discoveryEnvironment(withoutRepository(variables));
  const ask: Ask = async (args, options = {}) => {
    const start = trace === undefined ? 0 : performance.now();
    const env = { ...(options.plain === true ? plain : given), ...(options.sayVersion === true ? SAY_VERSION : {}) };
    const result = await runProcess({ args, cwd: options.cwd ?? cwd, env, timeout: 20_000 });
    trace?.({ args, ms: performance.now() - start, code: result.code });
    return result;
  };
  const asked = ask(QUESTIONS, { sayVersion: true });
  // Loaded while Git looks.
  const engines = import('./choose-engine.js');
  const first = await asked;
  const { said, stderr } = splitVersion(first.stderr);
  const answers = { ...first, stderr };
  const outright = said === null || isWrapped(variables['PATH']);
  const version = requireVersion(outright ? (await ask(['version'])).stdout.toString('utf8') : said);
  const found = answers.code === 0 ? parseAnswers(answers.stdout.toString('utf8'), realpathSync(cwd)) : null;
  if (found === null) throw await explainNoRepository(cwd, variables, answers, ask);

  const misled = variables['GIT_DIR'] !== undefined && variables['GIT_WORK_TREE'] === undefined;
  const workTree = misled ? await trueWorkTree(found, cwd, ask) : found.workTree;
  const format = loadFormat(found.commonDir);
  const facts: RepositoryFacts = {
    ...found,
    ...format,
    workTree,
    mainWorkTree:
      found.gitDir === found.commonDir && workTree !== null ? workTree : await mainWorkTree(found.commonDir, ask),
    quarantine: variables['GIT_QUARANTINE_PATH'] !== undefined,
  };
  const git = createGit({
    gitDir: facts.commonDir,
    cwd: facts.commonDir,
    variables,
    trace,
    version,
    quarantine: facts.quarantine,
  });
  let engine: Promise<Engine> | undefined;
  let identity: ReturnType<typeof loadIdentity> | undefined;
  const who = () => {
    identity ??= loadIdentity(git);
    return identity;
  };
  return {
    ...facts,
    git,
    engine() {
      engine ??= engines.then(({ chooseEngine }) => chooseEngine({ facts, git, variables, identity: who }));
      return engine;
    },
    identity: who,
    async close() {
      await (await engine?.catch(() => undefined))?.close();
    },
  };
}

/** Null where a path has a line break in it, and so the lines cannot be told apart. */
function parseAnswers(text: string, cwd: string): Found | null {
  const [bare, shallow, format, inside, gitDir, commonDir, ...rest] = text.replace(/\n$/, '').split('\n');
  if (gitDir === undefined || commonDir === undefined) return null;
  if (format !== 'sha1' && format !== 'sha256') return null;
  const last = rest.at(-1) ?? '';
  const head = isOid(last) ? last : null;
  const up = head === null ? rest : rest.slice(0, -1);
  if (up.length > 1) return null;
  const named = inside !== 'true' ? up[0] : resolve(cwd, up[0] ?? '');
  return {
    bare: bare === 'true',
    shallow: shallow === 'true',
    format,
    gitDir: real(gitDir),
    commonDir: real(commonDir),
    workTree: named === undefined || named === '' ? null : real(resolve(cwd, named)),
    head,
  };
}

const real = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/**
 * With GIT_DIR set and GIT_WORK_TREE not, Git takes the current folder for the top of the checkout, also where a hook went into a
 * subfolder. Git without these variables knows better, if it finds the same repository.
 */
async function trueWorkTree(found: Found, cwd: string, ask: Ask): Promise<string | null> {
  if (found.bare) return found.workTree;
  const answers = await ask(QUESTIONS, { plain: true });
  const seen = answers.code === 0 ? parseAnswers(answers.stdout.toString('utf8'), realpathSync(cwd)) : null;
  return seen !== null && seen.gitDir === found.gitDir ? seen.workTree : found.workTree;
}

/** The main checkout of a repository that was entered by another door; null when there is none, or Git itself does not know it. */
async function mainWorkTree(commonDir: string, ask: Ask): Promise<string | null> {
  const parent = dirname(commonDir);
  const answers = await ask([`--git-dir=${commonDir}`, 'rev-parse', '--is-bare-repository', '--show-toplevel'], {
    cwd: parent,
    plain: true,
  });
  const [bare, top] = answers.stdout.toString('utf8').split('\n');
  if (answers.code !== 0 || bare !== 'false' || top === undefined || top === '') return null;
  const path = real(top);
  // Without core.worktree Git answers the current folder: believed only where the Git folder lies in it under its usual name.
  return path !== real(parent) || commonDir === `${parent}/.git` ? path : null;
}
