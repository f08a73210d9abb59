// What a person sees of Goals: diff, log, events, and show, list and status in the morning after (06, G43).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { eventually } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const root = join(import.meta.dirname, '../..');
const json = async (repo: Repo, ...words: string[]) => {
  const document = (await repo.owl(...words, '--json')).json();
  const kind = document.schema.split('/')[1];
  const schema = JSON.parse(readFileSync(join(root, `schema/${kind}.schema.json`), 'utf8'));
  const validate = new Ajv({ strict: false }).compile(schema);
  const valid: boolean = validate(document);
  if (!valid) throw new Error(`${words.join(' ')}: ${JSON.stringify(validate.errors)}`);
  return document.data;
};
const add = async (repo: Repo, title: string): Promise<string> =>
  (await repo.owl('goal', 'add', title, '--request', `please ${title}`, '--queue')).stdout.trim();

const CONFIG = `checks:
  - { name: test, run: "echo tested; ls work.txt" }
quality: { agent: worker, checks: [{ name: style, run: "echo styled; ! grep -q bad work.txt" }] }
governance: { checks: [{ name: rules, run: "echo ruled" }] }
`;

const work = (text: string): Scenario => ({
  plan: [{ print: 'planning\n' }, { handoff: '# Plan\n\nWrite work.txt.\n' }],
  execute: [{ print: 'working\n' }, { write: 'work.txt', text }, { commit: 'Write work.txt' }],
  quality: [{ print: 'judging\n' }, { reach: 'judging' }, { await: 'go' }, { verdict: 'pass' }],
});

t.test(
  '06: diff, log and events of a Goal, while its gate is at work and after; a prefix of an id of either kind',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', work('good\n'));
    const repo = await box.repository({ agents: [agent], config: CONFIG });
    const id = await add(repo, 'write it');
    t.match((await repo.owlFails(3, 'diff', id)).stderr, /has no branch yet: it is todo/);
    t.match((await repo.owlFails(3, 'log', id)).stderr, /has had no Run in this round yet/);
    await repo.owl('goal', 'advance', id, '--step');
    await repo.owl('goal', 'advance', id, '--step');
    t.match((await repo.owl('diff', id)).stdout, /\+# Plan/, 'before there is a Candidate: what the Round committed');
    const running = repo.start('goal', 'advance', id);
    await agent.reached('judging');
    const following = repo.start('log', '-f', id);
    await eventually(() => following.stdout().includes('judging'), undefined, 'the log is followed');
    agent.release('go');
    t.equal((await running.wait()).code, 0);
    const followed = await following.wait();
    t.equal(followed.code, 0, 'it ends with the gate');
    t.match(followed.stdout, /judging[\s\S]*--- quality:style\nstyled/, 'with what its checks printed');

    const { stdout: log } = await repo.owl('log', id);
    const order = ['planning', 'working', 'judging', 'tested', 'styled', 'ruled'].map((word) => log.indexOf(word));
    t.same(
      order,
      [...order].sort((one, two) => one - two),
      'Runs and gates, oldest first',
    );
    t.notOk(order.includes(-1));
    t.match(log, /^=== run 1, plan succeeded/);
    t.match(await json(repo, 'log', id), {
      goal: id,
      round: 1,
      parts: [
        { of: 'plan', run: 1 },
        { of: 'execute', run: 2 },
        { of: 'quality', status: 'passed' },
        { of: 'governance' },
      ],
    });
    t.match((await repo.owl('log', id, '--run', '2')).stdout, /^=== run 2, execute succeeded[^\n]*\nworking\n\s*$/);
    await repo.owlFails(3, 'log', id, '--run', '9');

    const shown = await json(repo, 'show', id);
    const diff = await json(repo, 'diff', id);
    t.match(diff, {
      goal: id,
      job: shown.history[0].job,
      base: { oid: shown.candidate.base },
      tip: shown.candidate.tip,
    });
    t.match(diff.text, /\+good/);
    t.equal((await repo.owl('diff', id, '--stat', '--', 'work.txt')).stdout.split('\n').length, 3);

    const events = await json(repo, 'events', id);
    const names = events.items.map(({ event }: { event: string }) => event);
    for (const name of ['goal.added', 'goal.started', 'run.claimed', 'goal.integrated'])
      t.ok(names.includes(name), `${name}: of the Goal and of the Job of its Round`);
    const job = await repo.add('beside');
    t.same(await json(repo, 'events', job), await json(repo, 'events', '--job', job));
    t.notOk((await json(repo, 'events', id)).items.some((one: { job: string }) => one.job === job));
    await repo.owlFails(2, 'events', id, '--job', job);

    const shortest = [...id].map((_, at) => id.slice(0, at + 1)).find((part) => !job.startsWith(part)) ?? id;
    t.equal((await json(repo, 'diff', shortest)).goal, id);
    if (id[0] === job[0]) t.match((await repo.owlFails(3, 'show', id[0] ?? '')).stderr, new RegExp(`${id}|${job}`));
  },
);

t.test(
  'G43: the morning after: what happened, what was kept, and what to type, in show, list and status',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', work('bad\n'));
    agent.release('go');
    const repo = await box.repository({ agents: [agent], config: `plan: false\n${CONFIG}` });
    const bad = await add(repo, 'write it');
    await repo.owlFails(6, 'goal', 'advance', bad);
    const later = await add(repo, 'later');

    const shown = await json(repo, 'show', bad);
    const proof = shown.evidence.find((one: { status: string }) => one.status === 'findings');
    t.match(shown, {
      status: 'failed',
      reason: { code: 'quality-findings' },
      proposals: [
        { verb: `git owl log ${bad}`, evidence: proof.id },
        { verb: `git owl goal move ${bad} implement` },
        { verb: `git owl goal round ${bad} "<what to do>" --from 1` },
        { verb: `git owl retry ${bad}` },
      ],
    });
    t.same(
      shown.next,
      shown.proposals.map(({ verb }: { verb: string }) => verb),
    );
    const { stdout } = await repo.owl('show', bad);
    t.match(stdout, /why +quality: check quality:style failed/, 'what happened');
    t.match(
      stdout,
      new RegExp(`branch +refine/${bad}/round-1[\\s\\S]*candidate +${shown.candidate.tip}`),
      'what was kept',
    );
    t.match(stdout, new RegExp(`Next\\n {2}git owl log ${bad} +what its runs and gates printed`), 'what to type');
    t.match((await repo.owl('log', bad)).stdout, /=== quality findings[\s\S]*styled/);

    const status = (await repo.owl('status')).stdout;
    t.match(status, new RegExp(`Blocked\\n +\\S+ +${bad} +write it +failed: quality: check quality:style failed`));
    t.match(status, new RegExp(`Waiting\\n +\\S+ +${later}`));
    t.match(status, new RegExp(`next: git owl log ${bad}`));
    t.match((await repo.owl('list')).stdout, new RegExp(`${bad}\\tfailed\\tround 1[^\\n]*quality:style`));
  },
);
