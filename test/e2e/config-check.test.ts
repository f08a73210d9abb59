// `config check`: each file once, with whether it is in force (06, "Configuration").

import { t } from 'tap';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(300_000);

const FILE = '.coding-owl.yaml';
const BASE = `refs/heads/main:${FILE}`;
const HERE = `${FILE} in this checkout`;
const USER = '~/.config/coding-owl/config.yaml';

t.test(
  '06: config check says of the base, of your own file and of the checkout whether it is valid and in force',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({ files: { [FILE]: 'ttl: 5\n' } });
    const rows = async (code: number): Promise<string[]> => {
      const checked = await repo.owl('config', 'check', '--json', { fails: code });
      const rows = checked.json().data?.files as { file: string; status: string; in_force: boolean }[];
      return rows.map(({ file, status, in_force }) => `${file} ${status}${in_force ? ' in force' : ''}`);
    };
    const none = `${USER} none`;
    t.same(await rows(0), [`${BASE} valid in force`, none, `${HERE} valid in force`], 'committed');
    t.notMatch((await repo.owl('config', 'check')).stdout, /not in force/);

    repo.write(FILE, 'ttl: 6\n');
    t.same(await rows(0), [`${BASE} valid in force`, none, `${HERE} valid`], 'valid, and not committed');
    t.match((await repo.owl('config', 'check')).stdout, `${HERE}  not in force\n`);

    for (const bad of ['chekcs: []\n', 'ttl: [\n']) {
      repo.write(FILE, bad);
      t.same(await rows(9), [`${BASE} valid in force`, none, `${HERE} invalid`], `invalid in the work tree: ${bad}`);
      await repo.commit('broken');
      t.same(await rows(9), [`${BASE} invalid in force`, none, `${HERE} invalid in force`], `and committed: ${bad}`);
      repo.write(FILE, 'ttl: 6\n');
      t.same(await rows(9), [`${BASE} invalid in force`, none, `${HERE} valid`], `mended, and not committed: ${bad}`);
      await repo.commit('mended');
      t.same(await rows(0), [`${BASE} valid in force`, none, `${HERE} valid in force`]);
    }
    await repo.git('rm', '-q', FILE);
    t.same(await rows(0), [`${BASE} valid in force`, none, `${HERE} none`]);
    await repo.git('reset', '-q', '--hard');

    // What the user's own file may not say against the base: that file alone has the mistake.
    box.userConfig('execution: { auto_merge: true }\n');
    const own = [`${BASE} valid in force`, `${USER} invalid in force`, `${HERE} valid in force`];
    t.same(await rows(9), own, 'it would weaken what the base says');
    const said = (await repo.owlFails(9, 'config', 'check')).stdout;
    t.equal(said.split(USER).length, 2, 'it is named once');
    t.match(said, /would weaken what the base says/);
    box.userConfig('agents: 7\n');
    t.same(await rows(9), own, 'it is not valid itself');
    box.userConfig('max_parallel: 1\n');
    t.same(await rows(0), [`${BASE} valid in force`, `${USER} valid in force`, `${HERE} valid in force`]);

    // Of two that are wrong together with the base the one that says it is named.
    box.userConfig('version: 1\n');
    await repo.commit('an agent that nobody knows', { [FILE]: 'agent: stranger\n' });
    t.same(await rows(9), [`${BASE} invalid in force`, `${USER} valid in force`, `${HERE} invalid in force`]);
    t.match((await repo.owlFails(9, 'config', 'check')).stderr, /the configuration has a mistake/);
  },
);

t.test('06: config check on another branch, with line ends of another system, and without a base', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({ files: { [FILE]: 'ttl: 5\nplan: false\n' } });
  const here = async () => (await repo.owl('config', 'check', '--json')).json().data.files.at(-1);
  await repo.git('checkout', '-q', '-b', 'feature');
  t.match(await here(), { status: 'valid', in_force: true }, 'the same file');
  await repo.commit('changed', { [FILE]: 'ttl: 7\n' });
  t.match(await here(), { status: 'valid', in_force: false }, 'committed, but not on the base');
  repo.write(FILE, 'ttl: 5\r\nplan: false\r\n');
  t.match(await here(), { status: 'valid', in_force: true });
  const unborn = await box.repository({ name: 'unborn', unborn: true });
  unborn.write(FILE, 'ttl: 5\n');
  const { files } = (await unborn.owl('config', 'check', '--json')).json().data;
  t.match(files.at(-1), { file: HERE, status: 'valid', in_force: false });
});
