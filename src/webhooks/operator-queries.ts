import { lockAppAsOperator, recordAppEvent, type App } from '../apps/queries.ts'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { disableEndpoint, originOfUrl, type WebhookEndpoint } from './endpoint-queries.ts'

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
const FIND_APP = statement('webhooks.find_app').returning<Pick<App, 'client_id'>>(
  'select client_id from webhook_endpoints where id = $1',
)
const ENABLE = statement('webhooks.enable_for_operator').returning<{ url: string }>(`
  update webhook_endpoints set disabled_at = null, disabled_because = null, failing_since = null
  where id = $1 and disabled_because = 'operator'
  returning url`)

/** Returns the endpoints of all apps: failing ones first, disabled ones last. */
export const listAllEndpoints = (db: Database): Promise<FoundEndpoint[]> => queryRows(db, LIST, [])

/**
 * Disables an endpoint for the operator, or enables an endpoint that the operator has disabled. Its developer cannot
 * enable it. Call it in a transaction.
 *
 * @returns the app, and the origin of the endpoint if it changed; `same` if it was already in that state
 */
export async function setEndpointEnabledByOperator(
  trx: Database,
  id: number,
  isEnabled: boolean,
  { origin, reason }: { origin: Origin; reason: string },
): Promise<
  | { outcome: 'changed'; before: App; endpoint: string }
  | { outcome: 'same'; before: App }
  | { outcome: 'missing' }
> {
  const found = await queryRow(trx, FIND_APP, [id])
  const app = found && (await lockAppAsOperator(trx, found.client_id))
  if (!app) return { outcome: 'missing' }
  const changed = isEnabled
    ? await queryRow(trx, ENABLE, [id])
    : await disableEndpoint(trx, id, 'operator')
  if (!changed) return { outcome: 'same', before: app }
  const url = originOfUrl(changed.url)
  const webhook = isEnabled ? 'enabled' : 'disabled'
  const details = { webhook, by: 'operator', url, reason }
  await recordAppEvent(trx, 'app_changed', app, origin, details)
  return { outcome: 'changed', before: app, endpoint: url }
}
