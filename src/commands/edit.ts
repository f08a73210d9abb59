// `edit`: changes what a Job asks for, while it is pending or blocked.

import { editJob } from '../app/decide/edit.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { readText } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const prompt = await readText(context, request, 'prompt');
  const given = {
    prompt,
    ttl: request.number('ttl'),
    agent: request.text('agent'),
    needs:
      request.list('needs').length === 0 ? undefined : request.list('needs').filter((id) => id !== '' && id !== 'none'),
    labels:
      request.list('label').length === 0
        ? undefined
        : request.list('label').filter((label) => label !== '' && label !== 'none'),
  };
  if (Object.values(given).every((value) => value === undefined)) {
    throw new OwlError('usage', 'nothing to change was given', { next: ['git owl edit -h'] });
  }
  await settleLeftovers(bench);
  const updated = await editJob(bench, request.args['id'] ?? '', given);
  return decided(bench, updated, 'edited');
}
