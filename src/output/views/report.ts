// The report as Markdown: for a pull request, a chat or a terminal (06). Text of others is put so that it stays text. Pure.

import { escapeLine } from '../escape.js';
import { COLUMNS, columnOf, type ReportData, type ReportedRun } from '../report-fields.js';
import type { Lines } from '../theme.js';
import { sayLength } from '../time.js';
import { type ListItem, whyNot } from './list.js';

export function reportMarkdown(data: ReportData): Lines {
  const lines = [`# ${plain(data.repository)}: work for agents`, '', `Made ${data.made}.`];
  for (const [column, title] of COLUMNS) {
    const items = data.open.filter((item) => columnOf(item) === column);
    if (items.length > 0) lines.push('', `## ${title}`, '', ...items.map(itemLine));
  }
  if (data.open.length === 0) lines.push('', 'Nothing is open.');
  if (data.closed.length > 0) lines.push('', `## Closed since ${data.since}`, '', ...data.closed.map(itemLine));
  if (data.runs.length > 0)
    lines.push(
      '',
      `## Runs since ${data.since}`,
      '',
      '| of | Round | Run | phase | came to | took | agent | checks |',
      '|---|---|---|---|---|---|---|---|',
      ...data.runs.map((run) => runRow(run, data.made)),
    );
  const found = data.evidence.filter(({ type }) => type !== 'refresh');
  if (found.length > 0)
    lines.push(
      '',
      '## Gates and integrations',
      '',
      ...found.map((one) => {
        const why = one.reason?.text ?? one.findings.map(({ text }) => text).join('; ');
        return `- \`${one.unit}\` round ${one.round}, ${one.type}: **${one.status}**${why === '' ? '' : ` – ${plain(why)}`}`;
      }),
    );
  return lines;
}

function itemLine(item: ListItem): string {
  const why = whyNot(item);
  return `- \`${item.id}\` **${item.state}** ${plain(item.title)}${why === null ? '' : ` – ${plain(why)}`}`;
}

function runRow(run: ReportedRun, made: string): string {
  const took = sayLength(Date.parse(run.ended ?? made) - Date.parse(run.started));
  const failed = run.checks.filter(({ status }) => status !== 'passed').map(({ name }) => plain(name));
  const checks =
    run.checks.length === 0 ? '' : failed.length === 0 ? `${run.checks.length} passed` : `failed: ${failed.join(', ')}`;
  const cells = [
    `\`${run.unit}\``,
    run.round ?? '',
    run.number,
    run.phase,
    run.outcome ?? 'live',
    took,
    plain(run.agent ?? ''),
    checks,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Whatever has a meaning in Markdown or in HTML is said as it is; one line. */
const plain = (text: string): string => escapeLine(text).replace(/[\\`*_{}[\]()<>#+!|~&@-]/g, '\\$&');
