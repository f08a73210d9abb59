// The first hour of somebody new: what `doctor` says before anything is committed, what `init` trusts, and what `run --all` leaves (06).

import { t } from 'tap';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

/** Of the machine that the tests run on. */
const MACHINE: readonly string[] = ['manual', 'root'];
const PACKAGE = { 'package.json': '{"scripts": {"test": "true"}}' };

t.test('06: doctor says once that the configuration is still to come, whatever it would bring', async (t) => {
  const box = await sandbox(t);
  box.executable('claude', '#!/bin/sh\necho 9.9.9\n');
  const repo = await box.repository({ unborn: true });
  for (const [path, text] of Object.entries(PACKAGE)) repo.write(path, text);
  const faults = async (code: number): Promise<readonly string[]> =>
    (await repo.owl('doctor', '--json', { fails: code }))
      .json()
      .data.items.filter(
        ({ status, name }: { status: string; name: string }) => status !== 'pass' && !MACHINE.includes(name),
      )
      .map(({ status, name }: { status: string; name: string }) => `${status} ${name}`);
  const known = await box.repository({ files: PACKAGE, name: 'known' });
  const none = (await known.owl('doctor')).stdout;
  t.match(none, /^warn\tconfiguration\tnone is in force: no agent is named, and no check\tgit owl init$/m);
  t.notMatch(none, /^warn\t(?:checks|agent)/m, 'which is all that is missing');
  t.same(await faults(9), ['warn configuration', 'fail base'], 'before the first commit');
  await repo.owl('init');
  t.same(await faults(9), ['warn in-force', 'fail base'], 'and with the file in the checkout');
  t.match(
    (await repo.owlFails(9, 'doctor')).stderr,
    /hint: git commit --allow-empty/,
    'how to mend it, not to ask again',
  );
  for (const words of [
    ['add', 'x'],
    ['goal', 'add', 'x', '--request', 'y'],
  ])
    t.match(
      (await repo.owlFails(3, ...words)).stderr,
      /no commit yet.*\nhint: git commit --allow-empty/,
      words.join(' '),
    );
  await repo.commit('start', PACKAGE);
  t.same(await faults(0), ['warn in-force'], 'with a base that does not have it');
  await repo.commit('configure');
  t.same(await faults(0), []);
});

t.test('06: init says which commands it trusts from now on, and how to take that back', async (t) => {
  const box = await sandbox(t);
  box.set('OWL_TRUST', undefined);
  const repo = await box.repository({ files: PACKAGE });
  t.notMatch((await repo.owl('init', '--dry-run')).stderr, /trust/);
  const { stderr } = await repo.owl('init');
  t.match(stderr, 'trusted here from now on, so that git owl runs exactly these without asking: npm test\n');
  const command = /^to take that back: git owl (.*)$/m.exec(stderr)?.[1] ?? '';
  await repo.commit('configure');
  t.match((await repo.owl('trust', '--dry-run')).stdout, 'trusted already');
  await repo.owl(...command.split(' '));
  t.match((await repo.owl('trust', '--dry-run')).stdout, 'not trusted');
  const bare = await box.repository({ files: { 'README.md': '# Nothing to run\n' } });
  t.notMatch((await bare.owl('init')).stderr, /trust/, 'nothing to trust');
});

t.test('J16, 06: who queues work that no agent is named for is told so, with the way', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ files: PACKAGE });
  const told = /^it waits until the configuration of the base names an agent: git owl init writes one$/m;
  t.match((await repo.owl('add', 'x')).stderr, told);
  t.match((await repo.owl('goal', 'add', 'x', '--request', 'y')).stderr, told);
  t.notMatch((await repo.owl('add', '--agent', 'claude', 'x')).stderr, told);
  await repo.owl('init');
  t.notMatch((await repo.owl('add', 'x')).stderr, told, 'one that is not in force yet is named instead');
  t.match((await repo.owlFails(2, 'stat')).stderr, /did you mean status/, 'the beginning of a word is enough');
});

t.test('06: run --all ends with what waits for whom, in a line each', async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    cases: [
      { when: 'first', execute: [{ write: 'a.txt', text: 'a\n' }, { commit: 'Write' }] },
      { when: 'second', execute: [{ write: 'b.txt', text: 'b\n' }, { commit: 'Write' }] },
    ],
    execute: [{ exit: 1 }],
  });
  const repo = await box.repository({ agents: [worker], config: 'plan: false\n' });
  const first = await repo.add('first');
  await repo.add('second');
  const bad = await repo.add('fails');
  await repo.add('later', '--needs', bad);
  const { stderr } = await repo.owlFails(8, 'run', '--all');
  t.match(stderr, `2 in review: git owl review ${first}\n1 blocked: git owl show ${bad}\n1 waiting: git owl status\n`);
  t.notMatch(stderr, /^next:/m);
});
