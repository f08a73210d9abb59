// The queue as a person lives it: adding, order, needs, claims, capacity, several Runs side by side, stopping, crashes.

import { t } from 'tap';
import type { Agent, Step } from '../fixtures/agents.js';
import type { Running } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const queue = async (repo: Repo): Promise<string[]> =>
  (await repo.owl('list', '--json')).json().data.items.map(({ id }: { id: string }) => id);
/** Why `status` says that this Job waits. */
const waits = async (repo: Repo, id: string): Promise<string | undefined> =>
  (await repo.owl('status', '--json')).json().data.items.find((item: { id: string }) => item.id === id)?.waits;

/** Waits until the agent is there; what the command said when it ended without that. */
async function reached(agent: Agent, running: Running, ...names: readonly string[]): Promise<void> {
  const gone = running
    .wait()
    .then(({ code, stdout, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stdout}${stderr}`)));
  gone.catch(() => undefined);
  await Promise.race([Promise.all(names.map((name) => agent.reached(name, 60_000))), gone]);
}

/** An agent whose Runs stay until the test lets go of the Job whose prompt has that word. */
function gated(box: Sandbox, names: readonly string[], more: readonly Step[] = []) {
  return box.agent('worker', {
    cases: names.map((name) => ({
      when: `\\b${name}\\b`,
      execute: [
        { print: `${name} is here\n` },
        { reach: name },
        { await: name },
        ...more,
        { write: `${name}.txt`, text: `${name}\n` },
        { commit: name },
      ],
    })),
  });
}

t.test('J1, J2, J3, J20, 07.27: add records intent alone, in order, whatever the prompt looks like', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', config: 'ttl: 4\nmodes: { docs: {} }\n' });
  const before = await repo.untouched();
  const ids: string[] = [];
  for (const words of ['first', 'second', 'third']) ids.push(await repo.add(words));
  const [one = '', two = '', three = ''] = ids;
  const added = (await repo.owl('add', '--json', '--slug', 'fourth-one', 'fourth')).json();
  const four: string = added.data.id;
  t.match(added, { ok: true, data: { place: 4, state: 'pending', phase: 'plan', ttl: 4, runs: 0, worktree: null } });
  t.equal(added.data.branch, `owl/${four}/fourth-one`, 'the branch is named at once');

  box.same(t, before, await repo.untouched());
  const names = Object.keys(await repo.refs()).filter((ref) => !/^refs\/(heads\/main|remotes\/)/.test(ref));
  t.same(names, ['refs/heads/refine/state'], 'no branch was made');
  t.match(await repo.git('worktree', 'list'), /^[^\n]*$/, 'no worktree was made');
  t.same(box.processes(), [], 'no process is left');

  t.same(await queue(repo), [one, two, three, four], 'first in, first out');
  await repo.owl('reorder', three, '--first');
  await repo.owl('reorder', four, '--before', two);
  await repo.owl('reorder', one, '--last');
  t.same(await queue(repo), [three, four, two, one]);
  const foreseen = (await repo.owl('run', '--dry-run', '--json')).json().data;
  t.match(foreseen, { items: [], waiting: [{ job: three }, { job: four }, { job: two }, { job: one }] });
  await repo.owlFails(2, 'reorder', one, '--first', '--last');
  t.match((await repo.owlFails(3, 'reorder', one, '--before', 'zzzzzz', '--json')).json(), {
    error: { code: 'unknown-id' },
  });

  const state = await repo.oid('refs/heads/refine/state');
  for (const refused of [
    ['--plan', '--no-plan', 'both'],
    ['--ttl', '1', 'planned'],
    ['--ttl', '0', '--no-plan', 'none'],
    ['--mode', 'dosc', 'unknown mode'],
    ['--slug', '../up', 'bad slug'],
    [' \n '],
  ]) {
    t.match((await repo.owlFails(2, 'add', '--json', ...refused)).json(), { ok: false }, refused.join(' '));
  }
  await repo.owlFails(3, 'add', '--needs', 'zzzzzz', 'needs nobody');
  await repo.owlFails(3, 'add', '--from', 'nowhere', 'from nowhere');
  await repo.owlFails(2, 'edit', one, '--ttl', '1');
  t.equal(await repo.oid('refs/heads/refine/state'), state, 'what is refused writes nothing');
  t.match(await show(repo, await repo.add('--no-plan', '--ttl', '1', 'once')), { ttl: 1, phase: 'execute' });

  const foreign = await repo.add('\u00fcber\u8bf7\u4fee\u590d');
  t.equal((await show(repo, foreign)).branch, `owl/${foreign}/uber`, 'letters lose their marks');
  const nothing = await show(repo, await repo.add('\u8bf7\u4fee\u590d\u5b83'));
  t.match(nothing, { title: '\u8bf7\u4fee\u590d\u5b83', branch: /\/job$/ }, 'no ASCII letter: a branch all the same');
  const dashed = await show(repo, await repo.add('--', '--force the issue'));
  t.match(dashed, { prompt: '--force the issue', branch: /\/force-the-issue$/ });
  const long = `# Long\n\n${'word \u00e9 '.repeat(26_000)}end\n`;
  t.equal((await show(repo, await repo.add('-', { input: long }))).prompt, long, '200 kB arrive whole');
  repo.write('prompt.md', '\uFEFFfrom a file\r\nand more\r\n');
  t.equal((await show(repo, await repo.add('-F', 'prompt.md'))).prompt, 'from a file\nand more\n');
  await repo.owlFails(2, 'add', '-', { input: Buffer.from([0x61, 0xff, 0x62]) });
  await repo.owlFails(2, 'add', '-', { input: Buffer.alloc(600_000, 'a') });
  await repo.owlFails(2, 'add');
  t.equal((await show(repo, one.slice(0, 5))).id, one, 'a unique beginning of an id is enough');
});

t.test('J2: needs wait with a reason; a Job whose base is gone stops nobody; capacity; --require', async (t) => {
  const box = await sandbox(t);
  const agent = gated(box, ['alpha', 'beta', 'gamma']);
  const repo = await box.repository({
    agents: [agent],
    config: 'max_parallel: 1\n',
  });
  await repo.git('branch', 'side');
  const lost = await repo.add('--no-plan', '--base', 'side', 'its base goes away');
  await repo.git('branch', '-D', 'side');
  const alpha = await repo.add('--no-plan', 'do alpha');
  const beta = await repo.add('--no-plan', '--needs', alpha, 'do beta');
  const gamma = await repo.add('--no-plan', 'do gamma');
  t.match(await waits(repo, beta), new RegExp(`needs ${alpha}`), 'status says why it is passed over');
  t.match((await repo.owlFails(4, 'run', beta, '--json')).json().error.message, new RegExp(alpha));
  t.match(await waits(repo, lost), /side/, 'status says that its base is gone');
  t.match((await repo.owlFails(3, 'run', lost, '--json')).json(), { error: { code: 'missing-base' } });
  t.match(await repo.owlFails(2, 'edit', alpha, '--needs', beta), { stderr: /needs/ }, 'no circle');

  const running = repo.start('run', '--json');
  await reached(agent, running, 'alpha');
  t.match(await show(repo, alpha), { state: 'active', live: { dead: false } }, 'the broken one was passed over');
  t.match((await repo.owl('run', '--json')).json().data, { items: [], full: 1 }, 'no room: an ordinary outcome');
  t.match((await repo.owlFails(7, 'run', gamma, '--json')).json(), { error: { code: 'busy' } }, 'a named one: busy');
  t.match((await repo.owlFails(4, 'run', alpha, '--json')).json(), { error: { code: 'wrong-state' } }, 'taken once');
  t.equal(agent.seen().length, 1, 'no second agent was started');
  agent.release('alpha');
  const ended = await running.wait();
  t.equal(ended.code, 0, ended.stderr);
  t.match(ended.json(), { ok: true, data: { id: alpha, state: 'review' } });
  t.match(await waits(repo, beta), /review/);
  await repo.owl('accept', alpha);
  t.equal(await waits(repo, beta), undefined, 'accepted: it may run now');
  agent.release('beta');
  const second = await repo.owl('run', '--json');
  t.match(second.json().data, { id: beta, state: 'review' }, 'in its old place');
  t.match(second.stderr, new RegExp(`needs ${alpha}, which was accepted and not merged`), '11: with a warning');
  await repo.owl('cancel', gamma);
  const none = await repo.owlFails(3, 'run', '--json');
  t.match(none.json(), { ok: false, error: { code: 'missing-base' } }, 'only the broken one is left: it is told');
  await repo.owl('cancel', lost);
  t.match((await repo.owl('run', '--json')).json(), { ok: true, data: { items: [] } }, 'an empty queue is no failure');
  t.match((await repo.owlFails(3, 'run', '--require', '--json')).json(), { error: { code: 'nothing-eligible' } });
});

t.test('J4, J18, J20: --all side by side; stop ends one Run; --detach, log -f; each Run a fresh process', async (t) => {
  const box = await sandbox(t);
  const agent = gated(box, ['alpha', 'beta']);
  const repo = await box.repository({ agents: [agent] });
  const alpha = await repo.add('--no-plan', 'do alpha');
  const beta = await repo.add('--no-plan', 'do beta');
  const all = repo.start('run', '--all', '--max-parallel', '2', '--json');
  await reached(agent, all, 'alpha', 'beta');
  t.equal(new Set(agent.seen().map(({ pid }) => pid)).size, 2, 'both live at the same time');
  t.match((await repo.owl('status', '--json')).json().data.counts, { active: 2 });
  t.match((await repo.owl('stop', alpha, '--json')).json().data.items, [{ job: alpha, how: 'stopped' }]);
  t.match(await show(repo, alpha), { state: 'pending', ttl: 9, reason: { code: 'interrupted' } });
  t.match(await show(repo, beta), { state: 'active' }, 'the other Run in the same process goes on');
  agent.release('beta');
  const ended = await all.wait();
  t.equal(ended.code, 8, 'the worst of its units: one was interrupted');
  const lines = ended.jsonLines();
  t.same(
    lines.map(({ data }) => [data.id, data.state]).sort(),
    [
      [alpha, 'pending'],
      [beta, 'review'],
    ].sort(),
  );
  t.same(await queue(repo), [alpha, beta], 'it is in its place');

  const started = (await repo.owl('run', '--detach', '--json')).json().data;
  t.match(started.items, [{ id: alpha }], 'it returns once the claim is made');
  const twice = await repo.owlFails(4, 'run', '--detach', alpha);
  t.match(twice.stderr, /^git owl: job .* is active/, 'what went wrong in the background is said as in front');
  t.match((await repo.owlFails(4, 'run', '--dry-run', alpha)).stderr, /is active/, 'and by a dry run');
  const log = repo.start('log', '-f', alpha);
  await eventually(() => /alpha is here/.test(log.stdout()), 30_000, 'log -f shows what the agent prints');
  await repo.owl('stop');
  t.equal((await log.wait()).code, 0, 'log -f ends with the Run');
  t.match(await show(repo, alpha), { state: 'pending', ttl: 8 });
  await eventually(() => box.processes().length === 0, 20_000, 'nothing is left');
  const swept = (await repo.owl('gc', '--json')).json().data.items;
  t.match(
    swept.filter(({ subject }: { subject: string }) => /detached-/.test(subject)),
    [{ action: 'remove-scratch', result: 'done' }],
    'M1: what it printed goes, once its process is gone',
  );
  t.match((await repo.owl('run', '--detach', '--dry-run', '--json')).json().ok, true);
  t.match(await repo.refs(), { 'refs/heads/main': /./ });
  t.same(
    Object.keys(await repo.refs()).filter((ref) => /^refs\/owl\/local\/(runs|stops)\//.test(ref)),
    [],
    'no note is left',
  );
});

t.test(
  'J3, J4: --for ends live Runs in time; named Jobs: each is told, the worst one is the exit status',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      cases: [
        { when: 'slow', execute: [{ write: 'slow.txt' }, { commit: 'Slow' }, { sleep: 60_000 }] },
        { when: 'fails', execute: [{ exit: 1 }] },
        { when: 'good', execute: [{ write: 'good.txt' }, { commit: 'Good' }] },
      ],
    });
    const repo = await box.repository({ agents: [agent] });
    const good = await repo.add('--no-plan', 'good');
    const bad = await repo.add('--no-plan', '--ttl', '1', 'fails');
    const far = await repo.add('--no-plan', '--needs', good, 'good too');
    const named = await repo.owlFails(8, 'run', bad, far, good, '--json');
    const lines = named.jsonLines();
    t.same(
      lines.filter(({ data }) => data).map(({ ok, data }) => [ok, data.id, data.state, data.unit.exit]),
      [
        [false, bad, 'blocked', 8],
        [true, good, 'review', 0],
      ],
      'one that waits stops no other',
    );
    t.match(lines.at(-1), { ok: false, error: { code: 'refused', message: new RegExp(far) } }, 'and is told');
    t.match(named.stderr, new RegExp(`${far} waits: needs ${good}`));
    t.match(await show(repo, bad), { ttl: 0, state: 'blocked' }, 'the end of a Run costs one, whatever the outcome');
    t.match((await show(repo, bad)).next, [`git owl retry ${bad} --ttl 5`], '11: what is proposed is not refused');
    t.match(await repo.owlFails(2, 'add', '--ttl', '0', 'x'), { stderr: /from 1 to 10000, not 0/ });
    for (const ttl of ['10000', '1']) await repo.owl('edit', far, '--ttl', ttl);
    t.match((await repo.owl('edit', far, '--ttl', '10001', { fails: 2 })).stderr, /from 1 to 10000, not 10001/);
    await repo.owl('accept', good);
    await repo.owl('cancel', far);

    const slow = await repo.add('--no-plan', '--ttl', '1', 'slow');
    const after = await repo.add('--no-plan', 'good again');
    const timed = await repo.owlFails(4, 'run', '--all', '--for', '12s');
    t.match(timed.stderr, /exhausted/);
    t.match(await show(repo, slow), {
      state: 'exhausted',
      ttl: 0,
      history: [{ outcome: 'interrupted', counted: true }],
    });
    t.match(await show(repo, after), { state: 'pending', runs: 0 }, 'no new one was taken');
    t.same(await queue(repo), [bad, slow, after], 'an exhausted Job keeps its place');
    t.match((await repo.owl('status')).stdout, new RegExp(slow), 'and is reported');
    await repo.owl('extend', slow, '3');
    t.match(await show(repo, slow), { state: 'pending', ttl: 3 });
    t.equal((await queue(repo))[1], slow, 'also when it may run again');
  },
);

t.test(
  'J3, J4, J5, 07.16: killed between the claim and the agent, the next command settles it at no cost',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', { execute: [{ write: 'work.txt', text: '{job}\n' }, { commit: 'Work' }] });
    const repo = await box.repository({ agents: [agent] });
    for (const point of [
      'claim.after-state',
      'run.before-branch',
      'branch.after-state',
      'run.after-branch',
      'run.before-agent',
    ]) {
      const before = agent.seen().length;
      const id = await repo.add('--no-plan', `survive ${point}`);
      const killed = await repo.owl('run', { fails: 'any', env: { OWL_FAIL_AT: point } });
      t.equal(killed.signal, 'SIGKILL', `${point}: it was killed there`);
      const state = await repo.oid('refs/heads/refine/state');
      t.match(await show(repo, id), { state: 'active', live: { dead: true } }, `${point}: shown as dead`);
      t.match((await repo.owl('status')).stdout, /its Run is gone; "git owl run" settles it/);
      t.equal(await repo.oid('refs/heads/refine/state'), state, 'looking writes nothing');
      await repo.owl('run');
      const shown = await show(repo, id);
      t.match(shown, { state: 'review', ttl: 9, runs: 2 }, `${point}: only the Run that started an agent costs`);
      t.match(shown.history[0], { outcome: 'interrupted', counted: false });
      t.equal(agent.seen().length, before + 1, 'one agent was started');
      t.equal(await repo.git('show', `${shown.branch}:work.txt`), id);
    }
    const id = await repo.add('--no-plan', 'stop and drop settle, too');
    await repo.owl('run', { fails: 'any', env: { OWL_FAIL_AT: 'run.after-branch' } });
    t.match((await repo.owl('stop', id, '--json')).json().data.items, [{ how: 'was dead' }]);
    t.match(await show(repo, id), { state: 'pending', ttl: 10 });
    await repo.owl('run', { fails: 'any', env: { OWL_FAIL_AT: 'run.after-setup' } });
    await repo.owl('drop', id);
    t.match(await show(repo, id), { state: 'cancelled' });
    t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
  },
);
