// `doctor`: each check with pass, warn or fail and the mend (06). Looks only; nothing is written.

import { checkAgents } from '../app/doctor/agents.js';
import { checkConfigured } from '../app/doctor/configuration.js';
import { checkMachine } from '../app/doctor/machine.js';
import { checkBase, checkRepository } from '../app/doctor/repository.js';
import { checkRecords } from '../app/doctor/state.js';
import { type Finding, fail } from '../app/doctor/types.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';

/** Exit status 9 when a check failed, and that of what keeps the repository from being opened. */
export async function run(context: Context, request: Request): Promise<Report> {
  const findings: Finding[] = [];
  let exit = 9;
  try {
    context.streams.progress.step('looking at the repository');
    findings.push(...(await checkRepository(await context.repository())));
    findings.push(...checkMachine(context.environment, context.root));
    const bench = await openWorkbench(context);
    findings.push(...(await checkRecords(bench)));
    const { force, pending, findings: configured } = await checkConfigured(bench);
    findings.push(...configured);
    if (force !== null) {
      if (force.base?.remote != null) context.streams.progress.step('asking the remote');
      findings.push(...(await checkBase(bench, force)));
      if (request.flag('agent')) context.streams.progress.step('starting the agent');
      findings.push(...(await checkAgents(bench, force.loaded.policy, { start: request.flag('agent'), pending })));
    }
  } catch (error) {
    // A repository that does not open, or an object in it that cannot be read, is a finding; the rest was looked at.
    if (!(error instanceof OwlError)) throw error;
    if (findings.length === 0) findings.push(...checkMachine(context.environment, context.root));
    findings.unshift(
      fail(
        error.code === 'git-missing' || error.code === 'git-too-old' ? 'git' : 'repository',
        error.message,
        error.next[0] ?? null,
      ),
    );
    exit = error.exit;
  }
  const failed = findings.filter((finding) => finding.status === 'fail');
  return {
    kind: 'doctor',
    data: { items: findings },
    view: (theme) => view(theme, findings),
    ...(failed.length === 0
      ? {}
      : {
          exit,
          error: {
            code: 'unfit',
            message:
              failed.length === 1
                ? `a check failed: ${failed[0]?.name}`
                : `${failed.length} checks failed: ${failed.map((one) => one.name).join(', ')}`,
            preserved: ['nothing was changed'],
            next: mendsOf(failed),
          },
        }),
  };
}

/** Those of them that are commands: the rest is in the list. */
function mendsOf(failed: readonly Finding[]): readonly string[] {
  const commands = failed.flatMap(({ mend }) => (mend?.startsWith('git ') === true ? [mend] : []));
  return commands.length > 0 ? commands : ['git owl doctor'];
}

function view(theme: Theme, findings: readonly Finding[]): Lines {
  if (!theme.terminal) {
    return findings.map((one) => [one.status, one.name, one.message, one.mend ?? ''].map(theme.text).join('\t'));
  }
  const wide = Math.max(...findings.map((one) => one.name.length));
  const role = { pass: theme.good, warn: theme.warn, fail: theme.bad } as const;
  const glyph = { pass: theme.glyphs.good, warn: theme.glyphs.warn, fail: theme.glyphs.bad } as const;
  return findings.flatMap((one) => [
    `${role[one.status](`${glyph[one.status]} ${one.status}`)}  ${theme.strong(one.name.padEnd(wide))}  ${theme.text(one.message)}`,
    ...(one.mend === null
      ? []
      : [`${' '.repeat(wide + 10)}${theme.dim(`${theme.glyphs.arrow} `)}${theme.command(one.mend)}`]),
  ]);
}
