import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { UNDO_WINDOW, type NewEvent } from './events.ts'

type EventKind = NewEvent['kind']

/** Kinds of actions on the same target: an account, an app, or whatever `about` matches in the details. */
export type ActionFilter = {
  kinds: readonly EventKind[]
  accountId?: number | undefined
  clientId?: string | undefined
  about?: Record<string, unknown>
}

/** The action to undo. */
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
 * Returns the details of the last action on a target if the actor did it within `UNDO_WINDOW`. Call it in the
 * transaction that undoes the action, once the target is locked.
 */
export async function findOwnLastAction(
  trx: Database,
  { kinds, accountId, clientId, about = {} }: ActionFilter,
  undoneAction: UndoneAction,
  actorId: number | undefined,
): Promise<Record<string, unknown> | undefined> {
  const last = await queryRow(trx, LAST, [
    kinds,
    accountId ?? null,
    clientId ?? null,
    JSON.stringify(about),
    undoneAction.kinds,
    actorId ?? null,
    JSON.stringify(undoneAction.details ?? {}),
  ])
  return last?.is_it === true ? last.details : undefined
}
