// The checkout that a Skill or handler works in gets what a Run's gets, once it is made: submodules, copied files, setup (J15, G62).

import type { Oid } from '../../domain/git.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { lstatIfThere } from '../../git/files.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import type { Errand } from './errand.js';
import { forget } from './forget.js';
import { furnish } from './furnish.js';

const bareNote = (id: string): string => `unfurnished/${id}`;

/** Said before it is made: killed in between, or with a setup that failed, whoever works there next does it. */
export async function noteBare(bench: Workbench, id: string, path: string): Promise<void> {
  if ((await lstatIfThere(path)) === null) await bench.notes.write(bareNote(id), {}, 'absent');
}

/** `errand`: whose it is; submodules and copied files are read from its base. A text: why its setup failed; null: it is ready. */
export async function furnishBare(
  bench: Workbench,
  asked: {
    readonly workspace: Workspace;
    readonly loaded: Pick<LoadedPolicy, 'policy'>;
    readonly errand: Errand;
  },
): Promise<string | null> {
  const { workspace, loaded, errand } = asked;
  const note = await bench.notes.read(bareNote(workspace.id));
  if (note === null) return null;
  const marker = bench.ids.run();
  const base: { readonly oid: Oid } = { oid: errand.base };
  const furnished = await furnish(bench, { errand, marker, workspace, current: { loaded }, base });
  await forget(bench, marker);
  if (furnished.kind === 'failed') return furnished.reason.text;
  await bench.notes.remove(bareNote(workspace.id), note.oid);
  return null;
}
