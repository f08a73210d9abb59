// What a check printed, as it may travel in a record: without values of passed variables and copied files, absolute paths of this
// machine and the name of its user (01, Records). Pure.

export interface Masks {
  /** Hidden wherever they are printed; short ones only where they stand by themselves. */
  readonly values: readonly string[];
  /** Absolute paths, and what is said instead; what lies below one is said below that. */
  readonly paths: ReadonlyMap<string, string>;
}

const HIDDEN = '***';
/** So short a value is a word of its own or it is no value: `1`, `true`. */
const SHORT = 5;
/** Characters of an output that are looked at, and of those that travel. */
const LOOKED_AT = 64 * 1024;
export const TRAVELS = 8 * 1024;
/** Bytes of all outputs of one record, as it is written: far below what a record may be. */
export const OF_A_RECORD = 256 * 1024;

/** The end of it, cut between lines where it has some. Nothing is left of a value that is cut in two. */
export function maskedEnd(output: string, masks: Masks): string {
  const looked = output.slice(-LOOKED_AT);
  const cut = looked.length < output.length;
  const longest = masks.values.reduce((most, value) => Math.max(most, value.length), 0);
  // Its first line, and so many characters, may be the rest of what was cut.
  const masked = hide(looked, masks, cut ? Math.max(looked.indexOf('\n') + 1, longest) : 0);
  if (masked.length <= TRAVELS) return masked;
  const end = masked.slice(-TRAVELS);
  return end.slice(end.indexOf('\n') + 1);
}

/** What of it stands behind `from`. */
function hide(text: string, masks: Masks, from: number): string {
  const { pattern, instead } = patternOf(masks);
  const parts: string[] = [];
  let at = from;
  for (const found of pattern === null ? [] : text.matchAll(pattern)) {
    const end = found.index + found[0].length;
    if (end <= from) continue;
    parts.push(text.slice(at, Math.max(at, found.index)), instead.get(found[0]) ?? HIDDEN);
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

function patternOf({ values, paths }: Masks): {
  readonly pattern: RegExp | null;
  readonly instead: ReadonlyMap<string, string>;
} {
  const patterns = new Map<string, string>();
  for (const path of paths.keys()) if (path.length > 1) patterns.set(path, `${escaped(path)}(?![\\w.-])`);
  for (const value of values.flatMap(formsOf)) {
    if (value.trim() === '') continue;
    const word = value.length <= SHORT;
    patterns.set(value, word ? `(?<!\\w)${escaped(value)}(?!\\w)` : escaped(value));
  }
  // The longest first: what one of them is a part of is hidden as a whole.
  const all = [...patterns].sort(([one], [two]) => two.length - one.length).map(([, one]) => one);
  const instead = new Map([...paths].filter(([path]) => !values.includes(path)));
  return { pattern: all.length === 0 ? null : new RegExp(all.join('|'), 'g'), instead };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** As it is, each of its lines, and as JSON, URLs and `base64` write it. */
function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const written = value.length <= SHORT ? [] : [JSON.stringify(value).slice(1, -1), inUrl(value), inBase64(value)];
  return [...new Set([value, ...lines, ...written])];
}

/** Half a surrogate pair has no such form. */
const inUrl = (value: string): string => (/\p{Cs}/u.test(value) ? value : encodeURIComponent(value));

/** What it begins with whatever comes after it: whole groups of three bytes. */
function inBase64(value: string): string {
  const bytes = new TextEncoder().encode(value);
  return btoa(String.fromCharCode(...bytes.subarray(0, Math.min(3_000, bytes.length - (bytes.length % 3)))));
}

/** Those for which a record has room, in their order; none that is empty. A control character takes six bytes there. */
export function withRoom(outputs: readonly (readonly [name: string, text: string])[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let left = OF_A_RECORD;
  for (const [name, text] of outputs) {
    const size = new TextEncoder().encode(JSON.stringify(text)).length;
    if (text === '' || size > left) continue;
    left -= size;
    texts.set(name, text);
  }
  return texts;
}

/** The values in a file of settings: each line, what stands after `=` or `:`, quoted texts, and passwords in URLs. */
export function valuesIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (!/\w/.test(line)) continue;
    found.add(line);
    const value = /^(?:export\s+)?["']?[\w.@/-]+["']?\s*[=:]\s*(.+?),?$/.exec(line)?.[1];
    if (value !== undefined) found.add(value.replace(/^(["'])(.*)\1$/, '$2'));
    // What a colon follows is a name.
    for (const [, , quoted = '', colon] of line.matchAll(/(["'])(.*?)\1(\s*:)?/g))
      if (colon === undefined) found.add(quoted);
    for (const [, password = ''] of line.matchAll(/:\/\/[^:@/\s]*:([^@/\s]+)@/g)) found.add(password);
  }
  return [...found].filter((value) => /\w/.test(value));
}
