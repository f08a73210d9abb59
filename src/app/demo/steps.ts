// What the demo does, as data: what a person types, what it means, and the plain Git it stands for.

export interface DemoStep {
  /** What happens, one line. */
  readonly what: string;
  /** The command after `git owl`; `{job}` and `{goal}` are the ids. Null: something that is not ours, done by the demo itself. */
  readonly owl: readonly string[] | null;
  /** Plain Git that it stands for, line by line. */
  readonly git: readonly string[];
  /** Something done instead of a command. */
  readonly event?: DemoEvent;
  /** The command prints the id of this. */
  readonly makes?: 'job' | 'goal';
}

export type DemoEvent = 'colleague-pushes' | 'person-pushes';

const COLLEAGUE: Pick<DemoStep, 'owl' | 'git' | 'event'> = {
  owl: null,
  git: ['git push origin main'],
  event: 'colleague-pushes',
};

/** A Job: queued, planned, carried out, checked, and merged by a person. */
const JOB_STEPS: readonly DemoStep[] = [
  {
    what: 'Queue a piece of work: a record, no branch and no process yet',
    owl: ['add', 'Let greet.sh take a name'],
    git: ['git commit-tree … && git update-ref refs/heads/refine/state <new> <old>'],
    makes: 'job',
  },
  {
    what: 'First Run: a fresh agent plans, in a worktree and branch of its own, and leaves the Handoff',
    owl: ['run', '--step'],
    git: [
      'git fetch origin main',
      'git worktree add -b owl/{job}/let-greet-sh-take-a-name ../{job} origin/main',
      '(cd ../{job} && agent < plan-prompt)',
    ],
  },
  { what: 'A colleague pushes to the base meanwhile', ...COLLEAGUE },
  {
    what: "Second Run: the branch is replayed onto today's base, a fresh agent carries the plan out, checks run on the committed tip",
    owl: ['run'],
    git: [
      'git fetch origin main',
      'git rebase origin/main',
      '(cd ../{job} && agent < execute-prompt)',
      'sh -c "<each check of the base>"',
    ],
  },
  {
    what: 'Look: intent, Handoff, diff and checks in one place',
    owl: ['review', '{job}'],
    git: ['git log origin/main..owl/{job}/…', 'git diff origin/main...owl/{job}/…'],
  },
  {
    what: 'Land it: a merge whose first parent is the verified base, without the Handoff; then worktree and branch go',
    owl: ['merge', '{job}'],
    git: ['git merge --no-ff owl/{job}/…', 'git worktree remove ../{job}', 'git branch -d owl/{job}/…'],
  },
  {
    what: 'Publish it: the base is a branch of yours, and pushed by you',
    owl: null,
    git: ['git push origin main'],
    event: 'person-pushes',
  },
];

/** A Goal: through gates that judge exactly one Candidate, merged by git owl itself, then reviewed. */
const GOAL_STEPS: readonly DemoStep[] = [
  {
    what: 'Queue a Goal: it says where it will land, and that this comes before your review',
    owl: ['goal', 'add', 'Greet in German', '--request', 'Add hallo.sh, which says hallo', '--queue'],
    git: ['git commit-tree … && git update-ref refs/heads/refine/state <new> <old>'],
    makes: 'goal',
  },
  {
    what: 'Out of the queue: the target is fetched, and its commit pinned as the base',
    owl: ['goal', 'advance', '{goal}', '--step'],
    git: ['git fetch origin main', 'git merge --ff-only origin/main'],
  },
  {
    what: 'Plan: the first Run of its Round, on a branch cut at that commit and never at what is checked out',
    owl: ['goal', 'advance', '{goal}', '--step'],
    git: ['git worktree add -b refine/{goal}/round-1 ../{goal} <base>', '(cd ../{goal} && agent < plan-prompt)'],
  },
  {
    what: 'Implement: the second Run; base and tip are the Candidate now',
    owl: ['goal', 'advance', '{goal}', '--step'],
    git: [
      'git rebase origin/main',
      '(cd ../{goal} && agent < execute-prompt)',
      'git update-ref refs/owl/candidates/{goal} <tip>',
    ],
  },
  { what: 'A colleague pushes to the target meanwhile', ...COLLEAGUE },
  {
    what: 'Quality: the Candidate is replayed onto the target as it is, the old one is kept, and the checks run on exactly the new one',
    owl: ['goal', 'advance', '{goal}', '--step'],
    git: [
      'git fetch origin main',
      'git rebase --onto origin/main <base> refine/{goal}/round-1',
      'git worktree add --detach ../check <tip>',
      'sh -c "<each check of the base, and of quality>"',
    ],
  },
  {
    what: 'Governance, under the lease of the target: its rules judge the same Candidate, then it is merged and pushed, once',
    owl: ['goal', 'advance', '{goal}'],
    git: [
      'git push --force-with-lease=<lease>:<old> origin <new>:<lease>',
      'sh -c "<each check of governance>"',
      'git merge --no-ff refine/{goal}/round-1',
      'git push --atomic origin <merge>:main <tip>:refine/{goal}/round-1',
    ],
  },
  {
    what: 'Review: what must not be overlooked, diff, checks, verdicts, integration, and how to undo it',
    owl: ['review', '{goal}'],
    git: ['git log --first-parent origin/main', 'git diff <merge>^1 <merge>'],
  },
  {
    what: 'Approve: closed as done, with nothing more to merge or push',
    owl: ['goal', 'approve', '{goal}'],
    git: ['git fetch origin main', 'git merge-base --is-ancestor <merge> origin/main'],
  },
];

export const DEMO_STEPS: readonly DemoStep[] = [
  ...JOB_STEPS,
  ...GOAL_STEPS,
  {
    what: 'Clean up: the checkout that nobody needs goes, what is kept is folded away',
    owl: ['gc'],
    git: ['git worktree remove ../{goal}'],
  },
  { what: 'Nothing is open', owl: ['status'], git: ['git branch --list "owl/*" "refine/*"'] },
];
