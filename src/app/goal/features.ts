// Features: they order Goals, and have a place in the queue themselves (G3).

import { OwlError } from '../../domain/errors.js';
import type { Feature } from '../../domain/goal.js';
import { titleOf } from '../../domain/title.js';
import type { Tx, Updated } from '../../state/types.js';
import type { Place } from '../decide/queue.js';
import { freshId } from '../fresh-id.js';
import { findFeature, foundFeature } from '../goals.js';
import { lastPosition, positionAmong, queuePlaces } from '../queue-places.js';
import { requestOf, updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { readTitle } from './add.js';

/** Throws OwlError `usage` and what the store throws. */
export async function addFeature(
  bench: Workbench,
  text: string,
): Promise<{ readonly feature: Feature; readonly repeated: boolean }> {
  const title = titleOf(readTitle(text));
  const content = { verb: 'feature add', title };
  const updated = await updateOrTry<Feature>(
    bench,
    { step: 'feature-add', ...(bench.requestId === undefined ? {} : { request: { id: bench.requestId, content } }) },
    async (tx) => {
      const id = await freshId(bench, tx);
      const position = await lastPosition(tx);
      const feature: Feature = { schema: 1, kind: 'feature', id, title, position, created: tx.now };
      tx.putFeature(feature);
      tx.event({ event: 'feature.added', subject: `feature ${id}: added: ${title}` });
      return feature;
    },
  );
  return { feature: updated.result, repeated: updated.repeated };
}

/** Throws OwlError `usage`, `unknown-id`, `ambiguous-id`. */
export async function orderFeature(bench: Workbench, text: string, place: Place): Promise<Updated<Feature>> {
  const found = await findFeature(await bench.store.snapshot(), text);
  const request = requestOf(bench, 'feature order', found, { place });
  return updateOrTry(bench, { step: 'feature-order', ...(request === undefined ? {} : { request }) }, async (tx) => {
    const feature = foundFeature(found.id, await tx.feature(found.id));
    const next: Feature = { ...feature, position: await positionOf(tx, feature, place) };
    tx.putFeature(next);
    tx.event({ event: 'feature.ordered', subject: `feature ${feature.id}: another place` });
    return next;
  });
}

async function positionOf(tx: Tx, feature: Feature, place: Place): Promise<string> {
  if (place.kind === 'last') return lastPosition(tx);
  const others = (await queuePlaces(tx)).filter((other) => other.id !== feature.id);
  if (place.kind === 'first') return positionAmong(others, 0);
  const { id } = await findFeature(tx, place.id);
  const at = others.findIndex((other) => other.id === id);
  if (at < 0) throw new OwlError('usage', `feature ${id} cannot go before itself`);
  return positionAmong(others, at);
}
