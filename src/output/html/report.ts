// The report as one page: the board, the timeline of Runs, and what was found (06). The data of JSON; nothing is looked up here. Pure.

import { COLUMNS, columnOf, type ReportData, type ReportedRun } from '../report-fields.js';
import { sayLength } from '../time.js';
import { type ListItem, whyNot } from '../views/list.js';
import { type Html, markup, none } from './markup.js';
import { htmlPage } from './page.js';
import { checksHtml, code, evidenceList, listHtml, section, stateHtml } from './parts.js';

/** The whole document. */
export function reportPage(data: ReportData): string {
  const units = [...data.open, ...data.closed];
  const body = markup`<h1>${data.repository}: work for agents</h1>
<p class="dim">made ${data.made}, with what was closed or ran since ${data.since}</p>
${section('Board', boardHtml(data))}
${section('Closed', data.closed.length === 0 ? none : markup`<ul class="cards">${data.closed.map(cardHtml)}</ul>`)}
${section('Timeline', timelineHtml(data, units))}
${section('Evidence', markup`${units.map((unit) => unitHtml(unit, data))}`)}`;
  return htmlPage(`${data.repository}: work for agents`, body);
}

const boardHtml = ({ open }: ReportData): Html =>
  open.length === 0
    ? markup`<p class="dim">nothing is open</p>`
    : markup`<div class="board">${COLUMNS.map(([column, title]) => {
        const items = open.filter((item) => columnOf(item) === column);
        return markup`<div><h3>${title} (${items.length})</h3><ul class="cards">${items.map(cardHtml)}</ul></div>`;
      })}</div>`;

function cardHtml(item: ListItem): Html {
  const why = whyNot(item);
  return markup`<li class="card"><p>${code(item.id)} ${stateHtml(item.state)} <span class="dim">${item.kind}</span></p>
<p>${item.title}</p>${why === null ? none : markup`<p class="dim">${why}</p>`}</li>
`;
}

/** Of the drawing; the page makes it as wide as there is room. */
const WIDTH = 1000;
const HEIGHT = 16;
/** What can still be seen. */
const LEAST = 3;

function timelineHtml({ runs, made }: ReportData, units: readonly ListItem[]): Html {
  if (runs.length === 0) return markup`<p class="dim">nothing ran</p>`;
  const end = (run: ReportedRun): number => Date.parse(run.ended ?? made);
  const from = Math.min(...runs.map((run) => Date.parse(run.started)));
  const length = Math.max(1000, Math.max(...runs.map(end)) - from);
  const place = (time: number): number => Math.round(((time - from) / length) * WIDTH);
  const rows = units.flatMap((unit) => {
    const own = runs.filter((run) => run.unit === unit.id);
    if (own.length === 0) return [];
    const bars = own.map((run) => {
      const begun = place(Date.parse(run.started));
      const width = Math.max(LEAST, place(end(run)) - begun);
      const x = Math.min(begun, WIDTH - width);
      return markup`<rect class="${outcomeClass(run)}" x="${x}" y="2" width="${width}" height="${HEIGHT - 4}"><title>${sayRun(run, made)}</title></rect>`;
    });
    const total = own.reduce((sum, run) => sum + end(run) - Date.parse(run.started), 0);
    const words = `${own.length} ${own.length === 1 ? 'Run' : 'Runs'}, ${sayLength(total)}`;
    return [
      markup`<tr><td>${code(unit.id)} ${unit.title}</td><td class="bar"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${bars}</svg></td><td class="dim">${words}</td></tr>
`,
    ];
  });
  const said = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  return markup`<p class="dim">from ${said(from)} to ${said(from + length)}, ${sayLength(length)}</p>
<table class="timeline">${rows}</table>`;
}

const BARS = { succeeded: 'good', failed: 'bad', interrupted: 'warn' } as const;
const outcomeClass = ({ outcome }: ReportedRun): string => (outcome === null ? 'live' : BARS[outcome]);

const sayRun = (run: ReportedRun, made: string): string =>
  `${run.round === null ? '' : `Round ${run.round}, `}Run ${run.number} (${run.phase}) ${run.outcome ?? 'is live'}, ${sayLength(Date.parse(run.ended ?? made) - Date.parse(run.started))}, ${run.agent ?? 'no agent'}`;

function unitHtml(unit: ListItem, data: ReportData): Html {
  const runs = data.runs.filter((run) => run.unit === unit.id);
  const evidence = data.evidence.filter((one) => one.unit === unit.id);
  if (runs.length === 0 && evidence.length === 0) return none;
  const told = runs.map(
    (run) => markup`<h3>${sayRun(run, data.made)} <span class="dim">${run.started}</span></h3>
${run.reason === null ? none : markup`<p class="bad">${run.reason.text}</p>`}${listHtml(run.conflicts, true)}
${run.checks.length === 0 ? none : checksHtml(run.checks)}
`,
  );
  const found = evidence.map(
    (one) => markup`<h3>Round ${one.round}, ${one.type} ${stateHtml(one.status)} <span class="dim">${one.at}</span></h3>
${evidenceList(one)}
`,
  );
  return markup`<details><summary>${code(unit.id)} ${unit.title}</summary>
${told}${found}</details>
`;
}
