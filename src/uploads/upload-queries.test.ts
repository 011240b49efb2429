import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import { deleteByAge } from '../retention/delete-by-age.ts'
import { deleteUnusedUpload, saveUpload } from './upload-queries.ts'

/** Returns an account's uploads. */
const MAX_UPLOADS = 40
const USED = ['avatar', 'logo', 'hidden', 'reported']
/** References that do not count. */
const UNUSED = ['restored', 'decided', 'nothing']

describeOnDatabase('an uploaded picture', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  const hashOf = (name: string) => name.padEnd(43, '0')

  /** Creates an account with an upload for each name, all of the given age. */
  async function makeUploads(age: string) {
    const { db } = database
    accounts += 1
    const id = await addAccount(db, {
      email: `painter-${accounts}@example.org`,
      name: 'Painter',
      password: 'a long enough one',
    })
    const names = [...USED, ...UNUSED]
    await sql`
      insert into uploads (account_id, hash, bytes, created_at)
      select ${id}, rpad(name, 43, '0'), 'x', now() - ${age}::interval from unnest(${names}::text[]) name`.execute(
      db,
    )
    const path = (name: string) => `/uploads/${hashOf(name)}.webp`
    await sql`update accounts set picture = ${path('avatar')} where id = ${id}`.execute(db)
    await sql`
      insert into apps (client_id, account_id, client_name, secret_hash, logo_hash)
      values (${`logo-${accounts}`}, ${id}, 'Logo', ${'x'.repeat(43)}, ${hashOf('logo')})`.execute(
      db,
    )
    await sql`
      insert into takedowns (kind, subject, owner_id, place, reason, note, previous, restored_at)
      values
        ('PICTURE', ${`hidden ${id}`}, ${id}, '/', 'HATE', '', ${path('hidden')}, null),
        ('PICTURE', ${`restored ${id}`}, ${id}, '/', 'HATE', '', ${path('restored')}, now())`.execute(
      db,
    )
    await sql`
      insert into reports (account_id, kind, subject, owner_id, place, reason, note, state)
      select ${id}, 'PICTURE', 'account:' || ${id}::bigint || ' ' || path, ${id}, '/', 'HATE', '', state
      from (values (${path('reported')}, 'OPEN'), (${path('decided')}, 'DISMISSED')) report (path, state)`.execute(
      db,
    )
    return id
  }
  async function namesOf(id: number) {
    const rows = await database.db
      .selectFrom('uploads')
      .select('hash')
      .where('account_id', '=', id)
      .orderBy('id')
      .execute()
    return rows.map(({ hash }) => hash.replace(/0*$/, ''))
  }

  it('is swept after an hour unless something references it', async () => {
    const [old, young] = [await makeUploads('61 minutes'), await makeUploads('59 minutes')]
    await deleteByAge(database.db)
    assert.deepEqual(await namesOf(old), USED)
    assert.deepEqual(await namesOf(young), [...USED, ...UNUSED])
  })

  it('is deleted at once unless something references it', async () => {
    const id = await makeUploads('1 minute')
    for (const name of [...USED, ...UNUSED]) await deleteUnusedUpload(database.db, id, hashOf(name))
    assert.deepEqual(await namesOf(id), USED)
  })

  it('may be deleted after ten minutes to make room for another upload, unless something references it', async () => {
    const { db } = database
    const fill = async (age: string, total: number) => {
      const id = await makeUploads(age)
      const more = total - USED.length - UNUSED.length
      await sql`
        insert into uploads (account_id, hash, bytes)
        select ${id}, lpad(number::text, 43, 'x'), 'x' from generate_series(1, ${more}::integer) number`.execute(
        db,
      )
      return id
    }
    const picture = await makeTestPicture(50, 50)
    const young = await fill('9 minutes', MAX_UPLOADS - 1)
    assert.ok('hash' in (await saveUpload(db, young, await makeTestPicture(51, 51))))
    assert.deepEqual(await saveUpload(db, young, picture), { fault: 'picture_too_many' })
    assert.equal((await namesOf(young)).length, MAX_UPLOADS)
    const old = await fill('11 minutes', MAX_UPLOADS)
    assert.ok('hash' in (await saveUpload(db, old, picture)))
    const remaining = await namesOf(old)
    assert.equal(remaining.length, MAX_UPLOADS - UNUSED.length + 1)
    assert.deepEqual(remaining.slice(0, USED.length), USED)
    // Uploading the same picture again takes no extra space and makes it fresh again.
    for (let times = 0; times < UNUSED.length; times += 1)
      assert.ok('hash' in (await saveUpload(db, old, picture)))
    assert.equal((await namesOf(old)).length, MAX_UPLOADS - UNUSED.length + 1)
  })
})
