// The binding of libgit2 (nodegit), typed as far as it is used. Loaded by nobody but the engine on it.

import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Oid } from '../domain/git.js';

export interface Libgit2Oid {
  tostrS(): string;
}
interface OdbObject {
  type(): number;
  size(): number;
  data(): { toBuffer(size: number): Buffer };
}
type Callback = (error: unknown, result?: unknown) => void;
type Raw = (this: unknown, ...args: [...unknown[], Callback]) => void;
interface Class {
  readonly prototype: Record<string, Raw>;
}
interface Binding {
  readonly Repository: Class & { open: Raw };
  readonly Odb: Class;
  readonly Oid: { fromString(text: string): Libgit2Oid };
  readonly Reference: { createMatching: Raw };
}

export interface Libgit2 {
  /** Null when absent. Throws what libgit2 throws (`errno`). */
  read(oid: Oid): Promise<{ readonly type: number; readonly data: Buffer } | null>;
  /** `git_reference_create_matching` with force: a true compare-and-swap; the zero id means "must not exist". Throws with `errno`. */
  createMatching(ref: string, oid: Oid, old: string, reason: string): Promise<void>;
  setIdent(name: string, mail: string): void;
  close(): Promise<void>;
}

/** In order: the binding alone costs a quarter of the whole module. */
const PLACES = ['nodegit/build/Release/nodegit.node', 'nodegit/build/Debug/nodegit.node', 'nodegit'] as const;

/** The binding, or why there is none. Blocks for some 50 ms the first time. */
export function loadBinding(): { readonly binding: unknown; readonly place: string } | { readonly missing: string } {
  const require = createRequire(import.meta.url);
  let missing = 'nodegit is not installed';
  for (const place of PLACES) {
    try {
      return { binding: require(place), place };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'MODULE_NOT_FOUND') missing = `nodegit cannot be loaded (${code ?? 'unknown error'})`;
    }
  }
  return { missing };
}

/** Opens a repository by its common directory. Throws what libgit2 throws where it does not know the format. */
export async function openLibgit2(
  loaded: { readonly binding: unknown; readonly place: string },
  commonDir: string,
): Promise<Libgit2> {
  const binding = loaded.binding as Binding;
  // The whole module has wrapped each function already, the binding alone wants a callback.
  const wrap =
    loaded.place === 'nodegit' ? (raw: Raw) => raw as unknown as (...args: unknown[]) => Promise<unknown> : promisify;
  const method = (owner: Class, name: string) => {
    const raw = owner.prototype[name];
    if (raw === undefined) throw new TypeError(`nodegit has no ${name}`);
    const wrapped = wrap(raw) as (this: unknown, ...args: unknown[]) => Promise<unknown>;
    return (self: unknown, ...args: unknown[]): Promise<unknown> => wrapped.apply(self, args);
  };
  const open = wrap(binding.Repository.open) as (path: string) => Promise<unknown>;
  const matching = wrap(binding.Reference.createMatching) as (...args: unknown[]) => Promise<unknown>;
  const readObject = method(binding.Odb, 'read');

  const repository = (await open.call(binding.Repository, commonDir)) as { setIdent(name: string, mail: string): void };
  const cleanup = method(binding.Repository, 'cleanup');
  const odb = await method(binding.Repository, 'odb')(repository);
  return {
    async read(oid) {
      const object = (await readObject(odb, binding.Oid.fromString(oid))) as OdbObject | null | undefined;
      return object == null
        ? null
        : { type: object.type(), data: quietly(() => object.data().toBuffer(object.size())) };
    },
    async createMatching(ref, oid, old, reason) {
      const { Oid } = binding;
      await matching.call(binding.Reference, repository, ref, Oid.fromString(oid), 1, Oid.fromString(old), reason);
    },
    setIdent: (name, mail) => repository.setIdent(name, mail),
    async close() {
      await cleanup(repository);
    },
  };
}

/** The binding makes its buffers by the old `Buffer()`, which Node reports on standard error once, as if it were our doing. */
function quietly<T>(make: () => T): T {
  const before = process.noDeprecation ?? false;
  process.noDeprecation = true;
  try {
    return make();
  } finally {
    process.noDeprecation = before;
  }
}
