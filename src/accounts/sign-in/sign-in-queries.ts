import { eventRow, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Language } from '../../i18n/languages.ts'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { signInLanguage } from '../mail/mail-language-queries.ts'
import type { Account } from '../queries.ts'

/** The account `$1` as it was when its owner proved who they are (`$2`): one that has changed since is not signed in to. */
const HELD_ACCOUNT = `
  select account.id, account.email, preferences.language, ${signInLanguage('account.id')} as last_language
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1 and account.updated_at = $2 and account.banned_at is null
  for share of account`

/** What this browser showed (`$3`), if it is known for any account, so that it can be known for several; else a new one (`$4`). */
const KNOWN_DEVICE = `
  insert into known_devices as device (account_id, device_hash, language)
  select
    account.id,
    case when exists (select from known_devices where device_hash = $3) then $3 else $4::text end,
    $14::text
  from account
  on conflict (account_id, device_hash) do update set last_used_at = now(), language = excluded.language
  returning device_hash, xmax = 0 as is_new`

/** Of a session that is stored, unless it was ended meanwhile. */
const STORED_SESSION = `
  update sessions session
  set
    id_hash = $6, account_id = account.id, payload = $7, expires_at = $8, user_agent = $9, address = $10,
    signed_in_for = $11, last_used_at = now()
  from account
  where session.uid = $5 and not $12::boolean`

const NEW_SESSION = `
  insert into sessions (uid, id_hash, account_id, payload, expires_at, user_agent, address, signed_in_for)
  select $5, $6, account.id, $7, $8::timestamptz, $9, $10, $11 from account where $12::boolean`

const EVENT = `
  insert into audit_events (kind, account_id, address, user_agent, details)
  select 'sign_in', account.id, $10, $9, $13::jsonb from account`

/**
 * To the owner, when the browser is new to an account that has been used with another: in the language it was used in before,
 * since it may be a stranger who signs in.
 */
const MAIL = `
  insert into mails (kind, email, language, details)
  select 'new_device', account.email, coalesce(account.language, account.last_language, $14::text), $15::jsonb
  from account cross join device
  where device.is_new and exists (select from known_devices where account_id = $1)
  returning id`

type Row = { language: Language | null; keeps_token: boolean | null; is_strange: boolean }

const SIGN_IN = statement('accounts.sign_in').returning<Row>(`
  with account as (${HELD_ACCOUNT}),
  device as (${KNOWN_DEVICE}),
  stored_session as (${STORED_SESSION}),
  new_session as (${NEW_SESSION}),
  event as (${EVENT}),
  mail as (${MAIL})
  select
    account.language,
    device.device_hash = $3 as keeps_token,
    exists (select from mail) as is_strange
  from account cross join device`)

export type NewSignIn = {
  origin: Required<Pick<Origin, 'address' | 'userAgent'>>
  /** RFC 8176's names of how they proved it. */
  methods: string[]
  /** Of the page; kept for mails about what others do. */
  language: Language
  /** What the browser is recognized by, if it showed anything. */
  device: string | undefined
  session: {
    id: string
    uid: string
    payload: string
    expiresAt: Date
    /** Whether it was never stored. */
    isNew: boolean
    /** The interaction of an app that the sign-in is for. */
    signedInFor: string | undefined
  }
}

export type RecordedSignIn = {
  /** The reader's choice, if there is one. */
  language: Language | null
  /** The token for the browser's cookie. */
  device: string
  /** Whether a mail was put into the outbox: the browser is new to an account that was used with another. */
  isStrange: boolean
}

/**
 * All that is written when somebody is signed in, by one statement: the session, that the browser is known, the audit
 * event and the mail about a strange browser. Either all of it is there or nothing.
 *
 * @param account as it was when they proved who they are
 * @returns undefined when it was changed since, banned or deleted: nothing is written
 */
export async function recordSignIn(
  db: Database,
  account: Pick<Account, 'id' | 'updated_at'>,
  { origin, methods, language, device, session }: NewSignIn,
): Promise<RecordedSignIn | undefined> {
  const shown = device !== undefined && isToken(device) ? device : undefined
  const made = newToken()
  const event = eventRow({ kind: 'sign_in', ...origin, details: { methods } })
  const row = await queryRow(db, SIGN_IN, [
    account.id,
    account.updated_at,
    shown === undefined ? null : hashToken(shown),
    hashToken(made),
    session.uid,
    hashToken(session.id),
    session.payload,
    session.expiresAt,
    event.user_agent,
    event.address,
    session.signedInFor === undefined ? null : hashToken(session.signedInFor),
    session.isNew,
    JSON.stringify(event.details),
    language,
    JSON.stringify({
      account_id: account.id,
      address: origin.address,
      user_agent: origin.userAgent,
    }),
  ])
  return (
    row && {
      language: row.language,
      device: row.keeps_token === true && shown !== undefined ? shown : made,
      isStrange: row.is_strange,
    }
  )
}
