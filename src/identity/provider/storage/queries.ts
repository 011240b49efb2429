import { sql, type Insertable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { recordEvent, type Origin } from '../../../audit/events.ts'
import { queryRows } from '../../../db/query.ts'
import { secondsFromNow } from '../../../db/seconds-from-now.ts'
import { statement } from '../../../db/statement.ts'
import type { Tables } from '../../../db/tables.ts'
import { REFRESH_TOKEN_REUSE_INTERVAL } from '../../lifetimes.ts'
import { expiresIn } from './flow-queries.ts'
import { ACCESS_TOKEN_EXPIRY } from '../../../accounts/access-token-expiry.ts'

const EXPIRES_IN = sql<number>`${sql.raw(expiresIn('expires_at'))}`.as('expires_in')

/** A row, and the seconds until it expires by the clock of the database. */
type Expiring<Row> = Omit<Row, 'expires_at'> & { expiresIn: number }

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

// Keeps a used code for a day, to recognize a second use. Records use of the app at most once a minute.
const CONSUME = statement('identity.consume').returning<{ grant_id: string | null }>(`
  with used as (
    update oidc_records set
      consumed_at = now(),
      expires_at = case when model = 'AuthorizationCode' then now() + interval '1 day' else expires_at end
    where model = $1 and id_hash = $2 and consumed_at is null
    returning grant_id
  ),
  noted as (${noteUse('used')})
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
    ${noteUse('used')}
      and (select count(*) from superseded) >= 0
  )
  select grant_id from used`)

/** Records, at most once a minute, that the app of a grant is in use. */
function noteUse(used: string) {
  return `
    update consents set last_used_at = now()
    from ${used} join grants allowed on allowed.id = ${used}.grant_id
    where consents.account_id = allowed.account_id
      and consents.client_id = allowed.client_id
      and consents.last_used_at < now() - interval '1 minute'`
}

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

/** @throws a violated foreign key if the consent was withdrawn in the meantime */
export async function saveGrant(
  db: Database,
  { expiresIn, ...grant }: Expiring<Insertable<Tables['grants']>>,
) {
  const { payload } = grant
  const expires_at = secondsFromNow(expiresIn)
  await db
    .insertInto('grants')
    .values({ ...grant, expires_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ payload, expires_at }))
    .execute()
}

export function findGrant(db: Database, id: string) {
  return db
    .selectFrom('grants')
    .select(['payload', EXPIRES_IN])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Deletes the grant with all its tokens. A trigger ensures that every process rejects its access tokens within a
 * second.
 */
export async function deleteGrant(db: Database, id: string) {
  await db.deleteFrom('grants').where('id', '=', id).execute()
}

/**
 * Adds scopes to the user's consent for an app.
 *
 * @param withheld requested scopes that the user refuses; `scopes` are no longer withheld
 * @returns false if the developer of the app is banned
 */
export async function saveConsent(
  db: Database,
  accountId: number,
  clientId: string,
  scopes: string[],
  withheld: string[] = [],
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into consents (account_id, client_id, scopes, withheld)
    select ${accountId}::bigint, ${clientId}::text, ${JSON.stringify(scopes)}::jsonb, ${JSON.stringify(withheld)}::jsonb
    where not exists (
      select from apps
      join accounts owner on owner.id = apps.account_id
      where apps.client_id = ${clientId} and owner.banned_at is not null
    )
    on conflict (account_id, client_id) do update set
      scopes = (
        select coalesce(jsonb_agg(distinct scope), '[]')
        from jsonb_array_elements(consents.scopes || excluded.scopes) scope
        where not excluded.withheld @> scope
      ),
      withheld = (
        select coalesce(jsonb_agg(distinct scope), '[]')
        from jsonb_array_elements(consents.withheld || excluded.withheld) scope
        where not excluded.scopes @> scope
      ),
      updated_at = now(),
      last_used_at = now()
  `.execute(db)
  return numAffectedRows === 1n
}

export function findConsent(db: Database, accountId: number, clientId: string) {
  return db
    .selectFrom('consents')
    .select(['scopes', 'withheld'])
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

/**
 * Withdraws a user's consent for one app or all apps, along with every grant and token based on it. Records an event
 * for each consent.
 *
 * @returns false if there was no consent
 */
export async function withdrawConsents(
  db: Database,
  accountId: number,
  origin: Origin,
  clientId?: string,
): Promise<boolean> {
  const withdrawn = await db
    .deleteFrom('consents')
    .where('account_id', '=', accountId)
    .where((consent) =>
      clientId === undefined ? consent.lit(true) : consent('client_id', '=', clientId),
    )
    .returning('client_id')
    .execute()
  for (const { client_id } of withdrawn)
    await recordEvent(db, { kind: 'consent_withdrawn', accountId, clientId: client_id, ...origin })
  return withdrawn.length > 0
}

const WITHDRAW_SINCE = statement('identity.withdraw_since').returning<{ client_id: string }>(`
  with withdrawn as (
    delete from consents where account_id = $1 and updated_at >= $2 returning client_id
  ),
  ended as (
    delete from grants
    where account_id = $1
      and created_at >= $2
      and client_id not in (select client_id from withdrawn)
    returning client_id
  )
  select client_id from withdrawn union select client_id from ended order by client_id`)

/**
 * Withdraws consents given or extended since the given time, and newer grants based on older consents.
 *
 * @returns ids of the apps that lost access
 */
export async function withdrawConsentsSince(
  db: Database,
  accountId: number,
  since: Date,
): Promise<string[]> {
  const ended = await queryRows(db, WITHDRAW_SINCE, [accountId, since])
  return ended.map(({ client_id }) => client_id)
}

const NAMES_SINCE = statement('identity.names_since').returning<{ name: string }>(`
  select distinct app.client_name as name
  from apps app
  where exists (
    select from consents consent
    where consent.account_id = $1 and consent.client_id = app.client_id and consent.updated_at >= $2
  ) or exists (
    select from grants allowed
    where allowed.account_id = $1 and allowed.client_id = app.client_id and allowed.created_at >= $2
  )
  order by 1`)

/** Returns the names of apps that received a consent or grant after a given time. */
export async function listAppsAllowedSince(
  db: Database,
  accountId: number,
  since: Date,
): Promise<string[]> {
  return (await queryRows(db, NAMES_SINCE, [accountId, since])).map(({ name }) => name)
}

/** Returns the apps that a user has allowed, most recently used first. */
export function listConnectedApps(db: Database, accountId: number) {
  return db
    .selectFrom('consents')
    .innerJoin('apps', 'apps.client_id', 'consents.client_id')
    .select([
      'consents.client_id',
      'client_name',
      'client_uri',
      'document_host',
      'logo_hash',
      'consents.scopes',
      'consents.created_at',
      'consents.updated_at',
      'last_used_at',
    ])
    .where('consents.account_id', '=', accountId)
    .orderBy('last_used_at', 'desc')
    .orderBy('consents.client_id')
    .execute()
}

/** Returns the ids by which access tokens are rejected before they expire. */
export function listRevocations(db: Database) {
  return db
    .selectFrom('withdrawals')
    .select(['kind', 'subject'])
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
}

/** Revokes one access token. */
export async function revokeToken(db: Database, tokenId: string) {
  await db
    .insertInto('withdrawals')
    .values({ kind: 'token', subject: tokenId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns accounts that were banned so recently that their tokens may not have expired yet. */
export async function listRecentBans(db: Database) {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('banned_at', '>', sql<Date>`now() - ${ACCESS_TOKEN_EXPIRY}::interval`)
    .execute()
  return rows.map(({ id }) => String(id))
}
