import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'

/** Minimum time between two deliveries of `catalog.changed` to an endpoint. */
const FEED_INTERVAL = '1 second'
/** Maximum number of changes in a delivery of `record.changed`. */
const MAX_CHANGES_PER_DELIVERY = 100
/**
 * Maximum number of pending deliveries to an endpoint. Beyond it, changes of records get no delivery of their own if one
 * about the same user can be marked as incomplete.
 */
const MAX_PENDING = 1_000

/** SQL condition: the endpoint, its app and the app's owner are not disabled. Joins `apps app` and `accounts owner`. */
const IS_ACTIVE = `
    endpoint.disabled_at is null and app.enabled and app.blocked_at is null and owner.banned_at is null`
const WITH_APP = `
    join apps app on app.client_id = endpoint.client_id
    left join accounts owner on owner.id = app.account_id`

const ANY = statement('webhooks.any').returning<{
  has_endpoints: boolean
  records: boolean
  is_following: boolean
}>(`
  select
    count(*) > 0 as has_endpoints,
    coalesce(bool_or(disabled_at is null and events ? 'record.changed'), false) as records,
    (select snapshot is not null from webhook_position) as is_following
  from webhook_endpoints`)

/**
 * Creates a delivery for each endpoint that has not been notified of the latest changes in the feed. Endpoints whose last
 * such delivery is still pending are skipped: their next one covers the changes since.
 */
const DELIVER_FEED = statement('webhooks.deliver_feed').returning<{ id: number }>(`
  with feed as (
    select coalesce(max(id), 0) as latest from catalog_changes
  ), due as (
    select endpoint.id, endpoint.feed_id as since, feed.latest
    from webhook_endpoints endpoint cross join feed ${WITH_APP}
    where ${IS_ACTIVE}
      and endpoint.events ? 'catalog.changed'
      and endpoint.feed_id < feed.latest
      and endpoint.feed_at <= now() - interval '${FEED_INTERVAL}'
      and not exists (
        select from webhook_deliveries pending
        where pending.endpoint_id = endpoint.id
          and pending.event = 'catalog.changed'
          and pending.next_attempt_at is not null
      )
    for no key update of endpoint skip locked
  ), moved as (
    update webhook_endpoints endpoint set feed_id = due.latest, feed_at = now()
    from due
    where endpoint.id = due.id
    returning endpoint.id, due.since, due.latest
  )
  insert into webhook_deliveries (endpoint_id, event, data)
  select
    id, 'catalog.changed',
    jsonb_build_object('since', since, 'latest_id', latest, 'epoch', (select epoch from feed_state))
  from moved
  returning id`)

/** Locks the position. Returns nothing, without waiting, if another process has locked it. */
const LOCK_POSITION = statement('webhooks.lock_position').returning<{
  snapshot: string | null
  is_own: boolean
  now: string
}>(`
  select snapshot, origin is not distinct from database_origin() as is_own, pg_current_snapshot()::text as now
  from webhook_position
  for update skip locked`)
const MOVE_POSITION = statement('webhooks.move_position').sql(
  'update webhook_position set snapshot = $1, origin = database_origin()',
)
const STOP_FOLLOWING = statement('webhooks.stop_following').sql(
  'update webhook_position set snapshot = null where snapshot is not null',
)

type RecordChange = { kind: string; work_id: number; action: string }
type ChangedRecords = { account_id: number; changes: RecordChange[]; others: RecordChange[] }

/** SQL for the first changes of a group, and one more if there are more. */
const firstChanges = (filter = '') => `
    to_jsonb((array_agg(
      jsonb_build_object('kind', kind, 'work_id', work_id, 'action', action) order by id
    ) ${filter})[1:${MAX_CHANGES_PER_DELIVERY + 1}])`

/** Age beyond which changes are not reported. */
const MAX_CHANGE_AGE = '1 day'

/**
 * Returns the changes that snapshot `$2` sees and `$1` does not, grouped by user; `others` are those that do not only
 * concern a private note. The upper bound keeps changes with ids of another database out of the scan.
 */
const LIST_CHANGES = statement('webhooks.list_record_changes').returning<ChangedRecords>(`
  select
    account_id,
    ${firstChanges()} as changes,
    coalesce(${firstChanges(`filter (where not (fields ? 'private_note' and fields - 'private_note' = '{}'))`)}, '[]') as others
  from rating_changes
  where transaction_id >= pg_snapshot_xmin($1::pg_snapshot)
    and transaction_id < pg_snapshot_xmax($2::pg_snapshot)
    and not pg_visible_in_snapshot(transaction_id, $1::pg_snapshot)
    and pg_visible_in_snapshot(transaction_id, $2::pg_snapshot)
    and changed_at > now() - interval '${MAX_CHANGE_AGE}'
  group by account_id
  order by account_id`)

/** Backups of older versions lack the column. */
const FORGET_TRANSACTIONS = statement('webhooks.forget_transactions').sql(`
  do $$ begin
    if exists (
      select from pg_attribute where attrelid = to_regclass('rating_changes') and attname = 'transaction_id'
    ) then
      update rating_changes set transaction_id = null
      where changed_at > now() - interval '${MAX_CHANGE_AGE}' and transaction_id is not null;
    end if;
  end $$`)

/**
 * Clears the transactions of recent changes after a restore. Their ids belong to the database of the backup; when the
 * transactions of this one reach them, the changes would be reported again.
 */
export const forgetTransactions = (trx: Database) => queryRows(trx, FORGET_TRANSACTIONS, [])

/** Returns the endpoints of the apps that the users have allowed to see their records. */
const LIST_RECEIVERS = statement('webhooks.list_receivers').returning<{
  endpoint_id: number
  account_id: number
  sees_notes: boolean
  is_full: boolean
}>(`
  select
    endpoint.id as endpoint_id, consent.account_id,
    consent.scopes ? 'status:notes' and app.scopes ? 'status:notes' as sees_notes,
    (
      select count(*) from (
        select from webhook_deliveries pending
        where pending.endpoint_id = endpoint.id
          and pending.event = 'record.changed'
          and pending.next_attempt_at is not null
        limit ${MAX_PENDING}
      ) pending
    ) = ${MAX_PENDING} as is_full
  from webhook_endpoints endpoint ${WITH_APP}
  join consents consent on consent.client_id = endpoint.client_id
  where ${IS_ACTIVE}
    and endpoint.events ? 'record.changed'
    and consent.account_id = any($1::bigint[])
    and consent.scopes ?| array['status:read', 'status:write']
    and app.scopes ?| array['status:read', 'status:write']
  order by endpoint.id, consent.account_id
  for no key update of endpoint`)

/**
 * Creates deliveries. At a full endpoint, marks the latest one about the user instead, unless an attempt has begun. A new one
 * then waits for the user's earlier ones, so that it covers the changes until their next attempt.
 */
const INSERT_DELIVERIES = statement('webhooks.insert_deliveries').sql(`
  with delivery as (
    select endpoint_id, is_full, data, data ->> 'sub' as sub
    from jsonb_to_recordset($1::jsonb) as delivery(endpoint_id bigint, is_full boolean, data jsonb)
  ), marked as (
    update webhook_deliveries pending set data = pending.data || '{"has_more": true}'
    from delivery
    where delivery.is_full
      and pending.id = (
        select max(latest.id) from webhook_deliveries latest
        where latest.endpoint_id = delivery.endpoint_id
          and latest.event = 'record.changed'
          and latest.next_attempt_at is not null
          and latest.data ->> 'sub' = delivery.sub
      )
      and pending.attempted_at is null
    returning delivery.endpoint_id, delivery.sub
  )
  insert into webhook_deliveries (endpoint_id, event, data, next_attempt_at)
  select
    endpoint_id, 'record.changed', data,
    greatest(clock_timestamp(), (
      select max(earlier.next_attempt_at) from webhook_deliveries earlier
      where delivery.is_full
        and earlier.endpoint_id = delivery.endpoint_id
        and earlier.event = 'record.changed'
        and earlier.next_attempt_at is not null
        and earlier.data ->> 'sub' = delivery.sub
    ))
  from delivery
  where (endpoint_id, sub) not in (select endpoint_id, sub from marked)`)

/**
 * Turns what has happened since the last call into deliveries. Several processes may call it at once.
 *
 * @returns false if no app has an endpoint
 */
export async function deliverEvents(db: Database): Promise<boolean> {
  const endpoints = await queryRow(db, ANY, [])
  if (endpoints?.records) await inTransaction(db, deliverRecordChanges)
  else if (endpoints?.is_following) await queryRows(db, STOP_FOLLOWING, [])
  if (!endpoints?.has_endpoints) return false
  await queryRows(db, DELIVER_FEED, [])
  return true
}

async function deliverRecordChanges(trx: Database) {
  const position = await queryRow(trx, LOCK_POSITION, [])
  if (!position) return
  const { snapshot, is_own: isOwn, now } = position
  if (snapshot === null || !isOwn) {
    await queryRows(trx, MOVE_POSITION, [now])
    return
  }
  const changed = await queryRows(trx, LIST_CHANGES, [snapshot, now])
  if (changed.length === 0) return
  const byAccount = new Map(changed.map((records) => [records.account_id, records]))
  const receivers = await queryRows(trx, LIST_RECEIVERS, [[...byAccount.keys()]])
  const deliveries = receivers.flatMap(
    ({ endpoint_id, account_id, sees_notes: seesNotes, is_full }) => {
      const changes = byAccount.get(account_id)?.[seesNotes ? 'changes' : 'others'] ?? []
      const data = {
        sub: String(account_id),
        changes: changes
          .slice(0, MAX_CHANGES_PER_DELIVERY)
          .map(({ kind, work_id, action }) => ({ kind: kind.toUpperCase(), work_id, action })),
        has_more: changes.length > MAX_CHANGES_PER_DELIVERY,
      }
      return changes.length > 0 ? [{ endpoint_id, is_full, data }] : []
    },
  )
  if (deliveries.length > 0) await queryRows(trx, INSERT_DELIVERIES, [JSON.stringify(deliveries)])
  await queryRows(trx, MOVE_POSITION, [now])
}
