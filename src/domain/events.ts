// The closed list of event names in `Owl-Event` trailers (01, "Writes").

export const EVENTS = {
  'state.created': 'the state branch was made',
  'job.added': 'a Job was queued',
  'job.edited': 'prompt, attempts, agent, needs or labels of a Job changed',
  'job.reordered': 'a Job got another place in the queue',
  'job.extended': 'a Job got more Runs',
  'job.retried': 'a Job was returned to the queue',
  'job.accepted': 'a Job was accepted without a merge by us',
  'job.landing': 'a merge of a Job is about to move its base',
  'job.landed': 'the work of a Job was found on its base',
  'job.reverted': 'the merge of a Job was taken back',
  'job.cancelled': 'a Job was cancelled',
  'job.dropped': 'a Job was cancelled and its branch and worktree removed',
  'job.restored': 'a dropped Job came back',
  'job.reopened': 'a closed Job was opened again',
  'job.exported': 'the work of a Job was copied to a branch of the user',
  'goal.exported': 'the Candidate of a Goal was copied to a branch of the user',
  'job.blocked': 'a Job cannot go on by itself',
  'job.verified': 'checks ran on a tip without an agent',
  'job.handoff': 'the Handoff was edited',
  'run.claimed': 'a Run began',
  'run.based': 'the branch of a Job was cut or replayed, and its base recorded',
  'run.agent': 'the agent of a Run was started',
  'run.settled': 'a Run ended',
  'run.superseded': 'the result of a Run came after another decision',
  task_merged: 'a Job was merged',
  task_unmerged: 'a Job is resolved and was not merged',
  merge_conflict_escalated: 'a merge met a conflict; nothing moved',
  merge_failed_escalated: 'a merge failed; nothing moved',
  'goal.added': 'a Goal was made',
  'goal.adopted': 'a Goal was made of work that no Goal owned',
  'goal.edited': 'title, request, place or owner of a Goal changed',
  'goal.moved': 'a person, handler or Skill gave a Goal another status',
  'goal.round': 'a Goal got a new Round',
  'goal.retried': 'a failed Goal goes on with the first step that has no valid evidence',
  'goal.approved': 'a Goal was delivered',
  'goal.declined': 'a Goal in review was declined, with a new Round',
  'goal.cancelled': 'a Goal was cancelled',
  'goal.reopened': 'a closed Goal was opened again',
  'goal.deleted': 'a Goal was deleted; a tombstone stays',
  'feature.added': 'a Feature was made',
  'feature.ordered': 'a Feature got another place',
  'request.answered': 'a request with an id changed nothing and is remembered',
  'round.sent': 'branches of Rounds went to the remote',
  'push.fenced': 'a push of a merge or a revert that was never answered cannot arrive any more',
  'lease.changed': 'the lease of a target was taken, renewed or given back in the shared state',
  'state.repaired': 'fsck repaired a record',
  'state.merged': 'the state took in that of another clone',
  'state.settled': 'of a contested record one version was chosen',
  'goal.started': 'a Goal left the queue: its target and base are pinned, its Round has a Job',
  'goal.claimed': 'a step of a Goal began',
  'goal.released': 'a step of a Goal waits',
  'goal.advanced': 'a step of a Goal succeeded',
  'goal.failed': 'a step of a Goal failed: its Error event',
  'goal.superseded': 'the result of a step came after another decision',
  'goal.refreshed': 'a Candidate was replayed onto the target as it is now',
  'goal.judged': 'a gate spoke about a Candidate',
  'goal.corrected': 'quality made a new Candidate of another',
  'goal.integrated': 'the merge of a Goal is on its target',
  'goal.reverted': 'the integration of a Goal was taken back',
  'goal.reconciled': 'a Candidate that is on its target already went to review',
  'goal.integrating': 'the merge of a Goal is about to be published',
  'goal.expired': 'the window of an Error event closed without a decision: the Goal has failed',
  'skill.bound': 'Skills are due at a moment of a Goal',
  'skill.owned': 'a Skill with a checkout of its own is pinned to one commit',
  'skill.started': 'a Skill or an Error handler was started',
  'skill.ended': 'a Skill or an Error handler ended, or will never run',
  'gc.collected': 'maintenance removed a checkout or folded what is kept',
} as const;

export type EventName = keyof typeof EVENTS;

/** What one state commit says of itself: subject and trailers. Free text goes into the subject only, escaped to one line. */
export interface EventDraft {
  readonly event: EventName;
  readonly subject: string;
  readonly job?: string | undefined;
  readonly goal?: string | undefined;
  readonly run?: string | undefined;
  readonly round?: number | undefined;
}

/** One event as read back from a state commit. */
export interface StateEvent {
  readonly commit: string;
  readonly event: string;
  readonly subject: string;
  readonly job: string | null;
  readonly goal: string | null;
  readonly run: string | null;
  readonly actor: string;
  readonly op: string | null;
  readonly request: string | null;
  readonly time: string;
  /** The `Owl-Open` trailer: counts of open work by state. */
  readonly open: Readonly<Record<string, number>>;
}
