// `goal revert` takes back all that the Rounds of a Goal merged and the target still has, in one move of it or not at all; a Goal that
// was cancelled after its merge stays cancelled (G35, G52).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

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

async function integrated(repo: Repo, name: string): Promise<string> {
  const id = (await repo.owl('goal', 'add', name, '--request', `write ${name}`, '--queue')).stdout.trim();
  await repo.owl('goal', 'advance', id);
  return id;
}

/** Round 1 wrote aa.txt, round 2 bb.txt, and both are merged; ids of the merges, the newest first. */
async function twice(repo: Repo): Promise<{ readonly id: string; readonly merges: readonly [string, string] }> {
  const id = await integrated(repo, 'aa');
  const first = (await show(repo, id)).integration.merge;
  await repo.owl('goal', 'approve', id);
  await repo.owl('reopen', id);
  await repo.owl('goal', 'decline', id, 'write bb');
  await repo.owl('goal', 'advance', id);
  return { id, merges: [(await show(repo, id)).integration.merge, first] };
}

const revertsOf = (data: { readonly evidence: readonly { type: string; round: number; commits: object }[] }) =>
  data.evidence.filter(({ type }) => type === 'revert');

t.test(
  'G52: over a remote every merge of its Rounds goes in one push, also where that is killed after it',
  async (t) => {
    for (const point of [null, 'publish.after-push'] as const) {
      const box = await sandbox(t);
      const agents = [box.agent('worker', writes('bb', 'aa'))];
      const repo = await box.repository({ remote: 'bare', agents, config: CONFIG });
      const { id, merges } = await twice(repo);
      const before = await repo.remoteGit('rev-parse', 'main');
      t.match((await repo.owl('review', id, '--json')).json().data.undo, [
        {
          verb: `git owl goal revert ${id}`,
          why: /2 commits on origin\/main/,
          git: `git revert -m 1 ${merges.join(' ')}`,
        },
      ]);
      const planned = (await repo.owl('goal', 'revert', id, '--dry-run')).stdout;
      for (const merge of merges) t.match(planned, merge.slice(0, 7));
      t.equal(await repo.remoteGit('rev-parse', 'main'), before);
      const env = point === null ? {} : { OWL_FAIL_AT: point };
      const done = await repo.owl('goal', 'revert', id, '--json', { env, ...(point === null ? {} : { fails: 'any' }) });
      t.equal(done.signal ?? null, point === null ? null : 'SIGKILL');
      if (point !== null) await repo.owl('goal', 'revert', id, { fails: 'any' });
      const log = (await repo.remoteGit('log', '--format=%H', `${before}..main`)).split('\n');
      t.equal(log.length, 2, 'a commit for each merge');
      for (const [at, merge] of merges.entries())
        t.match(await repo.remoteGit('log', '-1', '--format=%B', log[1 - at] ?? ''), `This reverts commit ${merge}.`);
      if (point === null)
        t.match(done.json().data, {
          status: 'failed',
          reverted_by: log[0],
          reverts: [
            { merge: merges[0], by: log[1] },
            { merge: merges[1], by: log[0] },
          ],
        });
      t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'aa.txt', 'bb.txt'), '');
      const shown = await show(repo, id);
      t.match(shown, { status: 'failed', reason: { code: 'reverted' } });
      t.same(
        revertsOf(shown).map(({ round, commits }) => ({ round, ...commits })),
        [
          { round: 1, merge: merges[1], target_before: log[1], target_after: log[0] },
          { round: 2, merge: merges[0], target_before: before, target_after: log[1] },
        ],
        'each is Evidence of its own',
      );
      t.equal(await repo.oid('main'), log[0], 'the local branch follows');
      t.notMatch((await repo.owl('show', id)).stdout, /git revert/, 'nothing is left there');
      t.match((await repo.owlFails(4, 'revert', id)).stderr, /is reverted already/);
      t.match((await repo.owl('fsck', '--json')).json().data.findings, []);
    }
  },
);

t.test(
  'G52: all or nothing: where one of them conflicts nothing moves, and what was taken back by hand stays so',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', writes('bb', 'aa'))], config: CONFIG });
    const { id, merges } = await twice(repo);
    await repo.commit('On top', { 'aa.txt': 'changed\n' });
    const before = await repo.untouched();
    const refused = (await repo.owlFails(5, 'goal', 'revert', id, '--json')).json().error;
    t.match(refused, {
      code: 'conflict',
      message: new RegExp(`${merges[1].slice(0, 7)}.*aa\\.txt`),
      next: [`git revert -m 1 ${merges.join(' ')}`],
    });
    box.same(t, before, await repo.untouched());
    t.match(await show(repo, id), { status: 'review' });
    await repo.git('revert', '--no-edit', 'HEAD');
    await repo.git('revert', '--no-edit', '-m', '1', merges[0]);
    const tip = await repo.oid('main');
    await repo.owl('goal', 'revert', id);
    t.equal(await repo.oid('main^'), tip, 'one commit, for the other');
    t.match(await repo.git('log', '-1', '--format=%B'), `This reverts commit ${merges[1]}.`);
    t.match(await show(repo, id), { status: 'failed', reason: { code: 'reverted' } });
  },
);

t.test('G35, G52: one that was cancelled after its merge is taken back directly, and stays cancelled', async (t) => {
  const box = await sandbox(t);
  const agents = [box.agent('worker', writes('bb', 'aa', 'cc'))];
  const repo = await box.repository({ remote: 'bare', agents, config: CONFIG });
  const id = await integrated(repo, 'aa');
  const merge = (await show(repo, id)).integration.merge;
  const said = await repo.owl('cancel', id);
  const all = `${said.stdout}${said.stderr}`;
  t.equal(all.split(`git owl goal revert ${id}`).length, 2, `named once: ${all}`);
  t.equal(all.split(merge.slice(0, 7)).length, 2, `its merge, too: ${all}`);
  t.match((await repo.owl('show', id)).stdout, `git owl goal revert ${id}`);
  t.match((await repo.owl('review', id, '--json')).json().data.undo, [{ verb: `git owl goal revert ${id}` }]);
  await repo.owl('goal', 'revert', id);
  t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'aa.txt'), '');
  const now = await show(repo, id);
  t.match(now, { status: 'cancelled', reason: { code: 'reverted' } });
  t.equal(revertsOf(now).length, 1);
  t.match((await repo.owlFails(4, 'goal', 'revert', id)).stderr, /is reverted already/);
  await repo.owl('reopen', id);
  t.match(await show(repo, id), { status: 'backlog' }, 'it is not delivered any more');

  // Declined before that: its record names no target any more.
  const other = await integrated(repo, 'cc');
  await repo.owl('goal', 'decline', other, 'write bb');
  t.match((await repo.owl('cancel', other)).stderr, `git owl goal revert ${other}`);
  await repo.owl('revert', other);
  t.equal(await repo.remoteGit('ls-tree', '--name-only', 'main', 'cc.txt'), '');
  t.match(await show(repo, other), { status: 'cancelled', reason: { code: 'reverted' } });
  const never = (await repo.owl('goal', 'add', 'never', '--request', 'write bb')).stdout.trim();
  await repo.owl('cancel', never);
  t.match((await repo.owlFails(4, 'goal', 'revert', never)).stderr, /no integration that could be taken back/);
});

t.test('G32, G44, G52: what was taken back is merged again by a new Round alone, whatever way is gone', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', writes('aa'))], config: CONFIG });
  const id = await integrated(repo, 'aa');
  await repo.owl('goal', 'revert', id);
  const tip = await repo.remoteGit('rev-parse', 'main');
  for (const to of ['todo', 'implement', 'quality', 'governance']) {
    const { stderr } = await repo.owlFails(4, 'goal', 'move', id, to);
    t.match(stderr, /was reverted; a new round brings its work again/, to);
    t.match(stderr, new RegExp(`git owl goal round ${id} .* --from 1`));
  }
  await repo.owl('cancel', id);
  await repo.owl('reopen', id);
  t.match(await show(repo, id), { status: 'backlog' });
  t.match((await repo.owlFails(4, 'goal', 'move', id, 'todo')).stderr, /has merged its round 1 already; a new round/);
  await repo.owl('run');
  t.equal(await repo.remoteGit('rev-parse', 'main'), tip, 'nothing was merged');
  await repo.owl('goal', 'round', id, 'write aa', '--from', '1');
  await repo.owl('goal', 'advance', id, { fails: 'any' });
  t.match(await show(repo, id), { round: 2 });
});
