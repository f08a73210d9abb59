// `config check`: the configuration in force, the user's own file, and the file in this checkout, before it is committed (06).

import { type InForce, loadInForce } from '../app/in-force.js';
import type { BaseWish } from '../app/policy.js';
import type { Workbench } from '../app/workbench.js';
import { configurationElsewhere } from '../config/elsewhere.js';
import { findInCheckout } from '../config/find-checkout.js';
import { validate } from '../config/load.js';
import { loadUserFile, userFileLabel } from '../config/user-file.js';
import { isOwlError, type OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';

interface Issue {
  readonly key: string | null;
  readonly line: number | null;
  readonly message: string;
}

interface Checked {
  readonly file: string;
  readonly status: 'valid' | 'invalid' | 'none';
  readonly in_force: boolean;
  readonly issues: readonly Issue[];
}

interface Looked extends Checked {
  readonly warnings: readonly string[];
}

/** Never throws for what is wrong with a configuration: that is its result, with exit status 9. */
export async function checkConfiguration(bench: Workbench, wish: BaseWish): Promise<Report> {
  const own = await look(userFileLabel(bench.environment), true, async () => {
    const { source, warnings } = await loadUserFile(bench.environment);
    return { found: source !== null, warnings };
  });
  let force: InForce | null = null;
  const base = await look('the base', true, async () => {
    force = await loadInForce(bench, wish);
    const { loaded, at } = force;
    return {
      found: loaded.path !== null,
      warnings: loaded.warnings,
      file: at === null ? force.why : `${at.ref}:${loaded.path ?? '.coding-owl.yaml'}`,
    };
  });
  const { workTree } = bench.repository;
  const checkout =
    workTree === null ? null : await look('.coding-owl.yaml', false, () => lookInCheckout(bench, workTree));
  // What the user's own file may not say against the base's is found by the base's load, which names the user's file.
  const same = own.status === 'invalid' && base.file === own.file;
  const all = [...(same ? [] : [base]), own, ...(checkout === null ? [] : [checkout])];
  const files: readonly Checked[] = all.map(({ warnings, ...file }) => file);
  const inForce = force as InForce | null;
  const elsewhere =
    inForce === null
      ? []
      : await configurationElsewhere({
          repository: bench.repository,
          loaded: inForce.loaded,
          ref: inForce.at?.ref ?? null,
        });
  const warnings = [...new Set([...all.flatMap((file) => file.warnings), ...elsewhere])];
  const bad = files.flatMap((file) => file.issues).length;
  return {
    kind: 'config-check',
    data: { files, warnings },
    view: (theme) => view(theme, files),
    notes: warnings,
    ...(bad === 0
      ? {}
      : {
          exit: 9,
          error: {
            code: 'configuration',
            message: bad === 1 ? 'the configuration has a mistake' : `the configuration has ${bad} mistakes`,
            preserved: [],
            next: ['git owl config check'],
          },
        }),
  };
}

async function look(
  label: string,
  counts: boolean,
  read: () => Promise<{ readonly found: boolean; readonly warnings: readonly string[]; readonly file?: string | null }>,
): Promise<Looked> {
  try {
    const { found, warnings, file } = await read();
    return { file: file ?? label, status: found ? 'valid' : 'none', in_force: counts && found, issues: [], warnings };
  } catch (error) {
    if (!isOwlError(error, 'configuration')) throw error;
    return { file: fileOf(error) ?? label, status: 'invalid', in_force: counts, issues: issuesOf(error), warnings: [] };
  }
}

async function lookInCheckout(bench: Workbench, workTree: string) {
  const { found, warnings } = await findInCheckout(workTree, bench.repository.format);
  if (found !== null) validate(found, found.path);
  return { found: found !== null, warnings, file: `${found?.path ?? '.coding-owl.yaml'} in this checkout` };
}

const fileOf = (error: OwlError): string | null => (typeof error.data['file'] === 'string' ? error.data['file'] : null);

const issuesOf = (error: OwlError): readonly Issue[] =>
  Array.isArray(error.data['issues'])
    ? (error.data['issues'] as readonly Issue[])
    : [{ key: null, line: null, message: error.message }];

function view(theme: Theme, files: readonly Checked[]): Lines {
  return files.flatMap(({ file, status, in_force: inForce, issues }) => {
    const role = status === 'valid' ? theme.good : status === 'invalid' ? theme.bad : theme.dim;
    const head = `${role(status === 'none' ? 'none   ' : status.padEnd(7))}  ${theme.path(file)}${inForce ? '' : theme.dim(status === 'none' ? '' : '  not in force')}`;
    return [
      head,
      ...issues.map(
        (issue) => `         ${issue.line === null ? '' : `line ${issue.line}: `}${theme.text(issue.message)}`,
      ),
    ];
  });
}
