// 10 P2: a few packed objects are read without a process, as Git reads them; in any doubt nothing is read.

import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Oid } from '../../../src/domain/git.js';
import { newBlob } from '../../../src/git/objects.js';
import { loadPacked } from '../../../src/git/pack-files.js';
import { sandbox } from '../../fixtures/sandbox.js';

for (const format of ['sha1', 'sha256'] as const) {
  for (const bases of ['offsets', 'names'] as const) {
    t.test(
      `10 P2: ${format}, deltas whose bases are told by ${bases}: every packed object is as Git has it`,
      async (t) => {
        const box = await sandbox(t);
        const repo = await box.repository({ init: [`--object-format=${format}`] });
        const git = (args: readonly string[], input = ''): Buffer =>
          execFileSync('git', args, { cwd: repo.dir, env: box.env(), input, maxBuffer: 1e8 });
        // Versions of one text, so that there are deltas, and folders of many entries.
        const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} ${(at * 7919) % 1013}`);
        for (let version = 0; version < 30; version += 1) {
          lines[version * 50] = `changed in version ${version}`;
          writeFileSync(join(repo.dir, 'text'), lines.join('\n'));
          writeFileSync(join(repo.dir, `file-${version}`), `${version}\n`);
          git(['add', '-A']);
          git(['commit', '-qm', `version ${version}`]);
        }
        git(['tag', '-a', '-m', 'a tag', 'one']);
        git(['-c', `repack.useDeltaBaseOffset=${bases === 'offsets'}`, 'repack', '-adq', '--depth=12', '--window=20']);
        const all = git(['cat-file', '--batch-all-objects', '--batch-check']).toString().trim().split('\n');
        const deltas =
          git(['verify-pack', '-v', packOf(repo.dir)])
            .toString()
            .match(/^chain length = \d+/gm) ?? [];
        t.ok(deltas.length > 3, 'there are chains of deltas');
        for (const line of all) {
          const [oid = '', type] = line.split(' ');
          const found = loadPacked(join(repo.dir, '.git'), format, oid as Oid);
          t.equal(found?.type, type);
          if (!found?.data.equals(git(['cat-file', type ?? '', oid]))) t.fail(`${oid} differs`);
        }
        t.equal(loadPacked(join(repo.dir, '.git'), format, newBlob(format, 'nobody has this').oid), null);
      },
    );
  }
}

t.test('10 P2: a damaged pack, one cut off, one without its index: nothing is read, nothing thrown', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  await repo.git('gc', '-q');
  const tip = (await repo.git('rev-parse', 'HEAD')) as Oid;
  const load = () => loadPacked(join(repo.dir, '.git'), 'sha1', tip);
  t.equal(load()?.type, 'commit');
  const pack = packOf(repo.dir).replace(/\.idx$/, '.pack');
  const bytes = readFileSync(pack);
  chmodSync(pack, 0o644);
  for (let at = 12; at < bytes.length - 20; at += 1) {
    const broken = Buffer.from(bytes);
    broken[at] = (broken[at] ?? 0) ^ 0x55;
    writeFileSync(pack, broken);
    const found = load();
    if (found !== null && found.type !== 'commit') t.fail(`a lie at byte ${at}`);
  }
  for (const length of [0, 12, 20, 40]) {
    writeFileSync(pack, bytes.subarray(0, length));
    t.equal(load(), null, `cut off after ${length} bytes`);
  }
  writeFileSync(pack, bytes);
  const index = packOf(repo.dir);
  chmodSync(index, 0o644);
  for (const length of [0, 100, 1_040]) {
    writeFileSync(index, readFileSync(index).subarray(0, length));
    t.equal(load(), null, 'an index that was cut off');
  }
});

function packOf(dir: string): string {
  const folder = join(dir, '.git/objects/pack');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.idx')) ?? '');
}
