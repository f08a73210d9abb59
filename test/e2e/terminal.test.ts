// What a person sees in a real terminal: progress that is redrawn, a log that follows, completion in each shell.

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { sandbox } from '../fixtures/sandbox.js';
import { lacks, openTerminal } from '../fixtures/terminal.js';

t.setTimeout(600_000);
t.jobs = 1;

const ROOT = join(import.meta.dirname, '../..');
const BASH = "env PS1='ready> ' bash --norc";
const CONFIG = 'plan: false\nchecks: [{ name: there, run: "test -e a" }]\n';

t.test(
  '06: a Run shows state, time and the last line in one line that is redrawn; a second terminal follows its log',
  { skip: lacks('tmux') },
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      execute: [
        { print: 'reading the parser' },
        { reach: 'middle' },
        { await: 'middle' },
        { write: 'a', text: 'a\n' },
        { commit: 'Write a' },
      ],
    });
    const repo = await box.repository({ agents: [worker], config: CONFIG });
    const id = await repo.add('write a');
    const shell = { command: BASH, cwd: repo.dir };
    const first = await openTerminal(t, box, shell);
    await first.shows('ready>');
    await first.type('git owl run');
    await first.key('Enter');
    const live = await first.shows(/execute run 1 of .*\d+s {2}reading the parser/);
    t.equal(live.match(/execute run 1/g)?.length, 1, 'one line, however often it is drawn');
    t.match(await first.shows(/ [1-9]s {2}reading/), id, 'and the time goes on');

    const second = await openTerminal(t, box, shell);
    await second.shows('ready>');
    await second.type(`git owl log -f ${id}`);
    await second.key('Enter');
    await second.shows('reading the parser');
    const status = await openTerminal(t, box, shell);
    await status.shows('ready>');
    await status.type('git owl status');
    await status.key('Enter');
    t.match(await status.shows(/1 active/), /Running\n.*write a/);
    t.match(await status.painted(), new RegExp(`\\x1b\\[[0-9;]*m${id}`), 'in colour');

    worker.release('middle');
    const done = await first.shows(/review[\s\S]*\nready>/);
    t.notMatch(done, /execute run 1 of .*\d+s {2}reading/, 'what was drawn is wiped');
    t.match(done, `git owl review ${id}`);
    await second.shows(/\nready>/);
  },
);

t.test('06: in a narrow terminal nothing that is redrawn wraps', { skip: lacks('tmux') }, async (t) => {
  const box = await sandbox(t);
  const worker = box.agent('worker', {
    execute: [
      { print: 'x'.repeat(300) },
      { reach: 'middle' },
      { await: 'middle' },
      { write: 'a', text: 'a\n' },
      { commit: 'Write a' },
    ],
  });
  const repo = await box.repository({ agents: [worker], config: CONFIG });
  const id = await repo.add('write a');
  const narrow = await openTerminal(t, box, { command: BASH, cwd: repo.dir, width: 40 });
  await narrow.shows('ready>');
  await narrow.type('git owl run');
  await narrow.key('Enter');
  await worker.reached('middle', 60_000);
  const live = await narrow.shows(/execute run 1 of .*[2-9]s/);
  t.equal(live.split('\n').filter((line) => /execute run 1|xxxx/.test(line)).length, 1);
  // Git gets it as well, and passes its own on.
  await narrow.key('C-c');
  await narrow.shows(/it was stopped[\s\S]*\nready>/);
  t.match((await repo.owl('show', id, '--json')).json().data, { state: 'pending', runs: 1 }, 'settled, in order');
});

const BASH_COMPLETIONS = '/usr/share/bash-completion/completions';
/** For fish 3.6.0, as the head of our completion says. */
const IN_FISH = 'complete -c git -f -n "__fish_git_using_command owl" -a "(__fish_git_complete_custom_command owl)"';

/** Put where its completion is looked for, as the help of `git owl completion` says. */
const SHELLS = {
  bash: {
    command: BASH,
    folder: '.local/share/bash-completion/completions',
    file: ['git-owl.bash', 'git-owl'],
    setup: `source ${BASH_COMPLETIONS}/git; source ~/.local/share/bash-completion/completions/git-owl`,
  },
  zsh: {
    command: "env PROMPT='ready> ' zsh -f",
    folder: '.zfunc',
    file: ['_git-owl', '_git-owl'],
    setup: 'fpath=(~/.zfunc $fpath); autoload -U compinit; compinit -u -D',
  },
  fish: {
    command: `fish --init-command 'function fish_prompt; echo "ready> "; end; function fish_greeting; end'`,
    folder: '.config/fish/completions',
    file: ['git-owl.fish', 'git-owl.fish'],
    setup: IN_FISH,
  },
} as const;

for (const [name, { command, folder, file, setup }] of Object.entries(SHELLS))
  t.test(
    `06: git owl <TAB> in ${name}`,
    {
      skip:
        lacks('tmux', name) ||
        (name === 'bash' && !existsSync(`${BASH_COMPLETIONS}/git`) && "Git's completion is not installed"),
    },
    async (t) => {
      const box = await sandbox(t);
      const repo = await box.repository();
      const id = await repo.add('look');
      mkdirSync(join(box.home, folder), { recursive: true });
      cpSync(join(ROOT, 'completions', file[0]), join(box.home, folder, file[1]));
      const terminal = await openTerminal(t, box, { command, cwd: repo.dir });
      await terminal.shows('ready>');
      await terminal.type(`${setup}; echo set up`);
      await terminal.key('Enter');
      await terminal.shows(/\nset up/);
      await terminal.type('git owl revie');
      await terminal.key('Tab');
      await terminal.shows(/ready> ?\n?.*git owl review/);
      await terminal.key('C-u');
      await terminal.type('git owl st');
      await terminal.key('Tab', 'Tab');
      t.match(await terminal.shows(/status[\s\S]*stop|stop[\s\S]*status/), /git owl st/);
      await terminal.key('C-u');
      await terminal.type('git owl show ');
      await terminal.key('Tab');
      await terminal.shows(`git owl show ${id}`);
    },
  );
