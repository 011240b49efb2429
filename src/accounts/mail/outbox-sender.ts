import type { Logger } from 'pino'
import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { startPeriodicTask, type PeriodicTask } from '../../kernel/periodic-task.ts'
import { prepareMail, type MailRow } from './prepare.ts'
import type { MailTransport } from './transport.ts'

export type OutboxSenderOptions = {
  db: Database
  /** Origin of the pages that links lead to. */
  authUrl: string
  transport: MailTransport
  log: Logger
}

const POLL_MS = 3_000
const MAX_ATTEMPTS = 10

/**
 * Leases one mail that is due for two minutes: when a process dies with it, another takes it up again. No other process
 * waits for the row meanwhile.
 */
const CLAIM_MAIL = `
  update mails
  set attempts = attempts + 1, next_attempt_at = now() + interval '2 minutes'
  where id = (
    select id from mails
    where next_attempt_at <= now()
    order by next_attempt_at, id
    for update skip locked
    limit 1
  )
  returning id, kind, email, language, details, attempts`

/** Backoff: 10 seconds after the first attempt, then 20, 40 … up to an hour. */
const POSTPONE_MAIL = `
  update mails
  set next_attempt_at = now() + make_interval(secs => least(10 * power(2, attempts - 1), 3600))
  where id = $1`

/**
 * Sends the mails of the outbox, in any number of processes, until it is stopped; `wake` is for a mail that this process
 * has just added. A mail that fails is tried ten times within about two hours and then given up with an error in the log.
 */
export function startOutboxSender(options: OutboxSenderOptions): PeriodicTask {
  const sendAllDue = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await sendNext(options)));
  }
  const task = startPeriodicTask(POLL_MS, sendAllDue, (err) =>
    options.log.warn({ err }, 'Mails could not be looked for; trying again'),
  )
  task.wake()
  return task
}

type ClaimedMail = MailRow & { attempts: number }

/** Whether there was a mail that was due. */
async function sendNext({ db, authUrl, transport, log }: OutboxSenderOptions): Promise<boolean> {
  const [row] = await queryRows<ClaimedMail>(db, CLAIM_MAIL, [])
  if (!row) return false
  // One more than the last attempt: the process that made that one died with it.
  if (row.attempts > MAX_ATTEMPTS) {
    log.error({ mail: row.kind, id: row.id }, 'A mail was given up')
    await deleteMail(db, row)
    return true
  }
  try {
    const mail = await prepareMail(db, authUrl, row)
    if (mail) await transport.send(mail)
  } catch (err) {
    await postponeOrGiveUp(db, row, err, log)
    return true
  }
  await deleteMail(db, row)
  return true
}

async function postponeOrGiveUp(db: Database, mail: ClaimedMail, err: unknown, log: Logger) {
  const { id, kind, attempts } = mail
  if (attempts < MAX_ATTEMPTS) {
    await queryRows(db, POSTPONE_MAIL, [id])
    log.warn({ err, mail: kind, id, attempts }, 'A mail could not be sent; it will be tried again')
    return
  }
  log.error({ err, mail: kind, id }, 'A mail was given up')
  await deleteMail(db, mail)
}

async function deleteMail(db: Database, { id }: MailRow) {
  await db.deleteFrom('mails').where('id', '=', id).execute()
}
