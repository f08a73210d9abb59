// One page in one file: no script, nothing loaded, no form, no address (06). Its policy says so, and names the digest of the one style.

import { createHash } from 'node:crypto';
import { type Html, markup, renderHtml, verbatim } from './markup.js';
import { STYLE } from './style.js';

const DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** `base-uri` and `form-action` do not fall back to `default-src`. */
const POLICY = `default-src 'none'; style-src 'sha256-${DIGEST}'; base-uri 'none'; form-action 'none'`;

/** The whole document; it ends with a newline. */
export const htmlPage = (title: string, body: Html): string =>
  renderHtml(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${verbatim(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="git owl">
<title>${title}</title>
<style>${verbatim(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>
`);
