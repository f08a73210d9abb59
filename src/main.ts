#!/usr/bin/env node
// The entry: answers at once, or runs one command and ends with its exit status.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerFast } from './cli/fast.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
if (!answerFast(process.argv.slice(2), root)) void start();

async function start(): Promise<void> {
  const { run } = await import('./run.js');
  // Ends at once: what a command left open (a pooled process, a timer) must not keep a shell waiting. Both streams are flushed.
  process.exit(await run(process, root));
}
