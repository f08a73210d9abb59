// `handoff`: prints the Handoff of a Job, or opens it in the editor and commits it on the branch, without a worktree (J25, J26).

import { editHandoff, loadHandoff } from '../app/decide/handoff.js';
import { jobOrImplied } from '../app/jobs.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { HANDOFF_PATH } from '../domain/handoff.js';
import { escapeLines } from '../output/escape.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { editText } from './editor.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const job = await jobOrImplied(bench, await bench.store.snapshot(), request.args['id']);
  if (!request.flag('edit')) {
    const found = await loadHandoff(bench, job);
    return {
      kind: 'handoff',
      data: { job: job.id, path: HANDOFF_PATH, commit: found.commit, text: found.text },
      view: () => escapeLines(found.text),
    };
  }
  if (!bench.dryRun) await settleLeftovers(bench);
  const edited = await editHandoff(bench, job, (text) => editText(context, text, 'HANDOFF.md'));
  const report = await decided(
    bench,
    { result: edited.job, repeated: false },
    edited.changed ? 'has the edited Handoff; the next prompt has it too' : 'has the Handoff as it was',
  );
  return report;
}
