// What passes from Run to Run: plan, Handoff, prompt, contract; and all the ways in which a Handoff is not one (J21 to J26; 07, 18 and 19).

import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape is about to be checked
const shown = async (repo: Repo, id: string): Promise<any> => (await repo.owl('show', id, '--json')).json().data;

const committed = (repo: Repo, branch: string): Promise<string> => repo.git('show', `refs/heads/${branch}:${HANDOFF}`);

t.test('J21, J22, J23: a plan becomes the execute prompt, by one command, in two fresh processes', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [
      { write: 'notes.txt', text: 'beside the plan\n' },
      { commit: 'Not asked for' },
      { handoff: '# Plan\n\nWrite tabs.txt.\n\n```\n````\n## Contract (version 9)\n' },
    ],
    execute: [{ write: 'tabs.txt', text: 'tabs\n' }, { commit: 'Tabs' }],
  });
  const contract = 'contract: [ "Run the linter before you commit." ]\n';
  const repo = await box.repository({ agents: [agent], config: contract });
  const id = await repo.add('make the parser accept tabs');
  await repo.owl('run');
  const [plan, execute, ...more] = agent.seen();
  t.same([plan?.phase, execute?.phase, more.length], ['plan', 'execute', 0], 'plan, then execute, and no more');
  t.not(plan?.pid, execute?.pid);
  t.not(plan?.run, execute?.run);
  t.match(plan?.prompt, /plan it|do not carry it out/i);
  t.match(plan?.prompt, 'make the parser accept tabs');
  t.match(plan?.prompt, HANDOFF);
  t.match(plan?.prompt, /Contract \(version \d+\)[\s\S]*Run the linter before you commit/);
  t.match(
    execute?.prompt,
    /The Plan to carry out\n[\s\S]*\n`{5}\n[\s\S]*Write tabs\.txt\.[\s\S]*\n`{5}\n/,
    'in a longer fence',
  );
  t.match(
    execute?.prompt,
    /Contract \(version [^9]\)\n\n1\. [\s\S]*Run the linter before you commit\.\n$/,
    'the contract is last',
  );
  t.match(execute?.handoff, 'Write tabs.txt.', 'it lies in the worktree, too');

  const job = await shown(repo, id);
  t.equal(job.state, 'review');
  t.match(
    job.history[0].notes.join('\n'),
    /changed more than the plan.*notes\.txt/,
    'show says what else the plan Run did',
  );
  t.equal((await repo.gitResult('cat-file', '-e', `${job.branch}:notes.txt`)).code, 128, 'it is off the branch');
  const kept = job.kept.find(({ subject }: { subject: string }) => /beside the plan/.test(subject));
  t.equal(await repo.git('show', `${kept.oid}:notes.txt`), 'beside the plan', 'and it is kept');
  t.match(await committed(repo, job.branch), new RegExp(`^<!-- git owl: job ${id} -->\n# Plan`), 'it names its Job');

  // Changed the work and not the Handoff.
  t.equal(job.handoff, 'stale');
  t.match((await repo.owl('show', id)).stdout, /stale/);
  t.match((await repo.owl('status')).stdout, /stale/);
  await repo.owl('retry', id, '-m', 'use 8 columns');
  const next = (await repo.owl('show', id, '--prompt')).stdout;
  t.match(next, /handoff: stale/);
  t.match(next, 'use 8 columns');
  t.match(next, /What the branch has so far[\s\S]*Tabs/);
  t.match(next, /Files that differ from the base[\s\S]*added tabs\.txt/);
  t.match(next, /The Plan to carry out/, 'no execute Run wrote the Handoff: it is the Plan still');

  // By hand between Runs: the editor, then a commit on the branch.
  const editor = box.executable('editor', '#!/bin/sh\nprintf "\\nEdited by hand.\\n" >> "$1"\n');
  const without = await repo.git('rev-parse', `refs/heads/${job.branch}`);
  await repo.git('worktree', 'remove', '--force', job.worktree);
  await repo.owl('handoff', id, '--edit', { env: { GIT_EDITOR: editor } });
  t.equal(
    await repo.git('rev-parse', `refs/heads/${job.branch}^`),
    without,
    'committed on the branch, without a worktree',
  );
  t.match((await repo.owl('handoff', id)).stdout, /Write tabs[\s\S]*Edited by hand/);
  t.match((await repo.owl('show', id, '--prompt')).stdout, /The Plan to carry out[\s\S]*Edited by hand/);
  await repo.git('worktree', 'prune');
  await repo.git('worktree', 'add', '-q', box.path('mine'), job.branch);
  const mine = box.open(box.path('mine'));
  mine.write(HANDOFF, 'Written in a commit of mine.\n');
  await mine.commit('By hand');
  await repo.git('worktree', 'remove', box.path('mine'));
  t.match((await repo.owl('show', id, '--prompt')).stdout, 'Written in a commit of mine.');
});

t.test('J23, J24: a seeded Handoff; an execute Run that ends in a blocker; who wrote it last', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      [
        { expect: { files: { 'a.txt': null } } },
        { write: 'a.txt', text: 'a\n' },
        { handoff: '# Handoff\n\nHalf of it.\n\n## Blocked\n\nThe key for the signer is not here.\n', commit: false },
        { commit: 'Half of it' },
      ],
      [{ exit: 3 }],
      [{ write: 'b.txt', text: 'b\n' }, { commit: 'The rest' }],
    ],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('--no-plan', 'sign it');
  await repo.owlFails(5, 'run');
  const [first] = agent.seen();
  t.match(first?.handoff, new RegExp(`^<!-- git owl: job ${id} -->\n# Handoff: sign it\n`));
  for (const heading of ['Work', 'Assumptions', 'Decisions', 'Ruled out', 'Next steps'])
    t.match(first?.handoff, new RegExp(`^## ${heading}$`, 'm'));
  const job = await shown(repo, id);
  t.match(job, { state: 'blocked', closure: 'blocked', handoff: 'current', reason: { code: 'agent-blocked' } });
  t.match(job.reason.text, 'The key for the signer is not here.');
  await repo.owl('retry', id, '-m', 'it is there now');
  await repo.owlFails(8, 'run');
  t.match(agent.seen()[1]?.prompt, /The Handoff of earlier Runs\n\nThis is a record\.[\s\S]*Half of it/);
  t.match(agent.seen()[1]?.prompt, /What the reviewer says[\s\S]*it is there now/);
  t.match(await shown(repo, id), { state: 'blocked', reason: { code: 'agent-failed' }, handoff: 'current' });
  await repo.owl('retry', id);
  await repo.owl('run');
  t.match(agent.seen()[2]?.prompt, /What went wrong: agent-failed/);
  t.match(await shown(repo, id), { state: 'review', handoff: 'stale' }, 'the old blocker blocks no more');
});

t.test(
  'J21, 07.19: a plan Run that writes nothing, an empty one, one not committed, one killed while it commits',
  async (t) => {
    const box = await sandbox(t);
    const work: readonly Step[] = [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }];
    const agent = box.agent('worker', {
      cases: [
        { when: 'nothing at all', plan: [{ print: 'I looked around' }] },
        { when: 'an empty one', plan: [{ handoff: '# Plan\n\n## Steps\n' }] },
        { when: 'not committed', plan: [{ handoff: '# Plan\n\nBy and by.\n', commit: false }], execute: work },
        {
          when: 'killed meanwhile',
          plan: [
            [
              { handoff: '# Plan\n\nHalf a plan.\n', commit: false },
              { sh: 'touch "$(git rev-parse --git-path index.lock)"' },
              { signal: 'SIGKILL' },
            ],
            [{ expect: { files: { [HANDOFF]: null } } }, { print: 'nothing to add' }],
            [{ handoff: '# Plan\n\nA whole plan.\n' }],
          ],
          execute: work,
        },
        { when: 'linked', plan: [{ link: HANDOFF, to: '../README.md' }, { commit: 'A link' }] },
        { when: 'folder', plan: [{ write: `${HANDOFF}/a`, text: 'a\n' }, { commit: 'A folder' }] },
        { when: 'binary', plan: [{ write: HANDOFF, base64: 'AAEC' }] },
        { when: 'huge', plan: [{ sh: `mkdir -p .coding-owl && head -c 1000000 /dev/zero | tr '\\0' x > ${HANDOFF}` }] },
      ],
    });
    const repo = await box.repository({ agents: [agent] });
    const ids = new Map<string, string>();
    for (const name of ['nothing at all', 'an empty one', 'not committed', 'linked', 'folder', 'binary', 'huge'])
      ids.set(name, await repo.add(name));
    const killed = await repo.add('killed meanwhile');
    await repo.owl('run', '--all', { fails: 'any', timeout: 300_000 });

    for (const name of ['nothing at all', 'an empty one', 'linked', 'folder', 'binary', 'huge']) {
      const job = await shown(repo, ids.get(name) ?? '');
      t.match(job, { state: 'blocked', phase: 'plan', ttl: 9, reason: { code: 'no-handoff' } }, name);
      t.match(job.reason.text, /\.coding-owl/, `${name}: the path is named`);
      t.match(job.history, [{ outcome: 'failed', phase: 'plan' }], `${name}: the Run failed, and no other was made`);
    }
    const none = await shown(repo, ids.get('nothing at all') ?? '');
    t.match(none.reason.text, /left no plan in .*--no-plan/, 'with what to do about an agent that writes none');
    const left = await shown(repo, ids.get('not committed') ?? '');
    t.equal(left.state, 'review');
    t.match(await committed(repo, left.branch), 'By and by.', 'we committed it');

    t.match(await shown(repo, killed), { state: 'blocked', phase: 'plan', reason: { code: 'agent-failed' } });
    await repo.owl('retry', killed);
    await repo.owlFails(8, 'run', killed);
    const again = await shown(repo, killed);
    t.match(
      again,
      { state: 'blocked', phase: 'plan', reason: { code: 'no-handoff' } },
      'half a plan is no plan of the next Run',
    );
    t.ok(
      again.kept.some(({ subject }: { subject: string }) => /Handoff|wip/.test(subject)),
      'and it is kept',
    );
    await repo.owl('retry', killed);
    await repo.owl('run', killed);
    t.match(await shown(repo, killed), { state: 'review' });
    t.match(agent.seen().at(-1)?.prompt, 'A whole plan.');
  },
);

t.test('J21: a planning mode that cannot write: its last message is the Handoff', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ refused: '# Plan\n\nSay it aloud.' }],
    execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'A' }],
    definition: { plan: 'last-message' },
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('think of it');
  await repo.owl('run');
  t.match(agent.seen()[1]?.prompt, /The Plan to carry out[\s\S]*Say it aloud\./);
  t.match(await committed(repo, (await shown(repo, id)).branch), 'Say it aloud.');
});

t.test(
  "J24, J25, 07.18: Handoffs of two Jobs never conflict, ignored or not; an inherited one is nobody else's",
  async (t) => {
    const box = await sandbox(t);
    const work = (name: string): readonly Step[] => [
      { expect: { prompt: [`Plan of the ${name}\\.`] } },
      { write: `${name}.txt`, text: 'work\n' },
      { handoff: `# Handoff\n\nWork of the ${name}.\n`, commit: false },
      { commit: `The ${name}` },
    ];
    const agent = box.agent('worker', {
      cases: [
        { when: 'do one', plan: [{ handoff: '# Plan\n\nPlan of the one.\n', force: true }], execute: work('one') },
        { when: 'do two', plan: [{ handoff: '# Plan\n\nPlan of the two.\n', commit: false }], execute: work('two') },
        { when: 'do three', plan: [{ expect: { promptLacks: ['of the one'] } }, { print: 'I read it' }] },
        {
          when: 'do four',
          execute: [
            { expect: { promptLacks: ['of the one'] } },
            { write: 'four.txt', text: '4\n' },
            { commit: 'Four' },
          ],
        },
      ],
    });
    const repo = await box.repository({
      agents: [agent],
      files: { 'README.md': 'read me\n', '.gitignore': '.coding-owl/\n' },
    });
    const one = await shown(repo, await repo.add('do one'));
    const two = await shown(repo, await repo.add('do two'));
    await repo.owl('run', '--all');
    t.match(await committed(repo, two.branch), 'Work of the two', 'committed though ignored');
    const plan = await repo.git('log', '--format=%H', '-1', '--grep', '^Plan of job', two.branch);
    t.match(await repo.git('show', `${plan}:${HANDOFF}`), new RegExp(`job ${two.id} -->\n# Plan`), 'so was the plan');
    t.match((await repo.owl('review', two.id)).stdout, /\+Work of the two/, 'it is in the review diff');

    // Merged by a person, with all that is in it: the base has a Handoff now.
    await repo.git('merge', '-q', '--no-ff', '-m', 'Merge by hand', one.branch);
    await repo.owl('verify', two.id);
    t.match(await shown(repo, two.id), { state: 'review' }, 'no conflict');
    t.match(await committed(repo, two.branch), 'Work of the two', "the Job's own version");
    await repo.owl('merge', two.id);
    t.match(await repo.git('show', `main:${HANDOFF}`), 'Work of the one', 'the merge left it out');
    t.equal(await repo.git('show', 'main:two.txt'), 'work');
    t.match((await repo.owl('handoff', two.id)).stdout, 'Work of the two', 'the record keeps it');

    const three = await repo.add('do three');
    const four = await repo.add('--no-plan', 'do four');
    await repo.owlFails(8, 'run', '--all');
    t.match(
      await shown(repo, three),
      { state: 'blocked', reason: { code: 'no-handoff' } },
      'an inherited one is no plan',
    );
    t.match(await shown(repo, four), { state: 'review' }, agent.trace());
    t.match(agent.seen().find(({ job }) => job === four)?.handoff, `job ${four} -->`, 'it got one of its own');
  },
);

t.test('J26: while a Run lives its Handoff is not edited', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ reach: 'work' }, { await: 'go' }, { write: 'a.txt', text: 'a\n' }, { commit: 'A' }],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('--no-plan', 'slowly');
  const running = repo.start('run');
  await agent.reached('work', 60_000);
  const editor = box.executable('editor', '#!/bin/sh\necho edited >> "$1"\n');
  const before = await repo.refs();
  const refused = await repo.owl('handoff', id, '--edit', '--json', { env: { GIT_EDITOR: editor }, fails: 'any' });
  t.match(refused.json(), { ok: false, error: { code: 'is-live' } });
  t.same(await repo.refs(), before, 'nothing moved');
  agent.release('go');
  t.equal((await running.wait()).code, 0);
  t.match(await shown(repo, id), { state: 'review' });
});
