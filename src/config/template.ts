// The commented configuration that `init` writes. Pure. What it does not know it leaves as a comment with the default.

import type { Detected } from './detect.js';

export interface TemplateFacts extends Detected {
  /** The base, and whether it is what would be found without saying so. */
  readonly base: string;
  readonly baseIsFound: boolean;
  /** The agent to use; null: none was found on PATH. */
  readonly agent: string | null;
  /** All presets that were found. */
  readonly agents: readonly string[];
}

/** Text in YAML whatever it has in it: JSON's quoted form is YAML's. */
const quote = (text: string): string =>
  /^[A-Za-z0-9./][A-Za-z0-9 ._/@=+-]*$/.test(text) &&
  !/^(?:true|false|null|yes|no|~|[\d.]+)$/i.test(text) &&
  text.trim() === text
    ? text
    : JSON.stringify(text);

/** A file that the loader accepts as it is. */
export function renderTemplate(facts: TemplateFacts): string {
  const others = facts.agents.filter((name) => name !== facts.agent);
  const lines = [
    "# git owl's configuration. It counts once it is on the base: it is read from the base's commit,",
    '# never from a checkout or from a branch that an agent worked on. "git owl config check" looks for mistakes,',
    '# "git owl config" says what is in force, and "git help owl-config" explains every key.',
    'version: 1',
    '',
    '# The branch that work starts from and lands on.',
    facts.baseIsFound ? `# base: ${quote(facts.base)}` : `base: ${quote(facts.base)}`,
    '',
    `# The agent that does the work: a preset, or a name under agents:.${others.length > 0 ? ` Also found here: ${others.join(', ')}.` : ''}`,
    facts.agent === null ? '# agent: claude' : `agent: ${facts.agent}`,
    '# agents:',
    '#   mine: { command: ["my-agent", "--yes"], prompt: stdin, env: [MY_KEY] }',
    '',
    '# Commands that make a fresh worktree ready. Variables are passed to them, to checks and to agents only by name.',
    ...(facts.setup.length === 0
      ? ['# setup: [make deps]']
      : ['setup:', ...facts.setup.map((run) => `  - ${quote(run)}`)]),
    '# env: [CI]',
    '# copy: [.env.test]         # git-ignored files of your checkout that a worktree gets a copy of',
    '',
    '# What must pass before a result is offered for review. Without checks nothing is verified.',
    ...(facts.checks.length === 0
      ? ['# checks:', '#   - { name: test, run: make test, timeout: 15m }']
      : [
          'checks:',
          ...facts.checks.map(
            ({ name, run }) => `  - { name: ${quote(name)}, run: ${JSON.stringify(run)}, timeout: 15m }`,
          ),
        ]),
    '#   - { name: format, run: gofmt -l ., expect: empty_output }',
    '',
    '# Paths that a merge made without a person must not change; files that checks name are guarded anyway.',
    '# guard: [migrations/]',
    '',
    '# Clauses that every agent is told.',
    '# contract: [Never touch the migrations directory.]',
    '',
    '# Limits. A Job has this many Runs; each phase of a Run has its own limits.',
    '# ttl: 10',
    '# max_parallel: 2',
    '# phases:',
    '#   plan:    { timeout: 1h, stall: 15m }',
    '#   execute: { timeout: 4h, stall: 15m }',
    '',
    '# Goals: have an agent resolve what keeps one from being integrated; it has half an hour, and you may decide before it does.',
    '# goals: { error_window: 30m }',
    '# skills:',
    ...['quality', 'governance'].map(
      (step) =>
        `#   - { name: resolve-${step}, on: workflow.${step}.error, kind: executable, agent: ${facts.agent ?? 'claude'}, timeout: 30m }`,
    ),
    '',
    '# Land what passed all checks without asking; "git owl merge" does it by hand.',
    '# execution: { auto_merge: true }',
  ];
  return `${lines.join('\n')}\n`;
}
