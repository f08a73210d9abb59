// The bundle as CommonJS, in few files. Node's loader of ES modules costs 4 ms to start and most of a millisecond a file, which is what a
// short command is made of (P1, P2). esbuild splits only ES modules, so they are split first; then what is always wanted together
// is put into one file, a pack, and the rest turned around one by one. An `import()` becomes a `require` when it is reached.
import { dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';

const URL_OF_FILE = 'const __owlUrl=require("node:url").pathToFileURL(__filename).href;';
const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__owlUrl' },
  logLevel: 'warning',
};

/**
 * Path below the output folder -> text. `packs`: name -> source files whose chunks, with all that these import, make up that file;
 * what two want is in the first. `small`: CommonJS already, which loads `./run.js` at most. A module that awaits at its top cannot be turned: esbuild refuses it.
 */
export async function toCommonJs({ outputFiles, small, metafile, outdir, root, packs, external }) {
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(outdir, path), text]));
  const facts = new Map(Object.entries(metafile.outputs).map(([path, at]) => [relative(outdir, join(root, path)), at]));
  const local = (path) => relative(outdir, join(root, path));
  const chunkOf = (source) => [...facts].find(([, { entryPoint }]) => entryPoint === source)?.[0];
  const packed = new Map();
  for (const [pack, sources] of Object.entries(packs)) {
    const put = (chunk) => {
      if (packed.has(chunk)) return;
      packed.set(chunk, pack);
      for (const { path, kind } of facts.get(chunk).imports)
        if (kind === 'import-statement' && texts.has(local(path))) put(local(path));
    };
    for (const source of sources) {
      const chunk = chunkOf(source);
      if (chunk === undefined) throw new Error(`${source} is not loaded by an import() of its own`);
      put(chunk);
    }
  }

  const turned = new Map();
  const finish = (path, code) => {
    const [, hashbang = '', strict = '', body] = /^(#![^\n]*\n)?("use strict";)?(.*)$/s.exec(code);
    const linked = body.replace(/\brequire\("(\.[^"]+)"\)/g, (whole, to) => {
      const chunk = to === './run.js' ? 'chunks/run.js' : join(dirname(path), to);
      const pack = packed.get(chunk);
      if (pack === undefined) return whole;
      return `require("./${dirname(path) === '.' ? 'chunks/' : ''}load.js")("${pack}").${nameOf(chunk)}()`;
    });
    turned.set(path, hashbang + strict + (linked.includes('__owlUrl') ? URL_OF_FILE : '') + linked);
  };
  for (const { path, text } of small) finish(relative(outdir, path), text);
  for (const pack of Object.keys(packs)) {
    const members = [...packed].filter(([, at]) => at === pack).map(([chunk]) => chunk);
    finish(`chunks/${pack}.js`, await joined(members, texts, external));
  }
  for (const [path, text] of texts) if (!packed.has(path)) finish(path, (await transform(text, OPTIONS)).code);
  return turned;
}

const nameOf = (chunk) => chunk.replace(/^.*\//, '').replace(/\.js$/, '').replace(/\W/g, '_');

/** Some chunks as one file, which has each under its name. What they import of other chunks stays a `require`. */
async function joined(members, texts, external) {
  const { outputFiles } = await build({
    ...OPTIONS,
    stdin: {
      // Each begins when it is asked for, as if it were a file of its own.
      contents: members.map((chunk) => `exports.${nameOf(chunk)} = () => require('./${chunk}');`).join('\n'),
      resolveDir: '/',
    },
    bundle: true,
    write: false,
    external,
    plugins: [
      {
        name: 'chunks',
        setup(one) {
          one.onResolve({ filter: /^\./ }, ({ path, importer }) => {
            const chunk = join(importer.includes('/') ? dirname(importer) : '', path);
            return members.includes(chunk)
              ? { path: chunk, namespace: 'chunk' }
              : { path: `./${relative('chunks', chunk)}`, external: true };
          });
          one.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({ contents: texts.get(path) }));
        },
      },
    ],
  });
  return outputFiles[0].text;
}
