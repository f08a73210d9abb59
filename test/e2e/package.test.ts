// The package as npm makes and installs it: what is in it, and that it works from a clean prefix without nodegit.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { diligent } from '../fixtures/agents.js';
import { DIST, run } from '../fixtures/process.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

const ROOT = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Calls a program of the machine in the sandbox; throws what it said when it fails. */
async function call(box: Sandbox, cwd: string, command: string, ...args: string[]): Promise<string> {
  const env = {
    ...box.env(),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  const { code, stdout, stderr } = await run({ command, args, cwd, env });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Packs what is published, with the build under test as its dist/. */
async function pack(box: Sandbox): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  const stage = box.path('stage');
  mkdirSync(stage);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'man', 'completions', 'schema', 'src']) {
    cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  }
  cpSync(DIST, join(stage, 'dist'), { recursive: true });
  const [packed] = JSON.parse(await call(box, stage, 'npm', 'pack', '--ignore-scripts', '--json', '--offline'));
  return {
    tarball: join(stage, packed.filename),
    files: packed.files.map(({ path }: { readonly path: string }) => path).sort(),
  };
}

t.test('package: what is published, and nothing else', async (t) => {
  const box = await sandbox(t);
  const { files } = await pack(box);
  for (const name of [
    'dist/main.js',
    'dist/guardian.js',
    'dist/LICENCES.txt',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
  ]) {
    t.ok(files.includes(name), name);
  }
  for (const page of manifest.man) t.ok(files.includes(page.replace('./', '')), page);
  for (const folder of ['completions/', 'schema/'])
    t.ok(
      files.some((name) => name.startsWith(folder)),
      folder,
    );
  const published = /^(?:dist|man|completions|schema)\/|^(?:package\.json|LICENSE|README\.md|CHANGELOG\.md)$/;
  t.strictSame(
    files.filter((name) => !published.test(name) || /\.(?:ts|map)$/.test(name)),
    [],
  );
});

t.test(
  '10 P1: the code that V8 made at the build is a help only: absent, of another Node, damaged, cut off or of another pack',
  async (t) => {
    const box = await sandbox(t);
    const dist = box.path('copy/dist');
    cpSync(DIST, dist, { recursive: true });
    cpSync(join(ROOT, 'completions'), box.path('copy/completions'), { recursive: true });
    const chunks = join(dist, 'chunks');
    const caches = readdirSync(chunks).filter((name) => name.endsWith('.cache'));
    t.ok(caches.includes(`help-${process.version}-${process.arch}.cache`), 'the build made some for its own Node');
    const repo = await box.repository();
    const owl = async (...words: string[]) => {
      const { code, stdout, stderr } = await run({
        command: process.execPath,
        args: [join(dist, 'main.js'), ...words],
        cwd: repo.dir,
        env: box.env(),
      });
      return { code, stdout, stderr };
    };
    const help = await owl('-h');
    t.match(help, { code: 0, stdout: /git owl add/, stderr: '' });
    const damages: Readonly<Record<string, (file: string) => void>> = {
      'of another Node': (file) => {
        // The version of V8 is in the first words; the sum is right.
        const code = readFileSync(file).subarray(0, -4).fill(0x5a, 0, 16);
        const sum = Buffer.alloc(4);
        sum.writeUInt32BE(crc32(code));
        writeFileSync(file, Buffer.concat([code, sum]));
      },
      'with another bit in the middle': (file) => {
        const bytes = readFileSync(file);
        const at = bytes.length >> 1;
        bytes[at] = (bytes[at] ?? 0) ^ 0x40;
        writeFileSync(file, bytes);
      },
      'cut off': (file) => writeFileSync(file, readFileSync(file).subarray(0, 1_000)),
      'of another pack': (file) =>
        cpSync(join(DIST, 'chunks', caches.find((name) => !file.endsWith(name)) ?? ''), file),
      empty: (file) => writeFileSync(file, ''),
      'no code at all': (file) => writeFileSync(file, 'x'.repeat(5_000)),
      absent: (file) => rmSync(file),
    };
    for (const [what, damage] of Object.entries(damages)) {
      for (const name of caches) damage(join(chunks, name));
      t.strictSame(await owl('-h'), help, what);
      t.match(await owl('status', '--short'), { code: 0, stdout: 'idle\n', stderr: '' }, what);
      if (what !== 'absent') for (const name of caches) cpSync(join(DIST, 'chunks', name), join(chunks, name));
    }
  },
);

t.test('package: installed in a clean prefix without its optional part, Git finds it and its manual', async (t) => {
  const box = await sandbox(t);
  const { tarball } = await pack(box);
  const prefix = box.path('prefix');
  await call(box, box.dir, 'npm', 'install', '--global', '--prefix', prefix, '--omit=optional', '--offline', tarball);
  t.strictSame(readdirSync(join(prefix, 'lib/node_modules')), ['git-owl'], 'one package, and nothing beside it');
  t.notOk(existsSync(join(prefix, 'lib/node_modules/git-owl/node_modules')), 'nothing below it');

  box.set('PATH', `${join(prefix, 'bin')}:${box.env()['PATH']?.replace(`${box.path('bin')}:`, '')}`);
  const repo = await box.repository({ agents: [box.agent('worker', diligent())] });
  const installed = realpathSync(join(prefix, 'bin/git-owl'));
  t.equal(installed, join(prefix, 'lib/node_modules/git-owl/dist/main.js'), 'it is the installed one that is called');
  t.match(await repo.git('owl', '--version'), manifest.version);
  t.match(await repo.git('owl', '-h'), 'git owl add');
  const id = await repo.git('owl', 'add', 'make it so');
  t.match(id, /^[a-z][a-z0-9]{3,15}$/);
  await repo.git('owl', 'run');
  await repo.git('owl', 'merge', id);
  t.equal(repo.read('work.txt'), 'work\n', 'the whole loop runs without nodegit');
  const { data } = (await repo.gitResult('owl', 'doctor', '--json')).json();
  const engine = data.items.find(({ name }: { readonly name: string }) => name === 'engine');
  t.match(engine, { status: 'pass', message: /^plumbing: / }, 'the engine on the commands of Git serves');

  const pages = join(prefix, 'share/man');
  for (const page of ['man1/git-owl.1', 'man5/gitowl-config.5', 'man5/gitowl-state.5']) {
    t.ok(existsSync(join(pages, page)), page);
  }
  const pager = { ...box.env(), MANPAGER: 'cat', MANWIDTH: '80' };
  const manual = await run({ command: 'man', args: ['-M', pages, 'git-owl'], cwd: box.dir, env: pager });
  // 127: there is no `man` on this machine; the pages are where it looks.
  if (manual.code !== 127) t.match(manual, { code: 0, stdout: /NAME[\s\S]*git-owl/, stderr: '' });
});
