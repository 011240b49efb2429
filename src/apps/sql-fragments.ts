import { sql } from 'kysely'
import { hashToken } from '../kernel/opaque-tokens.ts'

/**
 * SQL for the creation time of a new app. It is at least a millisecond later than that of any other app, so that lists
 * are in order of creation. Creation times in the future, from a wrong clock, are ignored.
 */
export const creationTime = () => sql<Date>`(
  select greatest(clock_timestamp(), max(created_at) + interval '1 millisecond')
  from apps
  where created_at < clock_timestamp() + interval '1 second'
)`

/**
 * Columns of an update that replaces the secret. They either keep the current secret as the previous one, or clear it.
 *
 * @param expiresIn seconds for which the current secret stays valid
 */
export const previousSecret = (expiresIn: number) =>
  expiresIn > 0
    ? {
        previous_secret_hash: sql<string | null>`secret_hash`,
        previous_secret_expires_at: sql<Date | null>`now() + make_interval(secs => ${expiresIn})`,
      }
    : { previous_secret_hash: null, previous_secret_expires_at: null }

/**
 * Columns of an update that sets a new secret. Tokens carry the generation of the secret, so that those of older
 * secrets can be rejected.
 *
 * @param previousExpiresIn seconds for which the current secret stays valid
 */
export const rotatedSecret = (secret: string, previousExpiresIn: number) => ({
  secret_hash: hashToken(secret),
  ...previousSecret(previousExpiresIn),
  secret_generation: sql<number>`secret_generation + 1`,
  updated_at: sql<Date>`now()`,
})
