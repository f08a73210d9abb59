// `init`: looks at base, agents and test command, and writes one commented configuration (06). Nothing that is there is replaced.

import { existsSync, readFileSync } from 'node:fs';
import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from '../agent/executable.js';
import { PRESETS } from '../agent/presets/index.js';
import { type InForce, loadInForce } from '../app/in-force.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import { type Detected, detectProject } from '../config/detect.js';
import { findInCheckout } from '../config/find-checkout.js';
import { parseFile, parseText } from '../config/parse.js';
import { SEARCH_PLACES } from '../config/places.js';
import { commandsOf, digestOf } from '../config/policy.js';
import { renderTemplate } from '../config/template.js';
import { rememberTrust } from '../config/trust.js';
import type { Context } from '../context.js';
import { isOwlError, OwlError } from '../domain/errors.js';
import { currentBranch } from '../git/remote.js';
import type { Report } from '../output/report.js';
import type { Theme } from '../output/theme.js';

const FILE = SEARCH_PLACES[0];

/** Throws OwlError `refused` in a bare repository, or where there is a configuration already; `storage`. */
export async function run(context: Context): Promise<Report> {
  const bench = await openWorkbench(context);
  const { workTree } = bench.repository;
  if (workTree === null) {
    throw new OwlError('refused', 'there is no checkout here to write a configuration in', {
      preserved: ['nothing was written'],
      next: ['git owl config'],
    });
  }
  await refuseExisting(bench, workTree);
  const force = await inForce(bench);
  if (force?.loaded.path != null && force.at !== null) {
    throw new OwlError('refused', `there is a configuration already: ${force.at.ref}:${force.loaded.path}`, {
      preserved: ['nothing was written'],
      next: ['git owl config'],
    });
  }
  const base = force?.base?.name ?? (await currentBranch(bench.repository)) ?? 'main';
  const path = bench.environment.variables['PATH'] ?? '';
  const agents = PRESETS.filter((preset) => findExecutable(preset.executable, path) !== null).map(
    (preset) => preset.name,
  );
  const detected = detectProject(filesOf(workTree));
  const text = renderTemplate({
    ...detected,
    base,
    baseIsFound: force?.base != null || base === 'main',
    agent: agents[0] ?? null,
    agents,
  });
  const written = !context.options.dryRun;
  let trusted: readonly string[] = [];
  if (written) {
    await writeNew(join(workTree, FILE), text);
    trusted = await trustOwn(bench, text);
  }
  const remote = force?.base?.remote ?? null;
  const steps = [
    `git add ${FILE}`,
    "git commit -m 'Configure git owl'",
    ...(remote === null ? [] : [`git push ${remote} ${base}`]),
  ];
  return {
    kind: 'init',
    data: {
      path: FILE,
      written,
      base,
      remote,
      agent: agents[0] ?? null,
      agents,
      setup: detected.setup,
      checks: detected.checks,
      trusted,
      text,
      next: steps,
    },
    view: (theme) => (written ? tell(theme, base, agents, detected) : text.trimEnd().split('\n').map(theme.text)),
    notes: [
      ...(trusted.length === 0
        ? []
        : [
            `trusted here from now on, so that git owl runs exactly these without asking: ${trusted.join(', ')}`,
            'to take that back: git owl trust --revoke',
          ]),
      ...(force?.why == null ? [] : [force.why]),
      ...((await isIgnored(bench, workTree))
        ? [`${FILE} is git-ignored here: add it with git add --force ${FILE}`]
        : []),
      `it counts once it is on ${base}${remote === null ? '' : ` of ${remote}`}: ${steps.join(' && ')}`,
    ],
  };
}

/** Whatever is wrong with a configuration that is in force or in the own file, `init` is not the command to say so. */
async function inForce(bench: Workbench): Promise<InForce | null> {
  try {
    return await loadInForce(bench);
  } catch (error) {
    if (!isOwlError(error, 'configuration')) throw error;
    throw new OwlError('refused', `there is a configuration already, and it has a mistake: ${error.message}`, {
      preserved: ['nothing was written'],
      next: ['git owl config check'],
    });
  }
}

async function refuseExisting(bench: Workbench, workTree: string): Promise<void> {
  const refuse = (message: string): OwlError =>
    new OwlError('refused', message, { preserved: ['it is as it was'], next: ['git owl config check'] });
  try {
    const { found } = await findInCheckout(workTree, bench.repository.format);
    if (found !== null) throw refuse(`there is a configuration already: ${found.path}`);
  } catch (error) {
    if (isOwlError(error, 'configuration')) throw refuse(`there is a configuration already: ${error.message}`);
    throw error;
  }
}

const filesOf = (workTree: string) => ({
  has: (path: string): boolean => existsSync(join(workTree, path)),
  read: (path: string): string | null => {
    try {
      return readFileSync(join(workTree, path), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== undefined) return null;
      throw error;
    }
  },
});

/** Creates the file and nothing else: never over one, never through a link. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    const there = (await lstat(path).catch(() => null)) !== null;
    throw new OwlError(code === 'EEXIST' ? 'refused' : 'storage', `${FILE} cannot be written (${code})`, {
      preserved: [there ? 'what is there is as it was' : 'nothing was written'],
      cause: error,
    });
  }
}

/** What `init` wrote is trusted: read back, so that what is on disk is what counts. Returns the commands. */
async function trustOwn(bench: Workbench, text: string): Promise<readonly string[]> {
  const onDisk = await readFile(join(bench.repository.workTree ?? '', FILE), 'utf8');
  const read = await parseText('yaml', onDisk);
  const parsed = 'value' in read && onDisk === text ? parseFile('base', read.value, onDisk) : null;
  if (parsed?.kind !== 'ok') return [];
  const commands = commandsOf(parsed.file);
  if (commands.length > 0) await rememberTrust(bench, { commands, digest: digestOf(commands) });
  return commands.map(({ command }) => command);
}

async function isIgnored(bench: Workbench, workTree: string): Promise<boolean> {
  const { gitDir, git } = bench.repository;
  return (
    (
      await git.run(['check-ignore', '--quiet', '--no-index', '--', FILE], {
        checkout: { gitDir, workTree },
        cwd: workTree,
      })
    ).code === 0
  );
}

function tell(theme: Theme, base: string, agents: readonly string[], detected: Detected): readonly string[] {
  const checks = detected.checks.map((check) => check.run);
  return [
    theme.text(`wrote ${FILE}`),
    theme.text(`  base    ${base}`),
    theme.text(`  agent   ${agents.length === 0 ? 'none found on PATH: name one under agents:' : agents.join(', ')}`),
    theme.text(`  setup   ${detected.setup.length === 0 ? 'none found' : detected.setup.join(', ')}`),
    theme.text(
      `  checks  ${checks.length === 0 ? 'none found: without checks nothing is verified' : checks.join(', ')}`,
    ),
  ];
}
