// `config check`: the configuration in force, the user's own file, and the file in this checkout, before it is committed (06).

import { join } from 'node:path';
import type { BaseCommit } from '../app/base.js';
import { type InForce, loadInForce } from '../app/in-force.js';
import { type BaseWish, currentBase } from '../app/policy.js';
import type { Workbench } from '../app/workbench.js';
import { configurationElsewhere, readPlain, sameAsCommit } from '../config/elsewhere.js';
import { findConfiguration } from '../config/find.js';
import { findInCheckout } from '../config/find-checkout.js';
import { validate } from '../config/load.js';
import { SEARCH_PLACES } from '../config/places.js';
import { loadUserFile, userFileLabel } from '../config/user-file.js';
import { isOwlError, type OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';

const USUAL = '.coding-owl.yaml';

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
  const { workTree } = bench.repository;
  const found = await lookInForce(bench, wish);
  const { force: inForce, at } = found;
  const checkout = workTree === null ? null : sameOr(found.base, await lookInCheckout(bench, workTree, at));
  const all = [found.base, found.own, ...(checkout === null ? [] : [checkout])];
  const files: readonly Checked[] = all.map(({ warnings, ...file }) => file);
  const elsewhere =
    inForce === null
      ? []
      : await configurationElsewhere({
          repository: bench.repository,
          loaded: inForce.loaded,
          ref: inForce.at?.ref ?? null,
        });
  const warnings = [...new Set([...all.flatMap((file) => file.warnings), ...elsewhere])];
  const bad = new Set(files.flatMap(({ issues }) => issues.map((issue) => JSON.stringify(issue)))).size;
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

interface Found {
  readonly base: Looked;
  readonly own: Looked;
  /** null: what is in force cannot be had. */
  readonly force: InForce | null;
  /** Where the base's file is read from; null: no base was found. */
  readonly at: BaseCommit | null;
}

/** Each file for itself; what is wrong only with both together is told of the one that the message names. */
async function lookInForce(bench: Workbench, wish: BaseWish): Promise<Found> {
  const own = await look(userFileLabel(bench.environment), async () => {
    const { source, warnings } = await loadUserFile(bench.environment);
    return { found: source !== null, warnings };
  });
  try {
    const force = await loadInForce(bench, wish);
    const { loaded, at } = force;
    const file = at === null ? (force.why ?? 'the base') : `${at.ref}:${loaded.path ?? USUAL}`;
    const found = loaded.path !== null;
    const base: Looked = { file, status: sayFound(found), in_force: found, issues: [], warnings: loaded.warnings };
    return { base, own, force, at };
  } catch (error) {
    if (!isOwlError(error, 'configuration')) throw error;
    const at = await baseOrNone(bench, wish);
    const base = await look('the base', () => lookAtBase(bench, at));
    if (base.status === 'invalid' || own.status === 'invalid') return { base, own, force: null, at };
    const told = { status: 'invalid', in_force: true, issues: issuesOf(error) } as const;
    return fileOf(error) === own.file
      ? { base, own: { ...own, ...told }, force: null, at }
      : { base: { ...base, ...told }, own, force: null, at };
  }
}

async function baseOrNone(bench: Workbench, wish: BaseWish): Promise<BaseCommit | null> {
  try {
    return await currentBase(bench, wish);
  } catch (error) {
    if (isOwlError(error, 'missing-base') || isOwlError(error, 'no-commit')) return null;
    throw error;
  }
}

interface Read {
  readonly found: boolean;
  readonly warnings: readonly string[];
  readonly file?: string;
}

async function lookAtBase({ repository }: Workbench, at: BaseCommit | null): Promise<Read> {
  if (at === null) return { found: false, warnings: [] };
  const { found, warnings } = await findConfiguration(repository, at.oid, at.ref);
  const file = `${at.ref}:${found?.path ?? USUAL}`;
  if (found !== null) validate(found, file);
  return { found: found !== null, warnings, file };
}

async function look(label: string, read: () => Promise<Read>): Promise<Looked> {
  try {
    const { found, warnings, file } = await read();
    return { file: file ?? label, status: sayFound(found), in_force: found, issues: [], warnings };
  } catch (error) {
    if (!isOwlError(error, 'configuration')) throw error;
    return { file: fileOf(error) ?? label, status: 'invalid', in_force: true, issues: issuesOf(error), warnings: [] };
  }
}

/** One and the same file is not valid here and invalid there: what is wrong with it beside other files counts for both. */
const sameOr = (base: Looked, checkout: Looked): Looked =>
  checkout.in_force ? { ...checkout, status: base.status, issues: base.issues } : checkout;

const sayFound = (found: boolean): 'valid' | 'none' => (found ? 'valid' : 'none');

/** In force where the base has the very same file. */
async function lookInCheckout(bench: Workbench, workTree: string, at: BaseCommit | null): Promise<Looked> {
  const { repository } = bench;
  const looked = await look(USUAL, async () => {
    const { found, warnings } = await findInCheckout(workTree, repository.format);
    if (found !== null) validate(found, found.path);
    return { found: found !== null, warnings, file: found?.path ?? USUAL };
  });
  const place = SEARCH_PLACES.find((one) => one === looked.file);
  const data = place === undefined || looked.status === 'none' ? null : await readPlain(join(workTree, place));
  const same =
    at !== null && data !== null && place !== undefined && (await sameAsCommit(repository, at.oid, place, data));
  return { ...looked, file: `${looked.file} in this checkout`, in_force: same };
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
