// Has V8's code of the packs made, by running the program in a repository that is thrown away. Without it the program only starts slower.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// A Job and a Goal can go all their way in it, with an agent and a check that do next to nothing.
const CONFIGURATION = `version: 1
agent: warm
agents:
  warm: { command: ["sh", "-c", "echo warm >> warm; git add warm; git commit -qm warm"] }
plan: false
checks:
  - { name: warm, run: "true" }
`;

/** Throws when a command fails there. */
export function makeCodeCache(outdir, warm) {
  const home = mkdtempSync(join(tmpdir(), 'owl-build-'));
  const repository = join(home, 'repository');
  mkdirSync(repository);
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', OWL_TRUST: '1' };
  const call = (command, ...args) => {
    const { status, error, stderr } = spawnSync(command, args, { cwd: repository, env, encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stderr}`);
  };
  try {
    const remote = join(home, 'remote.git');
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = build\n\temail = build@localhost\n');
    writeFileSync(join(repository, '.coding-owl.yaml'), CONFIGURATION);
    call('git', 'init', '-q', '-b', 'main');
    call('git', 'add', '-A');
    call('git', 'commit', '-q', '-m', 'first');
    call('git', 'clone', '-q', '--bare', repository, remote);
    call('git', 'remote', 'add', 'origin', remote);
    call('git', 'fetch', '-q', 'origin');
    call(process.execPath, warm, resolve(outdir));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
