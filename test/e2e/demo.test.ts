// The demo: a Job and a Goal from queue to end on the real code paths, and a folder whose history tells the story (06).

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { openRepository } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

t.test('06: demo plays a Job and a Goal to their end, each step beside plain Git, and leaves the folder', async (t) => {
  const box = await sandbox(t);
  const temporary = box.path('temporary');
  mkdirSync(temporary);
  const anywhere = openRepository(box, temporary);
  const { data } = (await anywhere.owl('demo', '--json', { env: { TMPDIR: temporary } })).json();
  const { job, goal, folder, repository, steps } = data;
  t.ok(folder.startsWith(temporary), 'everything is in one temporary folder');
  const commands = steps.flatMap(({ command }: { command: string | null }) => (command === null ? [] : [command]));
  t.same(
    commands.map((command: string) => command.replace(job, '<job>').replace(goal, '<goal>')),
    [
      'git owl add "Let greet.sh take a name"',
      'git owl run --step',
      'git owl run',
      'git owl review <job>',
      'git owl merge <job>',
      'git owl goal add "Greet in German" --request "Add hallo.sh, which says hallo" --queue',
      ...Array<string>(4).fill('git owl goal advance <goal> --step'),
      'git owl goal advance <goal>',
      'git owl review <goal>',
      'git owl goal approve <goal>',
      'git owl gc',
      'git owl status',
    ],
  );
  for (const { what, git } of steps) {
    t.ok(git.length > 0, `${what}: the plain Git it stands for`);
    t.notMatch(git.join('\n'), /\{(?:job|goal)\}/, 'with its ids');
  }

  const repo = openRepository(box, repository, join(folder, 'remote.git'));
  t.match((await repo.owl('show', goal, '--json')).json().data, { status: 'done', integration: { status: 'done' } });
  t.match((await repo.owl('show', job, '--json')).json().data, { state: 'done', merged: { by: 'owl' } });
  t.equal(await repo.oid('main'), await repo.remoteGit('rev-parse', 'main'), 'what landed is on the remote');
  t.match(await repo.git('show', 'main:hallo.sh'), /echo "hallo, /);
  t.equal(await repo.git('status', '--porcelain'), '', 'the checkout followed');
  t.match(await repo.git('worktree', 'list'), /^[^\n]*$/, 'no worktree is left');
  const graph = await repo.git('log', '--oneline', '--graph', '--all', '--decorate');
  for (const line of [
    /Merge .*Let greet\.sh take a name|Let greet\.sh take a name/,
    /Greet in German/,
    /refine\/state/,
  ])
    t.match(graph, line);
  t.equal((await repo.git('rev-list', '--merges', '--count', 'main')).trim(), '2', 'one merge each');
  const story = await repo.git('log', '--reverse', '--format=%s', 'refine/state');
  let from = -1;
  for (const part of [
    `job ${job}: added`,
    `job ${job}: merged`,
    `goal ${goal}: added`,
    `goal ${goal}: round 1 begins`,
    `goal ${goal}: round 1 has a candidate`,
    `goal ${goal}: quality passed`,
    `goal ${goal}: governance passed`,
    `goal ${goal}: round 1 is merged`,
    `goal ${goal}: approved`,
  ]) {
    const at = story.indexOf(part, from + 1);
    t.ok(at > from, `git log refine/state tells: ${part}`);
    from = Math.max(from, at);
  }
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true });
  t.ok(existsSync(join(folder, 'agent.sh')), 'the scripted agent is there to read');
});
