// Looks at what an agent must leave alone, before and after it ran (J16b). Compared in domain/observation.ts; what refs held and
// hold no more is told, so that it is kept.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isOid, type Oid, type RefName } from '../domain/git.js';
import { compareObservations, type Difference, type Observation } from '../domain/observation.js';
import { lstatIfThere, readIfThere } from '../git/files.js';
import { type IndexImage, indexImage } from '../git/index-image.js';
import type { Repository } from '../git/repository.js';
import { changedWork, type WorkImage, workImage, workImageAgain } from '../git/work-image.js';
import { listWorktrees } from '../git/worktree.js';
import { isFresh } from './workspace/fresh.js';

/** As observed, with what the comparison needs to know of each checkout. */
export interface RepositoryObservation extends Observation {
  /** Git folder of a checkout -> its path, the length of its HEAD log then, and its index where that is watched. */
  readonly places: ReadonlyMap<string, PlaceSeen>;
  /** Entries of the stash, newest first: only the newest is a ref. */
  readonly stash: readonly Oid[];
}

interface PlaceSeen {
  readonly path: string;
  readonly log: number;
  readonly index: IndexImage | null;
  /** Files of the checkout of a person; null: not watched. */
  readonly work: WorkImage | null;
}

export interface Compared {
  readonly differences: readonly Difference[];
  /** Commits that a ref, a detached HEAD or the stash held before and does not hold any more. */
  readonly lost: readonly { readonly what: string; readonly oid: Oid }[];
}

export interface WatchRequest {
  /** The Job's own branch; null: no branch is its own. */
  readonly branch: RefName | null;
  /** Git folder of the Job's worktree. */
  readonly admin: string;
  /** Prefix of Jobs' branches, default `owl/`. */
  readonly prefix?: string | undefined;
  /** Nobody else can be at work in this clone. Default false. */
  readonly alone?: boolean | undefined;
}

/** A checkout of ours: of a Job, of a Round, or a temporary one. */
const isOurs = (request: WatchRequest, path: string, head: string | undefined): boolean =>
  isFresh(basename(path)) ||
  [jobsOf(request), 'refs/heads/refine/'].some((prefix) => head?.startsWith(prefix) === true);

const jobsOf = (request: WatchRequest): string => `refs/heads/${request.prefix ?? 'owl/'}`;

/**
 * Configuration, hooks, `info/`, all refs, HEAD and index of every checkout, and the files of the main one and of the one that the
 * command was called in; not the indexes of the Job's own and of other Jobs' worktrees, which are not compared. Writes nothing.
 */
export async function observeRepository(
  repository: Repository,
  request: WatchRequest,
  earlier: RepositoryObservation | null = null,
): Promise<RepositoryObservation> {
  const engine = await repository.engine();
  const [sources, refs, listed] = await Promise.all([
    loadConfigSources(repository),
    engine.list('refs/'),
    listWorktrees(repository),
  ]);
  const config = new Map<string, string>();
  for (const path of sources.files) config.set(path, await digestOf(path));
  const files = new Map<string, string>();
  for (const folder of watchedFolders(repository, sources.hooks)) await digestFolder(folder, files);
  const checkouts = new Map<string, { head: string; index: string }>();
  const places = new Map<string, PlaceSeen>();
  for (const place of listed) {
    if (place.bare) continue;
    const head = `${place.branch ?? 'detached'} ${place.head ?? 'unborn'}`;
    const skipped = place.admin === request.admin || isOurs(request, place.path, head);
    const index = skipped ? null : await indexImage(repository, place.admin);
    checkouts.set(place.path, { head, index: index?.digest ?? '' });
    const known = earlier?.places.get(place.admin)?.work ?? null;
    const checkout = { gitDir: place.admin, workTree: place.path };
    const theirs = !skipped && (place.main || place.path === repository.workTree);
    const work = !theirs
      ? null
      : known === null
        ? await workImage(repository, checkout)
        : await workImageAgain(repository, checkout, known);
    places.set(place.admin, { path: place.path, log: (await headLog(place.admin)).length, index, work });
  }
  const stash = await stashEntries(repository);
  const values = new Map(refs.map(({ ref, oid }) => [ref, oid]));
  return { config, files, refs: values, checkouts, places, stash, work: new Map() };
}

/** From the log that is the stash; without one (or with reftables) only what the ref names is known. */
async function stashEntries({ commonDir }: Repository): Promise<readonly Oid[]> {
  const log = (await readIfThere(join(commonDir, 'logs', 'refs', 'stash'))) ?? '';
  return namedIn(log).reverse();
}

/** The new values of a reflog, oldest first. */
const namedIn = (log: string): Oid[] =>
  log
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter(isOid);

/**
 * What is different now from before the agent ran. The Job's own branch and worktree are left out, and so are other
 * checkouts of ours (linked worktrees with a branch of a Job or Round, temporary ones), whose own Runs move them.
 */
export async function compareWithNow(
  repository: Repository,
  before: RepositoryObservation,
  request: WatchRequest,
): Promise<Compared> {
  const after = await observeRepository(repository, request, before);
  const jobs = jobsOf(request);
  const ofJob = (path: string): boolean =>
    [before, after].some((observed) => isOurs(request, path, observed.checkouts.get(path)?.head));
  const own = (before.places.get(request.admin) ?? after.places.get(request.admin))?.path;
  const changed = new Set(
    [...after.places]
      .filter(([admin, { index }]) => index?.digest !== before.places.get(admin)?.index?.digest)
      .map(([admin]) => admin),
  );
  const watched = async (observed: RepositoryObservation): Promise<Observation> => {
    const checkouts = new Map(observed.checkouts);
    for (const [admin, { path, index }] of observed.places) {
      const seen = checkouts.get(path);
      if (path === own || ofJob(path)) checkouts.delete(path);
      else if (seen !== undefined && index !== null && changed.has(admin))
        checkouts.set(path, { ...seen, index: await index.entries() });
    }
    return { ...observed, checkouts };
  };
  const lost = await lostValues(repository, before, after, request);
  const work = workOf(before, after);
  const made = await madeHere(repository, request.admin, before);
  const tip = request.branch === null ? null : (after.refs.get(request.branch) ?? null);
  const differences = compareObservations(
    { ...(await watched(before)), work: work.before },
    { ...(await watched(after)), work: work.after },
    {
      own: request.branch,
      ignored: [...OURS, ...trackedOurs([...before.refs.keys(), ...after.refs.keys()]), jobs],
      made: await madeElsewhere(repository, made, tip),
      taken: await takenRefs(before, after, request, made),
      theirs: await madeByOthers(before, after, request),
      alone: request.alone ?? false,
    },
  );
  return { differences, lost };
}

/** Moved by this program all the time, and never lost by it. */
const OURS = ['refs/owl/', 'refs/heads/refine/'] as const;

/** What a fetch of the state, here or by another command, moves. */
const trackedOurs = (refs: readonly string[]): readonly string[] =>
  refs.filter((ref) => /^refs\/remotes\/[^/]+\/refine\//.test(ref));

/** The files that changed, by whole path. */
function workOf(before: RepositoryObservation, after: RepositoryObservation) {
  const then = new Map<string, string>();
  const now = new Map<string, string>();
  for (const [admin, { path, work }] of before.places) {
    const again = after.places.get(admin)?.work ?? null;
    if (work === null || again === null) continue;
    for (const change of changedWork(work, again)) {
      if (change.before !== null) then.set(join(path, change.path), change.before);
      if (change.after !== null) now.set(join(path, change.path), change.after);
    }
  }
  return { before: then, after: now };
}

/**
 * Other Jobs' branches count, too: their own Runs keep what they move, an agent does not. What is done in a temporary checkout of ours
 * is kept by who made it.
 */
async function lostValues(
  repository: Repository,
  before: RepositoryObservation,
  after: RepositoryObservation,
  { branch }: WatchRequest,
): Promise<Compared['lost']> {
  const engine = await repository.engine();
  const lost: { what: string; oid: Oid }[] = [];
  for (const [ref, oid] of before.refs) {
    const now = after.refs.get(ref) ?? null;
    if (now === oid || ref === branch || OURS.some((prefix) => ref.startsWith(prefix))) continue;
    if (now === null || (await engine.isAncestor(oid, now)) !== 'ancestor') lost.push({ what: ref, oid });
  }
  for (const [path, { head }] of before.checkouts) {
    const oid = /^detached (\S+)$/.exec(head)?.[1] ?? '';
    if (isFresh(basename(path))) continue;
    if (isOid(oid) && after.checkouts.get(path)?.head !== head) lost.push({ what: `HEAD of ${path}`, oid });
  }
  const stashed = new Set(after.stash);
  for (const oid of before.stash)
    if (!stashed.has(oid) && !lost.some((one) => one.oid === oid)) lost.push({ what: 'an entry of the stash', oid });
  return lost;
}

/**
 * Branches that stand at a commit of this Run under a checkout whose own log does not know of it: a person who merges or resets there
 * leaves a line in that log, and Git moves no branch that is open elsewhere.
 */
async function takenRefs(
  before: RepositoryObservation,
  after: RepositoryObservation,
  request: WatchRequest,
  made: Made,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const [admin, { path }] of after.places) {
    const ref = after.checkouts.get(path)?.head.split(' ')[0] as RefName;
    const [old, now] = [before.refs.get(ref), after.refs.get(ref)];
    if (admin === request.admin || ref === request.branch || now === undefined || now === old) continue;
    const since = (await headLog(admin)).slice(before.places.get(admin)?.log ?? 0);
    if (made.seen.has(now) && !namedIn(since).includes(now) && (await made.isNew(now))) taken.add(ref);
  }
  return taken;
}

/** What Git writes into the HEAD log where a commit is made, and not where one that exists is checked out or reset to. */
const MAKING = /^(?:commit|cherry-pick|revert|am|rebase)\b/;

/** Branches of Jobs and Rounds that stand at a commit which was made in their own checkout since then. */
async function madeByOthers(
  before: RepositoryObservation,
  after: RepositoryObservation,
  request: WatchRequest,
): Promise<ReadonlySet<string>> {
  const theirs = new Set<string>();
  for (const [admin, { path }] of after.places) {
    const head = after.checkouts.get(path)?.head;
    const ref = head?.split(' ')[0] as RefName;
    if (admin === request.admin || ref === request.branch || !isOurs(request, path, head)) continue;
    const since = (await headLog(admin)).slice(before.places.get(admin)?.log ?? 0).split('\n');
    const [now, old] = [after.refs.get(ref), before.refs.get(ref)];
    if (now === undefined || now === old) continue;
    const made = since.filter((line) => MAKING.test(line.split('\t')[1] ?? '')).join('\n');
    if (namedIn(made).includes(now)) theirs.add(ref);
  }
  return theirs;
}

const headLog = async (admin: string): Promise<string> => (await readIfThere(join(admin, 'logs', 'HEAD'))) ?? '';

interface Made {
  /** Commits that appeared in the HEAD log of the Job's worktree: they were checked out or made there. */
  readonly seen: ReadonlySet<Oid>;
  /** Is it on no ref of before? One process. */
  isNew(oid: Oid): Promise<boolean>;
}

/** Without a HEAD log (`core.logAllRefUpdates=false`) there is no such evidence. */
async function madeHere(repository: Repository, admin: string, before: RepositoryObservation): Promise<Made> {
  const log = await headLog(admin);
  return {
    seen: new Set(namedIn(log.slice(before.places.get(admin)?.log ?? 0))),
    async isNew(oid) {
      const input = [oid, ...[...new Set(before.refs.values())].map((known) => `^${known}`)].join('\n');
      const found = await repository.git.run(['rev-list', '--max-count=1', '--stdin', '--ignore-missing'], {
        input: `${input}\n`,
      });
      return found.code === 0 && found.stdout.length > 0;
    },
  };
}

/** Commits that were made there, on whichever branch, and are not on the Job's own. */
async function madeElsewhere(repository: Repository, made: Made, tip: Oid | null): Promise<ReadonlySet<Oid>> {
  const engine = await repository.engine();
  const elsewhere = new Set<Oid>();
  for (const oid of made.seen) {
    // "Not an ancestor" alone is evidence; "missing" and "unknown" are not.
    if (tip !== null && (await engine.isAncestor(oid, tip)) !== 'not-ancestor') continue;
    if (await made.isNew(oid)) elsewhere.add(oid);
  }
  return elsewhere;
}

interface ConfigSources {
  /** Files that Git reads configuration from, with includes; and those that would be read if they were made. */
  readonly files: ReadonlySet<string>;
  /** `core.hooksPath` of the user. */
  readonly hooks: string | null;
}

async function loadConfigSources(repository: Repository): Promise<ConfigSources> {
  const files = new Set([join(repository.commonDir, 'config'), join(repository.commonDir, 'config.worktree')]);
  const unpinned = { unpinned: ['core.hooksPath'] };
  const listed = await repository.git.run(['config', '--list', '--show-origin', '-z'], unpinned);
  const fields = listed.stdout.toString('utf8').split('\0');
  let hooks: string | null = null;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = '', entry = ''] = fields.slice(at, at + 2);
    if (origin.startsWith('file:')) files.add(origin.slice('file:'.length));
    if (entry.startsWith('core.hookspath\n')) hooks = entry.slice('core.hookspath\n'.length);
  }
  // `~/` and `%(prefix)/` are Git's to expand.
  if (hooks === null || !/^[~%]/.test(hooks)) return { files, hooks };
  const expanded = await repository.git.run(['config', '--type=path', '--get', 'core.hooksPath'], unpinned);
  return { files, hooks: expanded.code === 0 ? expanded.stdout.toString('utf8').trim() : null };
}

function watchedFolders({ commonDir, mainWorkTree }: Repository, hooks: string | null): readonly string[] {
  const own = hooks === null || hooks === '' ? [] : [resolve(mainWorkTree ?? commonDir, hooks)];
  return [join(commonDir, 'hooks'), join(commonDir, 'info'), ...own];
}

async function digestFolder(folder: string, into: Map<string, string>): Promise<void> {
  if ((await lstatIfThere(folder))?.isDirectory() !== true) return;
  const looks = (await readdir(folder, { withFileTypes: true })).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await digestFolder(path, into);
    // Git's own cache of refs for dumb transports, written by `gc` and `repack`.
    else if (!path.endsWith('/info/refs')) into.set(path, await digestOf(path));
  });
  await Promise.all(looks);
}

async function digestOf(path: string): Promise<string> {
  const stat = await lstatIfThere(path);
  if (stat === null) return 'absent';
  if (!stat.isFile() && !stat.isSymbolicLink()) return 'not a file';
  try {
    return `${(stat.mode & 0o777).toString(8)} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'unreadable';
    throw error;
  }
}
