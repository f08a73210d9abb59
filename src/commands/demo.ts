// `demo`: the life of a Job and of a Goal in a temporary folder, on the real code paths: every step is this program run as a person runs it.

import { runSelf } from '../agent/self.js';
import { DEMO_STEPS, type DemoStep } from '../app/demo/steps.js';
import { type DemoWorld, makeWorld, play } from '../app/demo/world.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { escapeLines } from '../output/escape.js';
import type { Report } from '../output/report.js';

interface Played {
  readonly what: string;
  readonly command: string | null;
  readonly git: readonly string[];
  readonly output: string;
}

export async function run(context: Context): Promise<Report> {
  const world = await makeWorld(context.environment.variables, context.signal);
  const out = context.streams.stdout;
  const { theme } = out;
  const played: Played[] = [];
  const ids: Ids = { job: '', goal: '' };
  if (!context.options.json) out.line(theme.dim(`in ${world.folder}`));
  for (const step of DEMO_STEPS) {
    const done = await playStep(context, world, step, ids);
    played.push(done);
    if (!context.options.json) print(context, done);
  }
  const look = [`cd ${world.repository}`, 'git log --oneline --graph --all', 'git log refine/state'];
  return {
    kind: 'demo',
    data: { folder: world.folder, repository: world.repository, ...ids, steps: played },
    view: () => ['', theme.heading('Left to look at'), ...look.map((line) => `  ${theme.command(line)}`)],
  };
}

/** Known once the command that makes it has printed it. */
interface Ids {
  job: string;
  goal: string;
}

async function playStep(context: Context, world: DemoWorld, step: DemoStep, ids: Ids): Promise<Played> {
  const named = (text: string): string => text.replaceAll('{job}', ids.job).replaceAll('{goal}', ids.goal);
  if (step.owl === null) {
    if (step.event !== undefined) await play(world, step.event);
    return { what: step.what, command: null, git: step.git.map(named), output: '' };
  }
  const args = step.owl.map(named);
  const ended = await runSelf(args, { cwd: world.repository, env: world.env, signal: context.signal });
  if (ended.code !== 0) {
    throw new OwlError('defect', `git owl ${args.join(' ')} ended with ${ended.code} in the demo`, {
      preserved: [`the folder is left to look at: ${world.folder}`],
      data: { output: ended.text },
    });
  }
  if (step.makes !== undefined) ids[step.makes] = ended.stdout.trim().split('\n').at(-1) ?? '';
  const command = `git owl ${args.map((word) => (/[^\w@%+=:,./{}-]/.test(word) ? `"${word}"` : word)).join(' ')}`;
  return { what: step.what, command, git: step.git.map(named), output: ended.text };
}

function print(context: Context, step: Played): void {
  const out = context.streams.stdout;
  const { theme } = out;
  out.line('');
  out.line(theme.heading(step.what));
  if (step.command !== null) out.line(`  $ ${theme.command(step.command)}`);
  for (const line of step.git) out.line(theme.dim(`    ${step.command === null ? '$ ' : 'git:  '}${line}`));
  for (const line of step.output === '' ? [] : escapeLines(step.output)) out.line(`  ${line}`);
}
