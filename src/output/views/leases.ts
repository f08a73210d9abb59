// `lease` for people: one line for each target. Pure.

import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { sayAge } from '../time.js';

export interface PublishedLease {
  readonly target: string | null;
  readonly remote: string | null;
  readonly ref: string;
  readonly state: 'free' | 'held' | 'expired' | 'damaged';
  readonly token: number | null;
  readonly unit: { readonly kind: string; readonly id: string } | null;
  readonly length: number | null;
  readonly seen: string | null;
  readonly expires: string | null;
}

export const LEASE_FIELDS = [
  'target',
  'remote',
  'ref',
  'state',
  'token',
  'unit',
  'length',
  'seen',
  'expires',
] as const satisfies readonly (keyof PublishedLease)[];

/** For a pipe: target, remote, state, token, unit, expiry. */
export function leasesView(items: readonly PublishedLease[], theme: Theme, width: number, now: number): Lines {
  if (theme.terminal && items.length === 0) return ['no target was ever worked on under a lease'];
  const columns = [
    { title: 'target', cut: true },
    { title: 'remote' },
    { title: 'state' },
    { title: 'token' },
    { title: 'held by' },
    { title: 'runs out' },
  ];
  return table(
    theme,
    width,
    columns,
    items.map((item): readonly Cell[] => [
      { text: item.target ?? item.ref, role: 'strong' },
      { text: item.remote ?? '' },
      { text: item.state },
      { text: item.token === null ? '' : String(item.token) },
      { text: item.unit === null ? '' : `${item.unit.kind} ${item.unit.id}` },
      { text: expiry(item, theme, now), role: 'dim' },
    ]),
  );
}

function expiry(item: PublishedLease, theme: Theme, now: number): string {
  if (item.expires === null) return '';
  if (!theme.terminal) return item.expires;
  return Date.parse(item.expires) > now
    ? `in ${Math.ceil((Date.parse(item.expires) - now) / 60_000)} m`
    : sayAge(item.expires, now);
}
