// Anthropic Messages, as Claude Code speaks it.

import { document, events, type Json, limitLifts, listOf, newId, textOf, type Wire } from './wire.js';

const USAGE = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropic: Wire = {
  matches: (path) => path.startsWith('/v1/messages'),
  read(body) {
    const parts = listOf(body['messages']).flatMap((message) =>
      typeof message['content'] === 'string'
        ? [{ type: 'text', text: message['content'] }]
        : listOf(message['content']),
    );
    return {
      prompt: textOf(parts.filter((part) => part['type'] === 'text')),
      results: parts.filter((part) => part['type'] === 'tool_result').map(textOf),
      tools: listOf(body['tools']).map((tool) => String(tool['name'])),
      stream: body['stream'] === true,
    };
  },
  call: (turn) =>
    'run' in turn
      ? { name: 'Bash', input: { command: turn.run, description: 'Do the work' } }
      : { name: 'Write', input: { file_path: turn.write, content: turn.text } },
  answer(reply, ask) {
    const block: Json =
      'say' in reply
        ? { type: 'text', text: reply.say }
        : { type: 'tool_use', id: newId('toolu'), name: reply.name, input: reply.input };
    const stop = 'say' in reply ? 'end_turn' : 'tool_use';
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: 'claude-test', stop_sequence: null };
    if (!ask.stream) return document({ ...message, content: [block], stop_reason: stop, usage: USAGE });
    const empty = 'say' in reply ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      'say' in reply
        ? { type: 'text_delta', text: reply.say }
        : { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) };
    return events(
      [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: USAGE } },
        { type: 'content_block_start', index: 0, content_block: empty },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ],
      true,
    );
  },
  refuse(why) {
    const error = (type: string, message: string) => ({ type: 'error', error: { type, message } });
    if (why === 'key') return document(error('authentication_error', 'invalid x-api-key'), 401);
    if (why === 'broken') return document(error('api_error', 'Internal server error'), 500);
    return document(error('rate_limit_error', "This request would exceed your account's rate limit."), 429, {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(limitLifts()),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'rejected',
      'anthropic-ratelimit-unified-5h-reset': String(limitLifts()),
      'x-should-retry': 'false',
    });
  },
};
