import { recordAppEvent } from '../apps/queries.ts'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import { disableEndpoint, type WebhookEndpoint } from './endpoint-queries.ts'

/** An endpoint as the desk shows it. */
export type FoundEndpoint = Pick<
  WebhookEndpoint,
  'id' | 'client_id' | 'url' | 'failing_since' | 'disabled_at' | 'disabled_because'
> & { client_name: string; pending: number }

const LIST = statement('webhooks.list_all').returning<FoundEndpoint>(`
  select
    endpoint.id, endpoint.client_id, endpoint.url, endpoint.failing_since, endpoint.disabled_at,
    endpoint.disabled_because, app.client_name,
    (
      select count(*) from webhook_deliveries delivery
      where delivery.endpoint_id = endpoint.id and delivery.next_attempt_at is not null
    ) as pending
  from webhook_endpoints endpoint
  join apps app on app.client_id = endpoint.client_id
  order by endpoint.disabled_at is not null, endpoint.failing_since, endpoint.created_at, endpoint.id
  limit 200`)
const FIND_APP = statement('webhooks.find_app').returning<{
  client_id: string
  client_name: string
  account_id: number | null
}>(`
  select app.client_id, app.client_name, app.account_id
  from webhook_endpoints endpoint join apps app on app.client_id = endpoint.client_id
  where endpoint.id = $1
  for update of app`)
const ENABLE = statement('webhooks.enable_for_operator').returning<{ url: string }>(`
  update webhook_endpoints set disabled_at = null, disabled_because = null, failing_since = null
  where id = $1 and disabled_because = 'operator'
  returning url`)

/** Returns the endpoints of all apps: failing ones first, disabled ones last. */
export const listAllEndpoints = (db: Database): Promise<FoundEndpoint[]> => queryRows(db, LIST, [])

/**
 * Disables an endpoint for the operator, or enables an endpoint that the operator has disabled. Its developer cannot
 * enable it.
 */
export function setEndpointEnabledAtDesk(
  db: Database,
  id: number,
  isEnabled: boolean,
  reason: string,
  origin: Origin,
): Promise<'done' | 'already' | 'missing'> {
  return inTransaction(db, async (trx) => {
    const app = await queryRow(trx, FIND_APP, [id])
    if (!app) return 'missing'
    const changed = isEnabled
      ? await queryRow(trx, ENABLE, [id])
      : await disableEndpoint(trx, id, 'operator')
    if (!changed) return 'already'
    const url = new URL(changed.url).origin
    const webhook = isEnabled ? 'enabled' : 'disabled'
    const details = { webhook, by: 'operator', url, reason }
    await recordAppEvent(trx, 'app_changed', app, origin, details)
    return 'done'
  })
}
