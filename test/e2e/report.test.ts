// The report: board, timeline and evidence, as a page that nothing can break out of and as Markdown (06).

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const EVIL = '</style><script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) | **b**';

t.test('06: a report of Jobs and Goals, in every form', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', diligent('{job}.txt'))],
    config: 'checks: [{ name: test, run: "echo tested" }]\n',
  });
  const empty = await repo.owl('report');
  t.match(empty.stdout, /Nothing is open\./);

  const job = await repo.add(`Do it ${EVIL}`);
  await repo.owl('run', job);
  const waits = await repo.add('Later', '--needs', job);
  const goal = (await repo.owl('goal', 'add', `Goal ${EVIL}`, '--request', 'do it', '--queue')).stdout.trim();
  await repo.owl('run', goal);
  const dropped = await repo.add('Not wanted');
  await repo.owl('cancel', dropped);

  const document = (await repo.owl('report', '--json')).json();
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../schema/report.schema.json'), 'utf8'));
  const validate = new Ajv({ strict: false }).compile(schema);
  t.ok(validate(document), JSON.stringify(validate.errors));
  const { data } = document;
  t.same(data.open.map(({ id }: { id: string }) => id).sort(), [job, waits, goal].sort());
  t.match(data.closed, [{ id: dropped, state: 'cancelled' }]);
  t.same([...new Set(data.runs.map(({ unit }: { unit: string }) => unit))].sort(), [job, goal].sort());
  t.ok(data.evidence.some((one: { unit: string; type: string }) => one.unit === goal && one.type === 'integration'));

  for (const { unit, round } of data.runs) t.equal(round, unit === goal ? 1 : null, 'its Round, where it has one');
  const text = (await repo.owl('report', '--markdown')).stdout;
  t.match(text, `| \`${goal}\` | 1 | 2 | execute |`);
  t.match(text, `| \`${job}\` |  | 2 | execute |`);
  t.match(text, `- \`${goal}\` round 1, integration: **done**`);
  t.match(text, /## Needs a decision[\s\S]*## Waits[\s\S]*## Closed since[\s\S]*## Runs since[\s\S]*## Gates and/);
  t.notMatch(text, /(?<!\\)(?:<script|<img|\[x|\*\*b)/, 'nothing that a reader of Markdown would act on');
  const later = await repo.owl('report', '--since', '7d', { env: { OWL_TEST_NOW: '2098-01-01T00:00:00Z' } });
  t.match(later.stdout, new RegExp(job), 'what is open stays');
  t.notMatch(later.stdout, /Not wanted|## Runs/, 'what was closed long ago does not');

  t.equal((await repo.owl('report', '--html', 'report.html')).stdout.trim(), join(repo.dir, 'report.html'));
  const page = readFileSync(join(repo.dir, 'report.html'), 'utf8');
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  t.match(policy, /^default-src 'none'; /);
  t.ok(policy.includes(createHash('sha256').update(style).digest('base64')), 'only this style applies');
  const tags = [...page.replace(style, '').matchAll(/<\/?([a-z0-9]+)([^>]*)>/g)];
  const known =
    'html head meta title style body h1 h2 h3 p code span section div ul li table tbody tr td svg rect details summary dl dt dd pre strong';
  t.same(
    [...new Set(tags.map(([, name]) => name))].filter((name) => !known.split(' ').includes(name ?? '')),
    [],
  );
  t.notOk(
    tags.some(([, , rest]) => / (?:on\w+|src|href|style)=/.test(rest ?? '')),
    'no address and no handler',
  );
  for (const id of [job, waits, goal, dropped]) t.ok(page.includes(id), id);
  t.match(page, /<rect class="good"/);
  t.match(page, /<h3>Round 1, Run 2 \(execute\)/);
  t.match(page, /<h3>Run 2 \(execute\)/);

  t.equal((await repo.owl('report', '--html', '-')).stdout.startsWith('<!doctype html>'), true);
  t.match((await repo.owlFails(2, 'report', '--html', 'no/such/folder.html')).stderr, /cannot be written: ENOENT/);
  t.equal(existsSync(join(repo.dir, 'no')), false);
  await repo.owlFails(2, 'report', '--html', 'x', '--markdown');
});
