// An agent's life as its Job sees it: what it is given, how it is judged and what that costs (J3, J16, J16b, J17).

import { existsSync } from 'node:fs';
import { t } from 'tap';
import { asExecutable, type Step } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

const HANDOFF = '.coding-owl/HANDOFF.md';

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape is about to be checked
const shown = async (repo: Repo, id: string): Promise<any> => (await repo.owl('show', id, '--json')).json().data;

/** A commit of one file, with the Handoff kept current. */
const work = (path = 'work.txt'): readonly Step[] => [
  { write: path, text: 'work\n' },
  { handoff: `# Handoff\n\nWrote ${path}.\n`, commit: false },
  { commit: `Write ${path}` },
];

t.test('J16, J17, 07.14: what an agent is given; its output is kept byte by byte, and followed', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      {
        expect: {
          branch: 'refs/heads/owl/{job}/look-around',
          env: {
            PASSED: 'yes',
            SECRET: null,
            ANTHROPIC_API_KEY: null,
            GIT_DIR: null,
            GIT_INDEX_FILE: null,
            OWL_TRUST: null,
            OWL_PHASE: 'execute',
            OWL_HANDOFF: HANDOFF,
            GIT_TERMINAL_PROMPT: '0',
          },
        },
      },
      { sh: 'test "$(ps -o pgid= -p $PPID | tr -d " ")" = "$PPID"' },
      { owl: ['list'] },
      { owl: ['cancel', '{job}'], code: 4 },
      { owl: ['add', 'more work'], code: 4 },
      { print: 'first word' },
      { reach: 'said' },
      { await: 'go' },
      { printLine: 16 << 20 },
      { printLine: 1 << 20 },
      { printBytes: [0xff, 0xfe, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x0a] },
      { print: 'last word', to: 'stderr' },
      ...work(),
    ],
  });
  const repo = await box.repository({ agents: [agent], config: 'env: [PASSED]\n' });
  const id = await repo.add('--no-plan', 'look around');
  const env = { PASSED: 'yes', SECRET: 'no', ANTHROPIC_API_KEY: 'no', GIT_DIR: `${repo.dir}/.git` };
  const running = repo.start('run', { env, timeout: 300_000 });
  await agent.reached('said', 120_000);
  const follower = repo.start('log', '-f', id, { timeout: 300_000 });
  await eventually(() => follower.stdout().includes('first word'), 60_000, 'log -f shows what was said');
  agent.release('go');
  t.equal((await running.wait()).code, 0, running.stderr());
  const followed = await follower.wait();
  t.equal(followed.code, 0);
  t.match(followed.stdout.slice(-1000), 'last word', 'and what comes, to its end');
  t.notMatch(followed.stdout, '\u001b', 'escaped');
  const log = (await repo.owl('log', id)).stdout;
  t.ok(log.length > 17 << 20, 'a line of 16 MB is kept whole');
  t.match(log.slice(-1000), /last word/);
  t.notMatch(log, '\u001b');
  const listed = await repo.git('ls-tree', '-r', '--name-only', `refs/owl/keep/${id}`);
  const parts = listed.split('\n').filter((name) => /^log\/\d/.test(name));
  const last = await repo.gitResult('cat-file', 'blob', `refs/owl/keep/${id}:${parts.at(-1)}`);
  t.ok(last.bytes.includes(Buffer.from([0xff, 0xfe, 0x1b, 0x5b])), 'the bytes as they were');

  const [seen] = agent.seen();
  const job = await shown(repo, id);
  t.equal(job.state, 'review', agent.trace());
  t.equal(seen?.cwd, job.worktree);
  t.equal(seen?.env['OWL_JOB'], id);
  t.equal(seen?.env['OWL_BASE'], await repo.oid('refs/heads/main'));
  t.equal(seen?.argv.length, 0, 'the prompt is in no argument');
  t.equal((await repo.owl('show', id, '--prompt', '--run', '1', '--json')).json().data.text, seen?.prompt, 'as sent');
  const result = seen?.env['OWL_RESULT_FILE'] ?? '';
  t.ok(result !== '' && !`${result}/`.startsWith(`${job.worktree}/`), 'the result file is outside the worktree');
  t.notOk(existsSync(result), 'and gone with the Run');
  t.match((await repo.owl('list', '--json')).json().data.items.length, 1, 'the agent added nothing');
});

t.test('J16b, J3, 07.13: an agent is judged by facts; what each end costs and leaves', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    cases: [
      { when: 'refused', execute: [{ refused: 'I may not' }] },
      { when: 'exit 1 after', execute: [...work('one.txt'), { exit: 1 }] },
      { when: 'left it undone', execute: [{ write: 'half.txt', text: 'half\n' }, { exit: 1 }] },
      { when: 'no change with', execute: [{ result: { outcome: 'no-change', summary: 'it is right already' } }] },
      { when: 'nothing to say', execute: [{ result: { outcome: 'no-change' } }] },
      {
        when: 'it is blocked',
        execute: [...work('b.txt'), { result: { outcome: 'blocked', summary: 'no key' } }, { exit: 1 }],
      },
      {
        when: 'limited',
        execute: [
          ...work('c.txt'),
          { result: { outcome: 'limited', not_before: '2099-01-01T00:00:00Z', usage: { output: 12, cost: 0.5 } } },
          { exit: 1 },
        ],
      },
      { when: 'broken result', execute: [...work('d.txt'), { result: 'done, mostly' }] },
      {
        when: 'uncommitted',
        execute: [{ write: 'left.txt', text: 'left\n' }, { result: { outcome: 'done', usage: { output: 7 } } }],
      },
    ],
  });
  const repo = await box.repository({ agents: [agent], config: 'max_parallel: 3\n' });
  const ids = new Map<string, string>();
  for (const what of [
    'refused',
    'exit 1 after',
    'left it undone',
    'no change with',
    'nothing to say',
    'it is blocked',
    'limited',
    'broken result',
    'uncommitted',
  ])
    ids.set(what, await repo.add('--no-plan', what));
  const ran = await repo.owl('run', '--all', '--max-parallel', '3', '--json', { fails: 8, timeout: 300_000 });
  t.equal(ran.jsonLines().length >= 9, true, 'one trouble never stops the next');
  const job = (what: string) => shown(repo, ids.get(what) ?? '');

  t.match(await job('refused'), { state: 'blocked', ttl: 9, reason: { code: 'nothing-changed' } });
  const failed = await job('exit 1 after');
  t.match(failed, { state: 'blocked', ttl: 9, closure: 'blocked', reason: { code: 'agent-failed' } });
  t.match(failed.history, [{ outcome: 'failed', exit: { code: 1 } }]);
  t.equal(await repo.git('show', `${failed.branch}:one.txt`), 'work', 'good commits stay');
  const undone = await job('left it undone');
  t.match(undone, { state: 'blocked', reason: { code: 'agent-failed' } });
  t.ok(existsSync(`${undone.worktree}/half.txt`), 'J19: uncommitted work of a failed Run stays in the tree');
  const wip = undone.kept.find(({ subject }: { subject: string }) => /wip/.test(subject));
  t.equal(await repo.git('show', `${wip?.oid}:half.txt`), 'half', 'and a copy is kept');
  t.equal((await repo.gitResult('cat-file', '-e', `${undone.branch}:half.txt`)).code, 128, 'it is on no branch');
  t.match(await job('no change with'), { state: 'review' });
  t.match(await job('nothing to say'), { state: 'blocked', reason: { code: 'nothing-changed' } });
  const blocked = await job('it is blocked');
  t.match(blocked, { state: 'blocked', reason: { code: 'agent-blocked' } });
  t.match(blocked.reason.text, 'no key');
  const limited = await job('limited');
  t.match(limited, { state: 'pending', ttl: 9, reason: { code: 'usage-limit' } }, 'it had started, so it cost a Run');
  const days = (Date.parse(limited.not_before) - Date.now()) / 86_400_000;
  t.ok(days > 6 && days <= 7, 'not scheduled before then, and no further than 7 days');
  t.match(limited.history, [{ outcome: 'interrupted', usage: { output: 12, cost: 0.5 } }]);
  t.match((await repo.owl('run')).stdout, 'nothing to run');
  t.match(await job('broken result'), { state: 'blocked', reason: { code: 'agent-failed', text: /result file/ } });
  const left = await job('uncommitted');
  t.match(left, { state: 'review', history: [{ usage: { output: 7 } }] });
  t.equal(await repo.git('show', `${left.branch}:left.txt`), 'left', 'J19: after a Run that succeeded it is committed');
});

t.test(
  'J3: what never started an agent costs nothing; at 0 it is exhausted, in its place, and extend adds',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [[{ result: { outcome: 'limited', summary: 'come back', usage: { output: 5 } } }], work()],
    });
    const repo = await box.repository({
      agents: [agent],
      config: 'setup:\n  - run: test -f ready || { echo not ready; exit 3; }\n',
    });
    const refused = await repo.owlFails(2, 'add', '--ttl', '1', 'planned', '--json');
    t.match(refused.json(), { ok: false, error: { message: /could never execute/ } });
    const id = await repo.add('--no-plan', '--ttl', '1', 'one try');
    const other = await repo.add('--no-plan', '--needs', id, 'behind it');
    await repo.owlFails(8, 'run');
    t.equal(agent.seen().length, 0, 'no agent was started');
    t.match(await shown(repo, id), { state: 'blocked', ttl: 1, reason: { code: 'setup-failed' } });
    t.match((await repo.owl('show', id)).stdout, /setup/);
    await repo.commit('Ready', { ready: '' });
    await repo.owl('retry', id);
    await repo.owl('run', { fails: 'any' });
    t.match(await shown(repo, id), { state: 'exhausted', ttl: 0, runs: 2, reason: { code: 'exhausted' } });
    t.match((await repo.owl('list', '--json')).json().data.items, [{ id }, { id: other }], 'it stays in its place');
    t.match((await repo.owl('status')).stdout, /exhausted|no Runs left/);
    await repo.owlFails(4, 'run', id);
    t.equal(agent.seen().length, 1, 'never scheduled');
    await repo.owl('extend', id, '1');
    await repo.owlFails(4, 'run', id);
    box.at(new Date(Date.now() + 7_200_000).toISOString());
    await repo.owl('run', id);
    t.match(await shown(repo, id), { state: 'review', ttl: 0 });
  },
);

t.test('J16, J16b, 09: the preset claude: its end event decides, limits wait, no session is kept', async (t) => {
  const box = await sandbox(t);
  const zero = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    result: "You've hit your session limit · resets 9pm (UTC)",
  };
  const agent = box.agent('worker', {
    cases: [
      {
        when: 'good',
        execute: [{ claude: 'init' }, { claude: 'text', text: 'hm' }, ...work('g.txt'), { claude: 'success' }],
      },
      { when: 'says it failed', execute: [...work('f.txt'), { claude: 'error', text: 'I could not' }] },
      { when: 'says nothing', execute: [...work('n.txt')] },
      { when: 'limit at once', execute: [{ print: JSON.stringify(zero) }, { exit: 1 }] },
      { when: 'limit later', execute: [{ claude: 'limited' }, { exit: 1 }] },
    ],
  });
  asExecutable(box, agent, 'claude');
  const repo = await box.repository({ config: 'agent: claude\nmax_parallel: 3\n' });
  const ids = new Map<string, string>();
  for (const what of ['good', 'says it failed', 'says nothing', 'limit at once', 'limit later'])
    ids.set(what, await repo.add('--no-plan', what));
  const key = { ANTHROPIC_API_KEY: 'sk-secret', OPENAI_API_KEY: 'other' };
  await repo.owlFails(8, 'run', '--all', '--max-parallel', '3', { env: key, timeout: 300_000 });
  const job = (what: string) => shown(repo, ids.get(what) ?? '');
  const good = await job('good');
  t.match(
    good,
    { state: 'review', agent: 'claude', history: [{ usage: { output: 450, cost: 0.0421, turns: 3 } }] },
    agent.trace(),
  );
  t.match(await job('says it failed'), { state: 'blocked', reason: { code: 'agent-failed', text: /I could not/ } });
  t.match(await job('says nothing'), {
    state: 'blocked',
    reason: { code: 'agent-failed', text: /did not report success/ },
  });
  const atOnce = await job('limit at once');
  t.match(atOnce, { state: 'pending', ttl: 10, reason: { code: 'usage-limit' } }, 'a limit at once costs nothing');
  t.match(atOnce.not_before, /T21:00:00Z$/, 'and it waits for as long as it says');
  t.match((await repo.owl('status')).stdout, /not before \S+T21:00:00Z/, 'and says until when');
  t.match(await job('limit later'), { state: 'pending', ttl: 9 });
  const [seen] = agent.seen();
  t.equal(seen?.env['ANTHROPIC_API_KEY'], 'sk-secret', 'its own credentials');
  t.equal(seen?.env['OPENAI_API_KEY'], undefined, "and nobody else's");
  t.notMatch(
    agent
      .seen()
      .flatMap(({ argv }) => argv)
      .join(' '),
    /resume|continue|session-id/,
  );
  t.equal(
    (await repo.gitResult('grep', '-q', '5f0e6a1c\\|sk-secret', 'refs/heads/refine/state')).code,
    1,
    'in no record',
  );
  t.match((await repo.owl('log', '--raw', ids.get('good') ?? '')).stdout, '5f0e6a1c', 'the log keeps what it printed');
  t.notMatch((await repo.owl('log', ids.get('good') ?? '')).stdout, '5f0e6a1c', 'a person is told what it says');
});

t.test(
  'J16: agent and account are fixed at the first Run; one that is not to be had leaves the Job pending',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [[{ exit: 1 }], work()],
      definition: { account: 'team', env: ['TEAM_KEY'] },
    });
    const other = box.agent('spare', { execute: [...work('spare.txt')] });
    const repo = await box.repository({ agents: [agent, other] });
    const id = await repo.add('--no-plan', 'who does it');
    await repo.owlFails(8, 'run', { env: { TEAM_KEY: 'k', OTHER_KEY: 'o' } });
    t.equal(agent.seen()[0]?.env['TEAM_KEY'], 'k');
    t.equal(agent.seen()[0]?.env['OTHER_KEY'], undefined);
    t.match(await shown(repo, id), { agent: 'worker' });
    // The configuration names another one now, and the first is not to be had any more.
    const config = repo.read('.coding-owl.yaml').replace('agent: worker', 'agent: spare');
    await repo.commit('Another agent', { '.coding-owl.yaml': config.replace(process.execPath, '/nowhere/agent') });
    await repo.owl('retry', id);
    const missing = await repo.owlFails(9, 'run', id, '--json');
    t.match(missing.stdout, /not to be had here/);
    t.match(await shown(repo, id), { state: 'pending', agent: 'worker', ttl: 9 });
    t.match((await repo.owl('status')).stdout, /not to be had/);
    await repo.owl('edit', id, '--agent', 'spare');
    await repo.owl('run', id);
    t.match(await shown(repo, id), { state: 'review', agent: 'spare' });
    t.equal(other.seen().length, 1);
  },
);
