/**
 * Maximum time between runs of deletions, by the clock of the database. After a longer gap, the clock is assumed to
 * have jumped ahead.
 */
export const MAX_DELETION_GAP = '1 day'

/**
 * SQL condition: deletions by age are on hold, or the clock has jumped since they began. Every transaction that deletes
 * by age checks it, because the clock may jump at any moment.
 */
export const DELETIONS_ARE_HELD = `exists (
  select from deletion_clock
  where held_until > now() or now() > last_run_at + interval '${MAX_DELETION_GAP}'
)`
