// Writes what is generated from the command table and the schemas: man/*.1, man/*.5, completions/, schema/.
// With --check nothing is written; it fails when a file is stale, missing, or has no source any more.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBash } from './docs/bash.mjs';
import { buildFish } from './docs/fish.mjs';
import { loadTables } from './docs/load.mjs';
import { buildMan } from './docs/man.mjs';
import { buildSchemas } from './docs/schemas.mjs';
import { buildZsh } from './docs/zsh.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const checking = process.argv.includes('--check');
const tables = await loadTables(root);

const wanted = new Map([
  ...[...(await buildMan(root, tables))].map(([name, text]) => [`man/${name}`, text]),
  ...[...buildSchemas(tables)].map(([name, text]) => [`schema/${name}`, text]),
  ['completions/git-owl.bash', buildBash(tables)],
  ['completions/_git-owl', buildZsh(tables)],
  ['completions/git-owl.fish', buildFish(tables)],
]);
// Sources and notes beside them are written by hand.
const isGenerated = (path) => !path.endsWith('.md');
const present = ['man', 'schema', 'completions'].flatMap((folder) =>
  existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : [],
);

const stale = [...wanted].filter(
  ([path, text]) => !present.includes(path) || readFileSync(join(root, path), 'utf8') !== text,
);
const left = present.filter((path) => isGenerated(path) && !wanted.has(path));
if (checking) {
  for (const [path] of stale) console.error(`stale: ${path}`);
  for (const path of left) console.error(`no source: ${path}`);
  if (stale.length + left.length > 0) {
    console.error('run: npm run docs');
    process.exitCode = 1;
  }
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  for (const path of left) {
    rmSync(join(root, path));
    console.log(`removed ${path}`);
  }
}
