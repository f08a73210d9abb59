// The effective policy of a repository: what the configuration says, with where each value came from (06, "Configuration").

import type { Oid } from './git.js';
import type { Phase } from './job.js';

/** The most Runs that a Job is given at once. */
export const TTL_LIMIT = 10_000;

/** A length of time, in milliseconds, with the text it was written as: reasons name a limit as written (J18). */
export interface Duration {
  readonly ms: number;
  readonly text: string;
}

export interface Check {
  readonly name: string;
  /** A shell command line. */
  readonly run: string;
  readonly timeout: Duration;
  readonly expect: 'success' | 'empty_output';
}

export interface AgentDefinition {
  /** argv; `{prompt_file}` and `{worktree}` are placeholders. */
  readonly command: readonly string[];
  readonly prompt: 'stdin' | 'file';
  readonly env: readonly string[];
  readonly sandbox: readonly string[];
  readonly account: string | null;
  /** `last-message`: the planning mode cannot write, we commit its last message as the Handoff (J21). */
  readonly plan: 'writes' | 'last-message';
  /** Use the stream parser and arguments of this preset. */
  readonly preset: string | null;
  /** Its model, where the phase names none. */
  readonly model?: string | null;
}

export interface PhasePolicy {
  readonly timeout: Duration;
  readonly stall: Duration;
  readonly model: string | null;
  readonly budget: string | null;
}

/** What a gate of Goals asks beside `checks`: commands, and an agent that judges (G13, G31). */
export interface GatePolicy {
  readonly checks: readonly Check[];
  readonly agent: string | null;
}

export interface GovernancePolicy extends GatePolicy {
  /** Files of the base with the rules to judge by. */
  readonly rules: readonly string[];
  readonly protect: readonly string[];
  readonly max_changed: { readonly files: number | null; readonly lines: number | null };
}

/** A command, an agent or a text bound to a lifecycle event (G61). */
export interface Skill {
  readonly name: string;
  /** Such as `workflow.quality.error`. */
  readonly on: string;
  readonly kind: 'executable' | 'context' | 'disabled';
  readonly run: string | null;
  readonly agent: string | null;
  readonly text: string | null;
  readonly timeout: Duration;
}

export interface Policy {
  readonly base: string | null;
  readonly remote: string | null;
  readonly branch_prefix: string;
  readonly worktrees: string | null;
  readonly agent: string | null;
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly setup: readonly { readonly run: string; readonly timeout: Duration }[];
  readonly copy: readonly string[];
  readonly env: readonly string[];
  readonly checks: readonly Check[];
  readonly verification: { readonly checkout: 'worktree' | 'fresh' };
  readonly guard: readonly string[];
  readonly phases: Readonly<Record<Phase, PhasePolicy>>;
  readonly contract: readonly string[];
  readonly plan: boolean;
  readonly ttl: number;
  readonly max_parallel: number;
  /** What would collide comes after the rest of its priority (06, conflicts). */
  readonly avoid_conflicts: boolean;
  readonly signing: 'never' | 'inherit' | 'require';
  readonly execution: { readonly auto_merge: boolean; readonly publish: boolean; readonly agents_may_add: boolean };
  readonly modes: Readonly<Record<string, { readonly auto_merge: boolean | null }>>;
  /** A command prefix put around agents and checks; `preset`: the preset's own sandbox; empty: none. */
  readonly sandbox: readonly string[] | 'preset';
  readonly quality: GatePolicy;
  readonly governance: GovernancePolicy;
  readonly goals: {
    /** The branch that Goals land on; null: as J33. */
    readonly target: string | null;
    readonly publish: boolean;
    readonly error_window: Duration;
    readonly ungated: boolean;
  };
  readonly skills: readonly Skill[];
  readonly gc: {
    readonly hibernate_after: Duration | 'never';
    readonly review_after: Duration;
    readonly keep: Duration;
    /** May remote names be retired where the server allows no fence (M8)? */
    readonly unfenced: boolean;
  };
  /** `trust`: gates that another clone ran count here (G31). */
  readonly sync: {
    readonly auto: boolean;
    readonly rounds: boolean;
    /** What checks printed travels in the state, masked. */
    readonly output: boolean;
    readonly wip: boolean;
    readonly trust: boolean;
    readonly run: boolean;
    readonly claim: boolean;
  };
}

export type OriginKind = 'built-in' | 'base' | 'user' | 'git-config' | 'option';

/** Where one value came from: dotted path of the key -> origin. */
export interface Origin {
  readonly kind: OriginKind;
  /** `refs/remotes/origin/main:.coding-owl.yaml`, a file below `~`, or the option. */
  readonly where: string;
}

export interface LoadedPolicy {
  readonly policy: Policy;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Every key with its value as it would be written in a file, for `config`; also those that no workflow reads yet. */
  readonly values?: ReadonlyMap<string, unknown>;
  /** The base commit it was read from; null in a repository without that base. */
  readonly commit: Oid | null;
  readonly blob: Oid | null;
  readonly path: string | null;
  readonly warnings: readonly string[];
  /** Every command that the repository's file would run here, for `trust`, and their digest (SHA-256). */
  readonly commands: readonly { readonly key: string; readonly command: string }[];
  readonly digest: string;
}
