// One thing that is wrong with the state or the refs around it.

export interface Finding {
  readonly severity: 'error' | 'warning';
  /** `derived`: `repairState` makes it anew; `record`: it can put an earlier version back; `look`: a person decides. */
  readonly kind: 'derived' | 'record' | 'look';
  /** A path in the tree of `refine/state`, or a ref. */
  readonly where: string;
  readonly what: string;
  /** How to mend it, one sentence without a trailing period. */
  readonly repair: string;
  /** A command to look with; never one that destroys. */
  readonly next: string | null;
}
