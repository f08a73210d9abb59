// The pages as a browser has them: nothing of what agents wrote runs or loads, they fit a phone, and are readable, light and dark (06).

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import { run } from '../fixtures/process.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const skip = BROWSER === undefined && 'no Chromium on this machine';

/** Each way out of text that a page of ours could leave open. */
const EVIL = [
  '</style></pre></title><script>top.pwned = 1</script>',
  '<img src=x onerror="top.pwned=1"><svg onload="top.pwned=1"><a href="javascript:top.pwned=1">x</a>',
  '"onmouseover="top.pwned=1"x=\' <iframe srcdoc="<script>top.pwned=1</script>"> <!-- ]]> &lt;script&gt; <base href=//x>',
].join(' ');
const LONG = `${'x'.repeat(400)} ${'a/'.repeat(60)}b`;
const work: readonly Step[] = [
  { print: EVIL },
  { write: 'page.html', text: `${EVIL}\n${LONG}\n` },
  { write: `odd <b onclick=top.pwned=1>name`, text: 'odd\n' },
  { commit: `Write ${EVIL}` },
  { handoff: `# Done\n\n${EVIL}\n\n${LONG}\n` },
];

/** Runs in the page around them: what it finds is written as JSON into its own text. */
const LOOK = `
const contrast = (one, two) => {
  const light = (color) => {
    const [r, g, b] = color.map((part) => { const c = part / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const [high, low] = [light(one), light(two)].sort((a, b) => b - a);
  return (high + .05) / (low + .05);
};
const rgba = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const behind = (view, element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = rgba(view.getComputedStyle(at).backgroundColor);
    if ((color[3] ?? 1) === 1) return color.slice(0, 3);
  }
  return null;
};
addEventListener('load', () => {
  const found = [...document.querySelectorAll('iframe')].map((frame) => {
    const view = frame.contentWindow, { documentElement: root, body } = frame.contentDocument;
    const faint = new Set();
    for (const element of body.querySelectorAll('*')) {
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) continue;
      const ratio = contrast(rgba(view.getComputedStyle(element).color).slice(0, 3), behind(view, element) ?? [0, 0, 0]);
      if (ratio < 4.5) faint.add(element.localName + '.' + element.className + ' ' + ratio.toFixed(1));
    }
    return {
      page: frame.name, width: root.clientWidth, wide: root.scrollWidth, background: view.getComputedStyle(body).backgroundColor,
      text: body.innerText.length, faint: [...faint], loaded: view.performance.getEntriesByType('resource').length,
      foreign: body.querySelectorAll('script, img, iframe, a, base, b').length,
    };
  });
  document.body.replaceChildren(JSON.stringify({ pwned: window.pwned ?? null, found }));
});`;

async function look(box: Sandbox, pages: readonly string[], scheme: 'light' | 'dark') {
  const frame = (page: string, width: number): string =>
    `<iframe name="${page}" src="${page}.html" width="${width}" height="900" style="border:0"></iframe>`;
  const frames = pages.flatMap((page) => [frame(page, 390), frame(page, 1280)]).join('');
  const head = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">';
  writeFileSync(box.path('around.html'), `${head}<script>${LOOK}</script><body>${frames}</body>`);
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files', '--dump-dom'];
  const told = [
    `--user-data-dir=${box.path('browser')}`,
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
  ];
  const env = { ...box.env(), DBUS_SESSION_BUS_ADDRESS: 'disabled:' };
  const { stdout, stderr } = await run({
    command: BROWSER ?? '',
    args: [...args, ...told, '--timeout=60000', `file://${box.path('around.html')}`],
    cwd: box.dir,
    env,
  });
  const [, json] = /<body>(\{.*\})<\/body>/s.exec(stdout) ?? [];
  if (json === undefined) throw new Error(`the browser said nothing\n${stderr.slice(-2000)}\n${stdout.slice(-500)}`);
  return JSON.parse(json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

t.test('06: report and review in a browser', { skip }, async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ write: '.coding-owl/handoff.md', text: EVIL }, { commit: 'Plan' }],
    execute: work,
  });
  const config = `plan: false\nchecks: [{ name: test, run: "echo '<script>top.pwned=1</script>'" }]\ngoals: { ungated: true }\n`;
  const repo = await box.repository({ remote: 'bare', agents: [agent], config });
  const job = await repo.add(`Do ${EVIL} ${LONG}`);
  await repo.owl('run', job);
  const goal = (await repo.owl('goal', 'add', `Goal ${EVIL}`, '--request', `${EVIL} ${LONG}`, '--queue')).stdout.trim();
  await repo.owl('run', goal);
  const failed = await repo.add('Not wanted');
  await repo.owl('cancel', failed);
  const pages = { report: ['report', '--html', '-'], job: ['review', job, '--html'], goal: ['review', goal, '--html'] };
  for (const [name, words] of Object.entries(pages))
    writeFileSync(box.path(`${name}.html`), (await repo.owl(...words)).stdout);
  t.match(readFileSync(box.path('job.html'), 'utf8'), 'top.pwned', 'what was tried is in the page');

  const backgrounds = new Set<string>();
  for (const scheme of ['light', 'dark'] as const) {
    const { pwned, found } = await look(box, Object.keys(pages), scheme);
    t.equal(pwned, null, 'nothing ran');
    t.equal(found.length, 6);
    for (const { page, width, wide, background, text, faint, loaded, foreign } of found) {
      const what = `${page}, ${width} px, ${scheme}`;
      t.ok(wide <= width, `${what}: nothing is cut off at the side (${wide})`);
      t.ok(text > 200, `${what}: there is something to read`);
      t.same(faint, [], `${what}: each text stands out from what is behind it`);
      t.same([loaded, foreign], [0, 0], `${what}: nothing is loaded, and no element is of an agent`);
      backgrounds.add(`${scheme} ${background}`);
    }
  }
  t.equal(backgrounds.size, 2, 'light and dark are two');
});
