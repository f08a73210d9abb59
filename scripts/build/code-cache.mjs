// Has V8's code of the packs made, by running the program in a repository that is thrown away. Without it the program only starts slower.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Throws when a command fails there. */
export function makeCodeCache(outdir, warm) {
  const home = mkdtempSync(join(tmpdir(), 'owl-build-'));
  const repository = join(home, 'repository');
  mkdirSync(repository);
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const call = (command, ...args) => {
    const { status, error, stderr } = spawnSync(command, args, { cwd: repository, env, encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stderr}`);
  };
  try {
    const who = ['-c', 'user.name=build', '-c', 'user.email=build@localhost'];
    call('git', 'init', '-q', '-b', 'main');
    call('git', ...who, 'commit', '-q', '--allow-empty', '-m', 'first');
    call(process.execPath, warm, resolve(outdir));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
