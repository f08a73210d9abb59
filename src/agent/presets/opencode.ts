// opencode 1.x (09, section 4): `opencode run --format json`, the prompt on standard input; usage is summed over steps.

import type { Preset } from '../types.js';
import { option, plansReadOnly, presetArgv } from './argv.js';
import {
  addDenied,
  addUsage,
  amount,
  child,
  type Draft,
  isObject,
  type Json,
  jsonReader,
  list,
  text,
  usageOf,
} from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const opencode: Preset = {
  name: 'opencode',
  executable: 'opencode',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: true,
  credentials: [
    'OPENCODE_API_KEY',
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_DIR',
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'OPENROUTER_API_KEY',
  ],
  invocation: (request) => ({
    argv: presetArgv(request, 'opencode', [
      'run',
      '--format',
      'json',
      '--auto',
      '--dir',
      request.worktree,
      '--agent',
      plansReadOnly(request) ? 'plan' : 'build',
      ...option('-m', request.model),
    ]),
    env: plansReadOnly(request) ? READ_ONLY : {},
    stdin: 'prompt',
  }),
  reader: (now = Date.now) => jsonReader((event, draft) => read(event, draft, now)),
};

/** Its `plan` agent alone still runs any command: these rules come after its own, and leave it the tools that read. */
const READ_ONLY = { OPENCODE_PERMISSION: JSON.stringify({ edit: 'deny', bash: 'deny' }) };

/** By an ask that nobody answered, or by a rule. There is no machine form. */
const REFUSED = /reject|rule which prevents/i;

function read(event: Json, draft: Draft, now: () => number): void {
  const part = child(event, 'part');
  switch (event['type']) {
    case 'step_start':
      // An error that is followed by a new step was overcome; an answer followed by one was not the last.
      draft.terminal = 'none';
      break;
    case 'text':
      draft.lastMessage = text(part, 'text') ?? draft.lastMessage;
      break;
    case 'tool_use': {
      const state = child(part, 'state');
      // A tool that this agent may not use at all is called by no name of its own.
      if (part['tool'] === 'invalid') addDenied(draft, text(child(state, 'input'), 'tool'));
      else if (state['status'] === 'error' && REFUSED.test(text(state, 'error') ?? ''))
        addDenied(draft, text(part, 'tool'));
      break;
    }
    case 'step_finish': {
      const tokens = child(part, 'tokens');
      const step = usageOf({
        input: amount(tokens, 'input'),
        output: amount(tokens, 'output'),
        cached: amount(child(tokens, 'cache'), 'read'),
        cost: amount(part, 'cost'),
        turns: 1,
      });
      draft.usage = addUsage(draft.usage, step);
      // `tool-calls` goes on; `length` and `content-filter` are no success.
      if (part['reason'] === 'stop') draft.terminal = 'success';
      break;
    }
    case 'done':
      if (draft.terminal === 'none' && event['reason'] === 'idle') draft.terminal = 'success';
      for (const name of list(event, 'rejected')) addDenied(draft, nameOf(name));
      break;
    case 'error': {
      const error = child(event, 'error');
      const data = child(error, 'data');
      const message = text(data, 'message') ?? text(error, 'name') ?? 'it reported an error';
      const limit = recogniseLimit(message, now());
      draft.terminal = limit.limited || data['statusCode'] === 429 ? 'limited' : 'failure';
      draft.message = message;
      draft.notBefore = limit.notBefore;
      break;
    }
  }
}

const nameOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : isObject(value) ? (text(value, 'tool') ?? text(value, 'permission')) : null;
