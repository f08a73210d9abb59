// Claude Code (09, section 2): stream-json, the prompt on standard input, the last `result` line decides.

import type { Preset } from '../types.js';
import { budgetNumber, option, plansReadOnly, presetArgv } from './argv.js';
import {
  addDenied,
  amount,
  child,
  type Draft,
  isObject,
  type Json,
  jsonReader,
  list,
  sum,
  text,
  usageOf,
} from './json-stream.js';
import { recogniseLimit } from './limits.js';

export const claude: Preset = {
  name: 'claude',
  executable: 'claude',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: true,
  credentials: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ],
  // As root it refuses to bypass permissions unless this is set; it is never set by us (09, rule 7).
  rootVariable: 'IS_SANDBOX',
  invocation: (request) => ({
    argv: presetArgv(request, 'claude', [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--permission-mode',
      plansReadOnly(request) ? 'plan' : 'bypassPermissions',
      '--no-session-persistence',
      ...option('--model', request.model),
      ...option('--max-budget-usd', budgetNumber(request.budget)),
      ...(request.sandbox === 'preset' ? ['--settings', sandboxSettings(request.writable)] : []),
    ]),
    env: {},
    stdin: 'prompt',
  }),
  reader: (now = Date.now) => jsonReader((event, draft) => read(event, draft, now)),
};

/** Its own sandbox around the shell commands it runs. */
const sandboxSettings = (writable: readonly string[]): string =>
  JSON.stringify({ sandbox: { enabled: true, allowUnsandboxedCommands: false, filesystem: { allowWrite: writable } } });

function read(event: Json, draft: Draft, now: () => number): void {
  if (event['type'] === 'assistant') {
    const said = list(child(event, 'message'), 'content')
      .filter(isObject)
      .filter((part) => part['type'] === 'text')
      .map((part) => text(part, 'text') ?? '');
    if (said.length > 0) draft.lastMessage = said.join('');
  }
  if (event['type'] === 'rate_limit_event') {
    const info = child(event, 'rate_limit_info');
    const at = amount(info, 'resetsAt');
    // Other states are told while requests are still served.
    if (info['status'] === 'rejected' && at !== undefined) draft.notBefore = new Date(at * 1000).toISOString();
  }
  if (event['type'] === 'result') readResult(event, draft, now);
}

function readResult(event: Json, draft: Draft, now: () => number): void {
  const usage = child(event, 'usage');
  draft.usage = usageOf({
    input: sum(amount(usage, 'input_tokens'), amount(usage, 'cache_creation_input_tokens')),
    output: amount(usage, 'output_tokens'),
    cached: amount(usage, 'cache_read_input_tokens'),
    cost: amount(event, 'total_cost_usd'),
    turns: amount(event, 'num_turns'),
  });
  for (const denial of list(event, 'permission_denials').filter(isObject)) addDenied(draft, text(denial, 'tool_name'));
  const said = text(event, 'result');
  // `subtype: success` comes together with `is_error: true`: both count.
  if (event['is_error'] !== true && event['subtype'] === 'success') {
    draft.terminal = 'success';
    draft.message = null;
    draft.notBefore = null;
    if (said !== null && said !== '') draft.lastMessage = said;
    return;
  }
  const message = said ?? text(event, 'terminal_reason') ?? text(event, 'subtype') ?? 'it reported an error';
  const limit = recogniseLimit(message, now());
  // The account of an API key is refused in the provider's words, with this status as the only machine form.
  const rejected = draft.notBefore !== null || event['api_error_status'] === 429;
  draft.terminal = limit.limited || rejected ? 'limited' : 'failure';
  draft.message = message;
  draft.notBefore ??= limit.notBefore;
}
