// `fsck`: checks the records and what they point at, explains, and mends what can be derived again (S9, 01).

import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { EXIT } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import type { Finding } from '../state/finding.js';
import { checkState } from '../state/fsck.js';
import { STATE_REF } from '../state/layout.js';
import { repairState } from '../state/repair.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const deps = { repository: bench.repository, clock: bench.clock, ids: bench.ids, environment: bench.environment };
  if (request.flag('repair') && !bench.dryRun) {
    await settleLeftovers(bench).catch((error: unknown) =>
      bench.say(`left for the repair: ${error instanceof Error ? error.message : String(error)}`),
    );
    const repaired = await repairState(deps, { records: true });
    return report(repaired.left, repaired.done);
  }
  return report(await checkState(deps), []);
}

const partly = (count: number) => ({
  message: `${count === 1 ? '1 record is' : `${count} records are`} damaged`,
  preserved: ['the rest of the state works'],
  next: ['git owl fsck --repair'],
});

function report(findings: readonly Finding[], done: readonly string[]): Report {
  const bad = findings.filter((finding) => finding.severity === 'error');
  // The branch itself: then no record can be read, and none repaired.
  const whole = bad.find((finding) => finding.where === STATE_REF);
  return {
    kind: 'fsck',
    data: { findings, repaired: done },
    view: (theme) => [
      ...done.map((line) => theme.good(line)),
      ...findings.flatMap((finding) => [
        `${finding.severity === 'error' ? theme.bad('error') : theme.warn('warning')}  ${theme.path(finding.where)}: ${theme.text(finding.what)}`,
        ...(finding.repair === null ? [] : [`  ${theme.dim(finding.repair)}`]),
      ]),
      ...(findings.length === 0 ? ['the state is sound'] : []),
    ],
    ...(bad.length === 0
      ? {}
      : {
          exit: EXIT.environment,
          error: {
            code: 'damaged-state',
            ...(whole === undefined
              ? partly(bad.length)
              : { message: whole.what, preserved: [], next: [whole.next ?? 'git owl doctor'] }),
          },
        }),
  };
}
