// Ancestry from near objects, else by `git merge-base`: "no", "missing object" and "could not look" are three answers, and a shallow clone says so (01).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ancestry, isOid, type Oid } from '../domain/git.js';
import type { Git } from './git.js';
import { isNearAncestor, nearMergeBase } from './near-history.js';
import type { ObjectReader } from './object-reader.js';

export interface AncestryQuestions {
  isAncestor(ancestor: Oid, descendant: Oid): Promise<Ancestry>;
  mergeBases(one: Oid, two: Oid): Promise<readonly Oid[] | 'missing' | 'unknown'>;
}

export function ancestry(
  git: Git,
  commonDir: string,
  { exists, read }: Pick<ObjectReader, 'exists' | 'read'>,
): AncestryQuestions {
  /** History does not change: what was found once stands. */
  const ancestors = new Set<string>();
  const bases = new Map<string, readonly Oid[]>();
  const whyNot = async (one: Oid, two: Oid): Promise<'missing' | 'unknown'> =>
    (await exists([one, two])).every(Boolean) ? 'unknown' : 'missing';

  /** Git 2.39 answers "no" with a complaint where history is broken. Whoever complains is made to walk it all. */
  const isWhole = async (complaint: string, ...tips: readonly string[]): Promise<boolean> =>
    complaint === '' || (await git.run(['rev-list', '--quiet', '--end-of-options', ...tips])).code === 0;

  /** Roots in this range that are no roots but the edge of a shallow clone: what lies below them could change a "no". */
  const reachesEdge = async (...range: readonly string[]): Promise<boolean> => {
    const edge = await shallowEdge(commonDir);
    if (edge.size === 0) return false;
    const roots = await git.run(['rev-list', '--max-parents=0', '--end-of-options', ...range]);
    if (roots.code !== 0) return true;
    return roots.stdout
      .toString('latin1')
      .split('\n')
      .some((oid) => edge.has(oid));
  };

  return {
    async isAncestor(ancestor, descendant) {
      const pair = `${ancestor} ${descendant}`;
      if (ancestors.has(pair)) return 'ancestor';
      const yes = (): 'ancestor' => {
        ancestors.add(pair);
        return 'ancestor';
      };
      if (await isNearAncestor(read, ancestor, descendant)) return yes();
      const answer = await git.run(['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant]);
      if (answer.code === 0) return yes();
      if (answer.code !== 1) return whyNot(ancestor, descendant);
      if (!(await isWhole(answer.stderr, descendant))) return 'unknown';
      return (await reachesEdge(descendant, `^${ancestor}`)) ? 'unknown' : 'not-ancestor';
    },
    async mergeBases(one, two) {
      const pair = `${one} ${two}`;
      const known = bases.get(pair);
      if (known !== undefined) return known;
      const near = await nearMergeBase(read, one, two);
      if (near !== null) {
        bases.set(pair, [near]);
        return [near];
      }
      const answer = await git.run(['merge-base', '--all', '--end-of-options', one, two]);
      if (answer.code > 1) return whyNot(one, two);
      if (!(await isWhole(answer.stderr, one, two))) return 'unknown';
      const found = answer.stdout.toString('latin1').split('\n').filter(isOid);
      if (found.length > 0) {
        bases.set(pair, found);
        return found;
      }
      return (await reachesEdge(one, two)) ? 'unknown' : [];
    },
  };
}

/** Commits below which a shallow clone has nothing. */
export async function shallowEdge(commonDir: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(commonDir, 'shallow'), 'latin1').catch(() => '');
  return new Set(text.split('\n').filter(isOid));
}
