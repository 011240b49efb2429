import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { tokenIn } from '#test/mail-server.ts'
import { setUpMailTest, type MailTest } from '#test/mail-fixtures.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { verifyCredentials } from '../sign-in/sign-in.ts'
import { finishEmailChange, finishReset, finishSignUp } from './finish-links.ts'
import { createLink, findLink, redeemLink } from './link-queries.ts'
import { requestEmailChange, requestPasswordReset, requestSignUp } from './mail-requests.ts'

describeOnDatabase('account mail', (engine) => {
  let database: MailTest['database']
  let server: MailTest['server']
  let logged: MailTest['logged']
  const { waiting, until, sent, startSender, makeAccount } = setUpMailTest(engine, (test) => {
    ;({ database, server, logged } = test)
  })
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

  it('creates an account only after its link is followed', async () => {
    assert.deepEqual(await signUp(), { outcome: 'ok' })
    assert.equal(await findAccountByEmail(database.db, 'reader@example.org'), undefined)
    startSender()
    await sent()
    const [mail] = server.received
    assert.deepEqual(mail?.to, ['reader@example.org'])
    assert.match(mail.headers, /^Auto-Submitted: auto-generated$/m)
    assert.match(mail.text, /https:\/\/id\.example\.org\/sign-up\/confirm\?token=/)
    const link = await findLink(database.db, tokenIn(mail), 'sign_up')
    assert.ok(link)
    assert.deepEqual([link.browser_hash, link.interaction], ['browser', 'waiting'])
    const finished = await finishSignUp(database.db, link, 'open', { language: 'en' })
    const id = finished?.outcome === 'created' ? finished.id : 0
    const account = await findAccount(database.db, id)
    assert.deepEqual([account?.email, account?.name], ['reader@example.org', 'Reader'])
    assert.ok(account?.email_verified_at)
    const attempt = { email: 'reader@example.org', password: 'correct horse', address: '192.0.2.1' }
    assert.equal((await verifyCredentials(database.db, attempt)).outcome, 'ok')
    assert.equal(
      await finishSignUp(database.db, link, 'open', { language: 'en' }),
      undefined,
      'the link was redeemed',
    )
  })

  it('notifies the owner of an existing account about a sign-up, and discloses nothing to the requester', async () => {
    await makeAccount()
    assert.deepEqual(await signUp({ email: 'READER@example.org' }), { outcome: 'ok' })
    startSender()
    await sent()
    assert.match(server.received[0]?.text ?? '', /It already has one/)
    assert.equal(tokenIn(server.received[0]), '')
    assert.equal((await database.db.selectFrom('links').selectAll().execute()).length, 0)
  })

  it('names the requesting device and the time, whatever was requested', async () => {
    const id = await makeAccount('reader@example.org')
    const requests = {
      language: 'en',
      address: '192.0.2.77',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537.36',
    } as const
    const newcomer = { name: 'New', password: 'a long enough one', browserHash: 'x' }
    await requestSignUp(database.db, { ...requests, ...newcomer, email: 'new@example.org' })
    await requestSignUp(database.db, { ...requests, ...newcomer, email: 'reader@example.org' })
    await requestPasswordReset(database.db, { ...requests, email: 'reader@example.org' })
    await requestEmailChange(database.db, {
      ...requests,
      accountId: id,
      email: 'other@example.org',
    })
    startSender()
    await sent()
    assert.equal(server.received.length, 4)
    for (const { text, html } of server.received) {
      assert.match(text, /Device: Chrome on Linux\r\nIP address: 192\.0\.2\.77\r\nTime: .* UTC\r\n/)
      assert.match(html, /Chrome on Linux.*192\.0\.2\.77/s)
    }
  })

  it('resets a password once, ends the sessions, notifies the owner and allows an immediate sign-in', async () => {
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
    for (let attempts = 0; attempts < 6; attempts += 1) await attempt('wrong horse')
    assert.equal((await attempt('correct horse')).outcome, 'wait')
    assert.deepEqual(await reset('reader@example.org'), { outcome: 'ok' })
    const sender = startSender()
    await sent()
    assert.deepEqual(server.received[0]?.to, ['Reader@example.org'], 'as the account has it')
    const token = tokenIn(server.received[0])
    assert.ok(await findLink(database.db, token, 'reset_password'))
    assert.equal(
      await redeemLink(database.db, token, 'change_email'),
      undefined,
      'for another purpose',
    )
    const link = await redeemLink(database.db, token, 'reset_password')
    assert.ok(link)
    const context = { language: 'en', address: '192.0.2.9', userAgent: 'Browser' } as const
    assert.equal(
      await finishReset(database.db, link, await hashPassword('another horse'), context),
      id,
    )
    assert.equal((await attempt('another horse')).outcome, 'ok')
    assert.equal((await database.db.selectFrom('sessions').selectAll().execute()).length, 0)
    sender.wake()
    await sent()
    assert.match(
      server.received[1]?.text ?? '',
      /was changed[^]*Device: Unknown browser\r\nIP address: 192\.0\.2\.9\r\nTime: /,
    )
  })

  it('is not sent if a reset is requested for an address without an account', async () => {
    assert.deepEqual(await reset('nobody@example.org'), { outcome: 'ok' })
    startSender()
    await sent()
    assert.equal(server.offers(), 0)
    assert.equal(logged.length, 0)
  })

  it('changes an address after its link is followed, and notifies the old address', async () => {
    const id = await makeAccount()
    await requestEmailChange(database.db, {
      accountId: id,
      email: 'new@example.org',
      language: 'zh-Hans',
      address: '192.0.2.1',
    })
    const sender = startSender()
    await sent()
    const link = await findLink(database.db, tokenIn(server.received[0]), 'change_email')
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
    const token = await createLink(database.db, {
      purpose: 'change_email',
      email: 'TAKEN@example.org',
      account_id: id,
    })
    const late = await findLink(database.db, token, 'change_email')
    assert.ok(late)
    assert.equal(await finishEmailChange(database.db, late, { language: 'en' }), 'taken')
    assert.equal((await waiting()).length, 0)
  })

  it('has links that expire and work once, even if they are followed five times concurrently', async () => {
    const { db } = database
    const account_id = await makeAccount()
    const make = () =>
      createLink(db, { purpose: 'reset_password', email: 'reader@example.org', account_id })
    const token = await make()
    const claimed = await Promise.all(
      Array.from({ length: 5 }, () => redeemLink(db, token, 'reset_password')),
    )
    assert.equal(claimed.filter(Boolean).length, 1)
    assert.equal(await findLink(db, token, 'reset_password'), undefined)
    const alive = async (tokens: string[]) =>
      (await Promise.all(tokens.map((each) => findLink(db, each, 'reset_password')))).filter(
        Boolean,
      ).length
    const older = await make()
    const other = await createLink(db, {
      purpose: 'change_email',
      email: 'new@example.org',
      account_id,
    })
    const newer = await Promise.all([make(), make(), make()])
    assert.deepEqual(
      [await alive([older]), await alive(newer)],
      [0, 1],
      'a newer link ends the older',
    )
    assert.ok(await findLink(db, other, 'change_email'), 'and none for another purpose')
    const old = await make()
    assert.ok(!JSON.stringify(await db.selectFrom('links').selectAll().execute()).includes(old))
    const passMinutes = (minutes: number) =>
      sql`update links set expires_at = expires_at - make_interval(mins => ${minutes})`.execute(db)
    await passMinutes(29)
    assert.ok(await findLink(db, old, 'reset_password'), 'half an hour, as the mail says')
    await passMinutes(2)
    assert.equal(await findLink(db, old, 'reset_password'), undefined)
    assert.equal(await redeemLink(db, old, 'reset_password'), undefined)
    assert.equal(await redeemLink(db, 'x\0', 'reset_password'), undefined)
  })

  it('leaves only one valid link per account, even if two are created concurrently', async () => {
    const { db } = database
    const account_id = await makeAccount()
    const make = (at = db) =>
      createLink(at, { purpose: 'reset_password', email: 'reader@example.org', account_id })
    let later: Promise<string> | undefined
    const first = await db.transaction().execute(async (trx) => {
      const token = await make(trx)
      let isMade = false
      later = asAnotherProcess(make).finally(() => (isMade = true))
      // The embedded database has only one connection, so the later statement waits for it.
      if (engine === 'server')
        await until(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(trx)
          return isMade || rows.length > 0
        })
      return token
    })
    assert.equal(await findLink(db, (await later) ?? '', 'reset_password').then(Boolean), true)
    assert.equal(
      await findLink(db, first, 'reset_password'),
      undefined,
      'it waits, and then finds the earlier one',
    )
  })

  it('is queued without the secret in its link', async () => {
    await makeAccount()
    await reset('reader@example.org')
    const [row] = await waiting()
    assert.deepEqual(row?.details, { interaction: null, address: '192.0.2.1' })
    assert.equal((await database.db.selectFrom('links').selectAll().execute()).length, 0)
  })

  it('is limited to three emails an hour per address and kind, without disclosing the limit', async () => {
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

  it('is limited to twenty requests an hour per client, and the response states how long to wait', async () => {
    const results = await Promise.all(
      Array.from({ length: 25 }, (_, index) => reset(`nobody${index}@example.org`)),
    )
    const throttled = results.filter(({ outcome }) => outcome === 'wait')
    assert.equal(throttled.length, 5)
    const [first] = throttled
    assert.ok(first?.outcome === 'wait' && first.seconds > 3_500 && first.seconds <= 3_600)
    assert.equal((await reset('reader@example.org', '192.0.2.2')).outcome, 'ok')
  })

  it('is queued as one row, whether or not the account exists', async () => {
    await makeAccount()
    await signUp()
    await signUp({ email: 'nobody@example.org' })
    const rows = await waiting()
    assert.deepEqual(
      rows.map(({ kind, details }) => [kind, Object.keys(details).toSorted()]),
      [
        [
          'sign_up',
          ['address', 'browser_hash', 'interaction', 'invitation_id', 'name', 'password_hash'],
        ],
        [
          'sign_up',
          ['address', 'browser_hash', 'interaction', 'invitation_id', 'name', 'password_hash'],
        ],
      ],
    )
  })
})
