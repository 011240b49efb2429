import { isStaleForm } from '../accounts/generation.ts'
import { lockOwnApp } from '../apps/owner-queries.ts'
import { recordAppEvent, type App } from '../apps/queries.ts'
import type { Origin } from '../audit/events.ts'
import { isUniqueViolation } from '../db/constraint-errors.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { TableRow } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import { encrypt, type Reseal } from '../kernel/encryption.ts'
import { MAX_ENDPOINTS, type WebhookEvent } from './events.ts'
import { newWebhookSecret } from './signature.ts'

/** An endpoint of an app, without its secrets. */
export type WebhookEndpoint = Pick<
  TableRow<'webhook_endpoints'>,
  | 'id'
  | 'client_id'
  | 'url'
  | 'events'
  | 'failing_since'
  | 'disabled_at'
  | 'disabled_because'
  | 'previous_secret_expires_at'
  | 'created_at'
>

const COLUMNS = `
  id, client_id, url, events, failing_since, disabled_at, disabled_because, previous_secret_expires_at, created_at`

/** Name under which a secret of an endpoint is encrypted. */
export const secretName = (endpointId: number) => `webhook ${endpointId}`

const LIST = statement('webhooks.list_endpoints').returning<WebhookEndpoint>(
  `select ${COLUMNS} from webhook_endpoints where client_id = $1 order by created_at, id`,
)
const FIND = statement('webhooks.find_endpoint').returning<WebhookEndpoint>(
  `select ${COLUMNS} from webhook_endpoints where client_id = $1 and id = $2`,
)
const NEXT_ID = statement('webhooks.next_id').returning<{ id: number }>('select random_id() as id')
const INSERT = statement('webhooks.insert_endpoint').sql(`
  insert into webhook_endpoints (id, client_id, url, events, secret, feed_id)
  select $1, $2, $3, $4::jsonb, $5, (select coalesce(max(id), 0) from catalog_changes)`)
const UPDATE = statement('webhooks.update_endpoint').sql(`
  update webhook_endpoints set url = $3, events = $4::jsonb where client_id = $1 and id = $2`)
/** Owners cannot enable an endpoint that an operator has disabled. */
const ENABLE = statement('webhooks.enable_endpoint').returning<{ id: number }>(`
  update webhook_endpoints set disabled_at = null, disabled_because = null, failing_since = null
  where client_id = $1 and id = $2 and disabled_because is distinct from 'operator'
  returning id`)
const DISABLE = statement('webhooks.disable_endpoint').returning<{
  client_id: string
  url: string
}>(`
  update webhook_endpoints set disabled_at = now(), disabled_because = $2
  where id = $1 and disabled_at is null
  returning client_id, url`)
const DROP_PENDING = statement('webhooks.drop_pending').sql(
  'update webhook_deliveries set next_attempt_at = null where endpoint_id = $1 and next_attempt_at is not null',
)
/** An endpoint that an operator has disabled stays, so that its address cannot be added again. */
const DELETE = statement('webhooks.delete_endpoint').returning<{ id: number }>(`
  delete from webhook_endpoints
  where client_id = $1 and id = $2 and disabled_because is distinct from 'operator'
  returning id`)
const ROTATE = statement('webhooks.rotate_secret').sql(`
  update webhook_endpoints set
    previous_secret = secret,
    previous_secret_expires_at = now() + interval '1 day',
    secret = $3
  where client_id = $1 and id = $2`)
/** Starts following rating changes from the current snapshot, unless they are already followed. */
const FOLLOW_RECORDS = statement('webhooks.follow_records').sql(`
  update webhook_position set snapshot = pg_current_snapshot()::text, origin = database_origin()
  where snapshot is null`)

/** Returns the endpoints of an app, oldest first. */
export const listEndpoints = (db: Database, clientId: string): Promise<WebhookEndpoint[]> =>
  queryRows(db, LIST, [clientId])

/** Returns an endpoint of an app. */
export const findEndpoint = (
  db: Database,
  clientId: string,
  id: number,
): Promise<WebhookEndpoint | undefined> => queryRow(db, FIND, [clientId, id])

export type EndpointChange = { url: string; events: WebhookEvent[] }
/** Reason why an endpoint was not saved. */
export type EndpointFault = 'limit' | 'duplicate' | 'missing' | 'refused' | 'stale'

type Change = (trx: Database, app: App) => Promise<EndpointFault | undefined>

/** Runs a change to the endpoints of the developer's app while the app is locked, and records it. */
async function changeEndpoints(
  db: Database,
  { accountId, clientId, origin }: AppDeveloper,
  details: { webhook: string; url?: string },
  change: Change,
): Promise<EndpointFault | undefined> {
  try {
    return await inTransaction(db, async (trx) => {
      const app = await lockOwnApp(trx, accountId, clientId)
      const fault = await change(trx, app)
      if (fault === undefined) await recordAppEvent(trx, 'app_changed', app, origin, details)
      return fault
    })
  } catch (error) {
    if (isUniqueViolation(error, 'webhook_endpoints_client_id_url_key')) return 'duplicate'
    throw error
  }
}

/** The developer who changes an app. */
export type AppDeveloper = { accountId: number; clientId: string; origin: Origin }

/** Creates an endpoint. @returns its secret, which cannot be read again, or why it was not created */
export async function createEndpoint(
  db: Database,
  owner: AppDeveloper,
  { url, events }: EndpointChange,
  secretKey: string | undefined,
): Promise<{ id: number; secret: string } | { fault: EndpointFault }> {
  const secret = newWebhookSecret()
  let id = 0
  const details = { webhook: 'created', url: originOfUrl(url) }
  const fault = await changeEndpoints(db, owner, details, async (trx) => {
    if ((await listEndpoints(trx, owner.clientId)).length >= MAX_ENDPOINTS) return 'limit'
    id = (await queryRow(trx, NEXT_ID, []))?.id ?? 0
    const stored = encrypt(secret, secretName(id), secretKey)
    await queryRows(trx, INSERT, [id, owner.clientId, url, JSON.stringify(events), stored])
    await queryRows(trx, FOLLOW_RECORDS, [])
    return undefined
  })
  return fault === undefined ? { id, secret } : { fault }
}

/** Changes the address and the events of an endpoint. */
export const updateEndpoint = (
  db: Database,
  owner: AppDeveloper,
  id: number,
  { url, events }: EndpointChange,
): Promise<EndpointFault | undefined> =>
  changeOne(db, owner, id, { webhook: 'changed', url: originOfUrl(url) }, async (trx) => {
    await queryRows(trx, UPDATE, [owner.clientId, id, url, JSON.stringify(events)])
    await queryRows(trx, FOLLOW_RECORDS, [])
  })

/** Enables or disables an endpoint. */
export const setEndpointEnabled = (
  db: Database,
  owner: AppDeveloper,
  id: number,
  isEnabled: boolean,
): Promise<EndpointFault | undefined> =>
  changeOne(db, owner, id, { webhook: isEnabled ? 'enabled' : 'disabled' }, async (trx) => {
    if (isEnabled)
      return (await queryRow(trx, ENABLE, [owner.clientId, id])) ? undefined : 'refused'
    await disableEndpoint(trx, id, 'owner')
    return undefined
  })

/** Deletes an endpoint with its deliveries. */
export const deleteEndpoint = (
  db: Database,
  owner: AppDeveloper,
  id: number,
): Promise<EndpointFault | undefined> =>
  changeOne(db, owner, id, { webhook: 'deleted' }, async (trx) =>
    (await queryRow(trx, DELETE, [owner.clientId, id])) ? undefined : 'refused',
  )

/** Returns a number that changes with each rotation of the secret. */
export const secretGeneration = (endpoint: WebhookEndpoint): number =>
  endpoint.previous_secret_expires_at?.getTime() ?? 0

/**
 * Replaces the secret of an endpoint. The previous one also signs for a day.
 *
 * @param generation `submittedGeneration` of the form. Rotating again from a reloaded page would drop the previous
 *   secret, which receivers still use.
 */
export async function rotateWebhookSecret(
  db: Database,
  owner: AppDeveloper,
  { id, generation }: { id: number; generation: string },
  secretKey: string | undefined,
): Promise<{ secret: string } | { fault: EndpointFault }> {
  const secret = newWebhookSecret()
  const stored = encrypt(secret, secretName(id), secretKey)
  const details = { webhook: 'secret_rotated' }
  const fault = await changeOne(db, owner, id, details, async (trx, endpoint) => {
    if (isStaleForm(secretGeneration(endpoint), generation)) return 'stale'
    await queryRows(trx, ROTATE, [owner.clientId, id, stored])
    return undefined
  })
  return fault === undefined ? { secret } : { fault }
}

const changeOne = (
  db: Database,
  owner: AppDeveloper,
  id: number,
  details: { webhook: string; url?: string },
  change: (trx: Database, endpoint: WebhookEndpoint) => Promise<EndpointFault | undefined | void>,
) =>
  changeEndpoints(db, owner, details, async (trx) => {
    const endpoint = await findEndpoint(trx, owner.clientId, id)
    return endpoint ? ((await change(trx, endpoint)) ?? undefined) : 'missing'
  })

/**
 * Disables an endpoint and ends its deliveries.
 *
 * @returns the endpoint, or undefined if it was already disabled
 */
export async function disableEndpoint(
  trx: Database,
  id: number,
  because: 'owner' | 'operator' | 'gone' | 'failing',
): Promise<{ client_id: string; url: string } | undefined> {
  const disabled = await queryRow(trx, DISABLE, [id, because])
  if (disabled) await queryRows(trx, DROP_PENDING, [id])
  return disabled
}

/** Returns the part of an endpoint's URL that may be shown. Paths and queries of endpoints may contain secrets. */
export const originOfUrl = (url: string) => new URL(url).origin

/** Re-encrypts the secrets of all endpoints. @returns the number of endpoints */
export async function resealWebhookSecrets(trx: Database, reseal: Reseal): Promise<number> {
  const rows = await trx
    .selectFrom('webhook_endpoints')
    .select(['id', 'secret', 'previous_secret'])
    .forUpdate()
    .execute()
  for (const { id, secret, previous_secret: previous } of rows)
    await trx
      .updateTable('webhook_endpoints')
      .set({
        secret: reseal(secret, secretName(id)),
        previous_secret: previous === null ? null : reseal(previous, secretName(id)),
      })
      .where('id', '=', id)
      .execute()
  return rows.length
}
