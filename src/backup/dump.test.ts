import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { temporaryFolder } from '#test/program.ts'
import { createAccounts } from '#test/ratings.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../db/database.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { splitRows } from './dump-queries.ts'
import { PART_BYTES } from './format.ts'
import { makeBackup } from './make-backup.ts'
import { readBackup } from './read-backup.ts'

/** Writes uploads whose stored size is a fraction of their real one, after many small rows. */
const WRITE_UPLOADS = sql`
  insert into uploads (account_id, hash, bytes)
  select
    (select min(id) from accounts),
    rpad(md5(number::text), 43, 'x'),
    decode(repeat(md5(number::text), case when number <= 200 then 1 else 12500 end), 'hex')
  from generate_series(1, 400) number`

describeOnEachDatabase('a dump', (engine) => {
  it('divides large values into parts, and contains every row once', async () => {
    const place = await createDatabase(engine, 'empty')
    const folder = temporaryFolder()
    const config = readConfig({ DATABASE_URL: place.databaseUrl, DATA_DIR: place.dataDir })
    const database = await openDatabase(config)
    try {
      await createAccounts(database.db, 1)
      await inLongTransaction(database.db, Infinity, (trx) => WRITE_UPLOADS.execute(trx))
      await sql`delete from uploads where id % 7 = 0`.execute(database.db)
      const file = join(folder.path, 'large.tar')
      await makeBackup(config, database, file)
      const parts: number[] = []
      const { checksums } = await readBackup(file, {
        onPart: async ({ table, bytes }) => {
          if (table === 'uploads') parts.push(bytes.length)
        },
      })
      assert.equal(checksums.tables['uploads']?.rows, 400 - Math.floor(400 / 7))
      assert.ok(parts.length > 15, `${parts.length} parts`)
      assert.ok(Math.max(...parts) <= PART_BYTES, parts.join())
    } finally {
      await database.close()
      folder.remove()
      await place.remove()
    }
  })

  it('never replaces anything but a regular file, and requires a database with a schema', async () => {
    const place = await createDatabase(engine, 'cluster')
    const folder = temporaryFolder()
    const config = readConfig({ DATABASE_URL: place.databaseUrl, DATA_DIR: place.dataDir })
    const database = await openDatabase(config)
    const socket = createServer().listen(join(folder.path, 'socket'))
    try {
      await once(socket, 'listening')
      const backUp = (name: string) =>
        makeBackup(config, database, join(folder.path, name), { force: true })
      await assert.rejects(backUp('socket'), /socket is not a file/)
      await assert.rejects(backUp('.'), /is not a file/)
      await assert.rejects(backUp('empty.tar'), /no tables of mokuroku/)
      assert.deepEqual(readdirSync(folder.path), ['socket'])
      assert.ok(statSync(join(folder.path, 'socket')).isSocket())
    } finally {
      socket.close()
      await database.close()
      folder.remove()
      await place.remove()
    }
  })
})

it('splits rows into parts that end at a line break, and keeps long rows whole', () => {
  const row = (length: number) => Buffer.from(`${'x'.repeat(length)}\n`)
  const rows = [row(10), row(PART_BYTES), row(PART_BYTES - 2), row(3), row(0)]
  const parts = [...splitRows(Buffer.concat(rows))]
  assert.deepEqual(
    parts.map(({ length }) => length),
    [11, PART_BYTES + 1, PART_BYTES - 1, 5],
  )
  assert.deepEqual(Buffer.concat(parts), Buffer.concat(rows))
})
