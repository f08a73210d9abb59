// The `git` executable as an interface: what every porcelain verb in this folder is given. The implementation is exec.ts.

import type { Readable, Writable } from 'node:stream';
import type { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  /** Written to standard input, which is then closed. Without it standard input is empty. */
  readonly input?: Buffer | string | undefined;
  /** Where it runs; default: the repository's common directory, so that no checkout matters. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds; default 120 000. Passing it ends the process group and throws OwlError `timeout`. */
  readonly timeout?: number | undefined;
  /** A command that may take optional locks writes nothing with this set (GIT_OPTIONAL_LOCKS=0). Default true. */
  readonly reading?: boolean | undefined;
  /** Further `-c` pins, `key=value`. */
  readonly config?: readonly string[] | undefined;
  /** Keys of the pinned configuration (pins.ts) that this call leaves as the user has them, such as `commit.gpgSign`. */
  readonly unpinned?: readonly string[] | undefined;
  /** The checkout it works on, named outright so that a planted `.git` does not count: passed as --git-dir and --work-tree. */
  readonly checkout?: { readonly gitDir: string; readonly workTree: string } | undefined;
  /** For the shell: is started in the place of ssh, with the ssh command as its first word. */
  readonly sshThrough?: string | undefined;
  /** Passes no `--git-dir`: for commands that must find a repository themselves, and for `ls-remote`. */
  readonly bare?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A long-lived process, such as `cat-file --batch-command`. */
export interface RunningGit {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Never rejects: status and standard error, or why it could not be started. Status -1: ended by a signal. */
  readonly ended: Promise<GitResult | OwlError>;
  /** Whether it keeps this program running: only while an answer is awaited. At first it does not. */
  hold(on: boolean): void;
  /** Closes its input and waits; after a second its group is ended. */
  stop(): Promise<void>;
}

export interface Git {
  readonly version: readonly [number, number, number];
  /** Every numeric exit status is a value. Throws OwlError `git-missing`, `timeout`, `git-failed` (ended by a signal). */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** Standard output as text without the last newline. Throws OwlError `git-failed` for any other status than 0. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
  /** Lines of a `-z` output. Throws as `text`. */
  fields(args: readonly string[], options?: GitOptions): Promise<readonly string[]>;
  /** What `core.sshCommand` says, where it was read along with something else; else it is asked for before the first remote call. */
  knowSsh(configured: string | null): void;
  /** Starts a process that is fed and read by the caller; no deadline, `input`, `timeout` and `signal` do not count. */
  start(args: readonly string[], options?: GitOptions): Promise<RunningGit>;
}

/** Author or committer as Git itself resolves it: `Name <mail> time zone`. */
export interface Identity {
  readonly author: string;
  readonly committer: string;
  /** False when nothing is configured and the fixed `git-owl` identity is used (01). */
  readonly configured: boolean;
}

export interface RepositoryFacts {
  /** Absolute, real paths. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Top of the checkout that the command was called in; null in a bare repository. */
  readonly workTree: string | null;
  /** The main checkout's top; null when the repository is bare. */
  readonly mainWorkTree: string | null;
  readonly bare: boolean;
  readonly shallow: boolean;
  readonly format: 'sha1' | 'sha256';
  readonly grafts: boolean;
  readonly partial: boolean;
  readonly reftable: boolean;
  /** Names of `extensions.*` in the repository's configuration, in lower case. */
  readonly extensions: readonly string[];
  /** `core.sharedRepository` is set: rights of new files are Git's to give. */
  readonly shared: boolean;
  readonly quarantine: boolean;
  readonly head: Oid | null;
}
