// What proves an integrated Candidate, and what is made again, where: of exactly the Candidate, on targets that were seen just now (G54).

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Test, t } from 'tap';
import { plant } from '../fixtures/goal-store.js';
import { addGoal, evidenceOf, showGoal as show, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const notes = (box: Sandbox): string[] =>
  existsSync(box.path('notes')) ? readFileSync(box.path('notes'), 'utf8').trim().split('\n') : [];

/** A Goal whose merge is on the target and which nobody recorded; each check notes its gate, its commit and where it ran. */
async function integrated(t: Test) {
  const box = await sandbox(t);
  const check = (gate: string): string =>
    `echo "${gate} $(git rev-parse HEAD) $(pwd)" >> '${box.path('notes')}'; test ! -e '${box.path('bad')}-${gate}'`;
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: `plan: false
quality: { checks: [{ name: style, run: ${JSON.stringify(check('quality'))} }] }
governance: { checks: [{ name: rules, run: ${JSON.stringify(check('governance'))} }] }
`,
  });
  const id = await addGoal(repo, 'one');
  const env = { OWL_FAIL_AT: 'publish.after-push' };
  t.equal((await repo.owl('goal', 'advance', id, { env, fails: 'any' })).signal, 'SIGKILL');
  const goal = await show(repo, id);
  t.match(goal, { status: 'governance' });
  const merge = await repo.remoteGit('rev-parse', 'main');
  const forget = async (...names: string[]): Promise<void> => {
    const refs = await repo.git(
      'for-each-ref',
      '--format=%(refname)',
      ...names.map((name) => `refs/owl/local/${name}`),
    );
    for (const ref of refs.split('\n')) await repo.git('update-ref', '-d', ref);
  };
  await forget('publish');
  return { box, repo, id, goal, merge, forget };
}

const refused = async (repo: Repo, id: string): Promise<string> =>
  (await repo.owlFails(4, 'goal', 'reconcile', id, '--json')).json().error.message;

t.test('G54: proofs are made again in a checkout of exactly the Candidate, beside that of the Round', async (t) => {
  const { box, repo, id, goal, merge, forget } = await integrated(t);
  const first = notes(box).length;
  // As another clone would see them: run by somebody else.
  await forget('clone');
  const place = (await repo.owl('worktree', goal.history[0].job, '--ensure')).stdout.trim();
  writeFileSync(join(place, 'mine.txt'), 'mine\n');
  await repo.colleague('Unrelated', { 'unrelated.txt': 'x\n' });
  await repo.owl('goal', 'reconcile', id);
  const now = await show(repo, id);
  t.match(now, { status: 'review', integration: { merge } });
  const again = notes(box).slice(first);
  t.same(
    again.map((line) => line.split(' ').slice(0, 2).join(' ')),
    [`quality ${goal.candidate.tip}`, `governance ${goal.candidate.tip}`],
    'not the branch, not the merge, and not what lies on top of it',
  );
  for (const line of again) {
    const where = line.split(' ')[2] ?? '';
    t.not(where, place);
    t.equal(dirname(where), dirname(place), 'in a checkout of ours');
    t.notOk(existsSync(where), 'which is gone again');
  }
  t.equal(readFileSync(join(place, 'mine.txt'), 'utf8'), 'mine\n', 'what lies in that of the Round stays');
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test('G54: a proof that the record does not name counts by its whole identity, and is not run again', async (t) => {
  const { box, repo, id, merge } = await integrated(t);
  await plant(t, repo, async (tx) => {
    const loaded = await tx.goal(id);
    if (loaded.kind !== 'found') throw new Error(loaded.kind);
    const gates = { quality: null, governance: null };
    tx.putGoal({ ...loaded.record, gates, revision: loaded.record.revision + 1 });
  });
  const before = notes(box).length;
  await repo.owl('goal', 'reconcile', id);
  const now = await show(repo, id);
  t.match(now, { status: 'review', integration: { merge } });
  t.equal(notes(box).length, before, 'nothing was run');
  t.same([evidenceOf(now, 'quality'), evidenceOf(now, 'governance')], [['passed'], ['passed']]);
});

t.test('G54: a proof that fails when it is made again fails closed, stands, and is never made again', async (t) => {
  const { box, repo, id, forget } = await integrated(t);
  await forget('clone');
  writeFileSync(`${box.path('bad')}-quality`, '');
  const failed = await repo.owlFails(6, 'goal', 'reconcile', id, '--json');
  t.match(failed.json().error, { code: 'not-accepted', message: /style/ });
  const after = await show(repo, id);
  t.match(after, { status: 'governance' }, 'it is not in review');
  t.same(evidenceOf(after, 'quality'), ['passed', 'findings']);
  const ran = notes(box).length;
  rmSync(`${box.path('bad')}-quality`);
  t.match(await refused(repo, id), /quality did not pass/);
  t.equal(notes(box).length, ran, 'nothing was run');
});

t.test('G54: an integration that is void names nothing, and reconciliation fails closed', async (t) => {
  const { box, repo, id, goal } = await integrated(t);
  const ran = notes(box).length;
  const whole = goal.evidence.find((one: { type: string }) => one.type === 'integration');
  t.equal(whole.status, 'begun');
  await plant(t, repo, async (tx) => {
    for (const one of await tx.evidence(id)) if (one.type === 'integration') tx.putEvidence({ ...one, status: 'void' });
  });
  t.match(await refused(repo, id), /no integration of its current round/);
  t.match(await show(repo, id), { status: 'governance' });
  t.equal(notes(box).length, ran, 'nothing was run');
});

t.test('G54: the published target is looked at just now: rewound, or out of sight, it is not contained', async (t) => {
  const { repo, id, goal, merge } = await integrated(t);
  await repo.git('fetch', '-q', 'origin');
  await repo.git('merge', '-q', '--ff-only', 'origin/main');
  t.equal(await repo.oid('refs/remotes/origin/main'), merge, 'here it is');
  const before = await repo.remoteGit('rev-parse', 'main~1');
  await repo.remoteGit('update-ref', 'refs/heads/main', before);
  t.match(await refused(repo, id), /is not in refs\/remotes\/origin\/main/);
  const url = await repo.git('remote', 'get-url', 'origin');
  await repo.git('remote', 'set-url', 'origin', `${url}.away`);
  const away = await repo.owl('goal', 'reconcile', id, '--json', { fails: 'any' });
  t.equal(away.json().error.code, 'remote');
  await repo.git('remote', 'set-url', 'origin', url);
  t.match(await show(repo, id), { status: 'governance', candidate: goal.candidate });
  await repo.remoteGit('update-ref', 'refs/heads/main', merge);
  const [one, two] = await Promise.all([
    repo.owl('goal', 'reconcile', id, { fails: 'any' }),
    repo.owl('goal', 'reconcile', id, { fails: 'any' }),
  ]);
  t.ok(one.code === 0 || two.code === 0);
  const done = await show(repo, id);
  t.match(done, { status: 'review' });
  t.same(evidenceOf(done, 'reconciliation'), ['done'], 'two at once are one');
});
