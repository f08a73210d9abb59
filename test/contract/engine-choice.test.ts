// Which engine serves what, and what only one of them has to prove (01).

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { Oid, RefName } from '../../src/domain/git.js';
import { newBlob } from '../../src/git/objects.js';
import { openRepository } from '../../src/git/open.js';
import { sandbox } from '../fixtures/sandbox.js';
import { ground, loose, ref } from './engine-suite.js';

t.test('01: libgit2 is asked only after some branches moved, and what it writes is the same', async (t) => {
  const { engine, repo, commit } = await ground(t, { title: '', engine: undefined, init: [] });
  const branch = 'refs/heads/moves' as RefName;
  t.equal(engine.name, 'plumbing');
  let old: Oid | 'absent' = 'absent';
  for (let at = 0; at < 20; at++) {
    const next: Oid = await commit(`number ${at}`, ...(old === 'absent' ? [] : [old]));
    t.same(await engine.swap({ ref: branch, old, new: next }, 'test'), { kind: 'moved' });
    t.same(await engine.swap({ ref: branch, old, new: next }, 'test'), { kind: 'lost', found: next });
    t.same(await engine.swap({ ref: ref('a'), old, new: next }, 'test'), { kind: 'moved' });
    old = next;
  }
  t.equal(await repo.git('rev-list', '--count', branch), '20');
  t.equal(await repo.git('rev-list', '--count', ref('a')), '20');
  t.match(readFileSync('/proc/self/maps', 'utf8'), 'nodegit.node', 'it is loaded by now');
});

t.test('01: the engine is chosen by the repository, and says why', async (t) => {
  const box = await sandbox(t);
  const because = async (dir: string, env: Record<string, string> = {}): Promise<readonly [string, string]> => {
    const repository = await openRepository({ cwd: dir, variables: { ...box.env(), ...env } });
    t.teardown(() => repository.close());
    const engine = await repository.engine();
    return [engine.name, engine.because];
  };
  const plain = await box.repository({ name: 'plain' });
  t.match(await because(plain.dir), ['plumbing', /short commands/]);
  t.match(await because(plain.dir, { OWL_ENGINE: 'nodegit' }), ['nodegit', /OWL_ENGINE/]);
  t.match(await because(plain.dir, { OWL_ENGINE: 'plumbing' }), ['plumbing', /OWL_ENGINE/]);
  const big = await box.repository({ name: 'sha256', init: ['--object-format=sha256'] });
  t.match(await because(big.dir), ['plumbing', /SHA-256/]);
  await t.rejects(because(big.dir, { OWL_ENGINE: 'nodegit' }), { code: 'configuration' });
  const grafted = await box.repository({ name: 'grafted' });
  writeFileSync(join(grafted.dir, '.git/info/grafts'), `${await grafted.oid('HEAD')}\n`);
  t.match(await because(grafted.dir), ['plumbing', /grafts/]);
  await plain.git('config', 'uploadpack.allowFilter', 'true');
  await plain.git('clone', '--quiet', '--filter=blob:none', `file://${plain.dir}`, box.path('partial'));
  t.match(await because(box.path('partial')), ['plumbing', /partial clone/]);
});

t.test('01: what cannot be written is an error of the environment, and nothing moved', async (t) => {
  const { engine, repo, commit } = await ground(t, { title: '', engine: 'plumbing', init: [] });
  const one = await commit('one');
  const folder = join(repo.dir, '.git', ref('a'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'left.lock'), 'in the way, and no ref');
  await t.rejects(engine.swap({ ref: ref('a'), old: 'absent', new: one }, 'test'), { code: 'storage', exit: 9 });
  t.equal(await engine.resolve(ref('a')), null);
  const blob = newBlob(engine.format, 'has no place');
  writeFileSync(dirname(loose(repo, blob.oid)), 'a file where a folder belongs');
  await t.rejects(engine.write([blob]), { code: 'storage', exit: 9 });
});
