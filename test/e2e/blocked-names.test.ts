// Branches that stand where names of ours would lie, here or on the remote: each refusal says what helps, and that does (01, Refs).

import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test(
  '01: a branch that is in the way here is given another name by the command that the refusal names',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ agents: [box.agent('worker', diligent())] });
    for (const [branch, name] of [
      ['refine', 'refine/'],
      ['owl', 'owl/'],
      ['refine/state/notes', 'refine/state'],
    ] as const) {
      await t.test(branch, async (t) => {
        const tip = await repo.oid('main');
        await repo.git('branch', `${branch.replaceAll('/', '-')}-branch`);
        await repo.git('checkout', '-q', '-b', branch);
        const { error } = (await repo.owlFails(4, 'add', 'x', '--base', 'main', '--json')).json();
        t.equal(error.code, 'name-blocked');
        t.match(error.message, new RegExp(`^the branch ${branch} makes .*${name} impossible: give it another name`));
        t.equal(/branch_prefix/.test(error.message), branch === 'owl', 'said only where that helps');
        t.match((await repo.owl('doctor', { fails: 'any' })).stdout, `the branch ${branch} makes`);
        t.equal(await repo.oid('refine/state'), '', 'nothing was written');
        t.match(error.next, [/^git branch --move /]);
        await repo.git(...error.next[0].split(' ').slice(1));
        t.equal(await repo.oid('HEAD'), tip);
        t.equal(await repo.oid(`refs/heads/${branch}`), '');
        await repo.add('x', '--base', 'main');
        await repo.git('checkout', '-q', 'main');
        await repo.git('update-ref', '-d', 'refs/heads/refine/state');
      });
    }
  },
);

t.test('01: another branch_prefix is a way around a branch of that name, here and on the remote', async (t) => {
  for (const where of ['here', 'there']) {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', name: where, agents: [box.agent('worker', diligent())] });
    if (where === 'here') await repo.git('branch', 'owl');
    else {
      await repo.remoteGit('branch', 'owl', 'main');
      await repo.git('fetch', '-q');
    }
    t.match((await repo.owlFails(4, 'add', 'x')).stderr, /; or set another branch_prefix in the configuration/, where);
    await repo.git('checkout', '-q', 'main');
    await repo.commit('prefix', { '.coding-owl.yaml': `${repo.read('.coding-owl.yaml')}branch_prefix: work/\n` });
    await repo.git('push', '-q', 'origin', 'main');
    const job = await repo.add('--no-plan', 'x');
    await repo.owl('run');
    t.match(await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/work'), `refs/heads/work/${job}/`, where);
    t.match((await repo.owl('doctor', { fails: 'any' })).stdout, /nothing is in the way of refine\/ and work\//);
  }
});

t.test(
  '01: a branch refine on the remote: no prefix helps, which is not said; its owner does, and a fetch',
  async (t) => {
    const box = await sandbox(t);
    const config = 'branch_prefix: work/\n';
    const repo = await box.repository({ remote: 'bare', config, agents: [box.agent('worker', diligent())] });
    await repo.remoteGit('branch', 'refine', 'main');
    await repo.git('fetch', '-q');
    for (const words of [
      ['add', 'x'],
      ['goal', 'add', 'x', '--request', 'x'],
    ]) {
      const { stderr } = await repo.owlFails(4, ...words);
      t.match(stderr, /refs\/remotes\/origin\/refine/);
      t.match(stderr, /it needs another name on origin, and then "git fetch --prune origin" here/);
      t.notMatch(stderr, /branch_prefix/);
    }
    t.equal(await repo.oid('refine/state'), '', 'nothing was written');
    await repo.remoteGit('branch', '-m', 'refine', 'another');
    await repo.owlFails(4, 'add', 'x');
    await repo.git('fetch', '-q', '--prune', 'origin');
    await repo.add('--no-plan', 'x');
    await repo.owl('run');
    await repo.owl('sync');
  },
);
