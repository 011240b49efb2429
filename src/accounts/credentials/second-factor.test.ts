import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { listEvents } from '../../audit/events.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts'
import { checkSecondFactor, checkTotp, confirmTotp, disableTotp } from './second-factor.ts'
import { throttleKeys } from '../sign-in/login-throttle.ts'
import { verifyCredentials } from '../sign-in/sign-in.ts'
import { generateTotpSecret } from './totp.ts'

const SECRET_KEY = 'a key that is at least thirty-two characters long'
const STEP_MS = 30_000
/** The middle of a time step, so that the adjacent steps are unambiguous. */
const NOW = 60_000_000 * STEP_MS + 15_000

describeOnDatabase('a second factor', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  const codeAt = (secret: string, now: number) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now })

  /** Creates an account whose authenticator app was confirmed a minute before NOW. */
  async function makeAccount() {
    accounts += 1
    const email = `reader${accounts}@example.org`
    const id = await addAccount(database.db, { email, name: 'Reader', password: 'correct horse' })
    const { secret, uri } = generateTotpSecret(email)
    const confirm = (code: string, given = secret) =>
      confirmTotp(database.db, id, {
        secret: given,
        code,
        secretKey: SECRET_KEY,
        now: NOW - 2 * STEP_MS,
        language: 'en',
      })
    const codes = (await confirm(codeAt(secret, NOW - 2 * STEP_MS))) ?? []
    const check = (code: string, now = NOW) =>
      checkSecondFactor(database.db, id, { code, secretKey: SECRET_KEY, now })
    return { id, email, secret, uri, codes, confirm, check }
  }
  const mailsTo = (email: string) =>
    database.db.selectFrom('mails').select('kind').where('email', '=', email).execute()

  it('is described to authenticator apps in the standard format', async () => {
    const { uri, secret } = await makeAccount()
    const url = new URL(uri)
    assert.equal(url.protocol + url.host, 'otpauth:totp')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      issuer: 'mokuroku',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    assert.match(secret, /^[A-Z2-7]{32}$/)
  })

  it('is stored encrypted, and enabling it sends an email and is recorded', async () => {
    const { id, email, secret, codes } = await makeAccount()
    const row = await database.db
      .selectFrom('accounts')
      .select('totp_secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.match(row.totp_secret ?? '', /^v1\./)
    const hashes = await database.db.selectFrom('recovery_codes').select('code_hash').execute()
    for (const code of codes) assert.ok(!JSON.stringify(hashes).includes(code))
    assert.deepEqual(await mailsTo(email), [{ kind: 'second_factor_changed' }])
    const [event] = await listEvents(database.db, id, { limit: 1 })
    assert.equal(event?.kind, 'second_factor_added')
    assert.ok(!JSON.stringify(event).includes(secret))
    await assert.rejects(
      checkTotp(database.db, id, {
        code: codeAt(secret, NOW),
        secretKey: `${SECRET_KEY}!`,
        now: NOW,
      }),
      /SECRET_KEY/,
    )
  })

  it('is required after the password', async () => {
    const { email } = await makeAccount()
    const result = await verifyCredentials(database.db, {
      email,
      password: 'correct horse',
      address: '192.0.2.1',
    })
    assert.ok(result.outcome === 'ok' && result.account.has_totp)
  })

  it('is not enabled by a wrong code or a made-up secret, and is not enabled twice', async () => {
    const { id, secret, confirm } = await makeAccount()
    const fresh = generateTotpSecret('reader@example.org').secret
    assert.equal(await confirm(codeAt(fresh, NOW - 2 * STEP_MS), fresh), undefined, 'twice')
    assert.equal(await disableTotp(database.db, id, { language: 'en' }), true)
    const wrong = String((Number(codeAt(secret, NOW - 2 * STEP_MS)) + 1) % 1_000_000).padStart(
      6,
      '0',
    )
    assert.equal(await confirm(wrong), undefined)
    assert.equal(await confirm('123456', 'A'), undefined)
    assert.equal((await confirm(codeAt(secret, NOW - 2 * STEP_MS)))?.length, 10)
  })

  it('accepts only the codes of the current and the adjacent time steps', async () => {
    for (const [steps, outcome] of [
      [-2, 'wrong'],
      [-1, 'ok'],
      [0, 'ok'],
      [1, 'ok'],
      [2, 'wrong'],
    ] as const) {
      const { secret, check } = await makeAccount()
      assert.equal(
        (await check(codeAt(secret, NOW + steps * STEP_MS))).outcome,
        outcome,
        `${steps}`,
      )
    }
  })

  it('accepts a code once, with any spacing, and then rejects older codes', async () => {
    const { secret, check } = await makeAccount()
    const code = codeAt(secret, NOW)
    assert.deepEqual(await check(` ${code.slice(0, 3)} ${code.slice(3)} `), {
      outcome: 'ok',
      by: 'totp',
    })
    assert.equal((await check(code)).outcome, 'wrong')
    assert.equal((await check(codeAt(secret, NOW - STEP_MS))).outcome, 'wrong')
    assert.equal((await check(codeAt(secret, NOW + STEP_MS))).outcome, 'ok')
  })

  it('rejects the code that enabled it when that code is sent again', async () => {
    const { secret, check } = await makeAccount()
    const code = codeAt(secret, NOW - 2 * STEP_MS)
    assert.equal((await check(code, NOW - 2 * STEP_MS)).outcome, 'wrong')
  })

  it('accepts a code only once when it is sent five times concurrently', async () => {
    const { id, secret } = await makeAccount()
    const check = { code: codeAt(secret, NOW), secretKey: SECRET_KEY, now: NOW }
    const results = await Promise.all(
      Array.from({ length: 5 }, () => checkTotp(database.db, id, check)),
    )
    assert.equal(results.filter(Boolean).length, 1)
  })

  it('comes with ten recovery codes that each work once, in any spelling', async () => {
    const { id, codes, check } = await makeAccount()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes)
      assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
    const [first = '', second = '', third = ''] = codes
    assert.deepEqual(await check(first), { outcome: 'ok', by: 'recovery_code', left: 9 })
    assert.deepEqual(await check(first), { outcome: 'wrong' })
    const sloppy = ` ${second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `
    assert.deepEqual(await check(sloppy), { outcome: 'ok', by: 'recovery_code', left: 8 })
    const renewed = await replaceRecoveryCodes(database.db, id)
    assert.deepEqual(await check(third), { outcome: 'wrong' })
    assert.equal((await check(renewed[0] ?? '')).outcome, 'ok')
  })

  it('accepts a recovery code only once when it is sent five times concurrently', async () => {
    const { codes, check } = await makeAccount()
    const results = await Promise.all(Array.from({ length: 5 }, () => check(codes[0] ?? '')))
    assert.equal(results.filter(({ outcome }) => outcome === 'ok').length, 1)
  })

  it('does not work for another account', async () => {
    const [mine, otherAccount] = [await makeAccount(), await makeAccount()]
    assert.equal((await otherAccount.check(mine.codes[0] ?? '')).outcome, 'wrong')
    assert.equal((await otherAccount.check(codeAt(mine.secret, NOW))).outcome, 'wrong')
  })

  it('is checked at most five times when a hundred wrong codes are sent concurrently', async () => {
    const { id, secret, check } = await makeAccount()
    const right = codeAt(secret, NOW)
    const wrong = Array.from({ length: 100 }, (_, index) => String(index).padStart(6, '0')).filter(
      (code) => ![-1, 0, 1].some((steps) => code === codeAt(secret, NOW + steps * STEP_MS)),
    )
    const startedAt = performance.now()
    const results = await Promise.all(wrong.map((code) => check(code)))
    const free = 5 + Math.floor(Math.log2((performance.now() - startedAt) / 1000 + 1))
    const looked = results.filter(({ outcome }) => outcome === 'wrong').length
    assert.ok(looked >= 5 && looked <= free, `${looked}`)
    // Longer than a slow machine needs for the rest of the test.
    await sql`update attempts set blocked_until = blocked_until + interval '1 hour' where key = ${throttleKeys.secondFactor(id)}`.execute(
      database.db,
    )
    assert.equal((await check(right)).outcome, 'wait')
  })

  it('is disabled together with its recovery codes', async () => {
    const { id, email, secret, codes, check } = await makeAccount()
    assert.equal(await disableTotp(database.db, id, { language: 'ja' }), true)
    assert.equal(await disableTotp(database.db, id, { language: 'ja' }), false)
    assert.equal(await countRecoveryCodes(database.db, id), 0)
    assert.equal((await check(codeAt(secret, NOW))).outcome, 'wrong')
    assert.equal((await check(codes[0] ?? '')).outcome, 'wrong')
    assert.equal((await mailsTo(email)).length, 2)
    const [event] = await listEvents(database.db, id, { limit: 1 })
    assert.equal(event?.kind, 'second_factor_removed')
  })
})
