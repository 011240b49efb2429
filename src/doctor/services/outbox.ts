import { findDatabaseHealth } from '../../operations/database-health-queries.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'

/** Reports emails that could not be sent. */
export const outboxCheck: DatabaseCheck = {
  id: 'outbox',
  needsSchema: true,
  async run({ db }) {
    const { pending } = await findDatabaseHealth(db)
    return pending.failed_mails > 0
      ? [warning('outbox.given_up', { params: { count: pending.failed_mails } })]
      : []
  },
}
