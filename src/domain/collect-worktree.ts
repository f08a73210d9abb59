// What `gc` does with a checkout of ours: it is matched with its record, and looked at (M1, M3, M4, M6). Pure.

import {
  type Item,
  isOpen,
  judge,
  keepIt,
  type Limits,
  type RecordFacts,
  recordStep,
  type Step,
  step,
  type Verdict,
  verdict,
} from './collect.js';
import type { CollectReason } from './collect-reasons.js';

/** What was found at the place of a registration of ours. */
export type PlaceLook =
  | {
      readonly kind: 'admitted';
      /** Names of what no commit has; empty: clean. */
      readonly unfinished: readonly string[];
      /** Refs that live in its Git folder and would go with it. */
      readonly ownRefs: readonly string[];
      /** Processes whose folder is inside; null: could not look. */
      readonly inside: readonly string[] | null;
      /** Is its HEAD reachable from a branch, a tag or something kept? */
      readonly reachable: boolean;
    }
  /** `holds`: what its Git folder has that no branch has; null: nothing. `mounted`: null where it cannot be told. */
  | { readonly kind: 'missing'; readonly holds: string | null; readonly mounted: boolean }
  /** A killed command of ours began to make it, or to remove it. */
  | { readonly kind: 'half-made'; readonly step: 'making' | 'removing' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** Not looked at, since nothing can follow from it. */
  | { readonly kind: 'not-looked' };

export interface OwnPlace {
  /** Id of its Job, or of a temporary checkout. */
  readonly id: string;
  readonly path: string;
  readonly look: PlaceLook;
}

export interface JobPlace extends OwnPlace {
  readonly record: RecordFacts;
  /** J31: its work is on its base; it counts as done. */
  readonly landed: boolean;
}

const LET_GO = 'its Job is closed, and for long enough';

/** The checkout of a Job: goes when the Job is done, dropped, or cancelled for long enough, and when it is clean. */
export function decideJobPlace(place: JobPlace, limits: Limits): Item {
  const { id, record, look } = place;
  const of = { kind: 'worktree', subject: place.path, owner: id } as const;
  const due = dueOf(place, limits);
  const first = recordStep(record, `${place.path} was made for ${id}`, '');
  if (due.kind === 'open') {
    const open = keepIt('open-job', `job ${id} is ${due.state}`);
    return judge(of, [first, ...openSteps(place), step(LET_GO, false, open)], open);
  }
  const when = step(LET_GO, due.kind === 'due', due.kind === 'waits' ? due.why : keepIt('open-job', ''));
  const reason = due.kind === 'due' ? due.reason : 'job-done';
  return judge(of, [first, when, ...lookSteps(place, reason === 'job-inactive')], act(look, reason, id));
}

/** What `missing` and `half-made` have in common with a checkout that is there: our registration goes. Null: a whole one. */
export function letGo(look: PlaceLook): Verdict | null {
  if (look.kind === 'missing')
    return verdict(
      'remove-worktree',
      'stale-registration',
      'the folder is gone; its registration goes, this one alone',
    );
  if (look.kind === 'half-made')
    return verdict('remove-worktree', 'half-made', `a killed command was ${look.step} it, and nobody needs it`);
  return null;
}

const act = (look: PlaceLook, reason: CollectReason, id: string): Verdict =>
  letGo(look) ?? verdict('remove-worktree', reason, `job ${id} is closed and its checkout is clean`);

type Due =
  | { readonly kind: 'open'; readonly state: string }
  | { readonly kind: 'waits'; readonly why: Verdict }
  | { readonly kind: 'due'; readonly reason: CollectReason };

/** Done and dropped at once, cancelled and deleted after `gc.hibernate_after` (M1). */
function dueOf({ record, landed }: JobPlace, limits: Limits): Due {
  if (record.kind === 'unknown' || record.kind === 'unreadable') return { kind: 'open', state: record.kind };
  if (record.kind === 'job') {
    const { job } = record;
    if (landed || job.state === 'done') return { kind: 'due', reason: landed ? 'landed' : 'job-done' };
    if (isOpen(record)) return { kind: 'open', state: job.state };
    if (job.dropped !== null) return { kind: 'due', reason: 'job-dropped' };
  }
  if (isOpen(record)) return { kind: 'open', state: record.kind };
  const since = closedAt(record);
  const { hibernate_after } = limits.gc;
  if (hibernate_after === 'never') return { kind: 'waits', why: keepIt('never', 'gc.hibernate_after is never') };
  if (limits.now - Date.parse(since) < hibernate_after.ms) {
    return { kind: 'waits', why: keepIt('not-yet', `closed at ${since}, less than ${hibernate_after.text} ago`) };
  }
  return { kind: 'due', reason: 'job-inactive' };
}

function closedAt(record: Exclude<RecordFacts, { readonly kind: 'unknown' | 'unreadable' }>): string {
  if (record.kind === 'deleted') return record.at;
  const work = record.kind === 'job' ? record.job : record.goal;
  return work.closed ?? work.updated;
}

/** An open Job's checkout stays whatever it is; what is unfinished in it is told (M2). */
export function openSteps({ record, look, id }: JobPlace): readonly Step[] {
  const live = record.kind === 'job' && record.live;
  return [
    step('no Run of its Job lives', !live, keepIt('live-run', `a Run of job ${id} works in it`)),
    ...(look.kind === 'missing' ? missingSteps(look) : []),
    step(
      'it is there',
      look.kind !== 'missing',
      keepIt('made-again', 'the folder is gone; the next Run makes it again'),
    ),
    step(
      'it is whole',
      look.kind !== 'half-made',
      keepIt('half-made', 'a killed command left it half made or half removed; the next Run finishes it'),
    ),
    ...commonSteps(look),
  ];
}

export function lookSteps({ look }: OwnPlace, patient: boolean): readonly Step[] {
  if (look.kind === 'half-made') return [];
  if (look.kind === 'missing') return missingSteps(look);
  const inside = look.kind === 'admitted' ? look.inside : [];
  return [
    ...commonSteps(look),
    // Done work goes also where nobody can look at processes; what was only cancelled does not (11).
    step(
      'processes can be looked at',
      !patient || inside !== null,
      keepIt('inspection-failed', 'processes cannot be looked at here'),
    ),
    step(
      'no process works in it',
      inside === null || inside.length === 0,
      keepIt('in-use', `${inside?.[0] ?? ''} works in it`),
    ),
  ];
}

function missingSteps(look: Extract<PlaceLook, { kind: 'missing' }>): readonly Step[] {
  return [
    step(
      'its disk is mounted',
      look.mounted,
      keepIt('not-there', 'the folder lay on another disk, which is perhaps not mounted'),
    ),
    step(
      'its Git folder holds nothing of its own',
      look.holds === null,
      verdict('report', 'holds-work', look.holds ?? ''),
    ),
  ];
}

function commonSteps(look: PlaceLook): readonly Step[] {
  if (look.kind === 'failed') return [step('it can be looked at', false, keepIt('inspection-failed', look.message))];
  if (look.kind === 'refused') return [step('it is the checkout that was registered', false, refusal(look))];
  if (look.kind !== 'admitted') return [];
  const some =
    look.unfinished.slice(0, 5).join(', ') +
    (look.unfinished.length > 5 ? ` and ${look.unfinished.length - 5} more` : '');
  return [
    step(
      'it is the checkout that was registered, on its branch, unlocked, in no operation',
      true,
      keepIt('ambiguous', ''),
    ),
    step('it is clean', look.unfinished.length === 0, verdict('report', 'uncommitted', `uncommitted work: ${some}`)),
    step(
      'its commit is reachable from a branch or kept',
      look.reachable,
      verdict('report', 'unique-commits', 'its commit is on no branch and not kept'),
    ),
    step(
      'its Git folder has no refs of its own',
      look.ownRefs.length === 0,
      verdict('report', 'own-refs', `refs of its own: ${look.ownRefs.join(', ')}`),
    ),
  ];
}

const REFUSALS: ReadonlyMap<string, CollectReason> = new Map([
  ['not-ours', 'not-ours'],
  ['locked', 'locked'],
  ['operation', 'operation'],
  ['busy', 'busy'],
  ['detached', 'detached'],
  ['wrong-branch', 'other-branch'],
  ['wrong-commit', 'other-branch'],
  ['failed', 'inspection-failed'],
]);

function refusal(look: { readonly code: string; readonly message: string }): Verdict {
  const reason = REFUSALS.get(look.code) ?? 'ambiguous';
  return verdict(reason === 'operation' ? 'report' : 'none', reason, look.message);
}

export interface FreshPlace extends OwnPlace {
  readonly owner: 'gone' | 'alive' | 'unknown';
}

/** A temporary checkout for checks: it never held work of anybody, unless somebody committed in it (J27). */
export function decideFresh({ id, path, look, owner }: FreshPlace): Item {
  const of = { kind: 'worktree', subject: path, owner: null } as const;
  const steps = [
    step(
      'it can be seen whether its process lives',
      owner !== 'unknown',
      keepIt('busy', 'the process that made it cannot be looked at from here'),
    ),
    step('the process that made it is gone', owner === 'gone', keepIt('in-use', 'the process that made it lives')),
  ];
  const then = verdict('remove-worktree', 'process-gone', `the process that made ${id} is gone`);
  if (look.kind === 'missing') return judge(of, [...steps, ...missingSteps(look)], act(look, 'process-gone', id));
  if (look.kind === 'half-made') return judge(of, steps, act(look, 'process-gone', id));
  return judge(of, [...steps, ...commonSteps(look)], then);
}
