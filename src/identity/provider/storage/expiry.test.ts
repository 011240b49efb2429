import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { banAccount } from '../../../accounts/ban-queries.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'
import { ensureSigningKeys, rotateSigningKeys } from '../../tokens/keys.ts'
import { findSession, findToken } from './flow-queries.ts'
import { consumeRecord, findRecord } from './record-queries.ts'
import { listRecentBans, listRevocations } from './revocation-queries.ts'
import {
  findSessionByUid,
  insertSession,
  listSessions,
  recordSessionUse,
} from './session-queries.ts'

describeOnDatabase('the provider’s storage', (engine) => {
  let database: OpenTestDatabase
  let account: number
  before(async () => {
    database = await openTestDatabase(engine, 'empty')
    account = await addAccount(database.db, {
      email: 'a@example.org',
      name: 'A',
      password: 'a long one',
    })
  })
  after(() => database.remove())

  const pass = (table: string, column: string, interval: string) =>
    sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`.execute(
      database.db,
    )

  it('does not find expired sessions by id, public id or account', async () => {
    const { db } = database
    await insertSession(db, 'session', 'uid')
    const isThere = async () => [
      (await findSession(db, 'session', null)) !== undefined,
      (await findSessionByUid(db, 'uid')) !== undefined,
      (await listSessions(db, account)).length === 1,
    ]
    await sql`update sessions set account_id = ${account}`.execute(db)
    await pass('sessions', 'expires_at', '50 seconds')
    assert.deepEqual(await isThere(), [true, true, true])
    await pass('sessions', 'expires_at', '20 seconds')
    assert.deepEqual(await isThere(), [false, false, false])
  })

  it('records the use of a session at most once a minute', async () => {
    const { db } = database
    await insertSession(db, 'used', 'used-uid')
    await sql`update sessions set expires_at = now() + interval '1 day'`.execute(db)
    const isNoted = async (interval: string) => {
      await sql`update sessions set last_used_at = now() - ${interval}::interval where uid = 'used-uid'`.execute(
        db,
      )
      const found = await findSessionByUid(db, 'used-uid')
      assert.ok(found)
      await recordSessionUse(db, found)
      const { rows } = await sql<{ is_recent: boolean }>`
        select last_used_at > now() - interval '20 seconds' as is_recent
        from sessions where uid = 'used-uid'`.execute(db)
      return rows[0]?.is_recent
    }
    assert.deepEqual([await isNoted('50 seconds'), await isNoted('70 seconds')], [false, true])
  })

  it('keeps a code until it expires, and a used code for another day', async () => {
    const { db } = database
    const insert = (name: string) =>
      sql`
      insert into oidc_records (model, id_hash, payload, expires_at)
      values ('AuthorizationCode', ${hashToken(name)}, '{}', now() + interval '1 minute')`.execute(
        db,
      )
    const isThere = async (name: string) => [
      (await findRecord(db, 'AuthorizationCode', { id_hash: hashToken(name) })) !== undefined,
      (await findToken(db, 'AuthorizationCode', hashToken(name))) !== undefined,
    ]
    await insert('unused')
    await insert('used')
    assert.equal((await consumeRecord(db, 'AuthorizationCode', hashToken('used'))).first, true)
    await pass('oidc_records', 'expires_at', '50 seconds')
    assert.deepEqual(await isThere('unused'), [true, true])
    await pass('oidc_records', 'expires_at', '23 hours 58 minutes')
    assert.deepEqual(await isThere('unused'), [false, false])
    assert.deepEqual(await isThere('used'), [true, true])
    await pass('oidc_records', 'expires_at', '3 minutes')
    assert.deepEqual(await isThere('used'), [false, false])
  })

  it('lists bans and revocations until every affected token has expired', async () => {
    const { db } = database
    const banned = await addAccount(db, {
      email: 'b@example.org',
      name: 'B',
      password: 'a long one',
    })
    await banAccount(db, banned, 'advertising')
    await sql`insert into withdrawals (kind, subject) values ('token', 'jti')`.execute(db)
    const listed = async () => [
      await listRecentBans(db),
      (await listRevocations(db)).map(({ subject }) => subject),
    ]
    const passAll = async (interval: string) => {
      await pass('accounts', 'banned_at', interval)
      await pass('withdrawals', 'expires_at', interval)
    }
    await passAll('64 minutes')
    assert.deepEqual(await listed(), [[String(banned)], ['jti']])
    await passAll('2 minutes')
    assert.deepEqual(await listed(), [[], []])
  })

  it('publishes a signing key ten minutes before its first use, and keeps it longer than any token is valid', async () => {
    const { db } = database
    await ensureSigningKeys(db, undefined)
    const began = Date.now()
    const { signsFrom, oldRetiredAt } = await rotateSigningKeys(db, undefined)
    const minutes = (from: number, to: Date) => Math.round((to.getTime() - from) / 60_000)
    assert.equal(minutes(began, signsFrom), 10)
    assert.equal(minutes(signsFrom.getTime(), oldRetiredAt), 75)
  })
})
