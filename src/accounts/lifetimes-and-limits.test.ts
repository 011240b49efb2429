import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { createChallenge, redeemChallenge } from './credentials/passkey-challenges.ts'
import { purgeAccounts } from './deletion-queries.ts'
import { findDraft, saveDraft } from './form-draft-queries.ts'
import { enqueueRegistrationNotice } from './mail/registration-notice.ts'
import { hashToken, newToken } from '../kernel/opaque-tokens.ts'
import { findAccount } from './queries.ts'
import { getAccountCounts, searchAccounts } from './search-queries.ts'
import { isTrustedBrowser, listTrustedBrowsers, trustBrowser } from './sign-in/trusted-browsers.ts'

const BROWSER = { userAgent: 'Browser', address: '192.0.2.1' }
const DRAFT = { path: '/library', fields: { review: 'a' } }

describeOnDatabase('the accounts module', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  const makeAccount = () => {
    accounts += 1
    const email = `bounded-${accounts}@example.org`
    return addAccount(database.db, { email, name: 'Bounded', password: 'a long one' })
  }
  /** Moves the expiry of a table's rows closer, as if that time had passed. */
  const pass = (table: string, interval: string) =>
    sql`update ${sql.table(table)} set expires_at = expires_at - ${interval}::interval`.execute(
      database.db,
    )

  it('keeps a form draft for an hour', async () => {
    const { db } = database
    const hash = hashToken(newToken())
    assert.ok(await saveDraft(db, hash, 'sender', DRAFT))
    await pass('form_drafts', '59 minutes')
    assert.deepEqual(await findDraft(db, hash), DRAFT)
    await pass('form_drafts', '2 minutes')
    assert.equal(await findDraft(db, hash), undefined)
  })

  it('stores twenty form drafts per client and a thousand in total, not counting expired ones', async () => {
    const { db } = database
    const save = (sender: string) => saveDraft(db, hashToken(newToken()), sender, DRAFT)
    const fill = (rows: number, senders: number) =>
      sql`
      insert into form_drafts (token_hash, sender, path, fields, expires_at)
      select lpad(${senders} || '-' || number, 43, '0'), 'sender-' || number % ${senders}::integer, '/', '{}', now() + interval '1 hour'
      from generate_series(1, ${rows}::integer) number`.execute(db)
    await fill(19, 1)
    assert.ok(await save('sender-0'))
    assert.ok(!(await save('sender-0')))
    assert.ok(await save('other'))
    await pass('form_drafts', '2 hours')
    assert.ok(await save('sender-0'))
    await fill(998, 998)
    assert.ok(await save('other'))
    assert.ok(!(await save('another')))
    await pass('form_drafts', '2 hours')
    assert.ok(await save('another'))
  })

  it('trusts a browser for thirty days', async () => {
    const { db } = database
    const id = await makeAccount()
    const token = await trustBrowser(db, id, BROWSER)
    await pass('trusted_browsers', '29 days')
    assert.ok(await isTrustedBrowser(db, id, [token]))
    assert.ok(!(await isTrustedBrowser(db, await makeAccount(), [token])))
    await pass('trusted_browsers', '2 days')
    assert.ok(!(await isTrustedBrowser(db, id, [token])))
    assert.deepEqual(await listTrustedBrowsers(db, id), [])
  })

  it('trusts the latest twenty browsers of an account', async () => {
    const { db } = database
    const [id, other] = [await makeAccount(), await makeAccount()]
    const trusted = await trustBrowser(db, other, BROWSER)
    const tokens: string[] = []
    for (let count = 0; count < 21; count += 1) tokens.push(await trustBrowser(db, id, BROWSER))
    assert.equal((await listTrustedBrowsers(db, id)).length, 20)
    assert.ok(!(await isTrustedBrowser(db, id, tokens.slice(0, 1))))
    assert.ok(await isTrustedBrowser(db, id, tokens.slice(1, 2)))
    assert.ok(await isTrustedBrowser(db, other, [trusted]))
  })

  it('accepts the response to a passkey challenge for five minutes', async () => {
    const { db } = database
    const make = () => createChallenge(db, 'sign_in')
    const [early, late] = [await make(), await make()]
    await pass('passkey_challenges', '4 minutes')
    assert.ok(await redeemChallenge(db, early, 'sign_in'))
    await pass('passkey_challenges', '2 minutes')
    assert.ok(!(await redeemChallenge(db, late, 'sign_in')))
  })

  it('sends an owner at most twenty emails an hour about new apps', async () => {
    const { db } = database
    const id = await makeAccount()
    const announce = async () => {
      await enqueueRegistrationNotice(db, id, {})
      const mails = await db
        .selectFrom('mails')
        .where('kind', '=', 'app_registered')
        .select('id')
        .execute()
      return mails.length
    }
    for (let count = 1; count <= 20; count += 1) assert.equal(await announce(), count)
    assert.equal(await announce(), 20)
    await sql`update attempts set last_try_at = last_try_at - interval '59 minutes'`.execute(db)
    assert.equal(await announce(), 20)
    await sql`update attempts set last_try_at = last_try_at - interval '2 minutes'`.execute(db)
    assert.equal(await announce(), 21)
  })

  it('finds at most fifty accounts, and counts only unexpired sessions', async () => {
    const { db } = database
    const id = await makeAccount()
    await sql`
      insert into accounts (email, password_hash, name)
      select 'many-' || number || '@example.org', 'x', 'Many' from generate_series(1, 51) number`.execute(
      db,
    )
    assert.equal((await searchAccounts(db, 'many')).length, 50)
    await sql`
      insert into sessions (id_hash, uid, account_id, payload, expires_at)
      select age, age, ${id}, '{}', now() - age::interval from unnest(array['-1 minute', '1 minute']) age`.execute(
      db,
    )
    assert.equal((await getAccountCounts(db, id)).sessions, 1)
  })

  it('deletes an account a week after its owner requested it', async () => {
    const { db } = database
    const [due, early] = [await makeAccount(), await makeAccount()]
    for (const [id, age] of [
      [due, '7 days 1 minute'],
      [early, '6 days 23 hours 59 minutes'],
    ] as const)
      await sql`
        update accounts set deletion_requested_at = now() - ${age}::interval where id = ${id}`.execute(
        db,
      )
    assert.equal(await purgeAccounts(db), 1)
    assert.equal(await findAccount(db, due), undefined)
    assert.ok(await findAccount(db, early))
  })
})
