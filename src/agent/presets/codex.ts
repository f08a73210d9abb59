// Codex (09, section 3): `codex exec --json`, the prompt on standard input by the final `-`, `turn.completed` decides.

import { dirname, join } from 'node:path';
import type { Preset } from '../types.js';
import { option, plansReadOnly, presetArgv } from './argv.js';
import { addDenied, amount, child, type Draft, type Json, jsonReader, text, usageOf } from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const codex: Preset = {
  name: 'codex',
  executable: 'codex',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: true,
  credentials: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
  invocation: (request) => {
    const lastMessage = join(dirname(request.resultFile), 'last-message');
    const folders = request.writable.filter((folder) => folder !== request.worktree);
    return {
      argv: presetArgv(request, 'codex', [
        'exec',
        '--json',
        '--sandbox',
        plansReadOnly(request) ? 'read-only' : 'workspace-write',
        // The Git folders lie outside the worktree: without them no commit is possible.
        ...folders.flatMap((folder) => ['--add-dir', folder]),
        '-C',
        request.worktree,
        '--ephemeral',
        '--color',
        'never',
        '-o',
        lastMessage,
        ...option('-m', request.model),
        '-',
      ]),
      env: {},
      stdin: 'prompt',
      files: { lastMessage },
    };
  },
  reader: (now = Date.now) => jsonReader((event, draft) => read(event, draft, now)),
};

function read(event: Json, draft: Draft, now: () => number): void {
  switch (event['type']) {
    case 'turn.started':
      draft.terminal = 'none';
      break;
    case 'item.completed': {
      const item = child(event, 'item');
      if (item['type'] === 'agent_message') draft.lastMessage = text(item, 'text') ?? draft.lastMessage;
      if (item['status'] === 'declined') addDenied(draft, text(item, 'type'));
      break;
    }
    case 'turn.completed': {
      const usage = child(event, 'usage');
      draft.terminal = 'success';
      draft.message = null;
      draft.usage = usageOf({
        input: amount(usage, 'input_tokens'),
        output: amount(usage, 'output_tokens'),
        cached: amount(usage, 'cached_input_tokens'),
      });
      break;
    }
    case 'turn.failed': {
      const message = text(child(event, 'error'), 'message') ?? draft.message ?? 'its turn failed';
      const limit = recogniseLimit(message, now());
      draft.terminal = limit.limited ? 'limited' : 'failure';
      draft.message = message;
      draft.notBefore = limit.notBefore;
      break;
    }
    case 'error':
      // Also told of a connection that is tried again: no failure by itself, but the reason of one that follows.
      draft.message = text(event, 'message') ?? draft.message;
      break;
  }
}
