import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { graded } from '../finding.ts'

const FIND_TIME = statement('doctor.find_time').returning<{ at: Date }>(
  'select clock_timestamp() as at',
)

/** Compares the clock of this machine with that of the database. */
export const clockCheck: DatabaseCheck = {
  id: 'clock',
  applies: ({ engine }) => engine === 'server',
  async run({ db, limits, now }) {
    const before = now()
    const row = await queryRow(db, FIND_TIME, [])
    const after = now()
    const at = row?.at.getTime() ?? after
    // The database read its clock at some point between the two.
    const skew = Math.max(at - after, before - at, 0)
    const seconds = Math.round(skew / 1_000)
    return graded(seconds, limits.clockSeconds, 'clock.skew', { seconds })
  },
}
