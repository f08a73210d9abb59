// One word of a shell command: for commands that a person pastes, and for those that Git itself hands to a shell.

/** A path or any other text, quoted where it must be. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith('~') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
