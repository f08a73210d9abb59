// What is on the target already is taken in: an integration of our own that nobody recorded, and a pull request that somebody else
// merged where the server protects the target (G34, G54).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
quality: { checks: [{ name: style, run: "! grep -q bad *.txt" }] }
governance: { checks: [{ name: rules, run: "test ! -f forbidden.txt" }] }
`;

/** `write aa` writes aa.txt by two commits, the second of which changes what the first wrote. */
const writes = (...files: readonly string[]): Scenario => ({
  cases: files.map((file) => ({
    when: `write ${file}`,
    execute: [
      { write: `${file}.txt`, text: `${file}\n` },
      { commit: `Write ${file}` },
      { write: `${file}.txt`, text: `${file}\nmore\n` },
      { commit: `More of ${file}` },
    ],
  })),
  execute: [{ exit: 1 }],
});

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const evidence = (goal: { evidence: { type: string; status: string }[] }, type: string): string[] =>
  goal.evidence.filter((one) => one.type === type).map(({ status }) => status);
const queued = async (repo: Repo, name: string): Promise<string> =>
  (await repo.owl('goal', 'add', name, '--request', `write ${name}`, '--queue')).stdout.trim();

/** Only who says that it is a merge of a pull request may move the target. */
const PROTECT = '[ "$1" = refs/heads/main ] && [ ! -f merging ] && { echo protected branch >&2; exit 1; }; exit 0';

/** The server merges a pushed branch, in one of the ways that servers have. Returns the commit that the target is at then. */
async function mergeOnServer(server: Repo, branch: string, how: 'merge' | 'squash' | 'rebase'): Promise<string> {
  await server.git('fetch', '-q', 'origin');
  await server.git('checkout', '-q', '-B', 'main', 'origin/main');
  if (how === 'merge') await server.git('merge', '-q', '--no-ff', '--no-edit', `origin/${branch}`);
  if (how === 'squash') {
    await server.git('merge', '-q', '--squash', `origin/${branch}`);
    await server.git('commit', '-q', '-m', `${branch} (#1)`);
  }
  if (how === 'rebase') await server.git('cherry-pick', '--no-ff', `main..origin/${branch}`);
  const marker = `${server.bare}/merging`;
  server.write(marker, '');
  await server.git('push', '-q', 'origin', 'main');
  server.remove(marker);
  return server.git('rev-parse', 'HEAD');
}

t.test('G34, G54: a protected target: export, a pull request merged by hand in each way, and back', async (t) => {
  const box = await sandbox(t);
  const ways = ['merge', 'squash', 'rebase'] as const;
  const names = [...ways, ...ways.map((how) => `moved-${how}`)];
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', writes(...names))],
    config: CONFIG,
  });
  setHook(repo.bare, 'update', PROTECT);
  const server = await repo.clone('server');
  for (const name of names) {
    const how = ways.find((way) => name.endsWith(way)) ?? 'merge';
    const moved = name.startsWith('moved-');
    const id = await queued(repo, name);
    const declined = (await repo.owlFails(4, 'goal', 'advance', id, '--json')).json().error;
    t.match(declined, { code: 'declined-by-server', message: /protected branch/ }, name);
    t.equal(declined.next[0], `git owl export ${id}`, 'the next step');
    const before = await show(repo, id);
    t.match(before, { status: 'failed', reason: { code: 'declined-by-server' }, integration: null });
    t.match((await repo.owl('export', id, '--dry-run')).stdout, /would be on .*: 2 commits, without the Handoff/);
    const made = (await repo.owl('export', id, '--json')).json();
    t.match(made.data, { id, status: 'failed', exported: { ref: `refs/heads/${name}`, commits: 2 } });
    t.equal(await repo.git('ls-tree', '-r', '--name-only', name, '.coding-owl'), '');
    t.match((await repo.owlFails(4, 'export', id, name)).stderr, /exists already/);
    await repo.git('push', '-q', 'origin', name);
    const nobody = (await repo.owlFails(4, 'goal', 'reconcile', id, '--json')).json().error;
    t.match(nobody, { code: 'refused', message: /no integration of its current round/ });
    if (moved) {
      server.write(`${server.bare}/merging`, '');
      await repo.colleague(`Beside ${name}`, { [`beside-${name}.txt`]: 'x\n' });
      server.remove(`${server.bare}/merging`);
    }
    const start = await repo.remoteGit('rev-parse', 'main');
    const commit = await mergeOnServer(server, name, how);
    await repo.git('fetch', '-q', 'origin');
    const behind = await repo.oid('main');
    await repo.owl('goal', 'reconcile', id, '--merged-by', 'origin/main', '--dry-run');
    t.equal(await repo.oid('main'), behind, 'main here is behind, and a dry run only says what would be');
    t.match((await repo.owlFails(4, 'goal', 'reconcile', id, '--merged-by', start, '--json')).json().error, {
      code: 'refused',
      message: /did not bring its candidate/,
      next: [
        `git log --oneline --first-parent ${before.candidate.base}..refs/remotes/origin/main`,
        `git owl goal reconcile ${id} --merged-by <commit>`,
        `git owl show ${id}`,
      ],
    });
    await repo.git('fetch', '-q', 'origin');
    await repo.owl('goal', 'reconcile', id, '--merged-by', 'origin/main', '--dry-run');
    t.match(await show(repo, id), { status: 'failed', integration: null }, 'a dry run changes nothing');
    await repo.owl('goal', 'reconcile', id, '--merged-by', 'origin/main', '--reason', `merged as #1`);
    const now = await show(repo, id);
    t.match(now, { status: 'review', reason: null, integration: { status: 'done', merge: commit } }, name);
    t.same(
      [evidence(now, 'quality'), evidence(now, 'governance')],
      [
        ['passed', 'passed'],
        ['passed', 'passed'],
      ],
      'judged',
    );
    const seen = now.evidence.find((one: { type: string }) => one.type === 'reconciliation');
    t.match(seen, { status: 'done', commits: { merge: commit, local: commit, published: commit } });
    t.equal(seen.commits.local, await repo.oid('main'), 'the local target follows');
    if (moved)
      t.same(now.candidate, { base: start, tip: commit }, 'what landed is the Candidate, on what it landed on');
    else t.same(now.candidate, before.candidate, 'the Candidate as it was');
    await repo.owl('goal', 'reconcile', id, '--merged-by', commit);
    t.equal((await show(repo, id)).revision, now.revision, 'repeated calls are one');
    t.match((await repo.owlFails(4, 'goal', 'reconcile', id, '--merged-by', start)).stderr, /is review/);
    t.equal(await repo.remoteGit('rev-parse', 'main'), commit, 'nothing was pushed');
    if (name === 'moved-rebase') {
      repo.write(`${repo.bare}/merging`, '');
      await repo.owl('goal', 'revert', id);
      repo.remove(`${repo.bare}/merging`);
      t.equal(await repo.remoteGit('diff', '--stat', start, 'main'), '', 'the whole series is taken back');
    } else await repo.owl('goal', 'approve', id);
  }
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test(
  'G54: what did not bring it, what is not on the target, and what the gates do not accept, stays where it is',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', writes('aa'))], config: CONFIG });
    setHook(repo.bare, 'update', PROTECT);
    const server = await repo.clone('server');
    const id = await queued(repo, 'aa');
    await repo.owlFails(4, 'goal', 'advance', id);
    await repo.owl('export', id, 'aa');
    const reconcile = (...words: string[]) => repo.owl('goal', 'reconcile', id, ...words, '--json', { fails: 'any' });
    const before = await show(repo, id);
    const refusals = [
      ['nowhere', 3, { code: 'missing-commit' }],
      ['--all', 3, { code: 'missing-commit' }],
      ['aa', 4, { code: 'refused', message: /is not in .*main/ }],
    ] as const;
    for (const [commit, exit, error] of refusals) {
      const found = await reconcile(`--merged-by=${commit}`);
      t.equal(found.code, exit, commit);
      t.match(found.json().error, error);
    }
    // Merged with a hand that took all of it out: there are its commits, and nothing of what they do.
    await repo.git('push', '-q', 'origin', `refine/${id}/round-1:theirs`, 'aa');
    await server.git('fetch', '-q');
    await server.git('merge', '-q', '-s', 'ours', '--no-edit', 'origin/theirs');
    server.write(`${repo.bare}/merging`, '');
    await server.git('push', '-q', 'origin', 'main');
    await repo.git('fetch', '-q', 'origin');
    const nothing = await reconcile('--merged-by', 'origin/main');
    t.match(nothing.json().error, { code: 'refused', message: /nothing of what they do/ });
    await server.git('reset', '-q', '--hard', 'HEAD^');
    await server.git('push', '-q', '-f', 'origin', 'main');
    // Merged with something that governance does not accept.
    await server.git('merge', '-q', '--no-commit', '--no-ff', 'origin/theirs');
    await server.commit('Merge', { 'forbidden.txt': 'x\n' });
    await server.git('push', '-q', 'origin', 'main');
    await repo.git('fetch', '-q', 'origin');
    const behind = await reconcile('--merged-by', 'origin/main');
    t.match(behind.json().error, {
      code: 'refused',
      message: /is not in refs\/heads\/main/,
      next: [/left-right/, /show/],
    });
    await repo.git('reset', '-q', '--hard', 'origin/main');
    t.match(await show(repo, id), { revision: before.revision, status: 'failed' }, 'nothing was changed so far');
    const judged = await reconcile('--merged-by', 'origin/main');
    t.equal(judged.code, 6);
    t.match(judged.json().error, { code: 'not-accepted', message: /rules/ });
    t.match(await show(repo, id), { status: 'failed', reason: { code: 'governance-findings' } });
    const again = await reconcile('--merged-by', 'origin/main');
    t.match(again.json().error, { code: 'refused', message: /governance did not pass/ }, 'the failed proof stands');
    t.match((await reconcile()).json().error, { code: 'refused', message: /governance did not pass/ });
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);

t.test('G54: killed on the way, the next call finishes it, once', async (t) => {
  const box = await sandbox(t);
  const points = [
    'reconcile.before-record',
    'reconcile.after-record',
    'goal.before-proof',
    'goal.after-proof',
    'reconcile.before-settle',
    'reconcile.after-settle',
  ];
  const names = points.map((_, at) => `f${at}`);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', writes(...names))],
    config: CONFIG,
  });
  const server = await repo.clone('server');
  for (const [at, point] of points.entries()) {
    const name = names[at] ?? '';
    setHook(repo.bare, 'update', PROTECT);
    const id = await queued(repo, name);
    await repo.owlFails(4, 'goal', 'advance', id);
    await repo.owl('export', id);
    await repo.git('push', '-q', 'origin', name);
    server.write(`${repo.bare}/merging`, '');
    await repo.colleague('Beside', { [`beside-${name}.txt`]: 'x\n' });
    const commit = await mergeOnServer(server, name, 'squash');
    await repo.git('fetch', '-q', 'origin');
    const words = ['goal', 'reconcile', id, '--merged-by', commit];
    const killed = await repo.owl(...words, { env: { OWL_FAIL_AT: point }, fails: 'any' });
    t.equal(killed.signal, 'SIGKILL', point);
    await repo.owl(...words);
    const now = await show(repo, id);
    t.match(now, { status: 'review', integration: { status: 'done', merge: commit } }, point);
    t.equal(evidence(now, 'reconciliation').length, 1, `${point}: once`);
    t.same(
      evidence(now, 'integration'),
      ['void', 'done'],
      `${point}: one integration beside the one that was declined`,
    );
    await repo.owl('goal', 'approve', id);
  }
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test(
  'G54: an integration of our own that nobody recorded is taken in by its evidence; both targets are recorded',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', writes('aa', 'bb'))], config: CONFIG });
    const local = await queued(repo, 'aa');
    const killed = { env: { OWL_FAIL_AT: 'integrate.after-target' }, fails: 'any' } as const;
    t.equal((await repo.owl('goal', 'advance', local, killed)).signal, 'SIGKILL');
    const merge = await repo.oid('main');
    const top = await repo.commit('Unrelated', { 'unrelated.txt': 'x\n' });
    t.match((await repo.owl('goal', 'reconcile', local, '--dry-run')).stdout, /would be in review/);
    await repo.owl('goal', 'reconcile', local, '--request-id', 'r1');
    const one = await show(repo, local);
    t.match(one, { status: 'review', integration: { status: 'done', merge } });
    t.same([evidence(one, 'quality'), evidence(one, 'governance')], [['passed'], ['passed']], 'retained');
    t.match(
      one.evidence.find((each: { type: string }) => each.type === 'reconciliation'),
      { commits: { merge, local: top, published: undefined } },
    );
    t.match((await repo.owl('goal', 'reconcile', local, '--request-id', 'r1')).stdout, /as answered before/);
    await repo.owl('goal', 'reconcile', local);
    t.equal((await show(repo, local)).revision, one.revision, 'repeated calls are one');

    // Taken back by hand, it is not on its target any more, though its commits are.
    t.equal((await repo.owl('goal', 'advance', await queued(repo, 'bb'), killed)).signal, 'SIGKILL');
    const [reverted = ''] = (
      await repo.owl('list', '--goals', '--state', 'governance', '--format', '%(id)')
    ).stdout.split('\n');
    await repo.git('revert', '--no-edit', '-m', '1', 'HEAD');
    t.match((await repo.owlFails(4, 'goal', 'reconcile', reverted)).stderr, /was reverted in refs\/heads\/main/);
    t.match(await show(repo, reverted), { status: 'governance' });
  },
);

t.test(
  'G54, G31: over a remote; proofs of another clone are made again in checkouts of exactly the Candidate',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', writes('aa'))], config: CONFIG });
    const id = await queued(repo, 'aa');
    const env = { OWL_FAIL_AT: 'publish.after-push' };
    t.equal((await repo.owl('goal', 'advance', id, { env, fails: 'any' })).signal, 'SIGKILL');
    // Another clone knows nothing of that push, nor of the gates.
    for (const ref of (
      await repo.git('for-each-ref', '--format=%(refname)', 'refs/owl/local/publish', 'refs/owl/local/clone')
    ).split('\n'))
      await repo.git('update-ref', '-d', ref);
    const merge = await repo.remoteGit('rev-parse', 'main');
    const top = await repo.colleague('Unrelated', { 'unrelated.txt': 'x\n' });
    const own = await repo.commit('Mine', { 'mine.txt': 'x\n' });
    const behind = await repo.owlFails(4, 'goal', 'reconcile', id, '--json');
    t.match(behind.json().error, { code: 'refused', message: /is not in refs\/heads\/main|main here has commits/ });
    t.equal(await repo.oid('main'), own);
    await repo.git('pull', '-q', '--rebase');
    const tip = await repo.oid('main');
    await repo.owl('goal', 'reconcile', id);
    const now = await show(repo, id);
    t.match(now, { status: 'review', integration: { status: 'done', merge } });
    t.same(
      [evidence(now, 'quality'), evidence(now, 'governance')],
      [
        ['passed', 'passed'],
        ['passed', 'passed'],
      ],
    );
    t.match(
      now.evidence.find((each: { type: string }) => each.type === 'reconciliation'),
      { commits: { merge, local: tip, published: top } },
    );
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);

t.test('G32: killed after the local target moved, the next advance says what is there; merged once', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', writes('aa'))], config: CONFIG });
  const id = await queued(repo, 'aa');
  const env = { OWL_FAIL_AT: 'integrate.after-target' };
  t.equal((await repo.owl('goal', 'advance', id, { env, fails: 'any' })).signal, 'SIGKILL');
  const merge = await repo.oid('main');
  await repo.owl('goal', 'advance', id);
  const now = await show(repo, id);
  t.match(now, { status: 'review', integration: { status: 'done', merge } });
  t.same(evidence(now, 'integration'), ['done']);
  t.equal(await repo.oid('main'), merge);
});
