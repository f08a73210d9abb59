// What the README shows of a terminal is what the program prints: every `console` block of it is run, in its order, in one repository
// (06). With OWL_README=write the blocks are written anew instead.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const README = join(import.meta.dirname, '../../README.md');

const AGENT: Scenario = {
  plan: [{ handoff: '# Plan\n\n1. Let `parse` take a tab wherever it takes a blank.\n' }],
  execute: [
    { write: 'parser.js', text: 'export const parse = (line) => line.split(/[ \\t]+/);\n' },
    { handoff: '# Handoff\n\nA tab now parts words as a blank does.\n', commit: false },
    { commit: 'Accept tabs as well as blanks' },
  ],
};

/** Ids are random, commits and lengths differ: each becomes a word that says what it is. */
function sameWords(text: string, ids: readonly string[]): string {
  let said = text;
  for (const [at, id] of ids.entries()) said = said.replaceAll(id, `<id ${at + 1}>`);
  return said
    .replace(/\b[0-9a-f]{7,40}\b/g, '<commit>')
    .replace(/\b(?:\d+m)?\d+s\b/g, '<time>')
    .replace(/[ \t]+$/gm, '');
}

/** The ids that an `add` of these lines printed, oldest first. */
const idsOf = (lines: string): readonly string[] =>
  [...lines.matchAll(/^\$ git owl (?:goal )?add .*\n([a-z][a-z0-9]{5})$/gm)].map(([, id]) => id as string);

async function played(repo: Repo, commands: readonly string[]): Promise<string> {
  let text = '';
  for (const command of commands) {
    // As typed: the ids of the README are those of this repository.
    const typed = idsOf(text).reduce((line, id, at) => line.replaceAll(`{${at}}`, id), command);
    const result = await repo.gitResult('-c', 'alias.sh=!f() { exec bash -c "$1" 2>&1; }; f', 'sh', typed);
    text += `$ ${typed}\n${result.stdout}`;
  }
  return text;
}

t.test('06: every console block of the README is what the program prints', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    name: 'parser',
    agents: [box.agent('claude', AGENT)],
    config: 'checks: [{ name: test, run: "node test.js" }]\n',
    files: { 'parser.js': 'export const parse = (line) => line.split(/ +/);\n', 'test.js': '// passes\n' },
  });
  const readme = readFileSync(README, 'utf8');
  const blocks = [...readme.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
  t.ok(blocks.length > 0, 'there are some');
  const shown = blocks.join('');
  const ids = idsOf(shown);
  const commands = [...shown.matchAll(/^\$ (.*)$/gm)].map(([, line]) =>
    ids.reduce((words, id, at) => words.replaceAll(id, `{${at}}`), line as string),
  );
  const printed = await played(repo, commands);
  if (process.env['OWL_README'] === 'write') return writeFileSync(README, rewritten(readme, blocks, printed));
  t.equal(sameWords(shown, ids), sameWords(printed, idsOf(printed)));
});

/** Each block with what its commands print now. */
function rewritten(readme: string, blocks: readonly string[], printed: string): string {
  const parts = printed.split(/^(?=\$ )/m);
  return blocks.reduce((text, block) => {
    const own = parts.splice(0, [...block.matchAll(/^\$ /gm)].length);
    return text.replace(block, () => own.join(''));
  }, readme);
}
