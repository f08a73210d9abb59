// What changed in a repository while an agent ran, and whether only the agent can have done it (J16b). Pure.

import type { Oid, RefName } from './git.js';

/** What was there at one moment: name -> digest or value. */
export interface Observation {
  /** Configuration files by path, the user's own too. */
  readonly config: ReadonlyMap<string, string>;
  /** Files of the hooks folders and of `info/`, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly refs: ReadonlyMap<RefName, Oid>;
  /** HEAD and index of each checkout that is not this Job's, by path. */
  readonly checkouts: ReadonlyMap<string, { readonly head: string; readonly index: string }>;
  /** Files of the user's checkouts by path, as far as they are to be compared: how each looks. */
  readonly work: ReadonlyMap<string, string>;
}

export interface Expectations {
  /** The Job's own branch; null: none is. */
  readonly own: RefName | null;
  /** Prefixes of refs that this program moves all the time: `refs/owl/`, `refs/heads/refine/`, other Jobs' branches. */
  readonly ignored: readonly string[];
  /**
   * Commits that were made in the Job's worktree during the Run and are not on the Job's branch. Nobody else has them, so
   * a ref that now names one was moved by the agent. (One that names a commit of the branch may be the user's merge.)
   */
  readonly made: ReadonlySet<Oid>;
  /** Branches of others that were put on a commit of this Run in a way that no person would. */
  readonly taken: ReadonlySet<string>;
  /** Branches of other Jobs and Rounds whose own checkout made the commit that they stand at: two can make the very same one. */
  readonly theirs: ReadonlySet<string>;
  /** True where nobody else can be at work in this clone (a CI job): then every change is the agent's. */
  readonly alone: boolean;
}

export interface Difference {
  /** `more`: what is not named one by one. */
  readonly kind: 'config' | 'file' | 'ref' | 'checkout' | 'more';
  /** Path or ref. */
  readonly what: string;
  /** Value or digest; null: absent. */
  readonly before: string | null;
  readonly after: string | null;
  readonly escaped: boolean;
}

/** All differences, sorted by kind and name. The Job's own ref is left out, and refs of `ignored` that hold nothing of `made`. */
export function compareObservations(
  before: Observation,
  after: Observation,
  expected: Expectations,
): readonly Difference[] {
  const { alone } = expected;
  const ignored = (name: string): boolean => expected.ignored.some((prefix) => name.startsWith(prefix));
  const refs = compareMaps('ref', before.refs, after.refs)
    .filter(({ what }) => what !== expected.own)
    .map((one) => ({
      ...one,
      made:
        !expected.theirs.has(one.what) &&
        ((one.after !== null && expected.made.has(one.after as Oid)) || expected.taken.has(one.what)),
    }))
    .filter(({ what, made }) => made || !ignored(what))
    .map(({ made, ...one }) => ({ ...one, escaped: alone || made }));
  const moved = new Map(refs.map((one) => [one.what, one]));
  const checkouts = compareMaps('checkout', flatten(before), flatten(after)).map((one) => ({
    ...one,
    // A checkout whose branch was moved under it by the agent is part of that escape.
    escaped: alone || moved.get(one.after?.split(' ')[0] ?? '')?.escaped === true,
  }));
  return [
    ...compareMaps('config', before.config, after.config).map((one) => ({ ...one, escaped: alone })),
    ...compareMaps('file', before.files, after.files).map((one) => ({ ...one, escaped: alone })),
    ...refs,
    ...checkouts,
    ...compareWork(before.work, after.work, alone),
  ];
}

/** A person may change thousands of files by one command, and a Run's record has room for few. */
const FILES = 20;

function compareWork(before: Observation['work'], after: Observation['work'], alone: boolean): readonly Difference[] {
  const files = compareMaps('file', before, after).map((one) => ({ ...one, escaped: alone }));
  const more = files.length - FILES;
  if (more <= 0) return files;
  const what = `${more} more files of the checkout`;
  return [...files.slice(0, FILES), { kind: 'more', what, before: '', after: '', escaped: alone }];
}

const flatten = (observed: Observation): ReadonlyMap<string, string> =>
  new Map([...observed.checkouts].map(([path, { head, index }]) => [path, `${head} ${index}`]));

function compareMaps(
  kind: Difference['kind'],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Omit<Difference, 'escaped'>[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((what) => ({ kind, what, before: before.get(what) ?? null, after: after.get(what) ?? null }))
    .filter((one) => one.before !== one.after);
}

const CHANGED = 'changed while it ran: ';

/** One sentence for the notes of a Run, without trailing period. */
export const changeNote = (difference: Difference): string => CHANGED + describeDifference(difference);

/** What `run` says of the notes of a Run: changes beside its work, at most `limit` of them. */
export function changesToSay(notes: readonly string[], limit = 5): readonly string[] {
  const changes = notes.filter((note) => note.startsWith(CHANGED));
  const more = changes.length - limit;
  return more <= 0 ? changes : [...changes.slice(0, limit), `${CHANGED}${more} more, in git owl show`];
}

/** What changed, and what it was. */
function describeDifference(difference: Difference): string {
  const { kind, what, before, after } = difference;
  const how = before === null ? 'appeared' : after === null ? 'disappeared' : 'changed';
  const from = kind === 'ref' && before !== null ? ` (it was ${before})` : '';
  if (kind === 'more') return `${what} ${how}`;
  const noun = { config: 'the configuration file', file: 'the file', ref: 'the ref', checkout: 'the checkout' }[kind];
  return `${noun} ${what} ${how}${from}`;
}
