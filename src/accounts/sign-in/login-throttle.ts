import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { addressKey } from '../../http/admission/throttle.ts'
import { foldEmail, normalizeEmail } from '../email-address.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { ACCOUNT_COLUMNS, type Account } from '../queries.ts'

/** These tries are free, then each waits 1, 2, 4 … seconds after the one before. */
const FREE_TRIES = 5
const FREE_TRIES_OF_ADDRESS = 30
const MAX_DELAY_SECONDS = 15 * 60
/** SQL interval, after the last attempt, at which all attempts of a key are forgotten. */
export const ATTEMPTS_EXPIRE_AFTER = '24 hours'

/** What tries are counted under. No email address can be read from it. */
export const throttleKeys = {
  account: (email: string) => `account:${hashToken(foldEmail(normalizeEmail(email)))}`,
  /** A browser that is known for one account; its tries at another account are not counted here. */
  device: (deviceHash: string, accountId: number) => `device:${deviceHash}:${accountId}`,
  address: addressKey,
  secondFactor: (accountId: number) => `second-factor:${accountId}`,
  mailTo: (kind: string, email: string) =>
    `mail:${kind}:${hashToken(foldEmail(normalizeEmail(email)))}`,
  mailFrom: (address: string) => `mail-${addressKey(address)}`,
}

/** Undefined: the try may go ahead, and is counted. Else the whole seconds to wait, at least 1; it is not counted. */
type Verdict = number | undefined

/** Of a try under the key `$key`, of which so many are free: a row, when it may go ahead. */
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

/** In one statement, so that of a hundred tries at the same time no more get through than one after another would. */
const CONSUME_TRY = statement('accounts.consume_try').sql(
  consumption({ key: '$1', free: '$2::integer' }),
)

type Row = { of_address: boolean; of_own: boolean }

/** An address `$1`, and if that may try, the key `$2`: always in this order, in which `CONFIRM` locks them too. */
const CONSUME_TRY_FROM = statement('accounts.consume_try_from').returning<Row>(`
  with address as (${consumption({ key: '$1', free: String(FREE_TRIES_OF_ADDRESS) })}),
  own as (${consumption({ key: '$2', free: String(FREE_TRIES), condition: 'exists (select from address)' })})
  select exists (select from address) as of_address, exists (select from own) as of_own`)

/** Counts a try before its password or code is compared. */
export async function consumeAttempt(db: Database, key: string): Promise<Verdict> {
  const consumed = await queryRows(db, CONSUME_TRY, [key, FREE_TRIES])
  return consumed.length > 0 ? undefined : secondsUntil(db, key, 'blocked_until')
}

/** Counts it for the address it comes from, and under the key as well unless that address has to wait. */
export async function consumeAttemptFrom(
  db: Database,
  addressKey: string,
  key: string,
): Promise<Verdict> {
  const consumed = await queryRow(db, CONSUME_TRY_FROM, [addressKey, key])
  if (consumed?.of_own) return undefined
  return secondsUntil(db, consumed?.of_address ? key : addressKey, 'blocked_until')
}

/** Starts the count of a key anew: the last try was right. */
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
 * The account whose password was right, as long as that is its password's hash: it may have been changed during the comparison. Starts the
 * count of its key anew, and takes back one try of an address, leaving its others: many people can share one, and
 * somebody who signs in to an account of his own again and again must not gain guesses by it.
 *
 * @param addressKey undefined: the try was not counted for the address
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
/** `last_try_at` of these keys is the beginning of their window. */
const COUNT_WITHIN_HOUR = statement('accounts.count_within_hour').sql(`
  insert into attempts as attempt (key, tries)
  values ($1, 1)
  on conflict (key) do update set
    tries = case when attempt.last_try_at <= now() - interval '${WINDOW}' then 1 else attempt.tries + 1 end,
    last_try_at = case when attempt.last_try_at <= now() - interval '${WINDOW}' then now() else attempt.last_try_at end
  where attempt.tries < $2::integer or attempt.last_try_at <= now() - interval '${WINDOW}'
  returning tries`)

/** Counts something that may happen `limit` times within an hour, which begins with the first. */
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
