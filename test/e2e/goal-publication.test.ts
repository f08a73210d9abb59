// A Goal's merge on a remote: rejected, cancelled around it, two at once, a holder of the lease that is killed, and each transport
// (G30, G32, G35; 07.38 to 07.41).

import { writeFileSync } from 'node:fs';
import { t } from 'tap';
import { leaseRef } from '../../src/app/lease/place.js';
import { APART, addGoal, advanceTo, door, evidenceOf, onRemote, showGoal, WORK } from '../fixtures/goals.js';
import { serveDaemon, serveHttp, setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const CHECKS = 'plan: false\nchecks: [{ name: test, run: "ls *.txt" }]\n';
const GATED = `${CHECKS}quality: { checks: [{ name: style, run: "true" }] }\n`;

const leases = async (repo: Repo) => (await repo.owl('lease', '--json')).json().data.items;
const isOnRemote = async (repo: Repo, commit: string): Promise<boolean> =>
  (await repo.gitResult('merge-base', '--is-ancestor', commit, 'main', { cwd: repo.bare })).code === 0;

t.test(
  'G32, 07.38: rejected after its merge was made, then cancelled: the next Goal publishes nothing of it',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', APART)], config: GATED });
    const start = await onRemote(repo);
    const first = await addGoal(repo, 'first');
    setHook(repo.bare, 'update', 'test "$1" != refs/heads/main || { echo closed for today >&2; exit 1; }');
    const before = await repo.untouched();
    const declined = await repo.owlFails(4, 'goal', 'advance', first, '--json');
    t.match(declined.json().error, { code: 'declined-by-server', message: /closed for today/ });
    box.same(t, before, await repo.untouched());
    t.same([await onRemote(repo), await repo.oid('main')], [start, start]);
    t.equal(await repo.remoteGit('for-each-ref', 'refs/heads/refine'), '', 'not even the branch of the Candidate');
    const failed = await showGoal(repo, first);
    const kept = await repo.git('log', '--grep=merge of round', '--format=%P', `refs/owl/keep/${first}`);
    const merge = kept.split(' ')[1] ?? '';
    t.equal(await repo.git('cat-file', '-t', merge), 'commit', 'the merge was made');
    await repo.owl('cancel', first);
    setHook(repo.bare, 'update', 'exit 0');
    const second = await addGoal(repo, 'second');
    await repo.owl('goal', 'advance', second);
    t.match(await showGoal(repo, second), { status: 'review' });
    t.equal(await onRemote(repo, 'main^1'), start);
    for (const commit of [merge, failed.candidate.tip]) t.notOk(await isOnRemote(repo, commit));
    t.notMatch(await repo.remoteGit('log', '--format=%B', 'main'), new RegExp(first));
    t.equal(await repo.oid('main'), await onRemote(repo));
    t.match(await showGoal(repo, first), { status: 'cancelled', integration: null });
  },
);

t.test(
  'G32, 07.39: a crash after the push, before anything local: the next command records it as recovered',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', APART)], config: GATED });
    const start = await onRemote(repo);
    const id = await addGoal(repo, 'first');
    const env = { OWL_FAIL_AT: 'publish.after-push' };
    t.equal((await repo.owl('goal', 'advance', id, { env, fails: 'any' })).signal, 'SIGKILL');
    const main = await onRemote(repo);
    t.not(main, start);
    t.equal(await repo.oid('main'), start, 'nothing here has moved');
    t.match(
      (await repo.owl('goal', 'add', 'another')).stderr,
      /its merge was interrupted; origin has it, and it is finished/,
    );
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'review', integration: { status: 'done', merge: main } });
    t.match((await repo.owl('events', '--json')).json().data.items, [
      {},
      { event: 'goal.integrated', subject: /recovered/ },
    ]);
    t.equal(await repo.oid('main'), main, 'what is here follows');
    await repo.owlFails(4, 'goal', 'advance', id);
    t.equal(await onRemote(repo), main, 'never merged again');
    t.match(await leases(repo), [{ state: 'free' }]);
  },
);

t.test(
  'G30, 07.40: two Goals at once go one after the other; a lease whose holder is killed is taken over',
  async (t) => {
    const box = await sandbox(t);
    const governance = door(box, 'governance');
    const worker = box.agent('worker', {
      ...WORK,
      cases: [{ when: 'apart', execute: [{ write: '{job}.txt', text: 'x\n' }, { commit: 'Apart' }] }],
    });
    const rules = `governance: { checks: [{ name: rules, run: "${governance.command}" }] }\n`;
    const repo = await box.repository({ remote: 'bare', agents: [worker], config: `${GATED}${rules}` });
    const two = async (title: string) => {
      const [first, second] = [await addGoal(repo, `${title} one`), await addGoal(repo, `${title} two`)];
      governance.shut();
      const one = repo.start('goal', 'advance', first, '--json');
      await governance.reached();
      const other = repo.start('goal', 'advance', second, '--json');
      await eventually(() => other.stderr().includes(`waiting: the lease of main is held by goal ${first}`), 100_000);
      return { first, second, one, other };
    };

    await t.test('the second is proven again on what the first brought', async (t) => {
      const start = await onRemote(repo);
      const { first, second, one, other } = await two('apart');
      t.equal(await onRemote(repo), start, 'nobody merges while the other one judges');
      governance.open();
      t.same([(await one.wait()).code, (await other.wait()).code], [0, 0]);
      const [a, b] = [await showGoal(repo, first), await showGoal(repo, second)];
      t.match([a.status, b.status], ['review', 'review']);
      t.equal(b.candidate.base, a.integration.merge);
      t.same([evidenceOf(a, 'quality'), evidenceOf(b, 'quality')], [['passed'], ['passed', 'passed']]);
      t.same(
        [await onRemote(repo), await onRemote(repo, 'main^1'), await onRemote(repo, 'main~2')],
        [b.integration.merge, a.integration.merge, start],
      );
    });

    await t.test('the loser of a conflict sees a moved target, and nothing of it is half done', async (t) => {
      const { first, second, one, other } = await two('clash');
      governance.open();
      const [won, lost] = [await one.wait(), await other.wait()];
      t.same([won.code, lost.code], [0, 5], lost.stderr);
      const a = await showGoal(repo, first);
      t.match(lost.json().error, { code: 'refresh-conflict', message: /work\.txt/ });
      const b = await showGoal(repo, second);
      t.match(b, { status: 'failed', integration: null, reason: { onto: { oid: a.integration.merge } } });
      t.equal(await onRemote(repo), a.integration.merge);
      t.equal(await repo.oid(`refs/heads/${b.branch}`), b.candidate.tip);
      t.match(await leases(repo), [{ state: 'free' }]);
    });

    await t.test(
      'the holder is killed: here the next one takes over, elsewhere once the lease has run out',
      async (t) => {
        const far = await repo.clone('far');
        const clock = box.path('clock');
        const at = (time: string) => writeFileSync(clock, time);
        at('2026-03-01T10:00:00Z');
        const env = { OWL_TEST_NOW_FILE: clock, OWL_LEASE_WAIT: '0' };
        const there = await addGoal(far, 'apart, elsewhere');
        await advanceTo(far, there, 'governance');
        const start = await onRemote(repo);
        const first = await addGoal(repo, 'apart, killed');
        governance.shut();
        const one = repo.start('goal', 'advance', first);
        await governance.reached();
        one.kill('SIGKILL');
        await one.wait();
        t.match(await leases(repo), [{ state: 'held', unit: { id: first } }]);

        const held = await far.owlFails(7, 'goal', 'advance', there, '--json', { env });
        t.match(held.json().error, { code: 'lease-held', message: new RegExp(`held by goal ${first}`) });
        t.match(await showGoal(far, there), { status: 'governance', window: null });
        governance.open();
        at('2026-03-01T10:09:59Z');
        await far.owlFails(7, 'goal', 'advance', there, { env });
        at('2026-03-01T10:10:01Z');
        await far.owl('goal', 'advance', there, { env });
        t.match(await showGoal(far, there), { status: 'review' });
        const taken = await onRemote(repo);
        t.equal(await onRemote(repo, 'main^1'), start, 'the killed one has published nothing');

        const second = await addGoal(repo, 'apart, next');
        await repo.owl('goal', 'advance', second);
        t.match(await showGoal(repo, second), { status: 'review', candidate: { base: taken } });
        await repo.owl('goal', 'advance', first);
        const recovered = await showGoal(repo, first);
        t.match(recovered, { status: 'review' });
        t.same(evidenceOf(recovered, 'integration'), ['done'], 'it was never begun before');
      },
    );
  },
);

t.test('G35, G53: cancelled before its publication nothing happens; after it the effect is recorded', async (t) => {
  const box = await sandbox(t);
  const governance = door(box, 'governance');
  const rules = `governance: { checks: [{ name: rules, run: "${governance.command}" }] }\n`;
  const agents = [box.agent('worker', APART)];
  const repo = await box.repository({ remote: 'bare', agents, config: `${GATED}${rules}` });
  const start = await onRemote(repo);
  const before = await addGoal(repo, 'before');
  governance.shut();
  const running = repo.start('goal', 'advance', before, '--json');
  await governance.reached();
  await repo.owl('cancel', before);
  const ended = await running.wait();
  t.ok(ended.code === 4 || ended.code === 143, `${ended.code} ${ended.stderr}`);
  t.match(await showGoal(repo, before), { status: 'cancelled', integration: null });
  t.same([await onRemote(repo), await repo.oid('main')], [start, start]);
  t.same(
    box.processes().filter(({ command }) => command.includes('door-governance')),
    [],
    'what worked on it is ended',
  );
  governance.open();

  const after = await addGoal(repo, 'after');
  const words = `cd '${repo.dir}' && env -u GIT_DIR git owl cancel ${after} >'${box.path('said')}' 2>&1`;
  setHook(repo.bare, 'post-receive', `grep -q refs/heads/main && ( ${words} )\nexit 0`);
  const late = await repo.owl('goal', 'advance', after, '--json', { fails: 'any' });
  setHook(repo.bare, 'post-receive', 'exit 0');
  t.equal(late.code, 4, late.stderr);
  const goal = await showGoal(repo, after);
  t.match(goal, { status: 'cancelled', integration: { status: 'done', merge: await onRemote(repo) } });
  t.equal(await onRemote(repo, 'main^1'), start);
  t.equal(await repo.oid('main'), await onRemote(repo), 'what is here follows');
  t.equal(await repo.git('for-each-ref', 'refs/owl/local/publish'), '');
  t.match(await leases(repo), [{ state: 'free' }]);
});

t.test('G32, 07.41: each transport; a merge that was reverted is not integrated, and is made anew', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    execute: [{ write: 'work.txt', text: 'work\n' }, { git: ['add', '.'] }, { commit: 'Work' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [worker], config: GATED });
  const urls = {
    'a folder': repo.bare,
    'git daemon': (await serveDaemon(t, box, repo.bare)).url,
    'smart HTTP': (await serveHttp(t, box, repo.bare)).url,
  };
  const id = await addGoal(repo, 'write it');
  let merges = 0;
  for (const [name, url] of Object.entries(urls)) {
    await t.test(name, async (t) => {
      await repo.git('remote', 'set-url', 'origin', url);
      const start = await onRemote(repo);
      await repo.owl('goal', 'advance', id);
      const goal = await showGoal(repo, id);
      t.match(goal, { status: 'review', integration: { merge: await onRemote(repo), remote: 'origin' } });
      t.equal(await onRemote(repo, 'main^1'), start, 'two parents, where a fast-forward would do');
      t.equal(await onRemote(repo, 'main^2'), goal.candidate.tip);
      t.equal(await onRemote(repo, goal.branch), goal.candidate.tip);
      t.equal(await repo.remoteGit('rev-list', '--merges', '--count', 'main'), `${(merges += 1)}`);
      t.equal(await repo.remoteGit('show', 'main:work.txt'), 'work');
      t.equal(await repo.oid('main'), await onRemote(repo));
      t.match(await leases(repo), [{ state: 'free' }]);

      const other = await repo.clone('other');
      await other.git('revert', '--no-edit', '-m', '1', 'HEAD');
      await other.git('push', '-q', 'origin', 'main');
      t.match((await repo.owlFails(4, 'goal', 'approve', id)).stderr, /was reverted in refs\/remotes\/origin\/main/);
      await repo.owl('goal', 'decline', id, 'the same again');
    });
  }
});

t.test(
  'G30: a lease that could not be given back, or whose acquisition was not answered, is taken again here at once',
  async (t) => {
    const box = await sandbox(t);
    const [down, cut] = [box.path('down'), box.path('cut')];
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', APART)], config: GATED });
    const script = box.executable('door', `#!/bin/sh\ntest -e '${down}' && exit 1\nexec "$@"\n`);
    for (const pack of ['upload', 'receive'])
      await repo.git('config', `remote.origin.${pack}pack`, `${script} git-${pack}-pack`);
    // From the moment on at which this ref moved nothing is answered any more.
    const gone = `touch '${down}'; rm '${cut}'; kill -9 $PPID`;
    setHook(repo.bare, 'post-receive', `test -e '${cut}' || exit 0\ngrep -q "$(cat '${cut}')" && { ${gone}; }\nexit 0`);
    const atOnce = { env: { OWL_LEASE_WAIT: '0' } };
    const goalCut = async (title: string, ref: string) => {
      const id = await addGoal(repo, title);
      await advanceTo(repo, id, 'governance');
      repo.write(cut, ref);
      const ended = await repo.owl('goal', 'advance', id, { fails: 'any' });
      t.notOk(repo.exists(cut), `${ref} was cut: ${ended.stderr}`);
      repo.remove(down);
      return { id, ended };
    };
    for (const door of ['ref', 'state']) {
      if (door === 'state') {
        await repo.git('push', '-q', 'origin', 'refine/state');
        await repo.remoteGit('update-ref', '-d', leaseRef('main'));
        await repo.remoteGit('config', 'transfer.hideRefs', 'refs/owl');
      }
      const ref = door === 'ref' ? leaseRef('main') : 'refs/heads/refine/state';
      await t.test(`${door}: its own, whose acquisition nobody answered`, async (t) => {
        const { id } = await goalCut(`${door} own`, ref);
        t.match(await leases(repo), [{ state: 'held', unit: { id } }]);
        await repo.owl('goal', 'advance', id, atOnce);
        t.match(await showGoal(repo, id), { status: 'review' });
        t.match(await leases(repo), [{ state: 'free' }]);
      });
      await t.test(`${door}: that of another Goal, which is integrated or cancelled`, async (t) => {
        const { id, ended } = await goalCut(`${door} sent`, 'refs/heads/main');
        t.match(ended.stderr, /could not be given back \(.*\); this clone takes it again at once/);
        t.match(await leases(repo), [{ state: 'held', unit: { id } }]);
        const next = await addGoal(repo, `${door} next`);
        await repo.owl('goal', 'advance', next, atOnce);
        t.match(await showGoal(repo, next), { status: 'review' });
        const other = (await goalCut(`${door} cancelled`, ref)).id;
        await repo.owl('cancel', other);
        const last = await addGoal(repo, `${door} last`);
        await repo.owl('goal', 'advance', last, atOnce);
        t.match(await showGoal(repo, last), { status: 'review' });
        t.match(await leases(repo), [{ state: 'free' }]);
      });
    }
  },
);

t.test('G30, G32: a remote that goes away under the lease is told as that, and nothing is sent', async (t) => {
  const box = await sandbox(t);
  const cut = box.path('cut');
  const script = box.executable('cut-off', `#!/bin/sh\ntest -e '${cut}' && exit 1\nexec "$@"\n`);
  const rules = `governance: { checks: [{ name: rules, run: "touch ${cut}" }] }\n`;
  const agents = [box.agent('worker', APART)];
  const repo = await box.repository({ remote: 'bare', agents, config: `${GATED}${rules}` });
  for (const pack of ['upload', 'receive'])
    await repo.git('config', `remote.origin.${pack}pack`, `${script} git-${pack}-pack`);
  const start = await repo.oid('main');
  const id = await addGoal(repo, 'cut off');
  // So short that it is renewed before the push.
  const env = { OWL_LEASE_LENGTH: '600' };
  const away = await repo.owlFails(9, 'goal', 'advance', id, '--json', { env });
  t.match(away.json().error, { code: 'remote-unreachable', message: /could not be renewed/ });
  t.match(await showGoal(repo, id), { status: 'governance', integration: null });
  repo.remove(cut);
  t.equal(await onRemote(repo), start);
});
