import { sql, type Insertable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { queryRows } from '../../../db/query.ts'
import { secondsFromNow } from '../../../db/seconds-from-now.ts'
import { statement } from '../../../db/statement.ts'
import type { Tables } from '../../../db/tables.ts'
import { REFRESH_TOKEN_REUSE_INTERVAL } from '../../lifetimes.ts'
import { expiresIn } from './flow-queries.ts'

export const EXPIRES_IN = sql<number>`${sql.raw(expiresIn('expires_at'))}`.as('expires_in')

/** A row, and the seconds until it expires by the clock of the database. */
export type Expiring<Row> = Omit<Row, 'expires_at'> & { expiresIn: number }

export async function saveRecord(
  db: Database,
  { expiresIn, ...record }: Expiring<Insertable<Tables['oidc_records']>>,
) {
  const { payload, grant_id } = record
  const expires_at = secondsFromNow(expiresIn)
  await db
    .insertInto('oidc_records')
    .values({ ...record, expires_at })
    .onConflict((conflict) =>
      conflict
        .columns(['model', 'id_hash'])
        .doUpdateSet({ payload, grant_id: grant_id ?? null, expires_at }),
    )
    .execute()
}

/** Updates a record. Does not restore a record that was deleted in the meantime. */
export async function updateRecord(
  db: Database,
  { model, id_hash, payload, expiresIn }: Expiring<Insertable<Tables['oidc_records']>>,
) {
  await db
    .updateTable('oidc_records')
    .set({ payload, expires_at: secondsFromNow(expiresIn) })
    .where('model', '=', model)
    .where('id_hash', '=', id_hash)
    .execute()
}

/** Ignores expired records, even while they are still stored. Finds a used code for a day after its use. */
export function findRecord(
  db: Database,
  model: string,
  by: { id_hash: string } | { user_code: string },
) {
  const [column, value] =
    'id_hash' in by ? (['id_hash', by.id_hash] as const) : (['user_code', by.user_code] as const)
  return db
    .selectFrom('oidc_records')
    .select(['id_hash', 'payload', 'grant_id', 'consumed_at', EXPIRES_IN])
    .where('model', '=', model)
    .where(column, '=', value)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}

/** SQL that records, at most once a minute, that the app of the grant in `used` is in use. */
const NOTE_USE = `
    update consents set last_used_at = now()
    from used join grants allowed on allowed.id = used.grant_id
    where consents.account_id = allowed.account_id
      and consents.client_id = allowed.client_id
      and consents.last_used_at < now() - interval '1 minute'`

// Keeps a used code for a day, to recognize a second use. Records use of the app at most once a minute.
const CONSUME = statement('identity.consume').returning<{ grant_id: string | null }>(`
  with used as (
    update oidc_records set
      consumed_at = now(),
      expires_at = case when model = 'AuthorizationCode' then now() + interval '1 day' else expires_at end
    where model = $1 and id_hash = $2 and consumed_at is null
    returning grant_id
  ),
  noted as (${NOTE_USE})
  select grant_id from used`)

// A refresh token can be reused until a successor is used, but for at most a day. Rows are locked in a fixed order,
// from a token to its predecessor to the consent, so that refreshes of one chain cannot deadlock.
const CONSUME_REFRESH_TOKEN = statement('identity.consume_refresh_token').returning<{
  grant_id: string | null
}>(`
  with used as (
    update oidc_records set consumed_at = coalesce(consumed_at, now())
    where model = 'RefreshToken'
      and id_hash = $1
      and superseded_at is null
      and (consumed_at is null or consumed_at > now() - interval '${REFRESH_TOKEN_REUSE_INTERVAL}')
    returning grant_id, succeeds
  ),
  superseded as (
    update oidc_records predecessor set superseded_at = now()
    from used
    where predecessor.model = 'RefreshToken'
      and predecessor.id_hash = used.succeeds
      and predecessor.superseded_at is null
    returning predecessor.id_hash
  ),
  noted as (
    ${NOTE_USE}
      and (select count(*) from superseded) >= 0
  )
  select grant_id from used`)

/** Marks a record as used, once. @returns whether this call was the first, and the grant, if it still exists */
export async function consumeRecord(db: Database, model: string, idHash: string) {
  const [consumed] = await queryRows(db, CONSUME, [model, idHash])
  if (consumed) return { first: true, grantId: consumed.grant_id ?? undefined }
  const consumedBefore = await db
    .selectFrom('oidc_records')
    .select('grant_id')
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return { first: false, grantId: consumedBefore?.grant_id ?? undefined }
}

// The token was superseded after the request arrived: the two requests raced.
const WHY_NOT_CONSUMED = statement('identity.why_not_consumed').returning<WhyNotConsumed>(`
  select grant_id, superseded_at is not null as is_superseded,
    coalesce(superseded_at > now() - make_interval(secs => $2), false) as has_crossed
  from oidc_records
  where model = 'RefreshToken' and id_hash = $1`)

type WhyNotConsumed = { grant_id: string | null; is_superseded: boolean; has_crossed: boolean }

/**
 * Marks a refresh token as used, and its predecessor as superseded.
 *
 * @param secondsWaited time since the request arrived
 * @returns `replay` if a successor was used before the request arrived, `lapsed` if the token has expired but its
 *   successor is still valid
 */
export async function consumeRefreshToken(
  db: Database,
  idHash: string,
  secondsWaited: () => number,
) {
  const [used] = await queryRows(db, CONSUME_REFRESH_TOKEN, [idHash])
  if (used) return { outcome: 'used' as const, grantId: used.grant_id }
  // Reserve a connection first, so that waiting for one does not count as time since the request arrived.
  const [refused] = await db
    .connection()
    .execute((connection) => queryRows(connection, WHY_NOT_CONSUMED, [idHash, secondsWaited()]))
  const grantId = refused?.grant_id ?? null
  if (refused?.has_crossed) return { outcome: 'used' as const, grantId }
  return { outcome: refused?.is_superseded ? ('replay' as const) : ('lapsed' as const), grantId }
}

/** Returns the app that an expired code or refresh token was issued to, while its row is still stored. */
export async function findExpiredClient(
  db: Database,
  idHash: string,
): Promise<string | null | undefined> {
  const expired = await db
    .selectFrom('oidc_records')
    .select('client_id')
    .where('model', 'in', ['AuthorizationCode', 'RefreshToken'])
    .where('id_hash', '=', idHash)
    .where('expires_at', '<=', sql<Date>`now()`)
    .executeTakeFirst()
  return expired?.client_id
}

export async function deleteRecord(db: Database, model: string, idHash: string) {
  await db
    .deleteFrom('oidc_records')
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .execute()
}
