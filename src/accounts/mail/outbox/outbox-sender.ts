import type { Logger } from 'pino'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { startPeriodicTask, type PeriodicTask } from '../../../kernel/async/periodic-task.ts'
import { prepareMail, type MailDefaults, type MailRow } from '../prepare-mail.ts'
import type { MailTransport } from './transport.ts'

export type OutboxSenderOptions = {
  db: Database
  /** Base URL of the links in emails. */
  authUrl: string
  transport: MailTransport
  mailDefaults?: MailDefaults
  log: Logger
  /**
   * Resolves when this process should also send emails from other processes and retry failed ones. By default it does
   * so from the start.
   */
  elected?: Promise<void>
}

const POLL_MS = 3_000
/** Poll interval, in milliseconds, for a process that is not the leader. It sends its own emails immediately. */
const FOLLOWER_POLL_MS = 10 * 60_000
const MAX_ATTEMPTS = 10

/**
 * Maximum number of emails being sent at once, so that a server that does not respond to one does not hold up the rest.
 */
const MAX_AT_ONCE = 4

/** Time, in milliseconds, allowed for emails being sent when the process stops. */
const SHUTDOWN_GRACE_MS = 2_000

/** Interval, in milliseconds, at which the lease is renewed while an email is being sent. */
const RENEW_MS = 5_000

/** SQL interval for the lease on an email while it is being sent. */
const LEASE = '15 seconds'

/**
 * Leases one email that is due. If the process dies, another one claims the email soon after. Other processes skip the
 * row instead of waiting for it.
 */
const CLAIM_MAIL = statement('accounts.claim_mail').returning<ClaimedMail>(`
  update mails
  set attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE}', is_in_hand = true
  where id = (
    select id from mails
    where next_attempt_at <= now() and failed_at is null
    order by next_attempt_at, id
    for update skip locked
    limit 1
  )
  returning id, kind, email, language, details, attempts, created_at`)

/** Renews the lease unless it has expired, because another process may have claimed the email since. */
const RENEW_LEASE = statement('accounts.renew_lease').sql(`
  update mails set next_attempt_at = now() + interval '${LEASE}'
  where id = $1 and attempts = $2 and next_attempt_at > now()`)

/**
 * Backoff: 10 seconds after the first attempt, then 20, 40 … up to an hour. Does nothing if another process has
 * claimed the email.
 */
const POSTPONE_MAIL = statement('accounts.postpone_mail').sql(`
  update mails
  set next_attempt_at = now() + make_interval(secs => least(10 * power(2, attempts - 1), 3600)), is_in_hand = false
  where id = $1 and attempts = $2`)

const GIVE_UP_MAIL = statement('accounts.give_up_mail').sql(
  'update mails set failed_at = now(), is_in_hand = false where id = $1 and attempts = $2',
)

/**
 * Sends the emails of the outbox until it is stopped, in any number of processes. `wake` sends an email that this
 * process has just added. Stopping waits for emails being sent, but not for a mail server that does not respond. After
 * ten attempts within about two hours, the sender gives up and logs an error.
 */
export function startOutboxSender(options: OutboxSenderOptions): PeriodicTask {
  const { db, log, elected = Promise.resolve() } = options
  let isLeader = false
  const logFailure = (err: unknown) => log.warn({ err }, 'Could not process the outbox; retrying')
  const deliveries = new Set<Promise<void>>()
  const abort = new AbortController()

  function startDelivery(mail: ClaimedMail) {
    const delivery = deliver(options, mail, abort.signal)
      .catch(logFailure)
      .finally(() => {
        deliveries.delete(delivery)
        // A due email may have waited for this slot.
        task.wake()
      })
    deliveries.add(delivery)
  }

  async function claimMails(stopping: AbortSignal) {
    while (!stopping.aborted && deliveries.size < MAX_AT_ONCE) {
      const mail = await queryRow(db, CLAIM_MAIL, [])
      if (!mail) return
      startDelivery(mail)
    }
  }

  const task = startPeriodicTask(
    () => (isLeader ? POLL_MS : FOLLOWER_POLL_MS),
    claimMails,
    logFailure,
  )
  const pollWhenElected = async () => {
    await elected
    isLeader = true
    task.wake()
  }
  void pollWhenElected()
  return {
    wake: task.wake,
    async stop() {
      await task.stop()
      const timer = setTimeout(() => abort.abort(), SHUTDOWN_GRACE_MS)
      await Promise.all(deliveries)
      clearTimeout(timer)
    },
  }
}

type ClaimedMail = MailRow & { attempts: number }

async function deliver(
  { db, authUrl, transport, mailDefaults, log }: OutboxSenderOptions,
  row: ClaimedMail,
  signal: AbortSignal,
) {
  // All attempts are used up, because the process that made the last one died.
  if (row.attempts > MAX_ATTEMPTS) {
    log.error({ mail: row.kind, id: row.id }, 'Gave up sending a mail')
    return giveUp(db, row)
  }
  try {
    const mail = await prepareMail(db, authUrl, row, mailDefaults)
    if (mail) await renewWhile(db, row, transport.send(mail, signal))
  } catch (err) {
    // Its lease expires within seconds, and another process sends the email.
    if (signal.aborted) return
    return postponeOrGiveUp(db, row, err, log)
  }
  return deleteMail(db, row)
}

/** Renews the lease of an email while it is being sent. */
async function renewWhile(db: Database, { id, attempts }: ClaimedMail, sending: Promise<unknown>) {
  const renewing = setInterval(() => {
    queryRows(db, RENEW_LEASE, [id, attempts]).catch(() => {})
  }, RENEW_MS).unref()
  try {
    await sending
  } finally {
    clearInterval(renewing)
  }
}

async function postponeOrGiveUp(db: Database, mail: ClaimedMail, err: unknown, log: Logger) {
  const { id, kind, attempts } = mail
  if (attempts < MAX_ATTEMPTS) {
    await queryRows(db, POSTPONE_MAIL, [id, attempts])
    log.warn({ err, mail: kind, id, attempts }, 'Could not send a mail; it will be retried')
    return
  }
  log.error({ err, mail: kind, id }, 'Gave up sending a mail')
  await giveUp(db, mail)
}

/** The email stays in the table, where the operator can retry it. */
async function giveUp(db: Database, { id, attempts }: ClaimedMail) {
  await queryRows(db, GIVE_UP_MAIL, [id, attempts])
}

async function deleteMail(db: Database, { id }: MailRow) {
  await db.deleteFrom('mails').where('id', '=', id).execute()
}
