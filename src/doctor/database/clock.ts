import { databaseTime } from '../../db/upkeep/database-clock.ts'
import type { DatabaseCheck } from '../check.ts'
import { graded } from '../finding.ts'

/** Compares the clock of this machine with that of the database. */
export const clockCheck: DatabaseCheck = {
  id: 'clock',
  applies: ({ engine }) => engine === 'server',
  async run({ db, limits, now }) {
    const before = now()
    const at = (await databaseTime(db)).getTime()
    const after = now()
    // The database read its clock at some point between the two.
    const skew = Math.max(at - after, before - at, 0)
    const seconds = Math.round(skew / 1_000)
    return graded(seconds, limits.clockSeconds, 'clock.skew', { seconds })
  },
}
