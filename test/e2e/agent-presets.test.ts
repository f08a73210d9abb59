// What a preset must do for its program beyond the argv (09): found with the real ones, see test/agents.

import { t } from 'tap';
import { sandbox } from '../fixtures/sandbox.js';

// As Gemini CLI runs the commands of its shell tool.
const HIDES_CONFIGURATION = `#!/bin/sh
cat >/dev/null
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
echo work >work.txt
git add work.txt && git commit --quiet --message 'Do the work' || exit 1
echo '{"type":"result","status":"success","stats":{"input_tokens":1,"output_tokens":1}}'
`;

t.test('09, J16: a program that hides the configuration of Git from its commands is told who commits', async (t) => {
  const box = await sandbox(t);
  box.executable('gemini', HIDES_CONFIGURATION);
  const repo = await box.repository({ config: 'agent: gemini\n' });
  const id = await repo.add('--no-plan', 'do the work');
  await repo.owl('run');
  const job = (await repo.owl('show', id, '--json')).json().data;
  t.equal(job.state, 'review', job.reason?.text);
  const who = await repo.git('log', '--format=%s: %an <%ae> %cn <%ce>', job.branch, '--', 'work.txt');
  t.equal(who, 'Do the work: Ada Tester <ada@example.com> Ada Tester <ada@example.com>', 'the user, as by its own Git');
});
