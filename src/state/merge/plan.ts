// What becomes of every difference between two states: work by work, and file by file for what belongs to none (05, S2). Reads
// objects; writes nothing.

import type { Oid } from '../../domain/git.js';
import { CLOSED_GOALS, type GoalStatus } from '../../domain/goal.js';
import { CLOSED_STATES, type JobState } from '../../domain/job.js';
import { canonical, parseJson } from '../canonical.js';
import type { ContestedRecord } from '../contested.js';
import { decodeFeature } from '../goal-codec.js';
import { type Area, META_PATH, recordPath, WORK_KINDS, type WorkKind } from '../layout.js';
import { lookUp, type Objects } from '../objects.js';
import { type Difference, unitOf } from '../three-way.js';
import type { UnitSide } from './files.js';
import { mergeFeatures } from './parts.js';
import { mergeUnit, type Put, textsNeeded } from './unit.js';

/** Trees of the states. */
export interface Roots {
  readonly ours: Oid;
  readonly theirs: Oid;
  readonly bases: readonly Oid[];
}

/** What becomes of one piece of work. */
export interface UnitPlan {
  readonly kind: WorkKind;
  readonly id: string;
  /** Where it lies; null: it is deleted. */
  readonly area: Area | null;
  readonly files: ReadonlyMap<string, Put>;
  readonly contested: ContestedRecord | null;
}

export interface MergePlan {
  readonly units: readonly UnitPlan[];
  /** Paths that belong to no work. */
  readonly files: ReadonlyMap<string, Put>;
}

export interface PlanRequest {
  readonly differences: readonly Difference[];
  readonly roots: Roots;
  readonly now: number;
  /** Work of which one side is known to have the last word. */
  readonly last: (id: string) => 'ours' | 'theirs' | null;
}

export async function planMerge(objects: Objects, request: PlanRequest): Promise<MergePlan> {
  const groups = new Map<string, Difference[]>();
  const single: Difference[] = [];
  for (const difference of request.differences) {
    const unit = unitOf(difference.key);
    if (unit === null) single.push(difference);
    else groups.set(unit, [...(groups.get(unit) ?? []), difference]);
  }
  const units: UnitPlan[] = [];
  const graves = new Map<string, Difference>();
  const files = new Map<string, Put>();
  for (const difference of single) {
    const grave = /^tombstones\/(.+)\.json$/.exec(difference.key)?.[1];
    const unit = Object.values(WORK_KINDS).map(({ folder }) => `${folder}/${grave}`);
    const of = grave === undefined ? undefined : unit.find((key) => groups.has(key));
    if (of === undefined) files.set(difference.key, await planFile(objects, difference));
    else graves.set(of, difference);
  }
  // Goals first: a Job of a Round is deleted with its Goal, or not at all.
  const disputed = new Set<string>();
  const isGoal = ([key]: readonly [string, unknown]): boolean => key.startsWith(`${WORK_KINDS.goal.folder}/`);
  for (const [key, differences] of [...groups].sort((one, other) => Number(isGoal(other)) - Number(isGoal(one)))) {
    const { plan, dead } = await planUnit(objects, { ...request, disputed }, key, differences, graves.get(key) ?? null);
    units.push(plan);
    if (plan.kind === 'goal' && plan.contested !== null && graves.has(key)) disputed.add(plan.id);
    const grave = graves.get(key);
    if (grave !== undefined) files.set(grave.key, dead === null ? null : { oid: dead });
  }
  return { units, files };
}

async function planUnit(
  objects: Objects,
  { roots, now, last, disputed }: PlanRequest & { readonly disputed: ReadonlySet<string> },
  key: string,
  differences: readonly Difference[],
  grave: Difference | null,
): Promise<{ readonly plan: UnitPlan; readonly dead: string | null }> {
  const [folder = '', , id = ''] = key.split('/');
  const kind: WorkKind = folder === WORK_KINDS.goal.folder ? 'goal' : 'job';
  const main = WORK_KINDS[kind].file;
  const sideOf = async (root: Oid, of: (difference: Difference) => { readonly oid: Oid } | null): Promise<UnitSide> => {
    const files = new Map(
      differences.flatMap((one) => {
        const side = of(one);
        return side === null ? [] : [[one.key.slice(key.length + 1), side.oid as string] as const];
      }),
    );
    // Its own record is looked at also where all agree on it.
    for (const area of files.has(main) ? [] : (['open', 'closed'] as const)) {
      const entry = await lookUp(objects, root, recordPath(kind, area, id));
      if (entry !== null) files.set(main, entry.oid);
    }
    return { files, dead: grave === null ? null : (of(grave)?.oid ?? null) };
  };
  const ours = await sideOf(roots.ours, (one) => one.ours);
  const theirs = await sideOf(roots.theirs, (one) => one.theirs);
  const bases = await Promise.all(roots.bases.map((root, at) => sideOf(root, (one) => one.bases[at] ?? null)));
  const sides = { kind, id, ours, theirs, bases };
  const texts = new Map<string, string>();
  for (const oid of textsNeeded(sides)) texts.set(oid, await textOf(objects, oid as Oid));
  const text = (oid: string): string => texts.get(oid) ?? '';
  const goal = [ours, theirs].flatMap((side) => goalOf(text(side.files.get(main) ?? '')) ?? [])[0];
  const answer = mergeUnit({
    ...sides,
    text,
    now,
    last: last(id),
    disputed: goal !== undefined && disputed.has(goal),
  });
  const put = answer.files.get(main) ?? null;
  const record = put === null ? null : 'text' in put ? put.text : text(put.oid);
  const beside = differences.map((one) => one.ours?.area ?? one.theirs?.area).find((area) => area !== undefined);
  const area = record === null ? null : (areaOf(record) ?? beside ?? 'open');
  return { plan: { kind, id, area, files: answer.files, contested: answer.contested }, dead: answer.dead };
}

/** Where a record of this text lies; null: it does not say. One that is contested waits for a person: it is open. */
function areaOf(text: string): Area | null {
  const value = parseJson(text) as {
    readonly state?: unknown;
    readonly status?: unknown;
    readonly kind?: unknown;
  } | null;
  if (value?.kind === 'contested') return 'open';
  if (typeof value?.state === 'string') return CLOSED_STATES.has(value.state as JobState) ? 'closed' : 'open';
  if (typeof value?.status === 'string') return CLOSED_GOALS.has(value.status as GoalStatus) ? 'closed' : 'open';
  return null;
}

/** The Goal that the record of a Job belongs to; null: none. */
function goalOf(text: string): string | null {
  const goal = (parseJson(text) as { readonly goal?: unknown } | null)?.goal;
  return typeof goal === 'string' ? goal : null;
}

const textOf = async (objects: Objects, oid: Oid): Promise<string> => (await objects.blob(oid)).toString('utf8');

/** A file that belongs to no work. Where both sides changed it, neither is a decision: the same one counts everywhere. */
async function planFile(objects: Objects, { key, ours, theirs, bases }: Difference): Promise<Put> {
  const of = (side: { readonly oid: Oid } | null): string | null => side?.oid ?? null;
  const before = bases.length === 0 ? [null] : bases.map(of);
  const [one, other] = [of(ours), of(theirs)];
  const put = (oid: string | null): Put => (oid === null ? null : { oid });
  if (before.includes(one)) return put(other);
  if (before.includes(other) || one === other) return put(one);
  const feature = /^features\/([^/]+)\.json$/.exec(key)?.[1];
  if (feature !== undefined) {
    const read = async (oid: string | null) => {
      const row = oid === null ? null : decodeFeature(key, feature, await objects.blob(oid as Oid));
      return row?.kind === 'found' ? row.record : null;
    };
    const [mine, yours] = [await read(one), await read(other)];
    const known = (await Promise.all(before.map(read))).filter((base) => base !== null);
    const merged = mine === null || yours === null ? null : mergeFeatures(mine, yours, known);
    if (merged !== null) return { text: canonical(merged) };
  }
  if (key === META_PATH) return put(await olderMeta(objects, [one, other]));
  return put([one, other].filter((oid) => oid !== null).sort()[0] ?? null);
}

/** Two first uses of one repository: its id is that of one of them, the same one everywhere. */
async function olderMeta(objects: Objects, oids: readonly (string | null)[]): Promise<string | null> {
  const known = oids.filter((oid) => oid !== null);
  const texts = await Promise.all(known.map((oid) => textOf(objects, oid as Oid)));
  const idOf = (text: string | undefined): string =>
    String((parseJson(text ?? '') as { readonly repository?: unknown } | null)?.repository ?? '');
  const [one, other] = known;
  return (idOf(texts[0]) <= idOf(texts[1]) ? one : other) ?? one ?? null;
}
