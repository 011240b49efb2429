import { recordAppEvent } from '../apps/queries.ts'
import { enqueueMail } from '../accounts/mail/outbox/outbox.ts'
import { findRecipient } from '../accounts/mail/mail-language-queries.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { TableRow } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import { disableEndpoint } from './endpoint-queries.ts'
import { TEST_EVENT } from './events.ts'

/** Maximum number of attempts per delivery. */
export const MAX_ATTEMPTS = 8
/** Time for which every delivery to an endpoint must have failed before the endpoint is disabled. */
const MAX_FAILING = '3 days'
/** Maximum number of deliveries in the log of an endpoint. */
const LOG_LENGTH = 100

/** A delivery that this process must attempt. */
export type Claimed = Pick<
  TableRow<'webhook_deliveries'>,
  'id' | 'endpoint_id' | 'message_id' | 'event' | 'data' | 'created_at' | 'attempts'
> & {
  url: string
  /** Owner of the app; null for an app of the operator. */
  owner_id: number | null
  secret: string
  previous_secret: string | null
  /**
   * False if the app or its owner may not receive anything, or if the user no longer allows the app to see their
   * records.
   */
  is_allowed: boolean
}

/**
 * Leases a delivery that is due, to an endpoint and an owner that this process is not busy with. If the process dies,
 * another one claims the delivery when the lease has expired.
 */
const CLAIM = statement('webhooks.claim').returning<Claimed>(`
  update webhook_deliveries delivery
  set attempts = delivery.attempts + 1, next_attempt_at = now() + interval '30 seconds', attempted_at = now()
  from webhook_endpoints endpoint
  join apps app on app.client_id = endpoint.client_id
  left join accounts owner on owner.id = app.account_id
  where endpoint.id = delivery.endpoint_id
    and delivery.id = (
      select due.id
      from webhook_deliveries due
      join webhook_endpoints target on target.id = due.endpoint_id
      join apps receiver on receiver.client_id = target.client_id
      where due.next_attempt_at <= now()
        and due.endpoint_id <> all($1::bigint[])
        and (receiver.account_id is null or receiver.account_id <> all($2::bigint[]))
      order by due.next_attempt_at, due.id
      for update of due skip locked
      limit 1
    )
  returning
    delivery.id, delivery.endpoint_id, delivery.message_id, delivery.event, delivery.data, delivery.created_at,
    delivery.attempts, endpoint.url, app.account_id as owner_id, endpoint.secret,
    case when endpoint.previous_secret_expires_at > now() then endpoint.previous_secret end as previous_secret,
    endpoint.disabled_at is null and app.enabled and app.blocked_at is null and owner.banned_at is null
      and (
        delivery.event <> 'record.changed'
        or app.scopes ?| array['status:read', 'status:write'] and exists (
          select from consents consent
          where consent.client_id = app.client_id
            and consent.account_id = (delivery.data ->> 'sub')::bigint
            and consent.scopes ?| array['status:read', 'status:write']
        )
      ) as is_allowed`)

/** Claims a delivery. @param busy endpoints and owners of apps with the maximum number of requests in flight */
export const claimDelivery = (
  db: Database,
  busy: { endpoints: number[]; owners: number[] },
): Promise<Claimed | undefined> => queryRow(db, CLAIM, [busy.endpoints, busy.owners])

/** Result of an attempt: the status of the response, or the error without one. */
export type AttemptResult = { status: number | null; error: string | null; durationMs: number }

const SUCCEED = statement('webhooks.succeed').sql(`
  update webhook_deliveries
  set delivered_at = now(), next_attempt_at = null, status = $3, error = null, duration_ms = $4
  where id = $1 and attempts = $2`)
const RECOVER = statement('webhooks.recover').sql(
  'update webhook_endpoints set failing_since = null where id = $1 and failing_since is not null',
)
/** Backoff: about 10 seconds after the first attempt, then 4.4 times as long each time; a day in total. */
const FAIL = statement('webhooks.fail').returning<{ is_last: boolean }>(`
  update webhook_deliveries
  set
    status = $3, error = $4, duration_ms = $5,
    next_attempt_at = case
      when attempts < ${MAX_ATTEMPTS}
      then now() + make_interval(secs => 10 * power(4.4, attempts - 1) * (0.8 + 0.4 * random()))
    end
  where id = $1 and attempts = $2
  returning next_attempt_at is null as is_last`)
const MARK_FAILING = statement('webhooks.mark_failing').returning<{ is_over: boolean }>(`
  update webhook_endpoints set failing_since = coalesce(failing_since, now())
  where id = $1
  returning failing_since < now() - interval '${MAX_FAILING}' as is_over`)
/** A disabled app must still learn of revocations once it is enabled again. This is no attempt, so it is not counted. */
const POSTPONE = statement('webhooks.postpone').sql(`
  update webhook_deliveries
  set attempts = attempts - 1, next_attempt_at = now() + interval '1 hour'
  where id = $1 and attempts = $2`)
const CANCEL = statement('webhooks.cancel').sql(
  'update webhook_deliveries set next_attempt_at = null where id = $1 and attempts = $2',
)
const FIND_OWNER = statement('webhooks.find_owner').returning<{
  client_id: string
  client_name: string
  account_id: number | null
}>('select client_id, client_name, account_id from apps where client_id = $1')

/**
 * Cancels a delivery that the app may not receive. A revocation is retried hourly instead, until the app is enabled
 * again.
 */
export async function cancelDelivery(
  db: Database,
  { id, attempts, event }: Claimed,
): Promise<void> {
  await queryRows(db, event === 'app.revoked' ? POSTPONE : CANCEL, [id, attempts])
}

/** Records a successful attempt. */
export async function recordSuccess(
  db: Database,
  { id, attempts, endpoint_id: endpointId }: Claimed,
  { status, durationMs }: AttemptResult,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    // Lock order everywhere: the endpoint, then its deliveries.
    await queryRows(trx, RECOVER, [endpointId])
    await queryRows(trx, SUCCEED, [id, attempts, status, durationMs])
  })
}

/**
 * Records a failed attempt. Disables the endpoint if it is gone (410), or if it has failed for three days and this was
 * the delivery's last attempt.
 */
export async function recordFailure(
  db: Database,
  { id, attempts, endpoint_id: endpointId }: Claimed,
  { status, error, durationMs }: AttemptResult,
): Promise<'retry' | 'ended' | 'disabled'> {
  return inTransaction(db, async (trx) => {
    const endpoint = await queryRow(trx, MARK_FAILING, [endpointId])
    const failed = await queryRow(trx, FAIL, [id, attempts, status, error, durationMs])
    // An endpoint with few events may have failed once, long ago.
    const hasFailed = endpoint?.is_over && failed?.is_last
    const because = status === 410 ? 'gone' : hasFailed ? 'failing' : undefined
    if (!failed || because === undefined) return failed?.is_last ? 'ended' : 'retry'
    const disabled = await disableEndpoint(trx, endpointId, because)
    if (disabled) await tellOwner(trx, disabled, because)
    return 'disabled'
  })
}

async function tellOwner(
  trx: Database,
  { client_id: clientId, url }: { client_id: string; url: string },
  because: string,
) {
  const app = await queryRow(trx, FIND_OWNER, [clientId])
  if (!app) return
  const address = new URL(url).origin
  await recordAppEvent(trx, 'app_changed', app, {}, { webhook: 'disabled', url: address, because })
  const recipient = app.account_id === null ? undefined : await findRecipient(trx, app.account_id)
  if (recipient)
    await enqueueMail(trx, {
      kind: 'webhook_disabled',
      ...recipient,
      details: { client_id: clientId },
    })
}

/** A delivery in the log of its endpoint. */
export type LoggedDelivery = Pick<
  TableRow<'webhook_deliveries'>,
  | 'id'
  | 'event'
  | 'created_at'
  | 'attempts'
  | 'next_attempt_at'
  | 'delivered_at'
  | 'attempted_at'
  | 'status'
  | 'error'
  | 'duration_ms'
>
const LIST_LOG = statement('webhooks.list_log').returning<LoggedDelivery>(`
  select id, event, created_at, attempts, next_attempt_at, delivered_at, attempted_at, status, error, duration_ms
  from webhook_deliveries
  where endpoint_id = $1
  order by id desc
  limit ${LOG_LENGTH}`)

/** Returns the latest deliveries to an endpoint, newest first. */
export const listDeliveries = (db: Database, endpointId: number): Promise<LoggedDelivery[]> =>
  queryRows(db, LIST_LOG, [endpointId])

const SEND_TEST = statement('webhooks.send_test').returning<{ id: number }>(`
  insert into webhook_deliveries (endpoint_id, event, data)
  select id, '${TEST_EVENT}', '{}' from webhook_endpoints
  where id = $1 and disabled_at is null
    -- limits the pending test events of an endpoint
    and (select count(*) from webhook_deliveries where endpoint_id = $1 and event = '${TEST_EVENT}' and next_attempt_at is not null) < 5
  returning id`)
const REDELIVER = statement('webhooks.redeliver').returning<{ id: number }>(`
  update webhook_deliveries delivery
  set attempts = 0, next_attempt_at = clock_timestamp(), delivered_at = null
  from webhook_endpoints endpoint
  where delivery.id = $2 and delivery.endpoint_id = $1 and endpoint.id = $1
    and endpoint.disabled_at is null and delivery.next_attempt_at is null
  returning delivery.id`)

/** Queues a test event for an endpoint. @returns whether it will be sent */
export const sendTestEvent = async (db: Database, endpointId: number): Promise<boolean> =>
  (await queryRow(db, SEND_TEST, [endpointId])) !== undefined

/** Repeats a delivery that has ended, with its message id. @returns whether it will be sent */
export const redeliver = async (db: Database, endpointId: number, id: number): Promise<boolean> =>
  (await queryRow(db, REDELIVER, [endpointId, id])) !== undefined
