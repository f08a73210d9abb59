// Runners in clones of their own take from one queue in its order: what others hold is passed over by one look, and who loses a claim
// goes on with the next one (05, S5, S7; J2).

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks: []\n';
const CLAIMS = 'refs/owl/claims/';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

interface Ground {
  readonly box: Sandbox;
  readonly repo: Repo;
  readonly ids: readonly string[];
  /** A runner in a clone of its own, with the Git commands that it runs on standard error. */
  runner(name: string): Promise<ReturnType<Repo['start']>>;
  /** The Job has an agent at work, which waits. */
  atWork(id: string): Promise<unknown>;
  /** All agents go on, also those to come. */
  letGo(): void;
}

async function ground(t: Test, jobs: number): Promise<Ground> {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      { sh: `touch "${box.path('at')}-$OWL_JOB"; until test -e '${box.path('go')}'; do sleep 0.1; done` },
      { write: '{job}.txt', text: 'work {run}\n' },
      { commit: 'Write it' },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  const ids: string[] = [];
  for (let number = 0; number < jobs; number += 1) ids.push(await repo.add(`write ${number}`));
  await repo.owl('sync');
  return {
    box,
    repo,
    ids,
    runner: async (name) => (await repo.clone(name)).start('run', '--claim-remote', '-v'),
    atWork: (id) => eventually(() => existsSync(box.path(`at-${id}`)), 60_000, `the agent of ${id} is at work`),
    letGo: () => writeFileSync(box.path('go'), ''),
  };
}

/** The calls to the remote that speak of claims: their verb, and whose claim, in order. */
const callsOf = (stderr: string, verbs = /\b(push|fetch|ls-remote)\b/): readonly string[] =>
  stderr.split('\n').flatMap((line) => {
    const verb = verbs.exec(line)?.[1];
    const claims = [...line.matchAll(/:refs\/owl\/claims\/(\w+)(?=\s|$)/g)].map(([, id]) => id);
    return verb === undefined || !line.includes(CLAIMS) ? [] : [[verb, ...new Set(claims)].join(' ')];
  });

t.test('S5, S7, J2: what three others hold is passed over by one look, in the order of the queue', async (t) => {
  const { repo, ids, runner, atWork, letGo } = await ground(t, 5);
  const runners = [];
  for (const id of ids.slice(0, 3)) {
    runners.push(await runner(`clone-${id}`));
    await atWork(id);
  }
  const [, , , fourth = '', fifth = ''] = ids;
  const last = await runner('last');
  await atWork(fourth);
  t.same(
    callsOf(last.stderr()),
    ['ls-remote', `fetch ${ids.slice(0, 3).join(' ')}`, `push ${fourth}`],
    'one look, one fetch of what it did not know, one push',
  );
  letGo();
  for (const one of [...runners, last]) t.equal((await one.wait()).code, 0, one.stderr());
  await repo.owl('sync');
  for (const id of ids.slice(0, 4)) t.match(await show(repo, id), { state: 'review', runs: 1 }, id);
  t.match(await show(repo, fifth), { state: 'pending' });
});

t.test('S5, S7, J2: who loses a claim looks once more and takes the next that is free', async (t) => {
  const { box, repo, ids, runner, atWork, letGo } = await ground(t, 4);
  const [first = '', second = '', third = ''] = ids;
  const [next, waits, on] = [box.path('next'), box.path('waits'), box.path('on')];
  // The push of one claim takes its time at the server; meanwhile others come.
  setHook(
    repo.bare,
    'pre-receive',
    `grep -q ' ${CLAIMS}' || exit 0\nmv '${next}' '${waits}' 2>/dev/null || exit 0\nuntil test -e '${on}'; do sleep 0.1; done\nexit 0`,
  );
  writeFileSync(next, '');
  const slow = await runner('slow');
  await eventually(() => existsSync(waits), 60_000, 'its claim is on the way');
  const others = [await runner('one')];
  await atWork(first);
  others.push(await runner('two'));
  await atWork(second);
  renameSync(waits, on);
  await atWork(third);
  t.same(
    callsOf(slow.stderr(), /\b(push)\b/),
    [`push ${first}`, `push ${third}`],
    'one claim was lost, and none was tried in vain',
  );
  letGo();
  for (const one of [...others, slow]) t.equal((await one.wait()).code, 0, one.stderr());
  t.match(slow.stdout(), new RegExp(third), 'in the same command');
  await repo.owl('sync');
  for (const id of [first, second, third]) t.match(await show(repo, id), { state: 'review', runs: 1 }, id);
});

t.test('S7, S9: a claim that is damaged holds up its own Job alone', async (t) => {
  const { repo, ids, letGo } = await ground(t, 2);
  const [first = '', second = ''] = ids;
  letGo();
  const bad = await repo.git('hash-object', '-w', '--stdin', { input: 'no lease\n' });
  await repo.git('push', '-q', 'origin', `${bad}:${CLAIMS}${first}`);
  const ended = await repo.owl('run', '--claim-remote', '--all', '--json');
  t.same(
    ended.jsonLines().map(({ data }) => data.id),
    [second],
  );
  t.match((await repo.owl('run', '--claim-remote', '--json')).json().data, {
    waiting: [{ job: first, why: /claim on origin is damaged/ }],
  });
  t.match((await repo.owlFails(9, 'run', '--claim-remote', first)).stderr, /is damaged/);
});

t.test('S7: who watches the queue looks again at what another one held', async (t) => {
  const { box, repo, ids, runner, letGo } = await ground(t, 1);
  const [id = ''] = ids;
  const agents = box.path(`at-${id}`);
  const gone = await runner('gone');
  await eventually(() => existsSync(agents), 60_000, 'the agent of the first is at work');
  const clone = await repo.clone('watches');
  const watches = clone.start('run', '--claim-remote', '--watch', '--interval', '1s', '-v');
  await eventually(() => callsOf(watches.stderr(), /\b(ls-remote)\b/).length > 0, 60_000, 'the second has looked');
  gone.kill('SIGKILL');
  await gone.wait();
  renameSync(agents, `${agents}-first`);
  await repo.remoteGit('update-ref', '-d', `${CLAIMS}${id}`);
  await eventually(() => existsSync(agents), 60_000, 'the agent of the second is at work');
  letGo();
  await eventually(
    async () =>
      /1 review/.test(await repo.remoteGit('log', '-1', '--format=%(trailers:key=Owl-Open,valueonly)', 'refine/state')),
    60_000,
    'it is published',
  );
  watches.kill('SIGTERM');
  await watches.wait();
});
