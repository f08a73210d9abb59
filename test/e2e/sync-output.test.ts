// With `sync.output` the end of what checks printed travels in the state, masked; without it, it stays where it was printed (01, Records).

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { addGoal, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const TOKEN = 'tok/en+of "Ada"';
const PASSWORD = 'hunter2-and-more';

/** A check that says all that must not leave this machine, and fails. */
const CONFIG = (output: boolean, more = ''): string => `plan: false
env: [MY_TOKEN]
copy: [.env]
sync: { output: ${output} }
${more}`;
const SAYS = 'echo "$MY_TOKEN"; cat .env; pwd; echo "$HOME/x"; echo "by $USER"; echo it is wrong; exit 1';

async function ground(t: Test, config: string): Promise<readonly [Sandbox, Repo, Repo]> {
  const box = await sandbox(t);
  box.set('MY_TOKEN', TOKEN);
  const agent = box.agent('worker', WORK);
  const repo = await box.repository({ remote: 'bare', agents: [agent], config });
  await repo.commit('ignore', { '.gitignore': '.env\n' });
  await repo.git('push', '-q', 'origin', 'main');
  writeFileSync(join(repo.dir, '.env'), `PASSWORD=${PASSWORD}\n`);
  return [box, repo, await repo.clone('other')];
}

/** No blob of the state, in all of its history, says any of it. */
async function nothingSecret(t: Test, box: Sandbox, repo: Repo): Promise<void> {
  const objects = await repo.git('rev-list', '--objects', STATE);
  const ids = objects.split('\n').map((line) => line.split(' ')[0] ?? '');
  const all = await repo.git('cat-file', '--batch', { input: `${ids.join('\n')}\n` });
  for (const secret of [TOKEN, JSON.stringify(TOKEN).slice(1, -1), PASSWORD, box.home, 'by ada'])
    t.notOk(all.includes(secret), secret);
}

t.test('01: with sync.output another clone sees why a check failed, and nothing that must not travel', async (t) => {
  const [box, repo, other] = await ground(t, CONFIG(true, `checks: [{ name: says, run: '${SAYS}' }]\n`));
  const id = await repo.add('write it');
  await repo.owl('run', '--claim-remote', id, { fails: 'any' });
  await repo.owl('sync');
  await other.owl('sync');
  const here = (await repo.owl('log', id)).stdout;
  t.match(here, /--- says\n/);
  t.match(here, new RegExp(PASSWORD), 'where it ran, all of it is kept');
  const there = (await other.owl('log', id)).stdout;
  t.match(there, /--- says\n\*\*\*\n\*\*\*\n\.\n~\/x\nby \*\*\*\nit is wrong/);
  t.match((await other.owl('review', id, '--json')).json().data, {
    failures: [{ name: 'says', output: /it is wrong/ }],
  });
  await nothingSecret(t, box, repo);
  // The next Run, in that clone, is told.
  await other.git('config', 'user.name', 'Bob');
  t.match((await other.owl('show', id, '--prompt')).stdout, /it is wrong/);
  // A verification has no Run that could say it.
  await repo.owl('verify', id, { fails: 'any' });
  await repo.owl('sync');
  await other.owl('sync');
  t.match((await other.owl('log', id)).stdout, /--- says\n\*\*\*\n/);
  await nothingSecret(t, box, repo);
  t.equal((await repo.owl('fsck')).code, 0);
});

t.test('01: without it, or where the own file withholds it, it stays', async (t) => {
  const [box, repo, other] = await ground(t, CONFIG(true, `checks: [{ name: says, run: '${SAYS}' }]\n`));
  box.userConfig('sync: { output: false }\n');
  const id = await repo.add('write it');
  await repo.owl('run', id, { fails: 'any' });
  await repo.owl('sync');
  await other.owl('sync');
  t.notMatch((await other.owl('log', id)).stdout, /it is wrong/);
  t.match((await repo.owl('log', id)).stdout, /it is wrong/);
  const [run = ''] = await repo.records(new RegExp(`${id}/runs/`));
  t.notOk('output' in (await repo.record(run)).checks[0]);
  await nothingSecret(t, box, repo);
});

t.test(
  '01: of a copied file that is no file of settings nobody can say what must not travel: nothing does',
  async (t) => {
    const [, repo] = await ground(t, CONFIG(true, `checks: [{ name: says, run: '${SAYS}' }]\n`));
    writeFileSync(join(repo.dir, '.env'), `PASSWORD=${PASSWORD}\n${'x'.repeat(1024 * 1024)}\n`);
    const id = await repo.add('write it');
    await repo.owl('run', id, { fails: 'any' });
    const [run = ''] = await repo.records(new RegExp(`${id}/runs/`));
    const record = await repo.record(run);
    t.notOk('output' in record.checks[0]);
    t.match(record.notes, [/stays here: a copied file is too large/]);
  },
);

t.test('01, G13: the proof of a gate says it, too', async (t) => {
  const gates = `quality: { checks: [{ name: says, run: '${SAYS}' }] }\ngovernance: { checks: [] }\n`;
  const [box, repo, other] = await ground(t, CONFIG(true, gates));
  const id = await addGoal(repo, 'write it');
  await repo.owl('run', { fails: 'any' });
  await repo.owl('sync');
  await other.owl('sync');
  t.match((await other.owl('log', id)).stdout, /quality:says[\s\S]*\*\*\*[\s\S]*it is wrong/);
  await nothingSecret(t, box, repo);
});
