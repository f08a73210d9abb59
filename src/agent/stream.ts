// Splits bytes into lines for the reader of a preset. Any bytes, any line length: a long line is given cut (J17).

export interface LineSplitter {
  push(bytes: Buffer): void;
  /** The last line, when it has no newline. */
  end(): void;
}

/** The part of one line that a reader is given. */
export const LINE_LIMIT = 1024 * 1024;

/**
 * Calls `onLine` for each line without its newline (and without a carriage return before it), as UTF-8 with what is not
 * UTF-8 replaced. Of a line longer than `limit` bytes it gives the first `limit` bytes, as soon as they are there.
 */
export function splitLines(onLine: (text: string) => void, limit: number = LINE_LIMIT): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  let cut = false;

  const flush = (): void => {
    if (!cut) onLine(Buffer.concat(parts).toString('utf8').replace(/\r$/, ''));
    parts = [];
    size = 0;
    cut = false;
  };
  const take = (bytes: Buffer): void => {
    if (cut || bytes.length === 0) return;
    const part = bytes.subarray(0, limit - size);
    parts.push(part);
    size += part.length;
    if (size < limit) return;
    flush();
    cut = true;
  };
  return {
    push(bytes) {
      let from = 0;
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
        take(bytes.subarray(from, at));
        flush();
        from = at + 1;
      }
      // The chunk may be reused by its owner: what is held over is copied.
      take(Buffer.from(bytes.subarray(from)));
    },
    end() {
      if (size > 0) flush();
    },
  };
}
