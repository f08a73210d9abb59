// What a person can type next for a Job: never a command that destroys (00, rule 1). Pure.

import { CLOSED_STATES, type Job } from './job.js';

/** What is seen of a Job beside its record. */
export interface Seen {
  /** The process of its Run is gone. */
  readonly dead?: boolean | undefined;
  /** It may not run yet. */
  readonly waits?: boolean | undefined;
  /** Its commits are in another clone (05, S1). */
  readonly elsewhere?: boolean | undefined;
  /** It touches guarded paths (J37). */
  readonly guarded?: boolean | undefined;
}

/** Commands, the likeliest first. */
export function nextCommands(
  job: Pick<
    Job,
    'id' | 'prefix' | 'slug' | 'state' | 'reason' | 'merged' | 'dropped' | 'no_change' | 'onto' | 'ttl' | 'goal'
  >,
  seen: Seen = {},
): readonly string[] {
  // What a Job of a Round came to, its Goal decides about; the verbs of a Job are refused.
  if (job.goal !== null && job.state !== 'active') return [`git owl show ${job.goal}`];
  const retry = `git owl retry ${job.id}`;
  // Without a Run left it is refused (J3).
  return commandsFor(job, seen).map((one) =>
    job.ttl === 0 && one.startsWith(retry) ? `${retry} --ttl 5${one.slice(retry.length)}` : one,
  );
}

function commandsFor(job: Parameters<typeof nextCommands>[0], seen: Seen): readonly string[] {
  const { id } = job;
  // Nothing can be done with it here before its commits come.
  if (seen.elsewhere === true && !CLOSED_STATES.has(job.state) && job.state !== 'active') return ['git owl sync'];
  switch (job.state) {
    case 'pending':
      return seen.waits === true || job.reason?.code === 'usage-limit' ? waits(job) : [`git owl run ${id}`];
    case 'active':
      return [seen.dead === true ? `git owl run ${id}` : `git owl log -f ${id}`];
    case 'review':
      return [
        `git owl review ${id}`,
        `git owl ${job.no_change === null ? 'merge' : 'accept'} ${id}${seen.guarded === true && job.no_change === null ? ' --allow-guarded' : ''}`,
        `git owl retry ${id} -m "<what to change>"`,
      ];
    case 'blocked':
      return blocked(job, job.reason?.code ?? '');
    case 'escalated':
      if (job.reason?.code === 'declined-by-server')
        return [`git owl export ${id} <branch>`, `git owl show ${id}`, `git owl verify ${id}`];
      return job.reason?.code === 'landing-conflict'
        ? [
            ...pushFirst(job),
            `git owl retry ${id} --restart`,
            ...byHand(job),
            `git owl verify ${id}`,
            `git owl show ${id}`,
          ]
        : [`git owl show ${id}`, `git owl verify ${id}`, `git owl retry ${id}`];
    case 'exhausted':
      return [`git owl show ${id}`, `git owl extend ${id} 5`];
    case 'done':
      return job.merged === null ? [`git owl merge ${id}`, `git owl reopen ${id}`] : [`git owl show ${id}`];
    case 'cancelled':
      return job.dropped === null ? [`git owl reopen ${id}`] : [`git owl restore ${id}`];
  }
}

/** A usage limit lifts by itself; `run --watch` is there then. */
const waits = ({ id, reason }: Pick<Job, 'id' | 'reason'>): readonly string[] =>
  reason?.code === 'usage-limit'
    ? ['git owl run --watch', `git owl edit ${id} --agent <another>`]
    : [`git owl show ${id}`];

/** It conflicts with commits of the local base that its Runs, on the remote's base, do not see (J7, J34). */
function pushFirst(job: Pick<Job, 'reason' | 'onto'>): readonly string[] {
  const local = /^refs\/heads\/(.+)$/.exec(job.reason?.onto?.ref ?? '')?.[1];
  const theirs = /^refs\/remotes\/(.+)$/.exec(job.onto?.ref ?? '')?.[1];
  if (job.reason?.code !== 'landing-conflict' || local === undefined || theirs?.endsWith(`/${local}`) !== true)
    return [];
  const push = [theirs.slice(0, -local.length - 1), local];
  return push.every(isPlain) ? [`git push ${push.join(' ')}`] : [];
}

/** To resolve it oneself, in the worktree of the Job; then it is verified, or its agent goes on (J12, J35). */
function byHand({ id, reason, onto }: Pick<Job, 'id' | 'reason' | 'onto'>): readonly string[] {
  const at = reason?.onto ?? onto;
  if (at === null || at === undefined) return [];
  return [`git -C "$(git owl worktree ${id} --ensure)" rebase ${isPlain(at.ref) ? at.ref : at.oid}`];
}

/** One word of a shell, and no option: what is pasted names a ref that somebody else may have named. */
const isPlain = (word: string): boolean => /^[\w@%+/.][\w@%+/.:,-]*$/.test(word);

function blocked(job: Pick<Job, 'id' | 'prefix' | 'slug' | 'reason' | 'onto'>, code: string): readonly string[] {
  const { id, prefix, slug } = job;
  switch (code) {
    case 'conflict':
      return [`git owl retry ${id} --restart`, ...byHand(job), `git owl retry ${id}`, `git owl show ${id}`];
    case 'checks-failed':
      return [`git owl log ${id}`, `git owl retry ${id} -m "<what to do better>"`];
    case 'nothing-changed':
      return [`git owl log ${id}`, `git owl retry ${id} -m "<what to do>"`];
    case 'agent-blocked':
      return [`git owl handoff ${id}`, `git owl retry ${id} -m "<the answer>"`];
    // Back to its branch is up to a person: what is checked out there may be the agent's work (J9, J19).
    case 'wrong-branch':
      return [
        `git owl show ${id}`,
        `git -C "$(git owl worktree ${id})" switch ${prefix}${id}/${slug}`,
        `git owl retry ${id}`,
      ];
    // What is in the place of the worktree may be somebody's work: it is mended or put aside, never removed (J9, G9).
    case 'workspace':
      return [
        `git owl worktree ${id}`,
        'git worktree repair',
        `mv "$(git owl worktree ${id})" <another place>`,
        `git owl retry ${id}`,
      ];
    // Somebody's rebase or merge is under way there: Git says how it ends (J9).
    case 'operation-in-progress':
      return [`git -C "$(git owl worktree ${id})" status`, `git owl retry ${id}`, `git owl show ${id}`];
    case 'escaped':
      return [`git owl show ${id}`, `git owl worktree ${id}`, `git owl retry ${id}`];
    default:
      return [`git owl show ${id}`, `git owl retry ${id}`];
  }
}
