// "Did you mean": the known word that is nearest to one that is not known. Pure.

/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
export function editDistance(one: string, two: string): number {
  const rows: number[][] = [Array.from({ length: two.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= two.length; j++) {
      const same = one[i - 1] === two[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (same ? 0 : 1),
          swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, two.length);
}

/** The nearest of the known words, else one that begins so; null when none is near enough to be meant. Case and `-` for `_` count little. */
export function nearest(word: string, known: readonly string[]): string | null {
  const plain = (text: string): string => text.toLowerCase().replaceAll('-', '_');
  const wanted = plain(word).slice(0, 80);
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best ?? (wanted.length < 3 ? null : (known.find((one) => plain(one).startsWith(wanted)) ?? null));
}
