import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { AuditEvent } from './events.ts'

/** Conditions for a search of the audit log. All must match. */
export type EventFilter = {
  /** Account that the event is about or that caused it. */
  accountId?: number | undefined
  clientId?: string | undefined
  kind?: string | undefined
  /** First and last day (`YYYY-MM-DD`, UTC), inclusive. */
  since?: string | undefined
  until?: string | undefined
}

export type FoundEvent = AuditEvent & {
  account_id: number | null
  account_name: string | null
  actor_id: number | null
  actor_name: string | null
}

const SEARCH = statement('audit.search').returning<FoundEvent>(`
  select
    event.id, event.at, event.kind, event.client_id, event.address, event.user_agent, event.details,
    event.account_id, event.actor_id, account.name as account_name, actor.name as actor_name
  from audit_events event
  left join accounts account on account.id = event.account_id
  left join accounts actor on actor.id = event.actor_id
  where event.id < $1
    and ($2::bigint is null or event.account_id = $2 or event.actor_id = $2)
    and ($3::text is null or event.client_id = $3)
    and ($4::text is null or event.kind = $4)
    and ($5::date is null or event.at >= $5::date at time zone 'UTC')
    and ($6::date is null or event.at < ($6::date + 1) at time zone 'UTC')
  order by event.id desc
  limit $7`)

/** Returns matching events, newest first. @param before id of the last event on the previous page */
export function searchEvents(
  db: Database,
  { accountId, clientId, kind, since, until }: EventFilter,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<FoundEvent[]> {
  return queryRows(db, SEARCH, [
    before,
    accountId ?? null,
    clientId ?? null,
    kind ?? null,
    since ?? null,
    until ?? null,
    limit,
  ])
}

const KINDS = statement('audit.kinds').returning<{ kind: string }>(
  'select distinct kind from audit_events order by kind',
)

export async function listEventKinds(db: Database): Promise<string[]> {
  const rows = await queryRows(db, KINDS, [])
  return rows.map(({ kind }) => kind)
}
