// The Handoff as text: whose it is, what it says, what can be one at all (J21 to J24).

import fc from 'fast-check';
import { t } from 'tap';
import {
  HANDOFF_LIMIT,
  handoffMark,
  jobNamedIn,
  judgeHandoff,
  markedHandoff,
  saysNothing,
  seededHandoff,
  statedBlocker,
} from '../../../src/domain/handoff.js';

t.test('J24: the Handoff names its Job; that of another Job is marked anew, and nothing is lost', async (t) => {
  const inherited = markedHandoff('a1bcd', '# Plan\n\nWrite it.\n');
  t.equal(jobNamedIn(inherited), 'a1bcd');
  const mine = markedHandoff('z9yxw', inherited);
  t.equal(jobNamedIn(mine), 'z9yxw');
  t.equal(mine, `${handoffMark('z9yxw')}\n# Plan\n\nWrite it.\n`);
  t.equal(jobNamedIn('# Plan\n'), null);
  t.equal(jobNamedIn(`text\n${handoffMark('a1bcd')}\n`), null, 'the mark counts on the first line alone');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const once = markedHandoff('a1bcd', text);
      return markedHandoff('a1bcd', once) === once && jobNamedIn(once) === 'a1bcd';
    }),
  );
});

t.test('J24: a seeded Handoff has its parts and says nothing yet', async (t) => {
  const seeded = seededHandoff({ id: 'a1bcd', title: 'tabs' });
  t.equal(jobNamedIn(seeded), 'a1bcd');
  for (const heading of ['Work', 'Assumptions', 'Decisions', 'Ruled out', 'Next steps'])
    t.match(seeded, new RegExp(`^## ${heading}$`, 'm'));
});

t.test('J23: a blocker counts only where this Run added or changed it', async (t) => {
  const stated = '# Handoff\n\n## Blocked\n\nNo key for the signer.\n\n## Next steps\n\nAsk.\n';
  t.equal(statedBlocker(null, stated), 'No key for the signer.');
  t.equal(statedBlocker('# Handoff\n', stated), 'No key for the signer.');
  t.equal(statedBlocker(stated, stated), null, 'an old one is answered by retry');
  t.equal(statedBlocker(stated, stated.replace('Ask.', 'Ask twice.')), null, 'another section changed');
  t.equal(statedBlocker(stated, stated.replace('No key', 'Still no key')), 'Still no key for the signer.');
  t.equal(statedBlocker(stated, '# Handoff\n'), null, 'it is gone');
  t.equal(statedBlocker(null, '# Handoff\n\n## Blocked\n\n## Next steps\n\nAsk.\n'), null, 'an empty section');
  t.equal(statedBlocker(null, '# Handoff\r\n\r\n## Blocked\r\n\r\nNo key.\r\n'), 'No key.', 'other line ends');
  t.equal(statedBlocker(null, 'It is ## Blocked by nothing.\n'), null, 'a heading is a line of its own');
  t.equal(statedBlocker(null, '## Blocked\n\n### Why\n\nNo key.\n'), '### Why\n\nNo key.', 'subsections belong to it');
});

t.test('J23: a heading inside a quotation is no heading', async (t) => {
  const quoted = '# Handoff\n\nThe contract asks for:\n\n```\n## Blocked\n\nwhy\n```\n\nNothing of it applies.\n';
  t.equal(statedBlocker(null, quoted), null);
  t.equal(
    statedBlocker(null, '## Blocked\n\n```\n## output\n```\n\nNo key.\n'),
    '```\n## output\n```\n\nNo key.',
    'nor does one end the section',
  );
});

t.test('J21: a mark and headings alone are an empty Handoff', async (t) => {
  for (const empty of ['', '\n \n', handoffMark('a1bcd'), `${handoffMark('a1bcd')}\n# Plan\n\n## Steps\n`])
    t.equal(saysNothing(empty), true);
  t.equal(saysNothing('# Plan\n\nWrite it.\n'), false);
});

t.test('J24: bounded in size; a link, a folder and binary bytes are refused', async (t) => {
  t.equal(judgeHandoff('blob', HANDOFF_LIMIT, false), 'ok');
  t.equal(judgeHandoff('blob', HANDOFF_LIMIT + 1, false), 'too-large');
  t.equal(judgeHandoff('blob', 3, true), 'binary');
  for (const kind of ['symlink', 'tree', 'gitlink'] as const) t.equal(judgeHandoff(kind, 3, false), 'not-a-file');
  t.equal(judgeHandoff('absent', 0, false), 'absent');
});
