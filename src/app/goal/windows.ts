// Windows of Error events that passed without a decision: the clone that opened one closes it, another one only after a further window
// of its own clock; any decision of the same occurrence comes first (G41).

import { mayClose, sightOfWindow, type WindowSight } from '../../domain/error-window.js';
import type { ErrorWindow, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { stands } from '../../domain/machine.js';
import { failpoint } from '../../system/failpoint.js';
import { knownClone } from '../clone.js';
import { foundGoal } from '../goals.js';
import { closeWaiting, settleDeadInvocations } from '../skill/record.js';
import type { Workbench } from '../workbench.js';
import { bindEntry, openBinder } from './skills.js';

const SEEN = 'window-seen/';

/** Closes every window that this clone may close now. Returns one sentence for each. */
export async function settleWindows(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  const open = (await (await bench.store.snapshot()).openGoals()).filter(({ window }) => window !== null);
  const left = new Set(open.map(({ id }) => id));
  for (const goal of open) {
    const closed = await settleWindow(bench, goal);
    if (closed !== null) left.delete(goal.id);
    if (closed !== null && closed.status === 'failed') said.push(`goal ${goal.id}: ${closed.reason?.text ?? 'failed'}`);
  }
  await forgetSights(bench, left);
  return said;
}

/** The Goal after its window was closed; null: it may not be closed now. */
export async function settleWindow(bench: Workbench, goal: Goal): Promise<Goal | null> {
  const { window } = goal;
  if (window === null) return null;
  const clone = await knownClone(bench);
  const sight = window.clone === clone ? 'own' : await noteSight(bench, goal.id, window);
  if (!mayClose(window, sight, bench.clock.now())) return null;
  await settleDeadInvocations(bench, goal.id, clone);
  const binder = await openBinder(bench, goal);
  await failpoint('window.before-close');
  const updated = await bench.store.update<Goal | null>({ step: 'goal-expire' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    if (now.window?.evidence !== window.evidence || !stands(now, goal.occurrence)) return null;
    const never = await closeWaiting(tx, now, clone, 'its window closed before it was started');
    const text = [
      now.reason?.text ?? `${window.event} failed`,
      `nobody decided before ${window.deadline}`,
      ...never.map((name) => `its handler ${name} never ran`),
    ].join('; ');
    const reason = { ...(now.reason ?? { code: 'round-failed' }), text };
    const next = moveGoal(
      now,
      { event: 'fail', to: 'failed', op: tx.op, at: tx.now },
      { reason, failed_in: now.failed_in, claim: null },
    );
    tx.putGoal(next);
    await bindEntry(tx, next, binder);
    tx.event({
      event: 'goal.expired',
      subject: `goal ${goal.id}: the window of ${window.event} closed; failed: ${text}`,
      goal: goal.id,
      round: now.round,
    });
    return next;
  });
  await failpoint('window.after-close');
  return updated.result;
}

async function noteSight(bench: Workbench, goal: string, window: ErrorWindow): Promise<WindowSight> {
  const name = `${SEEN}${goal}`;
  for (;;) {
    const before = await bench.notes.read<WindowSight>(name);
    const sight = sightOfWindow(before?.value ?? null, window, bench.clock.now());
    if (before !== null && sight === before.value) return sight;
    if (await bench.notes.write(name, sight, before?.oid ?? 'absent')) return sight;
  }
}

async function forgetSights(bench: Workbench, open: ReadonlySet<string>): Promise<void> {
  for (const { name, oid } of await bench.notes.list(SEEN))
    if (!open.has(name.slice(SEEN.length))) await bench.notes.remove(name, oid);
}
