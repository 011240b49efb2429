import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { addressKey } from '../../http/admission/throttle.ts'
import { foldEmail, normalizeEmail } from '../email-address.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { ACCOUNT_COLUMNS, type Account } from '../queries.ts'

/** Number of attempts without a delay. Each further attempt must wait 1, 2, 4 … seconds after the previous one. */
const FREE_TRIES = 5
const FREE_TRIES_OF_ADDRESS = 30
const MAX_DELAY_SECONDS = 15 * 60
/** SQL interval. A key's attempts all expire this long after its last one. */
export const ATTEMPTS_EXPIRE_AFTER = '24 hours'

/** Keys under which attempts are counted. A key does not disclose an email address. */
export const throttleKeys = {
  account: (email: string) => `account:${hashToken(foldEmail(normalizeEmail(email)))}`,
  /** A known device of one account. Its attempts at other accounts are counted separately. */
  device: (deviceHash: string, accountId: number) => `device:${deviceHash}:${accountId}`,
  address: addressKey,
  secondFactor: (accountId: number) => `second-factor:${accountId}`,
  mailTo: (kind: string, email: string) =>
    `mail:${kind}:${hashToken(foldEmail(normalizeEmail(email)))}`,
  mailFrom: (address: string) => `mail-${addressKey(address)}`,
}

/** `undefined` if the attempt is allowed; it is then counted. Otherwise, the number of seconds to wait, at least 1. */
type Verdict = number | undefined

/** SQL that counts an attempt under `key` and returns a row if it is allowed. */
const consumption = ({
  key,
  free,
  condition = 'true',
}: {
  key: string
  free: string
  condition?: string
}) => `
  insert into attempts as attempt (key, tries)
  select ${key}, 1 where ${condition}
  on conflict (key) do update set
    tries = case when attempt.last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}' then 1 else attempt.tries + 1 end,
    blocked_until = case
      when attempt.last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}' or attempt.tries + 1 < ${free} then null
      else now() + make_interval(secs => least(power(2, least(attempt.tries + 1 - ${free}, 30)), ${MAX_DELAY_SECONDS}))
    end,
    last_try_at = now()
  where attempt.blocked_until is null or attempt.blocked_until <= now()
  returning tries`

/** A single statement, so that concurrent attempts allow no more guesses than sequential ones. */
const CONSUME_TRY = statement('accounts.consume_try').sql(
  consumption({ key: '$1', free: '$2::integer' }),
)

type Row = { of_address: boolean; of_own: boolean }

/**
 * Counts an attempt for the address `$1` and, if that is allowed, for the key `$2`. `CONFIRM` locks them in the same
 * order.
 */
const CONSUME_TRY_FROM = statement('accounts.consume_try_from').returning<Row>(`
  with address as (${consumption({ key: '$1', free: String(FREE_TRIES_OF_ADDRESS) })}),
  own as (${consumption({ key: '$2', free: String(FREE_TRIES), condition: 'exists (select from address)' })})
  select exists (select from address) as of_address, exists (select from own) as of_own`)

/** Counts an attempt before its password or code is compared. */
export async function consumeAttempt(db: Database, key: string): Promise<Verdict> {
  const consumed = await queryRows(db, CONSUME_TRY, [key, FREE_TRIES])
  return consumed.length > 0 ? undefined : secondsUntil(db, key, 'blocked_until')
}

/** Counts an attempt for the client's address, and also under the key unless the address has to wait. */
export async function consumeAttemptFrom(
  db: Database,
  addressKey: string,
  key: string,
): Promise<Verdict> {
  const consumed = await queryRow(db, CONSUME_TRY_FROM, [addressKey, key])
  if (consumed?.of_own) return undefined
  return secondsUntil(db, consumed?.of_address ? key : addressKey, 'blocked_until')
}

/** Resets the count of a key after a successful attempt. */
export async function resetAttempts(db: Database, key: string): Promise<void> {
  await db.deleteFrom('attempts').where('key', '=', key).execute()
}

const CONFIRM = statement('accounts.confirm').returning<Account>(`
  with account as (
    select ${ACCOUNT_COLUMNS} from accounts where id = $1 and password_hash = $2
  ), refunded as (
    update attempts set tries = greatest(tries - 1, 0), blocked_until = null
    where key = $4 and exists (select from account)
    returning key
  ), reset as (
    delete from attempts
    where key = $3 and exists (select from account) and (select count(*) from refunded) >= 0
  )
  select * from account`)

/**
 * Returns the account if its password hash is still the one that was compared. Resets the count of its key. Refunds
 * only a single attempt of the client's address: other users may share it, and an attacker must not earn guesses by
 * signing in to their own account.
 *
 * @param addressKey undefined if the attempt was not counted for the address
 */
export const confirmPassword = (
  db: Database,
  {
    id,
    passwordHash,
    key,
    addressKey,
  }: { id: number; passwordHash: string; key: string; addressKey: string | undefined },
) => queryRow(db, CONFIRM, [id, passwordHash, key, addressKey ?? null])

const WINDOW = '1 hour'
/** For these keys, `last_try_at` holds the start of the window. */
const COUNT_WITHIN_HOUR = statement('accounts.count_within_hour').sql(`
  insert into attempts as attempt (key, tries)
  values ($1, 1)
  on conflict (key) do update set
    tries = case when attempt.last_try_at <= now() - interval '${WINDOW}' then 1 else attempt.tries + 1 end,
    last_try_at = case when attempt.last_try_at <= now() - interval '${WINDOW}' then now() else attempt.last_try_at end
  where attempt.tries < $2::integer or attempt.last_try_at <= now() - interval '${WINDOW}'
  returning tries`)

/** Counts a use against a quota of `limit` per hour. The hour starts with the first use. */
export async function consumeHourlyQuota(
  db: Database,
  key: string,
  limit: number,
): Promise<Verdict> {
  const consumed = await queryRows(db, COUNT_WITHIN_HOUR, [key, limit])
  return consumed.length > 0 ? undefined : secondsUntil(db, key, 'hour')
}

type Seconds = { seconds: number | null }

const SECONDS_UNTIL = {
  blocked_until: statement('accounts.seconds_until_free').returning<Seconds>(`
    select ceil(extract(epoch from blocked_until - now()))::integer as seconds from attempts where key = $1`),
  hour: statement('accounts.seconds_until_hour').returning<Seconds>(`
    select ceil(extract(epoch from last_try_at + interval '${WINDOW}' - now()))::integer as seconds
    from attempts
    where key = $1`),
}

async function secondsUntil(
  db: Database,
  key: string,
  end: keyof typeof SECONDS_UNTIL,
): Promise<number> {
  const row = await queryRow(db, SECONDS_UNTIL[end], [key])
  return Math.max(1, row?.seconds ?? 1)
}
