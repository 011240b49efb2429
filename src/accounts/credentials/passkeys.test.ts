import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { banAccount } from '../ban-queries.ts'
import { deletePasskey, listPasskeys, renamePasskey } from './passkey-list.ts'
import {
  authenticationOptions,
  finishAuthentication,
  finishRegistration,
  registrationOptions,
} from './passkeys.ts'
import { findAccount } from '../queries.ts'
import { makeAuthenticator } from '#test/authenticator.ts'

const AUTH_URL = 'https://id.example.org'
const HOST = 'id.example.org'
const HERE = { origin: AUTH_URL }

describeOnDatabase('a passkey', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  async function makeAccount() {
    accounts += 1
    const email = `reader${accounts}@example.org`
    const id = await addAccount(database.db, { email, name: 'Reader', password: 'correct horse' })
    const account = await findAccount(database.db, id)
    assert.ok(account)
    return account
  }
  const register = (accountId: number, response: unknown, name = 'Phone') =>
    finishRegistration(database.db, AUTH_URL, accountId, { response, name, language: 'en' })
  /** Creates an account with a passkey. */
  async function makePasskey(counter = 0) {
    const account = await makeAccount()
    const passkey = makeAuthenticator(HOST)
    const { challenge } = await registrationOptions(database.db, AUTH_URL, account)
    assert.equal(
      await register(account.id, passkey.create(challenge, { ...HERE, counter })),
      passkey.id,
    )
    return { account, passkey }
  }
  const freshChallenge = async () => (await authenticationOptions(database.db, AUTH_URL)).challenge
  const signIn = (response: unknown) => finishAuthentication(database.db, AUTH_URL, response)
  const outcomeOf = async (response: unknown) => (await signIn(response)).outcome

  it('is requested as discoverable with user verification, so that it suffices for a sign-in', async () => {
    const account = await makeAccount()
    const creation = await registrationOptions(database.db, AUTH_URL, account)
    assert.equal(creation.rp.id, HOST)
    assert.equal(creation.authenticatorSelection?.residentKey, 'required')
    assert.equal(creation.authenticatorSelection.userVerification, 'required')
    const request = await authenticationOptions(database.db, AUTH_URL)
    assert.deepEqual([request.userVerification, request.rpId], ['required', HOST])
    assert.ok(!request.allowCredentials?.length, 'whoever it is')
    const stored = await database.db.selectFrom('passkey_challenges').selectAll().execute()
    assert.ok(!JSON.stringify(stored).includes(request.challenge))
  })

  it('signs in its owner any number of times', async () => {
    const { account, passkey } = await makePasskey()
    for (let times = 0; times < 2; times += 1) {
      const result = await signIn(passkey.get(await freshChallenge(), HERE))
      assert.ok(result.outcome === 'ok')
      assert.equal(result.account.id, account.id)
    }
    const [listed] = await listPasskeys(database.db, account.id)
    assert.equal(listed?.name, 'Phone')
    assert.ok(listed.last_used_at)
  })

  it('cannot sign in to a banned account', async () => {
    const { account, passkey } = await makePasskey()
    await banAccount(database.db, account.id, 'advertising')
    assert.equal(await outcomeOf(passkey.get(await freshChallenge(), HERE)), 'banned')
  })

  it('redeems a challenge only once and within five minutes, even if it is sent five times concurrently', async () => {
    const { passkey } = await makePasskey()
    const credential = passkey.get(await freshChallenge(), HERE)
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(credential)))
    assert.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
    const late = await freshChallenge()
    await database.db
      .updateTable('passkey_challenges')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .execute()
    assert.equal(await outcomeOf(passkey.get(late, HERE)), 'wrong')
  })

  it('is rejected with a forged challenge, or with one issued for another purpose', async () => {
    const { account, passkey } = await makePasskey()
    assert.equal(await outcomeOf(passkey.get('A'.repeat(43), HERE)), 'wrong')
    const { challenge } = await registrationOptions(database.db, AUTH_URL, account)
    assert.equal(await outcomeOf(passkey.get(challenge, HERE)), 'wrong')
    const other = await makeAccount()
    const fresh = makeAuthenticator(HOST)
    assert.equal(
      await register(other.id, fresh.create(challenge, HERE)),
      undefined,
      'of another account',
    )
    const second = await registrationOptions(database.db, AUTH_URL, other)
    assert.equal(
      await register(other.id, passkey.create(second.challenge, HERE)),
      undefined,
      'known already',
    )
  })

  it('is rejected from another origin or host, without user verification, or with another key', async () => {
    const { passkey } = await makePasskey()
    const foreignOrigin = { origin: 'https://id.example.org.evil.example' }
    assert.equal(await outcomeOf(passkey.get(await freshChallenge(), foreignOrigin)), 'wrong')
    assert.equal(
      await outcomeOf(passkey.get(await freshChallenge(), { ...HERE, verifiesUser: false })),
      'wrong',
    )
    const stranger = makeAuthenticator(HOST)
    const forged = {
      ...stranger.get(await freshChallenge(), HERE),
      id: passkey.id,
      rawId: passkey.id,
    }
    assert.equal(await outcomeOf(forged), 'wrong')
    assert.equal(await outcomeOf(stranger.get(await freshChallenge(), HERE)), 'wrong')

    const account = await makeAccount()
    for (const [foreign, options] of [
      [makeAuthenticator('evil.example'), HERE],
      [makeAuthenticator(HOST), foreignOrigin],
      [makeAuthenticator(HOST), { ...HERE, verifiesUser: false }],
    ] as const) {
      const { challenge } = await registrationOptions(database.db, AUTH_URL, account)
      assert.equal(await register(account.id, foreign.create(challenge, options)), undefined)
    }
  })

  it('is rejected as a copy if its counter does not increase', async () => {
    const { passkey } = await makePasskey(5)
    assert.equal(
      await outcomeOf(passkey.get(await freshChallenge(), { ...HERE, counter: 6 })),
      'ok',
    )
    assert.equal(
      await outcomeOf(passkey.get(await freshChallenge(), { ...HERE, counter: 6 })),
      'wrong',
    )
    assert.equal(
      await outcomeOf(passkey.get(await freshChallenge(), { ...HERE, counter: 7 })),
      'ok',
    )
  })

  it('is rejected for any malformed response', async () => {
    const { account, passkey } = await makePasskey()
    const clientDataJSON = async () =>
      passkey.get(await freshChallenge(), HERE).response.clientDataJSON
    for (const credential of [
      undefined,
      null,
      'x',
      [],
      {},
      { response: null },
      { response: { clientDataJSON: 'x' } },
      { response: { clientDataJSON: 5 } },
      { response: { clientDataJSON: await clientDataJSON() } },
      { id: 5, response: { clientDataJSON: await clientDataJSON() } },
      { id: 'x\0', response: { clientDataJSON: await clientDataJSON() } },
      { id: passkey.id, response: { clientDataJSON: await clientDataJSON(), signature: 5 } },
    ]) {
      assert.equal(await outcomeOf(credential), 'wrong')
      assert.equal(await register(account.id, credential), undefined)
    }
    const { challenge } = await registrationOptions(database.db, AUTH_URL, account)
    const broken = makeAuthenticator(HOST).create(challenge, HERE)
    Object.assign(broken.response, { attestationObject: 'oWNmbXQ' })
    assert.equal(await register(account.id, broken), undefined)
  })

  it('is renamed and deleted only by its owner, who is notified by email', async () => {
    const { account, passkey } = await makePasskey()
    const other = await makeAccount()
    const { db } = database
    assert.equal(await renamePasskey(db, other.id, passkey.id, () => 'Mine'), false)
    assert.equal(await renamePasskey(db, account.id, passkey.id, () => 'Tablet'), true)
    assert.equal(await deletePasskey(db, other.id, passkey.id, { language: 'en' }), 'gone')
    assert.equal((await listPasskeys(db, account.id))[0]?.name, 'Tablet')
    assert.equal(await deletePasskey(db, account.id, passkey.id, { language: 'en' }), 'done')
    assert.deepEqual(await listPasskeys(db, account.id), [])
    assert.equal(await outcomeOf(passkey.get(await freshChallenge(), HERE)), 'wrong')
    const mails = await db
      .selectFrom('mails')
      .select('kind')
      .where('email', '=', account.email)
      .execute()
    assert.deepEqual(mails, [{ kind: 'second_factor_changed' }, { kind: 'second_factor_changed' }])
  })
})
