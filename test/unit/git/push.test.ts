// Pushes of exact refs under a lease, over a folder, git daemon and smart HTTP (01, Hosts; 05, S5; G32).

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Oid, RefName } from '../../../src/domain/git.js';
import { parsePushLines, remoteWords } from '../../../src/git/parse/push.js';
import { lookAtRefs, type PushResult, pushedAll, pushRefs } from '../../../src/git/push.js';
import { opened } from '../../fixtures/opened.js';
import { serveDaemon, serveHttp, serveSilence, setHook } from '../../fixtures/remote.js';
import type { Repo } from '../../fixtures/repository.js';
import { sandbox } from '../../fixtures/sandbox.js';

const MAIN = 'refs/heads/main' as RefName;
const SIDE = 'refs/heads/side' as RefName;
const statuses = (result: PushResult): readonly string[] => result.refs.map(({ status }) => status);
const at = async (repo: Repo, ref: string): Promise<Oid> => (await repo.oid(ref)) as Oid;
const there = async (repo: Repo, ref: string): Promise<string> =>
  (await repo.gitResult('rev-parse', '--verify', '--quiet', ref, { cwd: repo.bare })).stdout.trim();

t.test('S5, G32: each ref under its lease, all or none, whatever the transport', async (t) => {
  const box = await sandbox(t);
  for (const transport of ['folder', 'daemon', 'http'] as const) {
    const repo = await box.repository({ name: transport, remote: 'bare' });
    if (transport === 'daemon')
      await repo.git('remote', 'set-url', 'origin', (await serveDaemon(t, box, repo.bare)).url);
    if (transport === 'http') await repo.git('remote', 'set-url', 'origin', (await serveHttp(t, box, repo.bare)).url);
    // Nothing that the user set changes what is pushed.
    for (const [key, value] of [
      ['remote.origin.push', '+refs/heads/*:refs/heads/*'],
      ['remote.origin.mirror', 'true'],
      ['push.followTags', 'true'],
      ['push.gpgSign', 'true'],
    ] as const)
      await repo.git('config', key, value);
    setHook(join(repo.dir, '.git'), 'pre-push', 'exit 1');
    const one = await at(repo, 'main');
    const two = (await repo.commit('two')) as Oid;
    await repo.git('tag', '-a', '-m', 'tag', 'v1');
    const repository = await opened(t, repo);
    const first = await pushRefs(repository, {
      remote: 'origin',
      atomic: true,
      updates: [
        { ref: MAIN, old: one, new: two },
        { ref: SIDE, old: 'absent', new: two },
      ],
    });
    t.same(statuses(first), ['done', 'done'], transport);
    t.equal(first.why, null);
    t.same(await there(repo, MAIN), two);
    t.same((await repo.remoteGit('for-each-ref', '--format=%(refname)')).split('\n'), [MAIN, SIDE], 'and nothing else');

    const three = (await repo.commit('three')) as Oid;
    const again = [{ ref: SIDE, old: 'absent' as const, new: two }];
    t.same(statuses(await pushRefs(repository, { remote: 'origin', updates: again })), ['there'], 'not by this push');
    const stale = await pushRefs(repository, {
      remote: 'origin',
      atomic: true,
      updates: [
        { ref: MAIN, old: two, new: three },
        { ref: SIDE, old: one, new: three },
      ],
    });
    t.same(statuses(stale), ['held-back', 'moved'], `${transport}: one is stale, none moves`);
    t.equal(stale.refs[1]?.found, two);
    t.equal(await there(repo, MAIN), two);

    setHook(repo.bare, 'update', `[ "$1" = ${MAIN} ] && { echo "main is protected" >&2; exit 1; }; exit 0`);
    const declined = await pushRefs(repository, {
      remote: 'origin',
      updates: [
        { ref: MAIN, old: two, new: three },
        { ref: SIDE, old: two, new: three },
      ],
    });
    t.same(statuses(declined), ['declined', 'done'], `${transport}: apart, each for itself`);
    t.match(declined.why, /main is protected.*remote rejected/);
    t.equal(pushedAll(declined), false);

    const gone = [{ ref: SIDE, old: three, new: 'absent' as const }];
    t.same(statuses(await pushRefs(repository, { remote: 'origin', updates: gone })), ['done']);
    const look = await lookAtRefs(repository, { remote: 'origin', refs: [MAIN, SIDE] });
    t.same(look.kind === 'looked' && [...look.refs], [[MAIN, two]]);
  }
});

t.test('G32: a push without an answer is what the remote has, and unknown where it cannot be asked', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  let hold = false;
  let cut = false;
  const served = await serveHttp(t, box, repo.bare, {
    before: async (line) => {
      const push = line.startsWith('POST') && line.includes('receive-pack');
      if (cut && push) throw new Error('cut');
      if (hold && push) await new Promise(() => {});
    },
  });
  await repo.git('remote', 'set-url', 'origin', served.url);
  const one = await at(repo, 'main');
  const two = (await repo.commit('two')) as Oid;
  const repository = await opened(t, repo);
  const updates = [{ ref: MAIN, old: one, new: two }];
  cut = true;
  const failed = await pushRefs(repository, { remote: 'origin', updates });
  t.same(statuses(failed), ['unanswered']);
  t.ok(failed.why);
  cut = false;
  hold = true;
  const slow = await pushRefs(repository, { remote: 'origin', updates, timeout: 1_000 });
  t.same(statuses(slow), ['unanswered'], 'the deadline passed');
  t.match(slow.why, /did not answer/);
  hold = false;
  // It went through, and the connection died before the answer.
  setHook(repo.bare, 'post-update', 'sleep 3');
  const late = await pushRefs(repository, { remote: 'origin', updates, timeout: 1_500 });
  t.same(statuses(late), ['there']);

  const silent = await serveSilence(t);
  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.same(statuses(await pushRefs(repository, { remote: 'origin', updates })), ['unknown']);
  await repo.git('remote', 'set-url', 'origin', silent.url);
  const look = await lookAtRefs(repository, { remote: 'origin', refs: [MAIN], timeout: 500 });
  t.match(look, { kind: 'failed', reason: /did not answer/ });
});

t.test('G32: what cannot be written is declined; the look is of exact names', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ remote: 'bare' });
  const one = await at(repo, 'main');
  await repo.remoteGit('update-ref', 'refs/heads/x/refs/heads/main', one);
  const repository = await opened(t, repo);
  const look = await lookAtRefs(repository, { remote: 'origin', refs: [MAIN] });
  t.same(look.kind === 'looked' && [...look.refs.keys()], [MAIN]);
  const below = await lookAtRefs(repository, { remote: 'origin', refs: ['refs/heads/x/*'] });
  t.same(below.kind === 'looked' && [...below.refs.keys()], ['refs/heads/x/refs/heads/main']);
  await repo.remoteGit('config', 'receive.hideRefs', 'refs/owl');
  const hidden = 'refs/owl/leases/main' as RefName;
  const refused = await pushRefs(repository, { remote: 'origin', updates: [{ ref: hidden, old: 'absent', new: one }] });
  t.same(statuses(refused), ['declined']);
  if (process.getuid?.() !== 0) {
    chmodSync(join(repo.bare, 'objects'), 0o500);
    const two = (await repo.commit('two')) as Oid;
    const dark = await pushRefs(repository, { remote: 'origin', updates: [{ ref: MAIN, old: one, new: two }] });
    t.equal(await there(repo, MAIN), one);
    t.notOk(pushedAll(dark));
    chmodSync(join(repo.bare, 'objects'), 0o700);
  }
});

t.test('the machine output of a push: flags, refs, who rejected', async (t) => {
  const lines = parsePushLines(
    'To x\n \ta:refs/heads/a\t1..2\n!\t:refs/heads/b\t[remote rejected] (no\u001b)\n!\tc:refs/heads/c\t[rejected] (stale info)\n!\td:refs/heads/d\t[remote failure] (x)\nDone\n',
  );
  t.same(
    [...lines].map(([ref, line]) => [ref, line.flag, line.rejectedBy]),
    [
      ['refs/heads/a', ' ', null],
      ['refs/heads/b', '!', 'remote'],
      ['refs/heads/c', '!', 'git'],
      ['refs/heads/d', '!', null],
    ],
  );
  t.equal(lines.get('refs/heads/b')?.summary, '[remote rejected] (no?)');
  t.equal(remoteWords('remote: one \nremote: \r\nremote: two\nerror: x\n'), 'one two');
});
