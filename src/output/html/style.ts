// The style of a page: light and dark as the reader's system says, readable on a phone, nothing loaded. Text of ours alone: its digest
// is in the page's policy, so that no other style applies. Pure.

export const STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1f2328; --dim: #59636e; --line: #d1d9e0; --box: #f6f8fa;
  --good: #1a7f37; --bad: #b3261e; --warn: #7d4e00; --added: #dafbe1; --removed: #ffebe9; --hunk: #ddf4ff; --warnbox: #fff8c5; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --text: #e6edf3; --dim: #9198a1; --line: #3d444d; --box: #151b23;
    --good: #3fb950; --bad: #ff7b72; --warn: #d9a520; --added: #12361f; --removed: #45191c; --hunk: #0c2d4d; --warnbox: #2b2611; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; line-height: 1.3; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { margin: .5rem 0; padding: .5rem .75rem; background: var(--box); border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; overflow-wrap: normal; white-space: pre; tab-size: 8; }
pre.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.diff { padding: .25rem 0; }
pre.diff span { display: block; padding: 0 .75rem; min-width: max-content; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .5rem 0; }
dt { color: var(--dim); }
dd { margin: 0; min-width: 0; }
summary { cursor: pointer; padding: .35rem 0; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--line); }
.dim { color: var(--dim); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.added { background: var(--added); } .removed { background: var(--removed); } .hunk { background: var(--hunk); }
.header { color: var(--dim); }
.box { padding: .5rem .75rem; margin: .75rem 0; border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px; }
.look { background: var(--warnbox); border-left-color: var(--warn); }
.claim { border-style: dashed; }
.state { font-size: .85rem; padding: .1rem .5rem; border: 1px solid currentColor; border-radius: 1rem; white-space: nowrap; }
ul.cards { list-style: none; padding: 0; }
.card { padding: .35rem .6rem; margin: .4rem 0; background: var(--box); border: 1px solid var(--line); border-radius: 6px; }
.card p { margin: .15rem 0; }
.board { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
.timeline td:first-child { width: 35%; } .timeline td.bar { width: 45%; }
svg { display: block; width: 100%; height: 1rem; background: var(--box); }
rect.good { fill: var(--good); } rect.bad { fill: var(--bad); } rect.warn { fill: var(--warn); } rect.live { fill: var(--dim); }
@media (max-width: 34rem) {
  .board { grid-template-columns: 1fr; }
  .timeline tr { display: block; border-bottom: 1px solid var(--line); } .timeline td { display: block; border: 0; width: auto; }
  .timeline td:first-child, .timeline td.bar { width: auto; }
  body { padding: .75rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin: 0 0 .4rem; }
}
@media print { body { max-width: none; } pre { white-space: pre-wrap; } }
`;
