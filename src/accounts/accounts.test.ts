import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { listEvents, recordEvent } from '../audit/events.ts'
import { banAccount, unbanAccount } from './ban-queries.ts'
import { exportAccount } from './profile/export.ts'
import { createLink } from './mail/link-queries.ts'
import { changePassword } from './credentials/password-queries.ts'
import { passwordMatches } from './credentials/passwords.ts'
import { deleteAccount } from './deletion-queries.ts'
import {
  changeEmail,
  createAccount,
  findAccount,
  findAccountByEmail,
  listAccounts,
  updateProfile,
} from './queries.ts'
import { replaceRecoveryCodes } from './credentials/recovery-codes.ts'

describeOnDatabase('an account', (engine) => {
  let database: OpenTestDatabase
  let created = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  async function makeAccount(verified?: boolean) {
    created += 1
    const email = `Reader${created}@example.org`
    const password = 'correct horse'
    const id =
      (await createAccount(database.db, { email, name: 'Reader', password, verified })) ?? 0
    return { id, email }
  }
  const makeSession = (accountId: number, name: string) =>
    database.db
      .insertInto('sessions')
      .values({
        id_hash: `hash-${name}`,
        uid: `uid-${name}`,
        account_id: accountId,
        payload: '{"secret":"payload"}',
        user_agent: 'Browser',
        expires_at: new Date(Date.now() + 1e6),
      })
      .execute()
  const kindsOf = async (id: number) =>
    (await listEvents(database.db, id, { limit: 50 })).map(({ kind }) => kind)

  it('is created as verified only if the caller requests it', async () => {
    const [vouched, not] = [await makeAccount(), await makeAccount(false)]
    assert.ok((await findAccount(database.db, vouched.id))?.email_verified_at)
    assert.equal((await findAccount(database.db, not.id))?.email_verified_at, null)
  })

  it('is found by id and by email address, ignoring case', async () => {
    const { id, email } = await makeAccount()
    assert.equal((await findAccountByEmail(database.db, email.toUpperCase()))?.id, id)
    assert.equal((await findAccount(database.db, id))?.email, email)
    assert.equal(await findAccountByEmail(database.db, 'nobody@example.org'), undefined)
    assert.equal(await findAccountByEmail(database.db, 'a\0@b'), undefined)
    assert.equal(await findAccount(database.db, 999_999), undefined)
    const ids = (await listAccounts(database.db)).map((account) => account.id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.ok(ids.includes(id))
  })

  it('keeps the profile fields that an update omits', async () => {
    const { id } = await makeAccount()
    await updateProfile(database.db, id, { nickname: 'Nick', bio: 'I read.' })
    const account = await updateProfile(database.db, id, { name: 'Other', nickname: null })
    assert.deepEqual(
      [account?.name, account?.nickname, account?.bio, account?.picture],
      ['Other', null, 'I read.', null],
    )
    assert.equal(await updateProfile(database.db, 999_999, { name: 'x' }), undefined)
  })

  it('loses its reset links when its password changes', async () => {
    const { id, email } = await makeAccount()
    await createLink(database.db, { purpose: 'reset_password', email, account_id: id })
    assert.equal(await changePassword(database.db, id, 'another horse'), true)
    const { password_hash } = await database.db
      .selectFrom('accounts')
      .select('password_hash')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(await passwordMatches('another horse', password_hash ?? ''), true)
    const links = await database.db
      .selectFrom('links')
      .selectAll()
      .where('account_id', '=', id)
      .execute()
    assert.equal(links.length, 0)
    assert.deepEqual(await kindsOf(id), ['password_changed'])
    assert.equal(await changePassword(database.db, 999_999, 'another horse'), false)
  })

  it('can change its address to a free one, or to its own in a different letter case', async () => {
    const [first, second] = [await makeAccount(), await makeAccount()]
    assert.equal(await changeEmail(database.db, first.id, second.email.toUpperCase()), undefined)
    assert.equal((await findAccount(database.db, first.id))?.email, first.email)
    assert.equal(await changeEmail(database.db, first.id, first.email.toUpperCase()), first.email)
    assert.equal(await changeEmail(database.db, 999_999, 'free@example.org'), undefined)
    assert.deepEqual(await kindsOf(first.id), ['email_changed'])
  })

  it('gets an address only if it is the first of five accounts that request it concurrently', async () => {
    const accounts = []
    for (let count = 0; count < 5; count += 1) accounts.push(await makeAccount())
    const email = `wanted${created}@example.org`
    const changed = await Promise.all(accounts.map(({ id }) => changeEmail(database.db, id, email)))
    assert.equal(changed.filter(Boolean).length, 1)
  })

  it('loses its sessions while banned, and can be unbanned', async () => {
    const { id } = await makeAccount()
    await makeSession(id, 'banned')
    const account = await banAccount(database.db, id, 'advertising')
    assert.ok(account?.banned_at)
    const repeated = await banAccount(database.db, id, 'much advertising')
    assert.deepEqual(
      [repeated?.banned_at, repeated?.ban_reason],
      [account.banned_at, 'much advertising'],
    )
    const sessions = await database.db
      .selectFrom('sessions')
      .where('account_id', '=', id)
      .select('uid')
      .execute()
    assert.equal(sessions.length, 0)
    assert.equal((await unbanAccount(database.db, id))?.ban_reason, null)
    assert.equal(await unbanAccount(database.db, id), undefined)
    assert.deepEqual(await kindsOf(id), ['unbanned', 'banned', 'banned'])
    assert.equal(await banAccount(database.db, 999_999, 'x'), undefined)
  })

  it('leaves only anonymized audit events when it is deleted', async () => {
    const { id } = await makeAccount()
    await makeSession(id, 'deleted')
    await recordEvent(database.db, { kind: 'sign_in', accountId: id })
    assert.equal(await deleteAccount(database.db, id, { address: '192.0.2.1' }), true)
    assert.equal(await deleteAccount(database.db, id), false)
    assert.equal(await findAccount(database.db, id), undefined)
    const [event] = await database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('kind', '=', 'account_deleted')
      .execute()
    assert.deepEqual([event?.account_id, event?.details], [null, { account_id: id }])
  })

  it('is exported in full, without secrets', async () => {
    const { id, email } = await makeAccount()
    await makeSession(id, 'exported')
    const codes = await replaceRecoveryCodes(database.db, id)
    await database.db
      .updateTable('accounts')
      .set({ totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
      .where('id', '=', id)
      .execute()
    await database.db
      .insertInto('passkeys')
      .values({
        credential_id: 'credential',
        account_id: id,
        name: 'Phone',
        public_key: 'public-key',
        transports: '[]',
      })
      .execute()
    await recordEvent(database.db, {
      kind: 'sign_in',
      accountId: id,
      address: '192.0.2.1',
      userAgent: 'x'.repeat(999),
    })
    const data = await exportAccount(database.db, id)
    assert.ok(data)
    assert.equal(data.account.email, email)
    assert.equal(data.has_totp, true)
    assert.equal(data.sessions[0]?.user_agent, 'Browser')
    assert.equal(data.passkeys[0]?.name, 'Phone')
    assert.equal(data.events[0]?.user_agent?.length, 300)
    const text = JSON.stringify(data)
    for (const secret of [
      'hash',
      'JBSWY3DP',
      'payload',
      'public-key',
      'uid-',
      '$argon2id',
      ...codes,
    ])
      assert.ok(!text.includes(secret), secret)
    assert.equal(await exportAccount(database.db, 999_999), undefined)
  })
})
