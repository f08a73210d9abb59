// What one version of a contested record says that not all say, in words for people (05, S3). Pure; records are taken as they are.

import { shortRef } from './git.js';

type Value = unknown;
export type SideRecord = Readonly<Record<string, Value>>;

/** Clocks, places and names of files say nothing to people. */
const SILENT: ReadonlySet<string> = new Set([
  'revision',
  'occurrence',
  'updated',
  'created',
  'schema',
  'kind',
  'id',
  'closed',
  'last_run',
  'token',
  'slug',
  'prefix',
  'gates',
  'chain',
  'restarted_from',
]);

const NAMES: Readonly<Record<string, string>> = {
  ttl: 'Runs left',
  runs: 'Runs made',
  onto: 'on the base commit',
  position: 'place in the queue',
  reason: 'why',
  verification: 'verified',
  no_change: 'nothing to change',
  auto_merge: 'merged by itself',
  not_before: 'not before',
  closure: 'closed as',
  claim: 'at work',
  integration: 'integrated',
  allow_guarded: 'guarded paths allowed',
};

/** The state first, then what differs. `all`: every version's record, this one's too; null: it was deleted there. */
export function sayDifferences(record: SideRecord, all: readonly (SideRecord | null)[]): readonly string[] {
  const differs = (key: string): boolean =>
    all.some((other) => other !== null && JSON.stringify(other[key] ?? null) !== JSON.stringify(record[key] ?? null));
  const lead = ['state', 'status'].filter((key) => key in record);
  const rest = Object.keys(record).filter((key) => !SILENT.has(key) && !lead.includes(key) && differs(key));
  return [...lead, ...rest].map((key) => `${NAMES[key] ?? key}: ${sayValue(key, record[key] ?? null).slice(0, 120)}`);
}

function sayValue(key: string, value: Value): string {
  if (value === null || value === false) return 'no';
  if (value === true) return 'yes';
  if (typeof value === 'string') return key === 'tip' ? value.slice(0, 10) : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => sayValue('', one)).join(', ');
  return typeof value === 'object' ? sayObject(key, value as SideRecord) : String(value);
}

function sayObject(key: string, value: SideRecord): string {
  const text = (name: string): string => (typeof value[name] === 'string' ? (value[name] as string) : '');
  const short = (name: string): string => text(name).slice(0, 10);
  switch (key) {
    case 'merged':
      return `into ${shortRef(text('ref'))}${text('after') === '' ? '' : ` as ${short('after')}`}`;
    case 'reason':
      return text('text');
    case 'verification':
      return `${value['passed'] === true ? 'passed' : 'failed'} at ${short('tip')}`;
    case 'onto':
      return `${shortRef(text('ref'))} at ${short('oid')}`;
    case 'claim':
      return `on ${text('host')} since ${text('since')}`;
    case 'dropped':
      return `at ${short('tip')}`;
    case 'base':
    case 'target':
      return shortRef(text('name') || text('ref') || JSON.stringify(value));
    case 'candidate':
      return short('tip');
    default:
      return JSON.stringify(value);
  }
}
