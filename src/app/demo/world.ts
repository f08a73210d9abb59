// The folder of the demo: a bare remote, a clone with a configuration, a colleague's clone, and a scripted agent that needs no
// key and no network. Everything in it is made by plain Git.

import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../agent/self.js';
import { OwlError } from '../../domain/errors.js';
import { temporaryFolder } from '../../system/temporary.js';
import type { DemoEvent } from './steps.js';

export interface DemoWorld {
  readonly folder: string;
  /** The person's clone. */
  readonly repository: string;
  readonly colleague: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs Git in one of the clones. Throws OwlError `git-failed`. */
  git(cwd: string, ...args: readonly string[]): Promise<string>;
}

/** It plans, then writes what the plan asks for, and keeps the Handoff: what a real agent does, in a few lines of shell. */
const AGENT = `#!/bin/sh
# A scripted agent for the demo: reads the prompt from standard input, works in its worktree, commits.
set -e
prompt=$(cat)
case $prompt in
*hallo.sh*) file=hallo.sh what='Greet in German' ;;
*) file=greet.sh what='Let greet.sh take a name' ;;
esac
mkdir -p .coding-owl
if [ "$OWL_PHASE" = plan ]; then
  printf '# Plan\\n\\n1. Write %s: %s.\\n2. Keep "world" as the default.\\n\\nAssumed: POSIX sh.\\n' "$file" "$what" > "$OWL_HANDOFF"
  git add "$OWL_HANDOFF" && git commit -q -m "Plan: $what"
  echo 'planned'
  exit 0
fi
if [ "$file" = hallo.sh ]; then
  printf '#!/bin/sh\\necho "hallo, \${1:-welt}"\\n' > hallo.sh
else
  printf '#!/bin/sh\\necho "hello, \${1:-world}"\\n' > greet.sh
fi
printf '\\n## Done\\n\\n%s takes a name, and has a default, so that nobody has to change.\\n' "$file" >> "$OWL_HANDOFF"
git add "$file" "$OWL_HANDOFF"
git commit -q -m "$what" -m 'There is a default, so that existing calls go on working.'
printf '{"outcome":"done","summary":"%s takes a name and has a default."}\\n' "$file" > "$OWL_RESULT_FILE"
echo 'carried out'
`;

const CONFIG = (agent: string): string => `version: 1
base: main
agent: demo
agents:
  demo: { command: ["${agent}"] }
checks:
  - { name: test, run: sh test.sh }
quality:
  checks:
    - { name: syntax, run: 'for file in *.sh; do sh -n "$file" || exit 1; done' }
governance:
  checks:
    - { name: no-network, run: "! grep -nE 'curl|wget' *.sh" }
  max_changed: { files: 5 }
gc: { hibernate_after: 0 }   # a checkout goes as soon as nobody needs it
`;

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Greetings\n',
  'greet.sh': '#!/bin/sh\necho "hello, world"\n',
  'test.sh': '#!/bin/sh\ntest "$(sh greet.sh)" = "hello, world"\n',
};

/** Makes the folder among the temporary files; it is left to look at. */
export async function makeWorld(
  variables: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<DemoWorld> {
  const folder = await temporaryFolder('git-owl-demo-');
  const home = join(folder, 'home');
  await mkdir(home);
  const env = environment(variables, home);
  const world: DemoWorld = {
    folder,
    repository: join(folder, 'repository'),
    colleague: join(folder, 'colleague'),
    env,
    git: async (cwd, ...args) => {
      const ended = await runProgram('git', args, { cwd, env, signal });
      if (ended.code !== 0)
        throw new OwlError(
          'git-failed',
          `git ${args.join(' ')} failed in the demo: ${ended.text.split('\n')[0] ?? ''}`,
        );
      return ended.stdout;
    },
  };
  const agent = join(folder, 'agent.sh');
  await writeFile(agent, AGENT);
  await chmod(agent, 0o755);
  await world.git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', 'remote.git');
  await world.git(folder, 'clone', '--quiet', join(folder, 'remote.git'), 'repository');
  await world.git(world.repository, 'checkout', '--quiet', '-B', 'main');
  for (const [path, text] of Object.entries({ ...FILES, '.coding-owl.yaml': CONFIG(agent) }))
    await writeFile(join(world.repository, path), text);
  await world.git(world.repository, 'add', '--all');
  await world.git(world.repository, 'commit', '--quiet', '-m', 'A greeting');
  await world.git(world.repository, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  await world.git(world.repository, 'remote', 'set-head', 'origin', 'main');
  await world.git(folder, 'clone', '--quiet', join(folder, 'remote.git'), 'colleague');
  return world;
}

/** What happens beside git owl, by plain Git: a colleague pushes to the base, or the person does. */
export async function play(world: DemoWorld, event: DemoEvent): Promise<void> {
  if (event === 'person-pushes') {
    await world.git(world.repository, 'push', '--quiet', 'origin', 'main');
    return;
  }
  const readme = join(world.colleague, 'README.md');
  await world.git(world.colleague, 'pull', '--quiet', '--ff-only', 'origin', 'main');
  const count = await world.git(world.colleague, 'rev-list', '--count', 'HEAD');
  await appendFile(readme, `\nNote ${count.trim()}: run \`sh greet.sh\`.\n`);
  await world.git(world.colleague, 'commit', '--quiet', '--all', '-m', `Say how to run it (${count.trim()})`);
  await world.git(world.colleague, 'push', '--quiet', 'origin', 'main');
}

function environment(variables: Readonly<Record<string, string | undefined>>, home: string): Record<string, string> {
  return {
    PATH: variables['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    LANG: variables['LANG'] ?? 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@example.com',
    GIT_COMMITTER_NAME: 'Demo',
    GIT_COMMITTER_EMAIL: 'demo@example.com',
    OWL_TRUST: '1',
  };
}
