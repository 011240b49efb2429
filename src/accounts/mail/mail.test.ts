import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino, type Logger } from 'pino'
import { addAccount } from '#test/accounts.ts'
import { onOneDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open.ts'
import { finishEmailChange, finishReset, finishSignUp } from './followed-links.ts'
import { requestEmailChange, requestPasswordReset, requestSignUp } from './mail-requests.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { verifyCredentials } from '../sign-in/sign-in.ts'
import { readMail, startMailServer, tokenIn, type MailServer } from '#test/mail-server.ts'
import { asAnotherProcess } from '#test/one-connection.ts'
import { compose } from './compose.ts'
import { makeLink, peekLink, takeLink } from './link-queries.ts'
import type { Language } from '../../pages/languages.ts'
import { enqueueMail, type NewMail } from './outbox.ts'
import { startOutboxSender } from './outbox-sender.ts'
import type { PeriodicTask } from '../../kernel/periodic-task.ts'
import { openMailTransport, type MailTransport } from './transport.ts'

const AUTH_URL = 'https://id.example.org'
const NOTICE = { kind: 'password_changed', language: 'en', details: {} } as const

onOneDatabase('mail', (engine) => {
  let database: OpenTestDatabase
  let server: MailServer
  let transport: MailTransport
  let logged: Record<string, unknown>[]
  let log: Logger
  const senders: PeriodicTask[] = []
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())
  beforeEach(async () => {
    for (const table of ['mails', 'links', 'attempts', 'accounts'] as const)
      await database.db.deleteFrom(table).execute()
    server = await startMailServer()
    logged = []
    log = pino(
      { level: 'info' },
      // as: pino writes one JSON object a line
      { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
    )
    transport = open(server.url)
  })
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()))
    transport.close()
    await server.close()
  })

  const open = (smtpUrl: string | undefined) =>
    openMailTransport({
      smtpUrl,
      mailFrom: 'mokuroku <no-reply@example.org>',
      dataDir: database.place.dataDir,
      log,
    })
  function startSender(db = database.db, over = transport) {
    const sender = startOutboxSender({ db, authUrl: AUTH_URL, transport: over, log })
    senders.push(sender)
    return sender
  }
  const waiting = () => database.db.selectFrom('mails').selectAll().orderBy('id').execute()
  const makeDue = () =>
    database.db
      .updateTable('mails')
      .set({ next_attempt_at: new Date(0) })
      .execute()
  async function until(condition: () => boolean | Promise<boolean>) {
    for (const deadline = Date.now() + 20_000; !(await condition()); await sleep(20))
      assert.ok(Date.now() < deadline, 'it did not come about')
  }
  const sent = () => until(async () => (await waiting()).length === 0)
  const makeAccount = async (email = 'reader@example.org') =>
    await addAccount(database.db, { email, name: 'Reader', password: 'correct horse' })
  const signUp = (given: { email?: string; address?: string } = {}) =>
    requestSignUp(database.db, {
      email: 'reader@example.org',
      name: 'Reader',
      password: 'correct horse',
      language: 'en',
      browserHash: 'browser',
      interaction: 'waiting',
      address: '192.0.2.1',
      ...given,
    })
  const reset = (email: string, address = '192.0.2.1') =>
    requestPasswordReset(database.db, { email, language: 'en', address })

  it('makes an account only when its link is followed', async () => {
    assert.deepEqual(await signUp(), { outcome: 'ok' })
    assert.equal(await findAccountByEmail(database.db, 'reader@example.org'), undefined)
    startSender()
    await sent()
    const [mail] = server.received
    assert.deepEqual(mail?.to, ['reader@example.org'])
    assert.match(mail.headers, /^Auto-Submitted: auto-generated$/m)
    assert.match(mail.text, /https:\/\/id\.example\.org\/sign-up\/confirm\?token=/)
    const link = await takeLink(database.db, tokenIn(mail), 'sign_up')
    assert.ok(link)
    assert.deepEqual([link.browser_hash, link.interaction], ['browser', 'waiting'])
    const id = (await finishSignUp(database.db, link)) ?? 0
    const account = await findAccount(database.db, id)
    assert.deepEqual([account?.email, account?.name], ['reader@example.org', 'Reader'])
    assert.ok(account?.email_verified_at)
    const attempt = { email: 'reader@example.org', password: 'correct horse', address: '192.0.2.1' }
    assert.equal((await verifyCredentials(database.db, attempt)).outcome, 'ok')
    assert.equal(await finishSignUp(database.db, link), undefined, 'the address has an account by then')
  })

  it('tells who signs up again that there is an account, and nothing to whoever asked', async () => {
    await makeAccount()
    assert.deepEqual(await signUp({ email: 'READER@example.org' }), { outcome: 'ok' })
    startSender()
    await sent()
    assert.match(server.received[0]?.text ?? '', /There is one already/)
    assert.equal(tokenIn(server.received[0]), '')
    assert.equal((await database.db.selectFrom('links').selectAll().execute()).length, 0)
  })

  it('resets a password once, ends the sessions, tells the owner and lets in at once', async () => {
    const id = await makeAccount('Reader@example.org')
    await database.db
      .insertInto('sessions')
      .values({
        id_hash: 'x',
        uid: 'x',
        account_id: id,
        payload: '{}',
        expires_at: new Date(Date.now() + 1e6),
      })
      .execute()
    const attempt = (password: string) =>
      verifyCredentials(database.db, {
        email: 'reader@example.org',
        password,
        address: `192.0.2.${password.length}`,
      })
    for (let tries = 0; tries < 6; tries += 1) await attempt('wrong horse')
    assert.equal((await attempt('correct horse')).outcome, 'wait')
    assert.deepEqual(await reset('reader@example.org'), { outcome: 'ok' })
    const sender = startSender()
    await sent()
    assert.deepEqual(server.received[0]?.to, ['Reader@example.org'], 'as the account has it')
    const token = tokenIn(server.received[0])
    assert.ok(await peekLink(database.db, token, 'reset_password'))
    assert.equal(await takeLink(database.db, token, 'change_email'), undefined, 'for another purpose')
    const link = await takeLink(database.db, token, 'reset_password')
    assert.ok(link)
    const context = { language: 'en', address: '192.0.2.9', userAgent: 'Browser' } as const
    assert.equal(await finishReset(database.db, link, await hashPassword('another horse'), context), id)
    assert.equal((await attempt('another horse')).outcome, 'ok')
    assert.equal((await database.db.selectFrom('sessions').selectAll().execute()).length, 0)
    sender.wake()
    await sent()
    assert.match(
      server.received[1]?.text ?? '',
      /was changed[^]*Device: An unknown browser\r\nIP address: 192\.0\.2\.9\r\nTime: /,
    )
  })

  it('is not sent to an address without an account that asks for a reset', async () => {
    assert.deepEqual(await reset('nobody@example.org'), { outcome: 'ok' })
    startSender()
    await sent()
    assert.equal(server.offers(), 0)
    assert.equal(logged.length, 0)
  })

  it('changes an address when the new one follows the link, and tells the old one', async () => {
    const id = await makeAccount()
    await requestEmailChange(database.db, {
      accountId: id,
      email: 'new@example.org',
      language: 'zh-Hans',
      address: '192.0.2.1',
    })
    const sender = startSender()
    await sent()
    const link = await peekLink(database.db, tokenIn(server.received[0]), 'change_email')
    assert.ok(link)
    assert.equal(await finishEmailChange(database.db, link, { language: 'zh-Hans' }), 'changed')
    assert.equal(
      await finishEmailChange(database.db, link, { language: 'zh-Hans' }),
      'gone',
      'it is good once',
    )
    assert.equal((await findAccount(database.db, id))?.email, 'new@example.org')
    sender.wake()
    await sent()
    assert.deepEqual(
      server.received.flatMap(({ to }) => to),
      ['new@example.org', 'reader@example.org'],
    )
    await makeAccount('taken@example.org')
    const token = await makeLink(database.db, {
      purpose: 'change_email',
      email: 'TAKEN@example.org',
      account_id: id,
    })
    const late = await peekLink(database.db, token, 'change_email')
    assert.ok(late)
    assert.equal(await finishEmailChange(database.db, late, { language: 'en' }), 'taken')
    assert.equal((await waiting()).length, 0)
  })

  it('has links that are good once, also when they are followed five times at once, and not for ever', async () => {
    const { db } = database
    const account_id = await makeAccount()
    const make = () => makeLink(db, { purpose: 'reset_password', email: 'reader@example.org', account_id })
    const token = await make()
    const taken = await Promise.all(Array.from({ length: 5 }, () => takeLink(db, token, 'reset_password')))
    assert.equal(taken.filter(Boolean).length, 1)
    assert.equal(await peekLink(db, token, 'reset_password'), undefined)
    const alive = async (tokens: string[]) =>
      (await Promise.all(tokens.map((each) => peekLink(db, each, 'reset_password')))).filter(Boolean).length
    const older = await make()
    const other = await makeLink(db, { purpose: 'change_email', email: 'new@example.org', account_id })
    const newer = await Promise.all([make(), make(), make()])
    assert.deepEqual([await alive([older]), await alive(newer)], [0, 1], 'a newer link ends the older')
    assert.ok(await peekLink(db, other, 'change_email'), 'and none for another purpose')
    const old = await make()
    assert.ok(!JSON.stringify(await db.selectFrom('links').selectAll().execute()).includes(old))
    const passMinutes = (minutes: number) =>
      sql`update links set expires_at = expires_at - make_interval(mins => ${minutes})`.execute(db)
    await passMinutes(29)
    assert.ok(await peekLink(db, old, 'reset_password'), 'half an hour, as the mail says')
    await passMinutes(2)
    assert.equal(await peekLink(db, old, 'reset_password'), undefined)
    assert.equal(await takeLink(db, old, 'reset_password'), undefined)
    assert.equal(await takeLink(db, 'x\0', 'reset_password'), undefined)
  })

  it('has one good link for an account, also of two that are made at the same moment', async () => {
    const { db } = database
    const account_id = await makeAccount()
    const make = (at = db) =>
      makeLink(at, { purpose: 'reset_password', email: 'reader@example.org', account_id })
    let later: Promise<string> | undefined
    const first = await db.transaction().execute(async (trx) => {
      const token = await make(trx)
      let isMade = false
      later = asAnotherProcess(make).finally(() => (isMade = true))
      // The embedded database has one connection, for which the later one waits.
      if (engine === 'server')
        await until(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(trx)
          return isMade || rows.length > 0
        })
      return token
    })
    assert.equal(await peekLink(db, (await later) ?? '', 'reset_password').then(Boolean), true)
    assert.equal(
      await peekLink(db, first, 'reset_password'),
      undefined,
      'it waits, and then finds the earlier one',
    )
  })

  it('waits without any secret a link could be made of', async () => {
    await makeAccount()
    await reset('reader@example.org')
    const [row] = await waiting()
    assert.deepEqual(row?.details, { interaction: null })
    assert.equal((await database.db.selectFrom('links').selectAll().execute()).length, 0)
  })

  it('goes to one address three times an hour for each reason, and nobody is told', async () => {
    for (let times = 0; times < 5; times += 1) {
      assert.deepEqual(await reset('reader@example.org'), { outcome: 'ok' })
      assert.deepEqual(await signUp({ email: 'Reader@example.org' }), { outcome: 'ok' })
    }
    const kinds = (await waiting()).map(({ kind }) => kind).toSorted()
    assert.deepEqual(kinds, [...Array(3).fill('reset_password'), ...Array(3).fill('sign_up')])
    await database.db
      .updateTable('attempts')
      .set({ last_try_at: new Date(Date.now() - 3_601_000) })
      .execute()
    await reset('reader@example.org')
    assert.equal((await waiting()).length, 7)
  })

  it('is asked for twenty times an hour by one client, who is told to wait', async () => {
    const results = await Promise.all(
      Array.from({ length: 25 }, (_, index) => reset(`nobody${index}@example.org`)),
    )
    const told = results.filter(({ outcome }) => outcome === 'wait')
    assert.equal(told.length, 5)
    const [first] = told
    assert.ok(first?.outcome === 'wait' && first.seconds > 3_500 && first.seconds <= 3_600)
    assert.equal((await reset('reader@example.org', '192.0.2.2')).outcome, 'ok')
  })

  it('is the same to whoever asks, account or not: one row each', async () => {
    await makeAccount()
    await signUp()
    await signUp({ email: 'nobody@example.org' })
    const rows = await waiting()
    assert.deepEqual(
      rows.map(({ kind, details }) => [kind, Object.keys(details).toSorted()]),
      [
        ['sign_up', ['browser_hash', 'interaction', 'name', 'password_hash']],
        ['sign_up', ['browser_hash', 'interaction', 'name', 'password_hash']],
      ],
    )
  })

  it('that is refused is tried again later, ever later, and given up with one error', async () => {
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
  })

  it('that was in the hands of a process that died is sent by another', async () => {
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

  it('waits for no other whose server is silent, and is claimed for seconds only', async () => {
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

  it('survives a server that is down', async () => {
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    const nowhere = open('smtp://127.0.0.1:1')
    startSender(database.db, nowhere)
    await until(() => logged.length === 1)
    const [row] = await waiting()
    assert.equal(row?.attempts, 1)
    nowhere.close()
  })

  it('is sent once by several senders', async () => {
    const other = engine === 'server' ? await database.again() : undefined
    for (let index = 0; index < 30; index += 1)
      await enqueueMail(database.db, { ...NOTICE, email: `reader${index}@example.org` })
    const both = [startSender(), startSender(other?.db)]
    await sent()
    await Promise.all(both.map((sender) => sender.stop()))
    await other?.close()
    const readers = server.received.flatMap(({ to }) => to)
    assert.equal(readers.length, 30)
    assert.equal(new Set(readers).size, 30)
  })

  it('of a kind this version does not know stays for one that does', async () => {
    await database.db
      .insertInto('mails')
      .values({ kind: 'postcard', email: 'reader@example.org', language: 'en' })
      .execute()
    await enqueueMail(database.db, { ...NOTICE, email: 'reader@example.org' })
    startSender()
    // A mail that was sent is deleted a moment later, and the other is there with an attempt.
    await until(async () => {
      const [first, ...others] = await waiting()
      return others.length === 0 && first?.kind === 'postcard' && first.attempts === 1
    })
    assert.equal(server.received.length, 1)
  })

  it('has no room for headers in an address', async () => {
    for (const email of ['a@b\r\nBcc: c@d.example', 'a@b\nc', 'a@b> <c@d', 'a@b c@d'])
      await assert.rejects(
        transport.send({ id: 1, kind: 'x', email, subject: 's', text: 't', html: 'h' }),
        /what no address does/,
      )
    await transport
      .send({ id: 1, kind: 'x', email: 'a@b,c@d', subject: 's\r\nBcc: c@d', text: 't', html: 'h' })
      .catch(() => {})
    for (const { to, headers } of server.received) {
      assert.ok(!/^Bcc:/im.test(headers))
      assert.equal(to.length, 1)
    }
    const { subject, text } = compose('new_device', 'en', {
      userAgent: 'X\r\nBcc: c@d\n\nhttps://evil.example',
    })
    assert.ok(!subject.includes('\n') && !/^Bcc/m.test(text) && !/^https/m.test(text))
  })

  it('without SMTP is written to the outbox for the operator alone, and its link to the log', async () => {
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

  it('says the same in three languages, with its link whole', async () => {
    const languages: Language[] = ['en', 'ja', 'zh-Hans']
    const mails: NewMail[] = languages.flatMap((language) => [
      { kind: 'reset_password', language, email: 'reader@example.org', details: { interaction: null } },
      { kind: 'new_device', language, email: 'reader@example.org', details: { address: '192.0.2.1' } },
    ])
    await makeAccount()
    for (const mail of mails) await enqueueMail(database.db, mail)
    startSender()
    await sent()
    const texts = server.received.map(({ text }) => text)
    assert.equal(new Set(texts).size, 6)
    assert.equal(server.received.filter((mail) => tokenIn(mail) !== '').length, 3)
    for (const text of texts) assert.ok(!/\{\w+\}|\$&/.test(text), text)
    assert.equal(texts.filter((text) => text.includes('192.0.2.1')).length, 3)
  })
})
