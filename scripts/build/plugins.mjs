// What the bundle does differently from the sources, so that a start costs less: changes of loading, never of meaning.
import { promises } from 'node:fs';

/** Its expressions over all of Unicode take 20 ms to make: made when the first text needs them. */
const lateStringWidth = {
  name: 'late-string-width',
  setup(one) {
    one.onResolve({ filter: /^string-width$/ }, ({ path, kind, resolveDir }) =>
      kind === 'import-statement' ? { path, namespace: 'late', pluginData: resolveDir } : undefined,
    );
    one.onLoad({ filter: /^string-width$/, namespace: 'late' }, ({ pluginData }) => ({
      contents: `let measure; export default (text) => (measure ??= require('string-width').default)(text);`,
      resolveDir: pluginData,
    }));
  },
};

/** Of yargs only its parser is used, and of that not its door to configuration files. */
const parserAlone = {
  name: 'yargs-parser-alone',
  setup(one) {
    one.onLoad({ filter: /\/yargs\/helpers\/helpers\.mjs$/ }, () => ({
      contents: `export { default as Parser } from 'yargs-parser';`,
    }));
    one.onResolve({ filter: /^(?:node:)?module$/ }, ({ importer }) =>
      importer.includes('/node_modules/yargs-parser/') ? { path: 'module', namespace: 'none' } : undefined,
    );
    one.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export const createRequire = undefined;' }));
  },
};

/** Node makes its promises of files when they are first asked for: so do we, since what a short command reads is read at once. */
const lateFiles = {
  name: 'late-files',
  setup(one) {
    const names = Object.keys(promises).filter((name) => typeof promises[name] === 'function');
    const contents = [
      `import { constants, promises } from 'node:fs'; export { constants };`,
      ...names.map((name) => `export const ${name} = (...all) => promises.${name}(...all);`),
    ].join('\n');
    one.onResolve({ filter: /^node:fs\/promises$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'files', namespace: 'late-files' } : undefined,
    );
    one.onLoad({ filter: /.*/, namespace: 'late-files' }, () => ({ contents }));
  },
};

export const plugins = [lateStringWidth, parserAlone, lateFiles];
