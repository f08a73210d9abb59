/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl -h 1`] = `
usage: git owl [-C <path>] [--json] [-q] [-v] <command> [<options>]

Hand work to an agent and get back a branch you can trust:

   git owl add "make the parser accept tabs"   queue it
   git owl run                                 have it done and checked
   git owl merge <id>                          land it

Queue work and have it done
   add          Queue a Job: a prompt, to be worked on by an agent
   run          Have an agent work on the next Job or Goal, check the result
   merge        Land a reviewed Job on its base
   stop         End what is live on this machine: Runs, and the gates of Goals
   goal         Goals: add|adopt|edit|round|move|advance|approve|decline|revert|reconcile|delete
   feature      Features: list|add|order

See what is going on
   status       Say what runs, what waits and why, and what needs a decision
   list         List open Jobs and Goals in queue order
   show         Show everything of one Job or Goal
   log          Print the agent's output
   diff         Show the change of a Job against the base of its last Run, or of a Goal
   review       Show intent, Plan, change, checks, verdicts and open questions in one place
   worktree     Print the path of the worktree of a Job, or of a Goal's current Round
   conflicts    Predict which open branches collide with their target or with each other
   report       Write board, timeline and evidence as one page, or as Markdown
   events       List what happened, newest first

Decide about finished work
   accept       Close a Job as done without merging it
   retry        Send a Job back to the queue, with what to do better
   verify       Replay a Job onto today's base and run its checks, without an agent
   export       Make a branch of your own from verified work, for a pull request
   revert       Take the merge of a Job or Goal back, by a commit of its own
   cancel       Close a Job or Goal without removing anything
   drop         Cancel a Job and remove its branch and worktree; the tip is kept
   restore      Bring a dropped Job back, with its branch
   reopen       Open a closed Job or Goal again

Change the queue
   edit         Change prompt, attempts, agent, needs or labels of a Job
   handoff      Print the Handoff of a Job, or edit it
   extend       Let a Job take more Runs
   reorder      Give a Job another place in the queue

Set up and look after the repository
   demo         See it all work in a temporary folder, with a scripted agent
   init         Write a commented configuration for this repository
   trust        Show the commands of the repository's configuration and allow them here
   config       Show the effective configuration and where each value comes from
   doctor       Check this machine and repository, with the mend for each fault
   gc           Remove checkouts that nobody needs and fold what is kept
   lease        List the leases of targets, or break one
   sync         Bring the state of this clone and of a remote together
   fsck         Check the records and what they point at
   completion   Print the completion script for a shell
   help         Show help on a command or a topic

"git owl <command> -h" explains a command, "git help owl" opens the manual.
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl accept -h 1`] = `
usage: git owl accept [<options>] <id>

Close a Job as done without merging it.

The worktree is removed and the branch is kept. Says first that the base has not moved.

Options
   -f, --force            also with uncommitted work, which is kept first
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl accept k3x9qp   # keep the branch, close the Job
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl add -h 1`] = `
usage: git owl add [<options>] [<prompt>...]

Queue a Job: a prompt, to be worked on by an agent.

Records intent only: no branch, no worktree and no process is made. Prints the id of the Job, and
nothing else when standard output is not a terminal.

The prompt is the words given, the file of -F, or standard input for "-"; on a terminal without
either, your editor opens. Words after "--" are prompt whatever they begin with.

A Job is planned first and carried out in a second Run of a fresh agent, unless --no-plan is given
or the project says so.

Options
   -F, --file <file>      read the prompt from <file>, "-" for standard input
       --plan             plan first, whatever the project says
       --no-plan          carry it out at once
       --ttl <n>          let it take at most <n> Runs
       --mode <mode>      one of the modes of the configuration
       --auto-merge       merge it once its checks passed
       --no-auto-merge    leave the merge to a person
       --agent <agent>    have this agent work on it
       --base <branch>    the branch it starts from and lands on
       --remote <remote>  the remote that the base is fetched from
       --from <branch>    begin with the commits of this branch
       --label <label>    a word to find it by; may be repeated
       --needs <id>       wait until this Job is merged or done; may be repeated
       --slug <slug>      the last part of the branch name
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl add "make the parser accept tabs"          # queue one piece of work
   git owl add --no-plan --label docs -F request.md   # from a file, without a plan
   id=$(git owl add "fix the build")                  # in a script: the id alone
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl cancel -h 1`] = `
usage: git owl cancel [<options>] <id>

Close a Job or Goal without removing anything.

Options
   -f, --force            also with uncommitted work, which is kept first
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl cancel k3x9qp   # branch and worktree stay
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl completion -h 1`] = `
usage: git owl completion (bash|zsh|fish)

Print the completion script for a shell.

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   # bash, through Git's own completion
   git owl completion bash > ~/.local/share/bash-completion/completions/git-owl
   # zsh, into a folder of $fpath, before compinit
   git owl completion zsh > ~/.zfunc/_git-owl
   git owl completion fish > ~/.config/fish/completions/git-owl.fish              # fish
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl config -h 1`] = `
usage: git owl config [<options>] [<key>]

Show the effective configuration and where each value comes from.

With a key, such as ttl or execution, it prints that value alone.

"git owl config check" looks for mistakes in what is in force, in your own file, and in this
checkout before you commit it.

Options
       --base <branch>  as read from this branch

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl config                       # every value with its origin
   git owl config phases.plan.timeout   # one value
   git owl config check                 # before you commit a change
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl conflicts -h 1`] = `
usage: git owl conflicts [<options>] [<id>...]

Predict which open branches collide with their target or with each other.

From the commits that are here: nothing is fetched, and no branch, index or file is touched. Each
open branch is merged with its target; of those that merge, each is compared with each other as if
it had landed first.

With ids: only collisions in which one of these takes part.

Options
       --exit-code        exit 5 when any collide
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl conflicts                      # all of them
   git owl conflicts k3x9qp --exit-code   # for a script, before a merge
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl demo -h 1`] = `
usage: git owl demo

See it all work in a temporary folder, with a scripted agent.

No key, no network, a few seconds. Each step is printed beside the plain Git it stands for, and the
folder is left to look at.

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl demo   # from anywhere
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl diff -h 1`] = `
usage: git owl diff [<options>] [<id>] [<git diff options>] [-- <path>...]

Show the change of a Job against the base of its last Run, or of a Goal.

Of a Goal its Candidate is shown; before there is one, what its Round has committed. Other options
are passed to git diff, and paths are meant from the current folder, as there. Attributes come from
the base, and no external diff or text filter runs.

Options
       --worktree  with what a live Run has not committed

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl diff k3x9qp                  # the whole change
   git owl diff k3x9qp --stat -- src/   # options and paths of git diff
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl doctor -h 1`] = `
usage: git owl doctor [<options>]

Check this machine and repository, with the mend for each fault.

Options
       --agent  really start the version command of the agent

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl doctor   # each check with pass, warn or fail
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl drop -h 1`] = `
usage: git owl drop [<options>] <id>

Cancel a Job and remove its branch and worktree; the tip is kept.

git owl restore brings it back.

Options
   -f, --force            also with uncommitted work, which is kept first
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl drop k3x9qp --dry-run   # see what would go
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl edit -h 1`] = `
usage: git owl edit [<options>] <id>

Change prompt, attempts, agent, needs or labels of a Job.

While it is pending, blocked or exhausted. Given --label or --needs, the lists are replaced; an
empty one is "--label none" and "--needs none".

Options
       --prompt <text>    the new prompt
   -F, --file <file>      read the new prompt from <file>, "-" for standard input
       --ttl <n>          Runs left
       --agent <agent>    another agent
       --needs <id>       wait for these Jobs; may be repeated
       --label <label>    the labels; may be repeated
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl edit k3x9qp --agent codex --label parser   # another agent, another label
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl events -h 1`] = `
usage: git owl events [<options>] [<id>]

List what happened, newest first.

With an id only those of that Job, or of that Goal with the Jobs of its Rounds. Reads the commits of
refine/state: "git log refine/state" is the same in Git's words. With -f they come oldest first, as
they happen.

Options
   -f, --follow           go on printing new ones
       --job <id>         only those of one Job
       --goal <id>        only those of one Goal
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl events --limit 20   # the last twenty
   git owl events g3x9qp       # those of one Goal
   git owl events -f --json    # one JSON object a line, as they happen
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl export -h 1`] = `
usage: git owl export [<options>] <id> [<branch>]

Make a branch of your own from verified work, for a pull request.

The Handoff is left out. Nothing is pushed. Of a Goal it is the Candidate: once it was merged, "git
owl goal reconcile --merged-by" takes it in. Without a name the branch is named for the title.

Options
       --squash           as one commit
   -f, --force            also what did not pass its checks
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl export k3x9qp tabs-in-parser --squash   # one commit on a new branch
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl extend -h 1`] = `
usage: git owl extend [<options>] <id> <n>

Let a Job take more Runs.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl extend k3x9qp 3   # three more
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl feature add -h 1`] = `
usage: git owl feature add [<options>] <title>...

Make a Feature: its Goals are worked on one after the other.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl feature add "Parser"   # then: git owl goal add … --feature <id>
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl feature list -h 1`] = `
usage: git owl feature list [<options>]

List Features with their open Goals.

Options
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl feature list   # in their order
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl feature order -h 1`] = `
usage: git owl feature order [<options>] <id>

Give a Feature another place in the queue.

Options
       --first            before everything else
       --last             after everything else
       --before <id>      before this Feature
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl feature order f4f4f4 --first   # this one next
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl fsck -h 1`] = `
usage: git owl fsck [<options>]

Check the records and what they point at.

Options
       --repair   mend what can be derived again; nothing is removed
   -n, --dry-run  only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl fsck   # explain what is damaged
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl gc -h 1`] = `
usage: git owl gc [<options>]

Remove checkouts that nobody needs and fold what is kept.

The branches of closed Goals and Jobs are retired here and on the remote, once the target or base
there has their commits.

The remote deletes them in one step with a look at its target; one that cannot do that keeps them.

Whatever holds work that nothing else has is told, and stays.

On a terminal, many things of one kind that stay for one reason are one line with their number; a
pipe and --json have them all.

Options
       --explain <ref or path>  only say what proof one thing has or lacks
       --expire <commit>        let a kept commit go that nothing else holds; may be repeated
   -a, --all                    a line for each thing, also where many stay for one reason
   -n, --dry-run                only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl gc --dry-run   # see what would go
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal add -h 1`] = `
usage: git owl goal add [<options>] <title>...

Make a Goal: work in Rounds, with gates, integrated by git owl.

Records intent only, in the backlog or with --queue in todo. Says where it will land, which comes
before your review. Prints the id alone when standard output is not a terminal.

Without a request there is nothing to do yet: "git owl goal round" gives it one.

Options
       --request <text>          what the first Round is asked for
   -F, --file <file>             read the request from <file>, "-" for standard input
       --queue                   put it into todo at once
       --feature <id>            the Feature that orders it
       --order <n>               its place among its siblings, from 1
       --priority (high|medium|low)
                                 lower ones wait while it can start or is at work
       --target <branch>         the branch it lands on
       --remote <remote>         the remote that the target is on
       --needs <id>              wait until this Goal is in review or done; may be repeated
       --label <label>           a word to find it by; may be repeated
   -n, --dry-run                 only say what would be done
       --request-id <id>         do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal add "Tabs in the parser" --request "accept tabs" --queue   # ready to be worked on
   # from a file, in the backlog
   git owl goal add "Tabs in the parser" -F request.md
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal adopt -h 1`] = `
usage: git owl goal adopt [<options>] <source>

Make a Goal of work that is there already.

Of the branch of a Job, of any branch, or of a linked worktree. Its base is the merge base with the
target, its tip the Candidate, and quality comes next. Your branch and checkout stay as they are.
Prints the id alone when standard output is not a terminal.

Options
       --title <text>            its title; else that of the last commit
       --request <text>          what the work was to do, for those who judge it
   -F, --file <file>             read the request from <file>, "-" for standard input
       --commit                  take uncommitted work along, as a commit of its own
       --feature <id>            the Feature that orders it
       --order <n>               its place among its siblings, from 1
       --priority (high|medium|low)
                                 lower ones wait while it can start or is at work
       --target <branch>         the branch it lands on
       --remote <remote>         the remote that the target is on
       --label <label>           a word to find it by; may be repeated
   -n, --dry-run                 only say what would be done
       --request-id <id>         do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal adopt my-branch --request "accept tabs"   # then: git owl goal advance <id>
   git owl goal adopt ../worktree --commit                # with what is not committed there
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal advance -h 1`] = `
usage: git owl goal advance [<options>] <id>

Carry one Goal as far as it can go now.

Plan and implement by an agent, quality, governance, and the merge into its target; then it waits
for your review. Stopped at any step, the next one goes on from there.

Options
       --step              one status only
       --max-parallel <n>  Jobs and Goals at work, at most
       --trust             run the commands of the repository's configuration without asking
   -n, --dry-run           only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal advance g3x9qp          # from the queue to review
   git owl goal advance g3x9qp --step   # the next status only
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal approve -h 1`] = `
usage: git owl goal approve [<options>] <id>

Close a Goal in review as done.

Nothing is merged or pushed: it is integrated already. The target, as it is on the remote where it
was published, must still contain that integration.

Options
       --reason <text>        why, for the log
       --expect-revision <n>  only if it is still at this revision
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal approve g3x9qp   # after your review
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal decline -h 1`] = `
usage: git owl goal decline [<options>] <id> [<request>...]

Send a Goal in review back, with a new Round.

The new Round starts from the target as it is then. History is not rewritten. Without a request the
same is asked for again.

Options
   -F, --file <file>          read the request from <file>, "-" for standard input
       --expect-revision <n>  only if it is still at this revision
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal decline g3x9qp "empty files still fail"   # with what to do better
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal delete -h 1`] = `
usage: git owl goal delete [<options>] <id>

Take a Goal out of the list for ever.

One in the backlog, done or cancelled. A tombstone, its branches and what is kept stay.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal delete g3x9qp   # made by mistake
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal edit -h 1`] = `
usage: git owl goal edit [<options>] <id>

Change title, request, place, needs, labels, owner or target of a Goal.

While a step of it is at work, that step is superseded and begins anew. Given --label or --needs,
the lists are replaced; "none" takes a value away.

Options
       --title <text>            the new title
       --request <text>          what the current Round is asked for
   -F, --file <file>             read the request from <file>, "-" for standard input
       --feature <id>            the Feature that orders it
       --order <n>               its place among its siblings, from 1
       --priority (high|medium|low)
                                 lower ones wait while it can start or is at work
       --needs <id>              wait until this Goal is in review or done; may be repeated
       --label <label>           the labels; may be repeated
       --owner <name>            who looks after it
       --target <branch>         the branch it lands on
       --expect-revision <n>     only if it is still at this revision
   -n, --dry-run                 only say what would be done
       --request-id <id>         do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal edit g3x9qp --priority high --order 1   # before its siblings
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal move -h 1`] = `
usage: git owl goal move [<options>] <id> (backlog|todo|plan|implement|quality|governance)

Give a Goal another status.

Between backlog and todo nothing but the record changes. A Goal that failed, or whose Error event is
open, goes on with the step that is named. Selecting the status that it has changes nothing.

Options
       --reason <text>        why, for the log
       --expect-revision <n>  only if it is still at this revision
   -f, --force                also while a step of it is at work, which is superseded
       --allow-guarded        accept guarded paths in this very Candidate
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal move g3x9qp todo                         # into the queue
   git owl goal move g3x9qp governance --allow-guarded   # after you looked at what it guards
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal reconcile -h 1`] = `
usage: git owl goal reconcile [<options>] <id>

Take in what is on the target already.

A Goal whose Candidate is integrated, by evidence of its own Round, goes to review; anything missing
or failed is said, and nothing is changed. With --merged-by, a commit that somebody else made
brought the Candidate (a merge, a squash, or its commits made again): that is looked at and
recorded, and the gates judge it first.

Options
       --merged-by <commit>   the commit that brought it to the target
       --reason <text>        why, for the log
       --expect-revision <n>  only if it is still at this revision
       --trust                run the commands of the repository's configuration without asking
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal reconcile g3x9qp                           # after an interruption
   git owl goal reconcile g3x9qp --merged-by origin/main   # after a pull request
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal revert -h 1`] = `
usage: git owl goal revert [<options>] <id>

Take what a Goal merged back, by commits of their own.

One in review, done or cancelled. Every merge of its Rounds that the target has still is taken back,
by a commit each, all in one move of the target or none. History is not rewritten; where the target
is published the commits go to the remote first. The Goal has failed then: a new Round does it
differently, or takes over what it did with --from. A cancelled one stays cancelled.

Options
       --expect-revision <n>  only if it is still at this revision
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal revert g3x9qp   # after it was integrated and should not have been
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl goal round -h 1`] = `
usage: git owl goal round [<options>] <id> [<request>...]

Give a Goal a new Round, with its own request.

It starts from the target as it is then; earlier Rounds, their branches and Candidates stay. With
--from the changes of that Round are taken over as far as they apply.

Options
   -F, --file <file>          read the request from <file>, "-" for standard input
       --from <round>         go on from the Candidate of this Round
       --reason <text>        why, for the log
       --expect-revision <n>  only if it is still at this revision
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl goal round g3x9qp "handle empty files too" --from 1   # on top of what Round 1 made
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl handoff -h 1`] = `
usage: git owl handoff [<options>] [<id>]

Print the Handoff of a Job, or edit it.

The Handoff is all that passes from one Run to the next. Without an id: the Job whose worktree this
is, else the only live one.

Options
   -e, --edit     open it in your editor and commit it on the branch
   -n, --dry-run  only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl handoff k3x9qp          # read the Plan
   git owl handoff k3x9qp --edit   # correct it before the next Run
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help -h 1`] = `
usage: git owl help [<topic>...]

Show help on a command or a topic.

Topics: states, exit-status, configuration, state, format, environment. "git help owl", "git help
owl-config" and "git help owl-state" open the manual.

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl help add           # one command
   git owl help exit-status   # for a script
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help configuration 1`] = `
In .coding-owl.yaml (or .json, or coding-owl in package.json), read from the commit of the base
branch; then the file of your own, in $XDG_CONFIG_HOME/coding-owl/config.yaml, which may add to it
and be stricter, never weaker.

"git owl config" prints the values in force with where each came from, "git owl config check" looks
before you commit, "git owl init" writes a first file. The whole manual: git help owl-config

version  1; default 1
    The version of this format. A greater one is refused.
base  branch
    The branch that Jobs start from and land on. Default: the remote's default branch, else main.
remote  remote
    The remote whose base counts. Default: the one that the base branch follows, origin, or the only
    one.
branch_prefix  text that ends in /; default "owl/"
    What the names of Jobs' branches begin with.
worktrees  folder
    Where worktrees are made. Begins with / or ~/. Default: $XDG_DATA_HOME/git-owl.
agent  agent
    The agent of new Jobs: a preset, or a name under agents.
agents  named agents; default {}
    Agents of your own; a preset named here is refined.
agents.<name>.preset  preset
    Arguments and output of this preset are used. Either this or command is required.
agents.<name>.command  list of words
    What is started: no shell; {prompt_file} and {worktree} are filled in.
agents.<name>.prompt  "stdin" or "file"
    How it gets the prompt. Default: stdin.
agents.<name>.env  list of variables
    Variables that this agent alone gets.
agents.<name>.sandbox  list of words
    A command put before this one. Default: sandbox.
agents.<name>.account  name
    The account that it works under: a name, never a secret.
agents.<name>.plan  "writes" or "last-message"
    Whether it writes its plan itself, or its last message is the plan.
agents.<name>.model  text
    Its model, where the phase names none.
setup  list of commands; default []
    Commands run in a worktree before the agent starts.
setup[].run  shell command
    The command, where more than text is needed. Required.
setup[].timeout  length of time
    How long it may take. Default: 15m.
copy  list of paths; default []
    Git-ignored files of your checkout that a new worktree gets a copy of.
env  list of variables; default []
    Variables passed to setup, checks and agents; nothing else is.
checks  list of checks; default []
    What a tip must pass before it is offered for review or merged.
checks[].name  name
    What the check is called in output and records. Required, and the only one of that name.
checks[].run  shell command
    What decides: it passes with exit status 0. Required.
checks[].timeout  length of time
    How long it may take. Default: 15m.
checks[].expect  "success" or "empty_output"
    "empty_output" asks for an empty standard output too. Default: success.
verification.checkout  "worktree" or "fresh"; default "worktree"
    Where checks run: the Job's worktree, or a new checkout of the tip.
guard  list of paths; default []
    Paths whose change a person must allow: "merge --allow-guarded". No merge is made by itself
    then. Always guarded are the configuration, what CI reads, "governance.rules", and each file of
    the base that the command of a check names. * and ** are wildcards.
sandbox  list of words, or "preset"; default []
    A command put before agents and checks, or the preset's own sandbox.
phases.plan.timeout  length of time; default "1h"
    How long the agent of a plan Run may take.
phases.plan.stall  length of time; default "15m"
    How long it may show no output, no processor time and no change.
phases.plan.model  text
    The model, for presets that can be told one.
phases.plan.budget  number
    The budget of one Run, for presets that can obey it.
phases.execute.timeout  length of time; default "4h"
    How long the agent of an execute Run may take.
phases.execute.stall  length of time; default "15m"
    How long it may show no output, no processor time and no change.
phases.execute.model  text
    The model, for presets that can be told one.
phases.execute.budget  number
    The budget of one Run, for presets that can obey it.
contract  list of text; default []
    Clauses added to what every agent is told.
plan  true or false; default true
    Whether new Jobs are planned before they are carried out.
ttl  whole number, 1 to 10000; default 10
    How many Runs a new Job has.
max_parallel  whole number, 1 to 1000; default 2
    How many Jobs and Goals may be at work in this clone at once, of all commands that carry them.
    One "run --all" works one after the other, side by side with "--max-parallel".
avoid_conflicts  true or false; default false
    Whether "run" takes begun work that "git owl conflicts" sees colliding after the rest of its
    priority.
signing  "never", "inherit" or "require"; default "never"
    Whether commits that git owl makes on branches are signed.
execution.auto_merge  true or false; default false
    Whether a Job that passed all its checks lands by itself.
execution.publish  true or false; default false
    Whether what lands is pushed to the base on the remote first.
execution.agents_may_add  true or false; default false
    Whether an agent may add Jobs.
modes  named modes; default {}
    Modes that "add --mode" takes.
modes.<name>.auto_merge  true, false or null
    Overrides execution.auto_merge either way; null: it does not.
quality.checks  list of checks; default []
    Checks that a Goal must pass in quality.
quality.checks[].name  name
    What the check is called in output and records. Required, and the only one of that name.
quality.checks[].run  shell command
    What decides: it passes with exit status 0. Required.
quality.checks[].timeout  length of time
    How long it may take. Default: 15m.
quality.checks[].expect  "success" or "empty_output"
    "empty_output" asks for an empty standard output too. Default: success.
quality.agent  agent or null
    The agent that judges a Goal in quality.
governance.checks  list of checks; default []
    Checks that a Goal must pass in governance.
governance.checks[].name  name
    What the check is called in output and records. Required, and the only one of that name.
governance.checks[].run  shell command
    What decides: it passes with exit status 0. Required.
governance.checks[].timeout  length of time
    How long it may take. Default: 15m.
governance.checks[].expect  "success" or "empty_output"
    "empty_output" asks for an empty standard output too. Default: success.
governance.agent  agent or null
    The agent that judges a Goal in governance.
governance.rules  list of paths; default []
    Files with the rules that the agent of governance judges by.
governance.protect  list of paths; default []
    Paths that a Goal may not change unless a person allows it.
governance.max_changed.files  whole number
    How many files a Goal may change.
governance.max_changed.lines  whole number
    How many lines a Goal may change.
goals.target  branch
    The branch that Goals land on. Default: base.
goals.publish  true or false; default true
    Whether Goals are integrated on the remote.
goals.error_window  length of time, 1s to 24h; default "10m"
    How long a handler has for an Error event.
goals.ungated  true or false; default false
    Whether a Goal may be integrated with no check and no agent anywhere: not under "checks",
    "quality" or "governance".
skills  list of Skills; default []
    Commands and texts bound to lifecycle events.
skills[].name  name
    What it is called. Required, and the only one of that name.
skills[].on  event
    Such as workflow.backlog.enter or job.review. Required.
skills[].kind  "executable", "context" or "disabled"
    Required.
skills[].run  shell command
    The command of an executable one.
skills[].agent  agent
    The agent of an executable one that has no command.
skills[].text  text
    The text of a context one.
skills[].timeout  length of time
    How long it may take. Default: 15m.
gc.hibernate_after  length of time, 0 or "never"; default "1h"
    How long an inactive checkout stays.
gc.review_after  length of time; default "7d"
    How long a Job may wait in review before "gc" says so.
gc.keep  length of time; default "90d"
    How long what closed work leaves is kept.
gc.unfenced  true or false; default false
    Whether remote names may be retired where the server allows no fence.
sync.auto  true or false; default false
    Whether commands that change state sync before and after.
sync.rounds  true or false; default false
    Whether the Candidates and branches of Rounds travel by sync; without it only their ids do.
sync.output  true or false; default false
    Whether the end of what each check printed travels in the state, without values of passed
    variables and copied files; without it, it stays in the clone that ran it.
sync.wip  true or false; default false
    Whether what a Run left uncommitted goes along with the shared tip of its Job.
sync.run  true or false; default false
    Whether work that was made elsewhere runs here by itself.
sync.trust  true or false; default false
    Whether gates that another clone ran count here.
sync.claim  true or false; default false
    Whether "run" takes Jobs from the queue shared on the remote; Goals of another clone stay there.
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help environment 1`] = `
NO_COLOR, FORCE_COLOR        colour, below --color and above color.owl and color.ui
XDG_CONFIG_HOME              the configuration of the user is in coding-owl/config.yaml below it
XDG_DATA_HOME                worktrees are in git-owl below it
XDG_STATE_HOME               what was trusted is remembered in git-owl below it
OWL_TRUST                    1: run the commands of the configuration without asking, as --trust
OWL_DEBUG                    1: print a stack trace with an error
OWL_JOB                      set for agents: git owl only reads then
GIT_EDITOR, VISUAL, EDITOR   the editor, as Git chooses it

Set for what is started:
OWL_JOB, OWL_RUN                                           id of the Job and of the Run
OWL_PHASE                                                  plan or execute; for the agent of a gate
                                                           quality or governance
OWL_GOAL, OWL_ROUND                                        of a Goal: its id, and the number of the
                                                           Round
OWL_CANDIDATE, OWL_CANDIDATE_BASE                          gates, their checks and handlers: the
                                                           full ids of the Candidate, its tip and
                                                           its base
OWL_BASE                                                   full id of the commit that the Run is
                                                           based on
OWL_HANDOFF                                                path of the Handoff in the worktree
OWL_PROMPT_FILE                                            agents: a file with the prompt, which is
                                                           on standard input, too
OWL_RESULT_FILE                                            agents: where one may leave a JSON object
                                                           about its Run: {"outcome":"done"}, or
                                                           "no-change", "blocked" or "limited", with
                                                           "summary", "usage" and, for a usage
                                                           limit, "not_before" as in
                                                           2026-03-01T10:00:00Z: the Job is in the
                                                           queue again and not taken before that
                                                           time
OWL_NOTIFY_JOB, OWL_NOTIFY_GOAL, _STATE, _TITLE, _REASON   the command of run --notify: the Job or
                                                           Goal that ended or needs a decision
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help exit-status 1`] = `
0               done, also when there was nothing to do; a Job or Goal that ended in review, done or
                merged
1               a defect in git owl, with how to report it
2               usage
3               no such thing: not a repository, unknown or ambiguous id, missing base; run
                --require with nothing to run
4               refused: the state, the tree or the trust rules do not allow it; nothing was changed
5               conflict: blocked or escalated, everything is kept
6               not accepted: checks, quality or governance failed, or nothing was changed
7               busy: lost a race, or the lease is held; try again
8               the agent or a setup command failed, passed a limit, or met a usage limit
9               environment: Git too old, repository format, configuration, remote, missing agent
129, 130, 143   ended by SIGHUP, SIGINT, SIGTERM
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help format 1`] = `
A list with nothing in it prints nothing in a pipe, and a sentence on a terminal; the exit status is
0 either way (conflicts --exit-code: 5 when any collide).

Lists take --format with %(field), as git for-each-ref does: %(base.oid) is a part of a field, %% a
percent sign, %00 a byte in hexadecimal. A list is joined by commas; what is null or missing prints
nothing.

Fields of a Job (list, and JSON everywhere): id, kind, state, phase, position, ttl, branch, base,
tip, worktree, title, mode, labels, needs, agent, owner, not_before, verified, reason, goal, round,
created, updated, runs, planned, auto_merge, closure, handoff, merged, reverted, elsewhere, live. Of
an event: commit, event, subject, job, goal, run, actor, request, time, open.

Control characters in values are printed as escapes such as \\x1b. With -z each row ends with NUL and
values are as they are.

--sort <field> orders by a field, --sort -<field> the other way round; of several the last one
counts most. --limit <n> prints at most n rows.

--json prints one document: {"schema":"git-owl/<kind>/v1","ok":true,"data":…}, or
{"schema":"git-owl/error/v1","ok":false,"error":{"code","message","preserved","next"}}. A failure
whose Job is known all the same (merge, run) has "kind" and "data" beside its error. run, log -f and
events -f print one such object a line. Fields are named as in --format. A null means asked and
unknown; a missing field means that it does not apply.
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help state 1`] = `
refine/state                 the branch with all records; "git log refine/state" is the history of
                             events, "git ls-tree -r" lists the records
owl/<job>/<slug>             the branch of a Job; the prefix is branch_prefix in the configuration
refine/<goal>/round-<n>      the branch of a Round of a Goal
refs/owl/keep/<id>           what is kept of a Job or Goal: earlier tips, uncommitted work, logs
refs/owl/candidates/<goal>   the Candidates of each Round
refs/owl/shared/<job>        the tip of an open Job, for other clones
refs/owl/claims/<job>        on a remote: which runner has it
refs/owl/archive/<month>     what closed work keeps, until gc.keep has passed
refs/owl/local/*             facts about this clone alone; never pushed

All of it is Git, and no command of ours is needed to read it. "git owl fsck" checks it, "git owl
sync" exchanges it with the remote, "git owl gc" cleans up. The whole manual: git help owl-state
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl help states 1`] = `
pending               a Job in the queue; "git owl status" says what it waits for
active                a Run of it lives: "git owl log -f", "git owl stop"
review                a Job that is done and checked waits for "git owl merge", "accept" or "retry";
                      a Goal that is merged, for "git owl goal approve" or "decline"
blocked               its last Run could not go on: a conflict, a failed check, a question of its
                      agent; out by "retry" with what to do better
escalated             it could not be merged: it conflicts with the base, or the server declines it;
                      out by "retry --restart", by hand (rebase its branch onto the base in "git owl
                      worktree <id>", then "git owl verify"), by "accept" or "export"
exhausted             it has no Runs left; out by "git owl extend"
done                  merged or accepted, of a Goal approved; "reopen" takes it up again, "revert"
                      takes the merge back
cancelled             given up; nothing of it is removed but by "drop"; back by "reopen" or
                      "restore"
backlog               a Goal that is not in the queue yet: "git owl goal move <id> todo"
todo                  a Goal in the queue
plan, implement       the Runs of the current Round of a Goal
quality, governance   the gates of a Goal; governance holds the lease of the target, and merges
failed                a step of a Goal failed; everything is kept, and "git owl show" says what
                      helps
verified              its checks passed on exactly this tip and base; void once either moves
stale                 a Handoff that was not written in the last Run
contested             two clones decided differently about it; nothing acts on it until "git owl
                      sync --take" says which one counts
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl init -h 1`] = `
usage: git owl init [<options>]

Write a commented configuration for this repository.

Finds the base, agents on PATH and the test command. The file counts once it is on the base.

Options
   -n, --dry-run  only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl init   # then commit .coding-owl.yaml
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl lease -h 1`] = `
usage: git owl lease [<options>]

List the leases of targets, or break one.

Whoever integrates into a target works under its lease, so that nobody else does so in vain.

One whose holder gives no sign of life runs out by itself, counted from when this clone first saw
it.

Options
       --break <target>   take the lease of <target> from its holder
   -f, --force            really break it
       --remote <name>    where the target is published
       --local            the lease of a target that is published nowhere
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows
   -n, --dry-run          only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl lease                        # who integrates now
   git owl lease --break main --force   # after a machine was lost
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl list -h 1`] = `
usage: git owl list [<options>]

List open Jobs and Goals in queue order.

Options
   -a, --all              closed work too
       --state <state>    only in this state of a Job, or status of a Goal; may be repeated
       --label <label>    only with this label; may be repeated
       --goal <id>        the Jobs of a Goal's Rounds, which are hidden otherwise
       --jobs             only Jobs
       --goals            only Goals
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl list                                             # open work
   git owl list --state review --format '%(id) %(branch)'   # for a script
   git owl list --all --sort -updated --limit 10            # what changed last
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl log -h 1`] = `
usage: git owl log [<options>] [<id>]

Print the agent's output.

Of a Job: of the last Run, or of the one named. Of a Goal: of all Runs, gates, handlers and Skills
of its current Round, oldest first, with what checks printed. Without an id: the Job whose worktree
this is, else the only live one.

Events that a preset's program prints as JSON are told as a person reads them: what it said, "> "
and the tools it used, "! " and what went wrong. --raw prints every line as it came, as --json does.

Options
   -f, --follow   go on printing while the Run, or the gate, lives
       --run <n>  one Run
       --raw      every line as it came

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl log -f               # watch the live Run
   git owl log k3x9qp --run 1   # the output of the first Run
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl merge -h 1`] = `
usage: git owl merge [<options>] <id>

Land a reviewed Job on its base.

Only a Job in review, verified at exactly its tip and base, is merged. Where the base moved, the
work is replayed onto it and checked again first. The merge is made from objects: no checkout is
touched, but the clean files of a checkout of the base follow it.

A conflict is an escalation: nothing moves, and everything is kept.

Options
       --allow-guarded    also when it changes guarded paths
   -f, --force            also with uncommitted work in its worktree, which is kept first
       --trust            run the commands of the repository's configuration without asking
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl merge k3x9qp   # merge what you reviewed
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl reopen -h 1`] = `
usage: git owl reopen [<options>] <id>

Open a closed Job or Goal again.

A cancelled Job is pending again, one that was accepted without a merge is in review.

A cancelled Goal is in the backlog again, one that was approved is in review.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl reopen k3x9qp   # after a cancel or an accept
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl reorder -h 1`] = `
usage: git owl reorder [<options>] <id>

Give a Job another place in the queue.

Options
       --first            before all others
       --last             after all others
       --before <id>      before this one
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl reorder k3x9qp --first   # this one next
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl report -h 1`] = `
usage: git owl report [<options>]

Write board, timeline and evidence as one page, or as Markdown.

Open work, and what was closed or ran of late. The page loads nothing, runs no script and needs no
network; what agents wrote is text in it. Without an option: Markdown on standard output.

Options
       --html <file>   write the page to <file>, "-" for standard output
       --markdown      Markdown, for a pull request or a chat
       --since <time>  how far back closed work, Runs and evidence go; default 7d

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl report --html report.html   # for a browser
   git owl report --since 1d           # what happened since yesterday, as Markdown
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl restore -h 1`] = `
usage: git owl restore [<options>] <id>

Bring a dropped Job back, with its branch.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl restore k3x9qp   # after a drop
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl retry -h 1`] = `
usage: git owl retry [<options>] <id>

Send a Job back to the queue, with what to do better.

Failures of its checks and the text given go into the next prompt.

A Goal that failed goes on with the first step that has no valid evidence for its Candidate.

Options
   -m, --message <text>       what the next Run is told
   -F, --file <file>          read the text from <file>, "-" for standard input
       --restart              cut the branch again at today's base; the old tip is kept
       --ttl <n>              let it take <n> Runs from now on
       --reason <text>        of a Goal: why, for the log
       --expect-revision <n>  of a Goal: only if it is still at this revision
   -n, --dry-run              only say what would be done
       --request-id <id>      do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl retry k3x9qp -m "handle empty files too"   # with review text
   git owl retry k3x9qp --restart                     # after a conflict
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl revert -h 1`] = `
usage: git owl revert [<options>] <id>

Take the merge of a Job or Goal back, by a commit of its own.

History is not rewritten. Where merges are published the commit goes to the remote first. What needs
the Job waits again; a Goal has failed, and a new Round does it differently.

Options
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl revert k3x9qp   # after a merge that should not have been
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl review -h 1`] = `
usage: git owl review [<options>] [<id>]

Show intent, Plan, change, checks, verdicts and open questions in one place.

Of a Job or a Goal. What a diff does not show well is on top: guarded paths, attributes, modes,
links, submodules, bidirectional characters. A summary that an agent wrote is marked as such, with
the commits it is about. Without an id: the Job whose worktree this is, else the only live one.

Options
       --html  as one page that loads nothing and runs no script

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl review k3x9qp                       # before you merge
   git owl review g3x9qp --html >review.html   # a Goal, for a browser
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl run -h 1`] = `
usage: git owl run [<options>] [<id>...]

Have an agent work on the next Job or Goal, check the result.

Takes the first Job or Goal that may run now, or those that are named, and carries it as far as it
can go: plan, execute, checks, each Run a fresh agent in a worktree of its own on today's base; a
Goal also through quality, governance and integration.

A Goal that was left on its way goes on before anything new begins. What waits for a lease, a remote
or an agent is passed over, with why.

The exit status is that of what it ran; of several, the worst. With an empty queue it says so and
exits 0.

Options
       --step              make one Run only, of a Goal one status
   -a, --all               go on until nothing may run, one after the other
       --watch             go on for ever, looking for new work
       --interval <time>   with --watch: how often to look
       --for <time>        take nothing new after <time>, end what is live by then
       --max-parallel <n>  with --all or several ids: <n> side by side, and at most <n> in this
                           clone
       --claim-remote      take Jobs and Goals from the queue shared on the remote, each by a claim
                           there
       --no-merge          do not merge a Job, whatever it says, and stop a Goal before governance
   -d, --detach            return once something is claimed and go on in the background
       --require           exit 3 when nothing may run
       --notify <command>  run this when a Job or Goal ends or needs a decision, with OWL_NOTIFY_JOB
                           or OWL_NOTIFY_GOAL, and _STATE, _TITLE and _REASON, set
       --trust             run the commands of the repository's configuration without asking
   -n, --dry-run           only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl run                  # the next Job or Goal, as far as it can go
   git owl run k3x9qp --step    # one Run of one Job
   git owl run --all --for 2h   # the whole queue, for two hours
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl show -h 1`] = `
usage: git owl show [<options>] [<id>]

Show everything of one Job or Goal.

Of a Job: policy with where each value came from, Runs with base and fetch of each, checks, and what
may be done next. Of a Goal: its Rounds with their Candidates, all evidence, and what may be done
next. Without an id: the Job whose worktree this is, else the only live one.

Options
       --prompt   the text that --run got, or that the next Run would get as things are now
       --run <n>  one Run

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl show k3x9qp                    # one Job
   git owl show k3x9qp --run 2 --prompt   # what the second Run was told
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl status -h 1`] = `
usage: git owl status [<options>]

Say what runs, what waits and why, and what needs a decision.

What "git owl" alone prints. --short is one line of digits and fixed words, for a shell prompt.

Options
   -s, --short  one line of counts

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl status           # the whole picture and the next command
   git owl status --short   # one line, such as "3 pending 1 active 2 review"
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl stop -h 1`] = `
usage: git owl stop [<options>] [<id>]

End what is live on this machine: Runs, and the gates of Goals.

The agent and all it started are ended, what it made is kept; the Job is pending again in its place,
and the Goal stays in its status until the next run.

Options
   -f, --force    settle a Run that will never answer; its last sign of life is shown first
   -n, --dry-run  only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl stop          # end all that is live in this clone
   git owl stop k3x9qp   # end the Run of one Job
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl sync -h 1`] = `
usage: git owl sync [<options>]

Bring the state of this clone and of a remote together.

Fetches the state of the remote, merges it record by record, and pushes it. Nothing is pushed over
what others have.

The commits of open Jobs go along as refs/owl/shared/<job>, so that another clone can review, merge
or go on with them; their branches are never pushed.

What two clones decided differently is contested: both versions are kept, and nothing acts on either
until --take says which one counts. "git owl show <id>" tells what each says. A merge stays on its
target whichever counts.

Options
       --take <version>   settle what is contested: local, remote, or the name of a version
       --record <id>      settle this Job or Goal alone
       --remote <name>    the remote; default: that of the base
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl sync                                # before and after work on another machine
   git owl sync --take local --record k3x9qp   # this clone had the last word
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl trust -h 1`] = `
usage: git owl trust [<options>]

Show the commands of the repository's configuration and allow them here.

Options
   -y, --yes      allow them without asking
       --revoke   forget the answer
   -n, --dry-run  only say what would be done

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl trust   # read them, then answer
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl verify -h 1`] = `
usage: git owl verify [<options>] <id>

Replay a Job onto today's base and run its checks, without an agent.

Options
   -f, --force            also with uncommitted work, which is kept first and left out
       --trust            run the commands of the repository's configuration without asking
   -n, --dry-run          only say what would be done
       --request-id <id>  do it once: the same <id> again returns the first result

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   git owl verify k3x9qp   # after you changed the branch by hand
`

exports[`test/unit/cli/parse.test.ts > TAP > 06: help is one screen, grouped by task, with the one path first > git owl worktree -h 1`] = `
usage: git owl worktree [<options>] [<id>]

Print the path of the worktree of a Job, or of a Goal's current Round.

"git owl worktree list" lists them all. Without an id: the Job whose worktree this is, else the only
live one.

Options
       --ensure           make it again when it is missing
       --format <format>  print each row as text with %(field)
   -z, --null             end each row with NUL instead of a newline
       --sort <field>     order by a field, by -<field> the other way round
       --limit <n>        print at most <n> rows

Everywhere
   -C <path>                     run as if started in <path>
       --json                    print one JSON document on standard output
       --color (auto|always|never)
                                 when to use colour
   -q, --quiet                   print no progress and no hints
   -v, --verbose                 show the Git commands that run, with their times
   -h, --help                    show this help

Examples
   cd "$(git owl worktree k3x9qp --ensure)"   # go there
   git owl worktree list                      # all of them
`
