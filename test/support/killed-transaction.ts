/**
 * Creates, sorts and truncates tables of the embedded database in the given directory within a transaction, and kills
 * its own process (SIGKILL) before the commit. Before that transaction, creates the table `kept` and the temporary
 * table `committed`.
 */
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'

const dataDir = process.argv[2] ?? ''
const { db } = await openDatabase({ dataDir })
const rows = sql`select number as id, repeat('x', 200) as text from generate_series(1, 30000) number`
await sql`create table kept as ${rows}`.execute(db)
await sql`create temporary table committed as ${rows}`.execute(db)
await sql`checkpoint`.execute(db)
await db.transaction().execute(async (trx) => {
  await sql`create temporary table staged as ${rows}`.execute(trx)
  await sql`create table made as ${rows}`.execute(trx)
  await sql`create index on made (id)`.execute(trx)
  await sql`truncate kept`.execute(trx)
  await sql`set local work_mem = '64kB'`.execute(trx)
  await sql`declare sorted cursor for select * from made order by text, id`.execute(trx)
  await sql`fetch 5 from sorted`.execute(trx)
  // Flushes the pages of the new tables to their files.
  await sql`checkpoint`.execute(trx)
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
})
