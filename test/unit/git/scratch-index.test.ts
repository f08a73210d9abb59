// A copy of an index sees what Git sees, also within one second (G33, M4).

import { t } from 'tap';
import { openScratchIndex } from '../../../src/git/scratch-index.js';
import { opened } from '../../fixtures/opened.js';
import { sandbox } from '../../fixtures/sandbox.js';

t.test('M4: an edit of the same size in the second of its staging is seen', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ files: { 'file.txt': 'committed\n' } });
  const repository = await opened(t, repo);
  // Both within one second of the clock, or it would be seen by its time alone.
  for (;;) {
    const began = Math.floor(Date.now() / 1000);
    repo.write('file.txt', 'staged\n');
    await repo.git('add', 'file.txt');
    repo.write('file.txt', 'edited\n');
    if (Math.floor(Date.now() / 1000) === began) break;
  }
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  t.equal(await repo.git('diff-files', '--name-only'), 'file.txt', 'Git sees it');
  const index = await openScratchIndex(repository, { gitDir: `${repo.dir}/.git`, workTree: repo.dir });
  t.teardown(() => index.dispose());
  t.equal((await index.must(['diff-files', '--name-only'])).toString(), 'file.txt\n', 'and so does the copy');
  await index.must(['update-index', '--add', '--cacheinfo', `100644,${await repo.oid(':file.txt')},b`]);
  t.equal(
    (await index.must(['diff-files', '--name-only', '--diff-filter=M'])).toString(),
    'file.txt\n',
    'after a write, too',
  );
});
