import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { AppUsage } from '../schemas.ts'
import { USAGE_DAYS } from '../schemas.ts'

export type UsageCounts = { requests: number; rate_limited: number; errors: number; tokens: number }

const ADD_USAGE = statement('apps.add_usage').sql(`
  insert into app_usage as usage (client_id, day, requests, rate_limited, errors, tokens, last_at)
  select client_id, (now() at time zone 'UTC')::date, requests, rate_limited, errors, tokens, now()
  from jsonb_to_recordset($1::jsonb)
    counted (client_id text, requests bigint, rate_limited bigint, errors bigint, tokens bigint)
  where exists (select from apps app where app.client_id = counted.client_id)
  order by client_id
  on conflict (client_id, day) do update set
    requests = usage.requests + excluded.requests,
    rate_limited = usage.rate_limited + excluded.rate_limited,
    errors = usage.errors + excluded.errors,
    tokens = usage.tokens + excluded.tokens,
    last_at = excluded.last_at`)

/** Adds counts to today (UTC), except for apps that no longer exist. */
export async function addUsage(
  db: Database,
  counts: ReadonlyMap<string, UsageCounts>,
): Promise<void> {
  const rows = [...counts].map(([client_id, counted]) => ({ client_id, ...counted }))
  await queryRows(db, ADD_USAGE, [JSON.stringify(rows)])
}

const SELECT_USAGE = statement('apps.select_usage').returning<AppUsage>(`
  select
    (select count(*)::integer from consents where client_id = $1) as connected_users,
    coalesce(
      (
        select jsonb_agg(
          jsonb_build_object(
            'date', day, 'requests', requests, 'rate_limited', rate_limited, 'errors', errors, 'tokens', tokens
          )
          order by day desc
        )
        from app_usage
        where client_id = $1 and day > (now() at time zone 'UTC')::date - ${USAGE_DAYS}
      ),
      '[]'
    ) as days`)

/** Returns an app's usage in the last `USAGE_DAYS`, and the number of users who have authorized it. */
export async function findUsage(db: Database, clientId: string): Promise<AppUsage> {
  const usage = await queryRow(db, SELECT_USAGE, [clientId])
  return usage ?? { connected_users: 0, days: [] }
}
