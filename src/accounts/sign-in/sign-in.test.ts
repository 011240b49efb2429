import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { listEvents } from '../../audit/events.ts'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { signInFrom } from '#test/sign-ins.ts'
import { banAccount, unbanAccount } from '../ban-queries.ts'
import { throttleKeys } from './login-throttle.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { findAccount, updateProfile, type Account } from '../queries.ts'
import { recordSignIn } from './sign-in-queries.ts'
import { verifyCredentials, type SignInAttempt } from './sign-in.ts'

const PASSWORD = 'correct horse'

describeOnDatabase('a sign-in attempt', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  /** Creates an account for one test, and returns a function that tries passwords from one client address. */
  async function makeAccount() {
    accounts += 1
    const email = `reader${accounts}@example.org`
    const address = `192.0.2.${accounts}`
    const id = await addAccount(database.db, { email, name: 'Reader', password: PASSWORD })
    const attempt = (given: Partial<SignInAttempt> = {}) =>
      verifyCredentials(database.db, { email, password: PASSWORD, address, ...given })
    return { id, email, address, attempt }
  }
  const outcomes = (results: { outcome: string }[], outcome: string) =>
    results.filter((result) => result.outcome === outcome).length
  const endWaiting = () =>
    database.db
      .updateTable('attempts')
      .set({ blocked_until: new Date(0) })
      .where('blocked_until', 'is not', null)
      .execute()

  it('succeeds with the right password, however the address is written', async () => {
    const { id, email, attempt } = await makeAccount()
    const result = await attempt({ email: email.toUpperCase() })
    assert.ok(result.outcome === 'ok')
    assert.deepEqual([result.account.id, result.account.has_totp], [id, false])
    assert.ok(!('password_hash' in result.account) && !('totp_secret' in result.account))
  })

  it('fails if the password changes during the comparison', async () => {
    const { id, email, attempt } = await makeAccount()
    // A hash of the same password that is slow enough to be replaced during the comparison.
    const cost = { memory: 19_456, passes: 20, parallelism: 1 }
    const nonce = Buffer.alloc(16, 7)
    const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, tagLength: 32, ...cost })
    const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
    const setHash = (password_hash: string) =>
      database.db.updateTable('accounts').set({ password_hash }).where('id', '=', id).execute()
    const slow = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${base64(nonce)}$${base64(tag)}`
    await setHash(slow)
    assert.equal((await attempt()).outcome, 'ok')
    const changed = await hashPassword('another horse')
    const result = attempt({ address: '192.0.2.250' })
    for (;;) {
      const key = throttleKeys.account(email)
      const counted = await database.db
        .selectFrom('attempts')
        .select('key')
        .where('key', '=', key)
        .execute()
      if (counted.length > 0) break
    }
    await setHash(changed)
    assert.equal((await result).outcome, 'wrong')
  })

  it('gets the same response for a wrong password, an unknown account and an address that PostgreSQL cannot store', async () => {
    const { id, attempt } = await makeAccount()
    const wrong = { outcome: 'wrong' }
    assert.deepEqual(await attempt({ password: 'wrong horse', userAgent: 'Browser\0' }), wrong)
    assert.deepEqual(await attempt({ email: 'nobody@example.org' }), wrong)
    assert.deepEqual(await attempt({ email: 'no\0body@example.org' }), wrong)
    assert.deepEqual(await attempt({ password: '' }), wrong)
    assert.deepEqual(await attempt({ password: 'x'.repeat(5_000) }), wrong)
    const events = await listEvents(database.db, id, { limit: 9 })
    assert.equal(events.length, 3)
    assert.equal(events[2]?.kind, 'sign_in_failed')
    assert.equal(events[2]?.user_agent, 'Browser')
  })

  it('discloses a ban only with the right password', async () => {
    const { id, attempt } = await makeAccount()
    await banAccount(database.db, id, 'advertising')
    assert.deepEqual(await attempt({ password: 'wrong horse' }), { outcome: 'wrong' })
    const result = await attempt()
    assert.ok(result.outcome === 'banned')
    assert.equal(result.account.ban_reason, 'advertising')
    await unbanAccount(database.db, id)
    assert.equal((await attempt()).outcome, 'ok')
  })

  it('must wait after five failures, even with the right password, and twice as long after each further failure', async () => {
    const { email, attempt } = await makeAccount()
    for (let attempts = 0; attempts < 5; attempts += 1)
      assert.equal((await attempt({ password: 'wrong horse' })).outcome, 'wrong')
    const waits: number[] = []
    for (let attempts = 0; attempts < 12; attempts += 1) {
      const { rows } = await sql<{ wait: number }>`
        select extract(epoch from blocked_until - last_try_at)::integer as wait
        from attempts
        where key = ${throttleKeys.account(email)}
      `.execute(database.db)
      waits.push(rows[0]?.wait ?? 0)
      await endWaiting()
      await attempt({ password: 'wrong horse' })
    }
    const result = await attempt()
    assert.ok(result.outcome === 'wait' && result.seconds > 800 && result.seconds <= 900)
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    await endWaiting()
    assert.equal((await attempt()).outcome, 'ok')
    for (let attempts = 0; attempts < 5; attempts += 1)
      assert.equal(
        (await attempt({ password: 'wrong horse' })).outcome,
        'wrong',
        'a right one ends the count',
      )
  })

  it('must wait after five failures even if a hundred attempts are made concurrently', async () => {
    const { attempt } = await makeAccount()
    const startedAt = performance.now()
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        attempt({ password: 'wrong horse', address: `198.51.100.${index}` }),
      ),
    )
    // The next attempt is allowed after one second, the one after that after two …
    const free = 5 + Math.floor(Math.log2((performance.now() - startedAt) / 1000 + 1))
    assert.ok(outcomes(results, 'wrong') >= 5 && outcomes(results, 'wrong') <= free)
    assert.equal(outcomes(results, 'wrong') + outcomes(results, 'wait'), 100)
  })

  it('is counted identically however the address is written, whether or not the account exists', async () => {
    const { email } = await makeAccount()
    for (const address of [email, 'nobody-else@example.org']) {
      const spellings = [address, address.toUpperCase(), `R${address.slice(1)}`]
      const results = []
      for (let attempt = 0; attempt < 6; attempt += 1)
        results.push(
          await verifyCredentials(database.db, {
            email: spellings[attempt % 3]?.replace(/^R(?=obody)/, 'N') ?? '',
            password: 'wrong horse',
            address: `203.0.113.${attempt}`,
          }),
        )
      assert.deepEqual([outcomes(results, 'wrong'), outcomes(results, 'wait')], [5, 1])
    }
  })

  it('can fail thirty times per client address, counted across accounts', async () => {
    const { address, attempt } = await makeAccount()
    const results = []
    for (let attempts = 0; attempts < 31; attempts += 1)
      results.push(
        await attempt({ email: `victim${attempts}@example.org`, password: 'wrong horse' }),
      )
    assert.deepEqual([outcomes(results, 'wrong'), outcomes(results, 'wait')], [30, 1])
    assert.equal((await attempt()).outcome, 'wait')
    assert.equal((await attempt({ address: `${address}9` })).outcome, 'ok')
  })

  it('can succeed any number of times from one client address', async () => {
    const { attempt } = await makeAccount()
    for (let attempts = 0; attempts < 35; attempts += 1)
      assert.equal((await attempt()).outcome, 'ok')
  })

  it('stays counted for a client address after another user signs in from it', async () => {
    const { attempt } = await makeAccount()
    for (let attempts = 0; attempts < 29; attempts += 1) {
      await attempt({ email: `other${attempts}@example.org`, password: 'wrong horse' })
      if (attempts % 5 === 0) assert.equal((await attempt()).outcome, 'ok')
    }
    await attempt({ email: 'last@example.org', password: 'wrong horse' })
    assert.equal((await attempt()).outcome, 'wait')
  })

  it('from a known device is counted separately, so that strangers cannot lock the owner out', async () => {
    const { id, attempt } = await makeAccount()
    const { device } = await signInFrom(database.db, id)
    for (let attempts = 0; attempts < 6; attempts += 1) await attempt({ password: 'wrong horse' })
    assert.equal((await attempt()).outcome, 'wait')
    assert.equal(
      (await attempt({ device: 'x'.repeat(43) })).outcome,
      'wait',
      'a token that was made up',
    )
    assert.equal((await attempt({ device })).outcome, 'ok')

    const results = []
    for (let attempts = 0; attempts < 6; attempts += 1)
      results.push(await attempt({ device, password: 'wrong horse' }))
    assert.deepEqual([outcomes(results, 'wrong'), outcomes(results, 'wait')], [5, 1])
  })

  it('from a device known to another account is counted like a stranger’s', async () => {
    const [mine, otherAccount] = [await makeAccount(), await makeAccount()]
    const { device } = await signInFrom(database.db, mine.id)
    for (let attempt = 0; attempt < 6; attempt += 1)
      await otherAccount.attempt({ password: 'wrong horse' })
    assert.equal((await otherAccount.attempt({ device })).outcome, 'wait')
  })

  it('gets a response even if right and wrong attempts from one address race for the same accounts', async () => {
    const [first, second] = [await makeAccount(), await makeAccount()]
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 ? first : second).attempt({
          address: '203.0.113.200',
          ...(index % 3 === 0 && { password: 'wrong horse' }),
        }),
      ),
    )
    assert.ok(outcomes(results, 'ok') > 0)
  })

  it('is not counted after a day without further attempts', async () => {
    const { attempt } = await makeAccount()
    for (let attempts = 0; attempts < 8; attempts += 1) {
      await attempt({ password: 'wrong horse' })
      await endWaiting()
    }
    await database.db
      .updateTable('attempts')
      .set({ last_try_at: new Date(Date.now() - 25 * 3_600_000) })
      .execute()
    for (let attempts = 0; attempts < 5; attempts += 1)
      assert.equal((await attempt({ password: 'wrong horse' })).outcome, 'wrong')
    assert.equal((await attempt()).outcome, 'wait')
  })
})

describeOnDatabase('a browser', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  it('is reported as new to an account already used in another browser, and has one token for all accounts', async () => {
    const { db } = database
    const ids = await Promise.all(
      ['one@example.org', 'two@example.org'].map((email) =>
        addAccount(db, { email, name: 'Reader', password: PASSWORD }),
      ),
    )
    const [one = 0, two = 0] = ids
    const first = await signInFrom(db, one)
    assert.match(first.device, /^[\w-]{43}$/)
    assert.equal(first.isUnknownDevice, false, 'the first of all')
    const repeated = await signInFrom(db, one, first.device)
    assert.deepEqual([repeated.device, repeated.isUnknownDevice], [first.device, false])
    assert.equal((await signInFrom(db, two, first.device)).device, first.device)
    const unknownToken = 'A'.repeat(43)
    const second = await signInFrom(db, one, unknownToken)
    assert.notEqual(second.device, unknownToken)
    assert.equal(second.isUnknownDevice, true)
    const rows = await db.selectFrom('known_devices').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(first.device), 'the token itself is not kept')
  })
  it('is not signed in if the account changed or was banned after the password check', async () => {
    const { db } = database
    const id = await addAccount(db, {
      email: 'three@example.org',
      name: 'Reader',
      password: PASSWORD,
    })
    await signInFrom(db, id)
    const written = async () =>
      Promise.all(
        (['sessions', 'known_devices', 'audit_events', 'mails'] as const).map(
          async (table) => (await db.selectFrom(table).selectAll().execute()).length,
        ),
      )
    const signIn = async (change: (account: Account) => Promise<unknown>) => {
      const account = await findAccount(db, id)
      assert.ok(account)
      await change(account)
      const before = await written()
      const session = {
        id: 'late',
        uid: 'late',
        payload: '{}',
        lifetimeSeconds: 60,
        isNew: true,
        signedInFor: undefined,
      }
      const origin = { address: '192.0.2.1', userAgent: 'Browser' }
      const methods = ['pwd']
      assert.equal(
        await recordSignIn(db, account, {
          origin,
          methods,
          language: 'en',
          device: undefined,
          session,
        }),
        undefined,
      )
      assert.deepEqual(await written(), before)
    }
    await signIn(() => updateProfile(db, id, { name: 'Another' }))
    await signIn(async (account) => {
      await banAccount(db, id, 'advertising')
      await db
        .updateTable('accounts')
        .set({ updated_at: account.updated_at })
        .where('id', '=', id)
        .execute()
    })
  })
})
