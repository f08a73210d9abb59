// A request that guards refs and deletes others in one transaction of the server, on Git's own connections: a folder, ssh, smart
// HTTP (M8; 07.48, 07.49).

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import type { Oid, RefName } from '../../../src/domain/git.js';
import { decideExchange, parseReport } from '../../../src/git/fence/exchange.js';
import { fencedPush } from '../../../src/git/fence/fenced-push.js';
import type { FenceCommand } from '../../../src/git/fence/plan.js';
import type { Repository } from '../../../src/git/repository.js';
import { bundle } from '../../fixtures/bundle.js';
import { opened } from '../../fixtures/opened.js';
import { eventually } from '../../fixtures/process.js';
import { serveHttp, serveSsh, setHook } from '../../fixtures/remote.js';
import type { Repo, RepositoryOptions } from '../../fixtures/repository.js';
import { type Sandbox, sandbox } from '../../fixtures/sandbox.js';

t.setTimeout(300_000);

const MAIN = 'refs/heads/main' as RefName;
const SIDE = 'refs/heads/refine/abcd/round-1' as RefName;
const guard = (ref: RefName, oid: Oid): FenceCommand => ({ ref, seen: oid, old: oid, new: oid });
const deletion = (ref: RefName, oid: Oid): FenceCommand => ({ ref, seen: oid, old: oid, new: 'absent' });

interface Ground {
  readonly repo: Repo;
  readonly one: Oid;
  readonly two: Oid;
  readonly ask: (...commands: readonly FenceCommand[]) => ReturnType<typeof fencedPush>;
  readonly there: (ref: string) => Promise<string>;
}

type Transport = 'folder' | 'ssh' | 'http';

/** A remote with main at `two` and the side branch at `one`, which main contains. */
async function ground(t: Test, box: Sandbox, transport: Transport, options: RepositoryOptions = {}): Promise<Ground> {
  const repo = await box.repository({ name: transport, remote: 'bare', ...options });
  const one = (await repo.oid('main')) as Oid;
  const two = (await repo.commit('two')) as Oid;
  await repo.git('push', '-q', 'origin', 'main', `${one}:${SIDE}`);
  if (transport === 'ssh') await repo.git('remote', 'set-url', 'origin', serveSsh(box, repo.bare).url);
  if (transport === 'http') await repo.git('remote', 'set-url', 'origin', (await serveHttp(t, box, repo.bare)).url);
  const repository: Repository = await opened(t, repo);
  const program = bundle('src/git/fence/program.ts', box.path('tmp'), 'fence');
  return {
    repo,
    one,
    two,
    ask: (...commands) => fencedPush(repository, { remote: 'origin', commands, program }),
    there: async (ref) =>
      (await repo.gitResult('rev-parse', '--verify', '--quiet', ref, { cwd: repo.bare })).stdout.trim(),
  };
}

for (const transport of ['folder', 'ssh', 'http'] as const) {
  t.test(`M8: what is guarded holds in the transaction that deletes, over ${transport}`, async (t) => {
    const box = await sandbox(t);
    const { repo, one, two, ask, there } = await ground(t, box, transport);
    const untouched = await repo.untouched();
    t.match(await ask(guard(MAIN, one), deletion(SIDE, one)), { kind: 'moved', refs: [{ ref: MAIN, found: two }] });
    t.match(await ask(guard(MAIN, two), deletion(SIDE, two)), { kind: 'moved', refs: [{ ref: SIDE, found: one }] });
    t.equal(await there(SIDE), one, 'what the server shows is not what was judged: nothing is sent');

    // A value that it shows and that is moved by the server's own hooks, in the middle of the request.
    const unlocked = 'unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES';
    for (const hook of ['pre-receive', 'update']) {
      setHook(repo.bare, hook, `${unlocked}; git update-ref ${MAIN} ${one}`);
      t.match(await ask(guard(MAIN, two), deletion(SIDE, one)), { kind: 'refused' }, `${hook} rewinds the target`);
      t.equal(await there(SIDE), one);
      await repo.remoteGit('update-ref', MAIN, two);
      setHook(repo.bare, hook, `${unlocked}; git update-ref ${SIDE} ${two}`);
      t.match(await ask(guard(MAIN, two), deletion(SIDE, one)), { kind: 'refused' }, `${hook} moves the branch`);
      t.equal(await there(SIDE), two, 'it has what the hook gave it');
      await repo.remoteGit('update-ref', SIDE, one);
      setHook(repo.bare, hook, 'exit 0');
    }
    t.same(await ask(guard(MAIN, two), deletion(SIDE, one)), { kind: 'accepted' });
    t.equal(await there(SIDE), '', 'it is gone');
    t.equal(await there(MAIN), two);
    t.same(await repo.untouched(), untouched, 'nothing here was touched');
    t.match(await ask(guard(MAIN, two), deletion(SIDE, one)), {
      kind: 'moved',
      refs: [{ ref: SIDE, found: 'absent' }],
    });
  });
}

t.test('M8, M9, 07.49: servers that take less are told, and nothing is sent to them', async (t) => {
  const box = await sandbox(t);
  const { repo, one, two, ask, there } = await ground(t, box, 'folder');
  const both = () => ask(guard(MAIN, two), deletion(SIDE, one));
  const missing = 'refs/heads/refine/owl-fence/probe' as RefName;
  t.match(
    await ask(guard(MAIN, two), { ref: missing, seen: 'absent', old: two, new: two }),
    { kind: 'refused' },
    'a guard of a ref that is not there is refused: no-ops are looked at',
  );
  t.equal(await there(missing), '');
  await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
  t.match(await both(), { kind: 'unable', why: /atomic/ });
  await repo.remoteGit('config', '--unset', 'receive.advertiseAtomic');
  await repo.remoteGit('config', 'receive.denyDeletes', 'true');
  t.match(await both(), { kind: 'refused', why: /refine\/abcd\/round-1: / });
  t.match(await ask(guard(MAIN, two)), { kind: 'accepted' }, 'guards alone are taken');
  await repo.remoteGit('config', '--unset', 'receive.denyDeletes');
  await repo.remoteGit('config', 'receive.hideRefs', MAIN);
  t.match(await both(), { kind: 'moved', refs: [{ ref: MAIN, found: 'absent' }] }, 'what is hidden guards nothing');
  await repo.remoteGit('config', '--unset', 'receive.hideRefs');
  setHook(repo.bare, 'update', 'test "$2" != "$3"');
  t.match(await both(), { kind: 'refused', why: /refs\/heads\/main/ }, 'one that rejects no-ops');
  setHook(repo.bare, 'update', 'kill -9 $PPID');
  t.match(await both(), { kind: 'unanswered' }, 'it died in the middle');
  t.equal(await there(SIDE), one);
  await repo.git('remote', 'set-url', 'origin', 'ext::sh -c "exit 1"');
  t.match(await both(), { kind: 'unable' });
  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.match(await both(), { kind: 'unreached', why: /./ });
});

t.test('M8: Git may be slow, or be ended, after the server answered: its answer is what counts', async (t) => {
  const box = await sandbox(t);
  const { repo, one, two, ask, there } = await ground(t, box, 'folder');
  const program = bundle('src/git/fence/program.ts', box.path('tmp'), 'fence');
  const plan = box.path('plan.json');
  writeFileSync(plan, JSON.stringify({ format: 'sha1', commands: [guard(MAIN, two)] }));
  const served = `sh -c 'git-receive-pack "$1"; touch ${box.path('served')}' served`;
  const child = spawn(process.execPath, [program, 'local', plan, served, repo.bare], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdout.resume();
  await eventually(() => existsSync(box.path('served')), 60_000, 'the server has answered and is gone');
  // As Git, which comes to write the end of its request only now.
  const early = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]);
  t.equal(early, 'waits', 'somebody takes what Git still writes: else that ends Git by SIGPIPE');
  child.stdin.end('0000');
  t.equal(await ended, 0);
  t.same(JSON.parse(readFileSync(`${plan}.result`, 'utf8')), { kind: 'accepted' });

  const kills = box.path('kills');
  writeFileSync(
    kills,
    `#!/bin/sh
git-receive-pack "$@"
pid=$PPID
until grep -qx git "/proc/$pid/comm" || test "$pid" -le 1; do pid=$(cut -d' ' -f4 "/proc/$pid/stat"); done
kill -9 "$pid"
`,
    { mode: 0o755 },
  );
  await repo.git('config', 'remote.origin.receivepack', kills);
  t.match(await ask(guard(MAIN, two), deletion(SIDE, one)), { kind: /^(?:accepted|unanswered)$/ }, 'no exception');
  t.equal(await there(SIDE), '', 'it is gone, and that is known or looked for');
  await repo.git('config', 'remote.origin.receivepack', `${kills}-nowhere`);
  t.match(await ask(guard(MAIN, two)), { kind: 'unreached', why: /./ });
});

t.test('M8: many deletions are one request; objects of SHA-256', async (t) => {
  const box = await sandbox(t);
  const { repo, one, two, ask, there } = await ground(t, box, 'http', { init: ['--object-format=sha256'] });
  const refs = Array.from({ length: 3_000 }, (_, at) => `refs/heads/refine/g${1000 + at}/round-1` as RefName);
  const input = refs.map((ref) => `create ${ref} ${one}\n`).join('');
  await repo.remoteGit('update-ref', '--stdin', { input });
  t.same(await ask(guard(MAIN, two), ...refs.map((ref) => deletion(ref, one))), { kind: 'accepted' });
  t.equal(await repo.remoteGit('for-each-ref', '--format=%(refname)', 'refs/heads/refine'), SIDE);
  t.equal(await there(MAIN), two);
});

t.test('M8: ssh is started with the options of Git, the user’s own command and batch mode', async (t) => {
  const box = await sandbox(t);
  const { repo, one, two, ask } = await ground(t, box, 'ssh');
  await repo.git('config', 'core.sshCommand', "ssh -i 'a key'");
  t.same(await ask(guard(MAIN, two), deletion(SIDE, one)), { kind: 'accepted' });
  const calls = readFileSync(box.path('ssh.log'), 'utf8');
  t.match(calls, /-i\|a key\|-o\|BatchMode=yes\|.*example\.com\|git-receive-pack '/);
});

t.test('M8: reports that are not whole are no answers', async (t) => {
  const oid = 'a'.repeat(40) as Oid;
  const plan = { format: 'sha1', commands: [guard(MAIN, oid), deletion(SIDE, oid)] } as const;
  const report = (...lines: string[]) =>
    parseReport(
      plan,
      lines.map((line) => Buffer.from(`${line}\n`)),
    );
  t.same(parseReport(plan, null), { kind: 'unanswered' });
  t.same(report(), { kind: 'unanswered' });
  t.same(report('unpack ok', `ok ${MAIN}`), { kind: 'unanswered' });
  t.match(report('unpack ok', `ok ${MAIN}`, `ng ${SIDE} no`), { kind: 'refused', why: `${SIDE}: no` });
  t.match(report('unpack index-pack abnormal exit'), { kind: 'refused' });
  t.same(report('unpack ok', `ok ${MAIN}`, `ok ${SIDE}`), { kind: 'accepted' });
  const line = `${oid} ${MAIN}\0report-status delete-refs atomic object-format=sha256`;
  t.match(decideExchange(plan, [Buffer.from(line)]), { kind: 'nothing', result: { kind: 'unable' } });
  t.match(
    decideExchange(plan, []),
    { kind: 'nothing', result: { kind: 'unable' } },
    'an empty repository says nothing',
  );
});
