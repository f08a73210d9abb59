// A push whose process was killed may land after the next command has looked (G32): what a Goal's owner decides meanwhile never leads
// to a second merge, or to one of a cancelled Goal that nobody hears of. The server's hook decides when the push lands.

import { type Test, t } from 'tap';
import { addGoal, advanceTo, evidenceOf, onRemote, showGoal } from '../fixtures/goals.js';
import { type LateGround, lateGround } from '../fixtures/late-push.js';
import { serveHttp } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';

t.setTimeout(600_000);

const CONFIG =
  'plan: false\nchecks: [{ name: test, run: "ls *.txt" }]\nquality: { checks: [{ name: style, run: "true" }] }\n';

interface Ground extends LateGround {
  /** A Goal whose push waits at the server, its process killed; `known`: the remote has the Candidate's branch already. */
  sentGoal(title: string, known?: 'known'): Promise<string>;
}

async function ground(t: Test): Promise<Ground> {
  const late = await lateGround(t, CONFIG);
  const sentGoal = async (title: string, known?: 'known'): Promise<string> => {
    const id = await addGoal(late.repo, title);
    await advanceTo(late.repo, id, 'governance');
    if (known !== undefined) await late.repo.git('push', '-q', 'origin', `refs/heads/refine/${id}/round-1`);
    await late.sent('goal', 'advance', id);
    return id;
  };
  return { ...late, sentGoal };
}

/** Merges of this Goal on the target of the remote. */
const merges = async (repo: Repo, id: string): Promise<number> =>
  Number(await repo.remoteGit('rev-list', '--min-parents=2', '--count', `--grep=Owl-Goal: ${id}`, 'main'));

const noteOf = (repo: Repo, id: string): Promise<string> => repo.git('for-each-ref', `refs/owl/local/publish/${id}`);

t.test('G32: with a branch beside it the late push is shut out, and every decision is free at once', async (t) => {
  const { repo, push, sentGoal } = await ground(t);

  await t.test('moved back to implement', async (t) => {
    const id = await sentGoal('moved');
    const start = await onRemote(repo);
    const moved = await repo.owl('goal', 'move', '-f', id, 'implement');
    t.match(moved.stderr, /does not have it, and it cannot arrive any more; nothing was published/);
    t.match(await showGoal(repo, id), { status: 'implement', integration: null });
    await push.letGo();
    t.equal(await onRemote(repo), start, 'it was refused');
    await repo.owl('run', id);
    t.match(await showGoal(repo, id), { status: 'review', integration: { merge: await onRemote(repo) } });
    t.equal(await merges(repo, id), 1);
  });

  await t.test('another Round', async (t) => {
    const id = await sentGoal('another round');
    await repo.owl('goal', 'round', id, 'otherwise');
    await push.letGo();
    t.equal(await merges(repo, id), 0);
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review', round: 2 });
    t.equal(await merges(repo, id), 1);
  });

  await t.test('cancelled', async (t) => {
    const id = await sentGoal('cancelled');
    const start = await onRemote(repo);
    await repo.owl('cancel', id);
    await push.letGo();
    t.equal(await onRemote(repo), start);
    await repo.owl('reopen', id);
    t.match(await showGoal(repo, id), { status: 'backlog', integration: null });
  });

  await t.test('killed while it is shut out', async (t) => {
    const id = await sentGoal('killed twice');
    const start = await onRemote(repo);
    for (const point of ['publish.after-look', 'publish.after-fence']) {
      const killed = await repo.owl('goal', 'move', '-f', id, 'implement', {
        env: { OWL_FAIL_AT: point },
        fails: 'any',
      });
      t.equal(killed.signal, 'SIGKILL', point);
    }
    await repo.owl('goal', 'move', '-f', id, 'implement');
    t.equal(await noteOf(repo, id), '');
    await push.letGo();
    t.equal(await onRemote(repo), start);
    await repo.owl('cancel', id);
  });

  await t.test('carried on', async (t) => {
    const id = await sentGoal('carried on');
    await repo.owl('run', id);
    const main = await onRemote(repo);
    await push.letGo();
    t.equal(await onRemote(repo), main);
    t.match(await showGoal(repo, id), { status: 'review', integration: { merge: main } });
    t.equal(await merges(repo, id), 1);
  });

  await t.test('landed before anybody looks, and then declined', async (t) => {
    const id = await sentGoal('landed');
    await push.letGo();
    await repo.owl('goal', 'decline', id, 'once more');
    t.match(await showGoal(repo, id), { status: 'todo', round: 2 });
    t.same(evidenceOf(await showGoal(repo, id), 'integration'), ['done']);
    t.equal(await merges(repo, id), 1);
  });
});

t.test('G32: where nothing shuts it out, all but cancel waits for it, and the same act sends the same', async (t) => {
  const { repo, push, at, sentGoal } = await ground(t);
  const until = '2026-03-01T10:10:00Z';

  await t.test('decisions are refused until it cannot be waited for any longer', async (t) => {
    const id = await sentGoal('refused', 'known');
    for (const words of [
      ['goal', 'move', '-f', id, 'implement'],
      ['goal', 'round', id, 'otherwise'],
      ['goal', 'edit', id, '--title', 'other'],
    ]) {
      const { error } = (await repo.owlFails(9, ...words, '--json')).json();
      t.match(error, { code: 'remote', message: new RegExp(`may still arrive until ${until}`) }, words.join(' '));
      t.match(error.next, [`git owl goal advance ${id}`]);
    }
    t.match(await showGoal(repo, id), { status: 'governance' });
    t.match((await repo.owl('show', id)).stderr, new RegExp(`may still arrive until ${until}; "git owl run" looks`));
    at('2026-03-01T10:09:59Z');
    await repo.owlFails(9, 'goal', 'move', '-f', id, 'implement');
    at('2026-03-01T10:10:00Z');
    await repo.owl('goal', 'move', '-f', id, 'implement');
    t.equal(await noteOf(repo, id), '');
    await repo.owl('cancel', id);
    at('2026-03-01T10:00:00Z');
    const main = await repo.colleague('Theirs', { 'theirs.txt': 'x\n' });
    await push.letGo();
    t.equal(await onRemote(repo), main, 'its target has moved');
  });

  await t.test('carried on before it lands: the same commit, once', async (t) => {
    const id = await sentGoal('same', 'known');
    const sent = (await showGoal(repo, id)).integration.merge;
    await repo.owl('run', id);
    t.match(await showGoal(repo, id), { status: 'review', integration: { status: 'done', merge: sent } });
    t.same(evidenceOf(await showGoal(repo, id), 'integration'), ['done']);
    t.equal(await onRemote(repo), sent);
    await push.letGo();
    t.equal(await onRemote(repo), sent);
    t.equal(await merges(repo, id), 1);
  });

  await t.test('the target moves on: it is shut out by that', async (t) => {
    const id = await sentGoal('overtaken', 'known');
    const main = await repo.colleague('Beside it', { 'beside.txt': 'x\n' });
    await repo.owl('goal', 'move', '-f', id, 'implement');
    await push.letGo();
    t.equal(await onRemote(repo), main);
    await repo.owl('goal', 'advance', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    t.equal(await merges(repo, id), 1);
  });

  await t.test('G35: cancelled, it lands all the same: that is recorded, and reopen goes to review', async (t) => {
    const id = await sentGoal('cancelled', 'known');
    const cancelled = await repo.owl('cancel', id);
    t.match(cancelled.stderr, /what arrives is recorded/);
    t.match((await repo.owlFails(9, 'reopen', id, '--json')).json().error, {
      code: 'remote',
      message: /may still arrive/,
      next: ['git owl run'],
    });
    await repo.owlFails(9, 'goal', 'delete', id);
    t.match(await showGoal(repo, id), { status: 'cancelled' });
    await push.letGo();
    t.match((await repo.owl('add', 'of anybody')).stderr, /origin has it, and it is finished/);
    const goal = await showGoal(repo, id);
    t.match(goal, { status: 'cancelled', integration: { status: 'done', merge: await onRemote(repo) } });
    t.equal(await repo.oid('main'), await onRemote(repo), 'what is here follows');
    await repo.owl('reopen', id);
    t.match(await showGoal(repo, id), { status: 'review' });
    await repo.owl('run', { fails: 'any' });
    await repo.owl('goal', 'approve', id);
    t.equal(await merges(repo, id), 1);
  });
});

t.test('G32: a push that was not answered in time is waited for like that of a dead process', async (t) => {
  const { box, repo, push } = await ground(t);
  const id = await addGoal(repo, 'unanswered');
  await advanceTo(repo, id, 'governance');
  await repo.git('push', '-q', 'origin', `refs/heads/refine/${id}/round-1`);
  await repo.git('remote', 'set-url', 'origin', (await serveHttp(t, box, repo.bare)).url);
  push.hold();
  const env = { OWL_PUSH_TIMEOUT: '2000' };
  t.match((await repo.owlFails(9, 'goal', 'advance', id, '--json', { env })).json().error, {
    code: 'publication-unknown',
  });
  await push.reached();
  await repo.owlFails(9, 'goal', 'move', '-f', id, 'implement');
  await push.letGo();
  await repo.owl('goal', 'advance', id, { fails: 'any' });
  t.match(await showGoal(repo, id), { status: 'review', integration: { merge: await onRemote(repo) } });
  t.equal(await merges(repo, id), 1);
});

t.test('G32: over smart HTTP, with the pushing Git gone as well', async (t) => {
  const { box, repo, push, sentGoal } = await ground(t);
  await repo.git('remote', 'set-url', 'origin', (await serveHttp(t, box, repo.bare)).url);
  const id = await sentGoal('over http');
  for (const { pid, command } of box.processes())
    if (/remote-http|git push|send-pack/.test(command)) process.kill(pid, 'SIGKILL');
  const start = await onRemote(repo);
  await repo.owl('goal', 'move', '-f', id, 'implement');
  await push.letGo();
  t.equal(await onRemote(repo), start);
  await repo.owl('goal', 'advance', id);
  t.match(await showGoal(repo, id), { status: 'review', integration: { merge: await onRemote(repo) } });
  t.equal(await merges(repo, id), 1);
});
