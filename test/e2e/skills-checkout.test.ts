// Where Skills work, whose what they make is, and when one is started again (G61 to G63; 07.45).

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { clockOf, gc, HOUR, said } from '../fixtures/gc.js';
import { door, addGoal as queued, showGoal as show } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { both } from '../fixtures/retire.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const config = (skills: readonly object[], more = ''): string => `plan: false
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
${more}
skills: ${JSON.stringify(skills.map((skill) => ({ kind: 'executable', ...skill })))}
`;
const WORK: Scenario = { execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }] };
const note = (box: Sandbox, text: string): string => `echo "${text}" >> '${box.path('notes')}'`;
const notes = (box: Sandbox): string[] =>
  existsSync(box.path('notes')) ? readFileSync(box.path('notes'), 'utf8').trim().split('\n') : [];
/** In the backlog. */
const add = async (repo: Repo, title: string): Promise<string> =>
  (await repo.owl('goal', 'add', title, '--request', `please ${title}`)).stdout.trim();
const placeOf = async (repo: Repo, name: RegExp): Promise<string> =>
  (await repo.git('worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .find((path) => name.test(path)) ?? '';

t.test(
  'G62: one of backlog works on the configured target, and what it makes never becomes the Candidate',
  async (t) => {
    const box = await sandbox(t);
    const triage = `${note(box, '$(pwd) $(git rev-parse HEAD) $OWL_TARGET $OWL_TARGET_REF')}; echo x > triage.txt; git add triage.txt; git commit -qm Triage`;
    const skills = [{ name: 'triage', on: 'workflow.backlog.enter', run: triage }];
    const repo = await box.repository({ agents: [box.agent('worker', WORK)], config: config(skills) });
    await repo.git('branch', 'develop');
    await repo.git('checkout', '-q', 'develop');
    const target = await repo.commit('on develop', { 'develop.txt': 'x\n' });
    await repo.git('checkout', '-q', 'main');
    const before = await repo.untouched(['refs/heads/develop']);
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x', '--target', 'develop')).stdout.trim();
    await repo.owl('goal', 'advance', id);
    const place = await placeOf(repo, /\/skill-/);
    t.same(notes(box), [`${place} ${target} ${target} refs/heads/develop`], 'in a place of its own, on the target');
    t.notOk(place.startsWith(repo.dir), 'outside the working tree');
    t.match(await show(repo, id), { status: 'backlog', candidate: null, base: { oid: null } });
    await repo.owl('goal', 'move', id, 'todo');
    await repo.owl('goal', 'advance', id);
    const done = await show(repo, id);
    t.match(done, { status: 'review', candidate: { base: target } });
    t.equal(await repo.git('diff', '--name-only', target, 'develop'), 'work.txt', 'what the Skill made is not in it');
    t.notMatch(await repo.git('log', '--format=%s', `${target}..${done.candidate.tip}`), /Triage/);
    const branch = await repo.git('for-each-ref', '--format=%(refname)', `refs/heads/refine/${id}/skill-*`);
    t.equal(await repo.git('log', '-1', '--format=%s', branch), 'Triage', 'that stays on its own branch');
    box.same(t, before, await repo.untouched(['refs/heads/develop']));
  },
);

t.test(
  'G62: what one of another status commits in the Round is not the Candidate; the next attempt has it',
  async (t) => {
    const box = await sandbox(t);
    const later = clockOf(box);
    const commit = (name: string): string =>
      `${note(box, `${name} $(pwd) $(git rev-parse --abbrev-ref HEAD)`)}; echo x > ${name}.txt; git add ${name}.txt; git commit -qm ${name}`;
    const again = `test -f '${box.path('once')}' || { touch '${box.path('once')}'; ${commit('first')}; git owl goal move "$OWL_GOAL" implement --reason again; }`;
    const worker = box.agent('worker', {
      execute: [
        [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }],
        [{ expect: { files: { 'first.txt': 'x\n' } } }, { write: 'more.txt', text: 'more\n' }, { commit: 'More' }],
      ],
    });
    const repo = await box.repository({
      remote: 'bare',
      agents: [worker],
      config: config([
        { name: 'again', on: 'workflow.quality.success', run: again },
        { name: 'after', on: 'workflow.governance.success', run: commit('after') },
      ]),
    });
    const start = await repo.oid('main');
    const id = await queued(repo, 'one');
    await repo.owl('goal', 'advance', id, { fails: 'any' });
    const middle = await show(repo, id);
    t.equal(middle.status, 'implement', 'its decision counts');
    t.equal(await repo.git('log', '-1', '--format=%s', `refine/${id}/round-1`), 'first');
    t.not(middle.candidate?.tip, await repo.oid(`refine/${id}/round-1`), 'by itself it is no Candidate');
    await repo.owl('goal', 'advance', id);
    const done = await show(repo, id);
    t.equal(done.status, 'review');
    const branch = `refine/${id}/round-1`;
    const place = await placeOf(repo, new RegExp(`/${done.history[0].job}$`));
    t.same(notes(box), [`first ${place} ${branch}`, `after ${place} ${branch}`], 'in the worktree of the Round');
    t.match(await repo.git('log', '--format=%s', `${start}..${done.candidate.tip}`), /^More\nfirst\nWork/);
    t.equal(
      await repo.git('log', '--format=%s', `${done.candidate.tip}..${branch}`),
      'after',
      'it stays on the branch',
    );
    t.equal(
      await repo.remoteGit('diff', '--name-only', start, 'main'),
      'first.txt\nmore.txt\nwork.txt',
      'what was judged was merged, and nothing else',
    );
    t.equal(await repo.remoteGit('rev-parse', branch), done.candidate.tip, 'nor is it published');
    t.equal(await repo.remoteGit('rev-parse', 'main^2'), await repo.oid('main^2'));

    await repo.owl('goal', 'approve', id);
    later(2 * HOUR);
    const items = await gc(repo);
    t.same(both(items, branch)[0], 'none unique-commits none', 'and its branch stays for it');
    t.equal(await repo.git('log', '-1', '--format=%s', branch), 'after');
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);

t.test('G62, G8: where the worktree of the Round is not what it should be, a Skill is not started there', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    agents: [box.agent('worker', WORK)],
    config: config([{ name: 'look', on: 'workflow.quality.enter', run: note(box, 'look') }]),
  });
  const id = await queued(repo, 'one');
  for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
  t.match(await show(repo, id), { status: 'quality' });
  const place = await placeOf(repo, new RegExp(`/${(await show(repo, id)).history[0].job}$`));
  await repo.git('-C', place, 'checkout', '-q', '-b', 'mine');
  const result = await repo.owl('goal', 'advance', id, { fails: 'any' });
  t.same(notes(box), []);
  const [one] = (await show(repo, id)).invocations;
  t.match(one, { state: 'ended', outcome: 'never-ran', text: /mine/ }, result.stderr);
  t.equal(await repo.git('-C', place, 'rev-parse', '--abbrev-ref', 'HEAD'), 'mine', 'and it is left as it is');
});

t.test(
  'G63: a folder in its place is an explicit error and is left as it is; away from there it is made',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      config: config([{ name: 'triage', on: 'workflow.backlog.enter', run: note(box, 'start') }]),
    });
    // Where such checkouts lie is told by one that is there.
    const first = await add(repo, 'first');
    await repo.owl('goal', 'advance', first);
    const known = await placeOf(repo, /\/skill-/);
    const id = await add(repo, 'second');
    const [{ id: skill }] = (await show(repo, id)).invocations;
    const place = known.replace(/skill-.*$/, `skill-${skill}`);
    mkdirSync(place);
    writeFileSync(join(place, 'mine.txt'), 'mine\n');
    const refused = await repo.owlFails(4, 'goal', 'advance', id, '--json');
    t.match(refused.json().error, { code: 'workspace', message: /git owl did not register it/ });
    t.match((await repo.owl('run', { fails: 'any' })).stderr, /git owl did not register it/, 'and stops nobody else');
    t.match(await show(repo, id), { status: 'backlog', invocations: [{ state: 'waiting' }] });
    t.equal(readFileSync(join(place, 'mine.txt'), 'utf8'), 'mine\n');
    t.equal(said((await gc(repo)).find(({ subject }) => subject === place)), 'none not-ours none');
    t.same(notes(box), ['start'], 'nothing was started');
    rmSync(place, { recursive: true });
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { invocations: [{ state: 'ended', outcome: 'succeeded' }] });
    t.ok(existsSync(place));
  },
);

t.test('G63: while a process of it lives it is not started again; after another decision it never is', async (t) => {
  const box = await sandbox(t);
  const gate = door(box, 'skill');
  gate.shut();
  const work = `${note(box, 'start')}; echo half > half.txt; ${gate.command}`;
  const repo = await box.repository({
    config: config([{ name: 'triage', on: 'workflow.backlog.enter', run: work }]),
  });
  const id = await add(repo, 'one');
  const running = repo.start('goal', 'advance', id);
  await gate.reached();
  const beside = await repo.owl('run', { fails: 'any' });
  t.match(beside.stderr, /triage was not started: it is at work, started by process \d+/);
  await repo.owl('goal', 'advance', id, { fails: 'any' });
  t.same(notes(box), ['start']);
  running.kill('SIGKILL');
  await running.wait();
  // It may start again; then somebody decides.
  const place = await placeOf(repo, /\/skill-/);
  const [one] = (await show(repo, id)).invocations;
  t.match(one, { state: 'started' });
  await repo.owl('goal', 'move', id, 'todo', { fails: 'any' });
  t.match(await show(repo, id), { status: 'todo' });
  gate.open();
  await repo.owl('goal', 'move', id, 'backlog');
  const both = (await show(repo, id)).invocations;
  t.equal(both.length, 2, 'another occurrence, another invocation');
  t.not(both[0].id, both[1].id);
  await repo.owl('run', { fails: 'any' });
  t.same(notes(box), ['start', 'start'], 'the new one alone');
  t.equal(readFileSync(join(place, 'half.txt'), 'utf8'), 'half\n', 'what the first left half done is there');
  const places = (await repo.git('worktree', 'list')).split('\n').filter((line) => line.includes('/skill-'));
  t.equal(places.length, 2, 'each has its own');
  const items = await gc(repo);
  t.equal(said(items.find(({ subject }) => subject === place)), 'report uncommitted none', 'M2');
});

t.test('G63: it belongs to the clone that recorded it; elsewhere it is only shown', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository({
    remote: 'bare',
    config: config([{ name: 'triage', on: 'workflow.backlog.enter', run: note(box, '$(pwd)') }]),
  });
  await repo.owl('sync');
  const id = await add(repo, 'one');
  await repo.owl('sync');
  const other = await repo.clone('other');
  await other.owl('sync');
  t.match(await show(other, id), { invocations: [{ skill: 'triage', state: 'waiting' }] }, 'shown');
  await other.owl('run', { fails: 'any' });
  await other.owl('goal', 'advance', id, { fails: 'any' });
  t.same(notes(box), [], 'and not started');
  t.equal(await other.git('for-each-ref', `refs/heads/refine/${id}`), '', 'nothing of it is made');
  t.equal((await other.git('worktree', 'list')).split('\n').length, 1);
  await repo.owl('run', { fails: 'any' });
  t.equal(notes(box).length, 1);
  await repo.owl('sync');
  await other.owl('sync');
  t.match(await show(other, id), { invocations: [{ skill: 'triage', state: 'ended', outcome: 'succeeded' }] });
});

t.test('G63, G42: it may ask for decisions about its own Goal, and for nothing else', async (t) => {
  const box = await sandbox(t);
  const tries = [
    'git owl goal move "$OTHER" backlog',
    'git owl cancel "$OTHER"',
    'git owl add "another job"',
    'git owl goal add another --request x',
    'git owl gc',
    'git owl sync',
    'git owl run',
    'git owl goal approve "$OWL_GOAL"',
  ];
  const run = `OTHER=$(cat '${box.path('other')}'); ${tries.map((line) => `${line} >> '${box.path('said')}' 2>&1; ${note(box, '$?')}`).join('; ')}
echo '{"decision":"todo"}'; echo "git owl goal move $OWL_GOAL todo"`;
  const repo = await box.repository({
    config: config([{ name: 'asks', on: 'workflow.backlog.enter', run }]),
  });
  const other = (await repo.owl('goal', 'add', 'other', '--request', 'x', '--queue')).stdout.trim();
  writeFileSync(box.path('other'), other);
  const before = await repo.records(/goals|jobs/);
  const id = await add(repo, 'one');
  await repo.owl('goal', 'advance', id);
  t.equal(notes(box).length, tries.length);
  t.notOk(notes(box).includes('0'), `${notes(box)} ${readFileSync(box.path('said'), 'utf8')}`);
  t.match(await show(repo, other), { status: 'todo' });
  t.match(
    await show(repo, id),
    { status: 'backlog', invocations: [{ outcome: 'succeeded' }] },
    'its output decides nothing',
  );
  t.equal((await repo.records(/jobs/)).length, before.filter((path) => path.includes('jobs')).length);
});
