// OpenAI Chat Completions, as opencode speaks it to a provider of its configuration.

import { document, events, type Json, listOf, newId, textOf, type Wire } from './wire.js';

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const chat: Wire = {
  matches: (path) => path.startsWith('/v1/chat/completions'),
  read(body) {
    const messages = listOf(body['messages']);
    return {
      prompt: textOf(messages.filter((message) => message['role'] === 'user')),
      results: messages.filter((message) => message['role'] === 'tool').map(textOf),
      tools: listOf(body['tools']).map((tool) => String((tool['function'] as Json | undefined)?.['name'])),
      stream: body['stream'] === true,
    };
  },
  call: (turn) =>
    'run' in turn
      ? { name: 'bash', input: { command: turn.run, description: 'Do the work' } }
      : { name: 'write', input: { filePath: turn.write, content: turn.text } },
  answer(reply, ask) {
    const call =
      'say' in reply
        ? null
        : {
            id: newId('call'),
            type: 'function',
            function: { name: reply.name, arguments: JSON.stringify(reply.input) },
          };
    const message: Json = 'say' in reply ? { content: reply.say } : { content: null, tool_calls: [call] };
    const finish = call === null ? 'stop' : 'tool_calls';
    const head = { id: newId('chatcmpl'), created: 1, model: 'test' };
    if (!ask.stream)
      return document({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
        usage: USAGE,
      });
    const chunk = (delta: Json, reason: string | null, usage: Json = {}) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...usage,
    });
    const delta = call === null ? message : { tool_calls: [{ index: 0, ...call }] };
    return events(
      [chunk({ role: 'assistant', ...delta }, null), chunk({}, finish, { usage: USAGE })],
      false,
      'data: [DONE]\n\n',
    );
  },
  refuse(why) {
    const error = (message: string, type: string, code: string) => ({ error: { message, type, param: null, code } });
    if (why === 'key')
      return document(error('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'), 401);
    if (why === 'broken') return document(error('The server had an error', 'server_error', 'server_error'), 500);
    return document(
      error(
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
        'insufficient_quota',
      ),
      429,
    );
  },
};
