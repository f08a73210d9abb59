// Gemini CLI (09, section 5): stream-json, the prompt on standard input, the `result` line decides: its exit status is 0
// also when it was ended by SIGTERM.

import type { Preset } from '../types.js';
import { option, plansReadOnly, presetArgv } from './argv.js';
import { addDenied, amount, child, type Draft, isObject, type Json, jsonReader, text, usageOf } from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const gemini: Preset = {
  name: 'gemini',
  executable: 'gemini',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: true,
  // Its shell tool points Git's global configuration at nothing: a commit by it would know no author.
  hidesGitConfig: true,
  credentials: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_VERTEX_BASE_URL',
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
    const called = new Map<string, string>();
    return jsonReader((event, draft) => {
      if (event['type'] === 'message' && event['role'] === 'assistant') {
        answer = event['delta'] === true ? answer + (text(event, 'content') ?? '') : (text(event, 'content') ?? '');
        draft.lastMessage = answer;
      } else if (event['type'] === 'tool_use') {
        answer = '';
        called.set(text(event, 'tool_id') ?? '', text(event, 'tool_name') ?? 'a tool');
      } else if (event['type'] === 'tool_result') {
        const name = called.get(text(event, 'tool_id') ?? '') ?? null;
        called.delete(text(event, 'tool_id') ?? '');
        if (REFUSALS.includes(text(child(event, 'error'), 'type') ?? '')) addDenied(draft, name);
      } else if (event['type'] === 'error') {
        draft.message = text(event, 'message') ?? draft.message;
      } else if (event['type'] === 'result') {
        readResult(event, draft, now);
      }
    });
  },
};

/** Kinds of errors of a tool that was not allowed, or not offered in this mode. */
const REFUSALS: readonly string[] = ['policy_violation', 'tool_not_registered', 'permission_denied'];

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
  const { said, status } = apiError(message);
  draft.terminal = limit.limited || status === 429 ? 'limited' : 'failure';
  draft.message = said;
  draft.notBefore = limit.notBefore;
}

/** What is in `[API Error: …]`: a sentence, or the provider's document as text, with the sentence and the HTTP status in it. */
function apiError(message: string): { readonly said: string; readonly status: number | undefined } {
  const inner = /^\[API Error: (.*)\]/s.exec(message)?.[1];
  if (inner === undefined) return { said: message, status: undefined };
  try {
    const document: unknown = JSON.parse(inner);
    const error = isObject(document) ? child(document, 'error') : {};
    return { said: text(error, 'message') ?? inner, status: amount(error, 'code') };
  } catch {
    return { said: inner, status: undefined };
  }
}
