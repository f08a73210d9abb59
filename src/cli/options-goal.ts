// Arguments and options that several commands about Goals have. Data only.

import type { ArgumentSpec, OptionSpec } from './spec.js';

export const goal: ArgumentSpec = { name: 'id', required: true, source: 'goal' };

export const expectRevision: OptionSpec = {
  name: 'expect-revision',
  kind: 'number',
  value: '<n>',
  summary: 'only if it is still at this revision',
};
export const reason: OptionSpec = { name: 'reason', kind: 'text', value: '<text>', summary: 'why, for the log' };
