// A review as one page: what must not be overlooked first, then intent, plan, change, checks, verdicts, integration, notes and how to
// undo it (G50). The data of JSON and of the view for people; nothing is looked up here. Pure.

import { HANDOFF_PATH } from '../../domain/handoff.js';
import {
  type GoalReview,
  isGoalReview,
  type JobReview,
  type PublishedGate,
  type PublishedSummary,
  type ReviewData,
} from '../review-fields.js';
import { sayChanges, sayDelivered, sayMadeBy } from '../views/review.js';
import { diffHtml } from './diff.js';
import { type Html, markup, none } from './markup.js';
import { htmlPage } from './page.js';
import {
  atHtml,
  checksHtml,
  code,
  evidenceList,
  failureHtml,
  fieldList,
  listHtml,
  type Row,
  reasonHtml,
  section,
  stateHtml,
  textHtml,
} from './parts.js';

/** The whole document. `diff`: what `git diff` prints of the change. */
export function reviewPage(data: ReviewData, diff: string): string {
  const goal = isGoalReview(data);
  const { id, title, state } = goal ? data.goal : data.job;
  const body = markup`<h1>${title}</h1>
<p>${goal ? 'Goal' : 'Job'} <code>${id}</code> ${stateHtml(state)}</p>
${fieldList(goal ? goalRows(data) : jobRows(data))}
${lookFirst(data)}
${section('Asked for', data.prompt === null ? none : textHtml(data.prompt))}
${goal ? earlierHtml(data) : none}
${section('Plan and Handoff', data.handoff === null ? none : textHtml(data.handoff))}
${section('Summaries by agents', data.summaries.length === 0 ? none : markup`${data.summaries.map(summaryHtml)}`)}
${section(sayChanges(data.files), filesHtml(data))}
${section('Diff', diffHtml(diff, `git owl diff ${id}`))}
${section('Checks', data.checks.length === 0 ? none : checksHtml(data.checks))}
${section('What failed', data.failures.length === 0 ? none : markup`${data.failures.map(failureHtml)}`)}
${goal ? section('Gates', data.gates.length === 0 ? none : markup`${data.gates.map(gateHtml)}`) : none}
${goal ? section('Integration', integrationHtml(data)) : none}
${section('Notes', listHtml(data.questions))}
${section('How to undo it', undoHtml(data))}
${section('Next', listHtml(data.next, true))}`;
  return htmlPage(`${id}: ${title}`, body);
}

const jobRows = ({ job }: JobReview): readonly Row[] => [
  ['why', job.reason === null ? null : reasonHtml(job.reason)],
  ['branch', code(job.branch)],
  ['tip', job.tip === null ? null : code(job.tip)],
  ['base', atHtml(job.base)],
  [
    'verified',
    job.verified === 'none'
      ? 'not verified'
      : job.verified === 'void'
        ? 'void: branch or base moved since'
        : 'yes, at this tip and base',
  ],
  [
    'merged',
    job.merged === null
      ? null
      : markup`into ${code(job.merged.ref)}${job.merged.after === null ? none : markup` as ${code(job.merged.after)}`}${job.reverted ? ', and taken back since' : ''}`,
  ],
];

function goalRows(data: GoalReview): readonly Row[] {
  const { goal } = data;
  return [
    ['why', goal.reason === null ? null : reasonHtml(goal.reason)],
    ['decide before', goal.deadline],
    ['round', String(goal.round)],
    [
      'target',
      goal.target === null
        ? null
        : markup`${code(goal.target.name)}${goal.target.publish && goal.target.remote !== null ? markup` on ${code(goal.target.remote)}` : none}`,
    ],
    ['candidate', goal.candidate === null ? null : markup`${code(goal.candidate.tip)} ${sayMadeBy(data)}`],
    ['base', goal.candidate === null ? atHtml(goal.base) : code(goal.candidate.base)],
    ['branch', goal.branch === null ? null : code(goal.branch)],
    ['integration', sayDelivered(data)],
  ];
}

/** On top: what a reader of the diff alone would not see. */
function lookFirst({ notable }: ReviewData): Html {
  if (notable.length === 0) return none;
  const rows = notable.map(({ path, what }) => markup`<li>${code(path)}: ${what}</li>`);
  return markup`<section class="box look">
<h2>Look at this first</h2>
<ul>${rows}</ul>
</section>
`;
}

function earlierHtml({ goal, rounds }: GoalReview): Html {
  const earlier = rounds.filter((round) => round.number < goal.round);
  return section(
    'Earlier Rounds',
    earlier.length === 0
      ? none
      : markup`${earlier.map((round) => markup`<h3>Round ${round.number}</h3>${textHtml(round.request)}`)}`,
  );
}

/** Marked as what an agent says, with the commits that it says it about. */
const summaryHtml = ({ agent, of, text, candidate, current }: PublishedSummary): Html =>
  markup`<div class="box claim">
<p><strong>Written by the agent ${agent}</strong> (${of}), not checked by anybody, about ${code(`${candidate.base}..${candidate.tip}`)}${
    current ? none : markup` <span class="warn">which are other commits than those reviewed here</span>`
  }</p>
${textHtml(text)}</div>
`;

function filesHtml({ commits, files }: ReviewData): Html {
  const counted = files.map(({ path, added, removed }) =>
    added === null || removed === null
      ? markup`<tr><td class="dim">binary</td><td>${code(path)}</td></tr>`
      : markup`<tr><td><span class="good">+${added}</span> <span class="bad">-${removed}</span></td><td>${code(path)}${path === HANDOFF_PATH ? markup` <span class="dim">never merged</span>` : none}</td></tr>`,
  );
  const log = commits.map(({ oid, subject }) => markup`<li>${code(oid.slice(0, 10))} ${subject}</li>`);
  return markup`${commits.length === 0 ? none : markup`<ul>${log}</ul>`}${files.length === 0 ? none : markup`<table>${counted}</table>`}`;
}

const gateHtml = (gate: PublishedGate): Html =>
  markup`<h3>${gate.type} ${stateHtml(gate.status)} <span class="dim">${gate.at}</span></h3>
${evidenceList(gate)}
${gate.current ? none : markup`<p class="warn">about another Candidate than the one reviewed here</p>`}
${gate.checks.length === 0 ? none : checksHtml(gate.checks)}
${gate.failures.map(failureHtml)}
${listHtml(gate.notes)}
`;

function integrationHtml(data: GoalReview): Html {
  const { integration } = data.goal;
  const rows: readonly Row[] =
    integration === null
      ? []
      : [
          ['merge', integration.merge === null ? null : code(integration.merge)],
          ['into', integration.ref === null ? null : code(integration.ref)],
          ['remote', integration.remote === null ? null : code(integration.remote)],
          ['when', integration.at],
          ['now', sayDelivered(data)],
        ];
  const seen = data.evidence.map(
    (one) =>
      markup`<h3>${one.type} ${stateHtml(one.status)} <span class="dim">${one.at}</span></h3>${evidenceList(one)}`,
  );
  return rows.length === 0 && seen.length === 0 ? none : markup`${fieldList(rows)}${seen}`;
}

function undoHtml({ undo }: ReviewData): Html {
  if (undo.length === 0) return none;
  const rows = undo.map(
    ({ verb, why, git }) =>
      markup`<li>${code(verb)}: ${why}${git === null ? none : markup` <span class="dim">(plain Git: ${code(git)})</span>`}</li>`,
  );
  return markup`<ul>${rows}</ul>`;
}
