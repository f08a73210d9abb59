// What others need with a commit before it is on their target: the LFS objects of its range are sent, and the commits that its
// gitlinks name are looked for at their remotes (G32, last sentence). Nothing is published where one of them is missing.

import { branchRef, type Oid, shortOid } from '../../domain/git.js';
import { type Gitlink, lookForCommit, movedGitlinks } from '../../git/gitlinks.js';
import { lfsObjectsIn, sendLfs } from '../../git/lfs.js';
import { shownName } from '../../git/path-bytes.js';
import { isRelative, loadSubmoduleRows, resolveUrl } from '../../git/submodule-rows.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { allowsFiles, isAllowed, protocolsOf } from '../workspace/submodules.js';
import type { Held, Target } from './publish.js';

/** Milliseconds for one question to the remote of a submodule. */
const TIMEOUT = 5 * 60_000;

/** Null: all of it is there. Repeatable. */
export async function beforehand(
  bench: Workbench,
  target: Target,
  send: { readonly commit: Oid; readonly expected: Oid },
): Promise<Held | null> {
  for (const link of await movedGitlinks(bench.repository, send.expected, send.commit)) {
    const held = await lookAtGitlink(bench, target, send, link);
    if (held !== null) return held;
  }
  return sendObjects(bench, target, send);
}

async function sendObjects(
  bench: Workbench,
  target: Target,
  send: { readonly commit: Oid; readonly expected: Oid },
): Promise<Held | null> {
  const range = { tip: send.commit, not: send.expected };
  const objects = await lfsObjectsIn(bench.repository, range);
  if (objects.length === 0) return null;
  const many = objects.length === 1 ? '1 LFS object' : `${objects.length} LFS objects`;
  bench.progress.step(`sending ${many} to ${target.remote}`);
  await failpoint('publish.before-lfs');
  const sent = await sendLfs(bench.repository, { remote: target.remote, ref: branchRef(target.branch), range });
  await failpoint('publish.after-lfs');
  if (sent.kind === 'sent') return null;
  return { kind: 'held', code: 'lfs-unsent', why: `${many} could not be sent to ${target.remote}: ${sent.why}` };
}

/** The base's row counts; a new submodule has one of its own, and came through as a guarded path (J37). */
async function lookAtGitlink(
  bench: Workbench,
  target: Target,
  send: { readonly commit: Oid; readonly expected: Oid },
  { path, commit }: Gitlink,
): Promise<Held | null> {
  const { repository } = bench;
  const rows = [
    ...(await loadSubmoduleRows(repository, send.expected)),
    ...(await loadSubmoduleRows(repository, send.commit)),
  ];
  const row = rows.find((one) => one.path === path);
  const name = shownName(path);
  // Named by nobody: a person let it pass as a guarded path.
  if (row === undefined) return null;
  const local = await allowsFiles(repository);
  const url = isRelative(row.url)
    ? resolveUrl(await repository.git.text(['remote', 'get-url', target.remote]), row.url)
    : row.url;
  if (!isAllowed(url, local)) {
    bench.say(`submodule ${name} was not looked for: only https, ssh and git URLs are followed`);
    return null;
  }
  bench.progress.step(`looking for ${shortOid(commit)} of submodule ${name}`);
  const look = await lookForCommit(repository, { url, commit, protocols: protocolsOf(local), timeout: TIMEOUT });
  switch (look.kind) {
    case 'there':
      return null;
    case 'absent':
      return {
        kind: 'held',
        code: 'gitlink-missing',
        why: `the remote of submodule ${name} does not have ${shortOid(commit)}; push it there first`,
      };
    case 'unknown':
      return {
        kind: 'held',
        code: 'remote-unreachable',
        why: `the remote of submodule ${name} could not be asked: ${look.why}`,
      };
  }
}
