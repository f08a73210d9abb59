// Verification: which checks run, on what, where they come from, and what their result means (J27 to J29; 07, 21).

import { t } from 'tap';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.test(
  'J27, J28, J29: all checks run, failures are kept and told, and `verify` repeats them without an agent',
  async (t) => {
    const box = await sandbox(t);
    const bad = { 'bad.txt': 'bad\n', 'style.txt': 'x\n', 'edit.txt': 'x\n', 'hang.txt': 'x\n' };
    const agent = box.agent('worker', {
      execute: [
        [...Object.entries(bad).map(([write, text]) => ({ write, text })), { commit: 'Bad work' }],
        [
          { expect: { prompt: ['the-first-failure', 'style\\.txt', 'do it properly'] } },
          ...Object.keys(bad).map((remove) => ({ remove })),
          { write: 'work.txt', text: 'good\n' },
          { commit: 'Good work' },
        ],
      ],
    });
    box.set('PASSED', 'yes');
    box.set('SECRET', 'not for checks');
    const repo = await box.repository({
      remote: 'bare',
      agents: [agent],
      config: `plan: false
env: [PASSED]
checks:
  - { name: fails, run: "test ! -f bad.txt || { echo the-first-$(echo failure); exit 3; }" }
  - { name: prints, run: "ls style.txt 2>/dev/null; exit 0", expect: empty_output }
  - { name: edits, run: "test ! -f edit.txt || echo edited >> README.md" }
  - { name: hangs, run: "test ! -f hang.txt || { sleep 61 & sleep 61; }", timeout: 1s }
  - { name: scrubbed, run: 'test "$PASSED" = yes && test -z "$SECRET" && test -n "$OWL_JOB"' }
  - { name: leaves, run: "echo report > report.txt; test ! -f base-breaks.txt" }
`,
    });
    const id = await repo.add('do it');
    await repo.owlFails(6, 'run');
    const failed = (await repo.owl('show', id, '--json')).json().data;
    t.match(failed, { state: 'blocked', closure: 'blocked', verified: 'none', reason: { code: 'checks-failed' } });
    t.equal(failed.history[0].outcome, 'succeeded', 'the Run stays succeeded');
    t.same(
      failed.history[0].checks.map((check: { name: string; status: string }) => `${check.name} ${check.status}`),
      ['fails failed', 'prints output', 'edits changed-tree', 'hangs timeout', 'scrubbed passed', 'leaves passed'],
      'all run, and each says how it ended',
    );
    const worktree = box.open(failed.worktree);
    t.equal(await worktree.git('status', '--porcelain'), '', 'what checks did to the tree was taken back');
    const keep = await repo.git('log', '--format=%H %s', `refs/owl/keep/${id}`);
    t.match(keep, /tree that check edits changed/, 'and is kept');
    t.match(keep, /files that checks made/);
    const log = /^(\w+) log of run 1$/m.exec(keep)?.[1] ?? '';
    t.equal(await repo.git('show', `${log}:checks/fails`), 'the-first-failure', 'the output of a failure is kept');
    await eventually(
      () => !box.processes().some(({ command }) => command.includes('sleep 61')),
      5_000,
      'no child of a check lives',
    );

    await repo.owl('retry', id, '-m', 'do it properly');
    await repo.owl('run');
    const good = (await repo.owl('show', id, '--json')).json().data;
    t.match(good, { state: 'review', closure: 'resolved', verified: 'current', ttl: 8 });

    worktree.write('more.txt', 'more\n');
    t.match(
      (await repo.owlFails(4, 'verify', id)).stderr,
      /more\.txt/,
      '07.21: an uncommitted file is never verified with',
    );
    const byHand = await worktree.commit('By hand', { 'more.txt': 'more\n' });
    t.equal((await repo.owl('show', id, '--json')).json().data.verified, 'void', 'J28: the tip moved');
    t.match((await repo.owl('accept', id, '--dry-run')).stderr, /has not moved[\s\S]*void/, 'J30: accept says so');
    const pushed = await repo.colleague('Base', { 'base.txt': 'base\n' });
    await repo.owl('verify', id, '--request-id', 'v1');
    const verified = (await repo.owl('show', id, '--json')).json().data;
    t.match(verified, { state: 'review', verified: 'current', ttl: 8, base: { oid: pushed } });
    t.equal(await repo.git('merge-base', verified.tip, pushed), pushed, 'verify fetched and replayed');
    t.equal(await repo.git('show', `${verified.tip}:more.txt`), 'more', 'the tip as it is');
    const record = await repo.record((await repo.records(new RegExp(`${id}.*job`)))[0] ?? '');
    t.match(
      record.verification,
      { tip: verified.tip, base: pushed, config: pushed, passed: true },
      'J28: it names all three',
    );
    t.match(
      (await repo.gitResult('merge-base', '--is-ancestor', byHand, verified.tip)).code,
      1,
      'it is another commit now',
    );

    await repo.colleague('Breaks', { 'base-breaks.txt': 'x\n' });
    t.match((await repo.owl('verify', id, '--request-id', 'v1')).stdout, /as answered before/, '01: once only');
    t.equal((await repo.owl('show', id, '--json')).json().data.tip, verified.tip);
    t.match((await repo.owlFails(4, 'verify', await repo.add('other'), '--request-id', 'v1', '--json')).json(), {
      error: { code: 'request-reused' },
    });
    t.match((await repo.owlFails(6, 'verify', id, '--json')).json(), { ok: false, error: { code: 'checks-failed' } });
    t.match((await repo.owl('show', id, '--json')).json().data, { state: 'blocked', verified: 'none', ttl: 8 });
    await repo.colleague('Conflicts', { 'work.txt': 'theirs\n' });
    t.match((await repo.owlFails(5, 'verify', id, '--json')).json().error, { code: 'conflict', message: /work\.txt/ });
    t.equal(agent.seen().length, 2, 'no agent was started by it');
  },
);

t.test('J27: a fresh checkout is exactly the tip, with setup and copied files, and goes away', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'ignored.dat', text: 'helps\n' }, { write: 'work.txt', text: 'work\n' }, { commit: 'Work' }],
  });
  const repo = await box.repository({
    agents: [agent],
    files: { '.gitignore': '*.dat\n.env\ninstalled\n' },
    config: `plan: false
setup: ["echo x >> installed"]
copy: [.env]
verification: { checkout: fresh }
checks:
  - { name: tip, run: 'test "$(git log -1 --format=%s)" = Work && test -z "$(git status --porcelain)"' }
  - { name: fresh, run: "test ! -e ignored.dat" }
  - { name: setup, run: 'test "$(cat installed)" = x' }
  - { name: copied, run: "grep -q key .env" }
`,
  });
  repo.write('.env', 'key=1\n');
  const id = await repo.add('do it');
  const run = await repo.owl('run', { fails: 'any' });
  const shown = (await repo.owl('show', id, '--json')).json().data;
  t.same(
    shown.history[0].checks.map((check: { name: string; status: string }) => `${check.name} ${check.status}`),
    ['tip passed', 'fresh passed', 'setup passed', 'copied passed'],
    run.stderr,
  );
  t.equal(shown.state, 'review');
  t.equal((await repo.git('worktree', 'list')).split('\n').length, 2, 'the checkout of the checks is gone');
});

t.test(
  'J27: checks come from the base and the own file of the user, never from the branch; without any: "not verified"',
  async (t) => {
    const box = await sandbox(t);
    const weak = 'version: 1\nexecution: { auto_merge: true }\nchecks: []\n';
    const agent = box.agent('worker', {
      cases: [
        {
          when: 'weaken',
          execute: [
            { write: 'work.txt', text: 'x\n' },
            { write: '.coding-owl.yaml', text: weak },
            { commit: 'Weaken' },
          ],
        },
      ],
      execute: [{ write: 'done.txt', text: 'x\n' }, { commit: 'Done' }],
    });
    const repo = await box.repository({ agents: [agent], config: 'plan: false\n' });
    const id = await repo.add('do it');
    await repo.owl('run');
    t.match((await repo.owl('show', id)).stdout, /not verified/, 'J29: show says so');
    t.match((await repo.owl('review', id)).stdout, /not verified/);
    // A check that the user adds counts from then on, also for what is in review.
    box.userConfig('version: 1\nchecks:\n  - { name: mine, run: "test ! -f work.txt && test ! -f done.txt" }\n');
    t.match((await repo.owlFails(6, 'merge', id)).stderr, /mine/, 'J34: it is verified before it lands');
    t.match((await repo.owl('show', id, '--json')).json().data, {
      state: 'blocked',
      reason: { code: 'checks-failed' },
    });
    const weakened = await repo.add('weaken the checks');
    const main = await repo.oid('refs/heads/main');
    t.match((await repo.owlFails(6, 'run', weakened)).stderr, /mine/);
    t.equal(await repo.oid('refs/heads/main'), main, 'and the opt-in of a branch lands nothing');
  },
);

t.test('J29, J16b: each unit has the exit status of its end; of several, the worst', async (t) => {
  const box = await sandbox(t);
  const result = { outcome: 'no-change', summary: 'it is right already' };
  const agent = box.agent('worker', {
    cases: [
      { when: 'nothing to change', execute: [{ result }] },
      {
        when: 'ask me',
        execute: [
          { handoff: '# Handoff\n\n## Blocked\n\nWhich colour?\n' },
          { write: 'a.txt', text: 'a\n' },
          { commit: 'A' },
        ],
      },
      { when: 'fail', execute: [{ exit: 1 }] },
    ],
    execute: [{ print: 'all is well' }],
  });
  const repo = await box.repository({ agents: [agent], config: 'plan: false\n' });
  const none = await repo.add('nothing to change');
  const asks = await repo.add('ask me');
  const fails = await repo.add('fail');
  const empty = await repo.add('be lazy');
  const run = await repo.owlFails(8, 'run', '--json', none, asks, fails, empty);
  const units = run.jsonLines().map((line) => line.data);
  const ends = units
    .filter((unit) => unit?.unit)
    .map((unit) => [unit.id, unit.state, unit.unit.exit, unit.reason?.code ?? null]);
  t.same(ends, [
    [none, 'review', 0, null],
    [asks, 'blocked', 5, 'agent-blocked'],
    [fails, 'blocked', 8, 'agent-failed'],
    [empty, 'blocked', 6, 'nothing-changed'],
  ]);
  t.match((await repo.owl('review', none)).stdout, /it is right already/, 'the summary is shown to the reviewer');
  const merge = (await repo.owlFails(4, 'merge', none, '--json')).json();
  t.match(merge.error, { code: 'refused', next: [`git owl accept ${none}`] }, 'nothing is there to merge');
  await repo.owl('accept', none);
  t.match((await repo.owl('show', none, '--json')).json().data, { state: 'done', merged: null });
});

t.test(
  'J27, 11: a check that commits, or moves HEAD or the branch, changed the tree: kept, and taken back',
  async (t) => {
    const box = await sandbox(t);
    const cases = ['commits', 'detaches', 'leaves', 'deletes', 'fine'];
    const config = (checkout: string) => `plan: false
verification: { checkout: ${checkout} }
execution: { auto_merge: true }
checks:
  - { name: commits, run: "test ! -f commits.txt || { echo junk >> README.md; git commit -qam sneaky; echo more >> README.md; }" }
  - { name: detaches, run: "test ! -f detaches.txt || { git checkout -q --detach; echo junk > junk.txt; git add .; git commit -qm sneaky; }" }
  - { name: leaves, run: "test ! -f leaves.txt || { git checkout -q -b aside; git rm -q README.md; git commit -qm sneaky; }" }
  - { name: deletes, run: "test ! -f deletes.txt || git update-ref -d refs/heads/owl/$OWL_JOB/write-deletes" }
  - { name: last, run: "grep -qx '# Example' README.md && test ! -f junk.txt && test $(wc -l < README.md) = 1" }
`;
    for (const checkout of ['worktree', 'fresh']) {
      const agent = box.agent(checkout, {
        cases: cases.map((name) => ({
          when: `write ${name}`,
          execute: [{ write: `${name}.txt`, text: 'x\n' }, { commit: `Write ${name}` }],
        })),
      });
      const repo = await box.repository({ name: checkout, agents: [agent], config: config(checkout) });
      const start = await repo.oid('refs/heads/main');
      for (const name of checkout === 'fresh' ? ['commits'] : cases.slice(0, -1)) {
        const id = await repo.add(`write ${name}`);
        await repo.owlFails(6, 'run', id);
        const job = (await repo.owl('show', id, '--json')).json().data;
        const said = `${name} in ${checkout}`;
        t.match(job, { state: 'blocked', verified: 'none', reason: { code: 'checks-failed' } }, said);
        t.match(job.reason.text, new RegExp(`^check failed: ${name} \\(changed the tree\\)$`), 'only that one');
        t.equal(await repo.oid(`refs/heads/${job.branch}`), job.tip, `${said}: the branch is where it was`);
        t.equal(await repo.git('log', '-1', '--format=%s', job.tip), `Write ${name}`);
        const worktree = box.open(job.worktree);
        t.equal(await worktree.git('symbolic-ref', 'HEAD'), `refs/heads/${job.branch}`);
        t.equal(await worktree.git('status', '--porcelain', '--ignored'), '', `${said}: and its worktree`);
        t.match(job.history[0].notes.join('\n'), new RegExp(`check ${name} moved`));
        if (name !== 'deletes')
          t.match(await repo.git('log', '--format=%s %P', `refs/owl/keep/${id}`), /commit that check \w+ left/);
      }
      t.equal(await repo.oid('refs/heads/main'), start, 'nothing of it landed');
      const fine = await repo.add('write fine');
      await repo.owl('run', fine);
      t.equal(await repo.git('log', '-1', '--format=%s', 'main^2'), 'Write fine');
      t.notMatch(await repo.git('worktree', 'list'), /\/fresh-\w+-\w+ /, 'no temporary checkout stays');
    }
  },
);
