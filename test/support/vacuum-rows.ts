/**
 * Updates all rows of a table in the embedded database of the given directory, and vacuums it, without end. Prints a line
 * with the number of the round once the update has been acknowledged, right before the vacuum, and `done` after it.
 */
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/upkeep/migrate.ts'
import { ANY_SIZE, vacuumDue } from '../../src/db/upkeep/autovacuum.ts'

const { db } = await openDatabase({ dataDir: process.argv[2] ?? '' })
await migrate(db)
await sql`create table if not exists vacuumed (id bigint primary key, round bigint not null, text text not null)`.execute(
  db,
)
await sql`
  insert into vacuumed select id, 0, repeat('x', 200) from generate_series(1, 10000) id
  on conflict do nothing`.execute(db)
const { rows } = await sql<{ last: number }>`select max(round) as last from vacuumed`.execute(db)
for (let round = Number(rows[0]?.last) + 1; ; round += 1) {
  await sql`update vacuumed set round = ${round}`.execute(db)
  process.stdout.write(`${round}\n`)
  await vacuumDue(db, { bySize: ANY_SIZE })
  process.stdout.write('done\n')
}
