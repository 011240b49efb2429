import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import type { TableRow } from '../../db/tables.ts'
import type { UpstreamIdentity } from '../credentials/upstream-identity.ts'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'

/** A link that has been sent by email but not redeemed yet. */
export type MailLink = Omit<TableRow<'links'>, 'identity'> & {
  /** Identity at another provider that signs up; null for a sign-up with a password. */
  identity: UpstreamIdentity | null
}
export type LinkPurpose = MailLink['purpose']

export type NewLink = { purpose: LinkPurpose; email: string } & Partial<
  Pick<
    MailLink,
    | 'account_id'
    | 'name'
    | 'password_hash'
    | 'identity'
    | 'browser_hash'
    | 'interaction'
    | 'since'
    | 'invitation_id'
  >
>

const INSERT_LINK = statement('accounts.insert_link').sql(`
  insert into links
    (token_hash, purpose, email, account_id, name, password_hash, browser_hash, interaction, since, expires_at, invitation_id,
     identity)
  values (
    $1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::timestamptz, now()), now() + make_interval(mins => $10::integer), $11,
    $12::jsonb
  )`)

/** Minutes until a link expires, keyed by purpose. */
const LIFETIMES = {
  sign_up: 30,
  reset_password: 30,
  change_email: 30,
  not_me: 7 * 24 * 60,
} satisfies Record<LinkPurpose, number>

const LOCK_ACCOUNT = statement('accounts.lock_account').sql(
  `select id from accounts where id = $1 for update`,
)
const DELETE_LINKS = statement('accounts.delete_links').sql(`
  delete from links where account_id = $1 and purpose <> 'not_me' and ($2::text is null or purpose = $2)`)

/**
 * Deletes an account's links, by default for every purpose. "This was not me" links stay, because an attacker must not
 * be able to invalidate them.
 */
export const deleteLinks = (trx: Database, accountId: number, purpose?: LinkPurpose) =>
  queryRows(trx, DELETE_LINKS, [accountId, purpose ?? null])

/**
 * Creates a single-use link and returns its token. The link replaces older links of the account for the same purpose,
 * with two exceptions. Sign-up links stay, because anyone can request one for any address. "This was not me" links
 * stay, because otherwise an attacker could end them by making another change.
 */
export function createLink(db: Database, link: NewLink): Promise<string> {
  return inTransaction(db, async (trx) => {
    if (link.account_id && link.purpose !== 'not_me') {
      // Locks the account, so that of two concurrent calls the later one deletes the link of the earlier.
      await queryRows(trx, LOCK_ACCOUNT, [link.account_id])
      await deleteLinks(trx, link.account_id, link.purpose)
    }
    return insertLink(trx, link)
  })
}

const HAS_MAIL = statement('accounts.has_mail').sql(`select id from mails where id = $1`)

/**
 * Creates the link of an outbox email about an account.
 *
 * @returns undefined if `secureAccount` withdrew the email in the meantime. A locked-out attacker then gets no link.
 */
export function createLinkForMail(
  db: Database,
  mailId: number,
  link: NewLink & { account_id: number },
): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    await queryRows(trx, LOCK_ACCOUNT, [link.account_id])
    const waiting = await queryRows(trx, HAS_MAIL, [mailId])
    return waiting.length > 0 ? createLink(trx, link) : undefined
  })
}

async function insertLink(db: Database, link: NewLink): Promise<string> {
  const token = newToken()
  await queryRows(db, INSERT_LINK, [
    hashToken(token),
    link.purpose,
    link.email,
    link.account_id ?? null,
    link.name ?? null,
    link.password_hash ?? null,
    link.browser_hash ?? null,
    link.interaction ?? null,
    link.since ?? null,
    LIFETIMES[link.purpose],
    link.invitation_id ?? null,
    link.identity ? JSON.stringify(link.identity) : null,
  ])
  return token
}

const COLUMNS = `
  token_hash, purpose, email, account_id, name, password_hash, browser_hash, interaction, since, expires_at,
  invitation_id, identity`
const TAKE_LINK = statement('accounts.take_link').returning<MailLink>(`
  delete from links where token_hash = $1 and purpose = $2 and expires_at > now() returning ${COLUMNS}`)
const PEEK_LINK = statement('accounts.peek_link').returning<MailLink>(`
  select ${COLUMNS} from links where token_hash = $1 and purpose = $2 and expires_at > now()`)

/** Redeems a link. @returns undefined if it does not exist, has already been redeemed, or has expired */
export async function redeemLink(
  db: Database,
  token: string,
  purpose: LinkPurpose,
): Promise<MailLink | undefined> {
  if (!isToken(token)) return undefined
  const link = await queryRow(db, TAKE_LINK, [hashToken(token), purpose])
  return link
}

/** Finds a link without redeeming it, for a page that asks for confirmation. */
export async function findLink(
  db: Database,
  token: string,
  purpose: LinkPurpose,
): Promise<MailLink | undefined> {
  if (!isToken(token)) return undefined
  const link = await queryRow(db, PEEK_LINK, [hashToken(token), purpose])
  return link
}

const DELETE_LINK = statement('accounts.delete_link').sql(
  `delete from links where token_hash = $1 returning token_hash`,
)

/** Redeems a link returned by `findLink`. @returns false if it was redeemed in the meantime */
export async function deleteLink(db: Database, { token_hash }: MailLink): Promise<boolean> {
  return (await queryRows(db, DELETE_LINK, [token_hash])).length > 0
}
