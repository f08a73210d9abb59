// Commands side by side, beside Git's own housekeeping: nothing lost, nothing done twice (07.28, J4).
// Sixteen writers of fifty changes each, on the store alone: test/contract/store-races.test.ts.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pauseFor } from 'node:timers/promises';
import t from 'tap';
import { diligent } from '../fixtures/agents.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test('07.28, J29: a verification whose job is merged meanwhile is busy, not broken', async (t) => {
  const box = await sandbox(t);
  const hold = box.path('hold');
  const started = box.path('started');
  const repo = await box.repository({
    agents: [box.agent('worker', diligent())],
    config: `checks:\n  - { name: slow, run: "touch ${started}; while test -f ${hold}; do sleep 0.1; done" }\n`,
  });
  const id = await repo.add('--no-plan', 'work');
  await repo.owl('run');
  rmSync(started);
  writeFileSync(hold, '');
  const verifying = repo.start('verify', id, '--json');
  await eventually(() => existsSync(started));
  await repo.owl('merge', id);
  rmSync(hold);
  t.match(JSON.parse((await verifying.wait()).stdout).error, { code: 'busy', message: /is done/ });
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'done' });
});

t.test('07.28, J4: 8 × 5 add, and two run --all, beside pack-refs and gc', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'work-{job}.txt', text: '{job}\n' }, { commit: 'Work on {job}' }],
  });
  const repo = await box.repository({ agents: [agent], config: 'max_parallel: 2\n' });
  let busy = true;
  const housekeeping = (async () => {
    while (busy) {
      await repo.gitResult('pack-refs', '--all');
      await repo.gitResult('gc', '--quiet');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  // One group can run; the agent of the others is not on this machine.
  const agentOf = (group: number): string => (group === 0 ? 'worker' : 'codex');
  const words = (group: number, at: number): string => `group ${group}, job ${at}`;
  const groups = await Promise.all(
    Array.from({ length: 8 }, async (_, group) => {
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1)
        ids.push(await repo.add('--no-plan', '--agent', agentOf(group), words(group, at)));
      return ids;
    }),
  );
  const ids = groups.flat();
  t.equal(new Set(ids).size, 40, 'each has an id of its own');
  const { items } = (await repo.owl('list', '--json')).json().data as {
    items: readonly { id: string; title: string }[];
  };
  t.same(
    new Map(items.map(({ id, title }) => [id, title])),
    new Map(ids.map((id, at) => [id, words(Math.floor(at / 5), at % 5)])),
  );
  const place = new Map(items.map(({ id }, at) => [id, at]));
  for (const group of groups) {
    t.same(
      [...group].sort((a, b) => Number(place.get(a)) - Number(place.get(b))),
      group,
      'in the order they were added',
    );
  }

  // Forty ids, and fewer letters to begin with: some letter begins several.
  const letters = ids.map((id) => id[0] ?? '');
  const shared = letters.find((letter, at) => letters.indexOf(letter) !== at) ?? '';
  t.match((await repo.owlFails(3, 'show', shared, '--json')).json(), { ok: false, error: { code: 'ambiguous-id' } });

  const taken = groups[0] ?? [];
  const rest = ids.filter((id) => !taken.includes(id));
  const runs = await Promise.all([repo.owl('run', '--all', '--json'), repo.owl('run', '--all', '--json')]);
  busy = false;
  await housekeeping;
  const ran = runs.map((result) =>
    result.jsonLines().flatMap((line) => (line.data?.id === undefined ? [] : [line.data.id as string])),
  );
  t.same(ran.flat().sort(), [...taken].sort(), 'each Job was taken by one of the two, and by one only');
  t.same(
    agent
      .seen()
      .map(({ job }) => job)
      .sort(),
    [...taken].sort(),
    'one agent for each',
  );
  const after = (await repo.owl('list', '--all', '--json')).json().data.items as readonly Record<string, unknown>[];
  t.equal(after.length, 40, 'nothing is lost');
  for (const id of taken)
    t.match(
      after.find((job) => job['id'] === id),
      { state: 'review', runs: 1, ttl: 9 },
    );
  for (const id of rest)
    t.match(
      after.find((job) => job['id'] === id),
      { state: 'pending', runs: 0 },
    );
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '');
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
});

t.test(
  'J34, J36, 07.28: a merge beside a merge, and beside any other decision: one of them wins, and no checkout is torn',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [
        { write: 'work-{job}.txt', text: '{job}\n' },
        { write: 'README.md', text: 'by {job}\n' },
        { commit: 'Work' },
      ],
    });
    const repo = await box.repository({ agents: [agent], config: 'plan: false\n' });
    const reviewed = async (words: string): Promise<string> => {
      const id = await repo.add(words);
      await repo.owl('run', id);
      return id;
    };
    const sound = async (what: string): Promise<void> => {
      t.equal(await repo.git('status', '--porcelain'), '', `${what}: the checkout of the base is whole`);
      t.match((await repo.owl('fsck', '--json')).json(), { ok: true }, `${what}: the state is sound`);
    };
    const state = async (id: string) => (await repo.owl('show', id, '--json')).json().data;

    for (const [at, pause] of [0, 150, 300].entries()) {
      const id = await reviewed(`twice ${at}`);
      const first = repo.start('merge', id);
      await pauseFor(pause);
      const second = repo.start('merge', id);
      const ended = await Promise.all([first.wait(), second.wait()]);
      const codes = ended.map(({ code }) => code).sort();
      t.equal(codes[0], 0, `one merges (${codes.join(' ')})`);
      t.ok([0, 4, 7].includes(codes[1] ?? -1), `the other is told: ${ended.map(({ stderr }) => stderr).join('|')}`);
      t.match(await state(id), { state: 'done', merged: { by: 'owl' } });
      await sound(`merge and merge after ${pause} ms`);
    }

    const other = { drop: 'cancelled', cancel: 'cancelled', retry: 'pending', accept: 'done' } as const;
    for (const [verb, left] of Object.entries(other)) {
      for (const pause of [0, 120, 240]) {
        const id = await reviewed(`${verb} ${pause}`);
        const main = await repo.oid('main');
        const merge = repo.start('merge', id);
        await pauseFor(pause);
        const decision = repo.start(verb, id);
        const [merged, decided] = await Promise.all([merge.wait(), decision.wait()]);
        const job = await state(id);
        const landed = (await repo.oid('main')) !== main;
        const what = `merge (${merged.code}) and ${verb} (${decided.code}) after ${pause} ms`;
        t.equal(landed, merged.code === 0, `${what}: the base moved only if merge says so`);
        t.equal(
          job.state,
          landed ? 'done' : left,
          `${what}: the record says the same: ${merged.stderr}|${decided.stderr}`,
        );
        // Merging what was accepted is allowed (11); nothing else may follow the other.
        if (verb !== 'accept')
          t.equal([merged.code, decided.code].filter((code) => code === 0).length, 1, `${what}: one wins`);
        await sound(what);
        if (!landed && left === 'pending') await repo.owl('cancel', id);
      }
    }
  },
);
