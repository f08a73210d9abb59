// The machine output of `git push --porcelain`: one line a ref, `<flag>\t<from>:<to>\t<summary> (<reason>)`. Pure.

export interface PushLine {
  /** ` ` fast-forward, `*` new, `-` deleted, `+` forced, `=` up to date, `!` rejected. */
  readonly flag: string;
  /** Who rejected it: the remote, or Git here; null: nobody, or the remote did not say what it did. */
  readonly rejectedBy: 'remote' | 'git' | null;
  /** For people: the summary with its reason, without control characters. */
  readonly summary: string;
}

const REJECTED = [
  ['[remote rejected]', 'remote'],
  ['[rejected]', 'git'],
] as const;

/** By the remote's ref. Lines of another form, such as `To …` and `Done`, are left out. */
export function parsePushLines(text: string): ReadonlyMap<string, PushLine> {
  const lines = new Map<string, PushLine>();
  for (const line of text.split('\n')) {
    const match = /^([ *+=!-])\t([^\t]*)\t(.*)$/.exec(line);
    const [, flag, refs, summary] = match ?? [];
    if (flag === undefined || refs === undefined || summary === undefined) continue;
    lines.set(refs.slice(refs.lastIndexOf(':') + 1), {
      flag,
      rejectedBy: flag !== '!' ? null : (REJECTED.find(([word]) => summary.startsWith(word))?.[1] ?? null),
      summary: summary.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, 200),
    });
  }
  return lines;
}

/** What the remote's hooks printed, as one bounded line; empty when they were silent. For people only. */
export function remoteWords(stderr: string): string {
  const words = stderr
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith('remote: ') && !/^remote: error: (?:hook declined|failed)/.test(line))
    .map((line) => line.slice('remote: '.length).trim());
  return words
    .filter((line) => line !== '')
    .join(' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
    .slice(0, 300);
}
