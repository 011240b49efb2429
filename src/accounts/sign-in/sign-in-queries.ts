import { eventRow, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Language } from '../../i18n/languages.ts'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { signInLanguage } from '../mail/mail-language-queries.ts'
import type { Account } from '../queries.ts'

/**
 * SQL that selects the account `$1`, unless it has been changed since its owner authenticated (`$2`) or waits for
 * approval.
 */
const HELD_ACCOUNT = `
  select account.id, account.email, preferences.language, ${signInLanguage('account.id')} as last_language
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1 and account.updated_at = $2 and account.banned_at is null
    and account.approval_requested_at is null
  for share of account`

/**
 * SQL that records the device. Any account may already know its token `$3`, so that one browser can be known to
 * several accounts. Otherwise, the device gets the new token `$4`.
 */
const KNOWN_DEVICE = `
  insert into known_devices as device (account_id, device_hash, language)
  select
    account.id,
    case when exists (select from known_devices where device_hash = $3) then $3 else $4::text end,
    $14::text
  from account
  on conflict (account_id, device_hash) do update set last_used_at = now(), language = excluded.language
  returning device_hash, xmax = 0 as is_new`

/** SQL that updates a stored session, unless it was ended in the meantime. */
const STORED_SESSION = `
  update sessions session
  set
    id_hash = $6, account_id = account.id, payload = $7, expires_at = now() + make_interval(secs => $8::double precision), user_agent = $9, address = $10,
    signed_in_for = $11, last_used_at = now()
  from account
  where session.uid = $5 and not $12::boolean`

const NEW_SESSION = `
  insert into sessions (uid, id_hash, account_id, payload, expires_at, user_agent, address, signed_in_for)
  select $5, $6, account.id, $7, now() + make_interval(secs => $8::double precision), $9, $10, $11 from account where $12::boolean`

const EVENT = `
  insert into audit_events (kind, account_id, address, user_agent, details)
  select 'sign_in', account.id, $10, $9, $13::jsonb from account`

/**
 * SQL that enqueues an email to the owner if the browser is new to an account that has been used with a different one.
 * The email is in the language used before, because the new browser may be an attacker's.
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
  /** Authentication methods, as named by RFC 8176. */
  methods: string[]
  /** Language of the page, stored for emails about changes that someone else makes. */
  language: Language
  /** Device token that the browser sent, if any. */
  device: string | undefined
  session: {
    id: string
    uid: string
    payload: string
    lifetimeSeconds: number
    /** Whether the session has not been stored yet. */
    isNew: boolean
    /** Interaction of the app that the user signs in for. */
    signedInFor: string | undefined
  }
}

export type RecordedSignIn = {
  /** The user's preferred language, if they chose one. */
  language: Language | null
  /** Device token for the browser's cookie. */
  device: string
  /** Whether an email about a new device was enqueued. */
  isUnknownDevice: boolean
}

/**
 * Writes everything that a sign-in changes, in one atomic statement: the session, the known device,
 * the audit event and the email about a new device.
 *
 * @param account the account as it was when its owner authenticated
 * @returns undefined if the account has been changed, banned or deleted since then
 */
export async function recordSignIn(
  db: Database,
  account: Pick<Account, 'id' | 'updated_at'>,
  { origin, methods, language, device, session }: NewSignIn,
): Promise<RecordedSignIn | undefined> {
  const knownToken = device !== undefined && isToken(device) ? device : undefined
  const freshToken = newToken()
  const event = eventRow({ kind: 'sign_in', ...origin, details: { methods } })
  const row = await queryRow(db, SIGN_IN, [
    account.id,
    account.updated_at,
    knownToken === undefined ? null : hashToken(knownToken),
    hashToken(freshToken),
    session.uid,
    hashToken(session.id),
    session.payload,
    session.lifetimeSeconds,
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
      device: row.keeps_token === true && knownToken !== undefined ? knownToken : freshToken,
      isUnknownDevice: row.is_strange,
    }
  )
}
