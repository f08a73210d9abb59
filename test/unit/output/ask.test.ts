// A yes-or-no question says what an empty line answers, and only a yes is one (06, trust).

import { PassThrough } from 'node:stream';
import t from 'tap';
import { askOnTerminal } from '../../../src/output/ask.js';
import type { StreamSet } from '../../../src/output/streams.js';

t.test('06: [y/N] is shown on the last line; nothing, an end and anything else are a no', async (t) => {
  for (const [typed, yes] of [
    ['\n', false],
    ['', false],
    ['n\n', false],
    ['yess\n', false],
    ['y\n', true],
    ['YES\n', true],
  ] as const) {
    const stdin = new PassThrough();
    const said: string[] = [];
    const streams = { stdin, progress: { done: () => {} }, warn: (line: string) => said.push(line) };
    stdin.end(typed);
    t.equal(await askOnTerminal(streams as unknown as StreamSet, 'These:\nTrust them?'), yes, JSON.stringify(typed));
    t.same(said, ['These:', 'Trust them? [y/N]']);
  }
});
