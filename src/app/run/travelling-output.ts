// With `sync.output` the end of what each check printed travels in the record that speaks of it, masked; without it, it stays in `keep`
// of the clone that ran it (01, Records).

import type { CheckResult, Verification } from '../../domain/job.js';
import { type Masks, maskedEnd, valuesIn, withRoom } from '../../domain/mask.js';
import type { Workbench } from '../workbench.js';
import { copiedContents } from '../workspace/copied-contents.js';
import type { Workspace } from '../workspace/types.js';
import type { Checked, ChecksRequest } from './checks.js';

/** The results, each with what it printed where that is to travel: those that failed first, as far as there is room. */
export async function withTravelling(
  bench: Workbench,
  request: Pick<ChecksRequest, 'errand' | 'policy'>,
  workspace: Workspace,
  checked: Checked,
): Promise<Checked> {
  if (!request.policy.sync.output || checked.outputs.size === 0) return checked;
  const masks = await masksOf(bench, request, workspace);
  // Where it is not known what must not be said, nothing is.
  if (masks === null)
    return {
      ...checked,
      notes: [...checked.notes, 'what the checks printed stays here: a copied file is too large to tell its values'],
    };
  const failedFirst = [...checked.results].sort((one, two) => rank(one) - rank(two));
  const texts = withRoom(
    failedFirst.map(({ name }) => [name, maskedEnd(checked.outputs.get(name)?.toString('utf8') ?? '', masks)]),
  );
  return {
    ...checked,
    results: checked.results.map((result) => {
      const output = texts.get(result.name);
      return output === undefined ? result : { ...result, output };
    }),
  };
}

const rank = ({ status }: CheckResult): number => (status === 'passed' ? 1 : 0);

/** In the record of a Job, which every list reads: `failed`, only what failed says what it printed; `none`, its Run says it. */
export const briefly = (verification: Verification, which: 'failed' | 'none'): Verification => ({
  ...verification,
  checks: verification.checks.map((check) => {
    if (which === 'failed' && check.status !== 'passed') return check;
    const { output: _, ...rest } = check;
    return rest;
  }),
});

/** Null: a copied file is too large to tell its values. */
async function masksOf(
  bench: Workbench,
  { errand, policy }: Pick<ChecksRequest, 'errand' | 'policy'>,
  workspace: Workspace,
): Promise<Masks | null> {
  const { variables } = bench.environment;
  const contents = await copiedContents(bench.repository, workspace, { base: errand.base, patterns: policy.copy });
  if (contents === null) return null;
  const set = (names: readonly string[]): readonly string[] => names.flatMap((name) => variables[name] ?? []);
  const paths = new Map<string, string>();
  for (const home of set(['HOME'])) paths.set(home, '~');
  for (const folder of set(['TMPDIR'])) paths.set(folder, '$TMPDIR');
  paths.set(bench.repository.commonDir, '$GIT_DIR');
  if (bench.repository.mainWorkTree !== null) paths.set(bench.repository.mainWorkTree, '<checkout>');
  paths.set(workspace.path, '.');
  return { values: [...set([...policy.env, 'USER', 'LOGNAME']), ...contents.flatMap(valuesIn)], paths };
}
