// `completion <shell>` with other options, such as --json; alone it is answered in cli/fast.ts, which shares no module with this one:
// a shared module would be one more file to load at every start.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const shell = request.args['shell'] ?? 'bash';
  const script = await readFile(
    join(context.root, 'completions', shell === 'zsh' ? '_git-owl' : `git-owl.${shell}`),
    'utf8',
  );
  return { kind: 'completion', data: { shell, script }, view: () => script.replace(/\n$/, '').split('\n') };
}
