import { sql } from 'kysely'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { isUniqueViolation } from '../db/constraint-errors.ts'
import { hashPassword } from './credentials/passwords.ts'
import { hasEmail, normalizeEmail } from './email-address.ts'
import { deleteLinks } from './mail/link-queries.ts'
import { createDefaultCollection } from './user-data-queries.ts'

/** An account without its secrets. */
export type Account = {
  id: number
  email: string
  name: string
  nickname: string | null
  picture: string | null
  bio: string
  email_verified_at: Date | null
  banned_at: Date | null
  /** If set, the account is deleted a week after this time, unless its owner cancels. */
  deletion_requested_at: Date | null
  ban_reason: string | null
  /** Set while the account waits for approval or is declined. It cannot sign in then. */
  approval_requested_at: Date | null
  /** When the sign-up was declined. The account is deleted a week later. */
  declined_at: Date | null
  decline_reason: string | null
  /** Role at the desk; null for ordinary users. */
  role: 'MODERATOR' | 'ADMIN' | null
  /** Whether the account has an authenticator app. */
  has_totp: boolean
  /** False if the account was created through another provider and has no password yet. */
  has_password: boolean
  created_at: Date
  updated_at: Date
}

/** SQL for the columns of an `Account`. */
export const ACCOUNT_COLUMNS = `
  id, email, name, nickname, picture, bio, email_verified_at, banned_at, deletion_requested_at, ban_reason, role,
  approval_requested_at, declined_at, decline_reason,
  totp_secret is not null as has_totp, password_hash is not null as has_password, created_at, updated_at`

const FIND_BY_ID = statement('accounts.find_by_id').returning<Account>(
  `select ${ACCOUNT_COLUMNS} from accounts where id = $1`,
)
const FIND_BY_EMAIL = statement('accounts.find_by_email').returning<Account>(
  `select ${ACCOUNT_COLUMNS} from accounts account where ${hasEmail('$1', '$2')}`,
)
const LIST = statement('accounts.accounts_list').returning<Account>(
  `select ${ACCOUNT_COLUMNS} from accounts order by id`,
)

export type NewAccount = {
  email: string
  name: string
  password: string
  /** Whether the address is verified. True for accounts that the operator creates. */
  verified?: boolean | undefined
}

/** Creates an account. @returns its id, or undefined if the email address, ignoring case, already has an account */
export async function createAccount(
  db: Database,
  { email, name, password, verified = true }: NewAccount,
): Promise<number | undefined> {
  return insertAccount(db, { email, name, password_hash: await hashPassword(password), verified })
}

/** Creates an account from a password that is already hashed; null for one without a password. */
export function insertAccount(
  db: Database,
  account: { email: string; name: string; password_hash: string | null; verified: boolean },
): Promise<number | undefined> {
  const { verified, ...values } = account
  return inTransaction(db, async (trx) => {
    const created = await trx
      .insertInto('accounts')
      .values({ ...values, email_verified_at: verified ? sql<Date>`now()` : null })
      .onConflict((conflict) => conflict.expression(sql`fold_email(email)`).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (created) {
      await trx.insertInto('account_refs').values({ id: created.id }).execute()
      await createDefaultCollection(trx, created.id)
    }
    return created?.id
  })
}

export const findAccount = (db: Database, id: number) => queryRow(db, FIND_BY_ID, [id])

/** Returns the account with an email address, ignoring case. */
export async function findAccountByEmail(
  db: Database,
  email: string,
): Promise<Account | undefined> {
  // PostgreSQL rejects NUL, which no valid address contains.
  if (email.includes('\0')) return undefined
  const account = await queryRow(db, FIND_BY_EMAIL, [email, normalizeEmail(email)])
  return account
}

/** Returns every account, oldest first. */
export const listAccounts = (db: Database) => queryRows(db, LIST, [])

export type ProfileChange = {
  name?: string
  nickname?: string | null
  picture?: string | null
  bio?: string
}

/**
 * Changes the given fields, whose values `profile-rules.ts` has validated.
 *
 * @returns the updated account, or undefined if it does not exist
 */
export async function updateProfile(
  db: Database,
  id: number,
  { name, nickname, picture, bio }: ProfileChange,
): Promise<Account | undefined> {
  await db
    .updateTable('accounts')
    .set({ name, nickname, picture, bio, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
  return findAccount(db, id)
}

/**
 * Sets a new email address that is known to belong to the owner of the account, and deletes the links sent to the old
 * one. Do not call it in a transaction: if two accounts request the same address at once, PostgreSQL aborts the later
 * transaction.
 *
 * @param hooks run in the same transaction: `isAllowed` once the account is locked, before any change; `afterChange`
 *   at the end
 * @returns the previous address; undefined if the new one is taken, there is no such account, or the change is not
 * allowed
 */
export async function changeEmail(
  db: Database,
  id: number,
  email: string,
  origin: Origin = {},
  {
    isAllowed = async () => true,
    afterChange = async () => {},
  }: {
    isAllowed?: (trx: Database) => Promise<boolean>
    afterChange?: (trx: Database, previous: string) => Promise<void>
  } = {},
): Promise<string | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      const before = await trx
        .selectFrom('accounts')
        .select('email')
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!before || !(await isAllowed(trx))) return undefined
      await trx
        .updateTable('accounts')
        .set({ email, email_verified_at: sql`now()`, updated_at: sql`now()` })
        .where('id', '=', id)
        .execute()
      // The new address was verified by an email of this service. The previous one was not, and may be restored.
      await trx
        .updateTable('upstream_identities')
        .set({ vouches_for_email: false })
        .where('account_id', '=', id)
        .where(sql`fold_email(email)`, '=', sql`fold_email(${email})`)
        .execute()
      await deleteLinks(trx, id)
      await recordEvent(trx, { kind: 'email_changed', accountId: id, ...origin })
      await afterChange(trx, before.email)
      return before.email
    })
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_email_key')) return undefined
    throw error
  }
}
