import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { recordComparisons } from '#test/constant-time-comparisons.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { statementsOf } from '#test/statements.ts'
import { redeemRecoveryCode } from '../credentials/recovery-codes.ts'
import { decoyHash } from '../credentials/passwords.ts'
import { findLink } from '../mail/link-queries.ts'
import { requestPasswordReset, requestSignUp } from '../mail/mail-requests.ts'
import { newToken } from '../../kernel/opaque-tokens.ts'
import { createAccount } from '../queries.ts'
import { verifyCredentials } from './sign-in.ts'

/** Compares statements and the cost of hashes instead of times: equal work takes equal time. */
describeOnDatabase('the existence of an account', (engine) => {
  let database: OpenTestDatabase
  let id: number
  const email = 'somebody@example.org'
  before(async () => {
    database = await openTestDatabase(engine)
    id =
      (await createAccount(database.db, { email, name: 'Somebody', password: 'correct horse' })) ??
      0
  })
  after(() => database.remove())

  const textsOf = async (work: () => Promise<unknown>) =>
    (await statementsOf(work)).map(({ sql }) => sql)

  it('is not disclosed by a sign-in, which always runs the same statements and the same hash', async () => {
    const signIn = (address: string) =>
      verifyCredentials(database.db, {
        email: address,
        password: 'wrong horse',
        address: '192.0.2.1',
      })
    const there = await textsOf(() => signIn(email))
    assert.ok(there.length >= 3, 'the statements are seen')
    assert.deepEqual(await textsOf(() => signIn('nobody@example.org')), there)
    // Each attempt compares the 32 bytes of a hash.
    assert.deepEqual(await recordComparisons(() => signIn(email)), [32])
    assert.deepEqual(await recordComparisons(() => signIn('nobody-else@example.org')), [32])
    const [{ password_hash: real } = { password_hash: '' }] = await database.db
      .selectFrom('accounts')
      .select('password_hash')
      .where('id', '=', id)
      .execute()
    const cost = (hash: string) => hash.split('$').slice(1, 4)
    assert.deepEqual(cost(decoyHash()), cost(real ?? ''))
  })

  it('is not disclosed by the cost of a sign-up or a password reset', async () => {
    const reset = (address: string) =>
      requestPasswordReset(database.db, { email: address, language: 'en', address: '192.0.2.2' })
    assert.deepEqual(
      await textsOf(() => reset(email)),
      await textsOf(() => reset('nobody@example.org')),
    )
    const signUp = (address: string) =>
      requestSignUp(database.db, {
        email: address,
        name: 'Somebody',
        password: 'correct horse battery',
        language: 'en',
        browserHash: 'browser',
        address: '192.0.2.2',
      })
    assert.deepEqual(
      await textsOf(() => signUp(email)),
      await textsOf(() => signUp('nobody@example.org')),
    )
  })

  it('is not disclosed by token comparison, because tokens are looked up by their hash', async () => {
    const token = newToken()
    const [link] = await statementsOf(() => findLink(database.db, token, 'reset_password'))
    const [code] = await statementsOf(() =>
      redeemRecoveryCode(database.db, id, '7k2m-x09a-qf4t-h3we'),
    )
    assert.ok(link && code)
    assert.ok(
      !JSON.stringify([link.parameters, code.parameters]).match(new RegExp(`${token}|7k2m`)),
    )
  })
})
