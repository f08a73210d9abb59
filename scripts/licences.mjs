// The licences of everything that was bundled, as their terms ask for: dist/ carries them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Text with name, version and licence of each package in an esbuild metafile, sorted by name. Throws when a package has
 * no licence file and its package.json names none.
 */
export function licencesOf(metafile, root) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) folders.add(match[1]);
  }
  // One package may lie in several folders.
  const notices = new Set([...folders].map((folder) => notice(join(root, folder))));
  return `git owl bundles these packages.\n\n${[...notices].sort().join('\n')}`;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : '';
  if (!text && typeof license !== 'string') throw new Error(`${name} ${version} says nothing about its licence`);
  return `== ${name} ${version} (${license})\n\n${text}\n`;
}
