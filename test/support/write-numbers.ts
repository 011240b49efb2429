/**
 * Writes consecutive numbers to the embedded database in the given directory until killed. Continues after the last
 * stored number. Every third write is a transaction with five numbers. Prints a line for each acknowledged write. With
 * a second argument, runs one endless statement instead.
 */
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { withDeadline } from '../../src/db/server/deadlines.ts'

const dataDir = process.argv[2] ?? ''
const { db } = await openDatabase({ dataDir })
await sql`create table if not exists numbers (number bigint primary key, batch bigint not null)`.execute(
  db,
)
const { rows } = await sql<{
  last: number
}>`select coalesce(max(number), 0) as last from numbers`.execute(db)

if (process.argv[3] !== undefined) {
  process.stdout.write('begins\n')
  await withDeadline(Infinity, () =>
    sql`insert into numbers select generate_series(1, 1000000000), 0`.execute(db),
  )
}
let next = (rows[0]?.last ?? 0) + 1
for (let round = 0; ; round += 1) {
  const batch = Array.from({ length: round % 3 === 2 ? 5 : 1 }, (_, index) => next + index)
  if (batch.length === 1) await insert(db, next)
  else
    await db.transaction().execute(async (trx) => {
      for (const number of batch) await insert(trx, number)
    })
  process.stdout.write(`${batch.join(' ')}\n`)
  next += batch.length
}

async function insert(trx: typeof db, number: number) {
  await sql`insert into numbers (number, batch) values (${number}, ${next})`.execute(trx)
}
