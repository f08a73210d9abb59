// What a Skill or an Error handler is told about its event: variables, one JSON document, and the prompt of an agent (G41, G61). Pure.

import type { CandidatePair } from './goal.js';
import type { Reason, Timestamp } from './job.js';
import { record } from './prompt.js';

export interface SkillEvent {
  /** Such as `workflow.quality.error`. */
  readonly event: string;
  readonly skill: string;
  readonly goal: string;
  readonly title: string;
  readonly round: number;
  /** What the current Round is asked for. */
  readonly request: string;
  /** As `OWL_OCCURRENCE` says it. */
  readonly occurrence: string;
  readonly revision: number;
  readonly deadline: Timestamp | null;
  readonly candidate: CandidatePair | null;
  /** The target as it was seen, with the ref that it was read from. */
  readonly target: { readonly ref: string | null; readonly oid: string } | null;
  /** Why it failed, with the paths; null: nothing failed. */
  readonly reason: Reason | null;
}

/** The environment of a process has an end; what is longer is in the file alone. */
const PATHS_LIMIT = 16 * 1024;
const MESSAGE_LIMIT = 4 * 1024;

/** `file`: where the same lies as JSON. Paths are left out of the variables when they are many or one has a line break. */
export function skillVariables(event: SkillEvent, file: string): Readonly<Record<string, string>> {
  const { candidate, target, reason } = event;
  const paths = reason?.paths ?? [];
  const listed = paths.join('\n');
  const fits = listed.length <= PATHS_LIMIT && paths.every((path) => !/[\n\0]/.test(path));
  const told: Readonly<Record<string, string | null | undefined>> = {
    OWL_SKILL: event.skill,
    OWL_OCCURRENCE: event.occurrence,
    OWL_EVENT: event.event,
    OWL_EVENT_FILE: file,
    OWL_DEADLINE: event.deadline,
    OWL_CANDIDATE: candidate?.tip,
    OWL_CANDIDATE_BASE: candidate?.base,
    OWL_TARGET: target?.oid,
    OWL_TARGET_REF: target?.ref,
    OWL_REASON: reason?.code,
    OWL_MESSAGE: reason?.text.replaceAll('\0', ' ').slice(0, MESSAGE_LIMIT),
    OWL_PATHS: fits ? listed : null,
  };
  return Object.fromEntries(
    Object.entries(told).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined),
  );
}

/** The JSON of `OWL_EVENT_FILE`, which is also the standard input of a command. */
export const skillDocument = (event: SkillEvent): string =>
  `${JSON.stringify({ schema: 'git-owl/skill-event/v1', ...event }, null, 2)}\n`;

/** The exact text that goes to an agent. */
export function skillPrompt(event: SkillEvent, clauses: readonly string[]): string {
  const { candidate, target, reason, goal } = event;
  const facts = [
    `The event is \`${event.event}\` of goal ${goal}, Round ${event.round}.`,
    ...(candidate === null ? [] : [`The Candidate is \`${candidate.base}..${candidate.tip}\`.`]),
    ...(target === null
      ? []
      : [`The target is at \`${target.oid}\`${target.ref === null ? '' : ` (\`${target.ref}\`)`}.`]),
    ...(event.deadline === null
      ? []
      : [`You have until ${event.deadline}; then you are ended, and the Goal has failed.`]),
  ];
  const contract = [
    'You work unattended: nobody answers questions.',
    "This is the Goal's own checkout, on the branch of its Round. Commits that you make here are what the next attempt starts from; by themselves they change nothing else. Keep the branch a line: rebase, never merge.",
    `That you succeed decides nothing. To have it go on, ask for one decision before you end: \`git owl goal move ${goal} <status> --reason "<why>"\`, \`git owl retry ${goal}\`, or \`git owl goal round ${goal} "<request>"\`. The first decision that is accepted wins. After commits of yours the right one is \`git owl goal move ${goal} implement\`. Where a person has to decide, ask for nothing.`,
    'Never push, never change Git configuration or hooks, and leave every other branch alone.',
    ...clauses,
  ];
  return `${[
    `# ${reason === null ? 'Look after' : 'Something failed; see whether you can mend'} this piece of work`,
    facts.join(' '),
    record('What was asked for', event.request),
    ...(reason === null ? [] : [record('What failed', `${reason.code}: ${reason.text}`)]),
    ...(reason?.paths === undefined || reason.paths.length === 0 ? [] : [record('Paths', reason.paths.join('\n'))]),
    ['## Contract (version 1)', '', ...contract.map((line, at) => `${at + 1}. ${line}`)].join('\n'),
  ].join('\n\n')}\n`;
}
