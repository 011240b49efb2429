import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { asAdmin, createDatabase, runnerVariable, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { isUnavailable } from '../../kernel/is-unavailable.ts'
import { openDatabase } from '../database.ts'

describe('a database URL with several hosts', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase('server', 'empty')
  })
  after(() => database.remove())

  /** Returns a URL of these hosts, with a password that must not be shown. */
  const urlOf = (...hosts: string[]) => {
    const { username, pathname } = new URL(database.databaseUrl ?? '')
    return `postgres://${username}:sesame@${hosts.join(',')}${pathname}`
  }
  const host = () => new URL(database.databaseUrl ?? '').host
  const closedHost = async () => `127.0.0.1:${await freePort()}`

  async function query(databaseUrl: string) {
    const { db, close } = await openDatabase({ ...database, databaseUrl })
    return sql`select 1 as one`
      .execute(db)
      .then(({ rows }) => rows)
      .finally(close)
  }

  it('connects to the host that responds', async () => {
    assert.deepEqual(await query(urlOf(await closedHost(), host())), [{ one: 1 }])
    assert.deepEqual(await query(urlOf(host(), await closedHost())), [{ one: 1 }])
  })

  it('counts as an outage if no host responds, with an error that names the hosts but not the password', async () => {
    const hosts = [await closedHost(), await closedHost()]
    await assert.rejects(query(urlOf(...hosts)), (error: Error & { code: string }) => {
      assert.equal(error.code, 'ECONNREFUSED')
      assert.ok(isUnavailable(error))
      for (const each of hosts) assert.ok(error.message.includes(each))
      assert.doesNotMatch(error.message, /sesame/)
      return true
    })
  })

  it('does not connect to a read-only host, nor does one host with target_session_attrs=read-write', async () => {
    const name = new URL(database.databaseUrl ?? '').pathname.slice(1)
    const admin = runnerVariable('MOKUROKU_TEST_POSTGRES')
    await asAdmin(admin, `alter database "${name}" set default_transaction_read_only = on`)
    try {
      const urls = [
        urlOf(host(), await closedHost()),
        `${urlOf(host())}?target_session_attrs=read-write`,
      ]
      for (const url of urls) await assert.rejects(query(url), { code: '25006' })
      assert.deepEqual(await query(urlOf(host())), [{ one: 1 }])
    } finally {
      await asAdmin(admin, `alter database "${name}" reset default_transaction_read_only`)
    }
  })
})
