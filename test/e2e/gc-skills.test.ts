// Checkouts of Skills of their own go by the rules of all others, and their branches are retired with their Goals (M1, M5, M10, G62, G63).

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { acted, clockOf, gc, HOUR, said } from '../fixtures/gc.js';
import { eventually } from '../fixtures/process.js';
import { both } from '../fixtures/retire.js';
import { sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const config = (run: string): string =>
  `plan: false\nquality: { checks: [{ name: style, run: "true" }] }\nskills: ${JSON.stringify([
    { kind: 'executable', name: 'triage', on: 'workflow.backlog.enter', run },
  ])}\n`;

t.test('M1, M5, M10: an ended Skill loses its clean checkout; with its Goal its branch is retired', async (t) => {
  const box = await sandbox(t);
  const later = clockOf(box);
  const run = `test "$(git log -1 --format=%s)" != x; touch '${box.path('began')}'; until test -f '${box.path('go')}'; do sleep 0.1; done; exit "$(cat '${box.path('go')}')"`;
  const repo = await box.repository({ remote: 'bare', config: config(run) });
  const add = async (title: string) => {
    const id = (await repo.owl('goal', 'add', title, '--request', 'x')).stdout.trim();
    const [{ id: skill }] = (await repo.owl('show', id, '--json')).json().data.invocations;
    return { id, branch: `refine/${id}/skill-${skill}`, place: `skill-${skill}` };
  };
  const one = await add('one');
  const running = repo.owl('goal', 'advance', one.id, { fails: 'any' });
  await eventually(() => existsSync(box.path('began')), 60_000, 'the Skill is at work');
  const placeOf = async (of: { readonly place: string }) =>
    (await repo.git('worktree', 'list', '--porcelain')).match(new RegExp(`^worktree (.*/${of.place})$`, 'm'))?.[1] ??
    '';
  const path = await placeOf(one);
  const item = async (subject: string, ...args: readonly string[]) =>
    (await gc(repo, ...args)).find((each) => each.kind === 'worktree' && each.subject === subject);
  t.match(await item(path), { action: 'none', reason: 'live-run', job: one.id });
  writeFileSync(box.path('go'), '1');
  await running;
  t.match((await repo.owl('show', one.id, '--json')).json().data.invocations, [{ state: 'ended', outcome: 'failed' }]);
  t.equal(said(await item(path)), 'none not-yet none');
  writeFileSync(join(path, 'note.txt'), 'mine\n');
  t.equal(said(await item(path)), 'report uncommitted none', 'told before its time');
  later(2 * HOUR);
  t.equal(said(await item(path)), 'report uncommitted none', 'and never deleted');
  t.ok(existsSync(join(path, 'note.txt')));
  rmSync(join(path, 'note.txt'));
  t.equal(said(await item(path, '--dry-run')), 'remove-worktree skill-ended planned');
  t.equal(said(await item(path)), 'remove-worktree skill-ended done');
  t.notOk(existsSync(path));
  t.same((await repo.git('worktree', 'list')).split('\n').length, 1);
  const tip = await repo.oid(one.branch);
  t.not(tip, '', 'its branch stays with its Goal');
  t.same(acted(await gc(repo)), []);

  // Somebody pushed it; then the Goal ends.
  await repo.git('push', '-q', 'origin', `refs/heads/${one.branch}`);
  await repo.owl('cancel', one.id);
  t.same(both(await gc(repo), one.branch), ['none not-yet none', 'none not-yet none']);
  later(2 * HOUR);
  await repo.owl('sync');
  t.same(both(await gc(repo), one.branch), ['retire goal-closed done', 'retire goal-closed done']);
  t.match((await repo.owl('show', one.id, '--json')).json().data.invocations, [{ outcome: 'failed' }], 'M11');
  t.match((await repo.owl('events', one.id)).stdout, /triage, bound to workflow.backlog.enter, failed/, 'M11');
});

t.test('M1, G63: what a dead process left is kept while it may start again, and goes when its Goal does', async (t) => {
  const box = await sandbox(t);
  const later = clockOf(box);
  const repo = await box.repository({ config: config('echo mine > left.txt; git add left.txt; git commit -qm Left') });
  const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
  const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: 'skill.after-start' } });
  t.equal(killed.signal, 'SIGKILL');
  later(100 * HOUR);
  const place = (await gc(repo)).find(({ kind }) => kind === 'worktree');
  t.equal(said(place), 'none open-skill none');
  await repo.owl('goal', 'advance', id);
  const name = (await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/refine/*/skill-*')).trim();
  await repo.owl('goal', 'delete', id);
  later(100 * HOUR);
  const items = await gc(repo);
  t.equal(
    said(items.find(({ kind }) => kind === 'worktree')),
    'remove-worktree skill-ended done',
    'also of a deleted one',
  );
  t.same(both(items, name), ['none unique-commits none', 'no item'], 'what it made is on no other branch');
  t.not(await repo.oid(name), '');
  t.same(acted(await gc(repo)), []);
});
