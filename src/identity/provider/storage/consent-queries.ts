import { sql, type Insertable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { recordEvent, type Origin } from '../../../audit/events.ts'
import { queryRows } from '../../../db/query.ts'
import { secondsFromNow } from '../../../db/seconds-from-now.ts'
import { statement } from '../../../db/statement.ts'
import type { Tables } from '../../../db/tables.ts'
import { EXPIRES_IN, type Expiring } from './record-queries.ts'

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
