/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/unit/output/views.test.ts > TAP > 06: events > events in a pipe 1`] = `
2024-05-06T09:00:00Z	job.added	k3x9qp		Ada <ada@example.com>	job k3x9qp: added
`

exports[`test/unit/output/views.test.ts > TAP > 06: events > events on a terminal 1`] = `
when    event      what               who
1h ago  job.added  job k3x9qp: added  Ada <ada@example.com>
`

exports[`test/unit/output/views.test.ts > TAP > 06: list > in a pipe 1`] = `
actv	active	execute	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of actv	
dead	active	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of dead	
rvw1	review	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of rvw1	
rvw2	review	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of rvw2	
rvw3	review	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of rvw3	
escl	escalated	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of escl	merging met a conflict
blkd	blocked	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	evil\\u202e\\x1b[2J	the base changed the same lines
exhs	exhausted	plan	0	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of exhs	
nxt1	pending	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of nxt1	
wait	pending	plan	10	owl/k3x9qp/work	2024-05-06T09:00:00Z	work of wait	needs nxt1, which is pending
`

exports[`test/unit/output/views.test.ts > TAP > 06: list > in colour 1`] = `
<ESC>[2mid<ESC>[22m    <ESC>[2mstate<ESC>[22m      <ESC>[2mphase<ESC>[22m    <ESC>[2mruns left<ESC>[22m  <ESC>[2mupdated<ESC>[22m  <ESC>[2mtitle<ESC>[22m              <ESC>[2mwhy<ESC>[22m
<ESC>[33mactv<ESC>[39m  <ESC>[36mactive<ESC>[39m     execute         10  <ESC>[2m1h ago<ESC>[22m   work of actv
<ESC>[33mdead<ESC>[39m  <ESC>[31mdead<ESC>[39m       plan            10  <ESC>[2m1h ago<ESC>[22m   work of dead
<ESC>[33mrvw1<ESC>[39m  <ESC>[33mreview<ESC>[39m     plan            10  <ESC>[2m1h ago<ESC>[22m   work of rvw1
<ESC>[33mrvw2<ESC>[39m  <ESC>[33mreview<ESC>[39m     plan            10  <ESC>[2m1h ago<ESC>[22m   work of rvw2
<ESC>[33mrvw3<ESC>[39m  <ESC>[33mreview<ESC>[39m     plan            10  <ESC>[2m1h ago<ESC>[22m   work of rvw3
<ESC>[33mescl<ESC>[39m  <ESC>[31mescalated<ESC>[39m  plan            10  <ESC>[2m1h ago<ESC>[22m   work of escl       <ESC>[2mmerging met a conflict<ESC>[22m
<ESC>[33mblkd<ESC>[39m  <ESC>[31mblocked<ESC>[39m    plan            10  <ESC>[2m1h ago<ESC>[22m   evil\\u202e\\x1b[2J  <ESC>[2mthe base changed the same lines<ESC>[22m
<ESC>[33mexhs<ESC>[39m  <ESC>[31mexhausted<ESC>[39m  plan             0  <ESC>[2m1h ago<ESC>[22m   work of exhs
<ESC>[33mnxt1<ESC>[39m  pending    plan            10  <ESC>[2m1h ago<ESC>[22m   work of nxt1
<ESC>[33mwait<ESC>[39m  pending    plan            10  <ESC>[2m1h ago<ESC>[22m   work of wait       <ESC>[2mneeds nxt1, which is pending<ESC>[22m
`

exports[`test/unit/output/views.test.ts > TAP > 06: list > on a narrow terminal 1`] = `
id    state      title              why
actv  active     work of actv
dead  dead       work of dead
rvw1  review     work of rvw1
rvw2  review     work of rvw2
rvw3  review     work of rvw3
escl  escalated  work of escl       merging met a confl…
blkd  blocked    evil\\u202e\\x1b[2J  the base changed th…
exhs  exhausted  work of exhs
nxt1  pending    work of nxt1
wait  pending    work of wait       needs nxt1, which i…
`

exports[`test/unit/output/views.test.ts > TAP > 06: list > on a terminal 1`] = `
id    state      phase    runs left  updated  title              why
actv  active     execute         10  1h ago   work of actv
dead  dead       plan            10  1h ago   work of dead
rvw1  review     plan            10  1h ago   work of rvw1
rvw2  review     plan            10  1h ago   work of rvw2
rvw3  review     plan            10  1h ago   work of rvw3
escl  escalated  plan            10  1h ago   work of escl       merging met a conflict
blkd  blocked    plan            10  1h ago   evil\\u202e\\x1b[2J  the base changed the same lines
exhs  exhausted  plan             0  1h ago   work of exhs
nxt1  pending    plan            10  1h ago   work of nxt1
wait  pending    plan            10  1h ago   work of wait       needs nxt1, which is pending
`

exports[`test/unit/output/views.test.ts > TAP > 06: show and review > a live Run 1`] = `
  2  plan  live  2024-05-06T09:00:00Z, 1h
`

exports[`test/unit/output/views.test.ts > TAP > 06: show and review > review 1`] = `
k3x9qp  blocked  work of k3x9qp
  why       conflict (onto refs/remotes/origin/main 1111111111): a\\nb
  branch    owl/k3x9qp/work 2222222222
  base      refs/remotes/origin/main 1111111111
  verified  not verified

Look at this first
  ! touches guarded paths: .ci/run
  ! run.sh: made executable

Asked for
  make it so

Handoff
  # Plan

  Write tabs.

Commits
  2222222222  Write\\x1btabs

Changes in 2 files
  +12 -3  src/a b.ts
  binary  logo.png

Checks
  ✗ test  failed (exit 1)  1m1s  npm test

Said by agents, not checked
  worker  execute, of 1111111111..2222222222  other commits than those reviewed here
    All\\x1bdone.

To look at
  ! the Handoff is stale

How to undo it
  git owl cancel k3x9qp  nothing has landed

Next
  git owl merge k3x9qp
`

exports[`test/unit/output/views.test.ts > TAP > 06: show and review > show 1`] = `
k3x9qp  blocked  work of k3x9qp
  why       conflict (onto refs/remotes/origin/main 1111111111): a\\nb
  phase     plan
  Runs      1 made, 10 left
  branch    owl/k3x9qp/work
  base      refs/remotes/origin/main 1111111111
  tip       2222222222222222222222222222222222222222
  verified  not verified
  guarded   touches guarded paths: .github/workflows/ci.yml
  created   2024-05-06T09:00:00Z (1h ago)
  updated   2024-05-06T09:00:00Z (1h ago)

Prompt
  make it
  \\x1b[1mso

Runs
  1  plan  failed  2024-05-06T09:00:00Z, 4m12s
     agent  worker, exit 1 (stall)
     base   refs/remotes/origin/main 1111111111, not fetched: timed out
     why    no sign of life for 15m
     usage  10 in, 20 out, 1 turn, $0.50
     note   changed while it ran: refs/tags/x
     ✗ test  failed (exit 1)  1m1s  npm test

What failed
  ✗ test  failed (exit 3)  1m1s  npm test
    … 2 lines before
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more
    more

Policy
  ttl  10  built-in

Kept
  2222222222  wip of run 1

Next
  git owl retry k3x9qp --restart
`

exports[`test/unit/output/views.test.ts > TAP > 06: status > everything at once 1`] = `
open: 2 pending 2 active 1 blocked 3 review 1 escalated 1 exhausted

Running
  ●  actv  work of actv  execute, for 5m on box\\x1b
  ✗  dead  work of dead  the process of its Run is gone; "git owl run" settles it

Needs a decision
  !  rvw1  work of rvw1  verified
  !  rvw2  work of rvw2  verified, but branch or base moved since
  !  rvw3  work of rvw3  not verified
  !  escl  work of escl  escalated: merging met a conflict

Blocked
  ✗  blkd  evil\\u202e\\x1b[2J  the base changed the same lines

Out of attempts
  ✗  exhs  work of exhs  after 10 Runs

Waiting
  ○  nxt1  work of nxt1  next
  ○  wait  work of wait  needs nxt1, which is pending

Checkouts to bring up to date
  /home/ada/repo  refs/heads/main  README.md has local changes

Unfinished
  refs/owl/keep/zzzz keeps uncommitted work of run 2

note: main is ahead of origin/main by 1 merge

next: git owl review rvw1
next: git owl merge rvw1
`

exports[`test/unit/output/views.test.ts > TAP > 06: status > never used 1`] = `
nothing was queued here yet

next: git owl review rvw1
next: git owl merge rvw1
`

exports[`test/unit/output/views.test.ts > TAP > 06: status > nothing open 1`] = `
nothing is open

next: git owl review rvw1
next: git owl merge rvw1
`

exports[`test/unit/output/views.test.ts > TAP > 06: the published fields of a Job > a Job 1`] = `
{
  "id": "k3x9qp",
  "kind": "job",
  "state": "pending",
  "phase": "plan",
  "position": "a0",
  "ttl": 10,
  "branch": "owl/k3x9qp/work",
  "base": {
    "ref": "refs/remotes/origin/main",
    "oid": "1111111111111111111111111111111111111111"
  },
  "tip": "2222222222222222222222222222222222222222",
  "worktree": "/w",
  "title": "work of k3x9qp",
  "mode": null,
  "labels": [],
  "needs": [],
  "agent": null,
  "owner": null,
  "not_before": null,
  "verified": "current",
  "reason": null,
  "goal": null,
  "round": null,
  "created": "2024-05-06T09:00:00Z",
  "updated": "2024-05-06T09:00:00Z",
  "runs": 0,
  "planned": true,
  "auto_merge": null,
  "closure": null,
  "handoff": "none",
  "merged": null,
  "reverted": false
}
`

exports[`test/unit/output/views.test.ts > TAP > 06: the published fields of a Run > a Run 1`] = `
{
  "id": "r1",
  "job": "k3x9qp",
  "number": 2,
  "phase": "plan",
  "outcome": null,
  "closure": null,
  "reason": null,
  "fetch": null,
  "onto": null,
  "started": "2024-05-06T09:00:00Z",
  "ended": null,
  "exit": null,
  "ended_by": null,
  "checks": [
    {
      "name": "test",
      "run": "npm test",
      "status": "failed",
      "exit": 1,
      "ms": 61000,
      "digest": "d"
    }
  ],
  "usage": null,
  "handoff": "none",
  "agent": null,
  "summary": null,
  "conflicts": [],
  "notes": [],
  "counted": false,
  "superseded": false
}
`
