// Completion for fish: `git owl <TAB>` is forwarded by fish's own completion of Git to that of git-owl.
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

const functionOf = (source) => `__git_owl_${LISTED[source]}`;

export function buildFish(tables) {
  const commands = commandsOf(tables);
  const nouns = nounsOf(commands);
  const names = commands.flatMap(({ name }) => (name.includes(' ') ? [] : [name])).join(' ');
  const lines = [];
  for (const [noun, verbs] of nouns) {
    const said = verbs.map(({ verb }) => verb).join(', ');
    lines.push(`complete -c git-owl -n '__git_owl_needs_command' -xa ${noun} -d ${quote(said)}`);
    for (const { verb, summary } of verbs)
      lines.push(`complete -c git-owl -n '__git_owl_using ${noun}' -xa ${verb} -d ${quote(summary)}`);
  }
  for (const spec of commands) {
    if (spec.name.includes(' ')) continue;
    lines.push(`complete -c git-owl -n '__git_owl_needs_command' -xa ${quote(spec.name)} -d ${quote(spec.summary)}`);
  }
  for (const option of tables.GLOBAL_OPTIONS) lines.push(optionLine('__git_owl_needs_command', option, tables));
  lines.push("complete -c git-owl -n '__git_owl_needs_command' -l version -d 'print the version'");
  for (const spec of commands) {
    const when = `__git_owl_using ${spec.name}`;
    lines.push('', ...spec.options.map((option) => optionLine(when, option, tables)));
    for (const arg of spec.args) {
      const values = action(arg, tables);
      if (values !== null) lines.push(`complete -c git-owl -n ${quote(when)} -xa ${quote(values)}`);
    }
  }
  return `# fish completion for git owl. ${HEAD}
# Put it into ~/.config/fish/completions/. fish 3.6.0 does not ask it for \`git owl\`: there this line goes into config.fish, too:
#   complete -c git -f -n '__fish_git_using_command owl' -a '(__fish_git_complete_custom_command owl)'

${Object.entries(ID_SOURCES)
  .map(([source, one]) => `function ${functionOf(source)}\n    ${listIds('git', one)}\nend\n`)
  .join('\n')}
function __git_owl_features
    ${listFeatures('git')}
end

function __git_owl_branches
    ${listBranches('git')}
end

# The command, after "git owl" or "git-owl": the first word that is one, or a noun with its verb.
function __git_owl_command
    set -l noun
    for word in (commandline -opc)
        if set -q noun[1]
            string match -q -- '-*' $word
            and continue
            echo "$noun $word"
            return 0
        end
        if contains -- $word ${[...nouns.keys()].join(' ')}
            set noun $word
        else if contains -- $word ${names}
            echo $word
            return 0
        end
    end
    set -q noun[1]
    and echo $noun
end

function __git_owl_needs_command
    not __git_owl_command >/dev/null
end

function __git_owl_using
    test (__git_owl_command) = "$argv" 2>/dev/null
end

complete -c git-owl -f
${lines.join('\n')}
`;
}

const action = (one, tables) => {
  if (LISTED[one.source] !== undefined) return `(${functionOf(one.source)})`;
  const words = wordsOf(one, tables);
  return words.length === 0 ? null : words.join(' ');
};

function optionLine(when, option, tables) {
  const words = ['complete -c git-owl', `-n ${quote(when)}`];
  if (option.short !== undefined) words.push(`-s ${option.short}`);
  if (option.name.length > 1) words.push(`-l ${option.name}`);
  if (isValued(option)) {
    const values = action(option, tables);
    const files = option.source === 'file' || option.source === 'directory';
    words.push(files ? '-rF' : values === null ? '-x' : `-xa ${quote(values)}`);
  }
  words.push(`-d ${quote(option.summary)}`);
  return words.join(' ');
}
