// What one change writes into the parts of Goals: Rounds, Candidates, Evidence, Invocations (01, 03).

import type { Candidate, Evidence, EvidenceStatus, Round } from '../domain/goal.js';
import { type Invocation, mayBecome } from '../domain/invocation.js';
import { canonicalLine } from './canonical.js';
import { type Decoded, encodeRecord, keepUnknown } from './codec.js';
import { decodeCandidate, decodeEvidence, decodeInvocation, decodeRound } from './goal-codec.js';
import { loadPart } from './goal-reads.js';
import { type Area, type GoalPart, isRunId, isWorkId, partPath } from './layout.js';
import { defect, recordOf } from './next-record.js';
import type { PutFile } from './reindex.js';
import type { StateSnapshot } from './snapshot.js';

/** How a part of a Goal is written: its name in its folder, and what may become of one that is there already. */
interface PartKind<T extends { readonly goal: string }> {
  readonly part: GoalPart;
  readonly record: 'round' | 'candidate' | 'evidence' | 'invocation';
  name(part: T): string;
  decode(path: string, goal: string, name: string, data: Buffer): Decoded<T>;
  mayBecome(old: T, next: T): boolean;
}

export const ROUNDS: PartKind<Round> = {
  part: 'rounds',
  record: 'round',
  name: (round) => String(round.number),
  decode: decodeRound,
  mayBecome: () => true,
};
export const CANDIDATES: PartKind<Candidate> = {
  part: 'candidates',
  record: 'candidate',
  name: (candidate) => candidate.id,
  decode: decodeCandidate,
  mayBecome: () => false,
};
const UNSETTLED: ReadonlySet<EvidenceStatus> = new Set(['begun', 'unknown']);
export const EVIDENCE: PartKind<Evidence> = {
  part: 'evidence',
  record: 'evidence',
  name: (evidence) => evidence.id,
  decode: decodeEvidence,
  mayBecome: (old, next) =>
    UNSETTLED.has(old.status) && canonicalLine({ ...old, status: null }) === canonicalLine({ ...next, status: null }),
};

export const INVOCATIONS: PartKind<Invocation> = {
  part: 'invocations',
  record: 'invocation',
  name: (invocation) => invocation.id,
  decode: decodeInvocation,
  mayBecome,
};

export interface PartWrites<T extends { readonly goal: string }> {
  put(part: T): void;
  forget(goal: string): void;
  /** The stored ones with those that were written over them. */
  over(goal: string, stored: readonly T[]): T[];
  build(placeOf: (goal: string) => Promise<Area>, putFile: PutFile): Promise<void>;
}

export function partWrites<T extends { readonly goal: string }>(
  snapshot: StateSnapshot,
  of: PartKind<T>,
): PartWrites<T> {
  const written = new Map<string, Map<string, T>>();
  return {
    put: (part) => {
      const name = of.name(part);
      if (!isRunId(name) || !isWorkId(part.goal))
        throw defect(`a ${of.record} was to be written as ${JSON.stringify(name.slice(0, 80))} of ${part.goal}`);
      encodeRecord(of.record, partPath('open', part.goal, of.part, name), part);
      const mine = written.get(part.goal) ?? new Map<string, T>();
      written.set(part.goal, mine.set(name, part));
    },
    forget: (goal) => {
      written.delete(goal);
    },
    over: (goal, stored) => {
      const mine = written.get(goal) ?? new Map<string, T>();
      return [...stored.filter((part) => !mine.has(of.name(part))), ...mine.values()];
    },
    build: async (placeOf, putFile) => {
      for (const [goal, mine] of written) {
        const area = await placeOf(goal);
        for (const [name, part] of mine) {
          const what = `${of.record} ${name} of goal ${goal}`;
          const old = recordOf(what, await loadPart<T>(snapshot, { goal, part: of.part, name }, of.decode));
          const next = keepUnknown(of.record, old, part);
          if (old !== null && canonicalLine(old) === canonicalLine(next)) continue;
          if (old !== null && !of.mayBecome(old, next as unknown as T)) throw defect(`${what} was to be changed`);
          await putFile(partPath(area, goal, of.part, name), encodeRecord(of.record, name, next));
        }
      }
    },
  };
}
