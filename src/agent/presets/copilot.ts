// GitHub Copilot CLI (09, section 6): the prompt on standard input. Its event names are not documented, so success is
// exit 0 and what the tree shows; usage comes from a file.

import { dirname, join } from 'node:path';
import type { Preset } from '../types.js';
import { option, plansReadOnly, presetArgv } from './argv.js';
import { child, jsonReader, text } from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const copilot: Preset = {
  name: 'copilot',
  executable: 'copilot',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: false,
  // GH_TOKEN and GITHUB_TOKEN would be taken too: they are passed only where `env:` names them.
  credentials: ['COPILOT_GITHUB_TOKEN', 'COPILOT_HOME'],
  invocation: (request) => {
    const usage = join(dirname(request.resultFile), 'usage.json');
    return {
      argv: presetArgv(request, 'copilot', [
        '--output-format',
        'json',
        '--allow-all-tools',
        '--deny-tool',
        'shell(git push)',
        '--no-ask-user',
        '--no-color',
        '--no-auto-update',
        '--no-remote',
        '--usage-output-file',
        usage,
        '-C',
        request.worktree,
        '--trust-folder',
        ...(plansReadOnly(request) ? ['--mode', 'plan'] : []),
        ...option('--model', request.model),
        ...option('--max-ai-credits', /^\d+$/.test(request.budget ?? '') ? request.budget : null),
      ]),
      env: {},
      stdin: 'prompt',
      files: { usage },
    };
  },
  reader: (now = Date.now) =>
    jsonReader((event, draft) => {
      const data = child(event, 'data');
      const type = text(event, 'type') ?? '';
      if (type === 'assistant.message') draft.lastMessage = text(data, 'content') ?? draft.lastMessage;
      if (type !== 'session.error') return;
      const message = text(data, 'message') ?? 'it reported an error';
      const limit = recogniseLimit(message, now());
      draft.terminal = limit.limited ? 'limited' : 'failure';
      draft.message = message;
      draft.notBefore = limit.notBefore;
    }),
};
