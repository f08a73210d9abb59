// OpenAI Responses, as Codex speaks it.

import { document, events, type Json, limitLifts, listOf, newId, textOf, type Wire, writing } from './wire.js';

export const responses: Wire = {
  matches: (path) => path.startsWith('/v1/responses'),
  read(body) {
    const items = listOf(body['input']);
    return {
      prompt: textOf(items.filter((item) => item['type'] === 'message' || item['role'] === 'user')),
      results: items.filter((item) => String(item['type']).endsWith('_output')).map((item) => textOf(item['output'])),
      tools: listOf(body['tools']).map((tool) => String(tool['name'] ?? tool['type'])),
      stream: true,
    };
  },
  // Its tool for files is a patch; which tool runs commands depends on the model.
  call(turn, offered) {
    const line = 'run' in turn ? turn.run : writing(turn.write, turn.text);
    if (offered.includes('exec_command')) return { name: 'exec_command', input: { cmd: line } };
    if (offered.includes('shell_command')) return { name: 'shell_command', input: { command: line } };
    return { name: 'shell', input: { command: ['bash', '-c', line] } };
  },
  answer(reply) {
    const item: Json =
      'say' in reply
        ? {
            type: 'message',
            id: newId('msg'),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: reply.say, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: newId('fc'),
            call_id: newId('call'),
            name: reply.name,
            arguments: JSON.stringify(reply.input),
            status: 'completed',
          };
    const id = newId('resp');
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    return events(
      [
        { type: 'response.created', response: { id, object: 'response', status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        {
          type: 'response.completed',
          response: { id, object: 'response', status: 'completed', output: [item], usage },
        },
      ],
      true,
    );
  },
  refuse(why) {
    if (why === 'key')
      return document({ error: { message: 'Incorrect API key provided', type: 'invalid_request_error' } }, 401);
    if (why === 'broken') return document({ error: { message: 'The server had an error', type: 'server_error' } }, 500);
    return document(
      {
        error: {
          type: 'usage_limit_reached',
          message: 'The usage limit has been reached',
          plan_type: 'pro',
          resets_at: limitLifts(),
        },
      },
      429,
    );
  },
};
