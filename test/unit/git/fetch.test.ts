// One fetch of one ref, while others move what it asks for (J6, G30).

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { RefName } from '../../../src/domain/git.js';
import { fetchRef } from '../../../src/git/fetch.js';
import { opened } from '../../fixtures/opened.js';
import { sandbox } from '../../fixtures/sandbox.js';

const LATE = 'refs/owl/leases/late' as RefName;

t.test(
  'G30: a ref that is made between the fetch and the look is fetched, one that stays absent is told',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ remote: 'bare' });
    const repository = await opened(t, repo);
    const request = { remote: 'origin', from: LATE, to: LATE };
    t.same(await fetchRef(repository, request), { status: 'failed', reason: 'no-branch' });
    // The remote's own end: once it has answered the first time, somebody makes the ref.
    const script = join(box.dir, 'upload-pack');
    const commit = await repo.remoteGit('rev-parse', 'main');
    writeFileSync(
      script,
      `#!/bin/sh\ngit-upload-pack "$@"\ncode=$?\ngit -C '${repo.bare}' update-ref ${LATE} ${commit}\nexit $code\n`,
    );
    chmodSync(script, 0o755);
    await repo.git('config', 'remote.origin.uploadpack', script);
    t.same(await fetchRef(repository, request), { status: 'fetched', oid: commit });
    t.equal(await repo.oid(LATE), commit);
    await repo.git('config', 'remote.origin.uploadpack', '/nonexistent/upload-pack');
    t.match(await fetchRef(repository, request), { status: 'failed', reason: /\S/ });
    t.not((await fetchRef(repository, request)).status, 'fetched');
  },
);
