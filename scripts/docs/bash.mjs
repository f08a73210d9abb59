// Completion for bash, through Git's own: `git owl <TAB>` calls `_git_owl`.
import {
  commandsOf,
  firstWords,
  HEAD,
  ID_SOURCES,
  isValued,
  LISTED,
  listBranches,
  listFeatures,
  listIds,
  nounsOf,
  optionWord,
  wordsOf,
} from './words.mjs';

const functionOf = (source) => `__git_owl_${LISTED[source]}`;
/** A command of two words is one word in a case: `goal-add`. */
const keyOf = (spec) => spec.name.replace(' ', '-');

export function buildBash(tables) {
  const commands = commandsOf(tables);
  const nouns = nounsOf(commands);
  return `# bash completion for git owl. ${HEAD}
#
# Git's completion loads this file by its name: install it as
# ~/.local/share/bash-completion/completions/git-owl, or source it after Git's.

${Object.entries(ID_SOURCES)
  .map(([source, one]) => `${functionOf(source)} ()\n{\n\t${listIds('__git', one)}\n}\n`)
  .join('\n')}
__git_owl_features ()
{
	${listFeatures('__git')}
}

__git_owl_branches ()
{
	${listBranches('__git')}
}

# Values of what is before the word: $1 is "<command>,<option>", $2 what there is of the value, $3 is set when it stands behind "=".
__git_owl_value ()
{
	case "$1" in
${valueCases(commands, tables)}
	*) return 1 ;;
	esac
}

__git_owl_options ()
{
	case "$1" in
${commands.map((spec) => `\t${keyOf(spec)}) __gitcomp "${optionWords(spec.options)}" ;;`).join('\n')}
	*) __gitcomp "${optionWords(tables.GLOBAL_OPTIONS)} --version" ;;
	esac
}

# Options of $1 that take a value from the next word.
__git_owl_valued ()
{
	case "$1,$2" in
${valuedCase(commands)}
	*) return 1 ;;
	esac
}

# Verbs of a noun; fails for a word that is none.
__git_owl_verbs ()
{
	case "$1" in
${[...nouns].map(([noun, verbs]) => `\t${noun}) __gitcomp "${verbs.map(({ verb }) => verb).join(' ')}" ;;`).join('\n')}
	*) return 1 ;;
	esac
}

_git_owl ()
{
	local start=\${__git_cmd_idx-} i command="" position=0 last=""

	# Git before 2.30 does not say where the command stands.
	if [ -z "$start" ]; then
		start=0
		for ((i = 1; i < cword; i++)); do
			[ "\${words[i]}" = owl ] && start=$i && break
		done
	fi
	for ((i = start + 1; i < cword; i++)); do
		case "\${words[i]}" in
		--) return ;;
		-*)
			if __git_owl_valued "$command" "\${words[i]}"; then
				[ $((i + 1)) -eq "$cword" ] && last=\${words[i]}
				((i++))
			fi
			;;
		*)
			case "$command" in
			"") command=\${words[i]} ;;
			${[...nouns.keys()].join(' | ')}) command=$command-\${words[i]} ;;
			*) ((position++)) ;;
			esac
			;;
		esac
	done

	if [ -n "$last" ]; then
		__git_owl_value "$command,$last" "$cur"
		return
	fi
	case "$cur" in
	--*=*)
		__git_owl_value "$command,\${cur%%=*}" "\${cur#*=}"
		return
		;;
	-*)
		__git_owl_options "$command"
		return
		;;
	esac
	if [ -z "$command" ]; then
		__gitcomp "${firstWords(commands).join(' ')}"
		return
	fi
	__git_owl_verbs "$command" && return
	case "$command,$position" in
${argumentCases(commands, tables)}
	esac
}

# For those who type git-owl.
if declare -F __git_complete >/dev/null; then
	__git_complete git-owl _git_owl
fi
`;
}

const optionWords = (options) =>
  options
    .filter(({ name }) => name.length > 1)
    .map((option) => (isValued(option) ? `${optionWord(option)}=` : optionWord(option)))
    .join(' ');

/** Patterns of all commands that share an answer, in one line each. */
function grouped(pairs) {
  const lines = new Map();
  for (const [pattern, answer] of pairs) lines.set(answer, [...(lines.get(answer) ?? []), pattern]);
  return [...lines].map(([answer, patterns]) => `\t${patterns.join(' | ')})${answer} ;;`).join('\n');
}

const answerOf = (one, tables, current) => {
  if (LISTED[one.source] !== undefined) return ` __gitcomp_nl "$(${functionOf(one.source)})" "" ${current}`;
  const words = wordsOf(one, tables);
  return words.length === 0 ? null : ` __gitcomp "${words.join(' ')}" "" ${current}`;
};

function valueCases(commands, tables) {
  const pairs = commands.flatMap((spec) =>
    spec.options.filter(isValued).flatMap((option) => {
      const answer = answerOf(option, tables, '"$2"');
      if (answer === null) return [];
      return spellings(option).map((word) => [`${keyOf(spec)},${word}`, answer]);
    }),
  );
  const color = tables.GLOBAL_OPTIONS.find(({ name }) => name === 'color');
  pairs.push([`,${optionWord(color)}`, answerOf(color, tables, '"$2"')]);
  return grouped(pairs);
}

const spellings = (option) => [
  ...(option.short === undefined ? [] : [`-${option.short}`]),
  ...(option.name.length === 1 ? [] : [optionWord(option)]),
];

function valuedCase(commands) {
  const globals = ',-C | ,--color';
  const own = commands.flatMap((spec) =>
    spec.options.filter(isValued).flatMap((option) => spellings(option).map((word) => `${keyOf(spec)},${word}`)),
  );
  return `\t${[globals, ...own].join(' | ')}) return 0 ;;`;
}

function argumentCases(commands, tables) {
  const pairs = commands.flatMap((spec) =>
    spec.args.flatMap((arg, at) => {
      const answer = answerOf(arg, tables, '"$cur"');
      return answer === null ? [] : [[`${keyOf(spec)},${arg.many ? '*' : at}`, answer]];
    }),
  );
  return grouped(pairs);
}
