import { sql } from 'kysely'
import { recordEvent, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Language } from '../../i18n/languages.ts'
import { enqueueModerationMail } from '../mail/enqueue-moderation-mail.ts'
import { findRecipient } from '../mail/mail-language-queries.ts'
import { enqueueMail } from '../mail/outbox/outbox.ts'
import type { Account } from '../queries.ts'
import { listAdministrators } from '../role-queries.ts'

/** Minimum time, as an SQL interval, between two emails that tell administrators about waiting accounts. */
const NOTICE_INTERVAL = '1 hour'

/**
 * Reserves the time of the next email to administrators: now, or an hour after the previous one. Returns no row if a
 * later email is already queued.
 */
const RESERVE_NOTICE = statement('accounts.reserve_approval_notice').returning<{ at: Date }>(`
  insert into installation as notice (name, value)
  values ('approval_notice', to_jsonb(now()))
  on conflict (name) do update
  set value = to_jsonb(greatest(now(), (notice.value #>> '{}')::timestamptz + interval '${NOTICE_INTERVAL}'))
  where (notice.value #>> '{}')::timestamptz <= now()
  returning (value #>> '{}')::timestamptz(3) as at`)

const REQUEST = statement('accounts.request_approval').sql(`
  update accounts set approval_requested_at = now(), approval_language = $2 where id = $1`)

/**
 * Makes a new account wait for approval, and notifies the administrators by email, at most once an hour. Call it in the
 * transaction that creates the account.
 *
 * @param language of the pages, for emails to the user
 */
export async function requestApproval(trx: Database, id: number, language: Language) {
  await queryRows(trx, REQUEST, [id, language])
  const administrators = await listAdministrators(trx)
  const reserved = administrators.length > 0 ? await queryRow(trx, RESERVE_NOTICE, []) : undefined
  if (!reserved) return
  for (const administrator of administrators) {
    const recipient = await findRecipient(trx, administrator)
    if (recipient)
      await enqueueMail(
        trx,
        { kind: 'sign_ups_waiting', ...recipient, details: {} },
        { notBefore: reserved.at },
      )
  }
}

export type WaitingAccount = Pick<Account, 'id' | 'name' | 'email'> & { requested_at: Date }

const IS_WAITING = 'approval_requested_at is not null and declined_at is null and banned_at is null'

const LIST = statement('accounts.list_waiting').returning<WaitingAccount>(`
  select id, name, email, approval_requested_at as requested_at
  from accounts
  where ${IS_WAITING}
  order by approval_requested_at, id
  limit $1 offset $2`)

/** Returns a page of the accounts that wait for a decision, oldest first. */
export const listWaitingAccounts = (
  db: Database,
  { page, pageSize }: { page: number; pageSize: number },
) => queryRows(db, LIST, [pageSize, (page - 1) * pageSize])

const COUNT = statement('accounts.count_waiting').returning<{ amount: number }>(
  `select count(*)::integer as amount from accounts where ${IS_WAITING}`,
)

/** Returns the number of accounts that wait for a decision. */
export const countWaitingAccounts = async (db: Database): Promise<number> =>
  (await queryRow(db, COUNT, []))?.amount ?? 0

export type ApprovalOutcome = 'done' | 'already' | 'missing'

/** Approves a waiting or declined account, and notifies its owner. */
export function approveAccount(
  db: Database,
  id: number,
  origin: Origin = {},
): Promise<ApprovalOutcome> {
  return inTransaction(db, async (trx) => {
    const account = await lockWaiting(trx, id)
    if (!account) return 'missing'
    if (!account.approval_requested_at) return 'already'
    // Reads the language of the sign-up, which the update deletes.
    const recipient = await findRecipient(trx, id)
    if (recipient) await enqueueMail(trx, { kind: 'sign_up_approved', ...recipient, details: {} })
    await trx
      .updateTable('accounts')
      .set({
        approval_requested_at: null,
        approval_language: null,
        declined_at: null,
        decline_reason: null,
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .execute()
    await recordEvent(trx, { kind: 'sign_up_approved', accountId: id, ...origin })
    return 'done'
  })
}

/** Declines a waiting account, which is deleted a week later, and notifies its owner of the reason. */
export function declineAccount(
  db: Database,
  id: number,
  { reason, contact, ...origin }: Origin & { reason: string; contact: string },
): Promise<ApprovalOutcome> {
  return inTransaction(db, async (trx) => {
    const account = await lockWaiting(trx, id)
    if (!account) return 'missing'
    if (!account.approval_requested_at || account.declined_at) return 'already'
    await trx
      .updateTable('accounts')
      .set({ declined_at: sql<Date>`now()`, decline_reason: reason, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
    await enqueueModerationMail(trx, id, { kind: 'sign_up_declined', note: reason, contact })
    await recordEvent(trx, {
      kind: 'sign_up_declined',
      accountId: id,
      ...origin,
      details: { reason },
    })
    return 'done'
  })
}

const lockWaiting = (trx: Database, id: number) =>
  trx
    .selectFrom('accounts')
    .select(['approval_requested_at', 'declined_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
