import { sql } from 'kysely'

/**
 * When an app is created, so that lists are in the order of creation: later than every app there is, by a millisecond where
 * two would be of the same one. An app from the future (a clock that was wrong) is left out of it.
 */
export const creationTime = () => sql<Date>`(
  select greatest(clock_timestamp(), max(created_at) + interval '1 millisecond')
  from apps
  where created_at < clock_timestamp() + interval '1 second'
)`

/**
 * For an update that sets another secret: what becomes of the one there is.
 *
 * @param expiresIn seconds that it stays good
 */
export const previousSecret = (expiresIn: number) =>
  expiresIn > 0
    ? {
        previous_secret_hash: sql<string | null>`secret_hash`,
        previous_secret_expires_at: sql<Date | null>`now() + make_interval(secs => ${expiresIn})`,
      }
    : { previous_secret_hash: null, previous_secret_expires_at: null }
