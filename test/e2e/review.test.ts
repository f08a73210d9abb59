// Reviews of Jobs and Goals: for people, as JSON and as one page that nothing can break out of (06, G50).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import { diligent, type Scenario } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const root = join(import.meta.dirname, '../..');
const EVIL = '</pre></style><script>alert(1)</script><img src=x onerror="alert(2)">&amp;';
const BIDI = 'access = "user\u202e \u2066// admin\u2069"\n';

/** Work with everything that a diff does not show well. */
const SNEAKY: Scenario = {
  plan: [{ handoff: `# Plan\n\nDo it. ${EVIL}\n` }],
  execute: [
    { write: 'work.txt', text: `work ${EVIL}\n` },
    { write: 'run.sh', text: '#!/bin/sh\n', mode: 0o755 },
    { write: 'sly.txt', text: BIDI },
    { link: 'link', to: '/etc/passwd' },
    { write: '.gitattributes', text: '* text\n' },
    { commit: `Do it ${EVIL}` },
    { result: { outcome: 'done', summary: `I did all of it. ${EVIL}` } },
  ],
  quality: [{ verdict: 'pass', summary: `Looks fine. ${EVIL}` }],
};

const CONFIG = `checks:
  - { name: test, run: "echo tested; test -f work.txt" }
quality: { agent: worker, checks: [{ name: style, run: "test -f run.sh" }] }
governance: { checks: [{ name: rules, run: "test ! -f forbidden.txt" }] }
`;

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const review = async (repo: Repo, id: string, ...more: string[]) => {
  const document = (await repo.owl('review', id, '--json', ...more)).json();
  const schema = JSON.parse(readFileSync(join(root, 'schema/review.schema.json'), 'utf8'));
  const validate = new Ajv({ strict: false }).compile(schema);
  const valid: boolean = validate(document);
  if (!valid) throw new Error(JSON.stringify(validate.errors));
  return document.data;
};

/** What a browser would be told to load or to run: every tag and attribute of the page, text left out. */
function tagsOf(page: string): readonly string[] {
  return [...page.replace(/<style>[^<]*<\/style>/, '<style>').matchAll(/<[^>]*>/g)].map(([tag]) => tag);
}

t.test('G50: a Goal in review: what must not be overlooked, verdicts, integration and how to undo it', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', SNEAKY)], config: CONFIG });
  const id = (await repo.owl('goal', 'add', 'Do it', '--request', `please ${EVIL}`, '--queue')).stdout.trim();
  t.match((await repo.owlFails(3, 'review', id)).stderr, /has no candidate to review yet: it is todo/);

  await repo.owlFails(6, 'goal', 'advance', id);
  const failed = await review(repo, id);
  t.match(failed, { goal: { status: 'failed' }, delivered: null, guarded: ['.gitattributes'] });
  t.match(failed.questions, ['governance has not passed for this candidate']);
  t.match(failed.undo, [{ verb: `git owl cancel ${id}`, git: null }], 'nothing has landed');

  await repo.owl('goal', 'move', id, 'governance', '--allow-guarded');
  await repo.owl('goal', 'advance', id);
  const { candidate, integration } = await show(repo, id);
  const data = await review(repo, id);
  t.match(data, {
    goal: { id, status: 'review' },
    prompt: `please ${EVIL}`,
    delivered: 'contained',
    next: [`git owl goal approve ${id}`],
  });
  t.same(
    data.notable.map(({ kind, path }: { kind: string; path: string }) => `${kind} ${path}`).sort(),
    ['attributes .gitattributes', 'bidirectional sly.txt', 'guarded .gitattributes', 'mode run.sh', 'symlink link'],
    'what a reader of the diff would not see',
  );
  t.match(data.handoff, /# Plan/);
  t.same(
    data.summaries.map((one: { of: string; current: boolean; candidate: { tip: string } }) => [
      one.of,
      one.current,
      one.candidate.tip === candidate.tip,
    ]),
    [
      ['execute', true, true],
      ['quality', true, true],
    ],
    'each bound to the Candidate that it is about',
  );
  t.same(data.gates.map((gate: { type: string; status: string }) => `${gate.type} ${gate.status}`).sort(), [
    'governance findings',
    'governance passed',
    'quality passed',
  ]);
  t.match(data.questions, ['guarded paths of this candidate were allowed by hand']);
  t.match(data.undo, [{ verb: `git owl goal revert ${id}`, git: `git revert -m 1 ${integration.merge}` }]);

  const { stdout } = await repo.owl('review', id);
  t.ok(stdout.indexOf('Look at this first') < stdout.indexOf('Asked for'), 'on top');
  t.match(stdout, /touches guarded paths: \.gitattributes/);
  t.match(stdout, /Said by agents, not checked\n {2}worker +execute, of [0-9a-f]{10}\.\.[0-9a-f]{10}/);
  t.match(stdout, new RegExp(`merged into refs/remotes/origin/main as ${integration.merge}`));
  t.notMatch(stdout, /\u202e/, 'no bidirectional character reaches the terminal');

  await repo.colleague('Take it back', {});
  const other = await repo.clone('other');
  await other.git('revert', '--no-edit', '-m', '1', integration.merge);
  await other.git('push', '--quiet', 'origin', 'main');
  await repo.git('fetch', '--quiet', 'origin');
  t.match(await review(repo, id), { delivered: 'reverted', undo: [{ verb: `git owl cancel ${id}` }] });
});

t.test(
  'G50, 06: the page of a Goal and of a Job loads nothing, runs nothing and cannot be broken out of',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', SNEAKY);
    const repo = await box.repository({ agents: [agent], config: `plan: false\n${CONFIG}` });
    const goal = (await repo.owl('goal', 'add', `Do ${EVIL}`, '--request', EVIL, '--queue')).stdout.trim();
    await repo.owlFails(6, 'goal', 'advance', goal);
    const job = await repo.add(`work ${EVIL}`);
    await repo.owl('run', job);
    for (const id of [goal, job]) {
      const { stdout: page } = await repo.owl('review', id, '--html');
      const tags = tagsOf(page);
      const names = new Set(tags.map((tag) => /^<\/?([a-z0-9!]+)/.exec(tag)?.[1] ?? tag));
      for (const name of ['script', 'img', 'iframe', 'link', 'form', 'input', 'a', 'base', 'object', 'svg'])
        t.notOk(names.has(name), `${id}: no ${name}`);
      t.notOk(
        tags.some((tag) => /\s(?:on\w+|src|href|style|action)\s*=/i.test(tag)),
        'no attribute that runs or loads',
      );
      const style = /<style>([^<]*)<\/style>/.exec(page)?.[1] ?? '';
      const digest = createHash('sha256').update(style).digest('base64');
      t.ok(
        page.includes(
          `content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'"`,
        ),
        'the policy allows this one style and nothing else',
      );
      t.equal(page.split('<style>').length, 2, 'one style');
      t.match(page, /^<!doctype html>\n/);
      t.match(page, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
      t.match(page, /<meta name="color-scheme" content="light dark">/);
      t.match(page, /prefers-color-scheme: dark/);
      t.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/, 'what was tried is shown as text');
      t.match(page, /\\u202e/, 'bidirectional characters are visible');
      t.notMatch(page, /[\u202a-\u202e\u2066-\u2069]/);
      t.ok(page.indexOf('Look at this first') < page.indexOf('Asked for'));
      t.match(page, /Written by the agent worker<\/strong> \(execute\), not checked by anybody, about/);
      const { html } = await review(repo, id, '--html');
      t.equal(html, page, 'with --json the same page is a field of the one document');
    }
  },
);

t.test('06: without an id, the review is of the Job whose worktree this is', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', diligent())], config: 'plan: false\n' });
  const id = await repo.add('work');
  await repo.owl('run');
  const { worktree } = await show(repo, id);
  t.match((await repo.owl('review', { cwd: worktree })).stdout, new RegExp(`^${id} `));
});
