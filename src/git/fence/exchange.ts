// One request to receive-pack, from its advertisement to its report: all commands in one transaction, or none (M8). Pure.
// The protocol: gitprotocol-pack(5). `git push` cannot be used for it: it leaves out what is up to date.

import { createHash } from 'node:crypto';
import { isOid, type Oid, type RefName } from '../../domain/git.js';
import type { FencePlan, FenceResult } from './plan.js';

interface Advertisement {
  readonly refs: ReadonlyMap<string, Oid>;
  readonly capabilities: readonly string[];
}

export type Exchange =
  | { readonly kind: 'send'; readonly commands: readonly Buffer[]; readonly pack: Buffer }
  | { readonly kind: 'nothing'; readonly result: FenceResult };

/** The payload as one pkt-line. */
export const pktLine = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from((payload.length + 4).toString(16).padStart(4, '0'), 'latin1'), payload]);
export const FLUSH = Buffer.from('0000', 'latin1');

/** What to send after these lines of the server, without flushes. */
export function decideExchange(plan: FencePlan, lines: readonly Buffer[]): Exchange {
  const { refs, capabilities } = parseAdvertisement(lines);
  const nothing = (result: FenceResult): Exchange => ({ kind: 'nothing', result });
  for (const needed of ['atomic', 'report-status', 'delete-refs'])
    if (!capabilities.includes(needed)) return nothing({ kind: 'unable', why: `it does not offer ${needed}` });
  const format = capabilities.find((one) => one.startsWith('object-format='))?.slice('object-format='.length) ?? 'sha1';
  if (format !== plan.format) return nothing({ kind: 'unable', why: `its objects are of the format ${format}` });
  const moved = plan.commands.flatMap(({ ref, seen }) => {
    const found = refs.get(ref) ?? ('absent' as const);
    return found === seen ? [] : [{ ref, found }];
  });
  if (moved.length > 0) return nothing({ kind: 'moved', refs: moved });
  const zero = '0'.repeat(format === 'sha256' ? 64 : 40);
  const wanted = ['report-status', 'atomic', ...(capabilities.includes('quiet') ? ['quiet'] : [])];
  if (capabilities.some((one) => one.startsWith('object-format='))) wanted.push(`object-format=${format}`);
  const commands = plan.commands.map((command, at) => {
    const to = command.new === 'absent' ? zero : command.new;
    return Buffer.from(`${command.old} ${to} ${command.ref}${at === 0 ? `\0 ${wanted.join(' ')}` : ''}`, 'utf8');
  });
  return { kind: 'send', commands, pack: emptyPack(format) };
}

/** As soon as one command is no deletion the server waits for a pack. */
function emptyPack(format: string): Buffer {
  const head = Buffer.from([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2, 0, 0, 0, 0]);
  return Buffer.concat([head, createHash(format).update(head).digest()]);
}

function parseAdvertisement(lines: readonly Buffer[]): Advertisement {
  const refs = new Map<string, Oid>();
  let capabilities: readonly string[] = [];
  for (const line of lines) {
    const [row = '', offered] = line.toString('utf8').replace(/\n$/, '').split('\0');
    if (offered !== undefined) capabilities = offered.split(' ').filter((word) => word !== '');
    const oid = row.slice(0, row.indexOf(' '));
    const ref = row.slice(row.indexOf(' ') + 1);
    // `.have`, `capabilities^{}`, `shallow <id>`, `version 1`: no refs.
    if (isOid(oid) && ref.startsWith('refs/')) refs.set(ref, oid);
  }
  return { refs, capabilities };
}

/** What the server reports for each command. Null: the report is not whole. */
export function parseReport(plan: FencePlan, lines: readonly Buffer[] | null): FenceResult {
  if (lines === null) return { kind: 'unanswered' };
  const rows = lines.map((line) => line.toString('utf8').replace(/\n$/, ''));
  const unpack = rows.find((row) => row.startsWith('unpack '));
  if (unpack === undefined) return { kind: 'unanswered' };
  if (unpack !== 'unpack ok') return { kind: 'refused', why: unpack };
  const said = new Map<string, string | null>();
  for (const row of rows) {
    const [, status, ref = '', why = ''] = /^(ok|ng) (\S+) ?(.*)$/.exec(row) ?? [];
    if (status !== undefined) said.set(ref, status === 'ok' ? null : why);
  }
  const refused = [...said].filter((row): row is [string, string] => row[1] !== null);
  if (refused.length > 0) return { kind: 'refused', why: sayRefused(refused) };
  return plan.commands.every(({ ref }) => said.has(ref)) ? { kind: 'accepted' } : { kind: 'unanswered' };
}

/** Of an atomic request all are refused, most of them for the sake of one: each reason once, with the first ref that has it. */
function sayRefused(refused: readonly (readonly [ref: string, why: string])[]): string {
  const reasons = new Map<string, string>();
  for (const [ref, why] of refused) if (!reasons.has(why)) reasons.set(why, ref);
  return [...reasons]
    .slice(0, 3)
    .map(([why, ref]) => `${ref}: ${why}`)
    .join('; ');
}

/** The ref of a plan that stands for it where a command line needs one. */
export const firstRef = (plan: FencePlan): RefName => (plan.commands.at(-1) as { readonly ref: RefName }).ref;
