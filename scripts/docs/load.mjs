// Loads the tables that the documents are made from: TypeScript, bundled in memory to one module. Command modules are left out.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = `
export { COMMANDS } from './src/cli/table.ts';
export { GROUPS, sayOption, synopsis } from './src/cli/help.ts';
export { GLOBAL_OPTIONS } from './src/cli/options.ts';
export { EXIT_STATUSES, FORMAT_TEXT, GIVEN_VARIABLES, STATES, TOPICS, VARIABLES } from './src/cli/topics.ts';
export { ERRORS } from './src/domain/errors.ts';
export { EVENTS } from './src/domain/events.ts';
export { GOAL_REASONS } from './src/domain/goal-reasons.ts';
export { REASONS } from './src/domain/reasons.ts';
export { CONFIG_KEYS } from './src/config/keys.ts';
export { configJsonSchema } from './src/config/json-schema.ts';
export { PRESET_NAMES } from './src/config/schema.ts';
export { GOAL_FIELDS } from './src/output/goal-fields.ts';
export { JOB_FIELDS } from './src/output/job-fields.ts';
export { EVENT_FIELDS } from './src/output/views/events.ts';
export { DATA_SCHEMAS, KINDS, errorSchema } from './src/output/schema.ts';
`;

/** The named exports of the tables above. */
export async function loadTables(root) {
  const result = await build({
    absWorkingDir: root,
    stdin: { contents: SOURCE, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    plugins: [
      {
        name: 'without-commands',
        setup: (one) => one.onResolve({ filter: /\/commands\/[a-z-]+\.js$/ }, ({ path }) => ({ path, external: true })),
      },
    ],
    logLevel: 'warning',
  });
  // Inside the repository, so that packages resolve; a name of its own, so that two runs do not meet.
  const folder = join(root, 'node_modules', '.cache', 'git-owl');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `tables-${process.pid}.mjs`);
  try {
    writeFileSync(file, result.outputFiles[0].text);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return { ...(await import(pathToFileURL(file).href)), version };
  } finally {
    rmSync(file, { force: true });
  }
}
