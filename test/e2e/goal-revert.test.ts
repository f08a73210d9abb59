// `goal revert`: the integration of a Goal is taken back by a commit, by the rules of an integration; what was reverted no longer
// counts as delivered, though its commits are ancestors (G51, G52; 07.41).

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
`;

/** `write aa` writes aa.txt. */
const writes = (...files: readonly string[]): Scenario => ({
  cases: files.map((file) => ({
    when: `write ${file}`,
    execute: [{ write: `${file}.txt`, text: `${file}\n` }, { commit: `Write ${file}` }],
  })),
  execute: [{ exit: 1 }],
});

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** A Goal in review that wrote <name>.txt. */
async function integrated(repo: Repo, name: string): Promise<string> {
  const added = await repo.owl('goal', 'add', name, '--request', `write ${name}`, '--queue');
  const id = added.stdout.trim();
  await repo.owl('goal', 'advance', id);
  return id;
}

t.test('G52, G51, 07.41: over a remote, from review and from done; declined, moved, edited, in the way', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', writes('aa', 'bb'))];
  const repo = await box.repository({ remote: 'bare', agents, config: CONFIG });
  const remote = (revision = 'main') => repo.remoteGit('rev-parse', revision);
  const one = await integrated(repo, 'aa');
  const two = await integrated(repo, 'bb');
  const merge = (await show(repo, one)).integration.merge;
  const before = await remote();
  t.match((await repo.owl('goal', 'revert', one, '--dry-run')).stdout, /would be reverted on main/);
  t.equal(await remote(), before);
  t.match((await repo.owlFails(4, 'goal', 'revert', one, '--expect-revision', '1', '--json')).json().error, {
    code: 'superseded',
  });

  setHook(repo.bare, 'update', '[ "$1" = refs/heads/main ] && { echo protected >&2; exit 1; }; exit 0');
  t.match((await repo.owlFails(4, 'goal', 'revert', one, '--json')).json().error, {
    code: 'refused',
    message: /protected/,
    next: [`git revert -m 1 ${merge}`],
  });
  t.match(await show(repo, one), { status: 'review' });
  t.equal(await remote(), before);
  setHook(repo.bare, 'update', 'exit 0');

  // Somebody else's commit arrives while it is pushed: it is made again on that.
  const clone = await repo.clone('beside');
  const theirs = await clone.commit('Beside', { 'beside.txt': 'x\n' });
  await clone.git('push', '-q', 'origin', 'HEAD:beside');
  const meanwhile = '[ -f once ] || { touch once; unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main beside; }';
  setHook(repo.bare, 'pre-receive', `grep -q refs/heads/main || exit 0; ${meanwhile}`);
  const mine = await repo.commit('Mine', { 'mine.txt': 'mine\n' });
  const done = await repo.owl('goal', 'revert', one, '--json', '--request-id', 'r1');
  t.match(done.json().data, { id: one, status: 'failed', reason: { code: 'reverted' }, reverted_by: await remote() });
  t.equal(await remote('main^'), theirs, 'on top: history is not rewritten');
  const message = await repo.remoteGit('log', '-1', '--format=%B', 'main');
  t.match(message, new RegExp(`^This reverts commit ${merge}\\.$`, 'm'));
  t.match(message, new RegExp(`Owl-Goal: ${one}\nOwl-Round: 1\nOwl-Lease-Token: \\d+`));
  t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'aa.txt', 'mine.txt'), '', 'and lends nothing');
  t.equal(await repo.oid('main'), mine, 'commits of the user stay where they are');
  const evidence = (await show(repo, one)).evidence.filter((each: { type: string }) => each.type === 'revert');
  t.match(evidence, [{ status: 'done', round: 1 }]);
  t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
    event: 'goal.reverted',
    goal: one,
  });
  const reverted = await remote();
  t.match((await repo.owl('goal', 'revert', one, '--request-id', 'r1')).stdout, /as answered before/);
  t.match((await repo.owlFails(4, 'revert', one)).stderr, /is reverted already/);
  t.match((await repo.owlFails(4, 'retry', one, '--json')).json().error, {
    code: 'refused',
    next: [`git owl goal round ${one} "<what to do better>" --from 1`],
  });
  t.equal(await remote(), reverted, 'once');
  await repo.git('reset', '-q', '--hard', 'origin/main');

  // One that was approved; by the verb of both kinds.
  await repo.owl('goal', 'approve', two);
  await repo.owl('revert', two);
  t.match(await show(repo, two), { status: 'failed', reason: { code: 'reverted' } });
  t.equal(await repo.oid('main'), await remote(), 'the local branch and its checkout follow');
  t.equal(repo.exists('bb.txt'), false);
  t.equal(await repo.git('status', '--porcelain'), '');
  t.match((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test('G50, G52: what an earlier Round merged is named wherever it matters, until it is taken back', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', writes('bb', 'aa'))];
  const repo = await box.repository({ remote: 'bare', agents, config: CONFIG });
  const id = await integrated(repo, 'aa');
  const first = (await show(repo, id)).integration.merge;
  const byHand = new RegExp(`git revert -m 1 ${first}`);
  t.notMatch((await repo.owl('show', id)).stdout, byHand, 'while it is that of the current Round');
  t.match((await repo.owl('goal', 'decline', id, 'write bb')).stderr, byHand);
  const refused = (await repo.owlFails(4, 'goal', 'revert', id, '--json')).json().error;
  t.match(refused, { code: 'wrong-state', next: [`git revert -m 1 ${first}`, `git owl show ${id}`] });
  await repo.owl('goal', 'advance', id);
  const second = (await show(repo, id)).integration.merge;
  t.match((await repo.owl('review', id, '--json')).json().data.undo, [
    { verb: `git owl goal revert ${id}`, git: `git revert -m 1 ${second} ${first}` },
  ]);
  // It fails in its third Round: what stands there is nothing that a decision about it would take back.
  t.match((await repo.owl('goal', 'decline', id, 'write nothing')).stderr, byHand);
  await repo.owl('goal', 'advance', id, { fails: 'any' });
  const shown = (await repo.owl('show', id)).stdout;
  t.match(shown, byHand);
  t.match((await repo.owlFails(4, 'revert', id)).stderr, byHand);
  t.match((await repo.owl('cancel', id)).stderr, /round 1 merged.*git owl goal revert/);
  await repo.owl('revert', id);
  const after = (await repo.owl('show', id)).stdout;
  t.notMatch(after, /git revert|still/, 'nor once that was done');
  t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'aa.txt', 'bb.txt'), '');
});

t.test(
  'G51, G52: a revert by hand undoes a delivery as well; without a remote locks and files in the way are busy',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', writes('aa', 'bb'))], config: CONFIG });
    const one = await integrated(repo, 'aa');
    const two = await integrated(repo, 'bb');
    repo.write('.git/index.lock', '');
    const locked = await repo.untouched();
    t.match((await repo.owlFails(7, 'goal', 'revert', one, '--json')).json().error, { code: 'busy' });
    box.same(t, locked, await repo.untouched());
    repo.remove('.git/index.lock');
    repo.write('aa.txt', 'edited\n');
    const edited = await repo.untouched();
    t.match((await repo.owlFails(4, 'goal', 'revert', one, '--json')).json().error, {
      code: 'uncommitted',
      message: /aa\.txt/,
    });
    box.same(t, edited, await repo.untouched());
    t.match(await show(repo, one), { status: 'review' });
    // Somebody built on it: a conflict, and nothing moves.
    await repo.commit('On top', { 'aa.txt': 'changed\n' });
    const before = await repo.untouched();
    t.match((await repo.owlFails(5, 'goal', 'revert', one, '--json')).json().error, {
      code: 'conflict',
      message: /aa\.txt/,
    });
    box.same(t, before, await repo.untouched());

    await repo.git('revert', '--no-edit', '-m', '1', (await show(repo, two)).integration.merge);
    t.match((await repo.owlFails(4, 'goal', 'approve', two)).stderr, /was reverted in refs\/heads\/main/);
    const tip = await repo.oid('main');
    t.match((await repo.owl('goal', 'revert', two)).stdout, /was reverted on main already/);
    t.match(await show(repo, two), { status: 'failed', reason: { code: 'reverted' } });
    t.equal(await repo.oid('main'), tip);
  },
);

t.test(
  'G52: while another process reverts, nothing is decided; once it is dead the next command goes on',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', writes('aa'))], config: CONFIG });
    const id = await integrated(repo, 'aa');
    const env = { OWL_FAIL_AT: 'revert.before-target' };
    t.equal((await repo.owl('goal', 'revert', id, { env, fails: 'any' })).signal, 'SIGKILL');
    // The same note, of a process that lives.
    const other = spawn('sleep', ['600']);
    t.teardown(() => other.kill());
    const [, fields = ''] = readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ');
    const ref = `refs/owl/local/reverting/${id}`;
    const note = JSON.parse(await repo.git('cat-file', 'blob', ref));
    const owner = { ...note.owner, pid: other.pid, start: fields.split(' ')[19] };
    const blob = await repo.git('hash-object', '-w', '--stdin', { input: JSON.stringify({ ...note, owner }) });
    await repo.git('update-ref', ref, blob);
    const before = await repo.untouched();
    for (const words of [
      ['revert', id],
      ['goal', 'approve', id],
      ['goal', 'decline', id],
    ])
      t.match((await repo.owlFails(7, ...words, '--json')).json().error, { code: 'busy' }, words.join(' '));
    box.same(t, before, await repo.untouched());
    t.equal(await repo.oid(ref), blob, 'the note of a live process stays');
    const ended = new Promise((resolve) => other.once('exit', resolve));
    other.kill();
    await ended;
    await repo.owl('goal', 'revert', id);
    t.match(await show(repo, id), { status: 'failed', reason: { code: 'reverted' } });
    t.equal(await repo.oid(ref), '');
  },
);

t.test('G52: killed before and after each step it is finished or undone, once, here and over a remote', async (t) => {
  for (const [remote, points] of [
    [
      'bare',
      [
        'lease.after-take',
        'publish.before-push',
        'publish.after-push',
        'publish.after-follow',
        'reverted.before-state',
        'reverted.after-state',
      ],
    ],
    [
      undefined,
      ['revert.before-target', 'follow.after-files', 'follow.after-ref', 'revert.after-target', 'reverted.after-state'],
    ],
  ] as const) {
    const box = await sandbox(t);
    const names = points.map((_, at) => `f${at}`);
    const repo = await box.repository({
      ...(remote === undefined ? {} : { remote }),
      agents: [box.agent('worker', writes(...names))],
      config: CONFIG,
    });
    const where = remote === undefined ? 'main' : 'origin/main';
    for (const [at, point] of points.entries()) {
      const id = await integrated(repo, names[at] ?? '');
      const tip = await repo.oid(where);
      const env = { OWL_FAIL_AT: point };
      t.equal((await repo.owl('goal', 'revert', id, { env, fails: 'any' })).signal, 'SIGKILL', point);
      await repo.owl('goal', 'revert', id, { fails: 'any' });
      const now = await show(repo, id);
      t.match(now, { status: 'failed', reason: { code: 'reverted' } }, point);
      t.equal(now.evidence.filter((each: { type: string }) => each.type === 'revert').length, 1, `${point}: once`);
      await repo.git('fetch', '-q', '--all');
      t.equal(await repo.oid(`${where}^`), tip, `${point}: one commit`);
      t.equal(await repo.oid('main'), await repo.oid(where), point);
      t.equal(repo.exists(`${names[at]}.txt`), false, point);
      t.equal(await repo.git('status', '--porcelain'), '', point);
      t.equal(await repo.git('for-each-ref', 'refs/owl/local/reverting', 'refs/owl/local/publish'), '', point);
    }
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  }
});
