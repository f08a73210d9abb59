// Where a name may not be retired from: a clone that knows too little, or a remote that cannot be asked, or takes nothing. Each keeps both sides as they were and says why (07.47).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { acted, gc, type Item } from '../fixtures/gc.js';
import { serveDaemon, serveHttp, serveSilence, setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { both, type Closed, closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const NAME = 'refine/done/round-1';
const says = (reason: string, result = 'none', action = 'none'): readonly string[] => [
  `${action} ${reason} ${result}`,
  `${action} ${reason} ${result}`,
];
const RETIRED = ['retire goal-closed done', 'retire goal-closed done'];

interface Refused extends Closed {
  /** `gc` in that clone keeps the name on both sides for that reason; not one ref has moved, here or there. */
  readonly keeps: (at: Repo, reasons: readonly string[], why: RegExp) => Promise<readonly Item[]>;
}

/** A Goal that is done, with a Round's branch on both sides whose commit the target has, and the state shared. */
async function oneDone(t: Test): Promise<Refused> {
  const ground = await closedGoals(t);
  const { repo, first, plant, branch, share } = ground;
  await plant('other', 'todo');
  await plant('done', 'done');
  await branch(NAME, first);
  await share();
  const keeps: Refused['keeps'] = async (at, reasons, why) => {
    const refs = async () => ({ here: await at.refs(), there: await repo.remoteGit('for-each-ref') });
    const before = await refs();
    const items = await gc(at);
    t.same(both(items, NAME), reasons, String(why));
    const named = items.filter(({ subject }) => subject === `refs/heads/${NAME}`);
    t.ok(
      named.length > 0 && named.every(({ detail }) => why.test(detail)),
      named.map(({ detail }) => detail).join('\n'),
    );
    t.same(
      acted(items).filter((line) => line.endsWith('done')),
      [],
      'nothing at all was done',
    );
    t.same(await refs(), before, 'no ref moved, here or there');
    return items;
  };
  return { ...ground, keeps };
}

t.test('07.47: a fresh clone knows of no Goal, and a shallow one not what the target has', async (t) => {
  const { box, repo, first, keeps } = await oneDone(t);
  const fresh = await repo.clone('fresh');
  await keeps(fresh, ['no item', 'report no-record none'], /no record here; git owl sync brings the state/);
  t.equal(await fresh.oid('refs/heads/refine/state'), '', 'gc makes no state');
  await fresh.git('branch', '--no-track', NAME, first);
  await keeps(fresh, says('no-record', 'none', 'report'), /no record here/);

  const path = box.path('shallow');
  await repo.git('clone', '-q', '--depth=1', '--no-single-branch', `file://${repo.bare}`, path);
  const shallow = box.open(path);
  await shallow.git('branch', '--no-track', NAME, first);
  // Its sync would fetch what is cut off.
  await shallow.git('branch', '--no-track', 'refine/state', 'refs/remotes/origin/refine/state');
  await keeps(shallow, [CUT, CUT], /is shallow/);
  await fresh.owl('sync');
  t.same(both(await gc(fresh), NAME), RETIRED, 'and once it knows, it goes');
});
const CUT =
  'none inspection-failed none: it cannot be told whether the target has its commits: the history of this clone is cut off: it is shallow';

t.test('07.47: a stale clone, of the state or of the target', async (t) => {
  const { repo, first, tip, plant, keeps } = await oneDone(t);
  await repo.owl('sync');
  const stale = await repo.clone('stale');
  await stale.owl('sync');
  await stale.git('branch', '--no-track', NAME, first);
  await plant('done', 'review');
  await repo.owl('sync');
  await keeps(stale, says('state-differs'), /goal done is review in the state on the remote/);
  await keeps(repo, says('open-goal'), /goal done is review/);
  await stale.owl('sync');
  await plant('done', 'done');
  await repo.owl('sync');
  await keeps(stale, says('open-goal'), /goal done is review/);

  // Its tracking ref says that the target has the commit; what is asked is the remote.
  const before = await stale.oid('refs/remotes/origin/main');
  await stale.owl('sync');
  const orphan = await repo.remoteGit('commit-tree', '-m', 'anew', `${tip}^{tree}`);
  await repo.remoteGit('update-ref', 'refs/heads/main', orphan);
  await keeps(stale, says('unique-commits'), /does not have/);
  t.equal(await stale.oid('refs/remotes/origin/main'), before);
  await repo.remoteGit('update-ref', 'refs/heads/main', tip);
  t.same(both(await gc(stale), NAME), RETIRED);
});

t.test('07.47: offline: no such remote, nobody listens, and one that says nothing', async (t) => {
  const { box, repo, keeps } = await oneDone(t);
  const url = await repo.git('remote', 'get-url', 'origin');
  const unseen = ['none remote-unseen none', 'no item'];
  await repo.git('remote', 'set-url', 'origin', `${url}.away`);
  await keeps(repo, unseen, /origin: /);
  await repo.git('remote', 'set-url', 'origin', 'http://127.0.0.1:1/repo.git');
  await keeps(repo, unseen, /origin: /);
  const silence = await serveSilence(t);
  await repo.git('remote', 'set-url', 'origin', silence.url);
  box.set('OWL_FETCH_TIMEOUT', '500');
  await keeps(repo, unseen, /origin: /);
  t.ok(silence.connections() > 0);
  await repo.git('remote', 'set-url', 'origin', url);
  box.set('OWL_FETCH_TIMEOUT', '30000');
  t.same(both(await gc(repo), NAME), RETIRED);
});

const READ_ONLY: Readonly<Record<string, (t: Test, ground: Closed) => Promise<string>>> = {
  'git daemon without receive-pack': async (t, { box, repo }) =>
    (await serveDaemon(t, box, repo.bare, { readOnly: true })).url,
  'smart HTTP without receive-pack': async (t, { box, repo }) =>
    (await serveHttp(t, box, repo.bare, { readOnly: true })).url,
  'a token that may only read': async (t, { box, repo }) =>
    (await serveHttp(t, box, repo.bare, { mayPush: () => false })).url,
};
for (const [what, serve] of Object.entries(READ_ONLY)) {
  t.test(`07.47, M8: a read-only remote: ${what}`, async (t) => {
    const ground = await oneDone(t);
    const { repo, keeps } = ground;
    const url = await repo.git('remote', 'get-url', 'origin');
    await repo.git('remote', 'set-url', 'origin', await serve(t, ground));
    const daemon = what.startsWith('git daemon');
    await keeps(
      repo,
      says(daemon ? 'no-fence' : 'no-push', 'kept'),
      daemon ? /reached by git/ : /403|not found|access/i,
    );
    unfenced(ground);
    await keeps(repo, says(daemon ? 'unanswered' : 'no-push', 'kept'), /origin/);
    await repo.git('remote', 'set-url', 'origin', url);
    t.same(both(await gc(repo), NAME), RETIRED, 'and where it may be pushed to, it goes');
  });
}

t.test('07.47, M8: a remote whose hooks decline everything', async (t) => {
  const ground = await oneDone(t);
  const { repo, keeps } = ground;
  const hooks = ['pre-receive', 'update', 'reference-transaction'];
  const only = (name: string, script: string) => {
    for (const hook of hooks) setHook(repo.bare, hook, hook === name ? script : 'exit 0');
  };
  for (const hook of hooks) {
    only(hook, 'echo this place is read-only >&2; exit 1');
    await keeps(repo, says('no-fence', 'kept'), hook === 'reference-transaction' ? /does not answer/ : /hook declined/);
  }
  unfenced(ground);
  for (const hook of hooks) {
    only(hook, 'echo this place is read-only >&2; exit 1');
    // There receive-pack dies before it answers.
    if (hook === 'reference-transaction') await keeps(repo, says('unanswered', 'kept'), /aborted by hook/);
    else await keeps(repo, says('declined', 'kept'), /this place is read-only .*hook declined/);
  }
  only('', '');
  t.same(both(await gc(repo), NAME), RETIRED);
});

/** The user lets names go without a fence (M8). */
function unfenced({ box }: Closed): void {
  const folder = join(box.home, '.config/coding-owl');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), 'version: 1\ngc: { unfenced: true }\n');
}
