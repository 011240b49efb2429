import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { hashToken, isToken, newToken } from '../opaque-tokens.ts'

export type Link = {
  token_hash: string
  purpose: 'sign_up' | 'reset_password' | 'change_email'
  email: string
  account_id: number | null
  name: string | null
  password_hash: string | null
  /** Of a cookie: whether the link is opened in the browser that asked for it. */
  browser_hash: string | null
  interaction: string | null
  expires_at: Date
}
export type LinkPurpose = Link['purpose']

export type NewLink = { purpose: LinkPurpose; email: string } & Partial<
  Pick<Link, 'account_id' | 'name' | 'password_hash' | 'browser_hash' | 'interaction'>
>

const MAKE = `
  insert into links
    (token_hash, purpose, email, account_id, name, password_hash, browser_hash, interaction, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '30 minutes')`

/** Makes a link that is good once, within half an hour; what comes back is its token. */
export async function makeLink(db: Database, link: NewLink): Promise<string> {
  const token = newToken()
  await queryRows(db, MAKE, [
    hashToken(token),
    link.purpose,
    link.email,
    link.account_id ?? null,
    link.name ?? null,
    link.password_hash ?? null,
    link.browser_hash ?? null,
    link.interaction ?? null,
  ])
  return token
}

const COLUMNS = `
  token_hash, purpose, email, account_id, name, password_hash, browser_hash, interaction, expires_at`
const TAKE = `
  delete from links where token_hash = $1 and purpose = $2 and expires_at > now() returning ${COLUMNS}`
const PEEK = `
  select ${COLUMNS} from links where token_hash = $1 and purpose = $2 and expires_at > now()`

/** Uses up a link; undefined when it was never made, has been used, or is too old. */
export async function takeLink(db: Database, token: string, purpose: LinkPurpose): Promise<Link | undefined> {
  if (!isToken(token)) return undefined
  const [link] = await queryRows<Link>(db, TAKE, [hashToken(token), purpose])
  return link
}

/** The same without using it up: for a page that asks something first. */
export async function peekLink(db: Database, token: string, purpose: LinkPurpose): Promise<Link | undefined> {
  if (!isToken(token)) return undefined
  const [link] = await queryRows<Link>(db, PEEK, [hashToken(token), purpose])
  return link
}
