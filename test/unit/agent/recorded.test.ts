// What the programs really print, recorded from claude 2.1.197, codex 0.171.0, opencode 1.18.33 and gemini 0.61.0 against a
// model on loopback (test/agents) and shortened: the readers of the presets on their own words (09).

import t from 'tap';
import { presetNamed } from '../../../src/agent/presets/index.js';
import type { AgentRequest, StreamReport } from '../../../src/agent/types.js';

const NOW = Date.parse('2026-12-01T13:30:00Z');

const read = (name: string, lines: string): StreamReport => {
  const reader = presetNamed(name)?.reader(() => NOW);
  if (reader === undefined) throw new Error(`no preset ${name}`);
  for (const line of lines.trim().split('\n')) reader.line(line);
  return reader.report();
};

t.test('09, claude: a plan that may not write, a key that is not valid', async (t) => {
  t.match(
    read(
      'claude',
      `
{"type":"system","subtype":"init","cwd":"/w","session_id":"a57d2d13","tools":["Task","Bash","Write"],"model":"claude-opus-4-8[1m]","permissionMode":"plan"}
{"type":"assistant","message":{"id":"msg_4","role":"assistant","content":[{"type":"tool_use","id":"toolu_3","name":"Write","input":{"file_path":"/w/made.txt","content":"made\\n"}}],"stop_reason":null},"parent_tool_use_id":null,"session_id":"a57d2d13"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Cannot write to /w/made.txt while in plan mode.","is_error":true,"tool_use_id":"toolu_3"}]},"session_id":"a57d2d13"}
{"type":"assistant","message":{"id":"msg_7","role":"assistant","content":[{"type":"text","text":"# Plan\\n\\nAll done.\\n"}],"stop_reason":null},"session_id":"a57d2d13"}
{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"num_turns":4,"result":"# Plan\\n\\nAll done.\\n","stop_reason":"end_turn","total_cost_usd":0.0007,"usage":{"input_tokens":40,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":20},"permission_denials":[{"tool_name":"Write","tool_use_id":"toolu_3","tool_input":{}}],"terminal_reason":"completed"}`,
    ),
    {
      terminal: 'success',
      lastMessage: '# Plan\n\nAll done.\n',
      usage: { input: 40, output: 20, cached: 0, cost: 0.0007, turns: 4 },
      denied: ['Write'],
    },
  );
  t.match(
    read(
      'claude',
      `
{"type":"system","subtype":"api_retry","attempt":1,"max_retries":1,"retry_delay_ms":531.7,"error_status":401,"error":"authentication_failed"}
{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"num_turns":1,"result":"Invalid API key · Fix external API key","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[],"terminal_reason":"completed"}`,
    ),
    { terminal: 'failure', message: 'Invalid API key · Fix external API key' },
  );
});

t.test('J16b, claude: the limit of a subscription, and that of a key', async (t) => {
  t.match(
    read(
      'claude',
      `
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796143127,"rateLimitType":"five_hour","isUsingOverage":false}}
{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"result":"You've hit your session limit · resets 4:38pm (UTC)","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}`,
    ),
    { terminal: 'limited', notBefore: '2026-12-01T16:38:47.000Z' },
  );
  t.match(
    read(
      'claude',
      `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"result":"API Error: Request rejected (429) · This request would exceed your account's rate limit.","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}`,
    ),
    {
      terminal: 'limited',
      notBefore: null,
      message: "API Error: Request rejected (429) · This request would exceed your account's rate limit.",
    },
  );
});

t.test('09, J16b, codex: an item that is an error is none of the turn; reconnecting, a limit', async (t) => {
  const start = `
{"type":"thread.started","thread_id":"01a231cf"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for \`gpt-5.1-codex\` not found."}}
{"type":"turn.started"}
`;
  t.match(
    read(
      'codex',
      `${start.trim()}
{"type":"item.completed","item":{"id":"item_3","type":"command_execution","command":"/bin/bash -lc 'git log'","aggregated_output":"fatal: no","exit_code":128,"status":"failed"}}
{"type":"item.completed","item":{"id":"item_4","type":"agent_message","text":"# Plan\\n\\nAll done.\\n"}}
{"type":"turn.completed","usage":{"input_tokens":40,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":0}}`,
    ),
    { terminal: 'success', message: null, lastMessage: '# Plan\n\nAll done.\n', usage: { input: 40, output: 20 } },
  );
  t.match(
    read(
      'codex',
      `${start.trim()}
{"type":"error","message":"Reconnecting... 5/5 (unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:1/v1/responses)"}
{"type":"error","message":"unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:1/v1/responses"}
{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:1/v1/responses"}}`,
    ),
    { terminal: 'failure', message: /^unexpected status 401/ },
  );
  t.match(
    read(
      'codex',
      `${start.trim()}
{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Visit https://chatgpt.com/settings/usage to purchase more credits or try again at 4:33 PM."}}`,
    ),
    { terminal: 'limited', notBefore: /^2026-12-0\dT\d\d:33:00Z$/ },
  );
  for (const message of [
    'Quota exceeded. Check your plan and billing details.',
    'exceeded retry limit, last status: 429 Too Many Requests',
  ])
    t.match(
      read('codex', `${start.trim()}\n{"type":"turn.failed","error":{"message":"${message}"}}`),
      { terminal: 'limited', message, notBefore: null },
      'of a key',
    );
});

t.test('09, J16b, opencode: tools that a plan may not use, and a quota that is used up', async (t) => {
  t.match(
    read(
      'opencode',
      `
{"type":"tool_use","timestamp":1796132559853,"sessionID":"ses_d","part":{"type":"tool","tool":"invalid","callID":"call_2","state":{"status":"completed","input":{"tool":"bash","error":"Model tried to call unavailable tool 'bash'. Available tools: glob, grep, invalid, read."},"output":"The arguments provided to the tool are invalid"}}}
{"type":"tool_use","timestamp":1796132366657,"sessionID":"ses_d","part":{"type":"tool","tool":"write","callID":"call_4","state":{"status":"error","input":{"filePath":"/w/made.txt","content":"made\\n"},"error":"The user has specified a rule which prevents you from using this specific tool call."}}}
{"type":"text","timestamp":1796132565769,"sessionID":"ses_d","part":{"type":"text","text":"# Plan\\n\\nAll done.\\n"}}
{"type":"step_finish","timestamp":1796132566237,"sessionID":"ses_d","part":{"reason":"stop","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}`,
    ),
    { terminal: 'success', lastMessage: '# Plan\n\nAll done.\n', denied: ['bash', 'write'] },
  );
  const failed = (status: number, message: string): string =>
    `{"type":"error","timestamp":1796132457213,"sessionID":"ses_d","error":{"name":"APIError","data":{"message":"${message}","statusCode":${status},"isRetryable":true,"responseHeaders":{}}}}`;
  t.match(
    read('opencode', failed(429, 'You exceeded your current quota, please check your plan and billing details.')),
    {
      terminal: 'limited',
      message: 'You exceeded your current quota, please check your plan and billing details.',
    },
  );
  t.match(read('opencode', failed(429, 'Slow down')), { terminal: 'limited', notBefore: null });
  t.match(read('opencode', failed(401, 'Incorrect API key provided')), { terminal: 'failure' });
});

t.test('09, J16b, gemini: what the provider said is taken out of its envelope', async (t) => {
  const result = (message: string): string =>
    `{"type":"result","timestamp":"2026-12-01T13:38:33.905Z","status":"error","error":{"type":"unknown","message":${JSON.stringify(message)}},"stats":{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"input":0,"duration_ms":0,"tool_calls":0,"models":{}}}`;
  t.match(
    read(
      'gemini',
      result(
        '[API Error: {"error":{"code":401,"message":"API key not valid. Please pass a valid API key.","status":"UNAUTHENTICATED","details":[{"reason":"API_KEY_INVALID"}]}}]',
      ),
    ),
    { terminal: 'failure', message: 'API key not valid. Please pass a valid API key.' },
  );
  t.match(
    read(
      'gemini',
      result(
        '[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio',
      ),
    ),
    { terminal: 'limited', message: 'You have exhausted your daily quota on this model.', notBefore: null },
  );
  t.match(read('gemini', result('[API Error: {"error":{"code":429,"message":"Resource exhausted"}}]')), {
    terminal: 'limited',
    message: 'Resource exhausted',
  });
  t.match(
    read(
      'gemini',
      `
{"type":"tool_use","timestamp":"2026-12-01T13:42:01.976Z","tool_name":"run_shell_command","tool_id":"run_1","parameters":{"command":"touch evil-run"}}
{"type":"tool_result","timestamp":"2026-12-01T13:42:02.206Z","tool_id":"run_1","status":"error","output":"Tool \\"run_shell_command\\" not found.","error":{"type":"tool_not_registered","message":"Tool \\"run_shell_command\\" not found."}}
{"type":"message","timestamp":"2026-12-01T13:42:02.766Z","role":"assistant","content":"# Plan\\n\\nAll done.\\n","delta":true}
{"type":"result","timestamp":"2026-12-01T13:42:02.787Z","status":"success","stats":{"total_tokens":60,"input_tokens":40,"output_tokens":20,"cached":0,"input":40,"duration_ms":1009,"tool_calls":3,"models":{}}}`,
    ),
    { terminal: 'success', lastMessage: '# Plan\n\nAll done.\n', denied: ['run_shell_command'] },
  );
});

t.test('09, rule 12, opencode: a plan that may not write may run no command either', async (t) => {
  const request = (plan: 'writes' | 'last-message'): AgentRequest => ({
    definition: { command: [], prompt: 'stdin', env: [], sandbox: [], account: null, plan, preset: 'opencode' },
    phase: 'plan',
    worktree: '/w',
    commonDir: '/r/.git',
    writable: ['/w'],
    promptFile: '/run/prompt',
    resultFile: '/run/out/result.json',
    env: {},
    model: null,
    budget: null,
    sandbox: [],
  });
  const env = (plan: 'writes' | 'last-message') => presetNamed('opencode')?.invocation(request(plan)).env;
  t.strictSame(JSON.parse(env('last-message')?.['OPENCODE_PERMISSION'] ?? ''), { edit: 'deny', bash: 'deny' });
  t.strictSame(env('writes'), {});
});
