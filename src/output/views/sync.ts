// `sync` for people: what came, what went, and what a person is to settle. Pure.

import { type PublishedContest, type StandingMerge, sayStandingMerge } from '../../domain/side-merge.js';
import type { Lines, Theme } from '../theme.js';

export interface SyncShown {
  readonly remote: string;
  readonly taken: 'nothing' | 'created' | 'forwarded' | 'merged' | 'unknown';
  readonly pushed: boolean;
  readonly tips: readonly string[];
  readonly shared: readonly string[];
  readonly folded: readonly string[];
  readonly settled: readonly { readonly id: string; readonly side: string; readonly stays?: StandingMerge }[];
  readonly contested: readonly PublishedContest[];
}

const TAKEN = {
  nothing: null,
  created: 'took in the state of',
  forwarded: 'took in what is new on',
  merged: 'merged with the state of',
  unknown: 'would take in what is new on',
} as const;

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

export function syncView(shown: SyncShown, theme: Theme, dry: boolean): Lines {
  const { remote, taken, pushed, tips, shared, folded, settled, contested } = shown;
  const did = TAKEN[taken];
  const would = dry && taken !== 'unknown' ? 'would have: ' : '';
  return [
    ...settled.flatMap(({ id, side, stays }) => [
      `${theme.id(id)} ${dry ? 'would be' : 'is'} settled: version ${side} counts`,
      ...stayLines(id, stays, theme),
    ]),
    ...(did === null ? [] : [`${would}${did} ${theme.text(remote)}`]),
    ...(pushed ? [`${dry ? 'would push' : 'pushed'} the state to ${theme.text(remote)}`] : []),
    ...(did === null && !pushed ? [`the state here and on ${theme.text(remote)} is the same`] : []),
    ...(shared.length === 0 ? [] : [`${dry ? 'would send' : 'sent'} ${count(shared.length, 'ref')} of open work`]),
    ...(folded.length === 0 ? [] : [`folded ${count(folded.length, 'name')} of closed work into the archive`]),
    ...tips.map((id) => `the branch of job ${theme.id(id)} is here now`),
    ...contested.flatMap((work) => contestLines(work, theme)),
  ];
}

/** A record that two clones decided differently, and what each says. */
export const contestLines = (work: PublishedContest, theme: Theme): Lines => [
  `${work.kind} ${theme.id(work.id)} ${theme.warn('contested')} (report ${work.report})`,
  ...work.sides.flatMap((one) => [
    `  ${one.whose ?? 'a version'} ${one.side}: ${one.says.map((line) => theme.text(line)).join('; ')}`,
    ...stayLines(work.id, one.stays, theme, `    with ${one.whose ?? one.side}: `),
  ]),
];

const stayLines = (id: string, stays: StandingMerge | undefined, theme: Theme, before = '  '): Lines =>
  stays === undefined ? [] : [`${before}${theme.warn(sayStandingMerge(id, stays))}`];
