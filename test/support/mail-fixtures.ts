import { after, afterEach, before, beforeEach } from 'node:test'
import { pino, type Logger } from 'pino'
import { startOutboxSender } from '../../src/accounts/mail/outbox/outbox-sender.ts'
import { openMailTransport, type MailTransport } from '../../src/accounts/mail/outbox/transport.ts'
import type { Database } from '../../src/db/database.ts'
import type { PeriodicTask } from '../../src/kernel/async/periodic-task.ts'
import { addAccount } from './accounts.ts'
import { eventually } from './browser.ts'
import type { Engine } from './databases.ts'
import { startMailServer, type MailServer } from './mail-server.ts'
import { openTestDatabase, type OpenTestDatabase } from './open-database.ts'

/** Origin of the links in emails. */
export const AUTH_URL = 'https://id.example.org'

/** Fixtures of an email test. Each test has its own mail server and log. */
export type MailTest = {
  database: OpenTestDatabase
  server: MailServer
  /** Sends to that server. */
  transport: MailTransport
  logged: Record<string, unknown>[]
}

/**
 * Prepares a suite of email tests: a database emptied before each test, a mail server and a sender.
 *
 * @param use receives the fixtures before each test
 */
export function setUpMailTest(engine: Engine, use: (test: MailTest) => void) {
  let test: MailTest
  let database: OpenTestDatabase
  let log: Logger
  const senders: PeriodicTask[] = []
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())
  beforeEach(async () => {
    for (const table of ['mails', 'links', 'attempts', 'accounts'] as const)
      await database.db.deleteFrom(table).execute()
    const logged: Record<string, unknown>[] = []
    log = pino(
      { level: 'info' },
      // as: pino writes one JSON object per line
      { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
    )
    const server = await startMailServer()
    test = { database, server, transport: open(server.url), logged }
    use(test)
  })
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()))
    test.transport.close()
    await test.server.close()
  })

  /** Returns a transport to that server, or the fallback transport if there is no URL. */
  const open = (smtpUrl: string | undefined) =>
    openMailTransport({
      smtpUrl,
      mailFrom: 'mokuroku <no-reply@example.org>',
      dataDir: database.place.dataDir,
      log,
    })
  const waiting = () => database.db.selectFrom('mails').selectAll().orderBy('id').execute()
  const until = (condition: () => boolean | Promise<boolean>) =>
    eventually(condition, 'the change', 20_000)
  return {
    open,
    waiting,
    until,
    /** Waits until no email is pending. */
    sent: () => until(async () => (await waiting()).length === 0),
    startSender(db: Database = database.db, over = test.transport) {
      const sender = startOutboxSender({ db, authUrl: AUTH_URL, transport: over, log })
      senders.push(sender)
      return sender
    },
    makeAccount: (email = 'reader@example.org') =>
      addAccount(database.db, { email, name: 'Reader', password: 'correct horse' }),
  }
}
