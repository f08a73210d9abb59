// Looks at the refs around the state: chains of what is kept, archives, branches and intents, each against the records (01, S9). Reading only.

import { isOwlError } from '../domain/errors.js';
import type { Oid, RefName } from '../domain/git.js';
import { ROUND_PREFIX } from '../domain/names.js';
import { listMonths, loadMonth } from './archived.js';
import { readChain } from './chain.js';
import type { Finding } from './finding.js';
import { refuseOccupied } from './guard.js';
import { loadIntents } from './intents.js';
import { CANDIDATES_PREFIX, chainId, chainOf, isWorkId, KEEP_PREFIX } from './layout.js';
import { isUnreadable } from './objects.js';
import { ownerIsGone } from './owner.js';
import type { StateSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';

export async function checkKept(env: StoreEnv, known: ReadonlyMap<string, string>, findings: Finding[]): Promise<void> {
  const chains = [...(await env.engine.list(KEEP_PREFIX)), ...(await env.engine.list(CANDIDATES_PREFIX))];
  for (const { ref, oid } of chains) {
    const id = chainId(chainOf(ref) ?? '');
    if (!known.has(id)) findings.push(orphan(ref, `it keeps things of ${id}, of which there is no record here`));
    await checkChain(env, ref, oid, findings);
  }
  for (const month of await listMonths(env)) {
    try {
      for (const [name, tips] of await loadMonth(env, month)) {
        const id = chainId(name);
        if (!known.has(id))
          findings.push(orphan(month.ref, `it keeps things of ${id}, of which there is no record here`));
        for (const tip of tips) await checkChain(env, month.ref, tip, findings);
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      findings.push(broken(month.ref, error.message));
    }
  }
}

async function checkChain(env: StoreEnv, ref: RefName, tip: Oid, findings: Finding[]): Promise<void> {
  try {
    const kept = (await readChain(env.objects, tip)).flatMap((link) => link.kept ?? []);
    const there = await env.engine.exists(kept);
    const missing = kept.filter((_, at) => there[at] !== true);
    if (missing.length > 0)
      findings.push(
        broken(ref, `${missing.length} of what it keeps is missing among the objects, first ${missing[0]}`),
      );
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    findings.push(broken(ref, error.message));
  }
}

const broken = (where: string, what: string): Finding => ({
  severity: 'error',
  kind: 'look',
  where,
  what,
  repair: 'fetch the objects from a clone that has them; nothing else is affected',
  next: `git fsck --connectivity-only ${where}`,
});

const orphan = (where: string, what: string): Finding => ({
  severity: 'warning',
  kind: 'look',
  where,
  what,
  repair: 'it may belong to work of another clone: nothing of it is removed by itself',
  next: `git log --oneline ${where}`,
});

/** Branches under the prefixes that records use, those of Rounds, and our refs of single Jobs, whose id nobody knows. */
export async function checkBranches(
  env: StoreEnv,
  snapshot: StateSnapshot,
  known: ReadonlyMap<string, string>,
  findings: Finding[],
): Promise<void> {
  const prefixes = new Set(
    ['owl/', ROUND_PREFIX, ...(await snapshot.openJobs()).map((job) => job.prefix)].filter((prefix) =>
      prefix.endsWith('/'),
    ),
  );
  const folders = [...[...prefixes].map((prefix) => `refs/heads/${prefix}`), 'refs/owl/shared/', 'refs/owl/claims/'];
  for (const folder of folders) {
    for (const { ref } of await env.engine.list(folder)) {
      const id = ref.slice(folder.length).split('/')[0] ?? '';
      if (isWorkId(id) && !known.has(id))
        findings.push(orphan(ref, `it is named for ${id}, of which there is no record here`));
    }
  }
}

/** A ref in the place of a folder of ours: nothing can be written until it has another name. */
export async function checkOccupied(env: StoreEnv, findings: Finding[]): Promise<void> {
  try {
    await refuseOccupied(env.engine);
  } catch (error) {
    if (!isOwlError(error, 'name-blocked')) throw error;
    findings.push({
      severity: 'error',
      kind: 'look',
      where: String(error.data['name']),
      what: error.message,
      repair: 'give that ref another name: nothing of it is removed by itself',
      next: error.next[0] ?? null,
    });
  }
}

export async function checkIntents(env: StoreEnv, findings: Finding[]): Promise<void> {
  const { intents, broken: unreadable } = await loadIntents(env);
  for (const { ref } of unreadable) {
    findings.push({
      severity: 'warning',
      kind: 'look',
      where: ref,
      what: 'no intent can be read from it',
      repair: 'look at the refs it may have been about; it does nothing by itself',
      next: `git cat-file -p ${ref}`,
    });
  }
  for (const intent of intents) {
    const owner = await ownerIsGone(env, intent.owner);
    if (owner === 'here') continue;
    findings.push({
      severity: 'warning',
      kind: 'look',
      where: intent.ref,
      what:
        owner === 'gone'
          ? `operation ${intent.op} was interrupted with ${intent.moves.length} refs to move`
          : `operation ${intent.op} of ${intent.owner.host} is unfinished, and its process cannot be seen from here`,
      repair:
        owner === 'gone'
          ? 'the next command that writes finishes or voids it'
          : 'the next command that writes on that host finishes or voids it',
      next: `git cat-file -p ${intent.ref}`,
    });
  }
}
