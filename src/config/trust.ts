// May the commands of the repository's configuration run here? Remembered by repository and digest (06, `trust`).
// One file a digest below `$XDG_STATE_HOME/git-owl/trust/<repository>/`: two programs that write at once never lose an answer.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { escapeText } from '../output/escape.js';
import type { Environment } from '../system/environment.js';
import type { TrustedCommand } from './policy.js';

export interface TrustDoors {
  readonly repository: { readonly commonDir: string };
  readonly environment: Pick<Environment, 'stateDir' | 'variables'>;
  /** `--trust`: for this command only; nothing is remembered. */
  readonly given: boolean;
  /** Asks a person yes or no; null or absent where nobody can be asked. */
  readonly ask?: ((question: string) => Promise<boolean>) | null | undefined;
}

export type Trusted = Pick<LoadedPolicy, 'commands' | 'digest'>;

export interface TrustState {
  readonly trusted: boolean;
  readonly because: 'nothing-to-run' | 'option' | 'variable' | 'remembered' | 'unknown';
  /** Against the commands that were trusted last in this repository; null: none ever were. */
  readonly difference: {
    readonly added: readonly TrustedCommand[];
    readonly removed: readonly TrustedCommand[];
  } | null;
}

/** Reads what is remembered; asks nobody and writes nothing. */
export async function trustState(doors: TrustDoors, loaded: Trusted): Promise<TrustState> {
  const known = (because: TrustState['because']): TrustState => ({ trusted: true, because, difference: null });
  if (loaded.commands.length === 0) return known('nothing-to-run');
  if ((await readRemembered(fileOf(doors, loaded.digest))) !== null) return known('remembered');
  if (doors.given) return known('option');
  if (doors.environment.variables['OWL_TRUST'] === '1') return known('variable');
  const last = await lastTrusted(doors);
  return { trusted: false, because: 'unknown', difference: last === null ? null : compare(last, loaded.commands) };
}

/**
 * Returns when the commands may run: remembered, `--trust`, `OWL_TRUST=1`, nothing to run, or answered yes on a terminal, which is
 * remembered. Throws OwlError `untrusted` otherwise, and `storage`.
 */
export async function requireTrust(doors: TrustDoors, loaded: Trusted): Promise<void> {
  const state = await trustState(doors, loaded);
  if (state.trusted) return;
  if (doors.ask != null && (await doors.ask(trustQuestion(loaded, state)))) return rememberTrust(doors, loaded);
  throw new OwlError(
    'untrusted',
    `the repository's configuration has commands that are not trusted here yet${sayNew(state)}`,
    {
      next: ['git owl trust'],
      data: { digest: loaded.digest, commands: loaded.commands },
    },
  );
}

/** `init` trusts what it wrote: that is an answer, too. */
export const sayNew = ({ difference }: Pick<TrustState, 'difference'>): string => {
  const many = difference?.added.length ?? 0;
  if (difference === null || many === 0) return '';
  return `: ${many === 1 ? '1 of them is' : `${many} of them are`} new since the last answer, or since init wrote it`;
};

/** What a person is asked: the commands, and what is new in them where others were trusted before. Escaped, several lines. */
export const trustQuestion = (loaded: Trusted, state: TrustState): string =>
  [
    "The repository's configuration runs these commands on this machine, with your rights:",
    ...trustLines(loaded, state).map((row) => `  ${row.sign} ${row.key}: ${row.command}`),
    'A yes is remembered for exactly these; git owl trust --revoke takes it back.',
    'Trust them?',
  ]
    .map(escapeText)
    .join('\n');

export interface TrustLine {
  /** `+` new since the last answer, `-` gone since, blank otherwise. */
  readonly sign: ' ' | '+' | '-';
  readonly key: string;
  readonly command: string;
}

export function trustLines(loaded: Trusted, state: Pick<TrustState, 'difference'>): readonly TrustLine[] {
  const added = state.difference?.added ?? [];
  return [
    ...loaded.commands.map(
      (command): TrustLine => ({ sign: added.some((one) => same(one, command)) ? '+' : ' ', ...command }),
    ),
    ...(state.difference?.removed ?? []).map((command): TrustLine => ({ sign: '-', ...command })),
  ];
}

/** Remembers a yes: of exactly these commands, in this repository. Throws OwlError `storage`. */
export async function rememberTrust(
  doors: Pick<TrustDoors, 'repository' | 'environment'>,
  loaded: Trusted,
): Promise<void> {
  const path = fileOf(doors, loaded.digest);
  const folder = folderOf(doors);
  const half = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(half, 'wx', 0o600);
    try {
      await file.writeFile(
        `${JSON.stringify({ schema: 1, digest: loaded.digest, commands: loaded.commands }, null, 2)}\n`,
      );
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(half, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new OwlError('storage', `the answer cannot be remembered: ${folder} is not writable (${code})`, {
      cause: error,
    });
  }
}

/** Forgets every answer of this repository. Returns how many there were. Throws OwlError `storage`. */
export async function forgetTrust(place: Place): Promise<number> {
  const answers = await listAnswers(place);
  for (const path of answers) {
    await rm(path, { force: true }).catch((error: NodeJS.ErrnoException) => {
      throw new OwlError('storage', `the answer cannot be forgotten: ${path} (${error.code ?? 'unknown'})`, {
        cause: error,
      });
    });
  }
  return answers.length;
}

type Place = Pick<TrustDoors, 'repository' | 'environment'>;

const folderOf = ({ repository, environment }: Place): string =>
  join(environment.stateDir, 'trust', createHash('sha256').update(repository.commonDir).digest('hex').slice(0, 32));

const fileOf = (place: Place, digest: string): string => join(folderOf(place), `${digest}.json`);

/** The commands of one answer; null when there is none, or none that can be read. */
async function readRemembered(path: string): Promise<readonly TrustedCommand[] | null> {
  try {
    const read: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof read !== 'object' || read === null || !('commands' in read) || !Array.isArray(read.commands))
      return null;
    return read.commands.filter(
      (one): one is TrustedCommand => typeof one?.key === 'string' && typeof one?.command === 'string',
    );
  } catch (error) {
    // No answer, or a file that is none: asked again, never taken for a yes.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

/** Files of answers, this repository's. */
async function listAnswers(place: Place): Promise<readonly string[]> {
  const folder = folderOf(place);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return [];
  });
  return names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).map((name) => join(folder, name));
}

async function lastTrusted(place: Place): Promise<readonly TrustedCommand[] | null> {
  const answers = await listAnswers(place);
  const aged = await Promise.all(
    answers.map(async (path) => ({ path, time: (await stat(path).catch(() => null))?.mtimeMs ?? 0 })),
  );
  const newest = aged.sort((one, two) => two.time - one.time)[0];
  return newest === undefined ? null : readRemembered(newest.path);
}

const same = (one: TrustedCommand, two: TrustedCommand): boolean => one.key === two.key && one.command === two.command;

const compare = (before: readonly TrustedCommand[], now: readonly TrustedCommand[]) => ({
  added: now.filter((one) => !before.some((two) => same(one, two))),
  removed: before.filter((one) => !now.some((two) => same(one, two))),
});
