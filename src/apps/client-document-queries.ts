import { sql } from 'kysely'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import { DOCUMENT_SCOPES, documentHostOf, hostAndParents } from './rules/client-documents.ts'
import { creationTime } from './sql-fragments.ts'

const IS_REFUSED = statement('apps.is_document_refused').returning<{ is_refused: boolean }>(`
  select exists (select from denied_document_hosts where host = any($2::text[]))
    or exists (select from apps where client_id = $1 and (blocked_at is not null or not enabled))
    as is_refused`)

/** Whether the operator has denied the document's host, or disabled the app. */
export async function isDocumentRefused(db: Database, clientId: string): Promise<boolean> {
  const hosts = hostAndParents(documentHostOf(clientId))
  return (await queryRow(db, IS_REFUSED, [clientId, hosts]))?.is_refused === true
}

export type DocumentApp = {
  clientId: string
  clientName: string
  clientUri: string | null
  redirectUris: string[]
}

/**
 * Stores an app described by a document when a user allows it. Token requests then use the stored description, which is
 * the one that the user saw.
 *
 * @returns false if the operator has denied the host
 */
export function saveDocumentApp(db: Database, app: DocumentApp): Promise<boolean> {
  const { clientId, clientName, clientUri } = app
  const host = documentHostOf(clientId)
  const redirectUris = JSON.stringify(app.redirectUris)
  return inTransaction(db, async (trx) => {
    // Waits for a concurrent denial, which deletes the apps of the host.
    await sql`lock table denied_document_hosts in share mode`.execute(trx)
    const { numAffectedRows } = await sql`
      insert into apps (
        client_id, client_name, client_uri, client_type, application_type, token_endpoint_auth_method,
        redirect_uris, scopes, grant_types, document_host, created_at
      )
      select
        ${clientId}, ${clientName}, ${clientUri}, 'public', 'native', 'none',
        ${redirectUris}::jsonb, ${JSON.stringify(DOCUMENT_SCOPES)}::jsonb,
        '["authorization_code", "refresh_token"]'::jsonb, ${host}, ${creationTime()}
      where not exists (
        select from denied_document_hosts where host = any(${hostAndParents(host)}::text[])
      )
      on conflict (client_id) do update set
        client_name = excluded.client_name,
        client_uri = excluded.client_uri,
        redirect_uris = excluded.redirect_uris,
        updated_at = now()
    `.execute(trx)
    return numAffectedRows === 1n
  })
}

const DENIED = statement('apps.denied_document_hosts').returning<{ host: string; denied_at: Date }>(
  'select host, denied_at from denied_document_hosts order by host',
)

/** Lists the hosts whose documents are refused. */
export const listDeniedHosts = (db: Database) => queryRows(db, DENIED, [])

/**
 * Refuses the documents of a host and its subdomains, and deletes their apps with all consents and tokens. Every process
 * rejects the tokens within a second.
 */
export const denyDocumentHost = (db: Database, host: string, reason: string, origin: Origin) =>
  inTransaction(db, async (trx) => {
    const { numAffectedRows } = await sql`
      insert into denied_document_hosts (host) values (${host}) on conflict (host) do nothing
    `.execute(trx)
    if (numAffectedRows === 1n)
      await recordEvent(trx, { kind: 'document_host_denied', ...origin, details: { host, reason } })
    const { rows } = await sql<{ client_id: string; client_name: string }>`
      delete from apps
      where document_host = ${host} or right(document_host, char_length(${host}) + 1) = ${`.${host}`}
      returning client_id, client_name
    `.execute(trx)
    for (const { client_id: clientId, client_name } of rows)
      await recordEvent(trx, {
        kind: 'app_deleted',
        clientId,
        ...origin,
        details: { client_name, by: 'operator', reason },
      })
  })

/** Accepts the documents of a host again. */
export const allowDocumentHost = (db: Database, host: string, reason: string, origin: Origin) =>
  inTransaction(db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('denied_document_hosts')
      .where('host', '=', host)
      .executeTakeFirst()
    if (numDeletedRows === 1n)
      await recordEvent(trx, {
        kind: 'document_host_allowed',
        ...origin,
        details: { host, reason },
      })
  })
