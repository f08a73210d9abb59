// Pieces that the pages have in common: fields, lists, reasons, checks, evidence. Pure.

import type { Reason } from '../../domain/job.js';
import { pathsBeside } from '../../domain/reasons.js';
import type { PublishedEvidence } from '../goal-part-fields.js';
import type { PublishedCheck, PublishedFailure } from '../job-fields.js';
import { sayLength } from '../time.js';
import { type Html, isEmpty, markup, none } from './markup.js';

export type Row = readonly [name: string, value: Html | string | null];

export const code = (text: string): Html => markup`<code>${text}</code>`;

const GOOD: ReadonlySet<string> = new Set(['passed', 'pass', 'done', 'contained', 'current', 'succeeded']);
const BAD: ReadonlySet<string> = new Set([
  ...['failed', 'blocked', 'escalated', 'exhausted', 'findings', 'trouble', 'unreadable', 'timeout', 'error'],
  ...['changed-tree', 'output', 'missing', 'reverted'],
]);

export const stateHtml = (state: string): Html =>
  markup`<span class="state ${GOOD.has(state) ? 'good' : BAD.has(state) ? 'bad' : 'warn'}">${state}</span>`;

export const section = (title: string, content: Html): Html =>
  isEmpty(content)
    ? none
    : markup`<section>
<h2>${title}</h2>
${content}
</section>
`;

export const textHtml = (text: string): Html => markup`<pre class="text">${text.trimEnd()}</pre>`;

export function fieldList(rows: readonly Row[]): Html {
  const shown = rows.filter((row): row is readonly [string, Html | string] => row[1] !== null);
  return shown.length === 0
    ? none
    : markup`<dl>${shown.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

export const listHtml = (items: readonly string[], commands = false): Html =>
  items.length === 0 ? none : markup`<ul>${items.map((item) => markup`<li>${commands ? code(item) : item}</li>`)}</ul>`;

export const atHtml = (at: { readonly ref: string | null; readonly oid: string | null }): Html | null =>
  at.ref === null && at.oid === null ? null : markup`${code(at.ref ?? '')} ${code(at.oid ?? '')}`;

export const reasonHtml = ({ text, paths, onto }: Reason): Html =>
  markup`<span class="bad">${text}</span>${onto === undefined ? none : markup` <span class="dim">(onto ${onto.ref} ${onto.oid})</span>`}${listHtml(
    pathsBeside(text, paths),
    true,
  )}`;

export const checksHtml = (checks: readonly PublishedCheck[]): Html =>
  markup`<table>${checks.map(
    (check) =>
      markup`<tr><td>${stateHtml(check.status)}</td><td>${check.name}</td><td>${code(check.run)}</td><td class="dim">${sayLength(check.ms)}</td></tr>`,
  )}</table>`;

export const failureHtml = (failure: PublishedFailure): Html =>
  markup`<h3>${failure.name}</h3>${
    (failure.output ?? '').trim() === '' ? markup`<p class="dim">no output is kept</p>` : textHtml(failure.output ?? '')
  }`;

export const evidenceList = (one: PublishedEvidence): Html =>
  fieldList([
    ['candidate', one.candidate === null ? null : code(`${one.candidate.base}..${one.candidate.tip}`)],
    ['why', one.reason === null ? null : reasonHtml(one.reason)],
    [
      'verdict',
      one.verdict === null ? null : markup`${stateHtml(one.verdict.result)} by the agent ${one.verdict.agent}`,
    ],
    ...one.findings.map(
      (finding): Row => ['finding', markup`${finding.text}${listHtml(pathsBeside(finding.text, finding.paths), true)}`],
    ),
  ]);
