// The environment of every `git` child: what is taken away, what is set. Data and pure functions; nothing is read here.

import { shellWord } from '../system/shell-word.js';
import { PINS } from './pins.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What `git rev-parse --local-env-vars` prints, over all supported versions: they tie a process to one repository (01). */
export const LOCAL_VARIABLES: readonly string[] = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
];

/** Further variables that change what a command does or prints, or that belong to the operation that called us. */
const FOREIGN_VARIABLES: readonly string[] = [
  'GIT_ATTR_SOURCE',
  'GIT_CHERRY_PICK_HELP',
  'GIT_DIFF_OPTS',
  'GIT_EXTERNAL_DIFF',
  'GIT_GLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
  'GIT_NAMESPACE',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_PAGER_IN_USE',
  'GIT_QUARANTINE_PATH',
  'GIT_REFLOG_ACTION',
  'GIT_SEQUENCE_EDITOR',
];

const NUMBERED = /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/;
const REMOVED = new Set([...LOCAL_VARIABLES, ...FOREIGN_VARIABLES]);

/** The caller's variables without those that name a repository or an operation of Git: what agents, setup and checks get, too. */
export function withoutRepository(variables: Variables): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && !REMOVED.has(name) && !NUMBERED.test(name)) kept[name] = value;
  }
  return kept;
}

/** Nothing asks a person: no terminal, no askpass, and ssh must not fall back to either (01). */
const UNATTENDED: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
};

/** One output, whatever the user prefers to look at. */
const PLAIN: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  LANGUAGE: 'C',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  GIT_ADVICE: '0',
};

/** Only for finding the repository: what a hook or an alias set stays in force, nothing prompts (01). */
export function discoveryEnvironment(variables: Variables): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) environment[name] = value;
  delete environment['GIT_NAMESPACE'];
  return { ...environment, ...PLAIN, ...UNATTENDED, GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' };
}

export interface ChildChoices {
  /** Sets GIT_OPTIONAL_LOCKS=0. */
  readonly reading: boolean;
  /** Keys of PINS that are left as the user has them. */
  readonly unpinned: readonly string[];
  /** `key=value`, after the pins. */
  readonly config: readonly string[];
  /** For commands that may talk to a remote: the ssh command in batch mode; null leaves it alone. */
  readonly ssh: string | null;
}

/** The environment of one call. Pins travel as GIT_CONFIG_COUNT, so that a process listing shows the plain command. */
export function childEnvironment(variables: Variables, choices: ChildChoices): Record<string, string> {
  const environment: Record<string, string> = {
    ...withoutRepository(variables),
    ...PLAIN,
    ...UNATTENDED,
    GIT_EDITOR: ':',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A path that cannot exist: an empty file that does makes some commands advise against grafts.
    GIT_GRAFT_FILE: '/dev/null/none',
    GIT_LITERAL_PATHSPECS: '1',
  };
  if (choices.reading) environment['GIT_OPTIONAL_LOCKS'] = '0';
  else delete environment['GIT_OPTIONAL_LOCKS'];
  if (choices.ssh !== null) environment['GIT_SSH_COMMAND'] = choices.ssh;
  let count = 0;
  const pin = (key: string, value: string): void => {
    environment[`GIT_CONFIG_KEY_${count}`] = key;
    environment[`GIT_CONFIG_VALUE_${count}`] = value;
    count += 1;
  };
  for (const [key, value] of PINS) if (!choices.unpinned.includes(key)) pin(key, value);
  for (const line of choices.config) {
    const at = line.indexOf('=');
    if (at > 0) pin(line.slice(0, at), line.slice(at + 1));
  }
  environment['GIT_CONFIG_COUNT'] = String(count);
  return environment;
}

/**
 * The ssh command with its batch mode on. A command that is not OpenSSH or PuTTY by name is left alone: the failing askpass and
 * the missing terminal keep that one from asking.
 */
export function batchSsh(command: string | null): string {
  if (command === null || command.trim() === '') return 'ssh -o BatchMode=yes';
  const name = programOf(command);
  if (name === 'ssh' || name === 'ssh.exe') return `${command} -o BatchMode=yes`;
  if (name === 'plink' || name === 'plink.exe' || name === 'tortoiseplink.exe') return `${command} -batch`;
  return command;
}

/** What Git itself takes a kind of ssh from: the name of the program, in lower case. */
function programOf(command: string): string {
  const program = /^\s*(?:"([^"]+)"|'([^']+)'|(\S+))/.exec(command);
  return (program?.[1] ?? program?.[2] ?? program?.[3] ?? '').split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
}

/** Variables that put a command of ours before ssh. Git tells the others by a trial that PuTTY's fail. */
export function sshBehind(through: string, ssh: string): Record<string, string> {
  const name = programOf(ssh).replace(/\.exe$/, '');
  const variant = ['plink', 'tortoiseplink'].includes(name) ? { GIT_SSH_VARIANT: name } : {};
  return { GIT_SSH_COMMAND: `${through} ${shellWord(ssh)}`, ...variant };
}
