// M1: `gc` settles the claim of a Goal whose process died, whatever step it was in; one that lives stays as it is.

import { t } from 'tap';
import { gc, of, said } from '../fixtures/gc.js';
import { addGoal, door, showGoal } from '../fixtures/goals.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const config = (style: string) => `checks: [{ name: test, run: "ls *.txt" }]
quality: { checks: [{ name: style, run: "${style}" }] }
governance: { checks: [{ name: rules, run: "true" }] }
`;

/** Where its process ends, and at which time that place is passed. */
const DEATHS = [
  ['plan', 'run.before-agent', '1'],
  ['implement', 'run.before-agent', '2'],
  ['quality', 'goal.before-proof', '1'],
  ['governance', 'integrate.before-begin', '1'],
] as const;

t.test(
  'M1: a Goal that was killed in plan, implement, quality or governance is carried by nobody after `gc`',
  async (t) => {
    const box = await sandbox(t);
    const gate = door(box, 'style');
    gate.open();
    const worker = box.agent('worker', {
      plan: [{ handoff: 'The plan.\n' }],
      execute: [{ write: 'work-{job}.txt', text: 'work\n' }, { commit: 'Work' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [worker], config: config(gate.command) });
    for (const [status, point, count] of DEATHS) {
      const id = await addGoal(repo, `die in ${status}`);
      const env = { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: count };
      t.equal((await repo.owl('goal', 'advance', id, { env, fails: 'any' })).signal, 'SIGKILL', status);
      t.match(await showGoal(repo, id), { status }, point);
      const before = await repo.untouched();
      t.equal(said(of(await gc(repo, '--dry-run'), 'run', id)), 'settle-run dead-run planned', status);
      box.same(t, before, await repo.untouched());
      t.equal(said(of(await gc(repo), 'run', id)), 'settle-run dead-run done', status);
      t.match(await showGoal(repo, id), { status, reason: { code: 'interrupted' } }, 'where it was');
      t.equal(of(await gc(repo), 'run', id), undefined, 'once');
      await repo.owl('goal', 'advance', id);
      t.match(await showGoal(repo, id), { status: 'review' }, 'and it goes on from there');
    }
    // One that lives is left alone.
    const id = await addGoal(repo, 'live');
    gate.shut();
    const lives = repo.start('goal', 'advance', id);
    await gate.reached();
    t.equal(said(of(await gc(repo), 'run', id)), 'none live-run none');
    gate.open();
    t.equal((await lives.wait()).code, 0);
    t.match(await showGoal(repo, id), { status: 'review' });
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);
