// Manual pages: the sources in man/*.md with their generated parts filled in, as roff.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import remarkGfm from 'remark-gfm';
import remarkMan from 'remark-man';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The day of this version, so that the same sources give the same pages. */
const DATE = new Date('2026-11-30T00:00:00Z');

const PAGES = [
  { file: 'git-owl.1', name: 'git-owl', section: 1 },
  { file: 'gitowl-config.5', name: 'gitowl-config', section: 5 },
  { file: 'gitowl-state.5', name: 'gitowl-state', section: 5 },
];

/** File name below man/ -> roff. Throws when a source has a placeholder that nothing fills, or lacks one of its own. */
export async function buildMan(root, tables) {
  const parts = generatedParts(tables);
  const used = new Set();
  const files = new Map();
  for (const page of PAGES) {
    const source = readFileSync(join(root, 'man', `${page.file}.md`), 'utf8');
    const text = source.replace(/^<!-- owl:([a-z-]+) -->$/gm, (_, part) => {
      if (parts[part] === undefined) throw new Error(`man/${page.file}.md: nothing is generated for owl:${part}`);
      used.add(part);
      return parts[part];
    });
    files.set(page.file, await toRoff(text, page, tables.version));
  }
  const unused = Object.keys(parts).filter((part) => !used.has(part));
  if (unused.length > 0) throw new Error(`no source has ${unused.map((part) => `owl:${part}`).join(', ')}`);
  return files;
}

async function toRoff(text, { name, section }, version) {
  const page = await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkMan, { name, section, date: DATE, version: `git-owl ${version}`, manual: 'git-owl manual' })
    .process(text);
  // A paragraph that begins with a line of its own is a term with its text: roff has a form for that, Markdown has none.
  const roff = String(page).replace(/^\.P\n([^\n]+)\n\.br\n/gm, '.TP\n$1\n');
  // In the C locale groff has no ellipsis and complains about it.
  return `${roff.trimEnd().replaceAll('…', '...')}\n`;
}

const code = (text) => `\`${text}\``;
/** A term and its text: a hard break between them, see `toRoff`. */
const entry = (name, text) => `${name}  \n${text}\n`;
/** Outside code, what Markdown would read as its own. */
const plain = (text) => text.replace(/([\\<>*_[\]|])/g, '\\$1');

function generatedParts(tables) {
  return {
    commands: commandList(tables),
    options: optionList(tables.GLOBAL_OPTIONS, tables),
    'exit-statuses': tables.EXIT_STATUSES.map(([status, meaning]) => entry(`**${status}**`, plain(meaning))).join('\n'),
    states: tables.STATES.map(([state, meaning]) => entry(`**${state}**`, plain(meaning))).join('\n'),
    environment: tables.VARIABLES.map(([name, meaning]) => entry(code(name), plain(meaning))).join('\n'),
    given: tables.GIVEN_VARIABLES.map(([name, meaning]) => entry(code(name), plain(meaning))).join('\n'),
    formats: tables.FORMAT_TEXT.map(plain).join('\n\n'),
    json: tables.KINDS.map((kind) => entry(code(`git-owl/${kind}/v1`), plain(tables.DATA_SCHEMAS[kind].of))).join('\n'),
    errors: Object.entries(tables.ERRORS)
      .map(([name, exit]) => `${code(name)} (${exit})`)
      .join(', '),
    reasons: Object.entries({ ...tables.REASONS, ...tables.GOAL_REASONS })
      .map(([name, exit]) => `${code(name)} (${exit})`)
      .join(', '),
    events: Object.entries(tables.EVENTS)
      .map(([name, meaning]) => entry(code(name), plain(meaning)))
      .join('\n'),
    'config-keys': tables.CONFIG_KEYS.map((key) => entry(code(key.path), configText(key))).join('\n'),
  };
}

function configText(key) {
  const value =
    key.default === undefined || key.meaning.includes('Default: ')
      ? ''
      : ` Default: ${key.default === null ? 'not set' : code(JSON.stringify(key.default))}.`;
  // Meanings are Markdown already, as far as code goes.
  const whose = key.merge?.how === 'user-only' ? ' Counts only in your own configuration file.' : '';
  return `${escapeOutsideCode(key.type)}. ${escapeOutsideCode(key.meaning)}${whose}${value}`;
}

const escapeOutsideCode = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : plain(part)))
    .join('');

function commandList(tables) {
  const lines = [];
  for (const [group, title] of Object.entries(tables.GROUPS)) {
    lines.push(`### ${title}`, '');
    for (const spec of tables.COMMANDS.filter((one) => one.group === group && !one.hidden)) {
      lines.push(`#### ${code(tables.synopsis(spec))}`, '', `${plain(spec.summary)}.`, '');
      for (const paragraph of spec.description ?? []) lines.push(plain(paragraph), '');
      const options = (spec.options ?? []).filter((option) => !option.hidden);
      if (options.length > 0) lines.push(optionList(options, tables), '');
      lines.push('```', ...spec.examples.map(({ command, what }) => `${command}   # ${what}`), '```', '');
    }
  }
  return lines.join('\n');
}

const optionList = (options, { sayOption }) =>
  options.map((option) => `* ${code(sayOption(option))}: ${plain(option.summary)}`).join('\n');
