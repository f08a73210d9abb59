// `npm run test:agents`: installs the programs of the presets from npm into a scratch folder and runs test/agents with them,
// against a model on loopback; nothing else is asked over the network. Arguments choose: `codex`, `stall`, `codex/stall`.
// Prints the versions and a table; ends with `N passed, N failed, N skipped` and 1 where something failed or was not run.
// OWL_AGENTS_FOLDER=<folder> installs there, keeps it, and takes what is there already.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
  gemini: '@google/gemini-cli',
};

const root = join(import.meta.dirname, '..');
const kept = process.env.OWL_AGENTS_FOLDER;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'owl-agents-'));
const table = join(folder, 'table.jsonl');

try {
  mkdirSync(folder, { recursive: true });
  writeFileSync(table, '');
  for (const [name, spec] of Object.entries(PACKAGES)) install(name, spec);
  process.exitCode = prove();
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

/** One that cannot be installed is a row of the table, and no reason to leave out the others. */
function install(name, spec) {
  if (existsSync(join(folder, 'node_modules/.bin', name))) return;
  console.log(`installing ${spec}`);
  const done = spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', spec], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (done.status !== 0) console.log(`npm could not install ${spec}`);
}

function prove() {
  const tap = join(root, 'node_modules/tap/dist/esm/run.mjs');
  const suite = spawnSync(
    process.execPath,
    [tap, '--reporter=tap', '--timeout=7200', join('test', 'agents', 'suite.ts')],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        OWL_AGENTS_FOLDER: folder,
        OWL_AGENTS_TABLE: table,
        OWL_AGENTS_ONLY: process.argv.slice(2).join(' '),
      },
    },
  );
  const rows = readFileSync(table, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  console.log('');
  for (const { program, version, scenario, result } of rows)
    console.log(`${program.padEnd(9)} ${version.padEnd(10)} ${scenario.padEnd(14)} ${result}`);
  const count = (word) => rows.filter(({ result }) => result.startsWith(word)).length;
  // A suite that broke off has fewer rows than it should: its own status says so.
  const failed = Math.max(count('FAILED'), suite.status === 0 && rows.length > 0 ? 0 : 1);
  console.log(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`);
  return failed > 0 ? 1 : 0;
}
