import { findHeldUntil } from '../../retention/deletion-clock.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'

/** Reports that deletions by age are on hold, because the clock of the database may have jumped. */
export const deletionsCheck: DatabaseCheck = {
  id: 'deletions',
  needsSchema: true,
  async run({ db }) {
    const until = await findHeldUntil(db)
    return until ? [warning('deletions.held', { params: { until: until.toISOString() } })] : []
  },
}
