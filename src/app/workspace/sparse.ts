// A checkout of ours takes over the user's sparse checkout; the Handoff is always in it, for the agent to read and write.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { readIfThere } from '../../git/files.js';

/** A folder, as cone mode wants it. */
const PATTERN = `/${HANDOFF_PATH.slice(0, HANDOFF_PATH.lastIndexOf('/'))}/`;

/** Adds the Handoff's folder to the patterns of this checkout alone; where there are none there is nothing to add to. */
export async function includeHandoff(admin: string): Promise<void> {
  const path = join(admin, 'info/sparse-checkout');
  const text = await readIfThere(path);
  if (text === null || text.split('\n').includes(PATTERN)) return;
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  await writeFile(path, `${text}${end}${PATTERN}\n`, { flush: true });
}
