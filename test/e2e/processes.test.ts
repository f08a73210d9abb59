// How many processes of Git a Run and an integration start: what asks for the same thing asks once (10, P6, P7).

import { readFileSync } from 'node:fs';
import { t } from 'tap';
import { diligent } from '../fixtures/agents.js';
import { addGoal, GATED, WORK } from '../fixtures/goals.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

/** What our own processes of Git were asked in a trace, without those that Git started: verb -> how often. */
function started(trace: string): ReadonlyMap<string, number> {
  const verbs = new Map<string, number>();
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    if (!line.startsWith('{"event":"start"')) continue;
    const { sid, argv } = JSON.parse(line) as { sid: string; argv: readonly string[] };
    if (sid.includes('/')) continue;
    const verb = argv.slice(1).find((word) => !word.startsWith('-')) ?? '';
    verbs.set(verb, (verbs.get(verb) ?? 0) + 1);
  }
  return verbs;
}

const traced = (box: Sandbox, name: string) => ({ env: { GIT_TRACE2_EVENT: box.path(`trace-${name}`) } });
const startedIn = (box: Sandbox, name: string) => started(box.path(`trace-${name}`));
const sum = (verbs: ReadonlyMap<string, number>): number => [...verbs.values()].reduce((all, one) => all + one, 0);

t.test(
  'P6: the processes of a Run are few: refs move through one, and what did not change is not asked again',
  async (t) => {
    const box = await sandbox(t);
    const config = 'plan: false\nchecks:\n  - { name: one, run: "true" }\n  - { name: two, run: "true" }\n';
    const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', diligent())], config });
    const id = await repo.add('work', '--no-plan');
    await repo.owl('run', id, traced(box, 'first'));
    const first = startedIn(box, 'first');
    t.equal(first.get('fetch'), 1);
    t.equal(first.get('update-ref'), 2, 'one for our own refs, one that says in its log why the branch was made');
    t.equal(first.get('status'), 3, 'after the agent, and after each check');
    t.equal(first.get('diff-index'), 1, 'what HEAD and index hold did not change since');
    t.ok(sum(first) <= 20, `all: ${[...first].join(' ')}`);
    await repo.owl('retry', id, '-m', 'again');
    await repo.owl('run', id, { ...traced(box, 'later'), fails: 'any' });
    const later = startedIn(box, 'later');
    t.ok(sum(later) <= 22, `all: ${[...later].join(' ')}`);
  },
);

t.test('P7: what goes along with a merge is looked for in one call', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: GATED });
  const ids = [await addGoal(repo, 'one'), await addGoal(repo, 'two')];
  for (const id of ids) {
    for (let step = 0; step < 4; step += 1) await repo.owl('goal', 'advance', id, '--step');
    await repo.owl('goal', 'advance', id, traced(box, id));
  }
  const [, last = ''] = ids;
  const verbs = startedIn(box, last);
  t.equal(verbs.get('ls-remote'), 1, 'the branch and the state together');
  t.equal(verbs.get('fetch'), 3, 'the target, its lease, and the target under the lease');
});
