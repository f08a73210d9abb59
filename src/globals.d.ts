declare const OWL_VERSION: string;

/** The part of picomatch 4 that is used; it ships no types. */
declare module 'picomatch' {
  export default function picomatch(
    globs: readonly string[],
    options?: { readonly dot?: boolean },
  ): (path: string) => boolean;
}
