// aider (09, section 7): the prompt as a file, plain text out, commits made by us. Its exit status is 0 whatever happened
// to the message: the tree decides.

import type { Preset } from '../types.js';
import { option, presetArgv } from './argv.js';
import { emptyReport } from './json-stream.js';

export const aider: Preset = {
  name: 'aider',
  executable: 'aider',
  versionArgs: ['--version'],
  plan: 'writes',
  needsTerminal: false,
  credentials: [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'OPENAI_API_BASE',
    'GEMINI_API_KEY',
    'DEEPSEEK_API_KEY',
    'OPENROUTER_API_KEY',
    'AIDER_MODEL',
  ],
  invocation: (request) => ({
    argv: presetArgv(request, 'aider', [
      '--message-file',
      request.promptFile,
      '--yes-always',
      '--no-auto-commits',
      '--no-dirty-commits',
      '--no-gitignore',
      '--no-check-update',
      '--no-show-release-notes',
      '--analytics-disable',
      '--no-pretty',
      '--no-stream',
      '--no-fancy-input',
      '--no-suggest-shell-commands',
      '--no-detect-urls',
      ...option('--model', request.model),
      // It edits only files that it was given; the Handoff is one of them in every Run.
      ...option('--file', request.env['OWL_HANDOFF']),
    ]),
    env: {},
    stdin: 'none',
  }),
  reader: () => {
    const draft = emptyReport();
    return {
      line(text) {
        const found =
          /^Tokens: ([\d.,]+[kM]?) sent,.*?([\d.,]+[kM]?) received\.(?: Cost: .*?\$([\d.]+) session\.)?/.exec(text);
        if (found !== null) {
          const cost = found[3] === undefined ? {} : { cost: Number(found[3]) };
          draft.usage = { input: count(found[1]), output: count(found[2]), ...cost };
        } else if (text.trim() !== '') {
          draft.lastMessage = text;
        }
      },
      report: () => ({ ...draft }),
    };
  },
};

/** `1.2k` is 1200. */
function count(text: string | undefined): number {
  const number = Number.parseFloat((text ?? '').replaceAll(',', ''));
  const unit = text?.endsWith('k') ? 1000 : text?.endsWith('M') ? 1_000_000 : 1;
  return Number.isNaN(number) ? 0 : Math.round(number * unit);
}
