import type { Database } from '../db/database.ts'
import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { MAX_DELETION_GAP } from '../db/upkeep/deletion-hold.ts'

/** Time for which deletions are put on hold, so that the operator can correct the clock. */
const HOLD = '3 days'

// A clock that was set back ends the hold, because the jump has been corrected.
const START = statement('retention.start').returning<{
  /** Null at the first run. */
  last_run_at: Date | null
  /** Null if deletions are not on hold. */
  held_until: Date | null
  began: boolean
}>(`
  with before as (select last_run_at, held_until from deletion_clock for update)
  update deletion_clock set
    last_run_at = now(),
    held_until = case
      when now() > before.last_run_at + interval '${MAX_DELETION_GAP}' then now() + interval '${HOLD}'
      when now() < before.last_run_at - interval '${MAX_DELETION_GAP}' then null
      when now() >= before.held_until then null
      else before.held_until
    end
  from before
  returning
    before.last_run_at,
    deletion_clock.held_until,
    now() > before.last_run_at + interval '${MAX_DELETION_GAP}' as began`)

/**
 * Records that deletions by age are about to run. If the last run was over a day ago, the clock of the database may
 * have jumped, and everything would seem to have expired. Deletions are then put on hold for three days. The same
 * happens after the service was stopped for over a day, where it only delays deletions.
 *
 * @returns `began`: whether this call began the hold
 */
export async function startDeletions(
  db: Database,
): Promise<{ heldUntil?: Date; lastRunAt?: Date; began: boolean }> {
  const row = await queryRow(db, START, [])
  return {
    began: row?.began === true,
    ...(row?.held_until && { heldUntil: row.held_until }),
    ...(row?.last_run_at && { lastRunAt: row.last_run_at }),
  }
}

const FIND_HELD = statement('retention.find_held').returning<{ held_until: Date | null }>(
  'select case when held_until > now() then held_until end as held_until from deletion_clock',
)

/** Returns the end of the hold; undefined if deletions run. */
export const findHeldUntil = async (db: Database): Promise<Date | undefined> =>
  (await queryRow(db, FIND_HELD, []))?.held_until ?? undefined

const RESUME = statement('retention.resume').returning<{ held: boolean }>(`
  with before as (select held_until from deletion_clock for update)
  update deletion_clock set held_until = null, last_run_at = now()
  from before
  returning before.held_until > now() as held`)

/** Ends the hold, because the operator has confirmed the clock. @returns false if deletions were not on hold */
export const resumeDeletions = async (db: Database): Promise<boolean> =>
  (await queryRow(db, RESUME, []))?.held === true
