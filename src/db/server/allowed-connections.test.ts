import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnEachDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { findAllowedConnections } from './allowed-connections.ts'

describeOnEachDatabase('findAllowedConnections', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine, 'empty')
  })
  after(() => test.remove())

  it('excludes reserved connections', async () => {
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`.execute(
      test.db,
    )
    const { max_connections: all = 0, ...kept } = Object.fromEntries(
      rows.map(({ name, setting }) => [name, Number(setting)]),
    )
    const keptInAll = Object.values(kept).reduce((sum, count) => sum + count, 0)
    assert.ok(keptInAll > 0)
    assert.equal(await findAllowedConnections(test.db), all - keptInAll)
  })
})
