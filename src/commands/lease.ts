// `lease`: who works under the lease of a target, and breaking one (G30).

import { breakLease, listLeases } from '../app/lease/list.js';
import { settleLeftovers } from '../app/leftovers.js';
import { currentPolicy } from '../app/policy.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { LEASE_FIELDS, leasesView } from '../output/views/leases.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const target = request.text('break');
  if (target === undefined) {
    if (request.flag('force')) throw new OwlError('usage', '--force goes with --break', { next: ['git owl lease -h'] });
    const { items, notes } = await listLeases(bench);
    return {
      kind: 'leases',
      data: { items },
      rows: items,
      fields: LEASE_FIELDS,
      view: (theme, width) => leasesView(items, theme, width, bench.clock.now()),
      notes,
    };
  }
  if (!bench.dryRun) await settleLeftovers(bench);
  const { base } = await currentPolicy(bench, {});
  const remote = request.flag('local') ? null : (request.text('remote') ?? base.remote);
  const { lease, broken } = await breakLease(bench, { target, remote }, request.flag('force'));
  const said = !broken ? 'is free already' : bench.dryRun ? 'would be broken' : 'is broken: its holder finds it lost';
  return {
    kind: 'lease',
    data: { ...lease, broken },
    view: (theme) => [`the lease of ${theme.text(target)} ${said}`],
  };
}
