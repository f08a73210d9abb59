// Looks at what an agent must leave alone, before and after it ran (J16b). Compared in domain/observation.ts; what refs held and
// hold no more is told, so that it is kept.

import { basename, join } from 'node:path';
import { isOid, type Oid, type RefName } from '../domain/git.js';
import { compareObservations, type Difference, type Observation } from '../domain/observation.js';
import { type IndexImage, indexImage } from '../git/index-image.js';
import type { Repository } from '../git/repository.js';
import { changedWork, type WorkImage, workImage, workImageAgain } from '../git/work-image.js';
import { listWorktrees } from '../git/worktree.js';
import { digestSources, loadConfigSources } from './watch-files.js';
import { headLog, type Made, madeElsewhere, madeHere, namedIn, stashEntries } from './watch-logs.js';
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
  const { config, files } = await digestSources(repository, sources);
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
