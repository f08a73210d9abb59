// Gemini generateContent and streamGenerateContent, as Gemini CLI speaks it.

import { document, events, type Json, listOf, textOf, type Wire } from './wire.js';

const GOOGLE = 'type.googleapis.com/google.rpc';

export const gemini: Wire = {
  matches: (path) => /^\/v1(beta)?\/models\/.*:(streamG|g)enerateContent/.test(path),
  read(body, path) {
    const parts = listOf(body['contents']).flatMap((content) =>
      content['role'] === 'model' ? [] : listOf(content['parts']),
    );
    return {
      prompt: textOf(parts.filter((part) => 'text' in part)),
      results: parts.filter((part) => 'functionResponse' in part).map((part) => JSON.stringify(part)),
      tools: listOf(body['tools']).flatMap((tool) =>
        listOf(tool['functionDeclarations']).map((one) => String(one['name'])),
      ),
      stream: path.includes(':stream'),
    };
  },
  call: (turn) =>
    'run' in turn
      ? { name: 'run_shell_command', input: { command: turn.run, description: 'Do the work' } }
      : { name: 'write_file', input: { file_path: turn.write, content: turn.text } },
  answer(reply, ask) {
    const part: Json = 'say' in reply ? { text: reply.say } : { functionCall: { name: reply.name, args: reply.input } };
    const value = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'gemini-test',
    };
    return ask.stream ? events([value], false) : document(value);
  },
  refuse(why) {
    const error = (code: number, status: string, message: string, details: readonly Json[] = []) =>
      document({ error: { code, message, status, details } }, code);
    if (why === 'key')
      return error(401, 'UNAUTHENTICATED', 'API key not valid. Please pass a valid API key.', [
        { '@type': `${GOOGLE}.ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ]);
    if (why === 'broken') return error(500, 'INTERNAL', 'An internal error has occurred.');
    return error(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 250\nPlease retry in 3h0m0s.',
      [
        {
          '@type': `${GOOGLE}.QuotaFailure`,
          violations: [
            {
              quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
              quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
              quotaValue: '250',
            },
          ],
        },
        { '@type': `${GOOGLE}.RetryInfo`, retryDelay: '10800s' },
      ],
    );
  },
};

/** The text of a prompt, for whoever asks how many tokens it has. */
export const countTokens = (body: Json): Json => ({ totalTokens: Math.ceil(textOf(body['contents']).length / 4) });
