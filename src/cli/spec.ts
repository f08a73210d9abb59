// One definition of a command feeds parsing, help, man pages and completion (08). Data only: no logic, no heavy import.

import type { Context } from '../context.js';
import type { Report } from '../output/report.js';

export type OptionKind = 'flag' | 'text' | 'list' | 'number' | 'duration' | 'choice';

/** Where completion gets the values of an argument or option from. */
export type ValueSource =
  | 'job'
  | 'closed-job'
  | 'goal'
  | 'feature'
  /** A Job or a Goal. */
  | 'unit'
  | 'open-unit'
  | 'closed-unit'
  | 'branch'
  | 'file'
  | 'directory'
  | 'agent'
  | 'none';

export interface OptionSpec {
  /** Long name without dashes. A `flag` whose name begins with `no-` is a flag of its own. */
  readonly name: string;
  readonly short?: string;
  readonly kind: OptionKind;
  /** Placeholder in help, such as `<time>`. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Imperative or noun phrase, no period. */
  readonly summary: string;
  readonly source?: ValueSource;
  readonly conflicts?: readonly string[];
  readonly hidden?: boolean;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly many?: boolean;
  readonly required?: boolean;
  readonly source?: ValueSource;
  readonly choices?: readonly string[];
}

export type CommandGroup = 'work' | 'look' | 'decide' | 'change' | 'repository';

export interface CommandSpec {
  /** `add`, or `feature add` for a verb with a noun. */
  readonly name: string;
  readonly group: CommandGroup;
  /** First line of help: imperative, no period. */
  readonly summary: string;
  /** Paragraphs for `-h` and the manual. */
  readonly description?: readonly string[];
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly { readonly command: string; readonly what: string }[];
  /** What follows `--` is passed on, not parsed. */
  readonly passthrough?: boolean;
  /** Options this command does not know are passed on too (`diff`). */
  readonly lenient?: boolean;
  /** Is refused when called with OWL_JOB set (J16), and in a quarantine. */
  readonly writes: boolean;
  /** A decision about a Goal that a Skill or an Error handler may ask for (G42, G63). */
  readonly asks?: boolean;
  /** A command that reads, but for these options or first words: `--ensure`, `--edit`. */
  readonly writesWith?: readonly string[];
  /** Has no use for a repository: none is looked for while it is loaded. */
  readonly anywhere?: boolean;
  /** Not in help, manual or completion. */
  readonly hidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

/** Parsed and coerced command line. Every option that was given is here under its long name. */
export interface Request {
  readonly command: string;
  readonly args: Readonly<Record<string, string | undefined>>;
  /** Values of the `many` argument. */
  readonly rest: readonly string[];
  /** Words after `--` of a `passthrough` command. Elsewhere such words are arguments like all others. */
  readonly passed: readonly string[];
  /** Options and words that a `lenient` command does not know, in their order. */
  readonly unknown?: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  number(name: string): number | undefined;
  /** Milliseconds. */
  duration(name: string): number | undefined;
}

export interface CommandModule {
  run(context: Context, request: Request): Promise<Report>;
}
