// `goal adopt`: a Goal in quality from standalone work; what fails leaves nothing behind, and what is the user's stays as it is (G60).

import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
`;

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const adopt = async (repo: Repo, ...words: string[]): Promise<string> =>
  (await repo.owl('goal', 'adopt', ...words)).stdout.trim();

t.test('G60: a branch of the user, over a remote that moved on: quality, governance, review', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', diligent())], config: CONFIG });
  const base = await repo.oid('main');
  await repo.git('checkout', '-q', '-b', 'feature');
  const tip = await repo.commit('Accept tabs', { 'tabs.txt': 'tabs\n' });
  await repo.git('checkout', '-q', 'main');
  const theirs = await repo.colleague('Beside', { 'beside.txt': 'x\n' });
  const before = await repo.untouched(['refs/remotes/origin/main']);
  t.match(
    (await repo.owl('goal', 'adopt', 'feature', '--dry-run')).stderr,
    /would be adopted from feature, in quality/,
  );
  box.same(t, before, await repo.untouched(['refs/remotes/origin/main']));
  t.same(await repo.records(/goals/), []);
  const id = await adopt(repo, 'feature', '--request', 'accept tabs', '--label', 'parser', '--request-id', 'r1');
  t.equal(await adopt(repo, 'feature', '--request', 'accept tabs', '--label', 'parser', '--request-id', 'r1'), id);
  t.match((await repo.owlFails(4, 'goal', 'adopt', 'feature', '--request-id', 'r1', '--json')).json().error, {
    code: 'request-reused',
  });
  const adopted = await show(repo, id);
  t.match(adopted, {
    status: 'quality',
    title: 'Accept tabs',
    labels: ['parser'],
    base: { ref: 'refs/remotes/origin/main', oid: base },
    candidate: { base, tip },
    target: { name: 'main', remote: 'origin', publish: true },
    history: [{ number: 1, request: 'accept tabs', opened_by: 'adopt', candidates: [{ made_by: 'adopt' }] }],
  });
  t.equal(await repo.oid(`refs/heads/refine/${id}/round-1`), tip);
  t.match((await repo.owl('events', '--json', '--limit', '1')).json().data.items[0], {
    event: 'goal.adopted',
    goal: id,
  });
  await repo.owl('goal', 'advance', id);
  const now = await show(repo, id);
  t.match(now, { status: 'review', candidate: { base: theirs } }, 'refreshed onto the target, and integrated');
  t.equal(await repo.remoteGit('diff', '--name-only', 'main^1', 'main'), 'tabs.txt');
  t.equal(await repo.oid('feature'), tip, 'the branch of the user stays');
  t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
});

t.test('G60: the branch of a Job; a linked worktree, and what is not committed there on request', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ agents: [box.agent('worker', diligent())], config: CONFIG });
  const job = await repo.add('write it');
  await repo.owl('run');
  const { branch, tip } = await show(repo, job);
  const one = await adopt(repo, branch);
  t.match(await show(repo, one), { status: 'quality', candidate: { tip } });
  await repo.owl('goal', 'advance', one);
  t.match(await show(repo, one), { status: 'review' });
  t.equal(await repo.git('ls-tree', '-r', '--name-only', 'main', '.coding-owl'), '', 'without the Handoff');

  const place = box.path('linked');
  await repo.git('worktree', 'add', '-q', '--detach', place);
  const linked = box.open(place);
  const head = await linked.commit('Detached', { 'detached.txt': 'x\n' });
  linked.write('detached.txt', 'edited\n');
  linked.write('untracked.txt', 'x\n');
  await linked.git('add', 'detached.txt');
  const before = await linked.untouched();
  const refused = (await repo.owlFails(4, 'goal', 'adopt', place, '--json')).json().error;
  t.match(refused, { code: 'uncommitted', message: /detached\.txt, untracked\.txt.*--commit/ });
  const two = await adopt(repo, place, '--commit', '--title', 'Detached work');
  const { candidate } = await show(repo, two);
  t.equal(await repo.git('rev-parse', `${candidate.tip}^`), head, 'one commit on top');
  t.equal(await repo.git('show', `${candidate.tip}:detached.txt`), 'edited');
  t.equal(await repo.git('show', `${candidate.tip}:untracked.txt`), 'x');
  box.same(t, before, await linked.untouched([`refs/heads/refine/${two}/round-1`]), 'the worktree is as it was');
  await repo.owl('goal', 'advance', two);
  t.match(await show(repo, two), { status: 'review' });
});

t.test(
  'G60: what cannot be adopted is said, and nothing is left behind; killed, it is all there or nothing is',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', diligent())], config: CONFIG });
    await repo.git('branch', 'empty');
    await repo.git('checkout', '-q', '--orphan', 'apart');
    await repo.commit('Apart', { 'apart.txt': 'x\n' });
    await repo.git('checkout', '-q', '-b', 'feature', 'main');
    await repo.commit('Feature', { 'feature.txt': 'x\n' });
    await repo.git('checkout', '-q', '-b', 'merging', 'main');
    await repo.commit('Merging', { 'feature.txt': 'y\n' });
    await repo.gitFails('merge', '-q', 'feature');
    const before = await repo.untouched();
    const refusals = [
      ['nowhere', 3, 'missing-branch', /neither a branch nor a linked worktree/],
      ['main', 4, 'refused', /is the target itself/],
      ['empty', 4, 'refused', /nothing that main lacks/],
      ['apart', 4, 'refused', /no commit in common/],
      ['merging', 4, 'refused', /in the middle of a merge/],
      ['refine/state', 4, 'reserved-name', /git owl's own/],
      ['.', 4, 'refused', /main checkout/],
    ] as const;
    // The state exists, so that its branch does.
    await repo.owl('goal', 'add', 'Other');
    const refs = await repo.refs();
    for (const [name, exit, code, message] of refusals)
      t.match((await repo.owlFails(exit, 'goal', 'adopt', name, '--json')).json().error, { code, message }, name);
    t.same(await repo.refs(), refs, 'nothing is left behind');
    box.same(t, before, await repo.untouched(['refs/heads/refine/state']));
    for (const point of ['goal-adopt.before-state', 'goal-adopt.after-state']) {
      const killed = await repo.owl('goal', 'adopt', 'feature', { env: { OWL_FAIL_AT: point }, fails: 'any' });
      t.equal(killed.signal, 'SIGKILL', point);
      await repo.owl('gc');
      const goals = (await repo.owl('list', '--goals', '--state', 'quality', '--format', '%(id)')).stdout.trim();
      const branches = await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/refine/*/round-*');
      t.equal(branches, goals === '' ? '' : `refs/heads/refine/${goals}/round-1`, `${point}: both or neither`);
      t.equal(goals === '', point.includes('before'), point);
    }
    // What was pinned before the kill stays, and is named: nothing that is kept goes by itself.
    const findings = (await repo.owl('fsck', '--json')).json().data.findings;
    t.same(
      findings.filter(({ kind }: { kind: string }) => kind !== 'look'),
      [],
    );
  },
);
