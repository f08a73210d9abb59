// The editor that Git itself would start, on a file, with the terminal given to it.

import { spawn } from 'node:child_process';
import { OwlError } from '../domain/errors.js';
import type { Git } from './git.js';

/** Waits until the person has left the editor. @param preferred `owl.editor`, before what Git would start. Throws OwlError `refused` when the editor could not start or failed. */
export async function runEditor(git: Git, file: string, preferred: string | null = null): Promise<void> {
  const editor = preferred ?? (await git.text(['var', 'GIT_EDITOR'], { bare: true })).trim();
  const code = await new Promise<number | null>((resolve, reject) => {
    // As Git does it: the editor is a shell command line and gets the file as its argument.
    const child = spawn('sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new OwlError('refused', `the editor '${editor}' ended with ${code ?? 'a signal'}`, {
      preserved: ['nothing was changed'],
    });
}
