// Gates on real repositories, with scripted agents and real fresh checkouts (G13, G14, G31).

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { collect } from '../../../src/app/collect/collect.js';
import { proofLink, recordProof } from '../../../src/app/gates/evidence.js';
import { settleDeadGate } from '../../../src/app/gates/recover.js';
import { runGate } from '../../../src/app/gates/run-gate.js';
import type { GateRequest, GateResult, Proof } from '../../../src/app/gates/types.js';
import { worktreePath } from '../../../src/app/workspace/path.js';
import type { Oid } from '../../../src/domain/git.js';
import type { Evidence } from '../../../src/domain/goal.js';
import type { Scenario } from '../../fixtures/agents.js';
import { type Bench, workbench } from '../../fixtures/bench.js';
import { bundle } from '../../fixtures/bundle.js';
import { evidence, goal } from '../../fixtures/goal-records.js';
import { run } from '../../fixtures/process.js';
import { NOW } from '../../fixtures/records.js';

t.jobs = 2;

const GOAL = 'gk3x9q';

interface Ground extends Bench {
  readonly candidate: { readonly base: Oid; readonly tip: Oid };
  readonly seen: () => readonly { readonly prompt: string; readonly env: Readonly<Record<string, string>> }[];
  request(gate: GateRequest['gate'], change?: Partial<GateRequest>): GateRequest;
  gate(gate: GateRequest['gate'], change?: Partial<GateRequest>): Promise<GateResult>;
}

interface Setup {
  readonly config: string;
  readonly agent?: Scenario;
  readonly files?: Readonly<Record<string, string>>;
  /** What the Candidate's commit writes. */
  readonly change?: Readonly<Record<string, string>>;
}

async function ground(t: Test, setup: Setup): Promise<Ground> {
  let seen: Ground['seen'] = () => [];
  const world = await workbench(t, (box) => {
    const judge = box.agent('judge', setup.agent ?? {});
    seen = judge.seen;
    return {
      config: setup.config,
      agents: [judge],
      files: { 'README.md': '# Example\n', 'sum.sh': 'echo 2\n', '.gitignore': '*.log\n', ...setup.files },
    };
  });
  const { repo, bench, guardian } = world;
  const base = (await repo.oid('main')) as Oid;
  await repo.git('checkout', '--quiet', '-b', `refine/${GOAL}/round-1`);
  const tip = (await repo.commit('Add tabs', setup.change ?? { 'tabs.txt': 'tabs\n' })) as Oid;
  await repo.git('checkout', '--quiet', 'main');
  const loaded = await world.policy();
  const request: Ground['request'] = (gate, change = {}) => ({
    gate,
    goal: GOAL,
    title: 'Tabs',
    round: 1,
    candidate: { base, tip },
    onto: 'refs/heads/main',
    loaded,
    marker: bench.ids.run(),
    request: 'accept tabs',
    earlier: [],
    plan: 'Write tabs.txt.',
    quality: gate === 'governance' ? qualityProof({ base, tip }, loaded.commit) : null,
    allowGuarded: false,
    ...change,
  });
  return {
    ...world,
    candidate: { base, tip },
    seen: () => seen(),
    request,
    gate: (gate, change) => runGate(bench, request(gate, change), guardian),
  };
}

const qualityProof = (candidate: Evidence['candidate'], config: Oid | null): Evidence =>
  evidence(GOAL, 'ev1', {
    candidate,
    config,
    checks: [{ name: 'unit', run: 'make unit', status: 'passed', exit: 0, ms: 5, digest: '' }],
    verdict: { agent: 'judge', result: 'pass', summary: 'QUALITY SAYS FINE' },
  });

function proofIn(t: Test, result: GateResult): Proof {
  if (result.kind === 'judged') return result.proof;
  t.fail(`it was ${result.kind}`);
  throw new Error(result.kind);
}

/** Nothing of the gate is left: no checkout, no scratch folder, no note, and the user's checkout is as it was. */
async function leavesNothing(t: Test, world: Ground, work: () => Promise<GateResult>): Promise<GateResult> {
  const before = await world.repo.untouched();
  const branch = await world.repo.oid(`refine/${GOAL}/round-1`);
  const result = await work();
  world.box.same(t, before, await world.repo.untouched());
  t.equal(await world.repo.oid(`refine/${GOAL}/round-1`), branch, 'the branch of the Round stands');
  t.same((await world.repo.git('worktree', 'list', '--porcelain')).match(/^worktree /gm)?.length, 1);
  const { environment, repository } = world.bench;
  const folder = dirname(await worktreePath({ environment, policy: null, repository, id: 'x' }));
  t.same(existsSync(folder) ? readdirSync(folder) : [], [], 'no checkout stays');
  const runs = join(repository.commonDir, 'owl', 'runs');
  t.same(existsSync(runs) ? readdirSync(runs) : [], [], 'no scratch stays');
  t.same(await world.bench.notes.list('runs/'), [], 'no note stays');
  return result;
}

t.test(
  'G13: quality runs `checks` and its own on exactly the Candidate, in a checkout of its own with setup and copy',
  async (t) => {
    const world = await ground(t, {
      config: `setup: ["echo made > made.log"]
copy: [secret.log]
checks:
  - { name: here, run: "test -f tabs.txt && test -f made.log && test -f secret.log" }
quality:
  checks:
    - { name: apart, run: 'test "$(git rev-parse HEAD)" = "$OWL_CANDIDATE" && test "$(git rev-parse "$OWL_BASE")" = "$OWL_CANDIDATE_BASE" && test "$OWL_GOAL/$OWL_ROUND" = ${GOAL}/1 && ! test -e stray.txt' }
    - { name: no, run: "echo not good; exit 3" }
    - { name: vars, run: 'test "$OWL_PHASE" = quality && test "$OWL_JOB" = ${GOAL} && test -z "$MY_SECRET"' }
`,
    });
    world.repo.write('secret.log', 'secret\n');
    world.repo.write('stray.txt', 'uncommitted\n');
    const proof = proofIn(t, await leavesNothing(t, world, () => world.gate('quality')));
    t.same(
      proof.checks.map(({ name, status, exit }) => [name, status, exit]),
      [
        ['here', 'passed', 0],
        ['quality:apart', 'passed', 0],
        ['quality:no', 'failed', 3],
        ['quality:vars', 'passed', 0],
      ],
      'all run',
    );
    t.equal(proof.status, 'findings');
    t.match(proof.reason, { code: 'quality-findings', text: /quality:no failed: exit 3/ });
    t.same(proof.candidate, world.candidate);
    t.match(proof.files.get('checks/quality%3Ano')?.toString(), 'not good\n', 'its output is for the evidence');
  },
);

t.test('G13: an agent that passes; the prompt has what it needs, and nothing but its verdict counts', async (t) => {
  const world = await ground(t, {
    config: 'checks: [{ name: unit, run: "echo fine" }]\nquality: { agent: judge }\n',
    agent: {
      quality: [
        {
          expect: {
            prompt: ['accept tabs', 'Write tabs\\.txt\\.', '\\+tabs', 'unit: passed', 'Judge the quality'],
            env: { OWL_PHASE: 'quality', OWL_GOAL: GOAL, OWL_JOB: GOAL },
          },
        },
        { print: 'looking' },
        { verdict: 'pass', summary: 'good work' },
      ],
    },
  });
  const result = await leavesNothing(t, world, () => world.gate('quality'));
  const proof = proofIn(t, result);
  t.match(proof, { status: 'passed', reason: null, verdict: { agent: 'judge', result: 'pass', summary: 'good work' } });
  t.equal(result.kind === 'judged' && result.replaced, null);
  t.match(proof.files.get('log/000')?.toString(), 'looking');
  t.match(proof.files.get('prompt')?.toString(), 'accept tabs');
  t.match(proof.files.get('verdict')?.toString(), '"nonce"');
});

t.test(
  'G13: the agent corrects: a new Candidate, kept alive with the old one, and the checks run again on it',
  async (t) => {
    const world = await ground(t, {
      config: 'quality: { checks: [{ name: ok, run: "grep -q good tabs.txt" }], agent: judge }\n',
      agent: {
        quality: [
          { expect: { prompt: ['quality:ok: exit 1'], files: { 'tabs.txt': 'tabs\n' } } },
          { write: 'tabs.txt', text: 'good tabs\n' },
          { commit: 'Correct tabs' },
          { verdict: 'pass' },
        ],
      },
    });
    const result = await leavesNothing(t, world, () => world.gate('quality'));
    const proof = proofIn(t, result);
    t.equal(proof.status, 'passed');
    t.equal(proof.candidate.base, world.candidate.base);
    t.not(proof.candidate.tip, world.candidate.tip);
    t.equal(await world.repo.git('show', `${proof.candidate.tip}:tabs.txt`), 'good tabs');
    t.equal(await world.repo.oid(`${proof.candidate.tip}^`), world.candidate.tip);
    t.match(proof.checks, [{ name: 'quality:ok', status: 'passed' }]);
    if (result.kind !== 'judged') return;
    t.match(result.replaced, { status: 'findings', candidate: world.candidate, checks: [{ status: 'failed' }] });
    const kept = await world.bench.store.kept(GOAL);
    t.ok(kept.some((link) => link.kept === proof.candidate.tip));
    await world.repo.git('gc', '--prune=now', '--quiet');
    t.equal(await world.repo.git('cat-file', '-t', proof.candidate.tip), 'commit', 'reachable');
  },
);

t.test('G31: an agent’s pass never replaces a check, and its correction is checked like any Candidate', async (t) => {
  const world = await ground(t, {
    config: 'quality: { checks: [{ name: ok, run: "grep -q good tabs.txt" }], agent: judge }\n',
    agent: { quality: [{ write: 'tabs.txt', text: 'worse\n' }, { commit: 'Make it worse' }, { verdict: 'pass' }] },
  });
  const proof = proofIn(t, await leavesNothing(t, world, () => world.gate('quality')));
  t.match(proof, { status: 'findings', verdict: { result: 'pass' }, reason: { code: 'quality-findings' } });
});

t.test('G14, 07.55: trouble is told apart, and what the agent made meanwhile is kept', async (t) => {
  const cases: readonly (readonly [string, Scenario['quality'] & object, RegExp, string, boolean])[] = [
    ['no verdict', [{ print: 'hm' }], /no verdict/, 'gate-trouble', false],
    ['not JSON', [{ result: '{"verdict": "pass"' }], /not JSON/, 'gate-trouble', false],
    ['another nonce', [{ verdict: 'pass', nonce: 'guess' }], /nonce/, 'gate-trouble', false],
    ['another Candidate', [{ verdict: 'pass', tip: 'f'.repeat(40) }], /another Candidate/, 'gate-trouble', false],
    ['it fails', [{ verdict: 'pass' }, { exit: 3 }], /exit status 3/, 'agent-failed', false],
    ['a limit', [{ result: { outcome: 'limited', summary: 'come back' } }], /come back/, 'usage-limit', false],
    [
      'uncommitted',
      [{ append: 'tabs.txt', text: 'x' }, { verdict: 'pass' }],
      /did not commit: tabs.txt/,
      'gate-trouble',
      true,
    ],
    [
      'rewritten',
      [{ git: ['commit', '--amend', '-m', 'other', '--quiet'] }, { verdict: 'pass' }],
      /rewrote the Candidate/,
      'gate-trouble',
      true,
    ],
    [
      'a merge',
      [{ git: ['merge', '--quiet', '--no-ff', '-m', 'merge', 'other'] }, { verdict: 'pass' }],
      /merged other commits/,
      'gate-trouble',
      true,
    ],
    [
      'taken back',
      [{ git: ['revert', '--no-edit', 'HEAD'] }, { verdict: 'pass' }],
      /took back everything/,
      'gate-trouble',
      true,
    ],
    [
      'a verdict before the commit',
      [{ verdict: 'pass' }, { write: 'more.txt', text: 'x' }, { commit: 'More' }],
      /another Candidate/,
      'gate-trouble',
      true,
    ],
  ];
  const world = await ground(t, { config: 'quality: { agent: judge }\n' });
  await world.repo.git('checkout', '--quiet', '-b', 'other');
  await world.repo.commit('other', { 'other.txt': 'x\n' });
  await world.repo.git('checkout', '--quiet', 'main');
  let kept = (await world.bench.store.kept(GOAL)).length;
  for (const [name, steps, text, code, keeps] of cases) {
    world.box.agent('judge', { quality: steps });
    const result = await leavesNothing(t, world, () => world.gate('quality'));
    const proof = proofIn(t, result);
    t.equal(proof.status, 'trouble', name);
    t.match(proof.reason, { code, text }, name);
    t.same(proof.candidate, world.candidate, name);
    const now = (await world.bench.store.kept(GOAL)).length;
    t.equal(now > kept, keeps, `${name}: kept`);
    kept = now;
    if (code === 'usage-limit') t.match(result, { notBefore: /^\d{4}-/ });
  }
});

t.test(
  'G14: a missing agent, a failed setup, and rules that are not there are trouble with their own names',
  async (t) => {
    const missing = await ground(t, { config: 'quality: { agent: claude }\n' });
    t.match(proofIn(t, await missing.gate('quality')), {
      status: 'trouble',
      reason: { code: 'missing-agent', text: /claude/ },
    });
    const setup = await ground(t, {
      config: 'setup: ["exit 4"]\nchecks: [{ name: a, run: "true" }]\nquality: { agent: judge }\n',
    });
    const failed = proofIn(t, await leavesNothing(t, setup, () => setup.gate('quality')));
    t.match(failed, { status: 'trouble', reason: { code: 'setup-failed', text: /exit 4/ } });
    t.same(setup.seen(), [], 'no agent is asked on a checkout that is not set up');
    const rules = await ground(t, { config: 'governance: { agent: judge, rules: [docs/rules.md] }\n' });
    t.match(proofIn(t, await rules.gate('governance')), {
      status: 'trouble',
      reason: { code: 'configuration', text: /docs\/rules\.md/ },
    });
  },
);

t.test('G31: governance gets rules, proof and diff, judges, and may change nothing', async (t) => {
  const world = await ground(t, {
    config: 'governance: { checks: [{ name: audit, run: "echo audited" }], agent: judge, rules: [docs/rules.md] }\n',
    files: { 'docs/rules.md': 'RULE: no spaces.\n' },
    agent: {
      governance: [
        {
          expect: {
            prompt: ['RULE: no spaces', 'QUALITY SAYS FINE', 'make unit', 'governance:audit: passed', '\\+tabs'],
          },
        },
        { verdict: 'findings', findings: [{ text: 'tabs are spaces', paths: ['tabs.txt'] }] },
      ],
    },
  });
  const proof = proofIn(t, await leavesNothing(t, world, () => world.gate('governance')));
  t.match(proof, {
    status: 'findings',
    reason: { code: 'governance-findings', text: /tabs are spaces/, paths: ['tabs.txt'] },
    findings: [{ gate: 'judge', text: 'tabs are spaces', paths: ['tabs.txt'] }],
  });
  for (const [name, steps, text] of [
    ['a file', [{ append: 'tabs.txt', text: 'x' }, { verdict: 'pass' }], /changed the tree.*tabs\.txt/],
    ['a new file', [{ write: 'new.txt', text: 'x' }, { verdict: 'pass' }], /changed the tree.*new\.txt/],
    ['a commit', [{ write: 'new.txt', text: 'x' }, { commit: 'no' }, { verdict: 'pass' }], /may only judge/],
  ] as const) {
    world.box.agent('judge', { governance: steps });
    const changed = proofIn(t, await leavesNothing(t, world, () => world.gate('governance')));
    t.match(changed, { status: 'trouble', reason: { code: 'gate-trouble', text } }, name);
  }
  t.ok((await world.bench.store.kept(GOAL)).length >= 3, 'what it changed is kept');
});

t.test('G31: an agent that moves what is not its own has escaped', async (t) => {
  const world = await ground(t, { config: 'quality: { agent: judge }\n' });
  world.box.agent('judge', {
    quality: [
      { write: 'x.txt', text: 'x' },
      { commit: 'X' },
      { git: ['update-ref', 'refs/heads/main', 'HEAD'] },
      { verdict: 'pass' },
    ],
  });
  const proof = proofIn(t, await world.gate('quality'));
  t.match(proof, {
    status: 'trouble',
    reason: { code: 'escaped', text: /refs\/heads\/main/ },
    candidate: world.candidate,
  });
  t.ok(proof.notes.some((note) => note.startsWith('changed while it ran: the ref refs/heads/main')));
});

t.test('G31, J37: guarded and protected paths, and size; a person allows paths for one Candidate', async (t) => {
  const world = await ground(t, {
    config: `guard: [migrations]
governance: { agent: judge, protect: [LICENSE], max_changed: { files: 2, lines: 3 } }
`,
    files: { LICENSE: 'free\n' },
    change: {
      'migrations/1.sql': 'one\n',
      LICENSE: 'mine\n',
      'a.txt': 'a\n',
      '.coding-owl/HANDOFF.md': 'a\nb\nc\nd\ne\nf\n',
    },
    agent: { governance: [{ verdict: 'pass' }] },
  });
  const proof = proofIn(t, await leavesNothing(t, world, () => world.gate('governance')));
  t.equal(proof.status, 'findings');
  t.same(
    proof.findings.map(({ gate, paths }) => [gate, paths]),
    [
      ['guard', ['migrations/1.sql']],
      ['protect', ['LICENSE']],
      ['max_changed', []],
      ['max_changed', []],
    ],
  );
  t.same(proof.reason?.paths, ['migrations/1.sql', 'LICENSE']);
  t.match(
    proof.reason?.text,
    /paths: LICENSE; changes 3 files, more than 2; changes 4 lines, more than 3$/,
    'each is named',
  );
  t.same(world.seen(), [], 'the agent is not asked: it could change nothing');
  const allowed = proofIn(t, await world.gate('governance', { allowGuarded: true }));
  t.match(allowed.findings, [{ text: 'changes 3 files, more than 2' }, { text: 'changes 4 lines, more than 3' }]);
});

t.test(
  'G31: attributes of the Candidate hide no lines from the size, and neither does the user’s configuration',
  async (t) => {
    const world = await ground(t, {
      config: 'governance: { max_changed: { lines: 2 }, checks: [{ name: a, run: "true" }] }\n',
      change: { 'a.txt': '1\n2\n3\n', '.gitattributes': '* -diff\n' },
    });
    await world.repo.git('config', 'diff.external', 'true');
    const proof = proofIn(t, await world.gate('governance', { allowGuarded: true }));
    t.match(proof.findings, [{ gate: 'max_changed', text: /changes 4 lines/ }]);
  },
);

t.test('G31: with no gate at all nothing is accepted, unless the base says ungated', async (t) => {
  const bare = await ground(t, { config: '' });
  t.match(proofIn(t, await bare.gate('quality')), { status: 'passed', checks: [] });
  t.match(proofIn(t, await bare.gate('governance')), { status: 'findings', reason: { code: 'ungated' } });
  const free = await ground(t, { config: 'goals: { ungated: true }\n' });
  t.match(proofIn(t, await free.gate('governance')), { status: 'passed', reason: null });
  const guarded = await ground(t, { config: 'goals: { ungated: true }\n', change: { '.gitmodules': '' } });
  t.match(proofIn(t, await guarded.gate('governance')), {
    status: 'findings',
    reason: { code: 'governance-findings' },
  });
});

t.test('G31: governance judges only what quality proved for exactly this Candidate and these gates', async (t) => {
  const world = await ground(t, { config: 'governance: { checks: [{ name: a, run: "true" }] }\n' });
  const stale = async (quality: Evidence | null) => {
    const proof = proofIn(t, await world.gate('governance', { quality }));
    t.match(proof, { status: 'trouble', reason: { code: 'stale-candidate' }, checks: [] });
  };
  const { commit } = await world.policy();
  await stale(null);
  await stale({ ...qualityProof(world.candidate, commit), status: 'findings' });
  await stale(qualityProof({ ...world.candidate, tip: world.candidate.base }, commit));
  await stale(qualityProof(world.candidate, world.candidate.tip));
  t.match(proofIn(t, await world.gate('governance')), { status: 'passed' });
});

t.test('G13, G31: a proof becomes Evidence with what was printed beside it; governance is shown both', async (t) => {
  const world = await ground(t, {
    config:
      'checks: [{ name: unit, run: "echo FROM THE CHECK" }]\ngovernance: { agent: judge }\nquality: { agent: judge }\n',
    agent: {
      quality: [{ verdict: 'pass', summary: 'NICE' }],
      governance: [{ expect: { prompt: ['FROM THE CHECK', 'pass: NICE'] } }, { verdict: 'pass' }],
    },
  });
  const { bench } = world;
  const { commit } = await world.policy();
  const of = { id: 'ev1', goal: GOAL, round: 1, gate: 'quality', config: commit, clone: 'here', at: NOW } as const;
  const { evidence: quality, pin } = recordProof(proofIn(t, await world.gate('quality')), of);
  await bench.store.update({}, async (tx) => {
    tx.putGoal(goal(GOAL));
    tx.putEvidence(quality);
    tx.keep(pin);
    tx.event({ event: 'goal.edited', subject: 'x', goal: GOAL });
  });
  const [stored] = await (await bench.store.snapshot()).evidence(GOAL);
  t.match(stored, {
    status: 'passed',
    candidate: world.candidate,
    config: commit,
    checks: [{ name: 'unit', exit: 0 }],
  });
  t.match(proofIn(t, await world.gate('governance', { quality: stored ?? null })), { status: 'passed' });
  const link = await proofLink(bench.store, quality);
  t.equal((await bench.store.keptFile(link as Oid, 'checks/unit'))?.toString(), 'FROM THE CHECK\n');
});

t.test('G13: stopped while a check or the agent runs: nothing was found out, and nothing is left', async (t) => {
  const checks = await ground(t, { config: 'checks: [{ name: slow, run: "touch $HOME/slow; sleep 60" }]\n' });
  const slow = leavesNothing(t, checks, () => checks.gate('quality'));
  await waitFor(join(checks.box.home, 'slow'));
  checks.stop();
  t.match(await slow, { kind: 'interrupted' });
  const agent = await ground(t, {
    config: 'quality: { agent: judge }\n',
    agent: { quality: [{ sh: 'touch $HOME/here' }, { sleep: 60_000 }] },
  });
  const asked = leavesNothing(t, agent, () => agent.gate('quality'));
  await waitFor(join(agent.box.home, 'here'));
  agent.stop();
  t.match(await asked, { kind: 'interrupted' });
});

t.test(
  'G13: killed at any moment: the agent is gone, its corrections are kept, and the gate can be run again',
  async (t) => {
    const world = await ground(t, {
      config: 'checks: [{ name: unit, run: "true" }]\nquality: { agent: judge }\n',
      agent: { quality: [{ write: 'tabs.txt', text: 'good\n' }, { commit: 'Correct tabs' }, { verdict: 'pass' }] },
    });
    const { bench, repo, box } = world;
    const driver = bundle('test/fixtures/gate-driver.ts', box.path('tmp'), 'gate-driver');
    const before = await repo.untouched();
    for (const failAt of [
      'gate.before-checks',
      'gate.after-checks',
      'run.agent-started',
      'gate.after-agent',
      'gate.before-keep',
      'gate.after-keep',
      'fresh.before-remove',
    ]) {
      // Commits of one second would be the very same commit, and kept already.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const asked = world.request('quality');
      const killed = await run({
        command: process.execPath,
        args: [driver, repo.dir, world.guardianFile, JSON.stringify(asked)],
        cwd: repo.dir,
        env: { ...box.env(), OWL_FAIL_AT: failAt },
      });
      t.equal(killed.signal, 'SIGKILL', `${failAt} ${killed.stderr}`);
      const kept = (await bench.store.kept(GOAL)).length;
      t.equal(await settleDeadGate(bench, GOAL, asked.marker), null, failAt);
      const running = box.processes().filter(({ command }) => command.includes('agent.mjs'));
      t.same(running, [], `${failAt}: no agent runs any more`);
      const made = ['gate.after-agent', 'gate.before-keep'].includes(failAt);
      // An agent that was only started may have come that far or not.
      if (failAt !== 'run.agent-started')
        t.equal((await bench.store.kept(GOAL)).length > kept, made, `${failAt}: what its agent made is kept`);
      // What was in the middle of being made or removed is for gc.
      await collect(bench, []);
      const result = await world.gate('quality');
      t.match(proofIn(t, result), { status: 'passed' }, `${failAt}: run again`);
      t.same((await repo.git('worktree', 'list', '--porcelain')).match(/^worktree /gm)?.length, 1, failAt);
      t.same(await bench.notes.list(''), [], `${failAt}: no note`);
    }
    world.box.same(t, before, await repo.untouched());
  },
);

async function waitFor(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 25));
}
