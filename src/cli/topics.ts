// What a script's author looks up: exit statuses, formats, the environment. Shown by `help` and printed into the manual.

import { JOB_FIELDS } from '../output/job-fields.js';
import type { Lines, Theme } from '../output/theme.js';
import { EVENT_FIELDS } from '../output/views/events.js';
import { wrap } from './help.js';

/** Exit status -> meaning (06, "Everywhere"). */
export const EXIT_STATUSES: readonly (readonly [status: string, meaning: string])[] = [
  ['0', 'done, also when there was nothing to do; a Job or Goal that ended in review, done or merged'],
  ['1', 'a defect in git owl, with how to report it'],
  ['2', 'usage'],
  ['3', 'no such thing: not a repository, unknown or ambiguous id, missing base; run --require with nothing to run'],
  ['4', 'refused: the state, the tree or the trust rules do not allow it; nothing was changed'],
  ['5', 'conflict: blocked or escalated, everything is kept'],
  ['6', 'not accepted: checks, quality or governance failed, or nothing was changed'],
  ['7', 'busy: lost a race, or the lease is held; try again'],
  ['8', 'the agent or a setup command failed, passed a limit, or met a usage limit'],
  ['9', 'environment: Git too old, repository format, configuration, remote, missing agent'],
  ['129, 130, 143', 'ended by SIGHUP, SIGINT, SIGTERM'],
];

/** State of a Job or status of a Goal, and words beside them -> meaning and the ways on (02, 03). */
export const STATES: readonly (readonly [state: string, meaning: string])[] = [
  ['pending', 'a Job in the queue; "git owl status" says what it waits for'],
  ['active', 'a Run of it lives: "git owl log -f", "git owl stop"'],
  [
    'review',
    'a Job that is done and checked waits for "git owl merge", "accept" or "retry"; a Goal that is merged, for "git owl goal approve" or "decline"',
  ],
  [
    'blocked',
    'its last Run could not go on: a conflict, a failed check, a question of its agent; out by "retry" with what to do better',
  ],
  [
    'escalated',
    'it could not be merged: it conflicts with the base, or the server declines it; out by "retry --restart", by hand (rebase its branch onto the base in "git owl worktree <id>", then "git owl verify"), by "accept" or "export"',
  ],
  ['exhausted', 'it has no Runs left; out by "git owl extend"'],
  ['done', 'merged or accepted, of a Goal approved; "reopen" takes it up again, "revert" takes the merge back'],
  ['cancelled', 'given up; nothing of it is removed but by "drop"; back by "reopen" or "restore"'],
  ['backlog', 'a Goal that is not in the queue yet: "git owl goal move <id> todo"'],
  ['todo', 'a Goal in the queue'],
  ['plan, implement', 'the Runs of the current Round of a Goal'],
  ['quality, governance', 'the gates of a Goal; governance holds the lease of the target, and merges'],
  ['failed', 'a step of a Goal failed; everything is kept, and "git owl show" says what helps'],
  ['verified', 'its checks passed on exactly this tip and base; void once either moves'],
  ['stale', 'a Handoff that was not written in the last Run'],
  [
    'contested',
    'two clones decided differently about it; nothing acts on it until "git owl sync --take" says which one counts',
  ],
];

/** Where what is known lies in the repository (01). */
const STATE: readonly (readonly [place: string, meaning: string])[] = [
  [
    'refine/state',
    'the branch with all records; "git log refine/state" is the history of events, "git ls-tree -r" lists the records',
  ],
  ['owl/<job>/<slug>', 'the branch of a Job; the prefix is branch_prefix in the configuration'],
  ['refine/<goal>/round-<n>', 'the branch of a Round of a Goal'],
  ['refs/owl/keep/<id>', 'what is kept of a Job or Goal: earlier tips, uncommitted work, logs'],
  ['refs/owl/candidates/<goal>', 'the Candidates of each Round'],
  ['refs/owl/shared/<job>', 'the tip of an open Job, for other clones'],
  ['refs/owl/claims/<job>', 'on a remote: which runner has it'],
  ['refs/owl/archive/<month>', 'what closed work keeps, until gc.keep has passed'],
  ['refs/owl/local/*', 'facts about this clone alone; never pushed'],
];

const STATE_TEXT =
  'All of it is Git, and no command of ours is needed to read it. "git owl fsck" checks it, "git owl sync" exchanges it with the remote, "git owl gc" cleans up. The whole manual: git help owl-state';

/** Variables that are read. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR, FORCE_COLOR', 'colour, below --color and above color.owl and color.ui'],
  ['XDG_CONFIG_HOME', 'the configuration of the user is in coding-owl/config.yaml below it'],
  ['XDG_DATA_HOME', 'worktrees are in git-owl below it'],
  ['XDG_STATE_HOME', 'what was trusted is remembered in git-owl below it'],
  ['OWL_TRUST', '1: run the commands of the configuration without asking, as --trust'],
  ['OWL_DEBUG', '1: print a stack trace with an error'],
  ['OWL_JOB', 'set for agents: git owl only reads then'],
  ['GIT_EDITOR, VISUAL, EDITOR', 'the editor, as Git chooses it'],
];

/** Variables that agents, setup commands and checks find set (J16). */
export const GIVEN_VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['OWL_JOB, OWL_RUN', 'id of the Job and of the Run'],
  ['OWL_PHASE', 'plan or execute; for the agent of a gate quality or governance'],
  ['OWL_GOAL, OWL_ROUND', 'of a Goal: its id, and the number of the Round'],
  [
    'OWL_CANDIDATE, OWL_CANDIDATE_BASE',
    'gates, their checks and handlers: the full ids of the Candidate, its tip and its base',
  ],
  ['OWL_BASE', 'full id of the commit that the Run is based on'],
  ['OWL_HANDOFF', 'path of the Handoff in the worktree'],
  ['OWL_PROMPT_FILE', 'agents: a file with the prompt, which is on standard input, too'],
  [
    'OWL_RESULT_FILE',
    'agents: where one may leave a JSON object about its Run: {"outcome":"done"}, or "no-change", "blocked" or "limited", with "summary", "usage" and, for a usage limit, "not_before" as in 2026-03-01T10:00:00Z: the Job is in the queue again and not taken before that time',
  ],
  [
    'OWL_NOTIFY_JOB, OWL_NOTIFY_GOAL, _STATE, _TITLE, _REASON',
    'the command of run --notify: the Job or Goal that ended or needs a decision',
  ],
];

/** What `--format`, `--sort`, `-z` and JSON have in common. */
export const FORMAT_TEXT: readonly string[] = [
  'A list with nothing in it prints nothing in a pipe, and a sentence on a terminal; the exit status is 0 either way (conflicts --exit-code: 5 when any collide).',
  'Lists take --format with %(field), as git for-each-ref does: %(base.oid) is a part of a field, %% a percent sign, %00 a byte in hexadecimal. A list is joined by commas; what is null or missing prints nothing.',
  `Fields of a Job (list, and JSON everywhere): ${JOB_FIELDS.join(', ')}. Of an event: ${EVENT_FIELDS.join(', ')}.`,
  'Control characters in values are printed as escapes such as \\x1b. With -z each row ends with NUL and values are as they are.',
  '--sort <field> orders by a field, --sort -<field> the other way round; of several the last one counts most. --limit <n> prints at most n rows.',
  '--json prints one document: {"schema":"git-owl/<kind>/v1","ok":true,"data":…}, or {"schema":"git-owl/error/v1","ok":false,"error":{"code","message","preserved","next"}}. A failure whose Job is known all the same (merge, run) has "kind" and "data" beside its error. run, log -f and events -f print one such object a line. Fields are named as in --format. A null means asked and unknown; a missing field means that it does not apply.',
];

export const TOPICS = {
  states: 'states of Jobs and statuses of Goals, and the ways out',
  'exit-status': 'exit statuses',
  configuration: 'every key of the configuration',
  state: 'where work and records lie in the repository',
  format: '--format, --sort, -z and --json',
  environment: 'variables that are read, and set for agents and checks',
} as const;

export type Topic = keyof typeof TOPICS;

export const isTopic = (name: string): name is Topic => Object.hasOwn(TOPICS, name);

/** `configuration` is in topic-configuration.ts. */
export function topicHelp(topic: Exclude<Topic, 'configuration'>, theme: Theme, width: number): Lines {
  const columns = Math.min(width, 100);
  switch (topic) {
    case 'states':
      return pairs(STATES, theme, columns);
    case 'state':
      return [...pairs(STATE, theme, columns), '', ...wrap(STATE_TEXT, columns)];
    case 'exit-status':
      return pairs(EXIT_STATUSES, theme, columns);
    case 'environment':
      return [
        ...pairs(VARIABLES, theme, columns),
        '',
        'Set for what is started:',
        ...pairs(GIVEN_VARIABLES, theme, columns),
      ];
    case 'format':
      return FORMAT_TEXT.flatMap((paragraph, at) => [...(at === 0 ? [] : ['']), ...wrap(paragraph, columns)]);
  }
}

function pairs(rows: readonly (readonly [string, string])[], theme: Theme, columns: number): Lines {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.flatMap(([name, text]) =>
    wrap(text, columns - width - 3).map(
      (line, at) => `${at === 0 ? theme.strong(name.padEnd(width)) : ' '.repeat(width)}   ${line}`,
    ),
  );
}
