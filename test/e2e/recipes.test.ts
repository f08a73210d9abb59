// The recipes of the README, each with its commands exactly as they are written there (06, In the ecosystem).

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { t } from 'tap';
import { type Result, run } from '../fixtures/process.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const CONFIG = 'plan: false\nchecks: [{ name: there, run: "ls *.txt" }]\n';
const STATE = 'refs/heads/refine/state';

/** The block below its name. */
function recipe(name: string): string {
  const found = new RegExp(`<!-- recipe: ${name} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\`\\n`).exec(README)?.[1];
  if (found === undefined) throw new Error(`the README has no recipe ${name}`);
  return found;
}

/** Shell lines of a pipeline, without the installation. */
const linesOf = (text: string, pattern: RegExp): readonly string[] =>
  text
    .split('\n')
    .flatMap((line) => pattern.exec(line)?.[1] ?? [])
    .filter((line) => !line.startsWith('npm install'));

/** One `key: value` of a line, or of a mapping in braces. */
const readValue = (text: string, key: string): string | undefined =>
  new RegExp(`\\b${key}: *(?:'([^']*)'|([^,}\\n]*[^,}\\s]))`)
    .exec(text)
    ?.slice(1)
    .find((found) => found !== undefined);

interface Step {
  readonly line: string;
  readonly env: Record<string, string>;
}

/** The steps of the composite action, with what the workflow passes to it. */
function actionSteps(action: string, workflow: string): readonly Step[] {
  const [inputs = '', runs = ''] = action.split(/^runs:$/m);
  const given = /with: \{(.*)\}/.exec(workflow)?.[1] ?? '';
  const input = (name: string): string => {
    const line = new RegExp(`^  ${name}: .*$`, 'm').exec(inputs)?.[0] ?? '';
    const value = readValue(given, name) ?? readValue(line.slice(line.indexOf('{')), 'default');
    if (value === undefined) throw new Error(`nobody gives ${name}`);
    return value;
  };
  return runs.split(/^ {4}- /m).flatMap((step) => {
    const [, line] = /^run: (.*)$/m.exec(step) ?? [];
    if (line === undefined) return [];
    const env = /^ {6}env: \{(.*)\}$/m.exec(step)?.[1] ?? '';
    const names = [...env.matchAll(/(\w+): '/g)].flatMap(([, name]) => name ?? []);
    const filled = (name: string): string =>
      (readValue(env, name) ?? '').replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, key: string) => input(key));
    return [{ line, env: Object.fromEntries(names.map((name) => [name, filled(name)])) }];
  });
}

async function ground(box: Sandbox): Promise<Repo> {
  const agent = box.agent('worker', {
    execute: [{ write: '{job}.txt', text: 'work {run}\n' }, { commit: 'Write it' }],
  });
  return box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
}

const sh = (cwd: string, env: Record<string, string>, script: string, ...options: string[]): Promise<Result> =>
  run({ command: 'sh', args: ['-e', ...options, '-c', script], cwd, env });

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** Each Job was done once, by whichever runner. */
async function eachOnce(test: Tap, repo: Repo, ids: readonly string[]): Promise<void> {
  await repo.owl('sync');
  for (const id of ids) test.match(await show(repo, id), { state: 'review', runs: 1 });
  for (const id of ids)
    test.equal(JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`)).holder, null);
}
type Tap = typeof t;

t.test('06, S7: two laptops share a queue', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const other = await repo.clone('other');
  const ids = [await repo.add('write a'), await repo.add('write b')];
  await repo.owl('sync');
  const ended = await Promise.all([repo, other].map(({ dir }) => sh(dir, box.env(), recipe('shared'))));
  for (const { code, stderr } of ended) t.equal(code, 0, stderr);
  await eachOnce(t as Tap, repo, ids);
});

t.test('06, S6, S7: a composite GitHub Action and GitLab, on clones of depth 1 and one branch', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  await repo.commit('more', { 'more.md': 'more\n' });
  await repo.git('push', '-q', 'origin', 'main');
  const ids = [await repo.add('write a'), await repo.add('write b'), await repo.add('write c')];
  await repo.owl('sync');
  const url = `file://${repo.bare}`;
  const clone = async (name: string): Promise<string> => {
    const dir = box.path(name);
    await repo.git('clone', '-q', '--depth', '1', '--single-branch', url, dir);
    return dir;
  };
  const [install, ...github] = actionSteps(recipe('github-action'), recipe('github'));
  t.same(install, { line: 'npm install --global --omit=optional "git-owl@$VERSION"', env: { VERSION: 'latest' } });
  t.same(
    github.map(({ env }) => env),
    [{}, { FOR: '5h', OWL_TRUST: '1' }, {}],
  );
  const gitlab = linesOf(recipe('gitlab'), /^ +- ((?:git|npm) .*)$/).map((line): Step => ({ line, env: {} }));
  t.equal(gitlab.length, 3);
  const detached = await clone('gitlab');
  await repo.git('checkout', '-q', '--detach', { cwd: detached });
  await repo.git('remote', 'set-url', 'origin', '/nowhere', { cwd: detached });
  const steps = async (dir: string, lines: readonly Step[]): Promise<void> => {
    for (const { line, env } of lines) {
      const runner = { OWL_REMOTE: url, GITHUB_STEP_SUMMARY: `${dir}.md` };
      const step = await run({
        command: 'bash',
        args: ['-e', '-c', line],
        cwd: dir,
        env: { ...box.env(), ...runner, ...env },
      });
      t.equal(step.code, 0, `${line}\n${step.stderr}`);
    }
  };
  await Promise.all([steps(await clone('github-1'), github), steps(await clone('github-2'), github)]);
  const board = readFileSync(box.path('github-2.md'), 'utf8');
  for (const id of ids) t.match(board, id, 'the board is the summary');
  const last = await repo.add('write d');
  await repo.owl('sync');
  await steps(detached, gitlab);
  await eachOnce(t as Tap, repo, [...ids, last]);
});

t.test('06: a post-merge hook, a prompt, and cron', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  const home = box.path('home', 'project');
  mkdirSync(dirname(home), { recursive: true });
  await repo.git('clone', '-q', repo.bare, home);
  const here = box.open(home, repo.bare);
  const id = await repo.add('write a');
  await repo.owl('sync');
  await here.owl('sync');

  const hook = join(home, '.git/hooks/post-merge');
  writeFileSync(hook, recipe('post-merge'));
  chmodSync(hook, 0o755);
  const second = await repo.add('write b');
  await repo.owl('sync');
  await repo.commit('more', { 'more.md': 'more\n' });
  await repo.git('push', '-q', 'origin', 'main');
  await here.git('pull', '-q', '--no-rebase');
  t.match(await show(here, second), { state: 'pending' }, 'the queue came with the pull');
  await here.git('remote', 'set-url', 'origin', repo.bare);

  const prompt = `${recipe('prompt')}\nprintf '%s' "\${PS1@P}"`;
  const shown = await run({ command: 'bash', args: ['--norc', '-c', prompt], cwd: home, env: box.env() });
  t.match(shown.stdout, /^\[2 pending\] .*project [$#] $/, shown.stderr);
  const nowhere = await run({ command: 'bash', args: ['--norc', '-c', prompt], cwd: box.dir, env: box.env() });
  t.notMatch(nowhere.stdout + nowhere.stderr, /\[|fatal/, 'nothing where there is no state');

  const [, command = ''] = /^(?:\S+ ){5}(.*)$/m.exec(recipe('cron')) ?? [];
  const job = await sh(box.dir, box.env(), command);
  t.equal(job.code, 0, job.stderr);
  for (const one of [id, second]) t.match(await show(here, one), { state: 'review' });
  t.equal(await repo.remoteGit('rev-parse', STATE), await here.oid(STATE), 'and it is published');
});
