import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { UNDO_WINDOW, type NewEvent } from './events.ts'

type EventKind = NewEvent['kind']

/** Acts that follow one another on one thing: on an account, on an app, or on what their details name. */
export type ActionFilter = {
  kinds: readonly EventKind[]
  accountId?: number | undefined
  clientId?: string | undefined
  about?: Record<string, unknown>
}

/** The one of them that is taken back, by what it is and says of itself. */
export type UndoneAction = { kinds: readonly EventKind[]; details?: Record<string, unknown> }

const LAST = statement('audit.last').returning<{
  is_it: boolean | null
  details: Record<string, unknown>
}>(`
  select act.kind = any($5::text[]) and act.actor_id = $6::bigint and act.details @> $7::jsonb as is_it,
    act.details
  from audit_events act
  where act.kind = any($1::text[])
    and ($2::bigint is null or act.account_id = $2)
    and ($3::text is null or act.client_id = $3)
    and act.details @> $4::jsonb
    and act.at > now() - interval '${UNDO_WINDOW}'
  order by act.id desc
  limit 1`)

/**
 * What the log says of the last act on a thing, if that was somebody's own, a moment ago. To be asked in the transaction that
 * takes it back, once that holds the thing.
 */
export async function findOwnLastAction(
  trx: Database,
  { kinds, accountId, clientId, about = {} }: ActionFilter,
  taken: UndoneAction,
  actorId: number | undefined,
): Promise<Record<string, unknown> | undefined> {
  const last = await queryRow(trx, LAST, [
    kinds,
    accountId ?? null,
    clientId ?? null,
    JSON.stringify(about),
    taken.kinds,
    actorId ?? null,
    JSON.stringify(taken.details ?? {}),
  ])
  return last?.is_it === true ? last.details : undefined
}
