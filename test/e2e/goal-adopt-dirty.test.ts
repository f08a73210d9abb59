// What `goal adopt` does with work that is not committed, in each kind of source, and what it leaves of it (G60).

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { everything, ground } from '../fixtures/gc.js';
import { showGoal as show } from '../fixtures/goals.js';

t.setTimeout(600_000);

t.test(
  'G60: a linked worktree on its branch: refused by name, or taken along; branch, index and files stay',
  async (t) => {
    const { box, repo } = await ground(t);
    await repo.git('worktree', 'add', '-q', box.path('linked'), '-b', 'feature');
    const linked = box.open(box.path('linked'));
    const tip = await linked.commit('Feature', { 'feature.txt': 'one\n' });
    linked.write('feature.txt', 'two\n');
    linked.write('new.txt', 'x\n');
    await linked.git('add', 'new.txt');
    const before = await linked.untouched();
    const all = await everything(repo);
    for (const name of ['feature', box.path('linked')]) {
      const refused = (await repo.owlFails(4, 'goal', 'adopt', name, '--json')).json().error;
      t.match(refused, { code: 'uncommitted', message: /feature\.txt, new\.txt/ }, name);
    }
    await repo.owl('goal', 'adopt', 'feature', '--commit', '--dry-run');
    t.same(await everything(repo), all, 'nothing was made');
    const id = (await repo.owl('goal', 'adopt', 'feature', '--commit')).stdout.trim();
    const { candidate } = await show(repo, id);
    t.equal(await repo.git('rev-parse', `${candidate.tip}^`), tip);
    t.equal(await repo.git('show', `${candidate.tip}:feature.txt`), 'two');
    t.equal(await repo.git('show', `${candidate.tip}:new.txt`), 'x');
    t.equal(await repo.oid('feature'), tip, 'the branch of the user has no commit more');
    box.same(t, before, await linked.untouched([`refs/heads/refine/${id}/round-1`, 'refs/heads/refine/state']));
  },
);

t.test('G60: hidden work counts; a repository inside cannot be taken along; a Job keeps its own', async (t) => {
  const { repo, reviewed } = await ground(t);
  const [dirty, nested] = await reviewed('dirty', 'nested');
  await repo.git('config', 'status.showUntrackedFiles', 'no');
  writeFileSync(join(dirty.path, 'mine.txt'), 'mine\n');
  await repo.git('-C', dirty.path, 'update-index', '--assume-unchanged', 'README.md');
  writeFileSync(join(dirty.path, 'README.md'), 'mine\n');
  await repo.git('init', '-q', join(nested.path, 'inner'));
  const refs = await repo.refs();
  const refused = (await repo.owlFails(4, 'goal', 'adopt', dirty.branch, '--json')).json().error;
  t.match(refused, { code: 'uncommitted', message: /README\.md, mine\.txt/ });
  for (const words of [[], ['--commit']])
    t.match((await repo.owlFails(4, 'goal', 'adopt', nested.branch, ...words, '--json')).json().error, {
      code: 'uncommitted',
      message: /inner/,
    });
  t.same(await repo.refs(), refs, 'nothing is left behind');
  const id = (await repo.owl('goal', 'adopt', dirty.branch, '--commit')).stdout.trim();
  const { candidate } = await show(repo, id);
  t.equal(await repo.git('show', `${candidate.tip}:README.md`), 'mine');
  t.equal(await repo.oid(dirty.ref), dirty.tip);
  t.match(await show(repo, dirty.id), { state: 'review' }, 'the Job is as it was');
  t.ok(existsSync(join(dirty.path, 'mine.txt')));
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});

t.test('G60: the target cannot be seen, or the write is refused: nothing is left behind', async (t) => {
  const { repo } = await ground(t, { remote: 'bare' });
  await repo.git('checkout', '-q', '-b', 'feature');
  await repo.commit('Feature', { 'feature.txt': 'x\n' });
  await repo.git('checkout', '-q', 'main');
  await repo.owl('goal', 'add', 'other');
  const refs = await repo.refs();
  const url = await repo.git('remote', 'get-url', 'origin');
  await repo.git('remote', 'set-url', 'origin', `${url}.away`);
  const away = await repo.owl('goal', 'adopt', 'feature', '--json', { fails: 'any' });
  t.equal(away.json().error.code, 'remote');
  await repo.git('remote', 'set-url', 'origin', url);
  writeFileSync(join(repo.dir, '.git/refs/heads/refine/state.lock'), '');
  const busy = await repo.owl('goal', 'adopt', 'feature', '--json', { fails: 'any' });
  t.not(busy.code, 0);
  t.same(await repo.refs(), refs, 'nor is what was kept for it before the write');
  rmSync(join(repo.dir, '.git/refs/heads/refine/state.lock'));
  const id = (await repo.owl('goal', 'adopt', 'feature')).stdout.trim();
  t.match(await show(repo, id), { status: 'quality' });
  t.ok(await repo.oid(`refs/owl/candidates/${id}`));
});
