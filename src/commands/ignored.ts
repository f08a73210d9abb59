// What is said of git-ignored files that go with a worktree (J30).

const SHOWN = 10;

export function ignoredNote(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
  return [`git-ignored files in the worktree, which are not kept: ${paths.slice(0, SHOWN).join(', ')}${more}`];
}
