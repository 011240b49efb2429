import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { EndpointUsage } from '../schemas.ts'

type EndpointCount = { client_id: string; endpoint: string; status_class: number; requests: number }

const ADD_ENDPOINT_USAGE = statement('apps.add_endpoint_usage').sql(`
  insert into app_endpoint_usage as usage (client_id, day, endpoint, status_class, requests)
  select client_id, (now() at time zone 'UTC')::date, endpoint, status_class, requests
  from jsonb_to_recordset($1::jsonb)
    counted (client_id text, endpoint text, status_class smallint, requests bigint)
  where exists (select from apps app where app.client_id = counted.client_id)
  order by client_id, endpoint, status_class
  on conflict (client_id, day, endpoint, status_class) do update set
    requests = usage.requests + excluded.requests`)

/** Adds counts to today (UTC), except for apps that no longer exist. */
export async function addEndpointUsage(db: Database, counts: EndpointCount[]): Promise<void> {
  if (counts.length > 0) await queryRows(db, ADD_ENDPOINT_USAGE, [JSON.stringify(counts)])
}

const SELECT_ENDPOINT_USAGE = statement('apps.select_endpoint_usage').returning<EndpointUsage>(`
  select
    to_char(day, 'YYYY-MM-DD') as date,
    endpoint,
    status_class || 'xx' as status,
    requests
  from app_endpoint_usage
  where client_id = $1 and day > (now() at time zone 'UTC')::date - $2::integer and requests > 0
  order by day desc, requests desc, endpoint, status_class`)

/** Returns how often an app called each route per day, newest day first. */
export const listEndpointUsage = (db: Database, clientId: string, days: number) =>
  queryRows(db, SELECT_ENDPOINT_USAGE, [clientId, days])

export type DailyRequests = { client_id: string; date: string; answered: number; refused: number }

const SELECT_WEEKS = statement('apps.select_weekly_requests').returning<DailyRequests>(`
  select
    usage.client_id,
    to_char(usage.day, 'YYYY-MM-DD') as date,
    coalesce(sum(usage.requests) filter (where usage.status_class < 4), 0)::integer as answered,
    coalesce(sum(usage.requests) filter (where usage.status_class >= 4), 0)::integer as refused
  from app_endpoint_usage usage
  join apps app on app.client_id = usage.client_id
  where app.account_id = $1 and usage.day > (now() at time zone 'UTC')::date - $2::integer
  group by usage.client_id, usage.day
  order by usage.client_id, usage.day`)

/** Returns the number of requests that an account's apps sent per day. Days without requests are omitted. */
export const listDailyRequests = (db: Database, accountId: number, days: number) =>
  queryRows(db, SELECT_WEEKS, [accountId, days])

const LIST_LAST_USES = statement('apps.list_last_uses').returning<{
  client_id: string
  last_at: Date
}>(`
  select usage.client_id, max(usage.last_at) as last_at
  from app_usage usage
  join apps app on app.client_id = usage.client_id
  where app.account_id = $1 and usage.last_at is not null
  group by usage.client_id`)

/** Returns when each app of an account was last used. Apps that have never been used are omitted. */
export async function listLastUses(db: Database, accountId: number): Promise<Map<string, Date>> {
  const rows = await queryRows(db, LIST_LAST_USES, [accountId])
  return new Map(rows.map(({ client_id, last_at }) => [client_id, last_at]))
}
