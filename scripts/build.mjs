// Bundles the program into dist/ (or $OWL_DIST): what is always needed in one file, each command in a chunk of its own.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { makeCodeCache } from './build/code-cache.mjs';
import { toCommonJs } from './build/commonjs.mjs';
import { plugins } from './build/plugins.mjs';
import { licencesOf } from './licences.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = process.env.OWL_DIST ?? join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// What is loaded together: by help, by each command, by those that read records, by those that change them, where there is a
// configuration, by those that carry Jobs and Goals on.
const PACKS = {
  help: ['src/run.ts', 'src/cli/find-help.ts', 'src/cli/table.ts', 'src/cli/help.ts'],
  command: [
    'src/cli/parse.ts',
    'src/cli/print-report.ts',
    'src/system/ids.ts',
    'src/git/open.ts',
    'src/git/choose-engine.ts',
    'src/state/store.ts',
    'src/state/counts.ts',
    'src/commands/status.ts',
  ],
  records: ['src/state/load-state.ts', 'src/state/notes.ts', 'src/commands/list.ts'],
  changes: ['src/state/update.ts', 'src/commands/add.ts'],
  configuration: ['src/config/loaders.ts'],
  work: ['src/commands/run.ts', 'src/commands/goal-advance.ts', 'src/app/run/recover.ts', 'src/app/skill/note-due.ts'],
};

rmSync(outdir, { recursive: true, force: true });
const options = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  legalComments: 'none',
  // cosmiconfig names typescript for configurations that are run, which we refuse.
  external: ['nodegit', 'typescript'],
  define: { OWL_VERSION: JSON.stringify(version) },
  plugins,
  logLevel: 'warning',
};
const { metafile, outputFiles } = await build({
  ...options,
  entryPoints: { 'chunks/run': 'src/run.ts' },
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
// Programs of their own, which answer or start at once and share nothing.
const small = await build({
  ...options,
  entryPoints: { main: 'src/main.ts', guardian: 'src/agent/guardian.ts', fence: 'src/git/fence/program.ts' },
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: { ...options.define, 'import.meta.url': '__owlUrl' },
  external: [...options.external, './run.js'],
});

mkdirSync(join(outdir, 'chunks'), { recursive: true });
const files = await toCommonJs({
  outputFiles,
  small: small.outputFiles,
  metafile,
  outdir,
  root,
  packs: PACKS,
  external: options.external,
});
for (const [path, text] of files) writeFileSync(join(outdir, path), text);
copyFileSync(join(root, 'scripts/build/load.cjs'), join(outdir, 'chunks/load.js'));
writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
chmodSync(join(outdir, 'main.js'), 0o755);
writeFileSync(join(outdir, 'LICENCES.txt'), licencesOf(metafile, root));
makeCodeCache(outdir, join(root, 'scripts/build/warm.cjs'));
