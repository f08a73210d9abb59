// Completion for zsh. Its second line is what zsh's own completion of Git shows beside the command.
import {
  commandsOf,
  HEAD,
  ID_SOURCES,
  isValued,
  LISTED,
  listBranches,
  listFeatures,
  listIds,
  nounsOf,
  quote,
  wordsOf,
} from './words.mjs';

const functionOf = (source) => `_git-owl-${LISTED[source].replace('_', '-')}`;

export function buildZsh(tables) {
  const commands = commandsOf(tables);
  const nouns = nounsOf(commands);
  return `#compdef git-owl
#description hand work to agents and get back branches you can trust
# ${HEAD}
# Put it into a folder of $fpath. With Git's own completion for zsh the script for bash is used instead.

${[
  ...Object.entries(ID_SOURCES).map(([source, one]) => [source, listIds('_call_program ids git', one), one.what]),
  ['feature', listFeatures('_call_program ids git'), 'feature'],
]
  .map(
    ([source, listing, what]) =>
      `${functionOf(source)} () {\n  local -a ids\n  ids=(\${(f)"$(${listing})"})\n  _describe -t ids '${what}' ids\n}\n`,
  )
  .join('\n')}
_git-owl-branches () {
  local -a names
  names=(\${(f)"$(${listBranches('_call_program branches git').replace("'--format=%(refname:strip=2)'", '"\'--format=%(refname:strip=2)\'"')})"})
  _describe -t branches 'branch' names
}

_git-owl-commands () {
  local -a commands
  commands=(
${commands.flatMap((spec) => (spec.name.includes(' ') ? [] : [`    ${quote(`${spec.name}:${spec.summary}`)}`])).join('\n')}
${[...nouns].map(([noun, verbs]) => `    ${quote(`${noun}:${verbs.map(({ verb }) => verb).join(', ')}`)}`).join('\n')}
  )
  _describe -t commands 'git owl command' commands
}

_git-owl () {
  local curcontext=$curcontext state line ret=1
  local -A opt_args

  _arguments -C \\
${tables.GLOBAL_OPTIONS.map((option) => `    ${optionSpec(option, tables)} \\`).join('\n')}
    '(- *)--version[print the version]' \\
    '1: :_git-owl-commands' \\
    '*:: :->words' && ret=0

  [[ $state == words ]] || return ret
  curcontext=\${curcontext%:*}-$line[1]:
  case $line[1] in
${commands.flatMap((spec) => (spec.name.includes(' ') ? [] : [commandCase(spec, tables)])).join('\n')}
${[...nouns].map(([noun, verbs]) => nounCase(noun, verbs, tables)).join('\n')}
  esac
  return ret
}

_git-owl "$@"
`;
}

/** The verb first, then what that command takes. */
function nounCase(noun, verbs, tables) {
  const names = verbs.map(({ verb }) => verb).join(' ');
  const cases = verbs.map((spec) => commandCase({ ...spec, name: spec.verb }, tables)).join('\n');
  return `    ${noun})
      _arguments -C \\
        '1:verb:(${names})' \\
        '*:: :->verbs' && ret=0
      [[ $state == verbs ]] || return ret
      curcontext=\${curcontext%:*}-$line[1]:
      case $line[1] in
${cases.replace(/^/gm, '  ')}
      esac
      ;;`;
}

function commandCase(spec, tables) {
  const rows = [
    ...spec.options.map((option) => optionSpec(option, tables)),
    ...spec.args.map((arg, at) => argumentSpec(arg, at, tables)),
  ];
  return `    ${spec.name})\n      _arguments -s \\\n${rows.map((row) => `        ${row}`).join(' \\\n')} && ret=0\n      ;;`;
}

/** In \`_arguments\`, brackets and colons of a text end it. */
const safe = (text) => text.replace(/([[\]:\\])/g, '\\$1');

const action = (one, tables) => {
  if (LISTED[one.source] !== undefined) return functionOf(one.source);
  if (one.source === 'file') return '_files';
  if (one.source === 'directory') return '_directories';
  const words = wordsOf(one, tables);
  return words.length === 0 ? ' ' : `(${words.join(' ')})`;
};

function optionSpec(option, tables) {
  const value = isValued(option)
    ? `:${safe((option.value ?? 'value').replace(/[<>]/g, ''))}:${action(option, tables)}`
    : '';
  const text = `[${safe(option.summary)}]${value}`;
  const long = option.name.length === 1 ? null : `--${option.name}${isValued(option) ? '=' : ''}`;
  const short = option.short === undefined ? null : `-${option.short}${isValued(option) ? '+' : ''}`;
  const repeated = option.kind === 'list';
  if (long === null || short === null) {
    const excluded =
      option.conflicts === undefined || repeated ? '' : `(${option.conflicts.map((name) => `--${name}`).join(' ')})`;
    return quote(`${repeated ? '*' : excluded}${long ?? short}${text}`);
  }
  const both = `{${short},${long}}`;
  return `${quote(repeated ? '*' : `(-${option.short} --${option.name})`)}${both}${quote(text)}`;
}

const argumentSpec = (arg, at, tables) =>
  quote(`${arg.many ? '*' : at + 1}:${arg.required || arg.many ? '' : ':'}${safe(arg.name)}:${action(arg, tables)}`);
