// Gemini CLI (09, section 5): stream-json, the prompt on standard input, the `result` line decides: its exit status is 0
// also when it was ended by SIGTERM.

import type { Preset } from '../types.js';
import { option, plansReadOnly, presetArgv } from './argv.js';
import { amount, child, type Draft, type Json, jsonReader, text, usageOf } from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const gemini: Preset = {
  name: 'gemini',
  executable: 'gemini',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: true,
  credentials: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
  invocation: (request) => ({
    argv: presetArgv(request, 'gemini', [
      '-o',
      'stream-json',
      '--approval-mode',
      plansReadOnly(request) ? 'plan' : 'yolo',
      // In a folder that is not trusted it lowers `yolo` without failing.
      '--skip-trust',
      ...(request.sandbox === 'preset' ? ['-s'] : []),
      ...option('-m', request.model),
    ]),
    env: {},
    stdin: 'prompt',
  }),
  reader: (now = Date.now) => {
    let answer = '';
    return jsonReader((event, draft) => {
      if (event['type'] === 'message' && event['role'] === 'assistant') {
        answer = event['delta'] === true ? answer + (text(event, 'content') ?? '') : (text(event, 'content') ?? '');
        draft.lastMessage = answer;
      } else if (event['type'] === 'tool_use') {
        answer = '';
      } else if (event['type'] === 'error') {
        draft.message = text(event, 'message') ?? draft.message;
      } else if (event['type'] === 'result') {
        readResult(event, draft, now);
      }
    });
  },
};

function readResult(event: Json, draft: Draft, now: () => number): void {
  const stats = child(event, 'stats');
  draft.usage = usageOf({
    input: amount(stats, 'input_tokens'),
    output: amount(stats, 'output_tokens'),
    cached: amount(stats, 'cached'),
  });
  if (event['status'] === 'success') {
    draft.terminal = 'success';
    draft.message = null;
    return;
  }
  const message = text(child(event, 'error'), 'message') ?? draft.message ?? 'it reported an error';
  const limit = recogniseLimit(message, now());
  draft.terminal = limit.limited ? 'limited' : 'failure';
  draft.message = message;
  draft.notBefore = limit.notBefore;
}
