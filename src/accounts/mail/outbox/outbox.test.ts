import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnDatabase } from '#test/databases.ts'
import { readMail, tokenIn } from '#test/mail-server.ts'
import { AUTH_URL, setUpMailTest, type MailTest } from '#test/mail-fixtures.ts'
import { LANGUAGES } from '../../../i18n/languages.ts'
import { composeMail } from '../compose-mail.ts'
import { DEFAULT_BRAND } from '../render-mail.ts'
import { requestPasswordReset } from '../mail-requests.ts'
import { enqueueMail, type NewMail } from './outbox.ts'
import { listQueuedMails, retryMail } from './queue-queries.ts'
import type { MailTransport } from './transport.ts'

const NOTICE = { kind: 'password_changed', language: 'en', details: {} } as const

describeOnDatabase('a queued email', (engine) => {
  let database: MailTest['database']
  let server: MailTest['server']
  let transport: MailTest['transport']
  let logged: MailTest['logged']
  const { open, waiting, until, sent, startSender, makeAccount } = setUpMailTest(engine, (test) => {
    ;({ database, server, transport, logged } = test)
  })
  const makeDue = () =>
    database.db
      .updateTable('mails')
      .set({ next_attempt_at: new Date(0) })
      .execute()
  const reset = (email: string) =>
    requestPasswordReset(database.db, { email, language: 'en', address: '192.0.2.1' })

  it('is retried with increasing delays when it is refused, and finally abandoned with one logged error', async () => {
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    server.refuse(99)
    const sender = startSender()
    const waits: number[] = []
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      await until(() => logged.length === attempts)
      const { rows } = { rows: await waiting() }
      assert.equal(rows[0]?.attempts, attempts)
      waits.push(Math.round((Number(rows[0]?.next_attempt_at) - Date.now()) / 1000))
      await makeDue()
      sender.wake()
    }
    for (const [index, seconds] of [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560].entries()) {
      const wait = waits[index] ?? 0
      assert.ok(wait > seconds * 0.5 - 5 && wait <= seconds, `${wait} of ${seconds}`)
    }
    await until(async () => (await waiting()).every(({ failed_at: failedAt }) => failedAt !== null))
    assert.equal(server.offers(), 10)
    assert.deepEqual(
      logged.map(({ level }) => level),
      [...Array<number>(9).fill(40), 50],
    )
    assert.ok(!JSON.stringify(logged).includes('correct horse'))
    await makeDue()
    sender.wake()
    await sleep(200)
    assert.deepEqual([server.offers(), logged.length], [10, 10], 'it is not tried again')
  })

  it('is sent concurrently with at most three others', async () => {
    const { promise: silence, resolve: speak } = Promise.withResolvers<void>()
    let begun = 0
    const silent: MailTransport = {
      send: () => {
        begun += 1
        return silence
      },
      close: () => {},
    }
    for (let index = 0; index < 6; index += 1)
      await enqueueMail(database.db, { ...NOTICE, email: `reader${index}@example.org` })
    startSender(database.db, silent)
    await until(() => begun >= 4)
    await sleep(200)
    const atOnce = begun
    // Stop before asserting: a sender waits for the emails it is sending.
    speak()
    await sent()
    assert.deepEqual([atOnce, begun], [4, 6])
  })

  it('is sent by another process if the one sending it dies', async () => {
    await makeAccount()
    await reset('reader@example.org')
    await database.db
      .updateTable('mails')
      .set({ attempts: 1, next_attempt_at: new Date(Date.now() + 120_000) })
      .execute()
    const sender = startSender()
    await sleep(200)
    assert.equal(server.offers(), 0, 'while it is claimed nobody else takes it')
    await makeDue()
    sender.wake()
    await sent()
    assert.equal(server.received.length, 1)
  })

  it('does not wait for another email whose server is silent, and is leased for only a few seconds', async () => {
    const { promise: silence, resolve: speak } = Promise.withResolvers<void>()
    const silentAboutOne: MailTransport = {
      send: (mail) => (mail.email === 'silent@example.org' ? silence : transport.send(mail)),
      close: () => {},
    }
    await enqueueMail(database.db, { ...NOTICE, email: 'silent@example.org' })
    const sender = startSender(database.db, silentAboutOne)
    await until(async () => (await waiting())[0]?.attempts === 1)
    for (let index = 0; index < 6; index += 1)
      await enqueueMail(database.db, { ...NOTICE, email: `reader${index}@example.org` })
    sender.wake()
    await until(() => server.received.length === 6)
    await until(async () => (await waiting()).length === 1)
    const [held] = await waiting()
    const claimedFor = (held?.next_attempt_at.getTime() ?? 0) - Date.now()
    assert.ok(claimedFor > 0 && claimedFor <= 15_500, `${claimedFor} ms`)
    speak()
    await sent()
  })

  it('cannot be retried while it is being sent, but can once it has failed', async () => {
    const { promise: silence, reject: fail } = Promise.withResolvers<void>()
    // The sender may claim an email a moment before it sends it.
    silence.catch(() => {})
    const silent: MailTransport = { send: () => silence, close: () => {} }
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    const sender = startSender(database.db, silent)
    await until(async () => (await waiting())[0]?.attempts === 1)
    const [held] = await waiting()
    const id = held?.id ?? 0
    const isInHand = async () => (await listQueuedMails(database.db))[0]?.is_in_hand
    const during = [
      await isInHand(),
      await retryMail(database.db, id, {}),
      (await waiting())[0]?.attempts,
    ]
    // Stop before asserting: a sender waits for emails being sent.
    fail(new Error('no answer'))
    assert.deepEqual(during, [true, 'already', 1])
    await until(async () => (await isInHand()) === false)
    await sender.stop()
    assert.equal(await retryMail(database.db, id, {}), 'done')
    assert.equal((await waiting())[0]?.attempts, 0)
  })

  it('stays queued while the server is down', async () => {
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    const nowhere = open('smtp://127.0.0.1:1')
    startSender(database.db, nowhere)
    await until(() => logged.length === 1)
    const [row] = await waiting()
    assert.equal(row?.attempts, 1)
    nowhere.close()
  })

  it('is sent once, even by several senders', async () => {
    const other = engine === 'server' ? await database.reconnect() : undefined
    for (let index = 0; index < 30; index += 1)
      await enqueueMail(database.db, { ...NOTICE, email: `reader${index}@example.org` })
    const both = [startSender(), startSender(other?.db)]
    await sent()
    await Promise.all(both.map((sender) => sender.stop()))
    await other?.close()
    const recipients = server.received.flatMap(({ to }) => to)
    assert.equal(recipients.length, 30)
    assert.equal(new Set(recipients).size, 30)
  })

  it('is left in the queue for a newer version if its kind is unknown', async () => {
    await database.db
      .insertInto('mails')
      .values({ kind: 'postcard', email: 'reader@example.org', language: 'en' })
      .execute()
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    startSender()
    // A sent email is deleted a moment later. The other one remains, with an attempt counted.
    await until(async () => {
      const [first, ...others] = await waiting()
      return others.length === 0 && first?.kind === 'postcard' && first.attempts === 1
    })
    assert.equal(server.received.length, 1)
  })

  it('cannot inject headers through its address', async () => {
    for (const email of ['a@b\r\nBcc: c@d.example', 'a@b\nc', 'a@b> <c@d', 'a@b c@d'])
      await assert.rejects(
        transport.send({ id: 1, kind: 'x', email, subject: 's', text: 't', html: 'h' }),
        /characters that are not allowed/,
      )
    await transport
      .send({ id: 1, kind: 'x', email: 'a@b,c@d', subject: 's\r\nBcc: c@d', text: 't', html: 'h' })
      .catch(() => {})
    for (const { to, headers } of server.received) {
      assert.ok(!/^Bcc:/im.test(headers))
      assert.equal(to.length, 1)
    }
    const { subject, text } = composeMail(
      'new_device',
      'en',
      { userAgent: 'X\r\nBcc: c@d\n\nhttps://evil.example' },
      DEFAULT_BRAND,
    )
    assert.ok(!subject.includes('\n') && !/^Bcc/m.test(text) && !/^https/m.test(text))
  })

  it('is written to a private file if SMTP is not configured, and its link is logged', async () => {
    await makeAccount()
    await reset('reader@example.org')
    startSender(database.db, open(undefined))
    await sent()
    const folder = join(database.place.dataDir, 'outbox')
    const [file = '', ...more] = readdirSync(folder)
    assert.deepEqual(more, [])
    assert.match(file, /^\d{4}-\d\d-\d\dT[\d.-]+Z-\d+\.eml$/)
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    const mail = readMail(readFileSync(join(folder, file)))
    assert.match(mail.headers, /^To: reader@example\.org$/m)
    assert.match(mail.headers, /^From: mokuroku <no-reply@example\.org>$/m)
    assert.equal(logged.length, 1)
    assert.equal(logged[0]?.['mail'], 'reset_password')
    assert.equal(logged[0]['link'], `${AUTH_URL}/reset-password?token=${tokenIn(mail)}`)
    assert.ok(!JSON.stringify(logged).includes('reader@example.org'))
  })

  it('has the same content and an intact link in every language', async () => {
    const mails: NewMail[] = LANGUAGES.flatMap((language) => [
      {
        kind: 'reset_password',
        language,
        email: 'reader@example.org',
        details: { interaction: null },
      },
      {
        kind: 'new_device',
        language,
        email: 'reader@example.org',
        details: { address: '192.0.2.1' },
      },
    ])
    await makeAccount()
    for (const mail of mails) await enqueueMail(database.db, mail)
    startSender()
    await sent()
    const texts = server.received.map(({ text }) => text)
    assert.equal(new Set(texts).size, 2 * LANGUAGES.length)
    assert.equal(server.received.filter((mail) => tokenIn(mail) !== '').length, LANGUAGES.length)
    for (const text of texts) assert.ok(!/\{\w+\}|\$&/.test(text), text)
    assert.equal(texts.filter((text) => text.includes('192.0.2.1')).length, LANGUAGES.length)
  })
})
