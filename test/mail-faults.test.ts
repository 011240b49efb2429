import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { listenLocally } from '#test/free-port.ts'
import { startMailServer, type MailServer } from '#test/mail-server.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startService, type TestService } from '#test/service.ts'
import { newEmail, signUp } from '#test/sign-ups.ts'

/** Behavior of a faulty mail server, given a connection. */
const FAULTS: Record<string, (socket: Socket) => unknown> = {
  'does not respond': () => {},
  'stops responding after its greeting': (socket) => socket.write('220 mail.example\r\n'),
  'rejects every connection': (socket) => socket.end('554 No service here\r\n'),
  'never ends its greeting': (socket) => {
    const timer = setInterval(() => socket.write('220-Welcome\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  },
}

describe('a service on the embedded database', () => {
  let database: TestDatabase
  let service: TestService
  let mailServer: MailServer
  let faulty: Server
  const sockets = new Set<Socket>()
  const emails: string[] = []
  let attempts = 0
  let handle: (socket: Socket) => unknown = (socket) => socket.destroy()

  before(async () => {
    mailServer = await startMailServer()
    faulty = createServer((socket) => {
      attempts += 1
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => sockets.delete(socket))
      handle(socket)
    })
    database = await createDatabase('embedded', 'empty')
    service = await startService({
      database,
      environment: { SMTP_URL: `smtp://127.0.0.1:${await listenLocally(faulty)}` },
    })
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= service.close())
  after(async () => {
    await close()
    for (const socket of sockets) socket.destroy()
    faulty.close()
    await mailServer.close()
    await database.remove()
  })

  const mails = () => service.db.selectFrom('mails').selectAll().orderBy('id').execute()
  function behave(how: (socket: Socket) => unknown) {
    handle = how
    for (const socket of sockets) socket.destroy()
  }
  const signUpOnce = async () => {
    const email = newEmail()
    emails.push(email)
    const { status } = await signUp(new PlainBrowser(service.url), email)
    assert.equal(status, 200)
  }

  for (const [name, fault] of Object.entries(FAULTS))
    it(`accepts sign-ups and keeps the emails if its mail server ${name}`, async () => {
      behave(fault)
      const before = attempts
      await signUpOnce()
      await eventually(() => attempts > before, 'an attempt')
      await signUpOnce()
      assert.equal((await service.get('/health/ready')).status, 200)
      const queued = await mails()
      assert.deepEqual(
        queued.map(({ email, failed_at }) => [email, failed_at]),
        emails.map((email) => [email, null]),
      )
    })

  it('sends each email once after its mail server recovers', async () => {
    behave((socket) => {
      const upstream = connect(Number(new URL(mailServer.url).port), '127.0.0.1')
      upstream.on('error', () => socket.destroy())
      socket.pipe(upstream).pipe(socket)
    })
    await eventually(async () => {
      await service.db
        .updateTable('mails')
        .set({ next_attempt_at: new Date(0) })
        .where('is_in_hand', '=', false)
        .execute()
      return (await mails()).length === 0
    }, 'the last email')
    assert.deepEqual(mailServer.received.flatMap(({ to }) => to).toSorted(), emails.toSorted())
  })

  it('stops although its mail server does not respond, and keeps the email for the next start', async () => {
    behave(() => {})
    const before = attempts
    await signUpOnce()
    await eventually(() => attempts > before, 'an attempt')
    await close()
    const kept = await withTestDatabase(database, (db) =>
      db.selectFrom('mails').selectAll().execute(),
    )
    assert.deepEqual(
      kept.map(({ email, failed_at }) => [email, failed_at]),
      [[emails.at(-1), null]],
    )
  })
})
