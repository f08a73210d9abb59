// Pkt-lines from a stream.

export interface Packets {
  /** All lines up to the next flush; null: the stream ended, or is not of this protocol. */
  section(): Promise<readonly Buffer[] | null>;
}

export function packetsOf(source: AsyncIterable<Buffer>): Packets {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const take = async (size: number): Promise<Buffer | null> => {
    while (held.length < size) {
      const { done, value } = await chunks.next();
      if (done === true) return null;
      held = Buffer.concat([held, value]);
    }
    const taken = held.subarray(0, size);
    held = held.subarray(size);
    return taken;
  };
  return {
    async section() {
      const lines: Buffer[] = [];
      for (;;) {
        const head = (await take(4))?.toString('latin1') ?? '';
        if (!/^[0-9a-f]{4}$/i.test(head)) return null;
        const size = Number.parseInt(head, 16);
        if (size === 0) return lines;
        const line = size < 4 ? null : await take(size - 4);
        if (line === null) return null;
        lines.push(line);
      }
    },
  };
}
