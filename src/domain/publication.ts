// When a push that was sent, and is not there, can still arrive (G32). Pure.

/** Milliseconds for which a push is waited for that nothing shuts out: the length of a lease. */
const PATIENCE = 10 * 60_000;

/** `since`: the first look that did not find it. */
export const endOfPatience = (since: string): number => Date.parse(since) + PATIENCE;

/** By compare-and-swap it cannot once the target has another value than the one that it was made on. */
export const mayArrive = (push: { readonly expected: string }, target: string): boolean => push.expected === target;
