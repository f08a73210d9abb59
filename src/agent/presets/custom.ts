// Any command (09, section 8): an argv list with placeholders, judged by exit status, result file and tree.

import type { AgentDefinition } from '../../domain/policy.js';
import type { AgentRequest, Preset } from '../types.js';
import { emptyReport } from './json-stream.js';

/** Characters of output that are remembered as its last message. */
const MESSAGE_LIMIT = 256 * 1024;

/** A preset made from an entry under `agents:`. `{prompt_file}` and `{worktree}` are replaced in every word. */
export const customPreset = (name: string, definition: AgentDefinition): Preset => ({
  name,
  executable: definition.command[0] ?? '',
  versionArgs: ['--version'],
  plan: definition.plan,
  needsTerminal: false,
  credentials: [],
  invocation: (request) => ({
    argv: definition.command.map((word) => fill(word, request)),
    env: {},
    stdin: definition.prompt === 'stdin' ? 'prompt' : 'none',
  }),
  reader: () => {
    const draft = emptyReport();
    let said = '';
    let last: string | null = null;
    return {
      line(text) {
        said += `${text}\n`;
        // Cut now and then: cutting copies it, and an agent may print a million lines.
        if (said.length > 2 * MESSAGE_LIMIT) said = said.slice(-MESSAGE_LIMIT);
        if (text.trim() !== '') last = text;
      },
      latest: () => last,
      report: () => ({
        ...draft,
        get lastMessage() {
          return said === '' ? null : said.slice(-MESSAGE_LIMIT);
        },
      }),
    };
  },
});

/** Replaced by a function, so that `$&` in a path means nothing. */
const fill = (word: string, request: AgentRequest): string =>
  word.replace(/\{(prompt_file|worktree)\}/g, (_, name) =>
    name === 'worktree' ? request.worktree : request.promptFile,
  );
