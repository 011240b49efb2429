import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { prepareMail, type MailRow } from './prepare.ts'
import type { MailTransport } from './transport.ts'

export type MailSender = {
  /** Looks for mails at once: one was queued by this process. */
  wake(): void
  /** Finishes the mail in hand. */
  stop(): Promise<void>
}

export type MailSenderOptions = {
  db: Database
  /** Origin of the pages that links lead to. */
  authUrl: string
  transport: MailTransport
  log: Logger
}

const POLL_MS = 3_000
const MAX_ATTEMPTS = 10

/**
 * Takes one mail that is due for two minutes: whoever dies with it in hand loses nothing, and another process takes it
 * up again. No other process waits for the row meanwhile.
 */
const CLAIM = `
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

/** 10 seconds after the first attempt, then 20, 40 … up to an hour. */
const POSTPONE = `
  update mails
  set next_attempt_at = now() + make_interval(secs => least(10 * power(2, attempts - 1), 3600))
  where id = $1`

/**
 * Sends queued mails, in any number of processes, until it is stopped. A mail that fails is tried ten times within about
 * two hours and then given up with an error in the log.
 */
export function startOutboxSender(options: MailSenderOptions): MailSender {
  const { db, log } = options
  const stopping = new AbortController()
  let waiting = new AbortController()
  /** Woken while it was at work: whoever queued that mail might have come too late for the look that was under way. */
  let woken = false

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        while (!stopping.signal.aborted && (await sendNext(options))) woken = false
      } catch (err) {
        log.warn({ err }, 'Mails could not be looked for; trying again')
      }
      if (!woken && !stopping.signal.aborted)
        await sleep(POLL_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {})
      woken = false
      waiting = new AbortController()
    }
  })()

  return {
    wake() {
      woken = true
      waiting.abort()
    },
    async stop() {
      stopping.abort()
      waiting.abort()
      await running
    },
  }

  /** Whether there was a mail. */
  async function sendNext({ authUrl, transport }: MailSenderOptions): Promise<boolean> {
    const [row] = await queryRows<MailRow & { attempts: number }>(db, CLAIM, [])
    if (!row) return false
    // More than the last attempt: whoever made that one died with it.
    if (row.attempts > MAX_ATTEMPTS) {
      log.error({ mail: row.kind, id: row.id }, 'A mail was given up')
      await forget(row.id)
      return true
    }
    try {
      const mail = await prepareMail(db, authUrl, row)
      if (mail) await transport.send(mail)
    } catch (err) {
      await failed(row, err)
      return true
    }
    await forget(row.id)
    return true
  }

  async function failed({ id, kind, attempts }: MailRow & { attempts: number }, err: unknown) {
    if (attempts < MAX_ATTEMPTS) {
      await queryRows(db, POSTPONE, [id])
      log.warn({ err, mail: kind, id, attempts }, 'A mail could not be sent; it will be tried again')
      return
    }
    log.error({ err, mail: kind, id }, 'A mail was given up')
    await forget(id)
  }

  async function forget(id: number) {
    await db.deleteFrom('mails').where('id', '=', id).execute()
  }
}
