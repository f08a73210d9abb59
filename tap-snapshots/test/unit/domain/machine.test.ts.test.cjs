/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/unit/domain/machine.test.ts > TAP > 02: the transition table > must match snapshot 1`] = `
pending --claim--> active
pending --block--> blocked
pending --landed--> done
pending --cancel--> cancelled
pending --drop--> cancelled
pending --extend--> pending
pending --edit--> pending
pending --handoff--> pending
pending --reorder--> pending
active --settle--> pending | active | blocked | review | escalated | exhausted | done
active --cancel--> cancelled
active --extend--> active
blocked --retry--> pending
blocked --verify--> review | blocked | done
blocked --landed--> done
blocked --cancel--> cancelled
blocked --drop--> cancelled
blocked --extend--> blocked
blocked --edit--> blocked
blocked --handoff--> blocked
blocked --reorder--> blocked
blocked --export--> blocked
review --retry--> pending
review --verify--> review | blocked | done
review --accept--> done
review --merge--> done
review --escalate--> escalated
review --block--> blocked
review --landed--> done
review --cancel--> cancelled
review --drop--> cancelled
review --extend--> review
review --handoff--> review
review --export--> review
escalated --retry--> pending
escalated --verify--> review | blocked | done
escalated --accept--> done
escalated --landed--> done
escalated --cancel--> cancelled
escalated --drop--> cancelled
escalated --extend--> escalated
escalated --handoff--> escalated
escalated --export--> escalated
exhausted --extend--> pending
exhausted --retry--> pending
exhausted --landed--> done
exhausted --cancel--> cancelled
exhausted --drop--> cancelled
exhausted --edit--> exhausted
exhausted --handoff--> exhausted
exhausted --reorder--> exhausted
exhausted --export--> exhausted
done --merge--> done | escalated
done --revert--> done
done --reopen--> review
done --export--> done
cancelled --reopen--> pending | done
cancelled --drop--> cancelled
cancelled --restore--> pending | blocked | review | escalated | exhausted | cancelled
`
