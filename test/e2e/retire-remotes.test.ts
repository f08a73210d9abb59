// Remotes that move while names are retired, or that take less than they should: nothing is lost, both sides stay (M8, M9).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { gc, type Item, said } from '../fixtures/gc.js';
import { setHook } from '../fixtures/remote.js';
import { both, type Closed, closedGoals } from '../fixtures/retire.js';

t.setTimeout(600_000);

const RETIRED = ['retire goal-closed done', 'retire goal-closed done'];
const NAME = 'refine/done/round-1';
/** A hook may move refs only outside the quarantine of its push. */
const FREE = 'unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES;';
/** In a hook: not for the probes, which delete nothing. */
const DELETES = `{ test "$#" = 0 && grep -q ' 0000' || test "\${3#0000}" != "$3"; } || exit 0;`;

/** A `proc-receive` hook (githooks(5)) that answers each command with `ok` and does nothing. */
const TAKES_ALL = `import { readSync, writeSync } from 'node:fs';
const read = (size) => { const to = Buffer.alloc(size); for (let at = 0; at < size; ) { const got = readSync(0, to, at); if (got === 0) process.exit(0); at += got; } return to.toString('latin1'); };
const section = () => { const lines = []; for (;;) { const size = Number.parseInt(read(4), 16); if (size === 0) return lines; lines.push(read(size - 4)); } };
const say = (...lines) => writeSync(1, lines.map((line) => (line.length + 4).toString(16).padStart(4, '0') + line).join('') + '0000');
section();
say('version=1\\0atomic');
say(...section().map((line) => 'ok ' + line.trim().split(' ')[2]));
`;

const details = (items: readonly Item[], name: string): readonly (string | undefined)[] =>
  ['branch', 'remote-branch'].map(
    (kind) => items.find((item) => item.kind === kind && item.subject === `refs/heads/${name}`)?.detail,
  );

async function twoDone(t: Test): Promise<Closed> {
  const ground = await closedGoals(t);
  for (const id of ['done', 'more']) {
    await ground.plant(id, 'done', { round: 40 });
    await ground.branch(`refine/${id}/round-1`, ground.tip);
  }
  await ground.share();
  return ground;
}

t.test('07.48: the target is rewound, or a name moves, inside the hooks of the request itself', async (t) => {
  const { repo, first, tip, there, here } = await twoDone(t);
  for (const hook of ['pre-receive', 'update']) {
    setHook(repo.bare, hook, `${DELETES} ${FREE} git update-ref refs/heads/main ${first}`);
    t.same(both(await gc(repo), NAME), ['none changed kept', 'none changed kept'], `${hook} rewinds the target`);
    t.same([await here(NAME), await there(NAME), await there('main')], [tip, tip, first]);
    t.equal(await there('refine/more/round-1'), tip, 'the other one as well: it was one step');
    await repo.remoteGit('update-ref', 'refs/heads/main', tip);

    const lone = await repo.remoteGit('commit-tree', '-m', hook, '-p', tip, `${tip}^{tree}`);
    setHook(repo.bare, hook, `${DELETES} ${FREE} git update-ref refs/heads/${NAME} ${lone}`);
    const moved = await gc(repo);
    t.same(both(moved, NAME), ['none changed kept', 'none changed kept'], `${hook} moves the name`);
    t.same([await here(NAME), await there(NAME)], [tip, lone], 'what came meanwhile is there');
    t.same(
      details(moved, NAME),
      [`that on origin stays: it is at ${lone} now`, `it is at ${lone} now`],
      'each is said of where it is so',
    );
    t.match(details(moved, 'refine/more/round-1')[0], /^deleted here in one step with refs\/remotes\/origin\/main at /);
    t.same(both(moved, 'refine/more/round-1'), RETIRED, 'one bad entry does not stop the others');
    setHook(repo.bare, hook, 'exit 0');
    await repo.remoteGit('update-ref', `refs/heads/${NAME}`, tip);
    await repo.remoteGit('update-ref', 'refs/heads/refine/more/round-1', tip);
    await repo.git('update-ref', 'refs/heads/refine/more/round-1', tip);
  }
  setHook(repo.bare, 'update', `${DELETES} ${FREE} git update-ref refs/heads/refine/state refs/heads/refine/state~1`);
  t.same(both(await gc(repo), NAME), ['none changed kept', 'none changed kept'], 'the state moves');
  t.equal(await there(NAME), tip);
});

t.test('07.49: without atomic pushes, hidden refs, no-ops that are refused: both sides stay', async (t) => {
  const { box, repo, tip, there, here } = await twoDone(t);
  const stays = async (reason: string, why: string) => {
    const items = await gc(repo);
    t.same(both(items, NAME), [`none ${reason} kept`, `none ${reason} kept`], why);
    t.same([await here(NAME), await there(NAME)], [tip, tip]);
  };
  const configured = async (key: string, value: string, reason: string) => {
    await repo.remoteGit('config', key, value);
    await stays(reason, `${key}=${value}`);
    await repo.remoteGit('config', '--unset', key);
  };
  await configured('receive.advertiseAtomic', 'false', 'no-fence');
  await configured('receive.hideRefs', 'refs/heads/main', 'no-fence');
  await configured('receive.hideRefs', 'refs/heads/refine/state', 'no-fence');
  await configured('receive.hideRefs', 'refs/heads/refine/done', 'changed');
  await configured('receive.denyDeletes', 'true', 'declined');
  setHook(repo.bare, 'update', 'test "$2" != "$3"');
  await stays('no-fence', 'a hook that refuses no-ops');
  setHook(repo.bare, 'update', 'exit 0');
  await repo.remoteGit('config', 'core.bare', 'false');
  await repo.remoteGit('config', 'receive.denyCurrentBranch', 'refuse');
  await stays('no-fence', 'the target is checked out there');
  await repo.remoteGit('config', 'core.bare', 'true');
  // Takes all that only guards and says so, also of what is not there.
  writeFileSync(box.path('takes-all.mjs'), TAKES_ALL);
  setHook(repo.bare, 'proc-receive', `exec '${process.execPath}' '${box.path('takes-all.mjs')}'`);
  await repo.remoteGit('config', 'receive.procReceiveRefs', 'refs/heads/refine');
  await stays('no-fence', 'a server that does not compare');
  await repo.remoteGit('config', '--unset', 'receive.procReceiveRefs');
  const last = await gc(repo);
  t.same(both(last, NAME), RETIRED, last.map(({ detail }) => detail).join('\n'));
  t.same(await repo.remoteGit('for-each-ref', '--format=%(refname)'), 'refs/heads/main\nrefs/heads/refine/state');
});

t.test('M8: one name that may not be deleted is found among many', async (t) => {
  const { repo, first, branch, there } = await twoDone(t);
  for (let number = 2; number <= 40; number += 1) await branch(`refine/done/round-${number}`, first);
  setHook(repo.bare, 'update', 'case "$1 $3" in refs/heads/refine/done/round-17\\ 0000*) exit 1;; esac');
  const items = await gc(repo);
  const done = items.filter((item) => item.kind === 'remote-branch' && item.result === 'done');
  t.equal(done.length, 40);
  t.same(both(items, 'refine/done/round-17'), ['none declined kept', 'none declined kept']);
  t.equal(await there('refine/done/round-17'), first);
  t.equal(await there('refine/done/round-16'), '');
});

t.test(
  'M8: gc.unfenced counts only in the user’s own file; what the target loses meanwhile is there again',
  async (t) => {
    const { box, repo, first, tip, there, here } = await twoDone(t);
    await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
    const folder = join(box.home, '.config/coding-owl');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.yaml'), 'version: 1\ngc: { unfenced: true }\n');
    setHook(repo.bare, 'post-receive', `git update-ref refs/heads/main ${first}`);
    const lost = await gc(repo);
    t.same(both(lost, NAME), ['none changed kept', 'none changed kept']);
    t.match(lost.find((item) => item.kind === 'remote-branch')?.detail, /there again/);
    t.same([await here(NAME), await there(NAME), await there('main')], [tip, tip, first]);
    setHook(repo.bare, 'post-receive', 'exit 0');
    await repo.remoteGit('update-ref', 'refs/heads/main', tip);
    const items = await gc(repo);
    t.same(both(items, NAME), RETIRED);
    t.match(
      items.find((item) => item.kind === 'remote-branch'),
      { guarantee: 'unfenced', detail: /no fence/ },
    );
    t.equal(said(items.find((item) => item.kind === 'branch')), 'retire goal-closed done');
  },
);
