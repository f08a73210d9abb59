// The names a configuration may have in a tree, and those that only look like one. Data and pure functions.
// cosmiconfig's rules, without its explorer: constructing one runs `.config/config.cjs` of the current folder.

/** Where the configuration may lie, in the order in which they are named. */
export const SEARCH_PLACES = [
  '.coding-owl.yaml',
  '.config/coding-owl.yaml',
  '.coding-owl.json',
  'package.json',
] as const;

export type SearchPlace = (typeof SEARCH_PLACES)[number];

/** The key of `package.json` that holds it. */
export const PACKAGE_KEY = 'coding-owl';

/** The folders of a tree in which a configuration is looked for. */
export const SEARCH_FOLDERS = ['', '.config/'] as const;

/** Its names, for the guard (J37); `package.json` only while it holds the configuration. */
export const OWN_NAMES: readonly string[] = SEARCH_PLACES.filter((place) => place !== 'package.json');

export type Lookalike =
  /** A configuration, if its entry can be read. */
  | 'place'
  /** A form that would have to be run: refused wherever it lies (06). */
  | 'executable'
  /** Nearly the right name: nothing reads it, so it is pointed out. */
  | 'near-miss'
  | 'other';

const EXECUTABLE = /^(?:\.coding-owl(?:rc)?|coding-owl\.config|\.coding-owl\.config)\.[cm]?[jt]sx?$/i;
const EXECUTABLE_BELOW = /^\.?coding-owl(?:rc|\.config)?\.[cm]?[jt]sx?$/i;
const DATA = /\.(?:ya?ml|json[5c]?|toml|ini|conf|cfg)$/i;

/**
 * What a file's name, relative to the top of the tree, has to do with the configuration.
 * @param path `.coding-owl.yaml`, `.config/coding-owl.js`; only names of `SEARCH_FOLDERS` are ever anything but `other`.
 */
export function classifyName(path: string): Lookalike {
  if ((SEARCH_PLACES as readonly string[]).includes(path)) return 'place';
  const below = path.toLowerCase().startsWith('.config/');
  const name = below ? path.slice('.config/'.length) : path;
  if (name.includes('/')) return 'other';
  if ((below ? EXECUTABLE_BELOW : EXECUTABLE).test(name)) return 'executable';
  return isNear(name) ? 'near-miss' : 'other';
}

/** `.coding-owl.yml`, `coding_owl.yaml`, `.codingowl.toml`, `.coding-owlrc`, `.git-owl.yaml`, `.Coding-Owl.yaml`. */
function isNear(name: string): boolean {
  const extension = DATA.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - extension.length).toLowerCase();
  const plain = stem.replace(/[-_. ]/g, '');
  if (extension === '' && !stem.startsWith('.')) return false;
  return /^(?:coding|codding|code|coder|git)owls?(?:rc|config)?$/.test(plain);
}
