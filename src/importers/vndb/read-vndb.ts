import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { readCharacters } from './characters.ts'
import { readGalgames } from './galgames.ts'
import { readPeople } from './people.ts'
import { readProducers } from './producers.ts'
import { stageVndb } from './tables.ts'

/**
 * Everything a VNDB dump says: producers, people, characters, then the novels that name them.
 *
 * The tables are staged in the database, which sorts and joins them; here is only what is mapped at the moment, however
 * large the dump is. Columns that a dump of another age lacks are noted in the report, and what they would have said stays
 * unsaid.
 */
export async function* readVndb(dump: DumpReading, trx: Database): AsyncGenerator<SourceRecord> {
  // Of large tables little is to be looked at; and all rows of a cursor are wanted, not the first of them soon.
  await sql`set local default_statistics_target = 20`.execute(trx)
  await sql`set local cursor_tuple_fraction = 1`.execute(trx)
  await sql`set local work_mem = '32MB'`.execute(trx)
  await stageVndb(dump, trx)
  await sql`set local default_statistics_target to default`.execute(trx)
  yield* readProducers(dump.report, trx)
  yield* readPeople(dump.report, trx)
  yield* readCharacters(dump, trx)
  yield* readGalgames(dump.report, trx)
}
