// What the manual pages show is what works: every block of them is run, or read by what reads such a file (06).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { addGoal, showGoal, WORK } from '../fixtures/goals.js';
import { run } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

/** The blocks of a page, in their order. */
const blocksOf = (page: string): readonly string[] =>
  [...readFileSync(join(import.meta.dirname, '../../man', page), 'utf8').matchAll(/^```\n([\s\S]*?)^```$/gm)].map(
    ([, block]) => block as string,
  );

/** Line by line, as typed; `<id>` is what the last `add` printed. Throws where one fails. */
async function typed(box: Sandbox, repo: Repo, block: string): Promise<readonly string[]> {
  const said: string[] = [];
  let id = '';
  for (const line of block.trim().split('\n')) {
    const args = ['-c', line.replaceAll('<id>', id)];
    const { code, stdout, stderr } = await run({ command: 'sh', args, cwd: repo.dir, env: box.env() });
    if (code !== 0) throw new Error(`${line}: ${code}\n${stderr}`);
    if (/ add /.test(line)) id = stdout.trim();
    said.push(stdout);
  }
  return [...said, id];
}

t.test('06: git-owl(1) and gitowl-state(5): each line that it shows does what is said', async (t) => {
  const [job = '', goal = '', ...others] = blocksOf('git-owl.1.md');
  t.same(others, [], 'no block without a test');
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    agents: [box.agent('worker', WORK)],
    config: 'checks: [{ name: test, run: "ls *.txt" }]\n',
  });
  const done = (await typed(box, repo, job)).at(-1) ?? '';
  t.match((await repo.owl('show', done, '--json')).json().data, {
    state: 'done',
    title: 'make the parser accept tabs',
  });
  await repo.git('push', '--quiet', 'origin', 'main');
  const approved = (await typed(box, repo, goal)).at(-1) ?? '';
  t.match(await showGoal(repo, approved), { status: 'done', title: 'Tabs in the parser' });

  const [state = '', ...more] = blocksOf('gitowl-state.5.md');
  t.same(more, []);
  const [log, tree, counts] = await typed(box, repo, state);
  t.match(log, new RegExp(`job ${done}`));
  t.match(tree, new RegExp(`closed/goals/[0-9a-f]{2}/${approved}/goal\\.json`));
  t.type(counts, 'string');
});

t.test('06: gitowl-config(5): the example, the program that judges and the handler', async (t) => {
  const [example = '', verdict = '', judge = '', handler = '', ...others] = blocksOf('gitowl-config.5.md');
  t.same(others, [], 'no block without a test');
  t.match(JSON.parse(verdict), { verdict: 'findings', nonce: '<from the prompt>' });
  const box = await sandbox(t);
  const program = box.executable('judge', judge);
  const fixme = box.agent('worker', {
    ...WORK,
    execute: [{ write: 'work.txt', text: 'FIXME\n' }, { commit: 'Write it' }],
  });
  const repo = await box.repository({
    remote: 'bare',
    agents: [fixme],
    config: `  judge: { command: ["${program}"] }\ngovernance: { agent: judge }\n`,
  });
  const goal = await addGoal(repo, 'a note');
  await repo.owl('run', goal, { fails: 'any' });
  t.match(await showGoal(repo, goal), { status: 'failed' });
  t.match((await repo.owl('show', goal)).stdout, 'a FIXME is added');
  box.agent('worker', WORK);
  const clean = await addGoal(repo, 'no note');
  await repo.owl('run', clean);
  t.match(await showGoal(repo, clean), { status: 'review' });

  // The handler's window stands in both: it replaces the one of the example.
  const both = `${example.replace(/^goals: .*\n/m, '')}${handler}`;
  await repo.commit('the example', { '.coding-owl.yaml': both, 'docs/rules.md': 'Be kind.\n' });
  await repo.git('push', '--quiet', 'origin', 'main');
  const { files, warnings } = (await repo.owl('config', 'check', '--json')).json().data;
  t.match(files[0], { status: 'valid', in_force: true, issues: [] });
  t.same(warnings, []);
});
