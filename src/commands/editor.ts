// Text from the person's editor, for `add` and `handoff --edit`.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTaste } from '../config/taste.js';
import type { Context } from '../context.js';
import { runEditor } from '../git/editor.js';
import { temporaryFolder } from '../system/temporary.js';

/** Opens `text` in the editor under a file called `name` and returns what the person left in it. */
export async function editText(context: Context, text: string, name: string): Promise<string> {
  const { git } = await context.repository();
  const folder = await temporaryFolder('git-owl-');
  try {
    const file = join(folder, name);
    await writeFile(file, text);
    context.streams.progress.done();
    await runEditor(git, file, (await loadTaste(git)).editor);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
