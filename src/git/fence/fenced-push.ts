// A request to the receive-pack of a remote, made by our own program on a connection that Git itself opens: addresses,
// credentials and `insteadOf` are Git's (M8, 11). Git is on a dry run: where our program is not reached, nothing is sent.

import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failpoint } from '../../system/failpoint.js';
import { programFile } from '../../system/program-file.js';
import { shellWord } from '../../system/shell-word.js';
import { temporaryFolder } from '../../system/temporary.js';
import type { GitOptions } from '../git.js';
import { callRemote, failureReason } from '../remote-call.js';
import type { Repository } from '../repository.js';
import { firstRef } from './exchange.js';
import type { FenceCommand, FencePlan, FenceResult } from './plan.js';

export interface FenceRequest {
  readonly remote: string;
  /** At least one; all of them happen at once, or none. */
  readonly commands: readonly FenceCommand[];
  /** Milliseconds; default 120 000. */
  readonly timeout?: number | undefined;
  /** The built program, when it is not beside this one (tests). */
  readonly program?: string | undefined;
}

const TIMEOUT = 120_000;

/**
 * Makes the request. `unreached`: nothing was sent, since there was no connection. Failures are values; throws OwlError
 * `git-missing`, `quarantine` and `storage` (no temporary files).
 */
export async function fencedPush(
  repository: Repository,
  request: FenceRequest,
): Promise<FenceResult | { readonly kind: 'unreached'; readonly why: string }> {
  const { remote, commands } = request;
  const address = await pushAddress(repository, remote);
  if (address.kind === 'unable') return address;
  const plan: FencePlan = { format: repository.format, commands };
  const folder = await temporaryFolder('git-owl-fence-');
  try {
    const file = join(folder, 'plan.json');
    await writeFile(file, JSON.stringify(plan), { mode: 0o600 });
    const program = [process.execPath, request.program ?? programFile('fence')].map(shellWord).join(' ');
    const start = (mode: 'local' | 'ssh' | 'http'): string => `${program} ${mode} ${shellWord(file)}`;
    const way = await wayThrough(repository, { ...address, remote, start, folder });
    if (way === null) return { kind: 'unable', why: 'the programs of Git are not where it says' };
    await failpoint('fence.before-send');
    const answer = await callRemote(
      repository,
      [
        'push',
        '--dry-run',
        '--porcelain',
        '--no-verify',
        '--no-follow-tags',
        '--recurse-submodules=no',
        ...way.args,
        '--end-of-options',
        remote,
        `:${firstRef(plan)}`,
      ],
      {
        ...way.options,
        config: [`remote.${remote}.mirror=false`, 'protocol.version=0'],
        timeout: request.timeout ?? TIMEOUT,
        reading: false,
      },
    );
    await failpoint('fence.after-send');
    const result = await readFile(`${file}.result`, 'utf8').catch(() => null);
    if (result !== null) return JSON.parse(result) as FenceResult;
    return { kind: 'unreached', why: answer.kind === 'failed' ? answer.reason : failureReason(answer.result) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Address =
  | { readonly kind: 'local' | 'ssh' | 'http'; readonly receivePack: string }
  | { readonly kind: 'unable'; readonly why: string };

/** How Git will reach it, by the rules of gitremote-helpers(7) and git-push(1), "GIT URLS". */
async function pushAddress(repository: Repository, remote: string): Promise<Address> {
  const found = await repository.git.run(['remote', 'get-url', '--push', '--all', remote]);
  const urls = found.stdout.toString('utf8').split('\n').filter(Boolean);
  const [url] = urls;
  if (found.code !== 0 || url === undefined || urls.length > 1)
    return { kind: 'unable', why: `${remote} has ${urls.length} addresses to push to` };
  const receivePack = await setting(repository, `remote.${remote}.receivepack`);
  if ((await setting(repository, `remote.${remote}.vcs`)) !== null || /^[\w+.-]+::/.test(url))
    return { kind: 'unable', why: 'it is reached by a helper of its own' };
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  const kind = scheme === undefined ? (isLocal(url) ? 'local' : 'ssh') : KINDS[scheme];
  return kind === undefined
    ? { kind: 'unable', why: `it is reached by ${scheme}` }
    : { kind, receivePack: receivePack ?? 'git-receive-pack' };
}

const KINDS: Readonly<Record<string, 'local' | 'ssh' | 'http'>> = {
  file: 'local',
  ssh: 'ssh',
  'git+ssh': 'ssh',
  'ssh+git': 'ssh',
  http: 'http',
  https: 'http',
};

/** `host:path` is ssh unless a slash comes before the colon. */
const isLocal = (url: string): boolean => {
  const colon = url.indexOf(':');
  const slash = url.indexOf('/');
  return colon < 0 || (slash >= 0 && slash < colon);
};

async function setting(repository: Repository, key: string): Promise<string | null> {
  const found = await repository.git.run(['config', '--get', key]);
  return found.code === 0 ? found.stdout.toString('utf8').replace(/\n$/, '') : null;
}

interface Way {
  readonly args: readonly string[];
  readonly options: GitOptions;
}

/** What makes Git start our program: in the place of receive-pack, of ssh, or of `git send-pack`. */
async function wayThrough(
  repository: Repository,
  request: {
    readonly kind: 'local' | 'ssh' | 'http';
    readonly receivePack: string;
    readonly remote: string;
    /** Our program in one of its ways, for the shell. */
    readonly start: (mode: 'local' | 'ssh' | 'http') => string;
    readonly folder: string;
  },
): Promise<Way | null> {
  const { start, receivePack } = request;
  if (request.kind === 'local')
    return { args: [`--receive-pack=${start('local')} ${shellWord(receivePack)}`], options: {} };
  if (request.kind === 'ssh') return { args: [], options: { sshThrough: start('ssh') } };
  // Its helper starts `git send-pack`, from the folder that this variable names before any other.
  const real = await repository.git.text(['--exec-path']);
  const git = join(real, 'git');
  if (!existsSync(git)) return null;
  const own = join(request.folder, 'bin');
  await mkdir(own);
  for (const name of await readdir(real)) if (name !== 'git') await symlink(join(real, name), join(own, name));
  const script = `#!/bin/sh\nif [ "$1" = send-pack ]; then exec ${start('http')}; fi\nexec ${shellWord(git)} "$@"\n`;
  await writeFile(join(own, 'git'), script);
  await chmod(join(own, 'git'), 0o755);
  return { args: [], options: { env: { GIT_EXEC_PATH: own } } };
}
