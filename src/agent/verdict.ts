// Reads the verdict that the agent of a gate leaves in `$OWL_RESULT_FILE` (G31). Bounded, never trusted.

import * as v from 'valibot';
import type { ResultFacts } from '../domain/agent-outcome.js';
import type { VerdictFacts } from '../domain/gates.js';
import { parseResult, readResultText, resultFacts } from './result.js';

const text = (most: number) => v.pipe(v.string(), v.maxLength(most));
const id = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

const schema = v.object({
  verdict: v.picklist(['pass', 'findings']),
  findings: v.optional(
    v.pipe(
      v.array(
        v.object({
          text: v.pipe(text(8 * 1024), v.regex(/\S/)),
          paths: v.optional(v.pipe(v.array(text(4096)), v.maxLength(1000)), []),
        }),
      ),
      v.maxLength(200),
    ),
    [],
  ),
  summary: v.optional(text(64 * 1024)),
  nonce: text(200),
  candidate: v.object({ base: id, tip: id }),
});

/** `told`: what it says of its own end, such as a usage limit (J16b); a file with `outcome` and no verdict is that of a Run. */
export interface VerdictFile {
  readonly verdict: VerdictFacts;
  readonly told: ResultFacts;
}

export async function readVerdict(file: string): Promise<VerdictFile> {
  const read = await readResultText(file);
  // That the verdict cannot be read is said by the verdict: the agent itself did not fail.
  return read.kind === 'text' ? parseVerdict(read.text) : { verdict: read, told: { kind: 'none' } };
}

/** Checks the text of a verdict. Unknown fields are left out. */
export function parseVerdict(written: string): VerdictFile {
  const unreadable = (why: string): VerdictFile => ({ verdict: { kind: 'unreadable', why }, told: { kind: 'none' } });
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    return unreadable('it is not JSON');
  }
  if (typeof value === 'object' && value !== null && 'outcome' in value && !('verdict' in value)) {
    const told = resultFacts(parseResult(written));
    return { verdict: { kind: 'none' }, told: told.kind === 'found' ? told : { kind: 'none' } };
  }
  const parsed = v.safeParse(schema, value);
  if (!parsed.success) return unreadable(`${v.getDotPath(parsed.issues[0]) ?? 'it'} is not valid`);
  const { verdict, findings, summary = null, nonce, candidate } = parsed.output;
  return {
    verdict: { kind: 'found', verdict, findings, summary, nonce, candidate },
    told: { kind: 'found', outcome: 'done', summary, notBefore: null },
  };
}
