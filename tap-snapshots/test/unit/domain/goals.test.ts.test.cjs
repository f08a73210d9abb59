/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/unit/domain/goals.test.ts > TAP > 03: the transition table > must match snapshot 1`] = `
backlog --move--> todo
backlog --round--> todo
backlog --edit--> backlog
backlog --cancel--> cancelled
todo --move--> backlog
todo --round--> todo
todo --edit--> todo
todo --start--> plan
todo --cancel--> cancelled
plan --move--> backlog | todo | implement | quality | governance
plan --round--> todo
plan --edit--> plan
plan --retry--> plan | implement | quality | governance
plan --cancel--> cancelled
plan --advance--> implement
plan --fail--> failed
plan --window--> plan
plan --record--> plan
plan --reconcile--> review
implement --move--> backlog | todo | plan | quality | governance
implement --round--> todo
implement --edit--> implement
implement --retry--> plan | implement | quality | governance
implement --cancel--> cancelled
implement --advance--> quality
implement --fail--> failed
implement --window--> implement
implement --record--> implement
implement --reconcile--> review
quality --move--> backlog | todo | plan | implement | governance
quality --round--> todo
quality --edit--> quality
quality --retry--> plan | implement | quality | governance
quality --cancel--> cancelled
quality --advance--> governance
quality --fail--> failed
quality --window--> quality
quality --record--> quality
quality --reconcile--> review
governance --move--> backlog | todo | plan | implement | quality
governance --round--> todo
governance --edit--> governance
governance --retry--> plan | implement | quality | governance
governance --cancel--> cancelled
governance --advance--> review
governance --fail--> failed
governance --window--> governance
governance --record--> governance
governance --reconcile--> review
review --approve--> done
review --decline--> todo
review --round--> todo
review --revert--> failed
review --edit--> review
review --cancel--> cancelled
review --record--> review
failed --move--> backlog | todo | plan | implement | quality | governance
failed --retry--> plan | implement | quality | governance
failed --round--> todo
failed --edit--> failed
failed --reconcile--> review
failed --cancel--> cancelled
failed --record--> failed
done --reopen--> review
done --revert--> failed
done --record--> done
cancelled --reopen--> backlog | review
cancelled --revert--> cancelled
cancelled --record--> cancelled
`
