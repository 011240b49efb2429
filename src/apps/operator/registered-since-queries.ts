import type { Origin } from '../../audit/events.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { recordAppEvent } from '../queries.ts'

/** Names of apps that an account registered since a given time, and of older ones that it has changed since then. */
export type AppsSince = { registered: string[]; changed: string[] }

const LIST = statement('apps.list').returning<{ name: string; is_new: boolean }>(`
  select client_name as name, created_at >= $2 as is_new
  from apps app
  where account_id = $1
    and (
      created_at >= $2
      or exists (
        select from audit_events event
        where event.account_id = $1 and event.client_id = app.client_id and event.at >= $2
          and event.kind = 'app_changed' and event.actor_id is null and event.details ->> 'by' is null
      )
    )
  order by created_at, client_id`)

export async function listAppsChangedSince(
  db: Database,
  accountId: number,
  since: Date,
): Promise<AppsSince> {
  const apps = await queryRows(db, LIST, [accountId, since])
  const names = (isNew: boolean) =>
    apps.filter(({ is_new: is }) => is === isNew).map(({ name }) => name)
  return { registered: names(true), changed: names(false) }
}

const DISABLE = statement('apps.disable').returning<{ client_id: string; client_name: string }>(`
  update apps set enabled = false, updated_at = now()
  where account_id = $1 and created_at >= $2 and enabled
  returning client_id, client_name`)

/**
 * Disables the apps that an account registered since a given time, because an attacker may know their secrets. Runs in
 * the transaction that secures the account. The owner may later enable or delete the apps.
 *
 * @returns the ids of the disabled apps
 */
export async function disableAppsRegisteredSince(
  trx: Database,
  accountId: number,
  since: Date,
  origin: Origin,
): Promise<string[]> {
  const apps = await queryRows(trx, DISABLE, [accountId, since])
  const details = { changed: ['enabled'], by: 'not_me', enabled: false }
  for (const app of apps)
    await recordAppEvent(trx, 'app_changed', { ...app, account_id: accountId }, origin, details)
  return apps.map(({ client_id: clientId }) => clientId)
}
