// May a Candidate be replayed onto a target that has moved (G20), and is what came of it sound (G21)? Each unmet condition has its own
// diagnostic. Pure: what was seen goes in, a decision comes out.

import type { Ancestry, Oid } from './git.js';
import { shortOid } from './git.js';
import type { CandidatePair } from './goal.js';
import { goalReason } from './goal-reasons.js';
import { HANDOFF_PATH } from './handoff.js';
import type { Reason } from './job.js';
import { reason } from './reasons.js';

export interface PinnedTarget {
  readonly ref: string;
  /** Looked at once; the attempt uses no other. */
  readonly oid: Oid;
}

/**
 * Is there nothing to do? One look. `contained`: the merge of the Round's own integration evidence is in the target and not reverted
 * (03, "Contained"); that the target reaches the Candidate proves nothing.
 */
export function whyCurrent(
  candidate: CandidatePair,
  target: PinnedTarget,
  contained: boolean,
): 'not-moved' | 'contained' | null {
  if (contained) return 'contained';
  return target.oid === candidate.base ? 'not-moved' : null;
}

/** How the Round's worktree was found. */
export type RoundPlace =
  | { readonly kind: 'clean' }
  | { readonly kind: 'dirty'; readonly paths: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

export interface RefreshFacts {
  readonly candidate: CandidatePair;
  readonly target: PinnedTarget;
  readonly branch: string;
  /** Where the Round's branch stands; null: it is not there. */
  readonly at: Oid | null;
  readonly place: RoundPlace;
  readonly baseExists: boolean;
  readonly baseInTip: Ancestry;
  readonly baseInTarget: Ancestry;
  /** Merge commits between base and tip. */
  readonly merges: readonly Oid[];
  /** What Candidate and target share last. */
  readonly shared: readonly Oid[] | 'missing' | 'unknown';
  /** Something that the target got since the base was taken back there, or may have been. */
  readonly undone: boolean;
}

/** Why it may not be replayed; null: it may. The conditions in the order in which they make sense to a reader. */
export function whyNotRefreshed(facts: RefreshFacts): Reason | null {
  const { candidate, target, at, place } = facts;
  const base = shortOid(candidate.base);
  const tip = shortOid(candidate.tip);
  const where = `${target.ref} at ${shortOid(target.oid)}`;
  if (!facts.baseExists)
    return goalReason('base-missing', `the recorded base ${base} of the Candidate is not in this repository`);
  if (at !== candidate.tip) {
    const stands = at === null ? 'is not there' : `is at ${shortOid(at)}`;
    return goalReason('stale-candidate', `the branch ${facts.branch} ${stands}, not at the Candidate ${tip}`);
  }
  if (place.kind === 'refused') return reason('workspace', place.message);
  if (place.kind === 'dirty') {
    return goalReason('unclean', `the worktree of the Round has uncommitted work: ${some(place.paths)}`, {
      paths: place.paths,
    });
  }
  const unseen = (what: string): Reason =>
    goalReason('unknown-history', `it cannot be seen ${what}: history is missing here (a shallow clone, perhaps)`);
  if (facts.baseInTip === 'not-ancestor')
    return goalReason('lineage', `the recorded base ${base} is not an ancestor of the Candidate ${tip}`);
  if (facts.baseInTip !== 'ancestor') return unseen('whether the Candidate descends from its base');
  if (facts.merges.length > 0) {
    const [first] = facts.merges;
    const many = facts.merges.length === 1 ? 'a merge commit' : `${facts.merges.length} merge commits`;
    return goalReason(
      'not-linear',
      `the Candidate is not linear: it has ${many} (${first === undefined ? '' : shortOid(first)})`,
    );
  }
  if (facts.baseInTarget === 'not-ancestor')
    return goalReason('target-rewound', `${where} does not descend from ${base}, the base of the Candidate`);
  if (facts.baseInTarget !== 'ancestor') return unseen(`whether ${where} descends from the base of the Candidate`);
  if (!Array.isArray(facts.shared)) return unseen(`what the Candidate and ${where} share`);
  const shared = facts.shared as readonly Oid[];
  if (shared.length === 1 && shared[0] === candidate.base) return null;
  // Another branch may have the very same commits, and have brought them there: the rest of the line is the Candidate's all the same.
  if (shared.length === 1 && shared[0] !== candidate.tip && !facts.undone) return null;
  if (shared.includes(candidate.tip)) {
    return goalReason(
      'merged-elsewhere',
      `${where} has the commits of the Candidate, and this Goal did not bring them there`,
    );
  }
  return goalReason('ambiguous', `which commits are the Candidate's is ambiguous: ${where} has some of them already`);
}

export interface ResultFacts {
  readonly target: PinnedTarget;
  readonly tip: Oid;
  readonly targetInTip: Ancestry;
  readonly merges: readonly Oid[];
  /** Commits between target and tip, and how many were made. */
  readonly commits: number;
  readonly made: number;
  /** Nothing but the Handoff is left. */
  readonly onlyHandoff: boolean;
}

/** Why what the replay made may not become the Candidate; null: it may (G21). */
export function flawOfRefreshed(facts: ResultFacts): Reason | null {
  const where = `${facts.target.ref} at ${shortOid(facts.target.oid)}`;
  if (facts.onlyHandoff || facts.tip === facts.target.oid) {
    return goalReason('empty-refresh', `nothing of the Candidate is left on ${where}, beyond ${HANDOFF_PATH}`);
  }
  if (facts.targetInTip !== 'ancestor')
    return goalReason('lineage', `the replayed Candidate ${shortOid(facts.tip)} does not descend from ${where}`);
  if (facts.merges.length > 0 || facts.commits !== facts.made)
    return goalReason(
      'not-linear',
      `the replayed Candidate ${shortOid(facts.tip)} is not a line of the replayed commits`,
    );
  return null;
}

const some = (paths: readonly string[]): string =>
  paths.length <= 5 ? paths.join(', ') : `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more`;
